"""From a truth table to a small network: several constructions, and the smallest network that they find."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.logic.cascades import cascade_of_trees, network_of_cascade
from rosenblatt.logic.network import Network, network_of
from rosenblatt.logic.one_unit import decide_rows
from rosenblatt.logic.truth_table import all_rows, as_table
from rosenblatt.logic.unit import Unit
from rosenblatt.logic.upstart import Upstart
from rosenblatt.records import Block

# The parts of a network: (kind, unit, sources), a source being the name of an input or the position of an earlier unit.
Parts: TypeAlias = list[tuple[str, Unit, Sequence[str | int]]]

# How large the weights are that the search for a direction tries, for up to so many variables.
_TRIED = ((4, 3), (6, 2), (8, 1))
_MOST_COVERED = 8  # variables: beyond, a cover takes too long to find, and a network is grown instead
_BOTH_SIDES = 6  # variables: up to here a cover of the false rows is tried as well
_QUICK = Settings(keep="last", order="given")
_EPOCHS = 20


def smallest_network(table: Any) -> Network:
    """A network for a truth table, of as few units as these constructions find:

    one unit, where one can (exactly decided); units that count along one direction, so that parity of n bits takes
    n/2 + 1 of them; or units that each fire on a part of the true rows only (or of the false ones) and together on
    all of them. Units may be fed by inputs and by units of any layer before.

    >>> print(smallest_network("0110"))
    unit  kind  fires when
    u1    unit  x1 + x2 > 1.5
    u2    unit  x1 + x2 - 2 u1 > 0.5
    output: u2
    """
    known = as_table(table)
    used = essential(known.outputs)
    names = [known.variables[i] for i in used]
    best = min(_candidates(*_restricted(known.outputs, len(known.variables), used), names), key=_size)
    return replace(best, inputs=known.variables)


def essential(outputs: NDArray[np.bool_]) -> list[int]:
    """The positions of the variables on which the function depends."""
    n = len(outputs).bit_length() - 1
    cube = outputs.reshape((2,) * n)
    return [i for i in range(n) if not np.array_equal(cube.take(0, axis=i), cube.take(1, axis=i))]


def _restricted(outputs: NDArray[np.bool_], n: int, used: Sequence[int]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The table of the variables that matter."""
    cube = outputs.reshape((2,) * n)
    kept = cube[tuple(slice(None) if i in used else 0 for i in range(n))]
    return all_rows(len(used)), np.ravel(kept)


def _candidates(X: NDArray[Any], y: NDArray[np.bool_], names: Sequence[str]) -> Iterator[Network]:
    decision = decide_rows(X, y)
    if decision.unit is not None:
        yield network_of(names, [("unit", decision.unit, names)])
        return
    n, fewest = X.shape[1], len(y)
    for construct in (_counting, _covering):
        if construct is _covering and n > _BOTH_SIDES and fewest <= n // 2 + 1:
            return  # counting did well, and a better cover is not worth the search
        for wanted in (y, ~y) if construct is _counting or n <= _BOTH_SIDES else (y,):
            parts = construct(X, wanted, names, fewest)
            if parts is not None:
                fewest = len(parts)
                yield network_of(names, parts if wanted is y else _negated(parts))
    if n > _MOST_COVERED:
        grower = Upstart(X.astype(np.float64), max_units=len(y), max_iter=100, seed=0)
        if grower.grow(y) == 0:
            yield network_of_cascade(cascade_of_trees([grower.nodes]), names)


def _size(network: Network) -> tuple[int, float]:
    return len(network), sum(abs(w) for wired in network.units for w in wired.weights)


def _negated(parts: Parts) -> Parts:
    kind, unit, sources = parts[-1]
    return [*parts[:-1], (kind, Unit([-w for w in unit.weights], threshold=-unit.threshold), sources)]


# -- units that count along a direction ------------------------------------------------------------------------------


def _counting(X: NDArray[Any], y: NDArray[np.bool_], names: Sequence[str], fewest: int) -> Parts | None:
    """Let y depend on p = w.x only, false for small p, and turn at p = k1 < k2 < ... < kT.

    T/2 hidden units fire from k2, k4, ... on, and each takes k_{j+1} - k_{j-1} from the sum of the last unit: what
    is left of p is at least k1 exactly where y is true.
    """
    found = _best_direction(X, y)
    if found is None:
        return None
    direction, turns, top = found
    if len(turns) // 2 + 1 >= fewest:
        return None
    if len(turns) % 2 == 0:
        turns = [*turns, top + 1]
    hidden = list(range(1, len(turns) - 1, 2))
    parts: Parts = [("unit", Unit(direction, threshold=turns[j] - 0.5), names) for j in hidden]
    taken = [turns[j - 1] - turns[j + 1] for j in hidden]
    last = Unit([*direction, *taken], threshold=turns[0] - 0.5)
    return [*parts, ("unit", last, [*names, *range(len(hidden))])]


