"""The support of a kernel run: the examples that made updates, their coefficients, and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rosenblatt import native
from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.kernel.kernel_values import THREADS, Kernel, new_panel
from rosenblatt.readers.block_rows import stack_sparse
from rosenblatt.records import Csr, Floats, Values


@dataclass(frozen=True)
class Updates:
    """One entry per update: `coefficient` times the support example was added to a unit, after `when` examples."""

    support: NDArray[np.int64]
    unit: NDArray[np.int32]
    coefficient: Floats
    when: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.support)

    def after(self, first: int) -> Updates:
        """Those from a position on."""
        return Updates(self.support[first:], self.unit[first:], self.coefficient[first:], self.when[first:])

    def shifted(self, places: int) -> Updates:
        """The same with the positions of the support examples moved by `places`."""
        return Updates(self.support + places, self.unit, self.coefficient, self.when)


def joined(parts: list[Updates]) -> Updates:
    """All updates in order. The list is replaced by its joined updates, so that they are copied once."""
    if len(parts) > 1:
        columns = [[getattr(part, name) for part in parts] for name in Updates.__dataclass_fields__]
        parts[:] = [Updates(*(np.concatenate(column) for column in columns))]
    return parts[0] if parts else sum_of(np.zeros((0, 1)))


def sum_of(coefficient: Floats) -> Updates:
    """A matrix of coefficients as updates, one for each that is not 0."""
    support, unit = np.nonzero(coefficient)
    when = np.zeros(len(support), dtype=np.int64)
    return Updates(support.astype(np.int64), unit.astype(np.int32), coefficient[support, unit], when)


class Rows:
    """Support rows, which grow; contiguous, so that one matrix product reads them all."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.count = 0
        self._panel: Any = None
        self._dense: NDArray[Any] | None = None
        self._sparse: list[Csr] = []

    def extend(self, values: Values) -> None:
        if isinstance(values, Csr):
            self._sparse.append(values)
        elif self.kernel.skips_zeros:
            self._panel = new_panel(values) if self._panel is None else self._panel
            self._panel.extend(values)
        else:
            self._grow(values)
        self.count += values.shape[0]

    def _grow(self, values: NDArray[Any]) -> None:
        end = self.count + len(values)
        if self._dense is None or end > len(self._dense):
            grown = np.empty((max(64, 2 * end), *values.shape[1:]), dtype=values.dtype)
            if self._dense is not None:
                grown[: self.count] = self._dense[: self.count]
            self._dense = grown
        self._dense[self.count : end] = values

    @property
    def values(self) -> Values:
        """All of them, as plain rows."""
        if self._panel is not None:
            rows: NDArray[Any] = self._panel.rows()
            return rows
        if self._dense is not None:
            return self._dense[: self.count]
        if len(self._sparse) > 1:
            self._sparse = [stack_sparse(self._sparse)]
        return self._sparse[0]

    def kernel_with(self, values: Values, first: int = 0) -> NDArray[Any]:
        """Kernel values: one row for each support row from `first` on, one column for each of `values`."""
        if self._panel is not None:
            return self.kernel.through(self._panel, self._in_panel_type(values), lambda: self.values)[first:]
        rows = self.values
        if first:
            rows = self.kernel.take(rows, np.arange(first, self.count)) if isinstance(rows, Csr) else rows[first:]
        return self.kernel.between(rows, values)

    def add_scores(self, values: Values, updates: Updates, intercept: bool, scores: Floats) -> None:
        """Add what the updates contribute to the scores: one row per unit, one column per row of `values`."""
        if len(updates) == 0:
            return
        first = int(updates.support.min())
        if self._panel is None or self.kernel.name == "rbf":
            add_scores(self.kernel_with(values, first), updates.shifted(-first), intercept, scores)
            return
        by_support = np.argsort(updates.support, kind="stable")
        start = np.searchsorted(updates.support[by_support], np.arange(self.count + 1)).astype(np.int64)
        self._panel.add_sums(
            self._in_panel_type(values),
            first // 2,
            *self.kernel.power,
            THREADS,
            start,
            updates.unit[by_support],
            updates.coefficient[by_support],
            intercept,
            scores,
        )

    def _in_panel_type(self, values: Values) -> NDArray[Any]:
        assert not isinstance(values, Csr)
        single = isinstance(self._panel, native.SinglePanel)
        return np.ascontiguousarray(values, dtype=np.float32 if single else np.float64)

    def __getstate__(self) -> dict[str, Any]:
        return {"kernel": self.kernel, "values": self.values if self.count else None}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        Rows.__init__(self, state["kernel"])
        if state["values"] is not None:
            self.extend(state["values"])


def _same_rows(rows: Values, places: NDArray[np.intp], others: Values) -> NDArray[np.bool_]:
    """Is each row at these places equal to the other at the same position?"""
    if isinstance(rows, Csr) or isinstance(others, Csr):
        sparse = isinstance(rows, Csr) and isinstance(others, Csr)
        pairs = enumerate(places.tolist())
        return np.array([sparse and _entries(rows, place) == _entries(others, i) for i, place in pairs], dtype=bool)
    same = rows[places] == others
    equal: NDArray[np.bool_] = same if same.ndim == 1 else same.all(axis=1)
    return equal


def _entries(values: Values, row: int) -> tuple[bytes, bytes]:
    assert isinstance(values, Csr)
    part = slice(int(values.indptr[row]), int(values.indptr[row + 1]))
    return values.indices[part].astype(np.int64).tobytes(), values.values[part].astype(np.float64).tobytes()


class Support:
    """Support examples in the order of their first mistakes, and the coefficient of each in each unit."""

    def __init__(self, units: int, kernel: Kernel) -> None:
        self.rows = Rows(kernel)
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

    def places_in(self, values: Values) -> NDArray[np.int64]:
        """The place of each row among the support, -1 where it has none: a run that continues over the same rows finds
        those that made updates before."""
        places = np.full(values.shape[0], -1, dtype=np.int64)
        known = np.flatnonzero(self.origin < values.shape[0])[::-1]  # of two places of the same row the first is used
        if len(known) == 0:
            return places
        same = _same_rows(self.rows.values, known, self.rows.kernel.support(values, self.origin[known]))
        places[self.origin[known[same]]] = known[same]
        return places

    def move(self, updates: Updates) -> None:
        at = (updates.support, updates.unit)
        np.add.at(self.coefficient, at, updates.coefficient)
        np.add.at(self.drift, at, updates.coefficient * updates.when)


def add_scores(kernel: NDArray[Any], updates: Updates, intercept: bool, scores: Floats) -> None:
    """The same from kernel values that are already computed."""
    native.dual_scores(kernel, updates.support, updates.unit, updates.coefficient, intercept, scores)
