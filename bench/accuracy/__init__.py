"""Test accuracy on real data sets, beside the peers."""
