"""What passes between the stages: plain frozen records, no behaviour beyond looking at themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rosenblatt.lazy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Values: TypeAlias = "NDArray[Any] | Csr"
    # A run ends separated, validated or with its budget spent; a stream stays open, and a signal interrupts.
    Status: TypeAlias = Literal["separated", "validated", "budget", "open", "interrupted"]
else:  # placeholders: naming them in an annotation imports nothing
    Floats = Values = Status = object


@dataclass(frozen=True)
class Csr:
    """A sparse matrix by rows: row i holds entries indptr[i] to indptr[i+1] - 1."""

    indptr: NDArray[Any]
    indices: NDArray[Any]
    values: NDArray[Any]
    features: int

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.memory[0]) - 1, self.features

    @property
    def entries(self) -> int:
        return len(self.memory[1])

    @cached_property
    def memory(self) -> tuple[Any, Any, Any]:
        """The three arrays as the native core reads them."""
        return self.indptr, self.indices, self.values


class ParsedCsr(Csr):
    """The same in memory of the native core: arrays, and numpy for them, are made when somebody asks."""

    checked: Any  # the same as rows that need no check, if somebody has made it

    def __init__(self, indptr: Any, indices: Any, values: Any, features: int, checked: Any = None) -> None:
        vars(self).update(memory=(indptr, indices, values), features=features, checked=checked)

    @cached_property
    def indptr(self) -> NDArray[Any]:
        return np.asarray(self.memory[0])

    @cached_property
    def indices(self) -> NDArray[Any]:
        return np.asarray(self.memory[1])

    @cached_property
    def values(self) -> NDArray[Any]:
        return np.asarray(self.memory[2])


@dataclass(frozen=True)
class Block:
    """Examples to learn from: their values, the index of each one's class, and how much each counts."""

    values: Values
    labels: NDArray[np.int32]
    weights: Floats | None = None

    @property
    def rows(self) -> int:
        return len(self.memory[0])

    @cached_property
    def memory(self) -> tuple[Any, Any]:
        """Labels and weights as the native core reads them."""
        return self.labels, self.weights


class _ParsedLabels:
    """Labels and weights in memory of the native core."""

    memory: tuple[Any, Any]

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        return np.asarray(self.memory[0])

    @cached_property
    def weights(self) -> Floats | None:
        return None if self.memory[1] is None else np.asarray(self.memory[1])


class ParsedBlock(_ParsedLabels, Block):
    """A block whose labels and weights become arrays when somebody asks."""

    def __init__(self, values: Values, labels: Any, weights: Any = None) -> None:
        vars(self).update(values=values, memory=(labels, weights))


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
class SourceBlock(Block):
    """Examples as a reader gives them, in the order of the file.

    Its labels are positions in the `labels` of the source, which are numbered in the order they were met; -1 where an
    example has none.
    """

    first_row: int = 0  # rows of the source before this one
    done: int = 0  # bytes of the source that are read when this chunk is learned

    def with_class_indices(self, labels: Any) -> Block:
        """The examples with the indices of their classes."""
        return ParsedBlock(self.values, labels, self.memory[1])


class ParsedSourceBlock(_ParsedLabels, SourceBlock):
    """A chunk whose labels and weights become arrays when somebody asks."""

    def __init__(self, values: Values, labels: Any, weights: Any, first_row: int, done: int) -> None:
        vars(self).update(values=values, memory=(labels, weights), first_row=first_row, done=done)


@dataclass(frozen=True)
class MistakeLog:
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
class RunSummary:
    """How a run went. Epochs, mistakes and examples are three different numbers."""

    status: Status
    n_iter: int
    n_mistakes: int
    t: int
    mistakes: tuple[int, ...]
    loss: tuple[float, ...]
    mistake_log: MistakeLog | None = field(default=None, repr=False)
