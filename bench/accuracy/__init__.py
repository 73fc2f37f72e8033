"""Test accuracy on real data sets, compared with the peers."""
