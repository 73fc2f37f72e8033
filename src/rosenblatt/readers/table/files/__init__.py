"""One file for each kind of table: its bytes -> record batches."""
