"""Readers of the data sets: each takes the folder and returns the examples."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

Matrix = Any  # a float64 ndarray or a CSR matrix
Labels = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Examples:
    """A data set, with a separate test part or (``X_test is None``) to be split at random."""

    X: Matrix
    y: Labels
    X_test: Matrix | None = None
    y_test: Labels | None = None


Reader = Callable[[Path], Examples]


def open_bytes(path: Path) -> Any:
    """Open the file, decompressing it if its name ends in .gz."""
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def text_lines(path: Path, header: bool = False) -> tuple[list[str], list[str]]:
    """Labels and texts of a ``label<TAB>text`` file."""
    with open_bytes(path) as stream:
        lines = stream.read().decode("utf-8", "replace").splitlines()[int(header) :]
    pairs = [line.split("\t", 1) for line in lines if "\t" in line]
    return [label for label, _ in pairs], [text for _, text in pairs]


def words(train: str, test: str, weighing: str, header: bool = False) -> Reader:
    """A bag of words over a pair of text files: plain counts, or tf-idf."""

    def read(folder: Path) -> Examples:
        from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

        labels, texts = text_lines(folder / train, header)
        labels_test, texts_test = text_lines(folder / test, header)
        vectorizer = {"count": CountVectorizer, "tfidf": TfidfVectorizer}[weighing](dtype=np.float64)
        names, y = np.unique(labels, return_inverse=True)
        X = vectorizer.fit_transform(texts).tocsr()
        return Examples(X, y, vectorizer.transform(texts_test).tocsr(), np.searchsorted(names, labels_test))

    return read


def images(folder_name: str) -> Reader:
    """A pair of IDX image sets, grey levels divided by 255."""

    def idx(path: Path, skip: int) -> np.ndarray[Any, Any]:
        with open_bytes(path) as stream:
            return np.frombuffer(stream.read(), dtype=np.uint8, offset=skip)

    def read(folder: Path) -> Examples:
        parts: list[Any] = []
        for part in ("train", "t10k"):
            base = folder / folder_name
            pixels = idx(base / f"{part}-images-idx3-ubyte.gz", 16).reshape(-1, 784) / 255.0
            parts += [pixels, idx(base / f"{part}-labels-idx1-ubyte.gz", 8).astype(np.int64)]
        return Examples(*parts)

    return read


def svmlight(train: str, test: str | None = None) -> Reader:
    """One svmlight file, or a pair with the columns of the first."""

    def read(folder: Path) -> Examples:
        from sklearn.datasets import load_svmlight_file, load_svmlight_files

        if test is None:
            return Examples(*load_svmlight_file(str(folder / train)))
        return Examples(*load_svmlight_files([str(folder / train), str(folder / test)]))

    return read


def vowpal_text(name: str) -> Reader:
    """Vowpal Wabbit's text format in its simplest form: ``label |namespace index:value ...``."""

    def read(folder: Path) -> Examples:
        labels: list[float] = []
        rows: list[dict[str, float]] = []
        with open_bytes(folder / name) as stream:
            for line in stream.read().decode().splitlines():
                label, _, features = line.partition("|")
                labels.append(float(label.split()[0]))
                pairs = (item.partition(":") for item in features.split()[1:])
                rows.append({feature: float(value or 1.0) for feature, _, value in pairs})
        from sklearn.feature_extraction import DictVectorizer

        return Examples(DictVectorizer().fit_transform(rows).tocsr(), np.array(labels))

    return read


def table(name: str, drop: tuple[str, ...] = (), header: bool = True) -> Reader:
    """A CSV table whose last column is the label; an empty cell takes its column's median."""

    def read(folder: Path) -> Examples:
        import pandas as pd

        frame = pd.read_csv(folder / name, header=0 if header else None).drop(columns=list(drop))
        numbers = frame.iloc[:, :-1].apply(pd.to_numeric, errors="coerce")
        y = np.unique(frame.iloc[:, -1].astype(str), return_inverse=True)[1]
        return Examples(numbers.fillna(numbers.median()).to_numpy(np.float64), y)

    return read


def covertype(folder: Path) -> Examples:
    """The forest cover types: numbers and one-hot columns already in one array."""
    with np.load(folder / "covtype" / "covtype.npz") as stored:
        return Examples(stored["X"].astype(np.float64), stored["y"].astype(np.int64))


def svmguide(folder: Path) -> Examples:
    """svmguide3 of the LIBOL collection: the label is the first column."""
    from scipy.io import loadmat

    data = loadmat(folder / "libol" / "svmguide3.mat")["data"]
    return Examples(np.ascontiguousarray(data[:, 1:], dtype=np.float64), data[:, 0].astype(np.int64))


def census(scaled: bool, weight: bool = True) -> Reader:
    """Census income: every categorical column one-hot, numbers unchanged or divided by the largest of their column.

    ``weight`` keeps the column of how many people a row represents; the authors of the data say to leave it out.
    """
    numeric = (0, 5, 16, 17, 18, 24, 30, 39)
    used = numeric if weight else tuple(column for column in numeric if column != 24)

    def read(folder: Path) -> Examples:
        import pandas as pd
        from sklearn.compose import make_column_transformer
        from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder

        base = folder / "census-kdd"
        parts = [pd.read_csv(base / f"census-income.{part}.gz", header=None, dtype=str) for part in ("data", "test")]
        for part in parts:
            part[list(numeric)] = part[list(numeric)].astype(np.float64)
        categories = [column for column in range(41) if column not in numeric]
        columns = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), categories),
            (MaxAbsScaler() if scaled else "passthrough", list(used)),
            sparse_threshold=1.0,
        )
        X, X_test = (step(part) for step, part in zip((columns.fit_transform, columns.transform), parts, strict=True))
        y, y_test = ((part[41].str.contains("50000+", regex=False)).to_numpy(np.int64) for part in parts)
        return Examples(sp.csr_matrix(X), y, sp.csr_matrix(X_test), y_test)

    return read
