"""Scores of examples not yet learned, and what is fitted to them: probabilities, thresholds, intervals."""
