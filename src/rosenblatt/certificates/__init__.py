"""Rows of two classes -> a proof that a hyperplane separates them, or that none can."""
