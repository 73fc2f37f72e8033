"""What one threshold unit can do, decided exactly."""
