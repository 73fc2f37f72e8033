"""Hypothesis without deadlines: a busy machine is not a wrong answer. The `ci` profile repeats the same examples."""

from hypothesis import settings

settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("dev")
