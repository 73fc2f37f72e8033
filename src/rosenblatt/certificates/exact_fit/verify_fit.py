"""Checks of exact fits and of proofs that there is none. It trusts nothing that searched, and calls no native code."""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificates.exact_fit import modular
from rosenblatt.certificates.exact_fit.equations import Equations
from rosenblatt.certificates.points.points import ExactNumber
from rosenblatt.certificates.verify import exact_score
from rosenblatt.records import Csr

_AT_ONCE = 1 << 20  # numbers
_TRIES = 3  # primes; one in about two thousand million makes independent rows dependent
_FEW = 20_000  # numbers for which fractions are quicker than residues


def parts(equations: Equations) -> Iterator[tuple[int, NDArray[Any] | Csr]]:
    """The rows, some at a time: how many came before, and their numbers."""
    step = max(1, _AT_ONCE // max(equations.max_row_entries, 1))
    for first in range(0, equations.n_rows, step):
        yield first, equations.take(np.arange(first, min(first + step, equations.n_rows)))


def missed_modulo(equations: Equations, w: modular.Residues, b: int, prime: int, scale: int = 1) -> Iterator[int]:
    """The rows where w.x + b differs from scale * y modulo a prime, so that the numbers themselves differ too."""
    for first, part in parts(equations):
        target = modular.residues(equations.targets[first : first + part.shape[0]], prime) * (scale % prime) % prime
        yield from (first + np.flatnonzero(modular.products(part, w, b, prime) != target)).tolist()


def missed_row(equations: Equations, w: Sequence[Fraction], b: Fraction) -> int | None:
    """The first row where w.x + b differs from the target; None if every target is met exactly.

    Everything is scaled to integers. An integer of k bits that is 0 modulo more than k / 30 primes above 2^30 is 0.
    """
    has_few_numbers = equations.n_rows * equations.max_row_entries <= _FEW
    if has_few_numbers or equations.targets.dtype.kind == "O" or _numbers(equations).dtype.kind == "O":
        rows = (i for i in range(equations.n_rows) if exact_score(equations, i, w, b) != equations.exact_target(i))
        return next(rows, None)
    denominator = math.lcm(b.denominator, *(x.denominator for x in w))
    weights, bias = [int(x * denominator) for x in w], int(b * denominator)
    largest = max(_ceiling(_numbers(equations)), 1), _ceiling(equations.targets)
    size = (sum(map(abs, weights)) + abs(bias)) * largest[0] + denominator * largest[1]
    bits = size.bit_length() + max(_binary_places(_numbers(equations)), _binary_places(equations.targets))
    for _, prime in zip(range(bits // 30 + 1), modular.primes(), strict=False):
        of_weights = np.array([x % prime for x in weights], dtype=np.int64)
        missed = next(missed_modulo(equations, of_weights, bias % prime, prime, denominator), None)
        if missed is not None:
            return missed
    return None


def _numbers(equations: Equations) -> NDArray[Any]:
    return equations.values.values if isinstance(equations.values, Csr) else equations.values


def _ceiling(numbers: NDArray[Any]) -> int:
    """An integer not below the size of any number."""
    if not numbers.size:
        return 0
    low, high = float(numbers.min()), float(numbers.max())
    return max(abs(math.floor(low)), abs(math.ceil(high))) + 1024 * (numbers.dtype.kind in "iu")  # float() rounds


def _binary_places(numbers: NDArray[Any]) -> int:
    """Binary places after the point that are enough for every number."""
    if numbers.dtype.kind != "f":
        return 0
    exponents = np.frexp(numbers[numbers != 0].astype(np.float64))[1]
    return max(0, 53 - int(exponents.min(initial=53)))


def are_independent(equations: Equations, rows: Sequence[int]) -> bool:
    """Whether the rows (x, 1) are independent: they are, if they are modulo some prime."""
    if len(set(rows)) != len(rows) or not all(0 <= i < equations.n_rows for i in rows):
        return False
    for prime in islice(modular.primes(), _TRIES):
        basis = modular.ModularBasis(equations.n_features + 1, prime)
        with suppress(ValueError):  # the prime divides the denominator of a number
            if all(basis.add(row_residues(equations, i, prime)) for i in rows):
                return True
    return False


def augmented_row(equations: Equations, index: int) -> list[ExactNumber]:
    """(x, 1) of one row."""
    row = equations.exact_row(index)
    return [*(row.get(j, 0) for j in range(equations.n_features)), 1]


def row_residues(equations: Equations, index: int, prime: int) -> modular.Residues:
    return np.array([modular.residue(x, prime) for x in augmented_row(equations, index)], dtype=np.int64)


def refutes(equations: Equations, rows: Sequence[int], weights: Sequence[Fraction]) -> Fraction | None:
    """The weighted sum of the targets, if it is not 0 and that of (x, 1) is: then no linear function meets them all.

    For if w.x + b = y held in these rows, then sum weight * y = w . (sum weight * x) + b * (sum weight) = 0 (Fredholm's
    alternative; this is the easy half).
    """
    if not len(rows) or len(rows) != len(weights) or len(set(rows)) != len(rows):
        return None
    if not all(0 <= i < equations.n_rows for i in rows):
        return None
    total, balance, mismatch = dict[int, ExactNumber](), Fraction(0), Fraction(0)
    for i, weight in zip(rows, weights, strict=True):
        balance += weight
        mismatch += weight * equations.exact_target(i)
        for j, x in equations.exact_row(i).items():
            total[j] = total.get(j, 0) + weight * x
    return mismatch if mismatch and not balance and not any(total.values()) else None
