"""From a fit that predicts a number to its model: errors in the unit of the target, intervals, warnings."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rosenblatt.lazy import np
from rosenblatt.learn.files.numbers.loss import losses_of
from rosenblatt.learn.files.numbers.scaled_targets import NumberCoder
from rosenblatt.learn.files.passes import Fitting
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.number import TASK, NumberModel, Target
from rosenblatt.model.probabilities.normal_quantile import Z
from rosenblatt.model.probabilities.prediction_intervals import PredictionInterval, prediction_interval
from rosenblatt.model.warnings.fit_warnings import Caution, warnings_of_reading
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.open import open_source
from rosenblatt.records import Floats, HonestScores

if TYPE_CHECKING:
    from rosenblatt.learn.files.plan import Plan

CONFIDENCE = 0.9  # of the intervals of predictions
_FEWEST_EXAMPLES = 20  # with fewer, chance decides what is measured


class NumberFit(NamedTuple):
    """The additional results of a fit that predicts a number, in the unit of the target."""

    target: str  # its name, if it has one
    measure: str  # what errors are: 'RMSE', 'MAE' or 'pinball loss'
    baseline: float  # the error of always guessing the same number
    guess: float  # this number: the mean or the median
    least: float  # of the targets, and so is `largest`
    largest: float
    interval: PredictionInterval | None
    is_certain: bool  # whether the user, or the model learned from, says that the label is a number


def with_target(model: LinearModel, fitting: Fitting) -> NumberModel:
    """The model of a fit that predicts a number."""
    number = fitting.number
    assert number is not None
    space = replace(model.space, settings={**model.space.settings, "task": TASK})
    name = str(space.settings.get("label") or "") if space.kind == "columns" else ""
    target = Target(name, number.scale)
    number_model = NumberModel((), space, model.run, model.provenance, target=target, sample=model.sample)
    from_the_start = fitting.learned_before == 0 or fitting.is_one_pass
    return replace(number_model, interval=_interval(number_model, fitting.honest_scores, from_the_start=from_the_start))


def _interval(model: NumberModel, honest: HonestScores | None, *, from_the_start: bool) -> PredictionInterval | None:
    if honest is None or len(honest) < 2:
        return None
    predicted = model.predicted(np.asarray(honest.scores))
    targets = model.target.scale.outside(np.asarray(honest.truth))
    residuals = (targets - predicted).tolist()
    return prediction_interval(residuals, CONFIDENCE, honest.kind, from_the_start=from_the_start)


def number_fit(fitting: Fitting, model: NumberModel) -> NumberFit:
    number, plan = fitting.number, fitting.plan
    assert number is not None
    outside, tally = number.scale.outside, number.tally
    is_mean = plan.error == "squared" and not plan.quantiles
    guess, least, largest = (
        float(outside(np.array([value]))[0])
        for value in (tally.mean if is_mean else tally.median, tally.least, tally.largest)
    )
    return NumberFit(
        target=model.target.name,
        measure="pinball loss" if plan.quantiles else "RMSE" if plan.error == "squared" else "MAE",
        baseline=in_unit(_baseline(plan, number), plan, number),
        guess=guess,
        least=least,
        largest=largest,
        interval=model.interval,
        is_certain=plan.reading.task == TASK or fitting.learned_before > 0,
    )


def in_unit(error: float, plan: Plan, number: NumberCoder) -> float:
    """An error as the rules count it, converted to the unit of the target; for the squared error its root."""
    root = plan.error == "squared" and not plan.quantiles
    return (math.sqrt(max(error, 0.0)) if root else error) * number.scale.width


def _baseline(plan: Plan, number: NumberCoder) -> float:
    """The error of the best constant, as the rules count it."""
    if plan.quantiles:
        settings = next(iter(plan.number_candidates.values()))
        sample = np.asarray(number.tally.sample)
        return float(losses_of(settings, _constant_scores(plan, number, len(sample)), sample).mean())
    return number.tally.squared_error if plan.error == "squared" else number.tally.absolute_error


def warnings_of_number(fitting: Fitting, model: NumberModel, error: float, rows: int) -> Iterator[Caution]:
    """The warnings about a fit, such as that it is no better than a guess. `error` is as the rules count it."""
    number, plan = fitting.number, fitting.plan
    assert number is not None
    baseline = _baseline(plan, number)
    if not _clearly_less(fitting, error, baseline, rows):
        what = "median" if plan.error == "absolute" or plan.quantiles else "mean"
        of_fit = number_fit(fitting, model)
        yield Caution(
            "no better",
            f"The model is no better than always guessing the {what}, {of_fit.guess:.6g}, as far as {rows:,} examples "
            f"can tell: its {of_fit.measure} is {in_unit(error, plan, number):.6g}, that of the guess "
            f"{of_fit.baseline:.6g}.",
        )
    if rows < _FEWEST_EXAMPLES:
        yield Caution(
            "few examples",
            f"There are {rows} examples to judge by: with fewer than {_FEWEST_EXAMPLES}, chance decides what is "
            "learned and measured.",
        )
    yield from warnings_of_reading(fitting)


def _clearly_less(fitting: Fitting, error: float, baseline: float, rows: int) -> bool:
    """Whether the model is better than the guess by more than chance, judged by the differences for each example."""
    honest = fitting.honest_scores
    if error >= baseline:
        return False
    if honest is None or len(honest) < 2:
        return True
    assert fitting.number is not None
    settings, truth = fitting.winner.settings, np.asarray(honest.truth)
    guesses = _constant_scores(fitting.plan, fitting.number, len(truth))
    difference = losses_of(settings, guesses, truth) - losses_of(settings, np.asarray(honest.scores), truth)
    return float(difference.mean()) > Z * float(difference.std()) / math.sqrt(len(truth))


def _constant_scores(plan: Plan, number: NumberCoder, rows: int) -> Floats:
    """The best constant answer of each unit, for so many rows."""
    tally = number.tally
    if plan.quantiles:
        constants = np.quantile(np.asarray(tally.sample), plan.quantiles)
    else:
        constants = np.array([tally.mean if plan.error == "squared" else tally.median])
    return np.repeat(constants[None, :], rows, axis=0)


def test_error(model: NumberModel, path: Paths, plan: Plan) -> tuple[float, int]:
    """The mean error on a test file, as the rules count it, and the number of its labelled rows."""
    from rosenblatt.model.predict import predict_source

    losses: list[float] = []
    rows = 0
    source = open_source(path, plan.reading._replace(classes=(), task=None, grow=False), model.space)
    for block in predict_source(model, source, plan.threads):
        labelled = block.truth >= 0
        targets = model.target.scale.inside(block.targets[labelled])
        losses.append(math.fsum(losses_of(model.settings, _scaled(model, block.scores[labelled]), targets)))
        rows += int(labelled.sum())
    return math.fsum(losses) / max(rows, 1), rows


def _scaled(model: NumberModel, scores: Floats) -> Floats:
    return np.sort(scores, axis=1) if len(model.levels) > 1 else scores
