"""What the page can ask: one function for each question."""
