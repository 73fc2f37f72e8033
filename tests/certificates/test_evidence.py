"""Evidence: an answer can be checked again, saved and explained in words; false evidence is refused."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import certify, certify_classes, error_bracket, load_certificate, theorem_run
from rosenblatt.certificates import verify
from rosenblatt.certificates.certificate import Inseparable, Separable
from rosenblatt.certificates.points.check_input import check_points
from rosenblatt.errors import DataError
from tests.slow_twins.certificates import fewest_errors

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
AND, XOR = [0, 0, 0, 1], [0, 1, 1, 0]


def separable() -> Separable:
    answer = certify(CORNERS, AND)
    assert isinstance(answer, Separable)
    return answer


def inseparable() -> Inseparable:
    answer = certify(CORNERS, XOR)
    assert isinstance(answer, Inseparable)
    return answer


# -- verify ---------------------------------------------------------------------------------------------------------


def test_verify_imports_no_native_code() -> None:
    import ast

    names = {
        name
        for node in ast.walk(ast.parse(Path(verify.__file__).read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
    }
    assert "rosenblatt.certificates.points.points" in names
    searching = {"native", "hull_search", "exact_hull_search", "search", "widest_margin", "learn"}
    assert not any(name.split(".")[-1] in searching for name in names)


@pytest.mark.parametrize("change", [{"margin": 0.36}, {"upper": 0.35}, {"b": 0.0}, {"w": np.array([1.0, -1.0])}])
def test_a_false_claim_of_a_separator_is_noticed(change: dict[str, Any]) -> None:
    answer = separable()
    false = replace(answer, geometric=replace(answer.geometric, **change))
    assert answer.verify(CORNERS, AND)
    assert not false.verify(CORNERS, AND)


NAN = float("nan")
NO_EVIDENCE = [
    {"margin": NAN}, {"upper": NAN}, {"b": NAN}, {"w": np.array([NAN, 1.0])}, {"w": np.array([1.0])},
    {"rows": np.array([0, 1, 99])}, {"rows": np.array([0, 1, -1])}, {"weights": np.array([1.0])},
    {"rows": np.array([1, 2, 3, 0]), "weights": np.array([1.0, 1.0, 1.0, -1.0]), "upper": 0.36},
]  # fmt: skip


@pytest.mark.parametrize("change", NO_EVIDENCE)
def test_what_is_no_number_or_no_row_is_no_evidence(change: dict[str, Any]) -> None:
    answer = separable()
    assert not replace(answer, geometric=replace(answer.geometric, **change)).verify(CORNERS, AND)
    assert not replace(answer, radius=NAN).verify(CORNERS, AND)


def test_a_proof_that_misnames_its_classes_is_refused() -> None:
    proof = inseparable()
    assert not replace(proof, signs=tuple(-sign for sign in proof.signs)).verify(CORNERS, XOR)
    assert not replace(proof, subject=replace(proof.subject, labels=("1", 0.0))).verify(CORNERS, XOR)
    assert replace(proof, subject=replace(proof.subject, labels=("no", "yes"))).verify(CORNERS, XOR)
    assert not replace(proof, verified="numerical", residual=NAN).verify(CORNERS, XOR)


@pytest.mark.parametrize("change", [{"margin": 0.4}, {"mistake_bound": 1.0}, {"gap": 0.5}, {"verified": "surely"}])
def test_a_file_whose_summary_is_not_its_evidence_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(separable().to_dict() | change), encoding="utf-8")
    with pytest.raises(DataError, match=r"does not follow from|verified"):
        load_certificate(path)


def test_a_false_radius_is_noticed() -> None:
    assert not replace(separable(), radius=1.0).verify(CORNERS, AND)


@pytest.mark.parametrize(
    "change",
    [
        {"weights": (Fraction(1, 2), Fraction(1, 2), Fraction(1, 2), Fraction(1, 2) + Fraction(1, 10**50))},
        {"weights": (Fraction(-1, 2),) * 4},
        {"rows": np.array([0, 1, 2, 2])},
        {"rows": np.array([0, 1, 2, 9])},
        {"rows": np.array([], dtype=int), "weights": ()},
    ],
)
def test_a_false_proof_is_noticed(change: dict[str, Any]) -> None:
    assert inseparable().verify(CORNERS, XOR)
    assert not replace(inseparable(), **change).verify(CORNERS, XOR)


def test_a_certificate_for_other_data_is_refused_with_a_sentence() -> None:
    with pytest.raises(DataError, match="made for other data"):
        separable().check(check_points(CORNERS + 1, AND))
    with pytest.raises(DataError, match="4 rows of 2 columns"):
        separable().check(check_points(CORNERS[:3], [0, 0, 1]))


@settings(deadline=None, max_examples=80)
@given(st.integers(0, 2**32 - 1))
def test_the_error_bound_of_a_score_holds(seed: int) -> None:
    random = np.random.default_rng(seed)
    X = random.normal(size=(6, 9)) * 10.0 ** random.integers(-8, 9, 9)
    w, b = random.normal(size=9) * 10.0 ** random.integers(-8, 9, 9), float(random.normal())
    points = check_points(X, [0, 1, 0, 1, 0, 1])
    score, coarse = verify.scores(points, w, b)
    fine = verify.row_error_bounds(points, np.arange(6), w, b)
    exact = [verify.exact_score(points, i, [Fraction(x) for x in w], Fraction(b)) for i in range(6)]
    for i in range(6):
        assert abs(Fraction(score[i]) - exact[i]) <= Fraction(fine[i])
        assert abs(Fraction(score[i]) - exact[i]) <= Fraction(coarse[i])


# -- files ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("y", [AND, XOR])
def test_a_certificate_comes_back_from_its_file(y: list[int], tmp_path: Path) -> None:
    answer = certify(CORNERS, y)
    answer.save(tmp_path / "proof.json")
    loaded = load_certificate(tmp_path / "proof.json")
    assert loaded.to_dict() == answer.to_dict() == json.loads((tmp_path / "proof.json").read_text())
    assert loaded.explain() == answer.explain()
    assert loaded.verify(CORNERS, y)
    assert not loaded.verify(CORNERS[::-1], y)


def test_fractions_and_numbers_too_long_for_decimal_digits_come_back(tmp_path: Path) -> None:
    X = [[1.0], [np.nextafter(1.0, 2.0)]]
    near = certify(X, [0, 1])
    near.save(tmp_path / "near.json")
    assert load_certificate(tmp_path / "near.json").verify(X, [0, 1])
    long = replace(inseparable(), weights=tuple(Fraction(2**20_000 + k, 3**15_000) for k in range(4)))
    long.save(tmp_path / "long.json")
    read = load_certificate(tmp_path / "long.json")
    assert isinstance(read, Inseparable)
    assert read.weights == long.weights


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "rosenblatt certificate", "version": 1, "kind": "x"}'])
def test_a_file_that_is_no_certificate_is_one_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(DataError, match=r"bad\.json"):
        load_certificate(tmp_path / "bad.json")
    with pytest.raises(DataError, match="cannot be read"):
        load_certificate(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("geometric", "w"), {"size": 2**40, "columns": [], "numbers": []}),
        (("geometric", "w"), {"size": 2, "columns": [5], "numbers": [1.0]}),
        (("geometric", "w"), 3),
        (("geometric", "b"), [1]),
        (("geometric", "rows"), [[0], [1, 2]]),
        (("geometric", "rows"), [2**70]),
        (("geometric", "weights"), ["one"]),
        (("augmented",), []),
        (("n_rows",), "4"),
        (("labels",), [[], {}]),
        (("radius",), 10**400),
        (("version",), "1"),
    ],
    ids=str,
)
def test_a_damaged_certificate_is_one_sentence(keys: tuple[str, ...], value: Any, tmp_path: Path) -> None:
    content = place = separable().to_dict()
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    (tmp_path / "bad.json").write_text(json.dumps(content))
    with pytest.raises(DataError, match=r"bad\.json: the certificate is damaged"):
        load_certificate(tmp_path / "bad.json")


def test_a_certificate_that_is_nested_too_deep_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{"a": ' + "[" * 100_000)
    with pytest.raises(DataError, match=r"bad\.json: the certificate is damaged"):
        load_certificate(tmp_path / "bad.json")


def test_of_a_file_that_is_no_certificate_only_the_first_bytes_are_read() -> None:
    with pytest.raises(DataError, match="/dev/zero: this is not a Rosenblatt certificate"):
        load_certificate("/dev/zero")  # endless


def test_weights_beyond_the_memory_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rosenblatt.available_memory.memory_size", lambda: 1 << 30)
    content = separable().to_dict() | {"n_features": 2**28}
    content["geometric"]["w"] = {"size": 2**28, "columns": [], "numbers": []}
    (tmp_path / "bomb.json").write_text(json.dumps(content))
    with pytest.raises(DataError, match=r"bomb\.json: its 268,435,456 weights need 2\.0 GB"):
        load_certificate(tmp_path / "bomb.json")


# -- words ----------------------------------------------------------------------------------------------------------


def test_words_name_the_labels_and_no_geometry() -> None:
    explanation = certify(CORNERS, ["ham", "spam", "spam", "ham"]).explain()
    assert explanation.startswith("No: a straight line cannot tell 'ham' and 'spam' apart")
    assert "row 0 ('ham'): 1/2" in explanation
    for word in ("hull", "convex", "Gordan", "dual"):
        assert word not in explanation
        assert word not in separable().explain()
    same = certify([[1], [1], [2]], [0, 1, 1])
    assert "row 0 and row 1 (counted from 0) are the same point" in same.explain()
    assert "row 1 and row 2 (counted from 1) are the same point" in same.explain(count_from=1)
    assert "4, 2 and 3 (counted from 1)." in certify(CORNERS, [0, 0, 0, 1]).explain(count_from=1)
    assert separable().explain().startswith("Yes: a straight line tells 0 and 1 apart")


def test_a_multiple_of_a_proof_says_what_its_weights_add_up_to() -> None:
    proof = certify(CORNERS, [0, 1, 1, 0])
    assert "add up to 1, so they make" in proof.explain()
    multiple = replace(proof, weights=tuple(weight / 3 for weight in proof.weights))
    assert multiple.verify(CORNERS, [0, 1, 1, 0])
    assert "The weights of each class add up to 1/3; divided by it, they make" in multiple.explain()


# -- more classes ---------------------------------------------------------------------------------------------------


def test_classes_by_pairs_and_against_the_rest() -> None:
    random = np.random.default_rng(0)
    centres = np.array([[0, 0], [10, 0], [0, 10], [10, 10], [5, 5]])
    y = np.repeat(np.array(list("abcde")), 20)
    X = centres[np.repeat(np.arange(5), 20)] + random.normal(size=(100, 2)) * 0.5
    calls: list[tuple[int, int]] = []
    pairs = certify_classes(X, y, n_jobs=2, on_answer=lambda count, total, _: calls.append((count, total)))
    assert len(pairs) == 10
    assert calls == [(k + 1, 10) for k in range(10)]
    assert all(answer.kind == "separable" for answer in pairs)
    assert pairs["e", "a"] is pairs["a", "e"]
    rest = certify_classes(X, y, scheme="ovr")
    assert [answer.kind for answer in rest] == ["separable"] * 4 + ["inseparable"]
    middle = next(answer for answer in rest if answer.first == "e")
    assert middle.certificate.verify(X, (y == "e").astype(int))
    assert rest.to_rows()[4]["answer"] == "inseparable"
    for answer in pairs:
        assert answer.certificate.verify(X[answer.rows], y[answer.rows])


# -- the fewest errors ----------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_the_bracket_of_small_data_is_exact(seed: int) -> None:
    random = np.random.default_rng(seed)
    X = random.integers(-2, 3, (int(random.integers(3, 8)), int(random.integers(1, 4))))
    y = random.integers(0, 2, len(X))
    y[:2] = [0, 1]
    bracket = error_bracket(X, y)
    lower, upper = bracket
    assert lower == upper == fewest_errors(X.tolist(), np.where(y == 1, 1, -1).tolist())
    assert len(bracket.wrong) == upper
    assert bracket.verify(X, y)


def test_the_bracket_of_more_data_has_proofs_at_both_ends() -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(300, 4))
    y = (X[:, 0] > 0).astype(int)
    flipped = random.choice(300, 12, replace=False)
    y[flipped] = 1 - y[flipped]
    bracket = error_bracket(X, y, time_limit=2)
    assert 0 < bracket.lower <= bracket.upper <= 12
    assert bracket.verify(X, y)
    used = [row for proof in bracket.proofs for row in proof.rows]
    assert len(used) == len(set(used))
    assert error_bracket(X, (X[:, 0] > 0).astype(int)) == (0, 0)
    twins = np.zeros((10, 1))
    assert error_bracket(twins, [0] * 7 + [1] * 3) == (3, 3)


# -- the theorem ----------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["given", "shuffle", "sample"]))
def test_both_inequalities_hold_along_every_run(seed: int, order: str) -> None:
    random = np.random.default_rng(seed)
    X = random.integers(-3, 4, (12, 3)).astype(float)
    y = (X @ [2, -1, 1] > 0.5).astype(int)
    if len(set(y.tolist())) < 2:
        return
    run = theorem_run(X, y, order=order)
    assert run.holds
    assert len(run.k) == run.mistakes + 1
    assert run.mistakes <= run.mistake_bound
    assert run.status == "separated"


def test_the_theorem_of_the_lectures_and() -> None:
    from rosenblatt import Perceptron

    run = theorem_run(CORNERS, AND, order="given")
    unit = Perceptron(order="given", keep="last").fit(CORNERS, AND)
    assert run.mistakes == unit.n_mistakes_
    weights = np.append(unit.coef_[0], unit.intercept_)
    assert run.norm_squared[-1] == pytest.approx(weights @ weights)
    with pytest.raises(DataError, match="no margin"):
        theorem_run(CORNERS, XOR)
