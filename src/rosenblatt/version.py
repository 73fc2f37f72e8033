"""The version of the package, written once: pyproject.toml reads it here."""

__version__ = "0.1.0"
