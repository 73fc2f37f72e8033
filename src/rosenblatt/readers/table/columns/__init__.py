"""What the columns of a table hold: which is the label, numbers, dates, words and texts, and which are left out."""
