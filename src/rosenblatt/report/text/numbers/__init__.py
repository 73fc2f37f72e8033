"""What is printed about a model that predicts a number."""
