"""Which functions one unit can compute, with weights or a proof; and networks for the others: E3, E4, E5."""

import math
import time
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from rosenblatt import logic
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.logic.one_unit.decide import decide_rows
from rosenblatt.logic.one_unit.threshold_functions import _classes
from tests.slow_twins import logic as reference

A000609 = {0: 2, 1: 4, 2: 14, 3: 104, 4: 1882, 5: 94572, 6: 15028134}


def test_a000609_in_time() -> None:
    start = time.perf_counter()
    counts = [sum(1 for _ in logic.threshold_functions(n)) for n in (1, 2, 3, 4)]
    assert counts == [4, 14, 104, 1882]
    assert time.perf_counter() - start < 20


@pytest.mark.parametrize("n", range(5))
def test_threshold_functions_are_all_different_and_what_their_units_say(n: int) -> None:
    tables = set()
    for function in logic.threshold_functions(n):
        assert all(isinstance(w, int) for w in function.weights)
        says = tuple(reference.fires(function.weights, function.threshold, row) for row in reference.rows(n))
        assert function.threshold % 1 == 0.5  # between integer sums: no row is on the boundary
        assert function.table.outputs.tolist() == list(says)
        tables.add(says)
    assert len(tables) == A000609[n]
    if n < 4:
        assert tables == reference.threshold_tables(n, 2)


@pytest.mark.parametrize("n", [5, 6])
def test_classes_add_up_to_a000609(n: int) -> None:
    total = 0
    for _, _, influence in _classes(n):
        arrangements = math.factorial(n)
        for alike in Counter(influence).values():
            arrangements //= math.factorial(alike)
        total += arrangements * 2 ** sum(i > 0 for i in influence)
    assert total == A000609[n]


@pytest.mark.parametrize("n", [-1, 7, 2.0, True, "3"])
def test_threshold_functions_of_too_many(n: int) -> None:
    with pytest.raises(ParameterError, match="0 to 6"):
        logic.threshold_functions(n)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_every_function_is_decided_with_weights_or_proof(n: int) -> None:
    able = {tuple(f.table.outputs.tolist()) for f in logic.threshold_functions(n)}
    X = reference.rows(n)
    for number in range(2**2**n):
        table = [number >> r & 1 for r in range(2**n)]
        decision = logic.decide(table)
        assert bool(decision) == (tuple(map(bool, table)) in able)
        assert decision.verify()
        if decision.unit is None:
            assert reference.is_proof(X, table, decision.rows, decision.weights)
        else:
            assert [reference.fires(decision.weights, decision.unit.threshold, row) for row in X] == list(
                map(bool, table)
            )


def test_the_classes_of_four_variables_with_weights_or_proof() -> None:
    sizes = {True: 0, False: 0}
    classes = 0
    for table, size in reference.class_representatives(4):
        decision = logic.decide(table)
        if not decision:
            assert reference.is_proof(reference.rows(4), table, decision.rows, decision.weights)
        sizes[bool(decision)] += size
        classes += 1
    assert classes == 222
    assert sizes == {True: 1882, False: 2**16 - 1882}


@pytest.mark.parametrize("n", [6, 7, 8, 9, 10])
def test_larger_functions(n: int) -> None:
    draw = np.random.default_rng(n)
    X = np.array(reference.rows(n))
    able = logic.decide(X @ draw.integers(-20, 21, size=n) > 5)
    assert able
    assert able.verify()
    unable = logic.decide(draw.random(2**n) < 0.5)
    assert not unable
    assert reference.is_proof(X.tolist(), unable.y.tolist(), unable.rows, unable.weights)
    assert len(unable.rows) <= n + 2


def test_a_proof_can_be_wrong_and_is_then_refused() -> None:
    X, y = logic.xor()
    weight = Fraction(1)
    assert logic.Proof((0, 1, 2, 3), (weight,) * 4).verify(X, y)
    assert not logic.Proof((0, 1, 2), (weight,) * 3).verify(X, y)
    assert not logic.Proof((0, 1, 2, 3), (weight, weight, weight, 2 * weight)).verify(X, y)
    assert not logic.Proof((0, 1, 2, 3), (-weight,) * 4).verify(X, y)
    assert not logic.Proof((), ()).verify(X, y)
    with pytest.raises(DataError, match="same number"):
        decide_rows(X, y[:3] > 0)


