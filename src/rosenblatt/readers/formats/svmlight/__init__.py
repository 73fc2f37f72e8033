"""svmlight: sparse lines as they are, and those that are learned better as a scaled dense table."""
