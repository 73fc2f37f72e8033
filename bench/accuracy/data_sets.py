"""Real data sets for the accuracy table, read from a folder and split into training and test examples.

The folder is given on the command line. A set whose files are missing is left out of the table. Parsed sets are cached
as npz files in the temporary folder of the machine, so that they are parsed only once.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from bench.accuracy.read_sets import (
    Examples,
    Labels,
    Matrix,
    Reader,
    census,
    covertype,
    images,
    svmguide,
    svmlight,
    table,
    vowpal_text,
    words,
)

CACHE = Path(tempfile.gettempdir()) / "rosenblatt-bench-sets"


@dataclass(frozen=True)
class DataSet:
    """A data set: how to read it and how to split it. Without a test part, ``repeats`` random quarters are the test."""

    name: str
    read: Reader
    repeats: int = 1
    scale: bool = False

    def load(self, folder: Path) -> Examples:
        """The examples, from the cache if they were read before."""
        path = CACHE / f"{self.name.replace('/', '-')}.npz"
        if not path.exists():
            CACHE.mkdir(parents=True, exist_ok=True)
            write_npz(path, self.read(folder))
        return read_npz(path)

    def splits(self, examples: Examples) -> Iterator[tuple[Matrix, Labels, Matrix, Labels]]:
        """Training and test parts; if the set asks for scaling, it uses the training part alone."""
        from sklearn.model_selection import train_test_split

        if examples.X_test is not None and examples.y_test is not None:
            yield examples.X, examples.y, examples.X_test, examples.y_test
            return
        for seed in range(self.repeats):
            X, X_test, y, y_test = train_test_split(
                examples.X, examples.y, test_size=0.25, random_state=seed, stratify=examples.y
            )
            if self.scale:
                X, X_test = standardised(X, X_test)
            yield X, y, X_test, y_test


def standardised(X: Matrix, X_test: Matrix) -> tuple[Matrix, Matrix]:
    """Mean 0 and variance 1 in every column of the training part; the test part is transformed the same way."""
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit(X)
    return scaler.transform(X), scaler.transform(X_test)


def write_npz(path: Path, examples: Examples) -> None:
    """Save the examples in one npz file; a CSR matrix as its three arrays."""
    arrays: dict[str, Any] = {"y": examples.y}
    if examples.y_test is not None:
        arrays["y_test"] = examples.y_test
    for key in ("X", "X_test"):
        matrix = getattr(examples, key)
        if sp.issparse(matrix):
            arrays |= {f"{key}_{part}": getattr(matrix, part) for part in ("data", "indices", "indptr", "shape")}
        elif matrix is not None:
            arrays[key] = matrix
    partial = path.with_suffix(".partial.npz")
    np.savez(partial, **arrays)
    partial.replace(path)


def read_npz(path: Path) -> Examples:
    """The inverse of :func:`write_npz`."""
    with np.load(path) as stored:
        arrays = {key: stored[key] for key in stored.files}

    def matrix(key: str) -> Matrix:
        if f"{key}_data" not in arrays:
            return arrays.get(key)
        parts = tuple(arrays[f"{key}_{part}"] for part in ("data", "indices", "indptr"))
        return sp.csr_matrix(parts, shape=tuple(arrays[f"{key}_shape"]))

    return Examples(matrix("X"), arrays["y"], matrix("X_test"), arrays.get("y_test"))


SMALL: dict[str, Reader] = {
    "BreastCancer": table("small/BreastCancer.csv.gz", drop=("Id",)),
    **{name: table(f"small/{name}.csv.gz") for name in ("Ionosphere", "PimaIndiansDiabetes", "Sonar", "musk", "spam")},
    "banknote": table("small/data_banknote_authentication.txt", header=False),
}

SETS: tuple[DataSet, ...] = (
    DataSet("mail count", words("mail/train.tsv.gz", "mail/test.tsv.gz", "count")),
    DataSet("mail tfidf", words("mail/train.tsv.gz", "mail/test.tsv.gz", "tfidf")),
    DataSet("mnist", images("mnist")),
    DataSet("fashion-mnist", images("fashion-mnist")),
    DataSet("a9a", svmlight("a9a/a9a.gz", "a9a/a9a.t.gz")),
    DataSet("w8a", svmlight("w8a/w8a.gz")),
    DataSet("agaricus", svmlight("agaricus/agaricus.txt.train.gz", "agaricus/agaricus.txt.test.gz")),
    DataSet("heart_scale", svmlight("heart_scale/heart_scale"), repeats=10),
    *(DataSet(name, read, repeats=10, scale=True) for name, read in SMALL.items()),
    DataSet("rcv1_small", vowpal_text("vw/rcv1_small.dat.gz"), repeats=10),
    DataSet("sofia", svmlight("sofia/demo.train.gz", "sofia/demo.test.gz")),
    DataSet("20news count", words("20newsgroups/20ng-train.tsv.gz", "20newsgroups/20ng-test.tsv.gz", "count", True)),
    DataSet("20news tfidf", words("20newsgroups/20ng-train.tsv.gz", "20newsgroups/20ng-test.tsv.gz", "tfidf", True)),
    DataSet("census-kdd", census(scaled=True)),
    DataSet("census-kdd 510", census(scaled=True, weight=False)),
    DataSet("covtype", covertype, scale=True),
    DataSet("svmguide3", svmguide, repeats=10),
    DataSet("w1a", svmlight("libol/w1a"), repeats=10),
)

# The same tables without scaling: harder for every online learner, but common in practice.
RAW_SETS: tuple[DataSet, ...] = (
    *(DataSet(f"{name} raw", read, repeats=10) for name, read in SMALL.items()),
    DataSet("census-kdd raw", census(scaled=False)),
    DataSet("census-kdd raw 510", census(scaled=False, weight=False)),
    DataSet("covtype raw", covertype),
)
