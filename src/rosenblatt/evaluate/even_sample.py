"""An even sample of a stream, in bounded memory."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


class EvenSample:
    """Every example of a stream; of more than `most` every second one, then every fourth, and so on."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.stride = 1
        self.seen = 0
        self._parts: list[tuple[NDArray[Any], ...]] = []

    def __len__(self) -> int:
        return sum(len(part[0]) for part in self._parts)

    def add(self, *columns: NDArray[Any]) -> None:
        """Take from a block of examples: the same columns each time, a row for each example."""
        at = slice(-self.seen % self.stride, None, self.stride)
        self._parts.append(tuple(column[at] for column in columns))
        self.seen += len(columns[0])
        while len(self) > self.most:
            self._parts = [tuple(column[::2] for column in self.columns())]
            self.stride *= 2

    def columns(self) -> tuple[NDArray[Any], ...]:
        """The columns of the sample; none if nothing was added."""
        if len(self._parts) > 1:
            self._parts = [tuple(np.concatenate(parts) for parts in zip(*self._parts, strict=True))]
        return self._parts[0] if self._parts else ()
