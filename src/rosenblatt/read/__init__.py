"""Bytes -> chunks of examples: the readers, one per format, behind one door."""

from rosenblatt.read.source import BadRow, Reading, Source

__all__ = ["BadRow", "Reading", "Source"]
