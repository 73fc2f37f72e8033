"""Several learners where one is too slow: logical shards are learned apart, and their weights are mixed."""
