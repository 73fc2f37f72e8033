"""The parameters of the estimators, one file for each family."""
