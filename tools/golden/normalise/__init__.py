"""Results as bytes: what is hashed, and what is left out because it may differ."""
