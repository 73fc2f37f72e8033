"""Learning from files: passes, the portfolio of rules, holdout, checkpoints, predictions."""
