"""Gates, expressions, truth tables, networks that are built, and what a score costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import rosenblatt
from tools.golden.case import Case, refusal
from tools.golden.data.numbers import Stream
from tools.golden.groups.dual import network_facts, wires
from tools.golden.normalise.digest import rounded

EXPRESSIONS = (
    *("a", "~a", "a & b", "a | b", "a ^ b", "a -> b", "a <-> b", "~(a & b) & (a | b)", "a & b | c & d", "a ^ b ^ c"),
    *("x1 AND NOT x2", "not a or b and c", "a implies b implies c", "a iff ~b", "NAND(a, b)", "NOR(a, b, c)"),
    *("MAJORITY(a, b, c)", "at_least(2, a, b, c, d)", "a & 1", "a | 0", "(a | b) & (c | d) & ~e", "~~a", "a xor b"),
)  # fmt: skip
WRONG = ("a & (b |", "", "a b", "a &", "at_least(9, a)", "1a", "NAND()", "a ? b", "(a", "a)")
TABLES = ("01", "0110", "1001", "0001", "01111110", "00010111", "0110100110010110", "0000000100010111")


def cases() -> Iterator[Case]:
    for text in EXPRESSIONS:
        yield Case(f"logic/parse/{text}", lambda text=text: _expression(rosenblatt.logic.parse(text)))
        yield Case(f"logic/network/{text}", lambda text=text: _built(text))
        yield Case(f"logic/decide/{text}", lambda text=text: _decision(rosenblatt.logic.parse(text)))
    for text in WRONG:
        yield Case(f"logic/refused/{text!r}", lambda text=text: refusal(lambda: rosenblatt.logic.parse(text)))
    for table in dict.fromkeys([*TABLES, *_random_tables()]):
        yield Case(f"logic/decide/{table}", lambda table=table: _decision(table))
        yield Case(f"logic/smallest/{table}", lambda table=table: _network(rosenblatt.logic.smallest_network(table)))
    for number in (1, 2, 3):
        yield Case(f"logic/threshold-functions/{number}", lambda number=number: _functions(number))
    for number in (2, 3, 4, 5):
        yield Case(f"logic/parity/{number}", lambda number=number: _limit(rosenblatt.logic.parity(number)))
    yield Case("logic/limits/xor", lambda: _limit(rosenblatt.logic.xor()))
    for first, second, length in (("1101", "1011", 8), ("11", "101", 5), ("1", "1", 4)):
        yield Case(
            f"logic/limits/{first}-{second}-{length}",
            lambda first=first, second=second, length=length: _wrapped(first, second, length),
        )
    for name in ("AND", "OR", "NAND", "NOR", "MAJORITY", "NOT"):
        yield Case(f"logic/gates/{name}", lambda name=name: _gate(name))
    yield Case("logic/units", _units)
    for name in (*rosenblatt.losses.LOSSES, "absolute"):
        yield Case(f"logic/losses/{name}", lambda name=name: _loss(getattr(rosenblatt.losses, name)))


def _random_tables() -> list[str]:
    stream = Stream("truth tables")
    sizes = [4] * 6 + [8] * 14 + [16] * 20
    return ["".join(map(str, stream.below(2, size).tolist())) for size in sizes]


def _network(network: Any) -> Any:
    return {
        "inputs": list(network.inputs),
        "units": [wires(unit) for unit in network.units],
        "outputs": list(network.outputs),
        "table": network.truth_table().outputs,
        "layers": [[unit.name for unit in layer] for layer in network.layers],
    }


def _expression(expression: Any) -> Any:
    table = expression.truth_table()
    parts = {"text": expression.text, "variables": list(expression.variables), "outputs": table.outputs}
    if expression.variables:
        parts |= {"network": _network(expression.network), "compact": _network(expression.network.compact())}
        parts |= {"weights": expression.weights, "thresholds": expression.thresholds}
    return parts


def _built(text: str) -> Any:
    network = rosenblatt.ThresholdNetwork.from_expression(text)
    rows = [[place >> bit & 1 for bit in range(network.n_features_in_)] for place in range(2**network.n_features_in_)]
    return network_facts(network, np.array(rows, dtype=float))


def _decision(table: Any) -> Any:
    decision = rosenblatt.logic.decide(table)
    unit = None if decision.unit is None else [list(decision.unit.weights), decision.unit.bias]
    weights = [str(weight) for weight in decision.weights]
    return [bool(decision), unit, list(decision.rows), weights, decision.verify()]


def _functions(number: int) -> Any:
    functions = rosenblatt.logic.threshold_functions(number)
    return [[list(function.weights), function.threshold, function.table.outputs] for function in functions]


def _limit(limit: Any) -> Any:
    X, y = limit
    proof = [list(limit.proof.rows), [str(weight) for weight in limit.proof.weights]]
    return [np.asarray(X), np.asarray(y), proof, _network(limit.network), limit.verify()]


def _wrapped(first: str, second: str, length: int) -> Any:
    patterns = rosenblatt.logic.wraparound_patterns(first, length)
    try:
        return [patterns, _limit(rosenblatt.logic.wraparound_limit(first, second, length))]
    except ValueError:
        return [patterns, "refused"]


def _gate(name: str) -> Any:
    gate = getattr(rosenblatt.logic, name)
    counts = (1,) if name == "NOT" else (3, 5) if name == "MAJORITY" else (2, 3, 4)
    units = [gate.unit(count) for count in counts]
    return [[list(unit.weights), unit.bias, unit.threshold] for unit in units]


def _units() -> Any:
    unit = rosenblatt.logic.Unit([1, -2], threshold=0.5)
    rows = [[0.0, 0.0], [1.0, 0.25], [3.0, -1.0]]
    soft = rosenblatt.logic.Unit([1, 1], bias=-1.5, activation="sigmoid")
    plane = rosenblatt.logic.boundary_between(([2, 1], -1), ([1, 1], 1), names=["x", "y"])
    return [
        np.asarray(unit(rows)),
        np.asarray(unit.score(rows)),
        rounded(np.asarray(unit.distance(rows))),
        rounded(np.asarray(soft(rows))),
        [list(plane.weights), plane.bias],
    ]


def _loss(loss: Any) -> Any:
    margins = np.arange(-24, 25) / 8.0
    values = [loss(margins), loss.slope(margins), *loss.subdifferential(margins)]
    lowest = np.asarray(rosenblatt.losses.is_minimum(loss, margins))
    return [rounded(values), lowest, loss.name, loss.margin, loss.convex, rounded([loss(0.5), loss.slope(-1.0)])]
