"""The answer of a run: which weights it kept, and how they score and decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosenblatt import native
from rosenblatt.lazy import np
from rosenblatt.records import Floats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rosenblatt.learn.votes import Votes


@dataclass(frozen=True)
class FinalWeights:
    """One hyperplane per unit, and the voters where all the hyperplanes of the run have a say."""

    coef: Floats
    intercept: Floats
    scheme: str
    votes: Votes | None = None


def scores(answer: FinalWeights, rows: native.Rows, order: NDArray[np.uint32] | None = None) -> Floats:
    """One score per row and unit; with votes, the votes for minus those against, between -1 and 1."""
    if answer.votes is not None:
        return answer.votes.scores(rows, order)
    return native.scores(rows, order, answer.coef, answer.intercept)


def decide(scheme: str, unit_scores: Any, classes: int) -> NDArray[np.intp]:
    """The index of the predicted class of each row; the positive class when the score is above 0."""
    return np.asarray(native.highest(by_class(scheme, unit_scores, classes)))


def by_class(scheme: str, unit_scores: Any, classes: int) -> Any:
    """Scores as `decision_function` gives them, as memory: one column for two classes, else one per class."""
    return native.majority(unit_scores, classes) if scheme == "ovo" else unit_scores


def pairs(classes: int) -> Sequence[tuple[int, int]]:
    """The pairs of one-vs-one units, in the order of the units."""
    return [(i, j) for i in range(classes) for j in range(i + 1, classes)]


def majority(unit_scores: Floats, classes: int) -> Floats:
    """Votes per class of one-vs-one units; summed scores, squeezed below half a vote, tell equal votes apart."""
    return np.asarray(native.majority(unit_scores, classes))
