"""What passes between the stages: plain frozen records, no behaviour beyond looking at themselves."""

from collections.abc import Mapping
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


Label: TypeAlias = int | float | str


@dataclass(frozen=True)
class FeatureSpace:
    """What each column of a matrix means, so that a model can read new examples as it read its own.

    `index`: the file's own feature numbers, less `index_base`. `columns`: named columns; a word column gives one
    feature `column=value` for each value met. `hashed`: names or words hashed into 2**bits columns. `columns` may be
    followed by hashed ones: then the hashed begin at column `len(columns)`.
    """

    kind: Literal["index", "columns", "hashed"]
    index_base: int = 0
    columns: tuple[str, ...] = ()
    bits: int = 0
    ngrams: int = 1
    shift: Floats | None = None  # with --scale: column j is (value - shift[j]) * scale[j]
    scale: Floats | None = None
    names: Mapping[int, str] = field(default_factory=dict, repr=False)  # of hashed columns: a bounded dictionary
    settings: Mapping[str, Any] = field(default_factory=dict)  # what else the reader must know, as plain JSON values


@dataclass(frozen=True)
class Chunk:
    """Examples as a reader gives them, in the order of the file; labels are numbered in the order they were met."""

    values: Values
    labels: NDArray[np.int32]  # positions in the `labels` of the source; -1 where an example has none
    weights: Floats | None
    first_row: int  # rows of the source before this one
    done: int  # bytes of the source that are read when this chunk is learned


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
