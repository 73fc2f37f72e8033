"""scikit-learn classes, one for each file."""
