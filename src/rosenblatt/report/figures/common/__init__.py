"""What every figure shares: colours and sizes, the plane, saving."""
