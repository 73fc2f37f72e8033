"""How a run begins, grows by columns and classes, and is saved and restored."""
