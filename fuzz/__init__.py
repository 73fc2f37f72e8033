"""Harnesses that throw bytes at everything that reads bytes."""
