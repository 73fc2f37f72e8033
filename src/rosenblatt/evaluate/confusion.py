"""Scores from a confusion matrix: accuracy, and precision, recall and F1 of every class and on average.

`table[i, j]` is the weight of the examples of class i that were predicted as j; a last row, if there is one more than
there are columns, is for examples of no class. `n` is the effective sample size, so that the intervals of weighted
examples are wide enough.
"""

from dataclasses import dataclass

import numpy as np

from rosenblatt.evaluate.confidence_intervals import Estimate, normal, wilson
from rosenblatt.records import Floats, Label


@dataclass(frozen=True)
class ClassScores:
    """One class: `precision` is the share of right ones among its predictions, `recall` among its examples."""

    label: Label
    support: float  # the weight of its examples; without weights, their number
    precision: Estimate
    recall: Estimate
    f1: Estimate


def accuracy(table: Floats, n: float) -> Estimate:
    """The share of right predictions, with Wilson's interval."""
    return wilson(share_of(float(np.trace(table)), float(table.sum())), n)


def of_class(table: Floats, n: float, k: int, label: Label) -> ClassScores:
    """Precision, recall and F1 of class k, with Wilson's intervals.

    F1 = 2J/(1+J) rises with J = hits / (examples that are of class k or predicted as it), so its interval is that of J,
    mapped. A share without a denominator is 0.
    """
    per_weight = n / total if (total := float(table.sum())) > 0 else 0.0
    hit, decided, real = float(table[k, k]), float(table[:, k].sum()), float(table[k].sum())
    either = decided + real - hit
    overlap = wilson(share_of(hit, either), either * per_weight)
    f1 = Estimate(*(2 * j / (1 + j) for j in (overlap.value, overlap.low, overlap.high)))
    return ClassScores(
        label,
        real,
        wilson(share_of(hit, decided), decided * per_weight),
        wilson(share_of(hit, real), real * per_weight),
        f1,
    )


def macro(table: Floats, n: float) -> tuple[Estimate, Estimate, Estimate]:
    """Precision, recall and F1, each the plain mean over the classes.

    The cells are multinomial shares p, so a smooth function of them with slopes g has, for large n, the variance
    (sum of p g^2 - (sum of p g)^2) / n: the delta method.
    """
    share = table / max(float(table.sum()), 1e-300)
    classes = table.shape[1]
    hits, real, decided = np.diagonal(share), share.sum(axis=1)[:classes], share.sum(axis=0)
    return (
        _delta(share, *_ratio(hits, decided, len(table), by_row=0.0, by_column=1.0), n),
        _delta(share, *_ratio(hits, real, len(table), by_row=1.0, by_column=0.0), n),
        _delta(share, *_ratio(2 * hits, real + decided, len(table), by_row=1.0, by_column=1.0, top=2.0), n),
    )


def _ratio(
    tops: Floats, bottoms: Floats, n_rows: int, *, by_row: float, by_column: float, top: float = 1.0
) -> tuple[Floats, Floats]:
    """Each class's top/bottom, and the slopes of their sum in every cell of the table.

    A cell (i, j) is in the bottom of class i `by_row` times and in that of class j `by_column` times; a cell on the
    diagonal is `top` times in the top of its class.
    """
    defined = bottoms > 0
    safe = np.where(defined, bottoms, 1.0)
    values = np.where(defined, tops / safe, 0.0)
    falls = np.where(defined, tops / safe**2, 0.0)
    falls_of_row = np.pad(falls, (0, n_rows - len(falls)))
    slopes = -(by_row * falls_of_row[:, None] + by_column * falls[None, :])
    slopes[np.diag_indices(len(tops))] += np.where(defined, top / safe, 0.0)
    return values, slopes


def _delta(share: Floats, values: Floats, slopes: Floats, n: float) -> Estimate:
    variance = float((share * slopes**2).sum() - (share * slopes).sum() ** 2) / max(n, 1.0) / len(values) ** 2
    return normal(float(values.mean()), max(variance, 0.0) ** 0.5)


def share_of(part: float, total: float) -> float:
    return part / total if total > 0 else 0.0
