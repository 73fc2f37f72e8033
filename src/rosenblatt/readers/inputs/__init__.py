"""The files that a person names, as one stream of bytes: compressed, remote, or several."""
