"""Which rows are held out: as many of every stretch of the file, at places that the seed and their number choose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt.lazy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def held_out(first: int, rows: int, share: float, seed: int) -> NDArray[np.bool_]:
    """One row of each stretch of 1/share rows, anywhere in it: a file whose rows alternate is held out fairly.

    >>> held_out(0, 20, 0.1, 0).sum(), held_out(0, 20, 0.1, 0).tolist() == held_out(0, 20, 0.1, 0).tolist()
    (np.int64(2), True)
    >>> held_out(0, 20, 1e-300, 1).sum()
    np.int64(0)
    """
    row = np.arange(first, first + rows)
    stretch = np.floor(row * share + 1e-9)
    begin, end = (np.ceil(np.minimum(edge / share, 2.0**62) - 1e-9).astype(np.int64) for edge in (stretch, stretch + 1))
    return np.asarray(row == begin + _chance(stretch.astype(np.uint64), seed) % (end - begin))


def _chance(number: NDArray[np.uint64], seed: int) -> NDArray[np.int64]:
    """A number that looks drawn at random for each (the finalizer of SplitMix64, Steele, Lea and Flood 2014)."""
    mixed = (number + np.uint64(seed << 32 & 2**64 - 1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(1)).astype(np.int64)
