"""A network of threshold units as words: every unit with its formula, and which of them fire on an example."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from rosenblatt import native
from rosenblatt.logic.cascades import network_of_cascade
from rosenblatt.model.model import check_width
from rosenblatt.model.network import NetworkModel
from rosenblatt.report.one_example import read_example
from rosenblatt.report.text.terminal import bold, line, plural

_UNITS_SHOWN = 40


def network_record(model: NetworkModel) -> dict[str, Any]:
    """What `explain` says of a network."""
    network = network_of_cascade(model.cascade, model.names, model.kinds)
    return {
        "classes": list(model.classes),
        "features": len(model.names),
        "feature_kind": model.space.kind,
        "status": model.status,
        "n_iter": model.n_iter,
        "units": [
            {
                "unit": unit.name,
                "kind": unit.kind,
                "layer": unit.layer,
                "weights": dict(zip(unit.sources, unit.weights, strict=True)),
                "threshold": unit.threshold,
            }
            for unit in network.units
        ],
        "outputs": list(network.outputs),
        "growth": [asdict(step) for step in model.growth],
        "provenance": dict(model.provenance),
    }


def network_lines(model: NetworkModel, path: str) -> Iterator[str]:
    """The same for a terminal."""
    network = network_of_cascade(model.cascade, model.names, model.kinds)
    yield bold(path) + f"  {' or '.join(map(str, model.classes[:8]))}"
    yield ""
    size = f"{plural(len(network), 'unit')} in {plural(len(network.layers), 'layer')}"
    yield line("network", f"{size}, from {plural(len(model.names), 'input')}")
    if model.growth:
        ended = "no error is left on its examples" if model.status == "separated" else "its units were spent before"
        yield line("status", f"{model.status}: {ended}")
    else:
        yield line("status", "built, not learned")
    yield ""
    shown = str(network).splitlines()
    left = len(shown) - _UNITS_SHOWN
    for words in shown if left <= 2 else [*shown[:_UNITS_SHOWN], f"... and {left - 1} more: --json has all", shown[-1]]:
        yield f"  {words}"


def network_example(model: NetworkModel, example: str) -> dict[str, Any]:
    """The decision about one example, and what each unit says of it."""
    values = check_width(read_example(model, example).values, len(model.names))
    everyone = replace(model.cascade, outputs=tuple(range(len(model.cascade.coef))))
    each = everyone.scores(native.rows_of(values))[0].tolist()
    scores = model.scores(values)
    decided = int(model.predicted_classes(scores)[0])
    of_class = float(scores[0, decided if len(model.classes) > 2 else 0])
    return {
        "label": model.classes[decided],
        "score": 0.0 - of_class if len(model.classes) == 2 and decided == 0 else of_class,
        "units": [
            {"unit": unit.name, "kind": unit.kind, "score": score, "fires": score > 0}
            for unit, score in zip(network_of_cascade(model.cascade, model.names, model.kinds).units, each, strict=True)
        ],
    }


def network_example_lines(record: dict[str, Any]) -> Iterator[str]:
    yield line("decided", f"{record['label']}, score {record['score']:.4g}")
    yield ""
    for unit in record["units"][:_UNITS_SHOWN]:
        says = "fires" if unit["fires"] else "is silent"
        yield f"  {unit['unit']:<6} {unit['kind']:<12} {says:<10} {unit['score']:.4g}"
    if len(record["units"]) > _UNITS_SHOWN:
        yield f"  ... and {len(record['units']) - _UNITS_SHOWN} more: --json has all"
