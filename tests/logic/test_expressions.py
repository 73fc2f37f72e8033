"""Expressions, units by hand, parsing, truth tables: A1, A4, A5, E2 of the curriculum."""

import contextlib
import io
import math
import random
import re
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import logic
from rosenblatt.errors import DataError, ExpressionError, ParameterError
from rosenblatt.logic.network.network import build_network
from tests.slow_twins import logic as reference

ROWS = [(0, 0), (0, 1), (1, 0), (1, 1)]


def outputs(expression: Any) -> list[int]:
    return expression.truth_table().outputs.astype(int).tolist()


# ------------------------------------------------------------------------------------------- A. units by hand


def test_a1_a_unit_is_evaluated_without_learning() -> None:
    hard = logic.Unit([2, -1], bias=-1)
    assert [hard(row) for row in ROWS] == [False, False, True, False]  # (1, 1) scores 0, which is not above 0
    soft = logic.Unit([2, -1], bias=-1, activation="sigmoid")
    assert soft([[0, 0], [1, 0]]) == pytest.approx([1 / (1 + math.e), math.e / (1 + math.e)], rel=1e-15)
    assert soft([1e6, 0]) == 1.0
    assert soft([-1e6, 0]) == 0.0
    assert logic.Unit([1, 1], threshold=1.5) == logic.Unit(np.array([1.0, 1.0]), bias=-1.5)


def test_a4_signed_distances() -> None:
    assert logic.Unit([3, 4], bias=-5).distance([[0, 0], [3, 4]]).tolist() == [-1.0, 4.0]
    with pytest.raises(DataError, match="no hyperplane"):
        logic.Unit([0, 0], bias=1).distance([0, 0])


def test_a5_the_boundary_between_two_discriminants_is_x_equal_to_2() -> None:
    boundary = logic.boundary_between(([2, 1], -1), ([1, 1], 1), names=["x", "y"])
    assert str(boundary) == "x = 2"
    assert (boundary.weights, boundary.bias) == ((1, 0), -2)
    assert boundary.unit([[3, 9], [1, 9]]).tolist() == [True, False]
    tilted = logic.boundary_between(logic.Unit([1, 2], 0), logic.Unit([0, -1], 4))
    assert str(tilted) == "x1 + 3 x2 = 4"


def test_discriminants_without_a_boundary_are_refused() -> None:
    with pytest.raises(DataError, match="2 apart everywhere"):
        logic.boundary_between(([1, 1], 1), ([1, 1], -1))
    with pytest.raises(DataError, match="2 weights and the second 1"):
        logic.boundary_between(([1, 1], 1), ([1], -1))
    with pytest.raises(ParameterError, match="pair"):
        logic.boundary_between(3, ([1], -1))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: logic.Unit([1, math.nan]), "position 1"),
        (lambda: logic.Unit([1], bias=math.inf), "bias"),
        (lambda: logic.Unit([[1, 2]]), "one list"),
        (lambda: logic.Unit([1], bias=1, threshold=1), "pass only one of them"),
        (lambda: logic.Unit([1], activation="relu"), "'step' or 'sigmoid'"),
        (lambda: logic.Unit([1, 2])([1, 2, 3]), "2 weights"),
        (lambda: logic.Unit([1, 2])([[0, 0], [0, math.nan]]), "row 1, column 1"),
        (lambda: logic.Unit([1, 2])("ab"), "numbers"),
    ],
)
def test_bad_units(make: Any, words: str) -> None:
    with pytest.raises((DataError, ParameterError), match=words):
        make()


# ------------------------------------------------------------------------------------------------ E2. gates


