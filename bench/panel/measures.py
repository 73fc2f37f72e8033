"""Accuracy, ROC AUC and log loss of one side on one test part, and their standard errors."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np


def measures(y: Any, decided: Any, scores: Any, proba: Any | None) -> dict[str, float]:
    """y and decided are positions in the classes; two classes have one score a row, more have one for each class."""
    accuracy = float(np.mean(y == decided))
    areas = [area(y == code, column) for code, column in class_columns(y, scores)]
    result = {
        "accuracy": accuracy,
        "accuracy_error": math.sqrt(accuracy * (1 - accuracy) / len(y)),
        "auc": float(np.mean([value for value, _ in areas])),
        "auc_error": math.sqrt(sum(error**2 for _, error in areas)) / len(areas),
    }
    if proba is not None:
        result["log_loss"] = log_loss(y, proba)
    return result


def class_columns(y: Any, scores: Any) -> Iterable[tuple[int, Any]]:
    """The classes that can be ranked (some rows are of it, some are not), with their scores."""
    columns = {1: scores} if scores.ndim == 1 else dict(enumerate(scores.T))
    return [(code, column) for code, column in columns.items() if 0 < np.sum(y == code) < len(y)]


def area(positive: Any, scores: Any) -> tuple[float, float]:
    """The area under the ROC curve, and its standard error by Hanley and McNeil (1982)."""
    from sklearn.metrics import roc_auc_score

    a = float(roc_auc_score(positive, scores))
    n, m = int(positive.sum()), int((~positive).sum())
    same = (n - 1) * (a / (2 - a) - a * a) + (m - 1) * (2 * a * a / (1 + a) - a * a)
    return a, math.sqrt(max(a * (1 - a) + same, 0.0) / (n * m))


def log_loss(y: Any, proba: Any) -> float:
    """Of rows of probabilities; one of 0 counts as the smallest step of a double."""
    right = np.asarray(proba)[np.arange(len(y)), y]
    return float(-np.mean(np.log(np.clip(right, np.finfo(float).eps, 1.0))))


def decide(scores: Any) -> Any:
    """The class with the largest score; of two classes the second where the score is above 0."""
    return (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
