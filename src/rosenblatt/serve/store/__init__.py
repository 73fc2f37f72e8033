"""What is on the disk: a directory with a lock, and for each model a log in SQLite and snapshots."""
