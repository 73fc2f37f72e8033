"""What a fit of a number has of its own: its targets, its loss, and the choice among few examples."""
