"""Blocks of examples -> a run: the epochs, stopping, resuming, and the weights that are kept."""
