"""What a person reads on the terminal: short lines, aligned, with the numbers that matter."""

from __future__ import annotations

import math
import os
import shlex
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rosenblatt.model.linear import LinearModel
from rosenblatt.report.summary import GROUPED, INDEX, STATUS, Summary, named_scores
from rosenblatt.report.weights import Contribution, Weight

if TYPE_CHECKING:
    from rosenblatt.evaluate.intervals import Estimate
    from rosenblatt.evaluate.tally import Scores

NAME = 10  # the width of the names on the left
MOST_CLASSES = 12  # a wider table of confusion would not fit
TIE = "\u00a0"  # a space that no line is broken at; printed as a plain one
_SHOWN_PASSES = 8
_ENOUGH = 30  # rows, of which a tenth can be held out


def bold(words: str) -> str:
    return f"\033[1m{words}\033[0m"


def dim(words: str) -> str:
    return f"\033[2m{words}\033[0m"


def width() -> int:
    """The columns of the terminal, in bounds. As shutil finds them, which loads every way of packing files."""
    columns = os.environ.get("COLUMNS", "")
    try:
        found = int(columns) if columns.isdecimal() else 0
        found = found or os.get_terminal_size(sys.__stdout__.fileno()).columns  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        found = 80
    return min(max(found or 80, 40), 110)


def line(name: str, words: str, left: int = NAME) -> str:
    """A name on the left and what there is to say of it, wrapped under itself."""
    room = max(width() - left - 2, 24)
    parts = textwrap.wrap(words, room, break_long_words=False, break_on_hyphens=False) or [""]
    parts = [part.replace(TIE, " ") for part in parts]
    rest = [f"  {'':{left}}{part}" for part in parts[1:]]
    return "\n".join([f"  {bold(f'{name:{left}}')}{parts[0]}", *rest])


def commands(name: str, written: Iterable[str]) -> Iterator[str]:
    """Commands to copy: never wrapped."""
    for number, one in enumerate(written):
        yield f"  {bold(f'{name if number == 0 else str():{NAME}}')}{one}"


def plural(count: int, word: str) -> str:
    """
    >>> plural(1, "pass"), plural(2, "pass"), plural(1000, "row")
    ('1 pass', '2 passes', '1,000 rows')
    """
    ending = "" if count == 1 else "es" if word.endswith("s") else "s"
    return f"{count:,} {word}{ending}"


def summary_lines(summary: Summary, top: int) -> Iterator[str]:
    """What `fit` says at its end."""
    fitted = summary.fitted
    yield bold(summary.data) + f"  {plural(fitted.rows, 'example')}, {features(fitted.model)}{_label(fitted.model)}"
    yield ""
    yield line("learned", f"{fitted.chosen}, {plural(fitted.passes, 'pass')}, {seconds(fitted.seconds)}")
    yield line("mistakes", mistakes(fitted.mistakes) + _counted(fitted.model))
    yield line("status", f"{fitted.status}: {STATUS[fitted.status]}")
    if fitted.order != "given":
        yield line("order", "shuffled" + (", because the file is sorted by label" if fitted.grouped else ""))
    if fitted.cache is not None:
        why = f", because {fitted.cache.why}" if fitted.cache.why else ""
        yield line("cache", f"{fitted.cache.path}: {fitted.cache.state}{why}")
    for name, words in zip(["error", "", ""], _errors(summary), strict=False):
        yield line(name, words)
    if fitted.grouped and fitted.order == "given":
        yield line("caution", GROUPED)
    if _has_index(fitted.model):
        yield line("caution", INDEX)
    if fitted.skipped:
        yield line("left out", f"{plural(fitted.skipped, 'bad row')}, first: {fitted.bad_rows[0].sentence}")
    if len(fitted.candidates) > 1:
        yield ""
        yield from candidate_lines(summary)
    if summary.judged is not None:
        yield ""
        yield bold(summary.judged.on) + f"  {plural(summary.judged.scores.examples, 'example')}"
        yield ""
        yield from score_lines(summary.judged.scores)
    yield ""
    yield from weight_lines(summary.top(top))


def _label(model: LinearModel) -> str:
    """Which column of a table was learned; it may have been chosen for the user."""
    label = model.space.settings.get("label") if model.space.kind == "columns" else None
    return f"; the label is {_clipped(str(label))}" if label else ""


def _has_index(model: LinearModel) -> bool:
    """A table whose first column is of numbers and has no name, though the others have."""
    settings = model.space.settings
    return model.space.kind == "columns" and settings.get("header") is True and "column0" in settings.get("numbers", ())


def seconds(taken: float) -> str:
    return f"{taken:.2f} s" if taken < 100 else f"{taken / 60:.1f} min"


def mistakes(per_pass: Sequence[int]) -> str:
    """All the mistakes, pass by pass; of very many passes the first and the last."""
    shown = [f"{made:,}" for made in per_pass]
    if len(shown) > _SHOWN_PASSES:
        shown = [*shown[: _SHOWN_PASSES - 2], "...", shown[-1]]
    return shown[0] if len(per_pass) == 1 else f"{sum(per_pass):,}; by pass {', '.join(shown)}"


