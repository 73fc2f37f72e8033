"""Generated data for the workloads, from fixed seeds. Some labels are wrong, so that no epoch is ever clean."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

Array = np.ndarray[Any, Any]

WRONG = 0.05  # the fraction of labels that are changed


def flipped(rng: np.random.Generator, labels: Array, classes: int) -> Array:
    """The labels, a small fraction of them replaced at random."""
    wrong = rng.random(labels.size) < WRONG
    return np.where(wrong, rng.integers(0, classes, labels.size), labels)


def zipf_rows(rows: int, columns: int = 47_236, nonzeros: int = 65, seed: int = 0) -> tuple[sp.csr_matrix, Array]:
    """Word-like CSR rows of norm 1: a column is drawn with probability ~ 1/(rank + 10), rows differ in length."""
    rng = np.random.default_rng(seed)
    popularity = np.cumsum(1.0 / (np.arange(columns) + 10.0))
    names = rng.permutation(columns)
    lengths = np.maximum(1, rng.poisson(nonzeros * 1.05, rows))
    draws = np.searchsorted(popularity, rng.random(int(lengths.sum())) * popularity[-1])
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    shape = (rows, columns)
    X = sp.csr_matrix((rng.uniform(0.5, 1.5, draws.size), names[draws], indptr), shape=shape)
    X.sum_duplicates()
    X.data /= np.repeat(np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel()), np.diff(X.indptr))
    score = X @ rng.standard_normal(columns)
    return X, flipped(rng, (score > 0).astype(np.int64), 2)


def gaussian_rows(rows: int, columns: int, seed: int = 0) -> tuple[Array, Array]:
    """Dense normal numbers, two classes on the sides of a random plane."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    return X, flipped(rng, (X @ rng.standard_normal(columns) > 0).astype(np.int64), 2)


def smooth(rng: np.random.Generator, count: int, side: int) -> Array:
    """Random fields with a correlation of a few pixels, dark towards the border."""
    field = np.fft.fft2(rng.standard_normal((count, side, side)))
    frequency = np.fft.fftfreq(side)
    low = np.exp(-40.0 * (frequency[:, None] ** 2 + frequency[None, :] ** 2))
    position = np.linspace(-1.0, 1.0, side)
    distance = np.sqrt(position[:, None] ** 2 + position[None, :] ** 2)
    real: Array = np.fft.ifft2(field * low).real
    edged: Array = real / real.std() - 1.5 * distance**2
    return edged


def image_rows(rows: int, classes: int = 10, seed: int = 0) -> tuple[Array, Array]:
    """Images of 28 x 28 like handwritten digits: a fifth of the pixels are ink, in clusters, in (0, 1]."""
    rng = np.random.default_rng(seed)
    side, variants, step = 28, 30, 4096
    shapes = smooth(rng, classes * variants, side).reshape(classes * variants, -1)
    labels = rng.integers(0, classes, rows)
    chosen = labels * variants + rng.integers(0, variants, rows)
    X = np.empty((rows, side * side))
    for first in range(0, rows, step):
        part = slice(first, min(first + step, rows))
        field = shapes[chosen[part]] + 0.6 * smooth(rng, part.stop - part.start, side).reshape(-1, side * side)
        level = np.quantile(field, 0.81, axis=1, keepdims=True)
        X[part] = np.clip((field - level) * 1.5, 0.0, 1.0)
    return X, flipped(rng, labels, classes)


def full_rows(rows: int, columns: int = 784, classes: int = 10, seed: int = 0) -> tuple[Array, Array]:
    """Rows of the same shape without a single zero: normal numbers around the mean of their class."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, rows)
    X = rng.standard_normal((rows, columns))
    X += 0.12 * rng.standard_normal((classes, columns))[labels]
    return X, flipped(rng, labels, classes)
