"""A run prepared for playing: its scores and boundaries at every moment."""
