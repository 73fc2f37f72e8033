"""Margins that floats alone cannot resolve: large offsets, large numbers, columns of very different sizes."""

import os
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rosenblatt import certify, native
from rosenblatt.certificates import verify
from rosenblatt.certificates.certificate import Separable
from rosenblatt.certificates.points.check_input import check_points
from rosenblatt.errors import DataError
from tests import child


def answer_of(X: Any, y: Any) -> Separable:
    answer = certify(X, y)
    assert isinstance(answer, Separable)
    assert answer.verify(X, y)
    return answer


def exact_margin_squared(X: Any, y: Any, w: Any, b: Any) -> Fraction:
    """The squared margin of the nearest row, by definition."""
    normal = [Fraction(x) for x in w.tolist()]
    scores = [
        (1 if label else -1) * (sum(a * Fraction(int(x)) for a, x in zip(normal, row, strict=True)) + Fraction(b))
        for row, label in zip(X.tolist(), y, strict=True)
    ]
    return min(scores) ** 2 / sum(a * a for a in normal)


@pytest.mark.parametrize("offset", [2**53, 2**60, -(2**55) - 1])
def test_the_widest_margin_does_not_depend_on_where_the_data_lie(offset: int) -> None:
    generator = np.random.default_rng(3)
    near = generator.integers(-9, 10, (12, 3))
    y = (near @ [2, -1, 1] > 1).astype(int)
    far = near.astype(np.int64) + offset
    near_answer, far_answer = answer_of(near, y), answer_of(far, y)
    assert far_answer.gap <= 1e-9
    assert far_answer.margin == pytest.approx(near_answer.margin, rel=1e-9)
    assert float(exact_margin_squared(far, y, far_answer.w, far_answer.b)) == pytest.approx(
        near_answer.margin**2, rel=1e-9
    )


@pytest.mark.parametrize("rows", [60, 4000])
def test_a_gap_that_floats_leave_is_closed_exactly(rows: int) -> None:
    """Unscaled columns, one in metres and one in millimetres: the nearest points in floats are not exact."""
    sizes = np.array([10000, 100, 1, 0.01, 0.01])
    X = np.random.default_rng(4).normal(size=(rows, 5)) * sizes
    y = (X @ (1 / sizes) > 0).astype(int)
    assert answer_of(X, y).gap <= 1e-6


def test_bounds_are_exact_where_rounding_is_as_large_as_they_are() -> None:
    points = check_points([[2.0**52], [2.0**52 + 1]], [0, 1])
    w, b = np.array([1.0]), -Fraction(2**53 + 1, 2)
    assert verify.margin_below(points, w, b) == pytest.approx(0.5, rel=1e-9)
    rows, weights = np.array([0, 1]), np.array([0.7, 0.3])
    assert verify.margin_above(points, rows, weights) == pytest.approx(0.5, rel=1e-9)
    longer = (Fraction(3, 10) * (2**52 + 1) - Fraction(7, 10) * 2**52) ** 2 + Fraction(4, 10) ** 2
    assert verify.margin_above(points, rows, weights, augmented=True) ** 2 == pytest.approx(float(longer), rel=1e-9)


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e300])
def test_margins_at_the_ends_of_the_floats(size: float) -> None:
    """A bound beyond the largest float is infinite; one that no float represents is rounded to the safe side."""
    answer = answer_of(np.array([[1.0], [2.0], [4.0], [5.0]]) * size, [0, 0, 1, 1])
    assert answer.margin <= size <= answer.geometric.upper
    assert answer.mistake_bound >= 1
    assert answer.explain()
    assert answer_of([[10**400], [10**400 + 2]], [0, 1]).margin == pytest.approx(1.0)


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_matrices_are_arrays_and_masks_are_missing_values() -> None:
    X = np.array([[1.0], [2.0]])
    assert answer_of(np.asmatrix(X), [0, 1]).margin == pytest.approx(0.5)
    with pytest.raises(DataError, match="masked"):
        certify(np.ma.array(X, mask=X > 1), [0, 1])


_ALL = """
import hashlib, json
import numpy as np
from rosenblatt import certify
seal, generator = hashlib.sha256(), np.random.default_rng(3)
for _ in range(40):
    X = generator.normal(size=(32, int(generator.integers(3, 12))))
    for y in (X[:, 0] > 0, X[:, 0] + X[:, 1] ** 2 > 1):
        seal.update(json.dumps(certify(X, y).to_dict()).encode())
print(seal.hexdigest())
"""


def test_certificates_are_the_same_bits_on_every_instruction_set() -> None:
    """Rows that leave the search rotate its factor: a multiply-add fused by the compiler would change the result."""
    outputs = {
        child.run(
            [sys.executable, "-c", _ALL], env=os.environ | {"ROSENBLATT_ISA": name}, check=True, capture_output=True
        ).stdout
        for name in native.instruction_sets()
    }
    assert len(outputs) == 1
