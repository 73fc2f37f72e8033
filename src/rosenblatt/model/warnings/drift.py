"""How far new examples differ from those that a model was learned from: by scores, columns of numbers, and words.

Scores are compared by the population stability index, the sum of (p - q) log(p / q) over bins. These are tenths of the
scores of examples that the model was learned from, or the classes it decided for. Below 0.1 the distributions are
alike, above 0.25 they differ much (Siddiqi 2006). There are two references (`reference_scores`), and the nearer one
counts: where new scores are like either, the examples have not changed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any

from rosenblatt.lazy import np
from rosenblatt.model.model import Model
from rosenblatt.model.probabilities.reference_scores import FEWEST, Reference, compared
from rosenblatt.records import Csr, FeatureSpace, Floats

if TYPE_CHECKING:
    from rosenblatt.model.predict import PredictedBlock

_SAMPLED = 1 << 13  # examples, and up to twice as many, whose scores are compared
_HANDFUL = 20  # with fewer examples, the share of new words says little
SOME, MUCH = 0.1, 0.25
_MOVED = 0.5  # standard deviations by which the mean of a column must move to be mentioned


@dataclass(frozen=True)
class Drift:
    """How far new examples are from those that the model was learned from."""

    index: float  # the population stability index of the scores
    examples: int
    column: str | None = None  # the column of numbers whose mean has moved most
    deviations: float = 0.0  # how far, in standard deviations

    @property
    def words(self) -> str:
        """One line for a person."""
        size = "much: the scores are unlike" if self.index >= MUCH else "some: the scores have moved from"
        size = size if self.index >= SOME else "little: the scores are like"
        line = f"{size} those at fit (stability index {self.index:.2f}; above {MUCH} is much)"
        if self.column is None or abs(self.deviations) < _MOVED:
            return line
        higher = "higher" if self.deviations > 0 else "lower"
        return f"{line}; the mean of {self.column} is {abs(self.deviations):.1f} deviations {higher}"


@dataclass(frozen=True)
class NewWords:
    """How many of the words and phrases of new examples the model has no weight for."""

    unknown: int
    total: int

    @property
    def words(self) -> str:
        share = f"{self.unknown / self.total:.1%} of the words and phrases ({self.unknown:,} of {self.total:,})"
        return f"{share} are new to the model and add nothing to the score"


class Watch:
    """Collects statistics of new examples and their predictions, block by block."""

    def __init__(self, model: Model) -> None:
        self._model = model
        references = (getattr(model, name, None) for name in ("reference", "final_reference"))
        self._references: list[Reference] = [reference for reference in references if reference is not None]
        self._sample = _Sample() if self._references else None
        self._rows = 0
        self._entries = self._unknown = 0
        n_numbers = _scaled_numbers(model.space)
        self._sums: Floats | None = np.zeros(n_numbers) if n_numbers else None

    def add(self, block: PredictedBlock) -> None:
        values = block.block.values
        self._rows += values.shape[0]
        if self._sample is not None:
            self._sample.add(compared(self._model, block.buffers[1]))
        if isinstance(values, Csr) and self._model.space.bits:
            unknown = self._model.unknown_entries(values)
            if unknown is not None:
                self._entries, self._unknown = self._entries + values.entries, self._unknown + unknown
        if self._sums is not None:
            self._sums += _column_sums(values, len(self._sums))

    def drift(self) -> Drift | None:
        """None with few examples, and for a model without the scores to compare with."""
        if self._sample is None or len(self._sample.numbers) < FEWEST:
            return None
        index = min(
            stability_index(reference.shares, reference.examples, _counts(reference, self._sample.numbers))
            for reference in self._references
        )
        column, deviations = self._moved_most()
        return Drift(index, self._rows, column, deviations)

    def _moved_most(self) -> tuple[str | None, float]:
        if self._sums is None or not self._rows:
            return None, 0.0
        settings = self._model.space.settings
        means = (self._sums / self._rows).tolist()
        # Dates are always later than those learned from.
        means = [0.0 if settings["numbers"][j] in settings.get("dates", {}) else mean for j, mean in enumerate(means)]
        most = max(range(len(means)), key=lambda j: abs(means[j]))
        return settings["numbers"][most], means[most]

    @property
    def new_words(self) -> NewWords | None:
        """None if words are not hashed, and with few examples."""
        return NewWords(self._unknown, self._entries) if self._entries and self._rows >= _HANDFUL else None

    def warnings(self) -> list[str]:
        """A sentence if the scores have moved much."""
        drift = self.drift()
        if drift is None or drift.index < MUCH:
            return []
        return [f"these examples are not like those that the model was learned from. Drift: {drift.words}."]


def stability_index(shares: Sequence[float], n_reference: int, counts: Sequence[int]) -> float:
    """The index, minus its expected value by chance alone: about (bins - 1) (1/n + 1/m) for n and m examples.

    >>> round(stability_index([0.5, 0.5], 10_000, [5_000, 5_000]), 3)
    0.0
    >>> round(stability_index([0.5, 0.5], 10_000, [9_000, 1_000]), 2)
    0.88
    """
    bins, n = len(shares), sum(counts)
    total = 0.0
    for share, count in zip(shares, counts, strict=True):
        p = (share * n_reference + 0.5) / (n_reference + 0.5 * bins)
        q = (count + 0.5) / (n + 0.5 * bins)
        total += (q - p) * log(q / p)
    return max(0.0, total - (bins - 1) * (1 / n + 1 / n_reference))


class _Sample:
    """Some of the examples, evenly spread over all of them, in whatever blocks they come: one of every `stride`."""

    def __init__(self) -> None:
        self.numbers: list[Any] = []
        self._stride, self._rows = 1, 0

    def add(self, numbers: Any) -> None:
        self.numbers += numbers[-self._rows % self._stride :: self._stride].tolist()
        self._rows += len(numbers)
        while len(self.numbers) > 2 * _SAMPLED:
            self.numbers = self.numbers[::2]
            self._stride *= 2


def _counts(reference: Reference, numbers: Sequence[Any]) -> list[int]:
    """How many are in each bin: between edges, or of each class."""
    counts = [0] * len(reference.shares)
    has_edges = len(counts) == len(reference.edges) + 1
    for number in numbers:
        counts[bisect_right(reference.edges, number) if has_edges else number] += 1
    return counts


def _scaled_numbers(space: FeatureSpace) -> int:
    """How many columns of numbers have mean 0 and deviation 1 in the data that the model was learned from."""
    if space.kind != "columns" or space.scale is None:
        return 0
    return len(space.settings.get("numbers", ()))


def _column_sums(values: Any, n_columns: int) -> Floats:
    if not isinstance(values, Csr):
        sums: Floats = np.asarray(values)[:, :n_columns].sum(axis=0)
        return sums
    used = slice(int(values.indptr[0]), int(values.indptr[-1]))
    columns, numbers = values.indices[used], values.values[used]
    mask = columns < n_columns
    of_columns: Floats = np.bincount(columns[mask], numbers[mask], n_columns).astype(np.float64)
    return of_columns
