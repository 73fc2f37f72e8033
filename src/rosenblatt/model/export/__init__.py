"""A linear model for other programs: ONNX, JSON, SQL."""
