"""Examples that are hard to learn: their columns say nearly the same."""

from typing import Any

import numpy as np


def nearly_alike(n: int, columns: int = 6, classes: int = 2) -> tuple[Any, Any]:
    """Columns that say nearly the same, and classes that differences between them nearly separate."""
    draw = np.random.default_rng(classes)
    X = (draw.normal(size=(n, 1)) + 0.05 * draw.normal(size=(n, columns))).round(4)
    X = ((X - X.mean(axis=0)) / X.std(axis=0)).round(4)
    differences = draw.normal(size=(columns, classes - 1))
    scores = 60 * X @ (differences - differences.mean(axis=0))
    noisy = np.hstack([np.zeros((n, 1)), scores]) + draw.gumbel(size=(n, classes))
    return X, noisy.argmax(axis=1)