@pytest.mark.parametrize(
    ("gate", "expected"),
    [
        (logic.AND, [0, 0, 0, 1]),
        (logic.OR, [0, 1, 1, 1]),
        (logic.NAND, [1, 1, 1, 0]),
        (logic.NOR, [1, 0, 0, 0]),
        (logic.XOR, [0, 1, 1, 0]),
        (logic.MAJORITY, [0, 0, 0, 1]),
    ],
)
def test_e2_gates_of_two(gate: Any, expected: list[int]) -> None:
    a, b = logic.variables("a b")
    assert outputs(gate(a, b)) == expected
    assert [gate(*row) for row in ROWS] == [bool(e) for e in expected]


def test_gates_of_many() -> None:
    names = logic.variables("a b c d e")
    counts = np.array(reference.rows(5)).sum(axis=1)
    assert np.array_equal(logic.MAJORITY(*names).truth_table().outputs, counts >= 3)
    assert np.array_equal(logic.NAND(*names).truth_table().outputs, counts < 5)
    for k in range(-1, 8):
        assert np.array_equal(logic.at_least(k, *names).truth_table().outputs, counts >= k)
    assert outputs(logic.NOT(names[0])) == [1, 0]


def test_e2_xor_of_the_lectures_with_its_weights() -> None:
    x1, x2 = logic.variables("x1 x2")
    xor = logic.NOT(logic.AND(x1, x2)) & (x1 | x2)
    assert outputs(xor) == [0, 1, 1, 0]
    assert xor.weights == {
        "u1": {"x1": 1, "x2": 1},
        "u2": {"u1": -1},
        "u3": {"x1": 1, "x2": 1},
        "u4": {"u2": 1, "u3": 1},
    }
    assert xor.thresholds == {"u1": 1.5, "u2": -0.5, "u3": 0.5, "u4": 1.5}
    assert [unit.layer for unit in xor.units] == [1, 2, 1, 3]
    assert "u4    AND   u2 + u3 > 1.5" in str(xor)
    assert outputs(xor.network.compact()) == [0, 1, 1, 0]
    assert len(xor.network.compact()) == 3


def test_called_with_its_variables() -> None:
    a, b = logic.variables("a b")
    xor = ~(a & b) & (a | b)
    assert xor(a=1, b=0) is True
    assert xor(a=True, b=np.int8(1)) is False
    assert xor(a=[[0, 1], [1, 0]], b=1).tolist() == [[True, False], [False, True]]
    assert (a & True)(a=1) is True
    assert (0 | a)(a=0) is False
    assert (a ^ a)(a=1) is False
    assert (a & a & ~a)(a=1) is False
    assert a(a=1) is True
    assert a.implies(b)(a=1, b=0) is False
    assert a.iff(b)(a=0, b=0) is True


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"a": 1}, "'b' has no value"),
        ({"a": 1, "b": 0, "c": 1}, "no variable 'c'; its variables are a, b"),
        ({"a": 1, "b": 2}, "'b' is 2"),
        ({"a": 1, "b": [0, 1, math.nan]}, "position 2"),
        ({"a": [0, 1], "b": [0, 1, 1]}, "shapes"),
        ({"a": "1", "b": 1}, "'a' must be 0, 1"),
    ],
)
def test_bad_values_are_refused_with_their_position(values: dict[str, Any], words: str) -> None:
    a, b = logic.variables("a b")
    with pytest.raises((DataError, ParameterError), match=words):
        (a & b)(**values)


def test_an_expression_has_no_truth_value_of_its_own() -> None:
    a, b = logic.variables("a b")
    with pytest.raises(TypeError, match="use &"):
        bool(a & b)


@pytest.mark.parametrize("names", ["a a", "1a", "and", "a b!", ["a", 3]])
def test_bad_names(names: Any) -> None:
    with pytest.raises(ParameterError):
        logic.variables(names)


# ----------------------------------------------------------------------------------- against Python's evaluation

LETTERS = "abcdef"


