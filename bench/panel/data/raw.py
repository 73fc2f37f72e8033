"""A data set as its user has it: cells, words and missing values as they are, and how it is split and written.

Tables become CSV with the label last (so that no option is needed to read them), sparse rows svmlight or Vowpal
Wabbit's text, texts lines of label, tab, text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

SUFFIX = {"table": "csv", "svmlight": "svm", "vw": "vw", "text": "tsv"}
TEST_SHARE = 0.3


@dataclass(frozen=True)
class Raw:
    """Examples: a DataFrame without the label, a CSR matrix, or an array of texts; labels are strings.

    `roles` names the columns of a table that a peer's user would treat by hand: ids are dropped, dates become numbers,
    texts tf-idf, codes (numbers that are names) one-hot. Our side is told nothing of it.
    """

    kind: str
    X: Any
    y: Any
    label: str = "label"
    roles: dict[str, tuple[str, ...]] = field(default_factory=dict)
    test: Raw | None = None

    def take(self, rows: Any) -> Raw:
        """Some of the examples, in the order of `rows`."""
        X = self.X.iloc[rows] if self.kind == "table" else self.X[rows]
        return replace(self, X=X, y=self.y[rows], test=None)

    def first(self, n_rows: int | None, seed: int = 0) -> Raw:
        """A random part of so many examples, in their order."""
        if n_rows is None or n_rows >= len(self.y):
            return replace(self, test=None)
        return self.take(np.sort(np.random.default_rng(seed).permutation(len(self.y))[:n_rows]))

    def write(self, path: Path) -> None:
        """The file that a user would have."""
        if self.kind == "table":
            self.X.assign(**{self.label: self.y}).to_csv(path, index=False)
        elif self.kind == "text":
            path.write_text("".join(f"{label}\t{text}\n" for label, text in zip(self.y, self.X, strict=True)))
        else:
            bar = " |" if self.kind == "vw" else ""
            path.write_text("".join(sparse_lines(self.X, [f"{label}{bar}" for label in self.y])))


@dataclass(frozen=True)
class DataSet:
    """Where the examples come from, and whether choices may be made on them (`tune`) or only checked (`confirm`)."""

    name: str
    mark: str
    read: Callable[[Path], Raw]
    n_splits: int = 3
    max_rows: int | None = None  # of each part, where the peers would need minutes

    def splits(self, raw: Raw) -> Iterator[tuple[Raw, Raw]]:
        """Training and test parts: the set's own, or stratified random ones in the order of the file."""
        from sklearn.model_selection import train_test_split

        if raw.test is not None:
            yield raw.first(self.max_rows), raw.test.first(self.max_rows)
            return
        for seed in range(self.n_splits):
            part = raw.first(self.max_rows, seed)
            rows = np.arange(len(part.y))
            train, test = train_test_split(rows, test_size=TEST_SHARE, random_state=seed, stratify=part.y)
            yield part.take(np.sort(train)), part.take(np.sort(test))


def sparse_lines(X: Any, labels: list[str]) -> Iterator[str]:
    """`label index:value ...`, features counted from 1."""
    X = X.tocsr().sorted_indices()
    for row, label in enumerate(labels):
        part = slice(X.indptr[row], X.indptr[row + 1])
        pairs = zip((X.indices[part] + 1).tolist(), X.data[part].tolist(), strict=True)
        yield f"{label} {' '.join(f'{index}:{value:.6g}' for index, value in pairs)}\n"
