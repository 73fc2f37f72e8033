"""What all tests share: Hypothesis without deadlines, and one studio for every test of its page.

A busy machine is not a wrong answer. The `ci` profile repeats the same examples.
"""

from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("dev")


@pytest.fixture(scope="session")
def studio_address() -> Iterator[str]:
    """Where the studio is served; it is started once, by the first test that asks."""
    from chromium import studio

    with studio() as served:
        yield served
