"""Rows of two classes -> a proof that a hyperplane separates them, or that none can."""

from rosenblatt.certify.certificates import Certificate, Inseparable, Separable, Undecided, Widest
from rosenblatt.certify.hulls import Progress
from rosenblatt.certify.search import certify

__all__ = ["Certificate", "Inseparable", "Progress", "Separable", "Undecided", "Widest", "certify"]
