"""Named tensors and a checked JSON header in one file."""
