"""An ordered map over a bounded number of tasks, for all engines with futures."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from itertools import islice
from typing import TypeVar

Piece = TypeVar("Piece")
Future = TypeVar("Future")
Answer = TypeVar("Answer")


def in_flight(
    pieces: Iterator[Piece],
    window: int,
    submit: Callable[[Piece], Future],
    result: Callable[[Future], Answer],
    cancel: Callable[[list[Future]], object],
) -> Generator[Answer]:
    """The results of the pieces, in order; at most `window` pieces are submitted ahead.

    >>> list(in_flight(iter([b"a", b"b", b"c"]), 2, bytes.upper, bytes, lambda futures: None))
    [b'A', b'B', b'C']
    """
    futures = deque(submit(piece) for piece in islice(pieces, window))
    try:
        while futures:
            answer = result(futures[0])
            futures.popleft()
            futures.extend(submit(piece) for piece in islice(pieces, 1))
            yield answer
            del answer  # to free its memory while waiting for the next
    finally:
        cancel(list(futures))