def _counted(model: LinearModel) -> str:
    """What else is a mistake to the rule, so that nobody takes their number for that of the errors."""
    also = [
        "right decisions within the margin too" if model.settings.required > 0 else "",
        f"of all {len(model.classes)} units" if model.scheme == "ovr" else "",
    ]
    said = ", ".join(filter(None, also))
    return f" ({said})" if said else ""


def _errors(summary: Summary) -> list[str]:
    fitted = summary.fitted
    said = [f"{fitted.progressive_error:>6.2%} progressive: each example predicted before it was learned"]
    if fitted.holdout_error is not None:
        from rosenblatt.evaluate.intervals import wilson

        held = wilson(fitted.holdout_error, fitted.holdout_rows)
        said.insert(0, f"{held.value:>6.2%} on {plural(fitted.holdout_rows, 'row')} held out{_between(held)}")
    if summary.judged is not None and summary.judged.on != summary.data:
        error = summary.judged.scores.error
        said.insert(0, f"{error.value:>6.2%} on {summary.judged.on}{_between(error)}")
    return said


def _between(estimate: Estimate) -> str:
    return f" (95% interval {estimate.low:.2%} to {estimate.high:.2%})"


def candidate_lines(summary: Summary) -> Iterator[str]:
    """Every rule that was tried, the best marked."""
    candidates = summary.fitted.candidates
    held = any(one.holdout_error is not None for one in candidates)
    wide = max(len(one.rule) for one in candidates) + 2
    yield dim(f"    {'rules tried':{wide}}{'progressive':>12}" + (f"{'held out':>10}" if held else ""))
    for one in candidates:
        mark = "*" if one.rule == summary.fitted.chosen else " "
        row = f"  {mark} {one.rule:{wide}}{one.progressive_error:>12.2%}"
        row += f"{one.holdout_error:>10.2%}" if one.holdout_error is not None else ""
        row += f"  given up after {one.given_up:,} (the best: {one.best_then:.2%})" if one.given_up else ""
        yield bold(row) if mark == "*" else row
    whole = [one.progressive_error for one in candidates if not one.given_up]
    if not held and summary.fitted.progressive_error > min(whole):
        yield dim("    of rules that chance cannot tell apart the first is used")


def score_lines(scores: Scores) -> Iterator[str]:
    """The scores with their intervals, then the table of confusion, or the classes one by one."""
    for name, value, spec in named_scores(scores):
        if value is not None:
            yield f"  {name:18}{value.value:>8{spec}}  " + dim(f"{value.low:>7{spec}} to {value.high:{spec}}")
    yield ""
    yield from confusion_lines(scores) if len(scores.classes) <= MOST_CLASSES else class_lines(scores)


def confusion_lines(scores: Scores) -> Iterator[str]:
    """Rows are the true classes, columns the decided ones."""
    labels = [_clipped(str(label)) for label in scores.classes]
    cells = [[f"{cell:,.6g}" for cell in row] for row in scores.confusion.tolist()]
    left = max(len("true"), *map(len, labels))
    wide = max(8, *(len(label) + 2 for label in labels))
    yield dim(f"  {'true':{left}}  decided " + "".join(f"{label:>{wide}}" for label in labels))
    for label, row in zip(labels, cells, strict=True):
        yield f"  {label:{left}}          " + "".join(f"{cell:>{wide}}" for cell in row)


def class_lines(scores: Scores) -> Iterator[str]:
    left = max(5, *(len(_clipped(str(one.label))) for one in scores.per_class))
    yield dim(f"  {'class':{left}}{'examples':>10}{'precision':>11}{'recall':>9}{'F1':>9}")
    for one in scores.per_class:
        values = f"{one.precision.value:>11.2%}{one.recall.value:>9.2%}{one.f1.value:>9.2%}"
        yield f"  {_clipped(str(one.label)):{left}}{one.support:>10,.6g}{values}"


def weight_lines(sides: Iterable[tuple[str, Sequence[Weight]]]) -> Iterator[str]:
    """For each class the features that speak for it, on a line or two."""
    sides = list(sides)
    left = max([NAME, *(len(_clipped(label)) + 6 for label, _ in sides)])
    for label, weights in sides:
        said = "  ".join(f"{_clipped(one.feature).replace(' ', TIE)}{TIE}{_signed(one.weight)}" for one in weights)
        yield line(f"says {_clipped(label)}", said or "(nothing)", left)


def table_lines(sides: Iterable[tuple[str, Sequence[Weight]]]) -> Iterator[str]:
    """For each class a column of features with their weights, as many beside each other as fit."""
    columns = []
    sides = list(sides)
    places = _places([one.weight for _, weights in sides for one in weights])
    for label, weights in sides:
        wide = max([len(_clipped(one.feature)) for one in weights] + [len(_clipped(label)) + 5, 8])
        rows = [f"{_clipped(one.feature):{wide}}{one.weight:>9{places}}" for one in weights] or [
            f"{'(nothing)':{wide}}"
        ]
        columns.append((bold(f"says {_clipped(label)}".ljust(wide + 9)), rows, wide + 9))
    while columns:
        fit = _fitting([wide for _, _, wide in columns])
        group, columns = columns[:fit], columns[fit:]
        yield "  " + "   ".join(head for head, _, _ in group)
        for k in range(max(len(rows) for _, rows, _ in group)):
            cells = (f"{rows[k] if k < len(rows) else '':{wide}}" for _, rows, wide in group)
            yield ("  " + "   ".join(cells)).rstrip()
        if columns:
            yield ""


