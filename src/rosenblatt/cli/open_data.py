"""How a command opens DATA: in this process, or with the engine given by --on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rosenblatt.evaluate.evaluate_file import OpenSource


@contextmanager
def opener(on: str | None) -> Iterator[OpenSource]:
    """The function that opens a source; the engine is stopped at the end of the command."""
    from rosenblatt.readers.open import open_source

    if on is None:
        yield open_source
        return
    from rosenblatt.cluster.engines.choose_engine import open_engine
    from rosenblatt.cluster.open_data import open_data

    with open_engine(on) as engine:
        yield lambda data, reading, space: open_data(data, reading, engine, space)
