"""The scores of a model as text."""
