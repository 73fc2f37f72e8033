"""The tool's own random numbers: SplitMix64 in whole numbers, the same on every machine and in every version."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

MASK = (1 << 64) - 1


class Stream:
    """A stream of numbers that is decided by its name."""

    def __init__(self, name: str) -> None:
        self.state = (zlib.crc32(name.encode()) << 32 | zlib.crc32(name[::-1].encode())) & MASK

    def words(self, count: int) -> NDArray[np.uint64]:
        """The next 64-bit words."""
        steps = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        mixed = steps + np.uint64(self.state)
        self.state = (self.state + count * 0x9E3779B97F4A7C15) & MASK
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return mixed ^ (mixed >> np.uint64(31))

    def below(self, bound: int, *shape: int) -> NDArray[np.int64]:
        """Whole numbers from 0 to bound - 1."""
        count = int(np.prod(shape))
        return (self.words(count) % np.uint64(bound)).astype(np.int64).reshape(shape)

    def grid(self, *shape: int) -> NDArray[np.float64]:
        """Multiples of 1/4 between -4 and 4: sums and products of them are exact in floating point."""
        return (self.below(33, *shape) - 16) / 4.0

    def real(self, *shape: int) -> NDArray[np.float64]:
        """Numbers between -1 and 1 with all the bits that a float has."""
        count = int(np.prod(shape))
        return ((self.words(count) >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1.0).reshape(shape)

    def pick(self, options: list[str], count: int) -> list[str]:
        """Some of these texts, each as likely as the other."""
        return [options[place] for place in self.below(len(options), count).tolist()]
