"""The studio: a local page that shows a separator learn, step by step, and its small server."""
