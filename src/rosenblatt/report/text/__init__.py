"""What people read on the terminal."""
