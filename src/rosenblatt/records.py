"""What passes between the stages: plain frozen records, no behaviour beyond looking at themselves."""

from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass, field
from typing import Any, Literal, TypeAlias, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
Floats: TypeAlias = NDArray[np.float64]
# A run ends separated, validated or with its budget spent; a stream stays open, and a signal interrupts.
Status: TypeAlias = Literal["separated", "validated", "budget", "open", "interrupted"]


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """`dataclass(frozen=True)`, declared in a fifth of the time: only `__init__` is compiled for the class, the rest is
    shared. A command declares some twenty of them before it begins.
    """
    made = dataclass(repr=False, eq=False)(cls)
    for method in (_repr, _eq, _hash, _setattr, _delattr):
        name = f"_{method.__name__}__"
        if name not in vars(cls):
            setattr(made, name, method)
    return made


def _repr(self: Any) -> str:
    shown = (f"{name}={getattr(self, name)!r}" for name, of in self.__dataclass_fields__.items() if of.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _eq(self: Any, other: object) -> bool:
    return _compared(self) == _compared(other) if type(self) is type(other) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _setattr(self: Any, name: str, value: Any) -> None:
    """Each field once, by `__init__`."""
    if name in vars(self) or name not in self.__dataclass_fields__:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _delattr(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _compared(of: Any) -> tuple[Any, ...]:
    return tuple(getattr(of, name) for name, field in of.__dataclass_fields__.items() if field.compare)


@record
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


@record
class Block:
    """Examples to learn from: their values, the index of each one's class, and how much each counts."""

    values: Values
    labels: NDArray[np.int32]
    weights: Floats | None = None


Label: TypeAlias = int | float | str


@record
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


@record
class Chunk:
    """Examples as a reader gives them, in the order of the file; labels are numbered in the order they were met."""

    values: Values
    labels: NDArray[np.int32]  # positions in the `labels` of the source; -1 where an example has none
    weights: Floats | None
    first_row: int  # rows of the source before this one
    done: int  # bytes of the source that are read when this chunk is learned


@record
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


@record
class Run:
    """How a run went. Epochs, mistakes and examples are three different numbers."""

    status: Status
    n_iter: int
    n_mistakes: int
    t: int
    mistakes: tuple[int, ...]
    loss: tuple[float, ...]
    trace: Trace | None = field(default=None, repr=False)
