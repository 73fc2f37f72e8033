"""What single lessons show."""
