"""Small data are read in a second way, and learned again; cross-validation says which reading is better.

Texts are read without pairs of words, which are noise if their order means little: each pair has a weight of its own
and few texts to learn it from. Tables are read without logarithms, which limit the influence of very large values but
hide the difference of two such columns.
"""

from __future__ import annotations

import math
from array import array
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from rosenblatt import native
from rosenblatt.model.probabilities.calibration import honest_losses
from rosenblatt.records import logs_of

if TYPE_CHECKING:
    from rosenblatt.learn.files.passes import Fitting
    from rosenblatt.readers.source import ReadOptions

Kind: TypeAlias = Literal["single words", "plain numbers"]
KINDS: tuple[Kind, ...] = ("single words", "plain numbers")
_SURE = 2.0  # standard errors by which the log loss of the other reading must be less


class OtherReading(NamedTuple):
    """Another way to read the same examples, and the log loss of the rows left out, in this way and by default."""

    kind: Kind
    columns: tuple[str, ...]  # of a table, that were read in another way
    loss: float
    default_loss: float
    standard_error: float  # of the difference

    @property
    def is_better(self) -> bool:
        return self.default_loss - self.loss > _SURE * self.standard_error


def other_reading(kind: Kind, fitting: Fitting) -> ReadOptions | None:
    """How to read the same examples in another way; None if an option says how to read, or if a pass is too long."""
    source, reading = fitting.source, fitting.plan.reading
    if fitting.choice is None or not fitting.pass_is_short or fitting.sets is not None or fitting.number is not None:
        return None
    if not source.rewindable:
        return None
    if kind == "single words":
        has_pairs = reading.ngrams is None and source.space.ngrams > 1
        return reading._replace(ngrams=1) if has_pairs else None
    logs = tuple(f"number:{column}" for column in logs_of(source.space))
    return reading._replace(as_=(*reading.as_, *logs)) if logs else None


def compare(kind: Kind, other: Fitting, default: Fitting) -> OtherReading | None:
    """Compare both fits by their losses on the same held-out rows; None if they held out different ones."""
    if other.honest_scores is None or default.honest_scores is None or other.classes != default.classes:
        return None
    if other.honest_scores.truth.tolist() != default.honest_scores.truth.tolist():
        return None
    losses, default_losses = _losses(other), _losses(default)
    difference, standard_error = native.mean_difference(losses, default_losses)
    loss = math.fsum(losses) / len(losses)
    columns = tuple(logs_of(default.source.space)) if kind == "plain numbers" else ()
    return OtherReading(kind, columns, loss, loss - difference, standard_error)


def _losses(fitting: Fitting) -> array[float]:
    assert fitting.honest_scores is not None
    settings, n_classes = fitting.winner.settings, len(fitting.classes)
    return honest_losses(fitting.honest_scores, settings.scheme(n_classes), n_classes, settings.loss)
