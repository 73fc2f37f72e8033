"""svmlight with features of very different sizes: rows that have most of a few features are learned better as a scaled
dense table.

Sparse rows, and features that are alike in size, are not changed, at no cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain

from rosenblatt.lazy import np
from rosenblatt.readers.formats.svmlight.svmlight import SvmlightSource
from rosenblatt.readers.source import SourceWrapper
from rosenblatt.readers.table.scale import Scaling, scaling_of
from rosenblatt.records import Csr, FeatureSpace, Floats, SourceBlock, Values

_HEAD_CELLS = 1 << 21  # 16 MB of numbers, as the head of a table


class ScaledSvmlight(SourceWrapper):
    """The rows as a dense matrix, shifted and scaled by the first rows, or as the model was."""

    def __init__(self, source: SvmlightSource) -> None:
        super().__init__(source, source.rewindable)
        self._scaling: Scaling | None = None
        space = source.model_space
        if space is not None and space.shift is not None and space.scale is not None:
            self._scaling = Scaling(space.shift, space.scale)

    @property
    def space(self) -> FeatureSpace:
        space = self._source.space
        if self._scaling is None or space.shift is not None:
            return space
        return replace(space, shift=self._scaling.shift, scale=self._scaling.scale)

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        blocks, head = self._source.blocks(threads), []
        if self._scaling is None:
            n_cells = 0
            for block in blocks:
                head.append(block)
                n_cells += block.values.shape[0] * block.values.shape[1]
                if n_cells >= _HEAD_CELLS:
                    break
            n_features = max((block.values.shape[1] for block in head), default=0)
            self._scaling = scaling_of([_dense(block.values, n_features) for block in head], n_features)
        for block in chain(head, blocks):
            labels, weights = block.buffers
            yield SourceBlock(
                _scaled(block.values, self._scaling),
                labels,
                weights,
                block.first_row,
                block.bytes_read,
                targets=block.target_buffer,
            )


def as_scaled_rows(space: FeatureSpace) -> Callable[[Values], Floats] | None:
    """A function that scales sparse rows as a model with this space does; None if it does not scale."""
    if space.shift is None or space.scale is None:
        return None
    scaling = Scaling(space.shift, space.scale)
    return lambda values: _scaled(values, scaling)


def _scaled(values: Values, scaling: Scaling) -> Floats:
    """The rows as a scaled dense matrix; features that did not occur in the first rows are not scaled."""
    n_known = len(scaling.shift)
    dense = _dense(values, max(n_known, values.shape[1]))
    dense[:, :n_known] = scaling.apply(dense[:, :n_known])
    return dense


def _dense(values: Values, n_features: int) -> Floats:
    assert isinstance(values, Csr)
    rows = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
    dense: Floats = np.zeros((values.shape[0], n_features))
    dense[rows, values.indices] = values.values
    return dense
