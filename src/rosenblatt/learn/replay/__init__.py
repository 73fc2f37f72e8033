"""A recorded run, replayed step by step."""
