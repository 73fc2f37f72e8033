"""The examples that moved a dual run, how far each moved which unit, and when."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import kernels
from rosenblatt.records import Csr, Floats, Values


@dataclass(frozen=True)
class Updates:
    """One entry an update: `coefficient` times the support example went to a unit, after `when` examples."""

    support: NDArray[np.int64]
    unit: NDArray[np.int32]
    coefficient: Floats
    when: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.support)

    def after(self, first: int) -> "Updates":
        """Those from a position on."""
        return Updates(self.support[first:], self.unit[first:], self.coefficient[first:], self.when[first:])


NONE = Updates(
    np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0), np.zeros(0, dtype=np.int64)
)


def joined(parts: list[Updates]) -> Updates:
    """In the order they were made; what was joined once is not copied again until more comes."""
    if len(parts) > 1:
        columns = [[getattr(part, name) for part in parts] for name in Updates.__dataclass_fields__]
        parts[:] = [Updates(*(np.concatenate(column) for column in columns))]
    return parts[0] if parts else NONE


@dataclass
class Rows:
    """Rows that become more, in one piece of memory so that one matrix product reads them all."""

    count: int = 0
    _dense: NDArray[Any] | None = None
    _sparse: list[Csr] = field(default_factory=list)

    def extend(self, values: Values) -> None:
        if isinstance(values, Csr):
            self._sparse.append(values)
            self.count += values.shape[0]
            return
        end = self.count + len(values)
        if self._dense is None or end > len(self._dense):
            grown = np.empty((max(64, 2 * end), *values.shape[1:]), dtype=values.dtype)
            if self._dense is not None:
                grown[: self.count] = self._dense[: self.count]
            self._dense = grown
        self._dense[self.count : end] = values
        self.count = end

    @property
    def values(self) -> Values:
        if self._dense is not None:
            return self._dense[: self.count]
        if len(self._sparse) > 1:
            lengths = np.concatenate([np.diff(part.indptr) for part in self._sparse])
            self._sparse = [
                Csr(
                    np.concatenate([[0], np.cumsum(lengths)]),
                    np.concatenate([part.indices[part.indptr[0] : part.indptr[-1]] for part in self._sparse]),
                    np.concatenate([part.values[part.indptr[0] : part.indptr[-1]] for part in self._sparse]),
                    self._sparse[0].features,
                )
            ]
        return self._sparse[0]

    def __getstate__(self) -> dict[str, Any]:
        if self.count == 0:
            return {"count": 0, "_dense": None, "_sparse": []}
        values = self.values
        is_sparse = isinstance(values, Csr)
        return {"count": self.count, "_dense": None if is_sparse else values, "_sparse": [values] if is_sparse else []}


class Support:
    """Support examples in the order of their first mistakes, and the coefficient of each in each unit."""

    def __init__(self, units: int) -> None:
        self.rows = Rows()
        self.origin = np.zeros(0, dtype=np.int64)  # row of X, counted over all rows visited when streaming
        self.coefficient: Floats = np.zeros((0, units))
        self.drift: Floats = np.zeros((0, units))  # sum of when * coefficient: coefficient - drift / t is the average

    def __len__(self) -> int:
        return self.rows.count

    def extend(self, values: Values, origin: NDArray[np.intp]) -> None:
        more = np.zeros((len(origin), self.coefficient.shape[1]))
        self.rows.extend(values)
        self.origin = np.concatenate([self.origin, origin])
        self.coefficient = np.concatenate([self.coefficient, more])
        self.drift = np.concatenate([self.drift, more])

    def move(self, updates: Updates) -> None:
        at = (updates.support, updates.unit)
        np.add.at(self.coefficient, at, updates.coefficient)
        np.add.at(self.drift, at, updates.coefficient * updates.when)


def add_scores(kernel: NDArray[Any], updates: Updates, intercept: bool, scores: Floats) -> None:
    """Add to scores, one line a unit, what the updates give each row."""
    kernels.dual_scores(kernel, updates.support, updates.unit, updates.coefficient, intercept, scores)


def sum_of(coefficient: Floats) -> Updates:
    """A matrix of coefficients as updates, one for each that is not 0."""
    support, unit = np.nonzero(coefficient)
    when = np.zeros(len(support), dtype=np.int64)
    return Updates(support.astype(np.int64), unit.astype(np.int32), coefficient[support, unit], when)
