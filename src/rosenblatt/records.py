"""The records that pass between the stages: frozen, without behaviour; rows compare by identity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from rosenblatt.lazy import NDArray, np

if TYPE_CHECKING:
    Floats: TypeAlias = NDArray[np.float64]
    Values: TypeAlias = "NDArray[Any] | Csr"
    # A run ends separated, validated or with its budget spent; a stream stays open, and a signal interrupts.
    Status: TypeAlias = Literal["separated", "validated", "budget", "open", "interrupted"]
else:  # placeholders: naming them in an annotation imports nothing
    Floats = Values = Status = object


@dataclass(frozen=True, eq=False)
class Csr:
    """A sparse matrix by rows: row i holds entries indptr[i] to indptr[i+1] - 1."""

    indptr: NDArray[Any]
    indices: NDArray[Any]
    values: NDArray[Any]
    features: int

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.buffers[0]) - 1, self.features

    @property
    def entries(self) -> int:
        return len(self.buffers[1])

    @cached_property
    def buffers(self) -> tuple[Any, Any, Any]:
        """indptr, indices and values as the native core reads them: anything with the buffer protocol."""
        return self.indptr, self.indices, self.values


class ParsedCsr(Csr):
    """A CSR matrix in memory of the native core; numpy is loaded, and the arrays are made, on first access."""

    checked_rows: Any  # this matrix as native.Rows, where the parser has already checked it

    def __init__(self, indptr: Any, indices: Any, values: Any, features: int, checked_rows: Any = None) -> None:
        vars(self).update(buffers=(indptr, indices, values), features=features, checked_rows=checked_rows)

    @cached_property
    def indptr(self) -> NDArray[Any]:
        return np.asarray(self.buffers[0])

    @cached_property
    def indices(self) -> NDArray[Any]:
        return np.asarray(self.buffers[1])

    @cached_property
    def values(self) -> NDArray[Any]:
        return np.asarray(self.buffers[2])


@dataclass(frozen=True, eq=False)
class Block:
    """Examples in memory: their values, the index of the class of each, and how much each counts.

    Where a number is predicted, `targets` has that of each example, and all labels are 0.
    """

    values: Values
    labels: NDArray[np.int32]
    weights: Floats | None = None
    targets: Floats | None = field(default=None, kw_only=True)

    @property
    def rows(self) -> int:
        return len(self.buffers[0])

    @cached_property
    def buffers(self) -> tuple[Any, Any]:
        """Labels and weights as the native core reads them: anything with the buffer protocol."""
        return self.labels, self.weights

    @cached_property
    def target_buffer(self) -> Any:
        """Targets as the native core reads them, or None."""
        return self.targets


class _ParsedLabels:
    """Labels, weights and targets in memory of the native core; they become arrays on first access."""

    buffers: tuple[Any, Any]
    target_buffer: Any

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        return np.asarray(self.buffers[0])

    @cached_property
    def weights(self) -> Floats | None:
        return None if self.buffers[1] is None else np.asarray(self.buffers[1])

    @cached_property
    def targets(self) -> Floats | None:
        return None if self.target_buffer is None else np.asarray(self.target_buffer)


class ParsedBlock(_ParsedLabels, Block):
    """A block whose labels, weights and targets are in memory of the native core."""

    def __init__(self, values: Values, labels: Any, weights: Any = None, *, targets: Any = None) -> None:
        vars(self).update(values=values, buffers=(labels, weights), target_buffer=targets)


Label: TypeAlias = int | float | str


@dataclass(frozen=True)
class FeatureSpace:
    """What each column of a matrix means, so that a model can read new examples as it read its own.

    `index`: the feature numbers of the file, minus `index_base`. `columns`: named columns; a word column gives one
    feature `column=value` for each value in it. `hashed`: names or words hashed into 2**bits columns. Hashed columns
    may follow named ones: then they begin at column `len(columns)`.
    """

    kind: Literal["index", "columns", "hashed"]
    index_base: int = 0
    columns: tuple[str, ...] = ()
    bits: int = 0
    ngrams: int = 1
    shift: Floats | None = None  # of scaled columns: column j is (value - shift[j]) * scale[j]
    scale: Floats | None = None
    names: Mapping[int, str] = field(default_factory=dict, repr=False)  # of hashed columns
    settings: Mapping[str, Any] = field(default_factory=dict)  # what else the reader needs, as JSON values


def logs_of(space: FeatureSpace) -> Mapping[str, tuple[float, float]]:
    """The columns of a table that are learned by their logarithm, with centre and width; shift and scale come after."""
    logs: Mapping[str, tuple[float, float]] = space.settings.get("columns", {}).get("logs", {})
    return logs


@dataclass(frozen=True, eq=False)
class SourceBlock(Block):
    """Consecutive examples of a source.

    Its labels are positions in the `labels` of the source, which lists them in the order of their first occurrence; -1
    where an example has none.
    """

    first_row: int = 0  # rows of the source before this block
    bytes_read: int = 0  # bytes of the source up to the end of this block
    passed: Sequence[Any] = ()  # Arrow arrays: columns of the file that are passed through as they are
    names: Mapping[int, str] | None = None  # of the hashed columns, where the block is one row

    def with_class_indices(self, indices: Any) -> Block:
        """The examples with the indices of their classes as labels."""
        return ParsedBlock(self.values, indices, self.buffers[1], targets=self.target_buffer)


class ParsedSourceBlock(_ParsedLabels, SourceBlock):
    """A source block whose labels, weights and targets are in memory of the native core."""

    def __init__(
        self,
        values: Values,
        labels: Any,
        weights: Any,
        first_row: int,
        bytes_read: int,
        names: Mapping[int, str] | None = None,
        *,
        targets: Any = None,
    ) -> None:
        vars(self).update(values=values, buffers=(labels, weights), first_row=first_row, bytes_read=bytes_read)
        vars(self).update(names=names, target_buffer=targets)


@dataclass(frozen=True, eq=False)
class HonestScores:
    """Scores of examples that the run had not learned when it gave them: what a calibration may be fitted on.

    `out-of-fold`: by runs that learned the other folds; `held-out`: by the model itself, of rows that no run learned;
    `progressive`: of a sample of the examples, each just before it was learned. Both arrays are anything with the
    buffer protocol, in memory of the native core where the examples are: reading them needs no numpy.
    """

    scores: Any  # [example, unit], float64
    truth: Any  # [example], the index of the class, int32, or the number, float64
    kind: Literal["out-of-fold", "held-out", "progressive"]

    def __len__(self) -> int:
        return len(self.truth)


@dataclass(frozen=True, eq=False)
class MistakeLog:
    """One entry per update of a run, in order.

    Update k added coefficient[k] times example row[k] to the weights of unit[k], after t[k] examples; with
    learning_rate 'adagrad' and 'arow' each feature also had its own rate.
    """

    t: NDArray[np.uint64]
    row: NDArray[np.uint64]
    unit: NDArray[np.uint32]
    coefficient: Floats

    def __len__(self) -> int:
        return len(self.t)


class RunSummary(NamedTuple):
    """How a run went: its status, and how many epochs (n_iter), mistakes and examples (t) it took."""

    status: Status
    n_iter: int
    n_mistakes: int
    t: int
    mistakes: tuple[int, ...]
    loss: tuple[float, ...]
    mistake_log: MistakeLog | None = None
