"""What a model has learned, and why it decides as it does about one example, as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rosenblatt.model.linear import LinearModel
from rosenblatt.report.summary import STATUS, top_weights
from rosenblatt.report.text.layout import bold, clip, named_line, plural
from rosenblatt.report.text.weights import contribution_lines, weight_columns

if TYPE_CHECKING:
    from rosenblatt.model.network import NetworkModel

_UNITS_SHOWN = 40
_FEATURES_SHOWN = 10  # unless asked for another number


def model_lines(model: LinearModel, path: str, top: int) -> Iterator[str]:
    """What a linear model is, and the `top` features of each class."""
    run, settings = model.summary, model.settings
    yield bold(path) + f"  {' or '.join(clip(str(label)) for label in model.classes[:8])}"
    yield ""
    rule = f"{settings.loss} loss, {settings.learning_rate} rate, {settings.keep} kept"
    yield named_line("learned", f"{rule}, from {describe_features(model)}")
    visits = f"{plural(run.n_iter, 'pass')}, {plural(run.t, 'example')}"
    yield named_line("run", f"{visits}, {plural(run.n_mistakes, 'mistake')}")
    yield named_line("status", f"{run.status}: {STATUS[run.status]}")
    yield ""
    yield from weight_columns(top_weights(model, top))


def describe_features(model: LinearModel) -> str:
    """How many features a model has, and of what kind."""
    space = model.space
    if space.kind == "hashed" or (space.bits and not space.columns):
        return f"words hashed into 2^{space.bits} weights"
    if space.bits:
        return f"{plural(len(space.columns), 'column')} and words hashed into 2^{space.bits} weights"
    return plural(model.features, "feature" if space.kind == "index" else "column")


def example_lines(record: dict[str, Any], top: int) -> Iterator[str]:
    """The decision about one example, and what its features add to the score."""
    yield named_line("decided", f"{record['label']}, score {record['score']:.4g}")
    yield ""
    yield from contribution_lines(record["contributions"], record["bias"], top or _FEATURES_SHOWN)


def network_lines(model: NetworkModel, path: str) -> Iterator[str]:
    """Every unit of a network with its formula."""
    from rosenblatt.logic.network.cascade_conversion import network_from_cascade

    network = network_from_cascade(model.cascade, model.names, model.kinds)
    yield bold(path) + f"  {' or '.join(map(str, model.classes[:8]))}"
    yield ""
    size = f"{plural(len(network), 'unit')} in {plural(len(network.layers), 'layer')}"
    yield named_line("network", f"{size}, from {plural(len(model.names), 'input')}")
    if model.growth:
        reason = "no error is left on its examples" if model.status == "separated" else "it reached its limit of units"
        yield named_line("status", f"{model.status}: {reason}")
    else:
        yield named_line("status", "built, not learned")
    yield ""
    units = str(network).splitlines()
    left_out = len(units) - _UNITS_SHOWN
    if left_out > 2:
        units = [*units[:_UNITS_SHOWN], f"... and {left_out - 1} more: --json has all", units[-1]]
    for unit in units:
        yield f"  {unit}"


def network_example_lines(record: dict[str, Any]) -> Iterator[str]:
    """The decision about one example, and which units fire on it."""
    yield named_line("decided", f"{record['label']}, score {record['score']:.4g}")
    yield ""
    for unit in record["units"][:_UNITS_SHOWN]:
        state = "fires" if unit["fires"] else "is silent"
        yield f"  {unit['unit']:<6} {unit['kind']:<12} {state:<10} {unit['score']:.4g}"
    if len(record["units"]) > _UNITS_SHOWN:
        yield f"  ... and {len(record['units']) - _UNITS_SHOWN} more: --json has all"
