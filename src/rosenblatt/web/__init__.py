"""What the studio and the service share: a server that stalled clients cannot hold up, and the look of their pages."""
