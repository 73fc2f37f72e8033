"""The oracle of logic: threshold units and counting, as simple as possible."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Any


def rows(n: int) -> list[tuple[int, ...]]:
    return list(product((0, 1), repeat=n))


def fires(weights: Sequence[Any], threshold: Any, row: Sequence[int]) -> bool:
    return sum(Fraction(w) * x for w, x in zip(weights, row, strict=True)) > Fraction(threshold)


def run_network(network: Any, row: Sequence[int]) -> bool:
    """The output of a network for one row, unit by unit."""
    values = dict(zip(network.inputs, row, strict=True))
    for unit in network.units:
        values[unit.name] = int(fires(unit.weights, unit.threshold, [values[s] for s in unit.sources]))
    return bool(values[network.outputs[0]])


def threshold_tables(n: int, largest: int) -> set[tuple[bool, ...]]:
    """The truth table of every unit with integer weights up to `largest`, by trying them all."""
    tables = set()
    for weights in product(range(-largest, largest + 1), repeat=n):
        sums = [sum(w * x for w, x in zip(weights, row, strict=True)) for row in rows(n)]
        for least in range(min(sums), max(sums) + 2):
            tables.add(tuple(s >= least for s in sums))
    return tables


def is_proof(X: Sequence[Sequence[int]], y: Sequence[int], chosen: Sequence[int], weights: Sequence[Any]) -> bool:
    """Whether the weights are positive and the signed sum of (row, 1) is zero: a proof of inseparability."""
    if not chosen or any(w <= 0 for w in weights):
        return False
    signed = [(w if y[r] else -w, [*X[r], 1]) for r, w in zip(chosen, weights, strict=True)]
    return all(sum(w * Fraction(int(x[j])) for w, x in signed) == 0 for j in range(len(X[0]) + 1))


def class_representatives(n: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """One table of each class under swapping and negating inputs and negating the output, and the class's size."""
    symmetries = list(_symmetries(n))
    seen: set[tuple[int, ...]] = set()
    for table in product((0, 1), repeat=2**n):
        if table not in seen:
            orbit = {symmetry(table) for symmetry in symmetries}
            orbit |= {tuple(1 - value for value in other) for other in orbit}
            seen |= orbit
            yield table, len(orbit)


def _symmetries(n: int) -> Iterator[Callable[[tuple[int, ...]], tuple[int, ...]]]:
    numbered = {row: r for r, row in enumerate(rows(n))}
    for order in permutations(range(n)):
        for flips in rows(n):
            places = [numbered[tuple(row[i] ^ flips[i] for i in order)] for row in rows(n)]
            yield lambda table, places=places: tuple(table[p] for p in places)  # type: ignore[misc]