def random_text(draw: random.Random, depth: int) -> str:
    if depth == 0 or draw.random() < 0.1:
        return draw.choice(LETTERS)
    if draw.random() < 0.3:
        return "~" + (random_text(draw, 0) if draw.random() < 0.5 else f"({random_text(draw, depth - 1)})")
    left, right = random_text(draw, depth - 1), random_text(draw, depth - 1)
    text = f"{left} {draw.choice('&|^')} {right}"
    return f"({text})" if draw.random() < 0.4 else text


@pytest.mark.parametrize("seed", range(60))
def test_random_expressions_equal_pythons_evaluation(seed: int) -> None:
    draw = random.Random(seed)
    text = random_text(draw, draw.randint(1, 6))
    columns = {name: np.array([row[k] for row in reference.rows(6)], dtype=bool) for k, name in enumerate(LETTERS)}
    expected = eval(text, {}, columns)
    parsed, built = logic.parse(text), eval(text, {}, dict(zip(LETTERS, logic.variables(list(LETTERS)), strict=True)))
    for expression in (parsed, built, logic.parse(parsed.text)):
        used = {name: columns[name] for name in expression.variables}
        assert np.array_equal(expression(**used), expected)
    compact = parsed.network.compact()
    assert len(compact) <= len(parsed.units)
    for row in parsed.truth_table().inputs[:: 1 + len(parsed.variables)]:
        values = dict(zip(parsed.variables, row.tolist(), strict=True))
        assert reference.run_network(parsed.network, row.tolist()) == reference.run_network(compact, row.tolist())
        assert parsed(**values) == reference.run_network(parsed.network, row.tolist())


@pytest.mark.parametrize("seed", range(20))
def test_words_mean_what_python_means(seed: int) -> None:
    draw = random.Random(1000 + seed)
    text = random_text(draw, 4).replace("^", "|").replace("~", " not ").replace("&", "and").replace("|", "or")
    parsed = logic.parse(text.upper())
    for row in reference.rows(6)[::5]:
        values = dict(zip(LETTERS, map(bool, row), strict=True))
        upper = {name.upper(): value for name, value in values.items() if name.upper() in parsed.variables}
        assert parsed(**upper) == eval(text.strip(), {}, values)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x1 AND NOT x2", [0, 0, 1, 0]),
        ("a -> b", [1, 1, 0, 1]),
        ("a => b", [1, 1, 0, 1]),
        ("a <-> b", [1, 0, 0, 1]),
        ("a XOR b", [0, 1, 1, 0]),
        ("!a || b && a", [1, 1, 0, 1]),
        ("¬a ∧ b ⊕ a", [0, 1, 1, 1]),
        ("NAND(a, b)", [1, 1, 1, 0]),
        ("a nor b", [1, 0, 0, 0]),
        ("at_least(1, a, b) & true", [0, 1, 1, 1]),
        ("a -> b -> a", [1, 1, 1, 1]),
        ("~~a & (b | 0)", [0, 0, 0, 1]),
    ],
)
def test_parsed_tables(text: str, expected: list[int]) -> None:
    assert outputs(logic.parse(text)) == expected
    assert outputs(logic.parse(logic.parse(text).text)) == expected


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("a & (b |", 8),
        ("a b", 2),
        ("a & ) b", 4),
        ("", 0),
        ("a $ b", 2),
        ("(a & b", 6),
        ("a & b)", 5),
        ("x & 2", 4),
        ("at_least(a, b)", 9),
        ("majority(a; b)", 10),
        ("a &\n& b", 4),
        ("(" * 150 + "a" + ")" * 150, 100),
    ],
)
def test_errors_point_at_the_character(text: str, position: int) -> None:
    with pytest.raises(ExpressionError) as caught:
        logic.parse(text)
    assert caught.value.position == position
    if text:
        _, text_line, caret = str(caught.value).split("\n")
        assert caret.endswith("^")
        assert len(caret) - 1 <= len(text_line)
        if position < len(text) and len(text) < 60:
            assert text_line[len(caret) - 1] == text[position]


