"""Numbers to predict, centred and scaled: the rules expect targets around 0 with a spread of about 1."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

from rosenblatt import native
from rosenblatt.errors import DataError, option
from rosenblatt.lazy import np
from rosenblatt.readers.source import Source
from rosenblatt.records import Block, Floats, Label, ParsedBlock, SourceBlock

_ROWS_MEASURED = 1000
_MOST_SAMPLED = 1 << 20


class TargetScale(NamedTuple):
    """A target is learned as (target - centre) / width; the width is a power of two."""

    centre: float = 0.0
    width: float = 1.0

    def inside(self, targets: Floats) -> Floats:
        return (targets - self.centre) / self.width

    def outside(self, scores: Floats) -> Floats:
        return scores * self.width + self.centre


def scale_of(targets: Iterable[float]) -> TargetScale:
    """The scale of the first targets. The width is rounded to a power of two and the centre to a multiple of it, so
    that the result depends little on which rows come first; the bias learns the rest.

    >>> scale_of([100.0, 110.0, 120.0]), scale_of([7.0, 7.0]), scale_of([])
    (TargetScale(centre=112.0, width=8.0), TargetScale(centre=7.0, width=8.0), TargetScale(centre=0.0, width=1.0))
    """
    first = list(islice(targets, _ROWS_MEASURED))
    if not first:
        return TargetScale()
    mean = math.fsum(first) / len(first)
    deviation = math.sqrt(math.fsum((target - mean) ** 2 for target in first) / len(first))
    if deviation <= abs(mean) * 1e-12:
        return TargetScale(first[0], 2.0 ** round(math.log2(abs(mean))) if mean else 1.0)
    width = 2.0 ** round(math.log2(deviation))
    return TargetScale(round(mean / width) * width, width)


class TargetTally:
    """The range, mean, median and spread of the targets that are learned."""

    def __init__(self) -> None:
        self.least, self.largest = math.inf, -math.inf
        self.weight = self.total = self.squares = 0.0  # squares of the scaled targets
        self.sample = array("d")  # of scaled targets, for the median

    def add(self, targets: Floats, weights: Floats | None) -> None:
        if not len(targets):
            return
        self.least, self.largest = min(self.least, float(targets.min())), max(self.largest, float(targets.max()))
        weighed = targets if weights is None else weights * targets
        self.weight = self.weight + len(targets) if weights is None else _added(self.weight, weights)
        self.total = _added(self.total, weighed)
        self.squares = _added(self.squares, weighed * targets)
        if len(self.sample) < _MOST_SAMPLED:
            self.sample.frombytes(targets[: _MOST_SAMPLED - len(self.sample)].tobytes())

    @property
    def mean(self) -> float:
        return self.total / max(self.weight, 1e-300)

    @property
    def median(self) -> float:
        return float(np.median(np.asarray(self.sample))) if len(self.sample) else 0.0

    @property
    def squared_error(self) -> float:
        """The squared error of always guessing the mean."""
        return max(self.squares / max(self.weight, 1e-300) - self.mean**2, 0.0)

    @property
    def absolute_error(self) -> float:
        """The absolute error of always guessing the median; of very many examples, by the first of them."""
        return float(np.abs(np.asarray(self.sample) - self.median).mean()) if len(self.sample) else 0.0


def _added(total: float, numbers: Floats) -> float:
    """The sum, added one by one: the same bits on every machine, and however the rows are divided into blocks."""
    return float(np.add.accumulate(np.append(total, numbers))[-1])


class NumberCoder:
    """Gives each example its target, centred and scaled, where `ClassCoder` gives it a class."""

    classes: Sequence[Label] = ()
    sets = None

    def __init__(self, source: Source, scale: TargetScale) -> None:
        self.source, self.scale = source, scale
        self.tally = TargetTally()

    def codes(self, block: SourceBlock) -> tuple[memoryview, int]:
        """For each row 0, or -1 where it has no target; and the smallest of these."""
        codes, least = native.renumber_labels(block.buffers[0], [0])
        return codes, least

    def examples(self, block: SourceBlock, codes: Any) -> Block:
        targets = self.scale.inside(np.asarray(block.target_buffer))
        labels = np.maximum(np.asarray(codes), 0)
        present = np.asarray(codes) >= 0
        weights = block.weights
        counted = present if weights is None else present & (weights > 0)
        self.tally.add(targets[counted], None if weights is None else weights[counted])
        return ParsedBlock(block.values, labels, block.buffers[1], targets=targets)

    def order_of(self, examples: Block, codes: Any) -> Any:
        """1 for a target above the centre, 0 for others, -1 for a missing one: `LabelOrder` takes them for classes."""
        assert examples.targets is not None
        return np.where(np.asarray(codes) < 0, -1, examples.targets > 0).astype(np.int32)

    def refuse_equal(self) -> None:
        """DataError if all targets are the same, so that there is nothing to learn."""
        if self.tally.least < self.tally.largest:
            return
        value = self.scale.outside(np.array([self.tally.least]))[0]
        label = self.source.space.settings.get("label") if self.source.space.kind == "columns" else None
        hint = (
            f"; the label is column {label!r}: if that is wrong, name another with {option('label')}" if label else ""
        )
        raise DataError(
            f"{self.source.name}: every example has the target {value:.15g}, so there is nothing to learn{hint}.",
            file=self.source.name,
        )

    def refuse_unlabelled(self, block: SourceBlock, codes: list[int]) -> None:
        """An error that names the first row without a target."""
        row = block.first_row + codes.index(-1)
        raise DataError(
            f"{self.source.name}: example {row + 1} has no number to learn as its label: give it one, or leave such "
            f"rows out with {option('on_bad_row', 'skip')}.",
            file=self.source.name,
        )
