"""Rows with numbers as targets -> a linear function that meets every target, or a proof that none does."""
