"""What a recorded run was shown, and where it began: enough to live through it again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rosenblatt.lazy import np
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Block, Floats

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class RecordedFit:
    """Examples visited from the run's t-th visit on; of a block with held-out rows only the training ones."""

    t: int
    block: Block
    training: NDArray[np.uint32] | None

    def is_same(self, block: Block, training: NDArray[np.uint32] | None) -> bool:
        """Would these examples only lengthen the chapter?"""
        return (
            self.block.values is block.values
            and _equal(self.block.labels, block.labels)
            and _equal(self.block.weights, block.weights)
            and _equal(self.training, training)
        )


@dataclass(frozen=True)
class Recording:
    """The start of a run and the examples of each `fit` that went on with it; they are referred to, not copied."""

    settings: Settings
    class_weight: Floats
    start: tuple[Floats, Floats]
    random: int
    dense: bool
    fits: tuple[RecordedFit, ...] = field(default=(), repr=False)

    def then(self, t: int, block: Block, training: NDArray[np.uint32] | None) -> Recording:
        if self.fits and self.fits[-1].is_same(block, training):
            return self
        return replace(self, fits=(*self.fits, RecordedFit(t, block, training)))


def _equal(one: NDArray[Any] | None, other: NDArray[Any] | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)
