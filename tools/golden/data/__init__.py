"""The data of the cases, made from the tool's own numbers."""
