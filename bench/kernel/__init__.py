"""The kernel perceptron against the literature and its peers."""
