"""Fuzzers for everything that reads bytes."""
