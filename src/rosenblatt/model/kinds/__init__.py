"""The kinds of model: linear, kernel perceptron, network. Each is a subclass of Model, with its part of the file."""
