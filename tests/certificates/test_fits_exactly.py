"""fits_exactly agrees with Gauss's elimination in fractions, its proofs are short and hold, and forged ones do not."""

import json
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt import certify, errors, fits_exactly, load_certificate
from rosenblatt.certificates.certificate_file import as_dict, from_dict
from rosenblatt.certificates.exact_fit import modular
from rosenblatt.certificates.exact_fit.answers import ExactFit, NoExactFit
from tests.slow_twins import certificates as twin
from tools import check_certificate


def table(seed: int) -> tuple[Any, Any]:
    """Integers, eighths, floats of all sizes, large integers or fractions; often dependent columns, often a fit."""
    random = np.random.default_rng(seed)
    n, d = int(random.integers(1, 14)), int(random.integers(1, 6))
    kind = seed % 5
    X: Any = random.integers(-3, 4, size=(n, d))
    if seed // 5 % 3 == 0 and d > 1:
        X[:, -1] = 2 * X[:, 0] - 1
    y: Any = X @ random.integers(-4, 5, size=d) + 7
    if seed // 15 % 2:
        y[random.integers(0, n)] += 1
    if kind == 1:
        X, y = X / 8, y / 64
    elif kind == 2:
        scale = 2.0 ** random.integers(-900, 100, size=d)
        X, y = X * scale, (X @ random.integers(0, 2, size=d)) * 2.0**-300
    elif kind == 3:
        X, y = X * 2**58 + 1, y * 2**55
    elif kind == 4:
        X, y = X * np.array([Fraction(1, 2**31 - 1)] * d), y * Fraction(2, 3)
    return X, y


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**6))
@example(4)
def test_the_answer_is_that_of_gauss_and_its_proof_holds(seed: int) -> None:
    X, y = table(seed)
    fits, rank = twin.fits_exactly(X.tolist(), y.tolist())
    answer = fits_exactly(X, y)
    assert isinstance(answer, ExactFit) == fits
    assert answer.verified == "exact"
    assert answer.verify(X, y)
    exact = [[*map(Fraction, row), Fraction(1)] for row in X.tolist()]
    targets = [Fraction(target) for target in y.tolist()]
    if isinstance(answer, ExactFit):
        w = [*answer.w.tolist(), answer.b]
        assert [sum(a * b for a, b in zip(w, row, strict=True)) for row in exact] == targets
        assert len(answer.rows) == rank
        assert answer.is_unique == (rank == X.shape[1] + 1)
    else:
        rows = answer.rows.tolist()
        assert 2 <= len(rows) <= rank + 1
        assert all(isinstance(weight, Fraction) and weight for weight in answer.weights)
        for column in range(X.shape[1] + 1):
            assert sum(w * exact[i][column] for i, w in zip(rows, answer.weights, strict=True)) == 0
        assert sum(w * targets[i] for i, w in zip(rows, answer.weights, strict=True)) == answer.mismatch != 0
        for left_out in rows:  # no smaller part proves it
            others = [i for i in rows if i != left_out]
            assert twin.fits_exactly([X.tolist()[i] for i in others], [y.tolist()[i] for i in others])[0]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_every_certificate_goes_through_a_file_and_the_separate_checker(seed: int) -> None:
    X, y = table(seed)
    content = json.loads(json.dumps(as_dict(fits_exactly(X, y))))
    again = from_dict(content)
    assert again.verify(X, y)
    assert as_dict(again) == content
    rows = [{j: x for j, x in enumerate(row) if x} for row in X.tolist()]
    check_certificate.check(content, rows, y.tolist())


def test_a_saved_proof_holds_for_its_own_data_only(tmp_path: Path) -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    proof = fits_exactly(X, y)
    proof.save(tmp_path / "xor.json")
    again = load_certificate(tmp_path / "xor.json")
    assert isinstance(again, NoExactFit)
    assert again.verify(X, y)
    assert not again.verify(X, [0, 1, 1, 2])
    assert not again.verify(X[::-1], [*y[::-1][:3], 5])
    assert not certify(X, y).verify(X[::-1], [1, 0, 0, 1])


