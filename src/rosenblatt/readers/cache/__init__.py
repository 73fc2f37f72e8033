"""Caches of parsed examples, in compact pages: for later passes, or for the next fit."""
