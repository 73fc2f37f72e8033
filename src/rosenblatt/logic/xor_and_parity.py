"""What one unit cannot do, with the proof, and a network that can: XOR, parity, patterns that wrap around."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.logic.network.network import Network, build_network
from rosenblatt.logic.one_unit.decide import Proof
from rosenblatt.logic.truth_table import all_rows
from rosenblatt.logic.unit import Unit


@dataclass(frozen=True)
class Limit:
    """Examples that no unit separates, the proof, and a network that does; `X, y = limit` unpacks the examples.

    Examples
    --------
    >>> from rosenblatt import logic
    >>> X, y = limit = logic.parity(3)
    >>> X.shape, len(limit.network.units)
    ((8, 3), 2)
    """

    X: NDArray[np.uint8]
    y: NDArray[np.int64]
    proof: Proof
    network: Network

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return iter((self.X, self.y))

    def verify(self) -> bool:
        """Check in exact arithmetic that the proof holds, and on every row that the network is right."""
        return self.proof.verify(self.X, self.y) and bool(np.array_equal(self.network(self.X), self.y > 0))


def xor() -> Limit:
    """The four rows of XOR, the proof that no unit separates them, and two units that do.

    Returns
    -------
    logic.Limit
        Examples, proof and network.

    Examples
    --------
    >>> X, y = xor()
    >>> y.tolist(), xor().verify()
    ([0, 1, 1, 0], True)
    """
    return parity(2)


def parity(n: int) -> Limit:
    """All rows of n bits, labelled 1 where an odd number of bits is on. No single unit can; n/2 + 1 units can.

    The proof: with the other bits off, the sum of rows 00 and 11 is the sum of rows 01 and 10.

    Parameters
    ----------
    n : int
        How many bits.

    Returns
    -------
    logic.Limit
        Examples, proof and network.

    Examples
    --------
    >>> limit = parity(4)
    >>> len(limit.X), limit.verify(), len(limit.network)
    (16, True, 3)
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 2:
        raise ParameterError(f"parity takes the number of bits, an int of at least 2. Got {n!r} instead.")
    X = all_rows(int(n))
    names = [f"x{i + 1}" for i in range(int(n))]
    ones = [1] * int(n)
    counters = [("unit", Unit(ones, threshold=k - 0.5), names) for k in range(2, int(n) + 1, 2)]
    # Of k bits that are on, two are taken away for each pair: 1 is left if k is odd.
    output = ("unit", Unit([*ones, *[-2] * len(counters)], threshold=0.5), [*names, *range(len(counters))])
    return Limit(
        X,
        X.sum(axis=1, dtype=np.int64) % 2,
        Proof((0, 1, 2, 3), (Fraction(1),) * 4),
        build_network(names, [*counters, output]),
    )


def wraparound_patterns(pattern: str | Sequence[int], length: int | None = None) -> NDArray[np.uint8]:
    """All cyclic shifts of a pattern of pixels, one row for each different shift.

    Parameters
    ----------
    pattern : str or sequence of bool
        The pixels.
    length : int, optional
        The length of the ring on which they are shifted; by default that of the pattern.

    Returns
    -------
    array of shape (n_shifts, length)
        A row for each different shift.

    Examples
    --------
    >>> wraparound_patterns("11", 4).tolist()
    [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 1]]
    """
    pixels = _check_pixels(pattern)
    size = len(pixels) if length is None else length
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < max(len(pixels), 1):
        raise ParameterError(
            f"The length must be an int of at least {len(pixels)}, the length of the pattern. Got {length!r} instead."
        )
    row = np.zeros(int(size), dtype=np.uint8)
    row[: len(pixels)] = pixels
    shifts = {tuple(np.roll(row, k).tolist()): None for k in range(int(size))}
    return np.array(list(shifts), dtype=np.uint8)


def wraparound_limit(first: str | Sequence[int], second: str | Sequence[int], length: int | None = None) -> Limit:
    """The cyclic shifts of two patterns with the same number of pixels on, labelled 0 and 1.

    No unit can tell them apart: over all shifts, either pattern turns every pixel on equally often, so the averages of
    both classes are the same point. A network with one hidden unit for each shift can.

    Parameters
    ----------
    first : str or sequence of bool
        A pattern of pixels.
    second : str or sequence of bool
        Another pattern, with the same number of pixels on.
    length : int, optional
        The length of the ring on which they are shifted; by default that of the longer pattern.

    Returns
    -------
    logic.Limit
        Examples, proof and network.

    Examples
    --------
    >>> limit = wraparound_limit("1101", "1011", 8)
    >>> limit.X.shape, limit.verify()
    ((16, 8), True)
    """
    size = max(len(_check_pixels(first)), len(_check_pixels(second))) if length is None else length
    classes = [wraparound_patterns(first, size), wraparound_patterns(second, size)]
    n_on = [int(rows[0].sum()) for rows in classes]
    if n_on[0] != n_on[1]:
        raise DataError(
            f"The patterns have {n_on[0]} and {n_on[1]} pixels on: they must have the same number, because one unit "
            "can tell different numbers apart."
        )
    if (classes[1] == classes[0][0]).all(axis=1).any():
        raise DataError("The second pattern is a shift of the first, so both classes have the same rows: change one.")
    X = np.vstack(classes)
    y = np.repeat([0, 1], [len(rows) for rows in classes])
    scale = math.lcm(*(len(rows) for rows in classes))
    weights = tuple(Fraction(scale // len(classes[label])) for label in y)
    return Limit(X, y, Proof(tuple(range(len(X))), weights), _shift_detector(classes[1]))


def _shift_detector(patterns: NDArray[np.uint8]) -> Network:
    """A unit for each pattern fires if all its pixels are on; the output fires if any of them does."""
    names = [f"x{i + 1}" for i in range(patterns.shape[1])]
    n_on = int(patterns[0].sum())
    units: list[Any] = []
    for pattern in patterns:
        pixels = [name for name, bit in zip(names, pattern, strict=True) if bit]
        units.append(("AND", Unit([1] * n_on, threshold=n_on - 0.5), pixels))
    hidden = range(len(units))
    return build_network(names, [*units, ("OR", Unit([1] * len(units), threshold=0.5), hidden)])


def _check_pixels(pattern: str | Sequence[int]) -> NDArray[np.uint8]:
    pixels = np.array([{"0": 0, "1": 1}.get(str(pixel), 2) for pixel in pattern], dtype=np.uint8)
    if not len(pixels) or (pixels > 1).any():
        raise ParameterError(f"A pattern must be written in 0 and 1, such as '1101'. Got {pattern!r} instead.")
    return pixels
