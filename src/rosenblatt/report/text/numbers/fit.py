"""The output of `fit` for a predicted number: errors in its unit, the baseline of a constant guess, and intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rosenblatt.errors import plural
from rosenblatt.options.command_line import as_flag
from rosenblatt.report.number_weights import start_of
from rosenblatt.report.summary import FitSummary, error_of_numbers, number_spec
from rosenblatt.report.text.candidates import candidate_rows
from rosenblatt.report.text.layout import NAME_WIDTH, NO_BREAK, clip, dim, named_line

if TYPE_CHECKING:
    from rosenblatt.model.fit.fitted import Candidate, Fitted
    from rosenblatt.model.fit.number_fit import NumberFit
    from rosenblatt.model.kinds.number import NumberModel

_FEWEST_AMOUNTS = 5  # different whole numbers: fewer are hardly ever anything but codes of classes


def task_line(number: NumberFit) -> str:
    """That a number is predicted and, unless the user said so, which option makes it a class."""
    spec = number_spec(max(abs(number.least), abs(number.largest)))
    span = f"a number between {number.least:{spec}} and {number.largest:{spec}}"
    doubt = "" if number.is_certain else f"; {as_flag('task', 'classes')} if these are labels"
    return named_line("predicts", f"{span}{doubt}")


def classes_line(fitted: Fitted) -> str | None:
    """Where the labels are several whole numbers and nobody said what they mean: how to say that they are amounts."""
    classes, reading = fitted.model.classes, fitted.model.provenance.get("reading", {})
    is_certain = "task" in reading or "classes" in reading or fitted.new_error is not None
    if is_certain or len(classes) < _FEWEST_AMOUNTS or not all(isinstance(label, int) for label in classes):
        return None
    span = f"{len(classes)} whole numbers, {classes[0]} to {classes[-1]}"
    return named_line("classes", f"{span}; {as_flag('task', 'number')} if these are amounts")


def number_error_lines(summary: FitSummary) -> Iterator[str]:
    """The error on other data, on rows held out or by folds, and that of a constant guess."""
    fitted, number = summary.fitted, summary.fitted.number
    assert number is not None
    spec = number_spec(number.baseline)
    measured, each = fitted.progressive_error, "each example"
    if fitted.new_error is not None:
        measured, each = fitted.new_error, "each new example"
    errors = [f"{measured:{spec}} {number.measure}, progressive: {each} predicted before it was learned"]
    if fitted.choice is not None and fitted.fold_error is not None:
        rows = "examples" if fitted.choice.folds > 1 else plural(fitted.choice.rows, "example")
        in_turn = f" (one part in {fitted.choice.folds} set aside in turn)" if fitted.choice.folds > 1 else ""
        errors = [f"{fitted.fold_error:{spec}} {number.measure} on {rows} that it had not learned{in_turn}"]
    if fitted.holdout_error is not None:
        rows = f"{plural(fitted.holdout_rows, 'example')} held out, which it did not learn"
        errors.insert(0, f"{fitted.holdout_error:{spec}} {number.measure} on {rows}")
    if summary.evaluation is not None and summary.is_tested:
        error = error_of_numbers(summary.evaluation.scores, number.measure)  # type: ignore[arg-type]
        within = f"95%{NO_BREAK}interval {error.low:{spec}} to {error.high:{spec}}"
        errors.insert(0, f"{error.value:{spec}} {number.measure} on {summary.evaluation.data}; {within}")
    for name, line in zip(["error", "", ""], errors, strict=False):
        yield named_line(name, line)
    baseline, guess = summary.baseline
    what = "the median" if number.measure == "MAE" else "the mean"
    always = f"always guessing {what}, {guess}" if number.measure != "pinball loss" else "always guessing the same"
    yield named_line("baseline", f"{baseline:{spec}} by {always}")
    if number.interval is not None:
        yield named_line("interval", _interval_words(number, spec))


def _interval_words(number: NumberFit, spec: str) -> str:
    interval = number.interval
    assert interval is not None
    if not math.isfinite(interval.half_width):
        return f"none: {plural(interval.examples, 'example')} cannot promise {interval.confidence:.0%}"
    measured = f"{interval.coverage:.1%} of {plural(interval.examples, 'example')} not yet learned lay within theirs"
    return (
        f"{interval.confidence:.0%} of the targets within ±{interval.half_width:{spec}} of the prediction; {measured}"
    )


def measured_candidates(fitted: Fitted) -> list[Candidate]:
    """The rules whose error is known; if folds were learned, those that learned them."""
    return [candidate for candidate in fitted.candidates if fitted.choice is None or candidate.fold_error is not None]


def number_candidate_lines(summary: FitSummary) -> Iterator[str]:
    """Every rule that was tried with its error, the chosen one marked."""
    fitted = summary.fitted
    assert fitted.number is not None
    return candidate_rows(fitted, measured_candidates(fitted), number_spec(fitted.number.baseline), 14)


def number_weight_lines(summary: FitSummary, top: int) -> Iterator[str]:
    """What raises the prediction and what lowers it, in the unit of the target."""
    model: NumberModel = summary.fitted.model  # type: ignore[assignment]
    start = start_of(model)
    scaled = ", for each standard deviation of a column of numbers" if model.space.scale is not None else ""
    yield dim(f"    what moves it from {start:{number_spec(abs(start))}}, and by how much{scaled}")
    for label, weights in summary.top(top):
        spec = number_spec(max((abs(entry.weight) for entry in weights), default=1.0) * 100)
        words = "  ".join(
            f"{clip(entry.feature).replace(' ', NO_BREAK)}{NO_BREAK}{entry.weight:+{spec}}" for entry in weights
        )
        yield named_line(clip(label), words or "(nothing)", max(NAME_WIDTH, len(clip(label)) + 1))
