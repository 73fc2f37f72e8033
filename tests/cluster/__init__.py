"""The same bits from any engine, whatever happens to its workers."""