def test_the_smallest_weights_are_found() -> None:
    assert logic.decide("00010111").weights == (1, 1, 1)  # majority
    assert sorted(map(abs, logic.decide([f >= 3 for f in (np.array(reference.rows(3)) @ [2, 1, 1])]).weights)) == [
        1,
        1,
        2,
    ]


# --------------------------------------------------------------------------------------- E3, E5. the limits


def test_e3_xor_needs_all_four_rows() -> None:
    a, b = logic.variables("a b")
    decision = logic.decide(a ^ b)
    assert not decision
    assert decision.rows == (0, 1, 2, 3)
    assert decision.weights == (1, 1, 1, 1)
    assert "No single unit can" in str(decision)


@pytest.mark.parametrize("n", range(2, 11))
def test_parity_cannot_and_can(n: int) -> None:
    limit = logic.parity(n)
    assert limit.y.tolist() == [sum(row) % 2 for row in reference.rows(n)]
    assert reference.is_proof(limit.X.tolist(), limit.y.tolist(), limit.proof.rows, limit.proof.weights)
    assert len(limit.network) == n // 2 + 1
    assert limit.verify()


@pytest.mark.parametrize(
    ("first", "second", "length"),
    [
        ("1101", "1011", 8),
        ("11", "101", 10),
        ("1010", "1100", None),
        ([1, 1, 0, 1], "1011", 12),
        ("110110", "111100", 6),
    ],
)
def test_e5_patterns_that_wrap_around_cannot_and_can(first: str, second: str, length: int | None) -> None:
    limit = logic.wraparound_limit(first, second, length)
    assert len({row.tobytes() for row in limit.X}) == len(limit.X)
    assert len(set(limit.X.sum(axis=1))) == 1
    assert reference.is_proof(limit.X.tolist(), limit.y.tolist(), limit.proof.rows, limit.proof.weights)
    assert limit.verify()
    assert not decide_rows(limit.X, limit.y > 0)
    for row, label in zip(limit.X, limit.y, strict=True):
        assert reference.run_network(limit.network, row.tolist()) == bool(label)


def test_patterns_that_one_unit_can_tell_apart_are_refused() -> None:
    with pytest.raises(DataError, match="2 and 3 pixels"):
        logic.wraparound_limit("11", "111", 6)
    with pytest.raises(DataError, match="shift of the first"):
        logic.wraparound_limit("110", "011", 6)
    with pytest.raises(ParameterError, match="at least 4"):
        logic.wraparound_patterns("1101", 3)
    with pytest.raises(ParameterError, match="0 and 1"):
        logic.wraparound_patterns("12", 3)
    with pytest.raises(ParameterError, match="at least 2"):
        logic.parity(1)


# ----------------------------------------------------------------------------------- E4. from a truth table


@pytest.mark.parametrize("n", range(1, 7))
def test_smallest_networks_say_what_the_table_says(n: int) -> None:
    draw = np.random.default_rng(n)
    for _ in range(4):
        table = draw.random(2**n) < draw.random()
        network = logic.smallest_network(table)
        assert [reference.run_network(network, row) for row in reference.rows(n)] == table.tolist()
        assert len(network) <= max(1, min(table.sum(), (~table).sum()))
        if logic.decide(table):
            assert len(network) == 1


def test_every_function_of_three_variables_takes_two_units_at_most() -> None:
    for number in range(256):
        table = [bool(number >> r & 1) for r in range(8)]
        network = logic.smallest_network(table)
        assert len(network) <= 2
        assert network.truth_table().outputs.tolist() == table


@pytest.mark.parametrize("n", [2, 5, 8, 12])
def test_parity_takes_half_as_many_units_as_bits(n: int) -> None:
    table = np.array([sum(row) % 2 for row in reference.rows(n)])
    network = logic.smallest_network(table)
    assert len(network) == n // 2 + 1
    assert np.array_equal(network.truth_table().outputs, table)


def test_variables_that_do_not_matter_are_left_out() -> None:
    a, b, c, d = logic.variables("a b c d")
    network = logic.smallest_network(logic.parse("(a ^ c) & (b | ~b) & (d | ~d)"))
    assert network.inputs == ("a", "c", "b", "d")
    assert len(network) == 2
    assert {s for unit in network.units for s in unit.sources} <= {"a", "c", "u1"}
    assert len(logic.smallest_network((a | ~a) & (b | c | d | ~d))) == 1


def test_a_larger_table_is_grown() -> None:
    table = np.random.default_rng(0).random(512) < 0.05
    network = logic.smallest_network(table)
    assert np.array_equal(network.truth_table().outputs, table)
