"""The scores of examples that a model had not learned, in ten bins, with which new scores are compared for drift."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import Any, NamedTuple

from rosenblatt.learn.multiclass_schemes import class_scores
from rosenblatt.model.model import Model
from rosenblatt.records import HonestScores
from rosenblatt.storage.checked_header import Header, damaged

_BINS = 10
FEWEST = 100  # examples, to compare their scores


class Reference(NamedTuple):
    """The share of scores in each bin, for examples that the model had not learned when it scored them.

    With two classes the bins are between the edges; with more, each class is a bin.
    """

    edges: tuple[float, ...]
    shares: tuple[float, ...]
    examples: int

    def pack(self) -> dict[str, Any]:
        return {"edges": list(self.edges), "shares": list(self.shares), "examples": self.examples}


def reference_of(honest: HonestScores, model: Model) -> Reference | None:
    """The reference of a model; None if there are too few examples to compare with.

    Of scores given while it learned, the second half is used, as the first ones come from a model that knew little.
    """
    first = len(honest) // 2 if honest.kind == "progressive" else 0
    n = len(honest) - first
    if n < FEWEST:
        return None
    if len(model.classes) > 2:
        decided = model.decided(honest.scores).tolist()[first:]
        return Reference((), tuple(decided.count(k) / n for k in range(len(model.classes))), n)
    scores = sorted(memoryview(class_scores(model.scheme, honest.scores, 2)).cast("B").cast("d").tolist()[first:])
    edges = tuple(sorted({scores[k * n // _BINS] for k in range(1, _BINS)}))
    ends = [0, *(bisect_left(scores, edge) for edge in edges), n]
    return Reference(edges, tuple((end - start) / n for start, end in pairwise(ends)), n)


def unpack_reference(header: Header, n_classes: int) -> Reference:
    edges, shares = header.numbers("edges"), header.numbers("shares")
    n_bins = len(edges) + 1 if n_classes == 2 else n_classes
    if len(shares) != n_bins or edges != sorted(set(edges)) or not all(0 <= share <= 1 for share in shares):
        raise damaged("the scores to compare with are not shares of bins")
    return Reference(tuple(edges), tuple(shares), header.count("examples"))
