"""Networks of threshold units: every unit with its weights, its threshold and its wiring; evaluated on many rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.logic.truth_table import TruthTable, refuse_large
from rosenblatt.logic.unit import Unit

# Rows at a time: every signal of a block stays in the cache, and memory does not grow with the number of rows.
_BLOCK = 1 << 15


@dataclass(frozen=True)
class WiredUnit:
    """A unit in its place: its name, what it is, where its inputs come from, how many units deep it lies."""

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
    """Threshold units in an order in which each comes after its sources; the outputs are named among them."""

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
        """Which units fire on each row of 0 and 1 given by its columns: one row of answers for each output."""
        rows = len(columns[0]) if columns else 1
        found = np.empty((len(self.outputs), rows), dtype=bool)
        last_use = self._last_use
        for start in range(0, rows, _BLOCK):
            block = slice(start, min(start + _BLOCK, rows))
            width = block.stop - start
            known = {
                name: column[block].astype(bool).view(np.int8)
                for name, column in zip(self.inputs, columns, strict=True)
            }
            for position, wired in enumerate(self.units):
                known[wired.name] = _fires(wired, known, width)
                for name in last_use[position]:
                    del known[name]
            for k, name in enumerate(self.outputs):
                found[k, block] = known[name]
        return found

    @cached_property
    def _last_use(self) -> list[list[str]]:
        """The signals that nobody asks for after each unit, so that a deep network does not keep them all."""
        last = {name: position for position, u in enumerate(self.units) for name in u.sources}
        gone: list[list[str]] = [[] for _ in self.units]
        for name, position in last.items():
            if name not in self.outputs:
                gone[position].append(name)
        return gone

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
        found: NDArray[np.bool_] = self.signals(columns)[0]
        return found

    def truth_table(self) -> TruthTable:
        """What the first output says on every row of 0 and 1."""
        n = len(self.inputs)
        refuse_large(n)
        counter = np.arange(2**n)
        return TruthTable(self.inputs, self.signals([(counter >> (n - 1 - i)) & 1 for i in range(n)])[0])

    # -- fewer units ------------------------------------------------------------------------------------------------

    def compact(self) -> "Network":
        """The same function without NOT units where others can take a negative weight: w (1 - x) = w - w x."""
        alias: dict[str, tuple[str, bool]] = {}
        kept: list[WiredUnit] = []
        for wired in self.units:
            turned = _absorb(wired, alias)
            if _is_not(turned) and turned.name not in self.outputs:
                alias[turned.name] = (turned.sources[0], True)
            else:
                kept.append(turned)
        place: dict[str, str | int] = {name: name for name in self.inputs}
        place |= {u.name: k for k, u in enumerate(kept)}
        units = [(u.kind, u.unit, [place[name] for name in u.sources]) for u in kept]
        return network_of(self.inputs, units, [int(place[name]) for name in self.outputs])


def _fires(wired: WiredUnit, known: Mapping[str, NDArray[np.int8]], width: int) -> NDArray[np.int8]:
    """The answers of one unit; whole weights are summed in the smallest integers that hold them, which is quickest."""
    reach = sum(abs(w) for w in wired.weights)
    exact = all(isinstance(w, int) for w in wired.weights)
    kinds = [kind for kind in (np.int8, np.int16, np.int32, np.int64) if exact and reach < np.iinfo(kind).max]
    kind: Any = kinds[0] if kinds else np.float64
    total = np.zeros(width, dtype=kind)
    for weight, name in zip(wired.weights, wired.sources, strict=True):
        if weight == 1:
            total += known[name]
        elif weight == -1:
            total -= known[name]
        elif weight:
            total += known[name] * kind(weight)
    limit = wired.threshold
    if kinds:  # a whole sum is above t when it is above the whole part of t, which must be within the integers' reach
        limit = int(min(max(limit // 1, -reach - 1), reach))
    return (total > limit).view(np.int8)


def _is_not(wired: WiredUnit) -> bool:
    return len(wired.weights) == 1 and wired.weights[0] == -1 and -1 < wired.threshold < 0


def _absorb(wired: WiredUnit, alias: Mapping[str, tuple[str, bool]]) -> WiredUnit:
    """Take the sources of NOT units directly; equal sources are joined, so nothing else changes."""
    weights: dict[str, float] = {}
    bias = wired.unit.bias
    for weight, name in zip(wired.weights, wired.sources, strict=True):
        source, negated = alias.get(name, (name, False))
        if negated:
            bias += weight
        weights[source] = weights.get(source, 0) + (-weight if negated else weight)
    changed = tuple(weights) != wired.sources or tuple(weights.values()) != wired.weights
    if not changed:
        return wired
    unit = Unit(tuple(weights.values()), bias)
    mixed = any(negated for _, negated in (alias.get(name, (name, False)) for name in wired.sources))
    return replace(wired, unit=unit, sources=tuple(weights), kind="unit" if mixed else wired.kind)


def network_of(
    inputs: Sequence[str], units: Sequence[tuple[str, Unit, Sequence[str | int]]], outputs: Sequence[int] = (-1,)
) -> Network:
    """Wire units given as (kind, unit, sources); a source is an input by name or an earlier unit by position."""
    stem = "u"
    while any(name.startswith(stem) and name[len(stem) :].isdigit() for name in inputs):
        stem += "_"
    depth = dict.fromkeys(inputs, 0)
    wired = []
    for k, (kind, unit, places) in enumerate(units):
        sources = tuple(place if isinstance(place, str) else f"{stem}{place + 1}" for place in places)
        layer = 1 + max((depth[name] for name in sources), default=0)
        depth[f"{stem}{k + 1}"] = layer
        wired.append(WiredUnit(f"{stem}{k + 1}", kind, unit, sources, layer))
    return Network(tuple(inputs), tuple(wired), tuple(wired[k].name for k in outputs))


def check_bits(values: Any, name: str) -> NDArray[Any]:
    """An array of 0 and 1 as it is; anything else is refused with its place."""
    column = np.asarray(values)
    if column.dtype.kind == "b":
        return column
    if column.dtype.kind not in "iuf":
        raise ParameterError(f"The variable {name!r} must be 0, 1, a bool or an array of them. Got {values!r} instead.")
    if column.dtype.kind in "iu" and column.size and column.min() >= 0 and column.max() <= 1:
        return column
    wrong = (column != 0) & (column != 1)
    if wrong.any():
        place = np.unravel_index(int(np.argmax(wrong)), column.shape)
        where = f" at position {', '.join(str(int(i)) for i in place)}" if column.ndim else ""
        raise DataError(f"The variable {name!r} is {column[place]}{where}: a truth value is 0 or 1.")
    return column
