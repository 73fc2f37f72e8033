"""What a person must know before they trust a model: it is worthless, a column leaks its label, or its input drifts."""
