"""The last examples of a pass, to be scored by the final weights: what the scores of new examples are compared with."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt.readers.block_rows import memory_of
from rosenblatt.records import Block, Csr, Values

if TYPE_CHECKING:
    from rosenblatt.learn.files.examples_of_each_pass import PassBlock

_MOST = 1000  # examples
_MOST_BYTES = 8 << 20  # of their values


class _Part(NamedTuple):
    block: Block
    rows: Sequence[int]  # those that were learned
    bytes: int


class LastExamples:
    """Holds whole blocks, but which examples are the last ones does not depend on where blocks begin."""

    def __init__(self) -> None:
        self._parts: deque[_Part] = deque()
        self._examples = self._bytes = 0

    def clear(self) -> None:
        self._parts.clear()
        self._examples = self._bytes = 0

    def add(self, part: PassBlock) -> None:
        rows = range(part.block.rows) if part.rows is None else part.rows
        self._append(part.block, rows)  # type: ignore[arg-type]  # an array is a sequence
        while self._examples - len(self._parts[0].rows) >= _MOST or self._bytes - self._parts[0].bytes >= _MOST_BYTES:
            first = self._parts.popleft()
            self._examples -= len(first.rows)
            self._bytes -= first.bytes

    def _append(self, block: Block, rows: Sequence[int]) -> None:
        part = _Part(block, rows, memory_of(block))
        self._parts.append(part)
        self._examples += len(rows)
        self._bytes += part.bytes

    def take_from_all(self, examples: Block) -> None:
        """Some of all examples instead, which are in memory: a file may be sorted."""
        self.clear()
        self._append(examples, range(0, examples.rows, -(-examples.rows // _MOST)))

    def scores(self, score: Callable[[Values], Any]) -> list[Any]:
        """What `score` gives for each of them, the last first."""
        scores: list[Any] = []
        bytes_left = _MOST_BYTES
        for block, rows, _ in reversed(self._parts):
            numbers = score(block.values)
            bytes_of = _bytes_of_row(block.values)
            for row in reversed(rows):
                bytes_left -= bytes_of(row)
                if len(scores) == _MOST or bytes_left < 0:
                    return scores
                scores.append(numbers[row])
        return scores


def _bytes_of_row(values: Values) -> Callable[[int], int]:
    """As `memory_of` counts them."""
    if not isinstance(values, Csr):
        width = values.shape[1]
        return lambda row: 8 * width + 16
    starts = memoryview(values.buffers[0])
    return lambda row: int(12 * (starts[row + 1] - starts[row]) + 16)
