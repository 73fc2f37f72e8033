"""The screen as one HTML file that replays it without a server."""
