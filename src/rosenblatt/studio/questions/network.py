"""Logic for the page: an expression or a truth table as a network of units, with every signal on every row."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import logic
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.logic.truth_table import as_table
from rosenblatt.records import Floats
from rosenblatt.studio.playback.contours import Grid, read_picture

BUILDS = {
    "written": "one unit for each gate, as written",
    "smallest": "the smallest that is found",
    "learned": "grown by the Upstart algorithm",
}
MAX_VARIABLES, MAX_UNITS, MAX_LETTERS = 6, 60, 500
_GRID_COLUMNS = 120


def network(request: Mapping[str, Any]) -> dict[str, Any]:
    """The network for `text`, an expression or the outputs of a truth table; `build` is a key of `BUILDS`.

    >>> answer = network({"text": "a xor b"})
    >>> [unit["formula"] for unit in answer["units"]], answer["outputs"]
    (['a + b > 1.5', 'a + b - 2 u1 > 0.5'], [0, 1, 1, 0])
    >>> answer["signals"][2], answer["decision"][:19]
    ({'a': 1, 'b': 0, 'u1': 0, 'u2': 1}, 'No single unit can:')
    """
    table, built, stages = _built(request)
    shown_stages = [_describe(stage, table) | {"added": added} for stage, added in stages]
    return _describe(built, table) | {"stages": shown_stages, "decision": _decision(table)}


def _built(request: Mapping[str, Any]) -> tuple[logic.TruthTable, logic.Network, list[tuple[logic.Network, str]]]:
    """The truth table, the network, and the stages of its growth where it was learned."""
    text, build = _read_text(request), request.get("build", "written")
    if not isinstance(build, str) or build not in BUILDS:
        raise ParameterError(f"A network is built in one of these ways: {', '.join(BUILDS)}. Got {build!r} instead.")
    is_table = len(text) > 1 and set(text) <= {"0", "1"}
    expression = None if is_table else logic.parse(text)
    if expression is not None:
        _check_variables(expression.variables)  # before its table is computed, which doubles with each of them
    table = as_table(text if expression is None else expression)
    _check_variables(table.variables)
    stages = _growth_stages(table) if build == "learned" else []
    if stages:
        built = stages[-1][0]
    elif build == "written" and expression is not None:
        built = expression.network
    else:
        built = logic.smallest_network(table)
    if len(built) > MAX_UNITS:
        raise DataError(f"The studio draws up to {MAX_UNITS} units, and this network has {len(built)}.")
    return table, built, stages


def _read_text(request: Mapping[str, Any]) -> str:
    text = request.get("text")
    if not isinstance(text, str) or not text.strip() or len(text) > MAX_LETTERS:
        raise DataError(
            f"Write an expression, as in a & ~b, or the outputs of a table, as in 0110: up to {MAX_LETTERS} letters."
        )
    return text.strip()


def _check_variables(variables: tuple[str, ...]) -> None:
    if len(variables) > MAX_VARIABLES:
        raise DataError(f"The studio draws up to {MAX_VARIABLES} variables, and this has {len(variables)}.")


def _decision(table: logic.TruthTable) -> str:
    """Whether one unit can compute the table.

    >>> _decision(logic.TruthTable(("a", "b"), "0001"))
    'One unit can: it fires when a + b > 1.5.'
    """
    decision = logic.decide(table)
    if decision.unit is None:
        return decision.explain(count_from=1)
    return f"One unit can: it fires when {decision.unit.formula(table.variables)}."


def network_regions(request: Mapping[str, Any]) -> dict[str, Any]:
    """Where in the plane of its two inputs the output of a network fires; `stage` counts the steps of its growth.

    >>> picture = {"box": [-1, 2, -1, 2], "size": [300, 300]}
    >>> paths = network_regions({"text": "a xor b", "build": "learned", "stage": 1} | picture)["regions"]
    >>> len(paths), paths[1].startswith("M")
    (2, True)
    """
    table, built, stages = _built(request)
    networks = [grown for grown, _ in stages] or [built]
    stage = request.get("stage", len(networks) - 1)
    if len(table.variables) != 2:
        raise DataError(f"The plane has two inputs, and this network has {len(table.variables)}.")
    if not isinstance(stage, int) or isinstance(stage, bool) or not 0 <= stage < len(networks):
        raise ParameterError(f"The network has the steps 0 to {len(networks) - 1}. Got {stage!r} instead.")
    grid = Grid(*read_picture(request), _GRID_COLUMNS)
    shown = networks[stage]

    def fires(points: Floats) -> NDArray[np.bool_]:
        """Threshold units take any numbers as inputs, so the output is defined in the whole plane."""
        signals: dict[str, Any] = dict(zip(table.variables, points.T, strict=True))
        for unit in shown.units:
            total = sum(float(w) * signals[name] for w, name in zip(unit.weights, unit.sources, strict=True))
            signals[unit.name] = np.broadcast_to(total > float(unit.threshold), len(points)).astype(float)
        return np.asarray(signals[shown.outputs[0]] > 0.5)

    output: Floats = np.where(fires(grid.points), 0.5, -0.5)
    areas = [
        grid.area(output, -1.0, 0.0, lambda points: ~fires(points)),
        grid.area(output, 0.0, 1.0, fires),
    ]
    return {"regions": areas}


def _describe(network: logic.Network, table: logic.TruthTable) -> dict[str, Any]:
    names = [unit.name for unit in network.units]
    unit_signals = replace(network, outputs=tuple(names)).signals(list(table.inputs.T))
    rows = table.inputs.tolist()
    signals = [
        dict(zip(table.variables, row, strict=True)) | {name: int(unit_signals[k, r]) for k, name in enumerate(names)}
        for r, row in enumerate(rows)
    ]
    units = [
        {
            "name": unit.name,
            "kind": unit.kind,
            "layer": unit.layer,
            "sources": list(unit.sources),
            "weights": [float(weight) for weight in unit.weights],
            "threshold": float(unit.threshold),
            "formula": unit.unit.formula(unit.sources),
        }
        for unit in network.units
    ]
    outputs = [int(value) for value in table.outputs]
    return {
        "inputs": list(table.variables),
        "units": units,
        "output": network.outputs[0],
        "rows": rows,
        "outputs": outputs,
        "signals": signals,
        "wrong_rows": [r for r, row in enumerate(signals) if row[network.outputs[0]] != outputs[r]],
    }


# -- learned, unit by unit --------------------------------------------------------------------------------------------


def _growth_stages(table: logic.TruthTable) -> list[tuple[logic.Network, str]]:
    """The network after each step of the Upstart algorithm, and what the step added."""
    from rosenblatt.estimators.threshold_network import ThresholdNetwork

    if len(set(table.outputs.tolist())) < 2:
        raise DataError("The function has the same value everywhere, so there is nothing to learn: choose another way.")
    grown = ThresholdNetwork().fit(table.inputs, table.outputs)
    stages: list[tuple[logic.Network, str]] = []
    for n_units in range(1, min(grown.n_units_, MAX_UNITS) + 1):
        # The same seed makes the same choices, so a limit on the units gives the first steps of the full growth.
        limited = ThresholdNetwork(max_units=n_units)
        stage = grown if n_units == grown.n_units_ else limited.fit(table.inputs, table.outputs)
        n_before = len(stages[-1][0]) if stages else 0
        if len(stage.growth_) > n_before:
            stages.append((_with_variable_names(stage, table.variables), _added_units(stage, n_before)))
    return stages


def _unit_names(grown: Any) -> dict[str, str]:
    """Units are named u1, u2, ... in the order of their growth, so that a name stays the same in later stages."""
    return {step.unit: f"u{k}" for k, step in enumerate(grown.growth_, start=1)}


def _added_units(grown: Any, n_before: int) -> str:
    names = _unit_names(grown)
    verbs = {"root": "learns the table by itself", "inhibits": "holds back", "excites": "pushes"}
    added = []
    for step in grown.growth_[n_before:]:
        role, _, parent = step.role.partition(" ")
        added.append(f"{names[step.unit]} {verbs.get(role, role)}{' ' + names[parent] if parent else ''}")
    return "; ".join(added)


def _with_variable_names(grown: Any, variables: tuple[str, ...]) -> logic.Network:
    """The grown network with the table's variables as its inputs."""
    network: logic.Network = grown.network_
    name = dict(zip(network.inputs, variables, strict=True)) | _unit_names(grown)
    units = [
        replace(unit, name=name[unit.name], sources=tuple(name[source] for source in unit.sources))
        for unit in network.units
    ]
    return logic.Network(tuple(variables), tuple(units), tuple(name[unit] for unit in network.outputs))
