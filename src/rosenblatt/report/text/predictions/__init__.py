"""Predictions as text: what is asked of them, and the lines that are written."""
