"""The dual form: weights that are a sum of examples, known through a kernel k(x, z)."""