@given(st.text(alphabet="ab&|~^() ->xor1", max_size=20))
def test_any_text_is_parsed_or_refused_in_words(text: str) -> None:
    try:
        expression = logic.parse(text)
    except ExpressionError as error:
        refused = error
    else:
        assert outputs(logic.parse(expression.text)) == outputs(expression)
        return
    assert 0 <= refused.position <= len(text)


# ----------------------------------------------------------------------------------------- large and deep


def test_deep_expressions_need_no_recursion() -> None:
    a, b = logic.variables("a b")
    deep = a
    for _ in range(5000):
        deep = ~(deep & b)
    assert len(deep.units) == 10_000
    assert deep(a=1, b=1) is True
    shared = a
    for _ in range(200):
        shared = (shared ^ b) & (shared | b)
    assert shared(a=1, b=0) is True
    assert len(repr(shared)) < 200_000


def test_a_million_rows_in_bounded_memory() -> None:
    a, b, c = logic.variables("a b c")
    function = (a ^ b ^ c) | logic.MAJORITY(a, b, c)
    columns = np.random.default_rng(0).integers(0, 2, size=(3, 1_000_000)).astype(bool)
    tracemalloc.start()
    values = function(a=columns[0], b=columns[1], c=columns[2])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.array_equal(values, columns.any(axis=0))
    assert peak < 4_000_000  # the answer is one million bytes


def test_variables_called_like_units_keep_their_names() -> None:
    u1, u2 = logic.variables("u1 u2")
    assert outputs(u1 ^ u2) == [0, 1, 1, 0]


def test_large_weights_stay_exact() -> None:
    weights = [2**k for k in range(40)]
    unit = logic.Unit(weights, threshold=2**39 - 0.5)
    network = build_network([f"x{k}" for k in range(40)], [("unit", unit, [f"x{k}" for k in range(40)])])
    rows = np.zeros((2, 40), dtype=int)
    rows[0, :39] = 1  # one short of the last weight
    rows[1, 39] = 1
    assert network(rows).tolist() == [False, True]


# ------------------------------------------------------------------------------------------------- truth tables


def test_truth_tables() -> None:
    table = logic.parse("a & ~bb").truth_table()
    assert str(table) == "a bb |\n0  0 | 0\n0  1 | 0\n1  0 | 1\n1  1 | 0"
    assert list(table)[2] == ((1, 0), True)
    assert table == logic.TruthTable(["a", "bb"], "0010")
    assert table != logic.TruthTable(["a", "b"], "0010")
    assert str(logic.parity(8).network.truth_table()).endswith("... 192 more rows")


def test_a_table_of_30_variables_is_refused_with_its_size() -> None:
    wide = logic.AND(*logic.variables([f"x{k}" for k in range(30)]))
    with pytest.raises(DataError, match=r"2\^30 = 1,073,741,824 rows"):
        wide.truth_table()
    assert wide(**{f"x{k}": 1 for k in range(30)}) is True


@pytest.mark.parametrize(
    ("table", "words"), [("012", "row 2"), ("010", "2, 4, 8"), ([0, 1, 2, 0], "row 2"), (3, "TruthTable")]
)
def test_bad_tables(table: Any, words: str) -> None:
    with pytest.raises((DataError, ParameterError), match=words):
        logic.decide(table)


# ---------------------------------------------------------------------------------------------------- the page


def test_the_examples_of_the_page_print_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python blocks of docs/logic.md are one session; the block after each shows what it prints."""
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "logic.md").read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": "page"}
    pairs = re.findall(r"^```python\n(.*?)^```$\n*(?:^```\n(.*?)^```$)?", page, flags=re.MULTILINE | re.DOTALL)
    assert len(pairs) > 8
    for code, expected in pairs:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "logic.md", "exec"), names)
        assert printed.getvalue() == expected


def test_outputs_in_lists_of_different_lengths_are_refused() -> None:
    with pytest.raises(DataError, match="must be one list of 0 and 1"):
        logic.decide([[0, 1], [1]])
