"""certify against an exact oracle: random, degenerate and nearly separable data, at every scale and number type."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt import certify
from rosenblatt.certificates import certify as certifying
from rosenblatt.certificates.certificate import Inseparable, Separable, Undecided
from rosenblatt.certificates.search.hull_search import SearchProgress
from rosenblatt.errors import DataError, ParameterError
from tests.slow_twins.certificates import is_separable, meets, separates

CORNERS = [[0, 0], [0, 1], [1, 0], [1, 1]]


def holds(answer: Any, X: Any, y: Any) -> None:
    """The answer equals the oracle's, and its evidence is correct in exact arithmetic."""
    table, signs = np.asarray(X, dtype=object).tolist(), [1 if label == max(y) else -1 for label in y]
    if isinstance(answer, Separable):
        assert is_separable(table, signs)
        assert separates(answer.w.tolist(), answer.b, table, signs)
    else:
        assert isinstance(answer, Inseparable)
        assert not is_separable(table, signs)
        assert meets(answer.rows.tolist(), answer.weights, table, signs)
        assert len(answer.rows) <= len(table[0]) + 2
    assert answer.verified == "exact"
    assert answer.verify(X, y)


@st.composite
def small_data(draw: Any) -> tuple[list[list[int]], list[int]]:
    features, count = draw(st.integers(1, 3)), draw(st.integers(2, 9))
    rows = draw(
        st.lists(st.lists(st.integers(-2, 2), min_size=features, max_size=features), min_size=count, max_size=count)
    )
    y = draw(st.lists(st.integers(0, 1), min_size=count, max_size=count).filter(lambda y: len(set(y)) == 2))
    return rows, y


@settings(deadline=None, max_examples=150)
@given(small_data())
def test_small_integers_against_the_oracle(data: tuple[list[list[int]], list[int]]) -> None:
    X, y = data
    holds(certify(X, y), X, y)


@settings(deadline=None, max_examples=60)
@given(small_data(), st.lists(st.integers(-300, 300), min_size=3, max_size=3), st.booleans())
@example(([[0, 0], [0, 1]], [0, 1]), [0, -78, 0], False)  # the float search ends without a single row
def test_scaling_a_column_changes_nothing_but_units(data: Any, powers: list[int], shifted: bool) -> None:
    rows, y = data
    X = np.array(rows, dtype=float) * 10.0 ** np.array(powers[: len(rows[0])])
    X = X + (2.0 ** np.array(powers[: len(rows[0])]) if shifted else 0.0)
    holds(certify(X, y), X, y)


