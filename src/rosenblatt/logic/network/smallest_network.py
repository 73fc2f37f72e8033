"""The function `smallest_network`: from a truth table to the smallest network that several constructions find."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.logic.network.cascade_conversion import cascade_from_trees, network_from_cascade
from rosenblatt.logic.network.network import Network, build_network
from rosenblatt.logic.network.upstart import Upstart
from rosenblatt.logic.one_unit.decide import decide_rows
from rosenblatt.logic.truth_table import all_rows, as_table
from rosenblatt.logic.unit import Unit
from rosenblatt.records import Block

# The parts of a network: (kind, unit, sources), a source being the name of an input or the position of an earlier unit.
Parts: TypeAlias = list[tuple[str, Unit, Sequence[str | int]]]

# (number of variables, largest weight that the search for a direction tries up to that number)
_MAX_WEIGHTS = ((4, 3), (6, 2), (8, 1))
_MAX_COVERED = 8  # variables: with more, finding a cover takes too long, and a network is grown instead
_BOTH_SIDES = 6  # variables: up to this many, a cover of the false rows is tried as well
_PERCEPTRON = Settings(keep="last", order="given")
_EPOCHS = 20


def smallest_network(table: Any) -> Network:
    """A network for a truth table, with the fewest units that these constructions find.

    They are: one unit, if one is enough (decided exactly); units that count along one direction, so that the parity of
    n bits takes n/2 + 1 of them; and units that each cover a part of the true rows, or of the false ones. Units may be
    fed by inputs and by units of any earlier layer.

    Parameters
    ----------
    table : logic.TruthTable, logic.Expression, or sequence of bool
        The function, or its outputs, such as ``"0110"``.

    Returns
    -------
    logic.Network
        It computes the table exactly.

    Examples
    --------
    >>> print(smallest_network("0110"))
    unit  kind  fires when
    u1    unit  x1 + x2 > 1.5
    u2    unit  x1 + x2 - 2 u1 > 0.5
    output: u2
    """
    truth_table = as_table(table)
    used = essential(truth_table.outputs)
    names = [truth_table.variables[i] for i in used]
    X, y = _restrict(truth_table.outputs, used)
    return replace(min(_candidates(X, y, names), key=_size), inputs=truth_table.variables)


def essential(outputs: NDArray[np.bool_]) -> list[int]:
    """The positions of the variables on which the function depends."""
    n = len(outputs).bit_length() - 1
    cube = outputs.reshape((2,) * n)
    return [i for i in range(n) if not np.array_equal(cube.take(0, axis=i), cube.take(1, axis=i))]


def _restrict(outputs: NDArray[np.bool_], used: Sequence[int]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The truth table of the variables on which the function depends."""
    n = len(outputs).bit_length() - 1
    cube = outputs.reshape((2,) * n)
    restricted = cube[tuple(slice(None) if i in used else 0 for i in range(n))]
    return all_rows(len(used)), np.ravel(restricted)


def _candidates(X: NDArray[Any], y: NDArray[np.bool_], names: Sequence[str]) -> Iterator[Network]:
    decision = decide_rows(X, y)
    if decision.unit is not None:
        yield build_network(names, [("unit", decision.unit, names)])
        return
    n, fewest = X.shape[1], len(y)
    for construct in (_counting, _covering):
        if construct is _covering and n > _BOTH_SIDES and fewest <= n // 2 + 1:
            return  # a cover is unlikely to be smaller, and takes long to find
        for target in (y, ~y) if construct is _counting or n <= _BOTH_SIDES else (y,):
            parts = construct(X, target, names, fewest)
            if parts is not None:
                fewest = len(parts)
                yield build_network(names, parts if target is y else _negate_output(parts))
    if n > _MAX_COVERED:
        grower = Upstart(X.astype(np.float64), max_units=len(y), max_iter=100, seed=0)
        if grower.grow(y) == 0:
            yield network_from_cascade(cascade_from_trees([grower.nodes]), names)


def _size(network: Network) -> tuple[int, float]:
    return len(network), sum(abs(w) for wired in network.units for w in wired.weights)


def _negate_output(parts: Parts) -> Parts:
    kind, unit, sources = parts[-1]
    return [*parts[:-1], (kind, Unit([-w for w in unit.weights], threshold=-unit.threshold), sources)]


# -- units that count along a direction ------------------------------------------------------------------------------


def _counting(X: NDArray[Any], y: NDArray[np.bool_], names: Sequence[str], fewest: int) -> Parts | None:
    """Let y depend on p = w.x only, be false for small p, and change at p = k1 < k2 < ... < kT.

    T/2 hidden units fire for p >= k2, p >= k4, ..., and each subtracts k_{j+1} - k_{j-1} from the sum of the output
    unit: what is left of p is at least k1 exactly where y is true.
    """
    best = _best_direction(X, y)
    if best is None:
        return None
    direction, changes, largest = best
    if len(changes) // 2 + 1 >= fewest:
        return None
    if len(changes) % 2 == 0:
        changes = [*changes, largest + 1]
    hidden = list(range(1, len(changes) - 1, 2))
    parts: Parts = [("unit", Unit(direction, threshold=changes[j] - 0.5), names) for j in hidden]
    subtracted = [changes[j - 1] - changes[j + 1] for j in hidden]
    output = Unit([*direction, *subtracted], threshold=changes[0] - 0.5)
    return [*parts, ("unit", output, [*names, *range(len(hidden))])]


