"""Names and words hashed into a fixed number of columns."""
