"""The questions that the page asks: one function for each."""
