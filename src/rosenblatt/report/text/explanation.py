"""What a model has learned, and the reasons for its decision about one example, as text."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from sys import float_info
from typing import TYPE_CHECKING, Any

from rosenblatt.errors import plural
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.options.command_line import as_flag
from rosenblatt.records import Label
from rosenblatt.report.summary import number_spec, status_words, top_weights
from rosenblatt.report.text.layout import NAME_WIDTH, NO_BREAK, bold, clip, dim, named_line, terminal_width
from rosenblatt.report.weights import Contribution, Weight

if TYPE_CHECKING:
    from rosenblatt.model.kinds.network import NetworkModel

_CLASSES_SHOWN = 20  # after a fit
_UNITS_SHOWN = 40
_HISTORY_SHOWN = 5
_FEATURES_SHOWN = 10  # by default
SPEAKS_FOR = "    what speaks for each class, and how much"


def model_lines(model: LinearModel, path: str, top: int) -> Iterator[str]:
    """What a linear model is, and the `top` features of each class."""
    run, settings = model.summary, model.settings
    yield bold(path) + f"  {_predicted(model)}"
    yield ""
    rule = f"{settings.loss} loss, {settings.learning_rate} rate, {settings.keep} kept"
    if model.is_small:  # its settings are not those that it was learned with
        rule = f"{model.provenance.get('rule', settings.loss)}, then made small"
    yield named_line("learned", f"{rule}, from {describe_features(model)}")
    visits = f"{plural(run.n_iter, 'pass')}, {plural(run.t, 'example')}"
    mistakes = "" if settings.predicts_number else f", {plural(run.n_mistakes, 'mistake')}"
    yield named_line("run", f"{visits}{mistakes}")
    yield named_line("status", f"{run.status}: {status_words(run.status, settings)}")
    if history := model.provenance.get("history"):
        yield named_line("history", _history(history))
    yield ""
    if isinstance(model, NumberModel):
        yield from _what_moves(model, top)
    else:
        yield from weight_columns(top_weights(model, top))


def _predicted(model: LinearModel) -> str:
    if isinstance(model, NumberModel):
        quantiles = "".join(f", quantile {level:g}" for level in model.levels)
        return f"{clip(model.target.name or 'a number')}{quantiles}"
    between = ", " if model.scheme == "multi-label" else " or "
    return between.join(clip(str(label)) for label in model.classes[:8])


def _what_moves(model: NumberModel, top: int) -> Iterator[str]:
    """What raises the prediction, and what lowers it."""
    from rosenblatt.report.number_weights import start_of

    scaled = ", for each standard deviation of a column of numbers" if model.space.scale is not None else ""
    start, sides = start_of(model), top_weights(model, top)
    head = f"    what moves the prediction from {start:{number_spec(abs(start))}}, and by how much{scaled}"
    yield from weight_columns(
        sides, head, "{}", "+" + _spec_of(entry.weight for _, weights in sides for entry in weights)
    )


def _history(entries: Sequence[Mapping[str, Any]]) -> str:
    """The data that a model has learned in several fits: the first and the latest."""
    named = [
        f"{clip(os.path.basename(str(entry.get('name'))))} ({plural(entry.get('rows', 0), 'example')})"
        for entry in entries
    ]
    if len(named) > _HISTORY_SHOWN:
        named[1 : 1 - _HISTORY_SHOWN] = [f"{len(named) - _HISTORY_SHOWN} more"]
    return ", then ".join(named)


def describe_features(model: LinearModel) -> str:
    """How many features a model has, and of what kind."""
    space = model.space
    if space.kind == "hashed" or (space.bits and not space.columns):
        return f"words hashed into 2^{space.bits} weights"
    if space.bits:
        return f"{plural(len(space.columns), 'column')} and words hashed into 2^{space.bits} weights"
    features = plural(model.features, "feature")
    columns = [*space.settings.get("numbers", ()), *space.settings.get("words", ())]
    if space.kind == "index" or not columns:
        return features if space.kind == "index" else plural(model.features, "column")
    return plural(len(columns), "column") + (f" ({features})" if model.features != len(columns) else "")


def example_lines(record: dict[str, Any], classes: Sequence[Label], top: int) -> Iterator[str]:
    """The decision about one example, and what its features add to the score."""
    if "labels" in record:
        yield from _label_lines(record, top)
        return
    if "prediction" in record:
        yield _prediction_line(record)
    else:
        yield _decision_line(record, classes)
    yield ""
    parts = record["contributions"]
    spec = _spec_of(part.contribution for part in parts) if "prediction" in record else ".4g"
    yield from contribution_lines(parts, record["bias"], top or _FEATURES_SHOWN, spec)


def _spec_of(amounts: Iterable[float]) -> str:
    """A format for amounts in the unit of a target, with four significant digits of the largest."""
    return number_spec(max(map(abs, amounts), default=1.0) * 10)


def _prediction_line(record: dict[str, Any]) -> str:
    """The number that is predicted for one example, with its interval or quantiles."""
    spec = number_spec(abs(record["prediction"]))
    words = f"{record['prediction']:{spec}}"
    if "low" in record:
        words += f", between {record['low']:{spec}} and {record['high']:{spec}}"
    for level, answer in record.get("quantiles", {}).items():
        words += f", quantile {level}: {answer:{spec}}"
    return named_line("predicted", words)


def _label_lines(record: dict[str, Any], top: int) -> Iterator[str]:
    """The labels that apply to one example, and what its features add to the score of each."""
    labels = ", ".join(clip(str(label)) for label in record["labels"])
    yield named_line("labels", labels or "none applies; the likeliest is explained")
    for part in record["explained"]:
        probability = "" if part["probability"] is None else f", probability {part['probability']:.3g}"
        side = "above" if part["applies"] else "not above"
        score = f"score {part['score']:.4g}{probability}: {side} its threshold {_threshold(part['threshold'])}"
        yield ""
        yield named_line(clip(str(part["label"])), score)
        yield ""
        yield from contribution_lines(part["contributions"], part["bias"], top or _FEATURES_SHOWN)


def _threshold(score: float) -> str:
    """A threshold in words; one above or below all scores is the largest float, and is not shown as a number."""
    if abs(score) == float_info.max:
        return "(no score is above it)" if score > 0 else "(every score is above it)"
    return f"{score:.4g}"


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
        units = [*units[:_UNITS_SHOWN], f"... and {left_out - 1} more: {as_flag('json')} has all", units[-1]]
    for unit in units:
        yield f"  {unit}"


def _decision_line(record: dict[str, Any], classes: Sequence[Label]) -> str:
    """The predicted class and its score; with two classes, a score below 0 is for the first."""
    side = f" (below 0 speaks for {clip(str(classes[0]))})" if len(classes) == 2 and record["score"] < 0 else ""
    return named_line("decided", f"{clip(str(record['label']))}, score {record['score']:.4g}{side}")


def network_example_lines(record: dict[str, Any], classes: Sequence[Label]) -> Iterator[str]:
    """The decision about one example, and which units fire on it."""
    yield _decision_line(record, classes)
    yield ""
    for unit in record["units"][:_UNITS_SHOWN]:
        state = "fires" if unit["fires"] else "is silent"
        yield f"  {unit['unit']:<6} {unit['kind']:<12} {state:<10} {unit['score']:.4g}"
    if len(record["units"]) > _UNITS_SHOWN:
        yield f"  ... and {len(record['units']) - _UNITS_SHOWN} more: {as_flag('json')} has all"


def weight_lines(classes: Iterable[tuple[str, Sequence[Weight]]]) -> Iterator[str]:
    """For each class the features with the largest weights for it, on a line or two; only for the first classes."""
    classes = list(classes)
    n_more = len(classes) - _CLASSES_SHOWN
    classes = classes[:_CLASSES_SHOWN]
    yield dim(SPEAKS_FOR)
    left = max([NAME_WIDTH, *(len(clip(label)) + 5 for label, _ in classes)])
    for label, weights in classes:
        words = "  ".join(
            f"{clip(entry.feature).replace(' ', NO_BREAK)}{NO_BREAK}{entry.weight:.3g}" for entry in weights
        )
        yield named_line(f"for {clip(label)}", words or "(nothing)", left)
    if n_more > 0:
        yield dim(f"  and {n_more:,} more classes, which rosenblatt explain shows")


def weight_columns(
    classes: Iterable[tuple[str, Sequence[Weight]]], head: str = SPEAKS_FOR, above: str = "for {}", spec: str = ""
) -> Iterator[str]:
    """For each class a column of features with their weights, as many columns beside each other as fit."""
    classes = list(classes)
    spec = spec or _decimal_places([entry.weight for _, weights in classes for entry in weights])
    columns = []
    yield dim(head)
    for label, weights in classes:
        title = above.format(clip(label))
        wide = max([len(clip(entry.feature)) for entry in weights] + [len(title), 8])
        numbers = _right_aligned([entry.weight for entry in weights], spec, 9)[1:]
        rows = [f"{clip(entry.feature):{wide}}{number}" for entry, number in zip(weights, numbers, strict=True)]
        width = wide + max([len(number) for number in numbers] + [9])
        columns.append((bold(title.ljust(width)), rows or [f"{'(nothing)':{wide}}"], width))
    while columns:
        count = _how_many_fit([wide for _, _, wide in columns])
        group, columns = columns[:count], columns[count:]
        yield "  " + "   ".join(head for head, _, _ in group)
        for k in range(max(len(rows) for _, rows, _ in group)):
            cells = (f"{rows[k] if k < len(rows) else '':{wide}}" for _, rows, wide in group)
            yield ("  " + "   ".join(cells)).rstrip()
        if columns:
            yield ""


def _how_many_fit(widths: Sequence[int]) -> int:
    """How many columns fit beside each other; at least one."""
    room, count = terminal_width() - 2, 0
    for width in widths:
        room -= width + 3
        if room < -3 and count:
            break
        count += 1
    return count


def _right_aligned(numbers: Sequence[float], spec: str, least: int, head: str = "") -> list[str]:
    """A heading and numbers as a column of at least `least` characters, with a space before the longest."""
    texts = [head, *(format(number, spec) for number in numbers)]
    width = max([len(text) + 1 for text in texts] + [least])
    return [text.rjust(width) for text in texts]


def contribution_lines(parts: Sequence[Contribution], bias: float, most: int, spec: str = ".4g") -> Iterator[str]:
    """What each feature of an example adds to its score; with the bias and the rest, the lines add up to the score."""
    unweighted = sum(part.weight == 0 for part in parts)
    parts = [part for part in parts if part.weight != 0]
    shown, others = parts[:most], parts[most:]
    wide = max([len(clip(part.feature)) for part in shown] + [12])
    largest = max((abs(part.contribution) for part in parts), default=0.0) or 1.0
    rest = [sum(part.contribution for part in others)] if others else []
    values = _right_aligned([part.value for part in shown], ".4g", 9, "value")
    weights = _right_aligned([part.weight for part in shown], spec, 10, "weight")
    adds = _right_aligned([*(part.contribution for part in shown), *rest, bias], "+" + spec, 10, "adds")
    yield dim(f"  {'feature':{wide}}{values[0]}{weights[0]}{adds[0]}")
    for part, value, weight, add in zip(shown, values[1:], weights[1:], adds[1:], strict=False):
        bar = "█" * round(abs(part.contribution) / largest * 16)
        yield f"  {clip(part.feature):{wide}}{value}{weight}{add}  {bar}"
    between = " " * (len(values[0]) + len(weights[0]))
    if others:
        yield f"  {f'{len(others):,} more':{wide}}{between}{adds[-2]}"
    yield f"  {'bias':{wide}}{between}{adds[-1]}"
    if unweighted:
        yield dim(f"  {plural(unweighted, 'feature')} of this example {'has' if unweighted == 1 else 'have'} no weight")


def _decimal_places(weights: Sequence[float]) -> str:
    """A format that shows three digits of the largest weight and aligns the others with it."""
    largest = max(map(abs, weights), default=1.0) or 1.0
    return ".3g" if not 1e-3 <= largest < 1e6 else f".{max(0, 2 - math.floor(math.log10(largest)))}f"
