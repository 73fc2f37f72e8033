"""What the service does when it is killed, when the disk fails, when the log is damaged: ``python -m bench faults``."""
