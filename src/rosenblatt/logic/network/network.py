"""Networks of threshold units: every unit with its weights, threshold and wiring, and evaluation on many rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.logic.truth_table import TruthTable, check_table_size
from rosenblatt.logic.unit import Unit

_BLOCK_ROWS = 1 << 15  # evaluated at a time, so that all signals stay in the cache


@dataclass(frozen=True)
class WiredUnit:
    """A unit in a network: its name, kind, sources and layer; layer 1 is fed by inputs only.

    Examples
    --------
    >>> from rosenblatt import logic
    >>> a, b = logic.variables("a b")
    >>> first = (~(a & b) & (a | b)).network.units[0]
    >>> first.name, first.kind, first.sources, first.layer
    ('u1', 'AND', ('a', 'b'), 1)
    """

    name: str
    kind: str
    unit: Unit
    sources: tuple[str, ...]
    layer: int

    @property
    def weights(self) -> tuple[float, ...]:
        return self.unit.weights

    @property
    def threshold(self) -> float:
        return self.unit.threshold

    def __str__(self) -> str:
        return f"{self.name} ({self.kind}) fires when {self.unit.formula(self.sources)}"


@dataclass(frozen=True)
class Network:
    """Threshold units, each after its sources; `outputs` names some of them.

    Examples
    --------
    >>> from rosenblatt import logic
    >>> a, b = logic.variables("a b")
    >>> network = (~(a & b) & (a | b)).network
    >>> network([[0, 1], [1, 1]]).tolist(), network.outputs
    ([True, False], ('u4',))
    """

    inputs: tuple[str, ...]
    units: tuple[WiredUnit, ...]
    outputs: tuple[str, ...]

    @cached_property
    def layers(self) -> tuple[tuple[WiredUnit, ...], ...]:
        """The units by depth: a unit of layer k is fed by inputs and by units of layers before k."""
        depth = max((unit.layer for unit in self.units), default=0)
        return tuple(tuple(u for u in self.units if u.layer == k) for k in range(1, depth + 1))

    @property
    def weights(self) -> dict[str, dict[str, float]]:
        """For each unit, the weight of each of its sources."""
        return {u.name: dict(zip(u.sources, u.weights, strict=True)) for u in self.units}

    @property
    def thresholds(self) -> dict[str, float]:
        """For each unit, the sum that it must exceed to fire."""
        return {u.name: u.threshold for u in self.units}

    def __len__(self) -> int:
        return len(self.units)

    def __str__(self) -> str:
        rows = [(u.name, u.kind, u.unit.formula(u.sources)) for u in self.units]
        widths = [max(len(row[i]) for row in [("unit", "kind", ""), *rows]) for i in (0, 1)]
        lines = [f"{'unit':<{widths[0]}}  {'kind':<{widths[1]}}  fires when"]
        lines += [f"{name:<{widths[0]}}  {kind:<{widths[1]}}  {formula}" for name, kind, formula in rows]
        lines.append(f"output: {', '.join(self.outputs)}")
        return "\n".join(lines)

    # -- evaluation -------------------------------------------------------------------------------------------------

    def signals(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
        """Whether each output fires, for rows of 0 and 1 given by their columns: one row for each output."""
        n_rows = len(columns[0]) if columns else 1
        fires = np.empty((len(self.outputs), n_rows), dtype=bool)
        unused_after = self._unused_after
        for start in range(0, n_rows, _BLOCK_ROWS):
            block = slice(start, min(start + _BLOCK_ROWS, n_rows))
            width = block.stop - start
            signals = {
                name: column[block].astype(bool).view(np.int8)
                for name, column in zip(self.inputs, columns, strict=True)
            }
            for position, wired in enumerate(self.units):
                signals[wired.name] = _fires(wired, signals, width)
                for name in unused_after[position]:
                    del signals[name]
            for k, name in enumerate(self.outputs):
                fires[k, block] = signals[name]
        return fires

    @cached_property
    def _unused_after(self) -> list[list[str]]:
        """The signals that no unit uses after each unit, to be freed: a deep network has many."""
        last_use = {name: position for position, u in enumerate(self.units) for name in u.sources}
        unused: list[list[str]] = [[] for _ in self.units]
        for name, position in last_use.items():
            if name not in self.outputs:
                unused[position].append(name)
        return unused

    def __call__(self, X: Any) -> NDArray[np.bool_]:
        """The first output on each row of a matrix of 0 and 1, one column for each input."""
        rows = np.asarray(X)
        if rows.ndim != 2 or rows.shape[1] != len(self.inputs):
            raise DataError(
                f"The network has {len(self.inputs)} inputs ({', '.join(self.inputs)}): its rows must be a matrix of "
                f"that many columns, but X has the shape {rows.shape}."
            )
        if not self.inputs:
            return np.full(len(rows), self.signals([])[0, 0])
        columns = [check_bits(rows[:, i], name) for i, name in enumerate(self.inputs)]
        fires: NDArray[np.bool_] = self.signals(columns)[0]
        return fires

    def truth_table(self) -> TruthTable:
        """The first output on every row of 0 and 1."""
        n = len(self.inputs)
        check_table_size(n)
        counter = np.arange(2**n)
        return TruthTable(self.inputs, self.signals([(counter >> (n - 1 - i)) & 1 for i in range(n)])[0])

    # -- fewer units ------------------------------------------------------------------------------------------------

    def compact(self) -> "Network":
        """The same function without NOT units whose targets can take a negative weight: w (1 - x) = w - w x."""
        negated: dict[str, str] = {}  # the NOT units left out, and their sources
        units: list[WiredUnit] = []
        for wired in self.units:
            rewired = _absorb_negations(wired, negated)
            if _is_not(rewired) and rewired.name not in self.outputs:
                negated[rewired.name] = rewired.sources[0]
            else:
                units.append(rewired)
        source: dict[str, str | int] = {name: name for name in self.inputs}
        source |= {u.name: k for k, u in enumerate(units)}
        parts = [(u.kind, u.unit, [source[name] for name in u.sources]) for u in units]
        return build_network(self.inputs, parts, [int(source[name]) for name in self.outputs])


def _fires(wired: WiredUnit, signals: Mapping[str, NDArray[np.int8]], width: int) -> NDArray[np.int8]:
    """Whether one unit fires on each row. Integer weights are summed in the narrowest integers that hold the sum."""
    reach = sum(abs(w) for w in wired.weights)
    is_integer = all(isinstance(w, int) for w in wired.weights)
    dtypes = [d for d in (np.int8, np.int16, np.int32, np.int64) if is_integer and reach < np.iinfo(d).max]
    dtype: Any = dtypes[0] if dtypes else np.float64
    total = np.zeros(width, dtype=dtype)
    for weight, name in zip(wired.weights, wired.sources, strict=True):
        if weight == 1:
            total += signals[name]
        elif weight == -1:
            total -= signals[name]
        elif weight:
            total += signals[name] * dtype(weight)
    threshold = wired.threshold
    if dtypes:  # an integer is above t if it is above floor(t), which is clipped to what the integers hold
        threshold = int(min(max(threshold // 1, -reach - 1), reach))
    return (total > threshold).view(np.int8)


def _is_not(wired: WiredUnit) -> bool:
    return len(wired.weights) == 1 and wired.weights[0] == -1 and -1 < wired.threshold < 0


def _absorb_negations(wired: WiredUnit, negated: Mapping[str, str]) -> WiredUnit:
    """Connect a unit to the sources of the NOT units that feed it; wires from the same source are joined."""
    weights: dict[str, float] = {}
    bias = wired.unit.bias
    for weight, name in zip(wired.weights, wired.sources, strict=True):
        if name in negated:
            name, weight, bias = negated[name], -weight, bias + weight
        weights[name] = weights.get(name, 0) + weight
    if tuple(weights) == wired.sources and tuple(weights.values()) == wired.weights:
        return wired
    kind = "unit" if any(name in negated for name in wired.sources) else wired.kind
    return replace(wired, unit=Unit(tuple(weights.values()), bias), sources=tuple(weights), kind=kind)


def build_network(
    inputs: Sequence[str], units: Sequence[tuple[str, Unit, Sequence[str | int]]], outputs: Sequence[int] = (-1,)
) -> Network:
    """The network of units (kind, unit, sources); a source is the name of an input or the position of a unit before."""
    prefix = "u"
    while any(name.startswith(prefix) and name[len(prefix) :].isdigit() for name in inputs):
        prefix += "_"
    layer_of = dict.fromkeys(inputs, 0)
    wired = []
    for k, (kind, unit, unit_sources) in enumerate(units):
        sources = tuple(source if isinstance(source, str) else f"{prefix}{source + 1}" for source in unit_sources)
        layer = 1 + max((layer_of[name] for name in sources), default=0)
        layer_of[f"{prefix}{k + 1}"] = layer
        wired.append(WiredUnit(f"{prefix}{k + 1}", kind, unit, sources, layer))
    return Network(tuple(inputs), tuple(wired), tuple(wired[k].name for k in outputs))


def check_bits(values: Any, name: str) -> NDArray[Any]:
    """The values as an array, if all are 0 and 1; else an error that says where they are not."""
    column = np.asarray(values)
    if column.dtype.kind == "b":
        return column
    if column.dtype.kind not in "iuf":
        raise ParameterError(f"The variable {name!r} must be 0, 1, a bool or an array of them. Got {values!r} instead.")
    if column.dtype.kind in "iu" and column.size and column.min() >= 0 and column.max() <= 1:
        return column
    wrong = (column != 0) & (column != 1)
    if wrong.any():
        index = np.unravel_index(int(np.argmax(wrong)), column.shape)
        where = f" at position {', '.join(str(int(i)) for i in index)}" if column.ndim else ""
        raise DataError(f"The variable {name!r} is {column[index]}{where}: a truth value is 0 or 1.")
    return column
