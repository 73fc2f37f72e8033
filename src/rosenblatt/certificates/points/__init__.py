"""X and y as the user passed them -> the points of two classes, in memory or stored."""
