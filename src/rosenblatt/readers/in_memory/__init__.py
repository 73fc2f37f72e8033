"""Rows in memory as sources: tables, matrices and lines, read as the same rows in a file would be."""
