"""The scores of examples that a model was learned from, in ten bins, with which new scores are compared for drift.

There are two references. Scores that examples had before they were learned are like those of new examples, unless the
weights have changed much since. Scores that the last examples have by the final weights are like those of new examples,
unless the weights fit the examples that they were learned from better than others.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from rosenblatt.learn.multiclass_schemes import class_scores
from rosenblatt.model.model import Model
from rosenblatt.records import HonestScores
from rosenblatt.storage.checked_header import Header, damaged

if TYPE_CHECKING:
    from rosenblatt.learn.files.last_examples import LastExamples

_BINS = 10
FEWEST = 100  # examples, to compare their scores


class Reference(NamedTuple):
    """The share of scores in each bin.

    With two classes the bins are between the edges; with more, each class is a bin.
    """

    edges: tuple[float, ...]
    shares: tuple[float, ...]
    examples: int

    def pack(self) -> dict[str, Any]:
        return {"edges": list(self.edges), "shares": list(self.shares), "examples": self.examples}


def reference_of(honest: HonestScores, model: Model) -> Reference | None:
    """By the scores of examples that were not yet learned; None if there are too few to compare with.

    Of scores given while it learned, the second half is used, as the first ones come from a model that knew little.
    """
    first = len(honest) // 2 if honest.kind == "progressive" else 0
    return _in_bins(compared(model, honest.scores)[first:].tolist(), model)


def final_reference_of(last: LastExamples, model: Model) -> Reference | None:
    """By the scores that the last examples have now."""
    return _in_bins(last.scores(lambda values: compared(model, model.unit_scores(values))), model)


def compared(model: Model, unit_scores: Any) -> Any:
    """What is compared of each example, one number each: of two classes its score, of more the one decided for."""
    several = len(model.classes) > 2
    numbers = memoryview(model.decided(unit_scores) if several else class_scores(model.scheme, unit_scores, 2))
    letter: Literal["q", "d"] = "q" if several else "d"
    return numbers.cast("B").cast(letter) if numbers.nbytes else array(letter)  # an empty view cannot be cast


def _in_bins(numbers: list[Any], model: Model) -> Reference | None:
    n = len(numbers)
    if n < FEWEST:
        return None
    if len(model.classes) > 2:
        return Reference((), tuple(numbers.count(k) / n for k in range(len(model.classes))), n)
    scores = sorted(numbers)
    edges = tuple(sorted({scores[k * n // _BINS] for k in range(1, _BINS)}))
    ends = [0, *(bisect_left(scores, edge) for edge in edges), n]
    return Reference(edges, tuple((end - start) / n for start, end in pairwise(ends)), n)


def unpack_reference(header: Header, n_classes: int) -> Reference:
    edges, shares = header.numbers("edges"), header.numbers("shares")
    n_bins = len(edges) + 1 if n_classes == 2 else n_classes
    if len(shares) != n_bins or edges != sorted(set(edges)) or not all(0 <= share <= 1 for share in shares):
        raise damaged("the scores to compare with are not shares of bins")
    return Reference(tuple(edges), tuple(shares), header.count("examples"))
