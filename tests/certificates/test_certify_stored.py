"""Points that are too many for memory: the same answers, with proofs that hold for all rows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import certify, read
from rosenblatt.certificates import certify_stored as search
from rosenblatt.certificates.certificate import Inseparable, Separable, Undecided
from rosenblatt.certificates.points.check_input import check_points
from rosenblatt.certificates.points.stored_points import StoredPoints
from rosenblatt.certificates.search.hull_search import SearchMonitor
from rosenblatt.errors import DataError
from rosenblatt.readers.cache import spill
from rosenblatt.readers.source import ReadOptions
from rosenblatt.readers.stored_examples import StoredExamples, read_or_store

GAP = 1e-6


@pytest.fixture(autouse=True)
def few_rows_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred rows at a time, and a cache that goes to its file at once."""
    monkeypatch.setattr(search, "_NUMBERS", 0)
    monkeypatch.setattr(search, "_ROWS", 100)
    monkeypatch.setattr(search, "_ADDED", 10)
    monkeypatch.setattr(spill, "IN_MEMORY", 1 << 12)


def cloud(n: int, width: float, seed: int = 0) -> tuple[Any, Any]:
    """Two classes with this much room between them; negative: they overlap."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, size=n)
    X = random.normal(size=(n, 4))
    X[:, 0] = np.where(y == 1, 1, -1) * (np.abs(X[:, 0]) + width)
    return X, y


def as_csv(path: Path, X: Any, y: Any) -> Path:
    rows = [",".join(map(repr, row)) + f",{label}" for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    path.write_text("\n".join(["a,b,c,d,kind", *rows]) + "\n")
    return path


def as_svmlight(path: Path, X: Any, y: Any) -> Path:
    rows = [
        " ".join([str(label), *(f"{j + 1}:{x!r}" for j, x in enumerate(row) if x > -1.5)])
        for row, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    path.write_text("\n".join(rows) + "\n")
    return path


@contextmanager
def stored(path: Path, **reading: Any) -> Iterator[StoredPoints]:
    with read_or_store(str(path), ReadOptions(**reading), in_memory=0) as examples:
        assert isinstance(examples, StoredExamples)
        yield StoredPoints(examples)


@pytest.mark.parametrize("write", [as_csv, as_svmlight])
@pytest.mark.parametrize(("width", "kind"), [(0.1, "separable"), (-0.3, "inseparable")])
def test_the_answer_is_that_of_points_in_memory(
    tmp_path: Path, write: Callable[[Path, Any, Any], Path], width: float, kind: str
) -> None:
    path = write(tmp_path / "data", *cloud(30_000, width))
    X, y = read(path)
    points, expected = check_points(X, y), certify(X, y)
    with stored(path) as all_rows:
        assert len(list(all_rows.parts())) > 1 or write is as_csv
        answer = search.certify_stored(all_rows, SearchMonitor(), gap=GAP)
        answer.check(all_rows)
    assert (answer.kind, expected.kind) == (kind, kind)
    answer.check(points)  # the digest and every claim, on all rows in memory
    if isinstance(answer, Separable) and isinstance(expected, Separable):
        assert answer.margin == pytest.approx(expected.margin, rel=2 * GAP)
        assert answer.augmented_margin == pytest.approx(expected.augmented_margin, rel=2 * GAP)
        assert answer.radius == expected.radius


def test_one_wrong_label_among_thousands_is_found(tmp_path: Path) -> None:
    """None of the first rows in memory shows it."""
    X, y = cloud(5000, 0.1)
    X[4321], y[4321] = [0.5, 0, 0, 0], 0
    with stored(as_csv(tmp_path / "data", X, y)) as points:
        assert 4321 not in search._first_rows(points)
        answer = search.certify_stored(points, SearchMonitor(), gap=GAP)
    assert isinstance(answer, Inseparable)
    assert 4321 in answer.rows
    answer.check(check_points(X, y))


def test_rows_are_taken_in_any_order(tmp_path: Path) -> None:
    X, y = cloud(2000, 0.1)
    rows = np.array([1999, 0, 77, 1500, 78])
    with stored(as_csv(tmp_path / "data", X, y)) as points:
        np.testing.assert_array_equal(points.take(rows), X[rows])
        assert list(points.exact_rows([5, 3])) == [points.exact_row(5), points.exact_row(3)]


def test_time_runs_out(tmp_path: Path) -> None:
    X, y = cloud(3000, 0.001)
    with stored(as_csv(tmp_path / "data", X, y)) as points:
        answer = search.certify_stored(points, SearchMonitor.start(0.0), gap=GAP)
        answer.check(points)
    assert isinstance(answer, Undecided)
    assert answer.bracket[0] == 0 < certify(X, y).margin <= answer.bracket[1]  # type: ignore[union-attr]


def test_a_false_proof_is_refused(tmp_path: Path) -> None:
    X, y = cloud(1000, 0.1)
    answer = certify(X, y)
    X[900, 0] = 0.0
    with stored(as_csv(tmp_path / "data", X, y)) as points, pytest.raises(DataError, match=r"Row 900|other data"):
        answer.check(points)
