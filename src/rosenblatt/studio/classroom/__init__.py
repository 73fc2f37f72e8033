"""The studio for a class: one server, many students, no state, and work that is bounded and shared fairly."""
