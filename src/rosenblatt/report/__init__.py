"""What was learned and found -> what people read: terminal text, figures, one-file HTML."""