@settings(deadline=None, max_examples=60)
@given(small_data(), st.sampled_from([2**53, 2**62, 10**30, 10**400]))
def test_large_integers_are_not_rounded(data: Any, offset: int) -> None:
    rows, y = data
    X = np.array([[x + offset for x in row] for row in rows], dtype=np.int64 if offset < 2**63 else object)
    holds(certify(X, y), X, y)


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32 - 1), st.sampled_from([-np.inf, np.inf]), st.sampled_from([1.0, 1e-12, 1e12]))
def test_a_point_moved_across_the_plane_by_one_unit_in_the_last_place(seed: int, side: float, scale: float) -> None:
    random = np.random.default_rng(seed)
    features = int(random.integers(1, 4))
    X = random.normal(size=(int(random.integers(4, 10)), features)) * scale
    normal = random.integers(-2, 3, features)
    scores = [sum(Fraction(x) * int(w) for x, w in zip(row, normal, strict=True)) for row in X.tolist()]
    y = [int(score > sorted(scores)[len(scores) // 2]) for score in scores]
    near = X[int(random.integers(len(X)))].copy()
    column = int(random.integers(features))
    near[column] = np.nextafter(near[column], side)
    X, y = np.vstack([X, near]), [*y, int(random.integers(2))]
    if len(set(y)) == 2:
        holds(certify(X, y), X, y)


def test_two_neighbouring_floats_are_separated() -> None:
    X = [[1.0], [np.nextafter(1.0, 2.0)]]
    answer = certify(X, [0, 1])
    holds(answer, X, [0, 1])
    assert isinstance(certify([[1.0], [1.0]], [0, 1]), Inseparable)


def test_the_lectures() -> None:
    for y in ([0, 0, 0, 1], [0, 1, 1, 1]):
        assert isinstance(certify(CORNERS, y), Separable)
    xor = certify(CORNERS, [0, 1, 1, 0])
    assert isinstance(xor, Inseparable)
    assert xor.rows.tolist() == [0, 1, 2, 3]
    assert set(xor.weights) == {Fraction(1, 2)}


def test_the_lectures_margin_of_and() -> None:
    answer = certify(CORNERS, [0, 0, 0, 1])
    assert isinstance(answer, Separable)
    assert answer.margin == pytest.approx(np.sqrt(2) / 4, rel=1e-9)
    assert answer.margin <= np.sqrt(2) / 4 <= answer.geometric.upper
    assert answer.support.tolist() != []
    assert answer.radius == pytest.approx(np.sqrt(3))
    assert answer.augmented_margin == pytest.approx(1 / np.sqrt(17))
    assert answer.mistake_bound == pytest.approx(51)


def test_patterns_with_as_many_pixels_on_and_wrap_around_shift() -> None:
    """Six pixels in a ring, two neighbours on or two others, at every shift: no unit can separate them."""
    shifts = [np.roll(pattern, k) for pattern in ([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]) for k in range(6)]
    X, y = np.array(shifts), [0] * 6 + [1] * 6
    holds(certify(X, y), X, y)
    assert isinstance(certify(X, y), Inseparable)


@pytest.mark.parametrize("make", [np.asarray, np.asfortranarray, sparse.csr_matrix, sparse.coo_array, sparse.csc_array])
@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32, np.float64])
def test_every_layout_and_type_has_the_same_answer(make: Any, dtype: Any) -> None:
    random = np.random.default_rng(3)
    X = random.integers(0, 4, (40, 6)).astype(dtype)
    for y in ((X[:, 0] + 2 * X[:, 1] > 4).astype(int), random.integers(0, 2, 40)):
        plain, other = certify(X.astype(float), y), certify(make(X), y)
        assert plain.kind == other.kind
        assert plain.subject.digest == other.subject.digest
        assert other.verify(X.astype(float), y)
        assert plain.verify(make(X), y)


@pytest.mark.parametrize("separable", [True, False])
def test_more_rows_than_are_looked_at_at_once(separable: bool) -> None:
    random = np.random.default_rng(5)
    X = random.normal(size=(3000, 12))
    score = X @ random.normal(size=12) + 3.0
    y = (score > 0).astype(int)
    X = X[np.abs(score) > 0.01] if separable else X
    y = y[np.abs(score) > 0.01] if separable else np.where(np.arange(len(y)) == np.argmax(score), 0, y)
    answer = certify(X, y)
    assert isinstance(answer, Separable if separable else Inseparable)
    assert answer.verify(X, y)
    if isinstance(answer, Separable):
        assert answer.gap <= 1e-6
        assert (np.sign(X @ answer.w + answer.b) == np.where(y == 1, 1, -1)).all()


def test_the_margin_is_that_of_a_support_vector_machine() -> None:
    from sklearn.svm import SVC

    random = np.random.default_rng(8)
    X = random.normal(size=(200, 5)) + 20.0
    y = (X[:, 0] - X[:, 1] > 0).astype(int)
    svc = SVC(kernel="linear", C=1e9, tol=1e-8).fit(X, y)
    achieved = (np.where(y == 1, 1, -1) * svc.decision_function(X)).min() / np.linalg.norm(svc.coef_)
    answer = certify(X, y)
    assert isinstance(answer, Separable)
    assert achieved <= answer.geometric.upper
    assert achieved == pytest.approx(answer.margin, rel=0.05)
    assert answer.gap < 1e-9


def test_labels_of_any_kind_and_the_larger_is_positive() -> None:
    answer = certify([[0.0], [1.0]], ["spam", "ham"])
    assert isinstance(answer, Separable)
    assert answer.subject.labels == ("ham", "spam")
    assert answer.w[0] < 0


def test_constant_columns_and_rows_of_zeros_do_no_harm() -> None:
    X = [[0, 7, 0], [0, 7, 0], [1, 7, 0], [2, 7, 0]]
    holds(certify(X, [0, 0, 1, 1]), X, [0, 0, 1, 1])
    X = [[0, 0], [0, 0]]
    holds(certify(X, [0, 1]), X, [0, 1])


def test_twins_are_the_shortest_proof() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(1000, 8))
    y = random.integers(0, 2, 1000)
    X[700], y[700] = X[30], 1 - y[30]
    answer = certify(X, y)
    assert isinstance(answer, Inseparable)
    assert answer.rows.tolist() == [30, 700]


