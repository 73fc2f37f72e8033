"""What is timed, against whom: one file for each kind of work."""
