"""The workloads and their peers, one file for each kind of work."""
