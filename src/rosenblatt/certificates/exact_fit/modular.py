"""Arithmetic modulo a prime, on whole arrays: it proves that numbers differ, and with enough primes that they do not.

A float is an integer times a power of two, and an odd prime divides no power of two, so every float has a residue. If
an integer is 0 modulo several primes whose product exceeds its size, it is 0.
"""

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificates.points.points import ExactNumber
from rosenblatt.records import Csr

Residues: TypeAlias = NDArray[np.int64]
_BITS = 31  # so that a product of two residues fits 64 bits


def primes() -> Iterator[int]:
    """Primes from 2^31 - 1 downwards."""
    for candidate in range(2**_BITS - 1, 2 ** (_BITS - 1), -2):
        if _is_prime(candidate):
            yield candidate


def _is_prime(n: int) -> bool:
    """Miller and Rabin's test, which with the bases 2, 3, 5 and 7 is certain below 3,215,031,751."""
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7):
        power = pow(base, odd, n)
        if power not in (1, n - 1) and all((power := power * power % n) != n - 1 for _ in range(twos - 1)):
            return False
    return True


def residue(number: ExactNumber, prime: int) -> int:
    """A number modulo a prime; ValueError if the prime divides its denominator."""
    if isinstance(number, int):
        return number % prime
    return number.numerator * pow(number.denominator, -1, prime) % prime


def residues(values: NDArray[Any], prime: int) -> Residues:
    """Every number modulo a prime; ValueError if the prime divides the denominator of one."""
    if values.dtype.kind == "O":
        flat = [residue(number, prime) for number in values.reshape(-1).tolist()]
        return np.array(flat, dtype=np.int64).reshape(values.shape)
    if values.dtype.kind == "u":
        return (values.astype(np.uint64) % np.uint64(prime)).astype(np.int64)
    if values.dtype.kind == "i":
        return values.astype(np.int64) % prime
    mantissa, exponent = np.frexp(values.astype(np.float64))
    integer = np.ldexp(mantissa, 53).astype(np.int64) % prime
    lowest, highest = int(exponent.min(initial=0)), int(exponent.max(initial=0))
    powers = np.array([pow(2, e - 53, prime) for e in range(lowest, highest + 1)], dtype=np.int64)
    result: Residues = integer * powers[exponent - lowest] % prime
    return result


def products(rows: NDArray[Any] | Csr, w: Residues, b: int, prime: int) -> Residues:
    """w.x + b of every row, modulo a prime."""
    if isinstance(rows, Csr):
        terms = residues(rows.values, prime) * w[rows.indices] % prime
        ends = np.concatenate([[0], np.cumsum(terms)])  # no overflow: 2^32 terms of 31 bits fit
        sums: Residues = ends[rows.indptr[1:]] - ends[rows.indptr[:-1]]
    else:
        sums = (residues(rows, prime) * w % prime).sum(axis=1)
    return (sums + b) % prime


class ModularBasis:
    """Independent rows of a matrix modulo a prime, in reduced echelon form: `echelon` is `transform` times the rows."""

    def __init__(self, n_columns: int, prime: int) -> None:
        self.prime = prime
        self.n_columns = n_columns
        self.pivots: list[int] = []  # the column of the leading 1 of each row
        self.echelon: Residues = np.zeros((0, n_columns), np.int64)
        self.transform: Residues = np.zeros((0, 0), np.int64)

    def add(self, row: Residues) -> bool:
        """Add a row, unless it depends on the others."""
        p, rank = self.prime, len(self.pivots)
        reduced, coefficients = row.copy(), np.zeros(rank, np.int64)
        for k, pivot in enumerate(self.pivots):
            factor = int(reduced[pivot])
            if factor:
                reduced = (reduced - factor * self.echelon[k]) % p
                coefficients = (coefficients - factor * self.transform[k]) % p
        nonzero = np.flatnonzero(reduced)
        if not len(nonzero):
            return False
        pivot = int(nonzero[0])
        inverse = pow(int(reduced[pivot]), -1, p)
        reduced = reduced * inverse % p
        own = np.append(coefficients * inverse % p, inverse)
        others = self.echelon[:, pivot : pivot + 1].copy()
        widened = np.pad(self.transform, ((0, 0), (0, 1)))
        self.echelon = np.vstack([(self.echelon - others * reduced) % p, reduced])
        self.transform = np.vstack([(widened - others * own) % p, own])
        self.pivots.append(pivot)
        return True

    def orthogonal(self, random: np.random.Generator) -> Residues:
        """A random vector whose product with every row is 0; with an independent row it almost certainly is not."""
        vector: Residues = random.integers(1, self.prime, self.n_columns, dtype=np.int64)
        vector[self.pivots] = 0
        vector[self.pivots] = -(self.echelon * vector % self.prime).sum(axis=1) % self.prime
        return vector

    def combination(self, at_pivots: Residues) -> Residues:
        """The coefficients with which the rows add up to other rows, given the numbers of these at the pivots."""
        total = np.zeros((len(at_pivots), len(self.pivots)), np.int64)
        for k, row in enumerate(self.transform):
            total = (total + at_pivots[:, k : k + 1] * row) % self.prime
        return total

    def solution(self, targets: Residues) -> Residues:
        """w with w.row = target for every row, 0 off the pivots."""
        w = np.zeros(self.n_columns, np.int64)
        w[self.pivots] = (self.transform * targets % self.prime).sum(axis=1) % self.prime
        return w
