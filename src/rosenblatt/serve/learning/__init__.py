"""One model that learns: submissions, the lines of their examples, the thread that writes and learns them, drift."""