def _best_direction(X: NDArray[Any], y: NDArray[np.bool_]) -> tuple[list[int], list[int], int] | None:
    """The direction of small integer weights with the fewest changes: its weights, the changes, and its largest sum."""
    n = X.shape[1]
    max_weight = next((weight for n_variables, weight in _MAX_WEIGHTS if n <= n_variables), None)
    directions = np.ones((1, n), dtype=np.int64)
    if max_weight is not None:
        weights = [sign * size for size in range(1, max_weight + 1) for sign in (1, -1)]
        directions = np.array(list(product(weights, repeat=n)), dtype=np.int64)
    best: tuple[int, int, int] | None = None
    for k, sums in enumerate(directions @ X.T.astype(np.int64)):
        order = np.lexsort((y, sums))
        changes = np.flatnonzero(np.diff(y[order].astype(np.int8)))
        if y[order][0] or (np.diff(sums[order])[changes] == 0).any():
            continue  # the smallest sum is true, or rows with the same sum disagree
        rank = (len(changes), int(np.abs(directions[k]).sum()), k)
        best = rank if best is None or rank < best else best
    if best is None:
        return None
    direction = directions[best[2]]
    sums = X.astype(np.int64) @ direction
    order = np.lexsort((y, sums))
    changes = np.flatnonzero(np.diff(y[order].astype(np.int8)))
    return direction.tolist(), [int(sums[order][k + 1]) for k in changes], int(sums.max())


# -- units that each cover some true rows ----------------------------------------------------------------------------


def _covering(X: NDArray[Any], y: NDArray[np.bool_], names: Sequence[str], fewest: int) -> Parts | None:
    """Units that fire on true rows only, and together on all of them; the last one also fires if any other does."""
    units = _cover(X, y, fewest) if X.shape[1] <= _MAX_COVERED else []
    if not units:
        return None
    last = units[-1]
    decisive = int(sum(abs(w) for w in last.weights) + abs(last.threshold)) + 1
    joined = Unit([*last.weights, *[decisive] * (len(units) - 1)], threshold=last.threshold)
    parts: Parts = [("unit", unit, names) for unit in units[:-1]]
    return [*parts, ("unit", joined, [*names, *range(len(units) - 1)])]


def _cover(X: NDArray[Any], y: NDArray[np.bool_], fewest: int) -> list[Unit]:
    """A greedy cover: each unit takes in one cube of true rows after another, nearest first, while one unit can.

    Empty if it would need at least `fewest` units.
    """
    false_rows, uncovered = X[~y], y.copy()
    units: list[Unit] = []
    while uncovered.any():
        if len(units) + 1 >= fewest:
            return []
        seed = int(np.argmax(uncovered))
        covered = _cube(X, false_rows, seed)
        distance = (X[seed] != X).sum(axis=1)
        for row in np.flatnonzero(uncovered)[np.argsort(distance[uncovered], kind="stable")]:
            if not covered[row]:
                extended = _fires_on(X, y, covered | _cube(X, false_rows, int(row)))
                covered = covered if extended is None else extended
        rows = covered | ~y
        unit = decide_rows(X[rows], y[rows]).unit  # with smaller weights than the perceptron's
        assert unit is not None
        units.append(unit)
        uncovered &= ~unit(X)
    return units


def _fires_on(X: NDArray[Any], y: NDArray[np.bool_], required: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """The rows on which some unit fires that fires on the required rows and on no false row; None if there is none.

    If there is one, the perceptron usually finds it faster; if there is none, the exact decision proves it.
    """
    rows = required | ~y
    run = Run(_PERCEPTRON, X.shape[1], np.ones(2), 0, dense=True)
    run.fit(Block(np.ascontiguousarray(X[rows], dtype=np.float64), y[rows].astype(np.int32)), _EPOCHS)
    if run.status == "separated":
        fires: NDArray[np.bool_] = X @ run.final_weights.coef[0] + run.final_weights.intercept[0] > 0
        return fires
    unit = decide_rows(X[rows], y[rows]).unit
    return None if unit is None else unit(X)


def _cube(X: NDArray[Any], false_rows: NDArray[Any], row: int) -> NDArray[np.bool_]:
    """A cube of true rows around this one: fixing fewer variables would let a false row in (a prime implicant)."""
    fixed = np.ones(X.shape[1], dtype=bool)
    for i in range(X.shape[1]):
        fixed[i] = False
        if (false_rows[:, fixed] == X[row, fixed]).all(axis=1).any():
            fixed[i] = True
    in_cube: NDArray[np.bool_] = (X[:, fixed] == X[row, fixed]).all(axis=1)
    return in_cube
