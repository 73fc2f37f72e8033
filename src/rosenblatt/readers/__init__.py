"""Bytes -> blocks of examples: one reader for each format."""
