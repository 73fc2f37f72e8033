"""Rounds over all shards: each passes the state to the workers in files, and sums their answers in a fixed tree."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

from rosenblatt.cluster.engine import Engine
from rosenblatt.cluster.messages import pack
from rosenblatt.cluster.mix.mixing import State, Sums, tree_sum
from rosenblatt.cluster.mix.pieces import shard_piece, sums_of
from rosenblatt.cluster.mix.shards import ShardWriter, writing_beside
from rosenblatt.lazy import np
from rosenblatt.learn.settings import Settings
from rosenblatt.version import __version__


class Rounds:
    """All the shards of a fit, and the workers that learn or measure them."""

    def __init__(
        self,
        shards: ShardWriter,
        engine: Engine,
        settings: Settings,
        n_classes: int,
        seed: int,
        *,
        evenly: bool = False,
    ) -> None:
        self._shards, self._engine, self._settings = shards, engine, settings
        self._classes, self._seed, self.evenly = n_classes, seed, evenly
        self._written = 0
        self.n_shards = sum(1 for pages in shards.pages if pages)  # the last ones are empty if there are few examples
        self.n_rounds = self.bytes_from_workers = self.bytes_of_states = 0  # for the benchmark

    def run(self, what: str, state: State | None, pass_: int = 0) -> Sums:
        """Let the workers 'learn' every shard from the state, or 'measure' the loss and the gradient at it."""
        self.n_rounds += 1
        files = None if state is None else self._write(state)
        common = {
            "version": __version__,
            "do": what,
            "file": os.path.abspath(self._shards.path),
            "settings": self._settings._asdict(),
            "classes": self._classes,
            "state": files,
            "pass": pass_,
            "seed": self._seed,
            "evenly": self.evenly,
        }
        branches = branches_of(self._shards.pages, self._engine.window)
        pieces = (pack({"task": json.dumps(common | {"shards": branch})}) for branch in branches)
        try:
            return tree_sum(self._sums(pieces), Sums.plus)
        finally:
            for path in (files or {}).values():
                os.unlink(path)

    def _sums(self, pieces: Iterator[bytes]) -> Iterator[Sums]:
        for answer in self._engine.in_order(shard_piece, pieces):
            self.bytes_from_workers += len(answer)
            yield sums_of(answer)

    def _write(self, state: State) -> dict[str, str]:
        """Write the arrays of the state to new files beside the shards, from which a worker maps what it needs."""
        self._written += 1
        files: dict[str, str] = {}
        for name, array in vars(state).items():
            if array is not None:
                files[name] = os.path.abspath(f"{self._shards.path}.state-{self._written}-{name}.npy")
                with writing_beside(self._shards.path):
                    np.save(files[name], array)
                self.bytes_of_states += array.nbytes
        return files


def errors_in(numbers: Any, units: int, parts: int) -> tuple[Any, float, int]:
    """The sums of wrong predictions and of the errors of numbers in a pass, the weight of its rows, its mistakes."""
    wrong = numbers[units * parts :]
    return wrong[:4], float(wrong[4]), int(wrong[5])


def branches_of(pages: Sequence[Any], n_pieces: int) -> list[list[tuple[int, Any]]]:
    """The shards in branches of the tree: 2**k neighbours each, with the largest k that gives at least `n_pieces`.

    The size of a branch does not affect the result, only how many sums are sent.

    >>> [[k for k, _ in branch] for branch in branches_of("abcdefghij", 3)]
    [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]
    """
    shards = [(k, spans) for k, spans in enumerate(pages) if spans]
    size = 1
    while len(shards) >= 2 * size * n_pieces:
        size *= 2
    return [shards[first : first + size] for first in range(0, len(shards), size)]
