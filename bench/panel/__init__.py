"""The model that `rosenblatt fit FILE` gives without an option, against its peers at their tuned best."""
