"""Predictions -> scores: how good a model is, with confidence intervals."""