def _best_direction(X: NDArray[Any], y: NDArray[np.bool_]) -> tuple[list[int], list[int], int] | None:
    """The direction of small whole weights with the fewest turns: its weights, where it turns, and its largest sum."""
    n = X.shape[1]
    reach = next((size for most, size in _TRIED if n <= most), None)
    directions = np.ones((1, n), dtype=np.int64)
    if reach is not None:
        sizes = [sign * size for size in range(1, reach + 1) for sign in (1, -1)]
        directions = np.array(list(product(sizes, repeat=n)), dtype=np.int64)
    best: tuple[int, int, int] | None = None
    for k, sums in enumerate(directions @ X.T.astype(np.int64)):
        order = np.lexsort((y, sums))
        values, turned = y[order], np.flatnonzero(np.diff(y[order].astype(np.int8)))
        if values[0] or (np.diff(sums[order])[turned] == 0).any():
            continue  # it begins with true, or rows with the same sum disagree
        rank = (len(turned), int(np.abs(directions[k]).sum()), k)
        best = rank if best is None or rank < best else best
    if best is None:
        return None
    direction = directions[best[2]]
    sums = X.astype(np.int64) @ direction
    order = np.lexsort((y, sums))
    turned = np.flatnonzero(np.diff(y[order].astype(np.int8)))
    return direction.tolist(), [int(sums[order][t + 1]) for t in turned], int(sums.max())


# -- units that each cover some true rows ----------------------------------------------------------------------------


def _covering(X: NDArray[Any], y: NDArray[np.bool_], names: Sequence[str], fewest: int) -> Parts | None:
    """Units that fire on true rows only, together on all of them; the last one also passes on what the others say."""
    units = _cover(X, y, fewest) if X.shape[1] <= _MOST_COVERED else []
    if not units:
        return None
    last = units[-1]
    loud = int(sum(abs(w) for w in last.weights) + abs(last.threshold)) + 1
    joined = Unit([*last.weights, *[loud] * (len(units) - 1)], threshold=last.threshold)
    parts: Parts = [("unit", unit, names) for unit in units[:-1]]
    return [*parts, ("unit", joined, [*names, *range(len(units) - 1)])]


def _cover(X: NDArray[Any], y: NDArray[np.bool_], fewest: int) -> list[Unit]:
    """Greedily: a unit takes in one cube of true rows after the other, nearest first, while one unit still can.

    Nothing is found when there is no cover of fewer units than are known already.
    """
    zeros, left = X[~y], y.copy()
    units: list[Unit] = []
    while left.any():
        if len(units) + 1 >= fewest:
            return []
        seed = int(np.argmax(left))
        held = _cube(X, zeros, seed)
        distance = (X[seed] != X).sum(axis=1)
        for row in np.flatnonzero(left)[np.argsort(distance[left], kind="stable")]:
            if not held[row]:
                grown = _grown(X, y, held | _cube(X, zeros, int(row)))
                held = held if grown is None else grown
        rows = held | ~y
        unit = decide_rows(X[rows], y[rows]).unit  # the perceptron's weights are good, the smallest are better
        assert unit is not None
        units.append(unit)
        left &= ~unit(X)
    return units


def _grown(X: NDArray[Any], y: NDArray[np.bool_], held: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """The true rows on which a unit fires that fires on those held and on no false row, if there is one.

    Where there is one the perceptron mostly finds it first; where there is none the exact decision mostly does.
    """
    used = held | ~y
    run = Run(_QUICK, X.shape[1], np.ones(2), 0, dense=True)
    run.fit(Block(np.ascontiguousarray(X[used], dtype=np.float64), y[used].astype(np.int32)), _EPOCHS)
    if run.status == "separated":
        fires: NDArray[np.bool_] = X @ run.final_weights.coef[0] + run.final_weights.intercept[0] > 0
        return fires
    unit = decide_rows(X[used], y[used]).unit
    return None if unit is None else unit(X)


def _cube(X: NDArray[Any], zeros: NDArray[Any], row: int) -> NDArray[np.bool_]:
    """The rows that agree with this one on as few variables as keep every false row out (a prime implicant)."""
    kept = np.ones(X.shape[1], dtype=bool)
    for i in range(X.shape[1]):
        kept[i] = False
        if (zeros[:, kept] == X[row, kept]).all(axis=1).any():
            kept[i] = True
    agree: NDArray[np.bool_] = (X[:, kept] == X[row, kept]).all(axis=1)
    return agree
