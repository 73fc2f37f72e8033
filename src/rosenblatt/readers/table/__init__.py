"""Tables (CSV, TSV, Parquet, Arrow): their columns, and how they become numbers."""
