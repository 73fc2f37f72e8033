"""What each kind of model writes to its file, and reads back."""
