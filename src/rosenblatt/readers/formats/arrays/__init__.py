"""Arrays saved by numpy and scipy."""
