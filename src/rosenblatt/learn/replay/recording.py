"""What a recorded run learned from, and where it began: enough to replay it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Block, Floats


@dataclass(frozen=True)
class RecordedFit:
    """The examples of one `fit`, visited from the t-th visit of the run on; `training` names the rows not held out."""

    t: int
    block: Block
    training: NDArray[np.uint32] | None

    def is_same(self, block: Block, training: NDArray[np.uint32] | None) -> bool:
        """Are these the same examples, so that the fit only continues?"""
        return (
            self.block.values is block.values
            and _equal(self.block.labels, block.labels)
            and _equal(self.block.weights, block.weights)
            and _equal(self.block.targets, block.targets)
            and _equal(self.training, training)
        )


@dataclass(frozen=True)
class Recording:
    """The start of a run and the examples of each `fit`, which are referred to, not copied."""

    settings: Settings
    class_weight: Floats
    start: tuple[Floats, Floats]
    random: int
    dense: bool
    fits: tuple[RecordedFit, ...] = field(default=(), repr=False)

    def with_fit(self, t: int, block: Block, training: NDArray[np.uint32] | None) -> Recording:
        if self.fits and self.fits[-1].is_same(block, training):
            return self
        return replace(self, fits=(*self.fits, RecordedFit(t, block, training)))


def _equal(a: NDArray[Any] | None, b: NDArray[Any] | None) -> bool:
    if a is None or b is None:
        return a is b
    return np.array_equal(a, b)
