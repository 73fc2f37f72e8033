"""Examples -> examples with other features: products of columns, products of words."""