def _fitting(widths: Sequence[int]) -> int:
    """How many columns fit beside each other; at least one."""
    room, fit = width() - 2, 0
    for wide in widths:
        room -= wide + 3
        if room < -3 and fit:
            break
        fit += 1
    return fit


def contribution_lines(parts: Sequence[Contribution], bias: float, most: int) -> Iterator[str]:
    """What each feature of an example adds to the score; the bias and the rest are named, so that the sum is whole."""
    silent = sum(part.weight == 0 for part in parts)
    parts = [part for part in parts if part.weight != 0]
    wide = max([len(_clipped(part.feature)) for part in parts[:most]] + [12])
    largest = max((abs(part.contribution) for part in parts), default=0.0) or 1.0
    yield dim(f"  {'feature':{wide}}{'value':>9}{'weight':>10}{'adds':>10}")
    for part in parts[:most]:
        bar = "█" * round(abs(part.contribution) / largest * 16)
        numbers = f"{part.value:>9.4g}{part.weight:>10.4g}{part.contribution:>+10.4g}"
        yield f"  {_clipped(part.feature):{wide}}{numbers}  {bar}"
    if len(parts) > most:
        rest = sum(part.contribution for part in parts[most:])
        yield f"  {f'{len(parts) - most:,} more':{wide}}{'':>9}{'':>10}{rest:>+10.4g}"
    yield f"  {'bias':{wide}}{'':>9}{'':>10}{bias:>+10.4g}"
    if silent:
        yield dim(f"  {plural(silent, 'feature')} of this example {'has' if silent == 1 else 'have'} no weight")


def _places(weights: Sequence[float]) -> str:
    """A format with three digits for the largest of them, so that all line up."""
    largest = max(map(abs, weights), default=1.0) or 1.0
    return ".3g" if not 1e-3 <= largest < 1e6 else f".{max(0, 2 - math.floor(math.log10(largest)))}f"


def _signed(weight: float) -> str:
    return f"{weight:.3g}"


def _clipped(words: str, most: int = 28) -> str:
    words = "".join(letter if letter.isprintable() else "?" for letter in words)
    return words if len(words) <= most else words[: most - 1] + "…"


def model_lines(model: LinearModel, path: str) -> Iterator[str]:
    """What a model is, in a few lines."""
    run, settings = model.summary, model.settings
    yield bold(path) + f"  {' or '.join(_clipped(str(label)) for label in model.classes[:8])}"
    yield ""
    yield line(
        "learned", f"{settings.loss} loss, {settings.learning_rate} rate, {settings.keep} kept, from {features(model)}"
    )
    yield line("run", f"{plural(run.n_iter, 'pass')}, {plural(run.t, 'example')}, {plural(run.n_mistakes, 'mistake')}")
    yield line("status", f"{run.status}: {STATUS[run.status]}")


def features(model: LinearModel) -> str:
    """How many features a model has, and of what kind."""
    space = model.space
    if space.kind == "hashed" or (space.bits and not space.columns):
        return f"words hashed into 2^{space.bits} weights"
    if space.bits:
        return f"{plural(len(space.columns), 'column')} and words hashed into 2^{space.bits} weights"
    return plural(model.features, "feature" if space.kind == "index" else "column")


def _unscaled(summary: Summary) -> bool:
    """A table with numbers as they are: dollars drown years, and --scale helps more than passes."""
    space = summary.fitted.model.space
    numbers = space is not None and space.kind == "columns" and any("=" not in column for column in space.columns)
    return summary.data != "-" and space is not None and numbers and space.scale is None


def next_steps(summary: Summary) -> Iterator[str]:
    """The commands to try next, at most three."""
    steps = []
    data, name = shlex.quote(summary.data), shlex.quote(summary.model or "MODEL")
    fitted, stream = summary.fitted, summary.data == "-"
    if _unscaled(summary):
        steps.append(f"rosenblatt fit {data} --scale")
    if summary.judged is None and fitted.holdout_error is None and fitted.rows >= _ENOUGH and not stream:
        steps.append(f"rosenblatt fit {data} --holdout 0.1")
    if fitted.status == "budget" and fitted.passes == 1 and not stream and not _unscaled(summary):
        steps.append(f"rosenblatt fit {data} --passes 5")
    if fitted.status == "budget" and fitted.passes > 1 and fitted.mistakes[-1] and not stream:
        steps.append(f"rosenblatt certify {data}")
    if summary.model is not None:
        steps += [f"rosenblatt explain {name}", f"rosenblatt predict {name} NEW-DATA"]
    return commands("next", steps[:3])
