"""What was learned -> what people read: text, JSON, HTML pages, figures, animations."""