@pytest.mark.parametrize(
    ("X", "y", "sentence"),
    [
        ([[np.nan], [1.0]], [0, 1], "NaN at row 0, column 0"),
        ([[1.0], [np.inf]], [0, 1], "infinity at row 1, column 0"),
        (sparse.csr_matrix([[0.0, 1.0], [np.nan, 0.0]]), [0, 1], "NaN at row 1, column 0"),
        ([[1.0], [2.0]], [1, 1], "y has 1 class"),
        ([[1.0], [2.0], [3.0]], [0, 1, 2], "certify_classes"),
        ([[1.0], [2.0]], [0, 1, 1], "X has 2 rows but y has 3 labels"),
        (np.empty((0, 2)), [], "0 rows"),
        (np.empty((2, 0)), [0, 1], "0 columns"),
        ([["a"], ["b"]], [0, 1], "must hold numbers"),
        ([[1j], [2.0]], [0, 1], "must hold numbers"),
        ([1.0, 2.0], [0, 1], "shape (2,)"),
        ([[1.0], [2.0]], [0.0, np.nan], "missing label at row 1"),
        ([[1.0], [2.0]], [0, None], "missing"),
    ],
)
def test_bad_input_is_one_sentence(X: Any, y: Any, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence.replace("(", r"\(").replace(")", r"\)")) as caught:
        certify(X, y)
    assert "\n" not in str(caught.value)


def test_parameters_are_checked() -> None:
    with pytest.raises(ParameterError, match="'time_limit' parameter of certify"):
        certify(CORNERS, [0, 0, 0, 1], time_limit=-1)


def test_data_frames_keep_large_integers_beside_floats() -> None:
    import pandas as pd

    table = pd.DataFrame({"a": [2**60, 2**60 + 1], "b": [0.5, 0.5]})
    answer = certify(table, [0, 1])
    assert isinstance(answer, Separable)
    holds(answer, [[2**60, 0.5], [2**60 + 1, 0.5]], [0, 1])


def test_no_time_is_undecided_with_a_bracket() -> None:
    random = np.random.default_rng(2)
    X = random.normal(size=(2000, 250))
    y = (X[:, 0] + 0.3 * random.normal(size=2000) > 0).astype(int)
    answer = certify(X, y, time_limit=0)
    assert isinstance(answer, Undecided)
    low, high = answer.bracket
    assert 0 == low < high < np.inf
    assert answer.verify(X, y)
    assert "Not known yet" in answer.explain()


def test_a_numerical_answer_says_so() -> None:
    random = np.random.default_rng(2)
    X, y = random.normal(size=(60, 4)), random.integers(0, 2, 60)
    answer = certify(X, y, exact=False)
    assert isinstance(answer, Inseparable)
    assert answer.verified == "numerical"
    assert 0 < answer.residual < 1e-8
    assert answer.verify(X, y)
    assert "not a proof" in answer.explain()


def test_progress_is_reported() -> None:
    random = np.random.default_rng(2)
    reports: list[SearchProgress] = []
    certify(random.normal(size=(2000, 30)), random.integers(0, 2, 2000), on_progress=reports.append)
    assert {"ascent", "exact"} <= {step.stage for step in reports}


def test_the_exact_search_alone_agrees_with_the_oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the linear system, Wolfe's algorithm in fractions must find every proof."""
    from rosenblatt.certificates.search import exact_hull_search

    monkeypatch.setattr(exact_hull_search, "common_point_weights", lambda integers: None)
    monkeypatch.setattr(certifying, "candidate_between_hulls", lambda *_: None)
    random = np.random.default_rng(11)
    for _ in range(40):
        X = random.integers(-2, 3, (8, 2))
        y = random.integers(0, 2, 8)
        if len(set(y.tolist())) == 2:
            holds(certify(X, y), X, y.tolist())
