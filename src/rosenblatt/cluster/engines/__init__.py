"""One adapter for each engine; `rosenblatt.cluster.engine` says what they must do."""
