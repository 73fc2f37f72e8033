"""What is kept of a run: models, the loader that knows every kind, the model file, exports."""
