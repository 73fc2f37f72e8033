"""A network as matrices: every unit has all inputs, any numbers, and the outputs of some of the units before it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rosenblatt import native
from rosenblatt.records import Floats

_BLOCK_SCORES = 1 << 20  # scores in memory at a time


@dataclass(frozen=True)
class Cascade:
    """Unit i scores coef[i].x + intercept[i] + the links (i, j, weight) of the units j < i that fire."""

    coef: Floats
    intercept: Floats
    links: tuple[tuple[tuple[int, float], ...], ...]
    outputs: tuple[int, ...]

    def scores(self, rows: native.Rows) -> Floats:
        """The score of each output unit on each row; it fires above 0."""
        scores: Floats = np.empty((rows.count, len(self.outputs)))
        size = max(1, _BLOCK_SCORES // max(1, len(self.coef)))
        for start in range(0, rows.count, size):
            block = np.arange(start, min(start + size, rows.count), dtype=np.uint32)
            scores[start : start + size] = self._resolve(native.scores(rows, block, self.coef, self.intercept))
        return scores

    def _resolve(self, scores: Floats) -> Floats:
        columns = scores.T.copy()
        for unit, links in enumerate(self.links):
            for source, weight in links:
                columns[unit][columns[source] > 0] += weight
        resolved: Floats = columns[list(self.outputs)].T
        return resolved

    @property
    def layers(self) -> NDArray[np.intp]:
        """The layer of each unit: 1 if it has only inputs."""
        depth = np.ones(len(self.coef), dtype=np.intp)
        for unit, links in enumerate(self.links):
            depth[unit] = 1 + max((depth[source] for source, _ in links), default=0)
        return depth
