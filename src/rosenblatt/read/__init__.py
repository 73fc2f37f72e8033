"""Bytes -> chunks of examples: the readers, one per format, behind one door."""

from rosenblatt.read.open import open_source
from rosenblatt.read.opened import Opened
from rosenblatt.read.source import BadRow, Reading, Source, StartAgain

__all__ = ["BadRow", "Opened", "Reading", "Source", "StartAgain", "open_source"]
