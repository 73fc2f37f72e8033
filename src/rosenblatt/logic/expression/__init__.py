"""Boolean expressions: variables and operators, gates, and the parser."""
