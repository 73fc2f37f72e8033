"""Logic for the page: an expression or a truth table as a network of units, with every signal on every row."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rosenblatt import logic
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.logic.truth_table import as_table

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
    stages = _stages(table) if build == "learned" else []
    network = stages[-1][0] if stages else _built(given, table, "smallest" if is_table else build)
    if len(network) > MOST_UNITS:
        raise DataError(f"The studio draws up to {MOST_UNITS} units, and this network has {len(network)}.")
    grown = [_told(grown, table) | {"added": words} for grown, words in stages]
    return _told(network, table) | {"stages": grown, "decision": _decided(table)}


def _decided(table: logic.TruthTable) -> str:
    """Whether one unit can, in the names of the inputs.

    >>> _decided(logic.TruthTable(("a", "b"), "0001"))
    'One unit can: it fires when a + b > 1.5.'
    """
    found = logic.decide(table)
    return str(found) if found.unit is None else f"One unit can: it fires when {found.unit.formula(table.variables)}."


def _built(given: Any, table: logic.TruthTable, build: str) -> logic.Network:
    built: logic.Network = given.network if build == "written" else logic.smallest_network(table)
    return built


# -- learned, unit by unit ---------------------------------------------------------------------------------------------


def _stages(table: logic.TruthTable) -> list[tuple[logic.Network, str]]:
    """The network as it grows: after each step of the Upstart algorithm, with what the step has added."""
    from rosenblatt.estimators.threshold_network import ThresholdNetwork

    if len(set(table.outputs.tolist())) < 2:
        raise DataError("The function has the same value everywhere, so there is nothing to learn: choose another way.")
    found: list[tuple[logic.Network, str]] = []
    whole = ThresholdNetwork().fit(table.inputs, table.outputs)
    for most in range(1, min(whole.n_units_, MOST_UNITS) + 1):
        # the same seed makes the same choices, so fewer units are the beginning of the whole growth
        part = whole if most == whole.n_units_ else ThresholdNetwork(max_units=most).fit(table.inputs, table.outputs)
        before = len(found[-1][0]) if found else 0
        if len(part.growth_) > before:
            found.append((_renamed(part, table.variables), _added(part, before)))
    return found


def _names(grown: Any) -> dict[str, str]:
    """The units of a grown network are named in the order of their growth, so that a name stays when more come."""
    return {step.unit: f"u{k}" for k, step in enumerate(grown.growth_, start=1)}


def _added(grown: Any, before: int) -> str:
    names = _names(grown)
    said = []
    for step in grown.growth_[before:]:
        verb, _, mother = step.role.partition(" ")
        role = {"root": "learns the table by itself", "inhibits": "holds back", "excites": "pushes"}.get(verb, verb)
        said.append(f"{names[step.unit]} {role}{' ' + names[mother] if mother else ''}")
    return "; ".join(said)


def _renamed(grown: Any, variables: tuple[str, ...]) -> logic.Network:
    """The network of a learner with the variables' own names, and its units in the order of their growth."""
    network: logic.Network = grown.network_
    name = dict(zip(network.inputs, variables, strict=True)) | _names(grown)
    units = [
        replace(unit, name=name[unit.name], sources=tuple(name[source] for source in unit.sources))
        for unit in network.units
    ]
    return logic.Network(tuple(variables), tuple(units), tuple(name[unit] for unit in network.outputs))


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
    wrong = [r for r, row in enumerate(signals) if row[network.outputs[0]] != outputs[r]]
    return {
        "wrong": wrong,
        "inputs": list(table.variables),
        "units": units,
        "output": network.outputs[0],
        "rows": rows,
        "outputs": outputs,
        "signals": signals,
    }
