"""What passes between the stages: plain frozen records, no behaviour beyond looking at themselves."""

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
# A run ends separated, validated or with its budget spent; a stream stays open, and a signal interrupts.
Status: TypeAlias = Literal["separated", "validated", "budget", "open", "interrupted"]


@dataclass(frozen=True)
class Csr:
    """A sparse matrix by rows: row i holds entries indptr[i] to indptr[i+1] - 1."""

    indptr: NDArray[Any]
    indices: NDArray[Any]
    values: NDArray[Any]
    features: int

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.indptr) - 1, self.features


Values: TypeAlias = NDArray[Any] | Csr


@dataclass(frozen=True)
class Block:
    """Examples to learn from: their values, the index of each one's class, and how much each counts."""

    values: Values
    labels: NDArray[np.int32]
    weights: Floats | None = None


@dataclass(frozen=True)
class Trace:
    """The mistake log: one entry per update, in the order they were made.

    The update of entry k added coefficient[k] times example row[k] to the weights of unit[k], after t[k] examples; with
    learning_rate 'adagrad' and 'arow' each feature had its own rate besides.
    """

    t: NDArray[np.uint64]
    row: NDArray[np.uint64]
    unit: NDArray[np.uint32]
    coefficient: Floats

    def __len__(self) -> int:
        return len(self.t)


@dataclass(frozen=True)
class Run:
    """How a run went. Epochs, mistakes and examples are three different numbers."""

    status: Status
    n_iter: int
    n_mistakes: int
    t: int
    mistakes: tuple[int, ...]
    loss: tuple[float, ...]
    trace: Trace | None = field(default=None, repr=False)