def test_forged_claims_are_refused() -> None:
    X, y = [[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]
    fit = fits_exactly(X, y)
    assert isinstance(fit, ExactFit)
    assert not replace(fit, b=fit.b + Fraction(1, 10**40)).verify(X, y)
    assert not replace(fit, w=fit.w[:0]).verify(X, y)
    same = [[1.0], [1.0], [1.0]]
    loose = fits_exactly(same, [2.0, 2.0, 2.0])
    assert isinstance(loose, ExactFit)
    assert not loose.is_unique
    for rows in ([0, 1], [0, 3], [0, 0]):
        assert not replace(loose, rows=np.array(rows)).verify(same, [2.0, 2.0, 2.0])
    other = [1.0, 3.0, 6.0]
    proof = fits_exactly(X, other)
    assert isinstance(proof, NoExactFit)
    for forged in (
        replace(proof, weights=(*proof.weights[:-1], proof.weights[-1] + 1)),
        replace(proof, weights=(Fraction(0),) * 3),
        replace(proof, rows=np.array([0, 0, 2])),
        replace(proof, rows=np.array([0, 1, 7])),
        replace(proof, targets=(*proof.targets[:-1], Fraction(5))),
    ):
        assert not forged.verify(X, other)


@pytest.mark.parametrize("change", [{"mismatch": "3/1"}, {"rows": [0.5]}, {"weights": ["x"]}, {"kind": "exact fits"}])
def test_a_damaged_file_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    content = as_dict(fits_exactly([[0], [1], [2]], [0, 1, 3])) | change
    (tmp_path / "proof.json").write_text(json.dumps(content))
    with pytest.raises(errors.DataError):
        load_certificate(tmp_path / "proof.json")


def test_numbers_are_never_rounded() -> None:
    X = [[0.1], [0.2], [0.3]]
    assert fits_exactly(X, [0.3, 0.6, 0.9]).kind == "no exact fit"  # as floats these are not multiples
    exact = [[Decimal(str(x)) for x in row] for row in X]
    assert fits_exactly(exact, [Decimal("0.3"), Decimal("0.6"), Decimal("0.9")]).kind == "exact fit"
    assert fits_exactly([[2**53], [2**53 + 1]], [0, 1]).kind == "exact fit"
    assert fits_exactly([[2**53], [2**53 + 1], [2**53 + 2]], [0, 1, 2 + 2**-40]).kind == "no exact fit"
    assert fits_exactly([[1], [2], [3]], [2**60, 2**61, 3 * 2**60 + 1]).kind == "no exact fit"
    assert fits_exactly([[1], [2], [3]], [0.5, 2**53 + 1, 2**54 + 1.5]).kind == "no exact fit"


def test_targets_may_be_a_column() -> None:
    for y in ([[1], [3], [5]], np.array([[1], [3], [5]]), (1, 3, 5), np.array([1.0, 3, 5], dtype=np.float32)):
        assert fits_exactly([[0], [1], [2]], y).kind == "exact fit"


def test_sparse_and_dense_rows_have_one_answer() -> None:
    random = np.random.default_rng(2)
    dense = random.integers(0, 3, size=(400, 30)) * (random.random((400, 30)) < 0.2)
    y = dense @ random.integers(-3, 4, size=30)
    for targets in (y, y + (np.arange(400) == 300)):
        a, b = fits_exactly(dense, targets), fits_exactly(sparse.csr_matrix(dense.astype(float)), targets)
        assert as_dict(a) == as_dict(b)
        assert a.verify(sparse.csr_matrix(dense), targets)


def test_large_data_is_answered_and_checked_by_residues() -> None:
    random = np.random.default_rng(0)
    X = np.round(random.normal(size=(3000, 20)) * 1024) / 1024
    y = X @ (random.integers(-1000, 1000, size=20) / 64) + 0.5
    fit = fits_exactly(X, y)
    assert isinstance(fit, ExactFit)
    assert fit.b == Fraction(1, 2)
    assert fit.predict(X) == pytest.approx(y)
    assert fit.verify(X, y)
    y[1234] += 2.0**-30
    assert not replace(fit, subject=fits_exactly(X, y).subject).verify(X, y)
    proof = fits_exactly(X, y)
    assert isinstance(proof, NoExactFit)
    assert 1234 in proof.rows
    assert proof.verify(X, y)


def test_the_shortest_proof_among_many_is_taken() -> None:
    random = np.random.default_rng(1)
    X = random.integers(-5, 5, size=(500, 12))
    X[400] = X[17]
    y = random.integers(0, 1000, size=500)
    proof = fits_exactly(X, y)
    assert isinstance(proof, NoExactFit)
    assert proof.rows.tolist() == [17, 400]
    assert proof.weights == (1, -1)


def test_residues_are_those_of_exact_arithmetic() -> None:
    random = np.random.default_rng(0)
    prime = next(modular.primes())
    assert prime == 2**31 - 1
    floats = random.normal(size=200) * 2.0 ** random.integers(-1070, 1020, size=200)
    whole = [*(-(2**63) + np.arange(5)), *(2**63 - 1 - np.arange(5))]
    for numbers in (
        np.append(floats, [0.0, 5e-324, -1e308]),
        np.array(whole, dtype=np.int64),
        np.arange(9, dtype=np.uint64),
    ):
        exact = [Fraction(x) for x in numbers.tolist()]
        assert modular.residues(numbers, prime).tolist() == [modular.residue(x, prime) for x in exact]
    with pytest.raises(ValueError, match="not invertible"):
        modular.residue(Fraction(1, prime), prime)


@pytest.mark.parametrize(
    ("X", "y", "sentence"),
    [
        ([[1], [2]], [1], "X has 2 rows but y has 1 targets"),
        ([[1], [2]], ["a", "b"], "The target of row 0 is 'a', and must be a finite number"),
        ([[1], [2]], [1, None], "The target of row 1 is None, and must be a finite number"),
        ([[1], [2]], [1, float("nan")], "The target of row 1 is nan, and must be a finite number"),
        ([[1], [2]], np.array([1, np.inf]), "The target of row 1 is inf, and must be a finite number"),
        ([[1], [2]], [[1, 2], [3, 4]], "y must have one dimension"),
        ([[float("nan")], [2]], [1, 2], "Input X contains NaN at row 0"),
        ([], [], "X must be a table"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(X: Any, y: Any, sentence: str) -> None:
    with pytest.raises(errors.DataError, match=sentence):
        fits_exactly(X, y)


def test_the_answers_in_words() -> None:
    yes = fits_exactly([[0], [1], [2]], [1, 3, 5]).explain()
    assert "meets the targets of all 3 rows exactly. No other linear function does." in yes
    assert "w = [2], add up the products, and add b = 1" in yes
    assert "Others may, too: 1 row determine it" in fits_exactly([[1], [1]], [4, 4]).explain()
    no = fits_exactly([[0], [1], [2]], [1.5, 3, 5]).explain(count_from=1)
    assert "row 1 (target 1.5): 1\n  row 2 (target 3): -2" in no
    assert "add up to 0.5." in no
    assert "rounding" in fits_exactly([[0.1], [0.2], [0.3]], [0.3, 0.6, 0.9]).explain().split("\n")[-1]
    with pytest.raises(errors.ParameterError, match="has no picture"):
        fits_exactly([[1], [1]], [4, 4]).plot([[1], [1]], [4, 4])
