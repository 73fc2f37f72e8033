"""Logic for the page: an expression or a truth table as a network of units, with every signal on every row."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rosenblatt import logic
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.logic.table import as_table

BUILDS = {
    "written": "one unit for each gate, as written",
    "smallest": "as few units as can be found",
    "learned": "grown from the truth table by the Upstart algorithm",
}
MOST_VARIABLES, MOST_UNITS, MOST_LETTERS = 6, 60, 500


def gates(request: Mapping[str, Any]) -> dict[str, Any]:
    """A network for `text`, an expression or the outputs of a truth table; `build` says how it is made.

    >>> made = gates({"text": "a xor b"})
    >>> [unit["formula"] for unit in made["units"]], made["outputs"]
    (['a + b > 1.5', 'a + b - 2 u1 > 0.5'], [0, 1, 1, 0])
    >>> made["signals"][2], made["decision"][:19]
    ({'a': 1, 'b': 0, 'u1': 0, 'u2': 1}, 'No single unit can:')
    """
    text, build = request.get("text"), request.get("build", "written")
    if not isinstance(text, str) or not text.strip() or len(text) > MOST_LETTERS:
        raise DataError(
            f"Write an expression, as in a & ~b, or the outputs of a table, as in 0110: {MOST_LETTERS} letters at most."
        )
    if not isinstance(build, str) or build not in BUILDS:
        raise ParameterError(f"A network is built in one of these ways: {', '.join(BUILDS)}. Got {build!r} instead.")
    written = text.strip()
    is_table = len(written) > 1 and set(written) <= {"0", "1"}
    given: Any = written if is_table else logic.parse(written)
    if not is_table and len(given.variables) > MOST_VARIABLES:
        raise DataError(f"The studio draws up to {MOST_VARIABLES} variables, and this has {len(given.variables)}.")
    table = as_table(given)
    if len(table.variables) > MOST_VARIABLES:
        raise DataError(f"The studio draws up to {MOST_VARIABLES} variables, and this has {len(table.variables)}.")
    network, growth = _built(given, table, "smallest" if is_table and build == "written" else build)
    if len(network) > MOST_UNITS:
        raise DataError(f"The studio draws up to {MOST_UNITS} units, and this network has {len(network)}.")
    return _told(network, table) | {"growth": growth, "decision": str(logic.decide(table))}


def _built(given: Any, table: logic.TruthTable, build: str) -> tuple[logic.Network, list[str]]:
    if build == "written":
        return given.network, []
    if build == "smallest":
        return logic.smallest_network(table), []
    from rosenblatt.estimators import ThresholdNetwork

    if len(set(table.outputs.tolist())) < 2:
        raise DataError("The function has the same value everywhere, so there is nothing to learn: choose another way.")
    learned = ThresholdNetwork().fit(table.inputs, table.outputs)
    left = [(step.unit, step.role, step.errors) for step in learned.growth_]
    growth = [f"{unit} ({role}): {errors} {'error' if errors == 1 else 'errors'} left" for unit, role, errors in left]
    return _renamed(learned.network_, table.variables), growth


def _renamed(network: logic.Network, names: tuple[str, ...]) -> logic.Network:
    """The same network with the variables' own names."""
    name = dict(zip(network.inputs, names, strict=True))
    units = [
        replace(unit, sources=tuple(name.get(source, source) for source in unit.sources)) for unit in network.units
    ]
    return logic.Network(tuple(names), tuple(units), network.outputs)


def _told(network: logic.Network, table: logic.TruthTable) -> dict[str, Any]:
    names = [unit.name for unit in network.units]
    every = replace(network, outputs=tuple(names)).signals(list(table.inputs.T))
    rows = table.inputs.tolist()
    signals = [
        dict(zip(table.variables, row, strict=True)) | {name: int(every[k, r]) for k, name in enumerate(names)}
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
    }
