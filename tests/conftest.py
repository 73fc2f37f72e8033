"""Shared by all tests: Hypothesis without deadlines, one studio for the tests of its page, and the browser.

Deadlines would fail on a busy machine. The `ci` profile repeats the same examples.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests import child

if TYPE_CHECKING:
    from tests.studio.chromium import Chromium

child.hear_ctrl_c()
settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("dev")


CI_ONLY = {"full_factorial", "compiles"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run the cases beyond the pairwise ones, and tests that compile programs, only with --hypothesis-profile=ci."""
    if config.getoption("hypothesis_profile") == "ci":
        return
    chosen: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        (left_out if {mark.name for mark in item.iter_markers()} & CI_ONLY else chosen).append(item)
    items[:] = chosen
    config.hook.pytest_deselected(items=left_out)


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where the studio is served; it is started once, by the first test that asks."""
    from tests.studio.chromium import studio

    with studio() as served:
        yield served


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    from tests.studio.chromium import Chromium

    with Chromium() as opened:
        yield opened


@pytest.fixture
def page(browser: Chromium) -> Iterator[Chromium]:
    """The page; a test that leaves a complaint in its console has failed."""
    browser.console.clear()
    yield browser
    assert browser.console == []
