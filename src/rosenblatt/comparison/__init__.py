"""The perceptron and its relatives side by side."""
