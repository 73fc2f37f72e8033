"""The mean of what shards have learned, summed in a fixed tree: the same bits for any number of workers.

Each column is weighted by how often a shard has seen it (`seen`): a word that occurs in one shard only keeps the whole
weight that this shard has learned. Mixing `evenly` divides it by the number of shards (McDonald, Hall and Mann 2010).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from rosenblatt.lazy import NDArray, np
from rosenblatt.records import Floats

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over shards: for each column how often it was seen, and arrays with a row for each unit; and of numbers."""

    columns: NDArray[np.int64]  # sorted
    seen: Floats
    parts: tuple[Floats, ...]  # [unit, column]
    numbers: Floats  # biases, losses, counts

    def plus(self, other: Sums) -> Sums:
        columns = np.union1d(self.columns, other.columns)
        seen = np.zeros(len(columns))
        parts = tuple(np.zeros((len(part), len(columns))) for part in self.parts)
        for sums in (self, other):
            at = np.searchsorted(columns, sums.columns)
            seen[at] += sums.seen
            for total, part in zip(parts, sums.parts, strict=True):
                total[:, at] += part
        return Sums(columns, seen, parts, self.numbers + other.numbers)


def tree_sum(items: Iterable[T], plus: Callable[[T, T], T]) -> T:
    """Add neighbours, then neighbouring sums, and so on: always the same tree, whichever worker computes which part.

    >>> tree_sum("abcde", lambda left, right: f"({left}{right})")
    '(((ab)(cd))e)'
    """
    waiting: list[tuple[int, T]] = []  # sums of 2**k items, larger ones first
    for item in items:
        size, total = 1, item
        while waiting and waiting[-1][0] == size:
            total, size = plus(waiting.pop()[1], total), 2 * size
        waiting.append((size, total))
    _, total = waiting.pop()
    while waiting:
        total = plus(waiting.pop()[1], total)
    return total


@dataclass(frozen=True, eq=False)
class State:
    """The weights of the columns that have occurred and, for rules that need it, a scale for each of them."""

    columns: NDArray[np.int64]
    weights: Floats  # [unit, column]
    bias: Floats
    scale: Floats | None = None
    scale_of_bias: Floats | None = None

    def full(self, features: int) -> Floats:
        """The weights of all columns."""
        every: Floats = np.zeros((len(self.bias), features))
        every[:, self.columns] = self.weights
        return every


def mixed(state: State, sums: Sums, n_shards: int, *, evenly: bool = False) -> State:
    """The state after a pass: `sums` are differences from it, each multiplied by how often its shard saw the column.

    The numbers are the differences of the biases (and of their scales) multiplied by the rows of the shard; the last
    one is the number of rows.
    """
    divisor = float(n_shards) if evenly else np.maximum(sums.seen, 1.0)
    units, n_rows = len(state.bias), float(sums.numbers[-1])
    parts: list[Any] = [np.array(state.weights), None if state.scale is None else np.array(state.scale)]
    at = np.searchsorted(state.columns, sums.columns)
    for part, total in zip(parts, sums.parts, strict=False):
        part[:, at] += total / divisor
    bias = state.bias + sums.numbers[:units] / n_rows
    scale_of_bias = None
    if state.scale_of_bias is not None:
        scale_of_bias = state.scale_of_bias + sums.numbers[units : 2 * units] / n_rows
    return State(state.columns, parts[0], bias, parts[1], scale_of_bias)
