"""A run as a moving picture: GIF, or one HTML file."""
