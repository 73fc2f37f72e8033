"""What was read, kept in compact pages: for later passes, or for the next fit."""
