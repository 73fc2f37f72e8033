"""The result of a fit: the model, its errors, the rules that were tried, warnings and provenance."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt.learn.files.passes import Fitting
from rosenblatt.learn.polynomial import columns_of
from rosenblatt.learn.settings import Settings
from rosenblatt.model.fit.number_fit import (
    NumberFit,
    in_unit,
    number_fit,
    test_error,
    warnings_of_number,
    with_target,
)
from rosenblatt.model.heaviest_column_names import with_common_names
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.probabilities.honest_sample import MOST_OF_LABELS, HonestSample, continued, thinned
from rosenblatt.model.probabilities.reference_scores import final_reference_of
from rosenblatt.model.probabilities.with_probabilities import with_probabilities
from rosenblatt.model.warnings.fit_warnings import Caution, baseline_error, judged_by, warnings_of_fit
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import BadRow, ReadOptions, Source
from rosenblatt.records import HonestScores, Label, Status
from rosenblatt.version import __version__

if TYPE_CHECKING:
    from rosenblatt.learn.files.rule_choice.choose_rule_and_passes import Choice
    from rosenblatt.model.fit.other_readings import OtherReading
    from rosenblatt.model.kinds.number import NumberModel
    from rosenblatt.model.several_labels import LabelCounts
    from rosenblatt.model.small_model import SmallModel
    from rosenblatt.readers.cache.persistent import CacheStatus


class Candidate(NamedTuple):
    """One rule that was tried: its errors while it learned the first pass, on rows held out, and on folds left out."""

    rule: str
    settings: Settings
    progressive_error: float | None  # None: it learned only folds
    holdout_error: float | None = None
    failed: bool = False  # its weights overflowed
    given_up: int | None = None  # stopped after this many examples: it was behind, or no better than the best rule
    best_then: float | None = None  # the error of the best rule at that point
    fold_error: float | None = None  # its smallest error on folds that were left out


class Fitted(NamedTuple):
    """A model and how it was learned."""

    model: LinearModel
    rows: int  # learned in the first pass
    features: int
    passes: int
    status: Status
    seconds: float
    n_mistakes: int
    mistakes: tuple[int, ...]
    progressive_error: float
    holdout_error: float | None
    holdout_rows: int
    test_error: float | None
    test_rows: int
    candidates: tuple[Candidate, ...]
    chosen: str
    skipped: int
    bad_rows: tuple[BadRow, ...]
    skipped_by_file: Mapping[str, int] = MappingProxyType({})
    resumed: bool = False
    order: str = "given"
    grouped: bool = False  # the file is sorted by label, which harms an online learner
    cache: CacheStatus | None = None
    honest_scores: HonestScores | None = None
    class_weight: Mapping[Label, float] | str | None = None
    choice: Choice | None = None  # few examples: how the rule and the passes were chosen
    fold_error: float | None = None  # few examples: the error of the model's decisions on the rows left out
    other_readings: tuple[OtherReading, ...] = ()  # few examples: how else they were read, and what that was worth
    class_counts: tuple[int, ...] = ()  # examples of each class, including the held-out ones
    label_counts: LabelCounts | None = None  # if an example may have several labels
    number: NumberFit | None = None  # if a number is predicted; errors are then in its unit
    warnings: tuple[Caution, ...] = ()
    small: SmallModel | None = None  # if the model was made small, with what that cost
    new_error: float | None = None  # if a saved model continued learning: progressive error on the new examples alone

    @property
    def baseline_error(self) -> float:
        """The error of a constant guess: the commonest class; with several labels, for each whether it usually
        applies; for a number, the mean or the median."""
        if self.number is not None:
            return self.number.baseline
        if self.label_counts is not None:
            return self.label_counts.baseline_error
        return baseline_error(self.class_counts)

    @property
    def commonest(self) -> Label | tuple[Label, ...]:
        """The commonest class or set of labels; for a number, the constant that the baseline guesses."""
        if self.number is not None:
            return self.number.guess
        if self.label_counts is not None:
            return self.label_counts.commonest
        return self.model.classes[self.class_counts.index(max(self.class_counts))]


def fitted_of(fitting: Fitting, test: Paths | None = None) -> Fitted:
    """The result of a fit whose passes are done, with its error on a test file if one is given."""
    source, plan, run = fitting.source, fitting.plan, fitting.winner
    # New examples may have columns that the model does not know, so that its space records how many it knows.
    known = {**source.space.settings, "features": columns_of(run.learner.features, plan.degree)}
    model = LinearModel(
        classes=fitting.classes, space=replace(source.space, settings=known), run=run, provenance=_provenance(fitting)
    )
    sampled = model if fitting.honest_scores is None else replace(model, sample=_sample(fitting))
    if fitting.number is not None:
        return _fitted_number(fitting, with_target(sampled, fitting), test)
    if fitting.sets is not None:
        model = _with_labels(sampled, fitting)
    else:
        model = _with_probabilities(sampled, fitting.honest_scores, fitting)
    model = with_common_names(model, fitting)
    progressive_error, holdout_error, fold_error = _errors(fitting, model)
    small = None
    if plan.size is not None:
        small = _made_small(model, plan.size, fitting, test)
        model = small.model
    wrong, rows = (0, 0) if test is None else wrong_decisions(model, test, plan.reading, plan.threads)
    return _fitted(
        fitting,
        model,
        progressive_error=progressive_error,
        holdout_error=holdout_error,
        fold_error=fold_error,
        test_error=None if rows == 0 else wrong / rows,
        test_rows=rows,
        candidates=_candidates(fitting),
        class_weight=plan.class_weight,
        class_counts=fitting.class_counts,
        label_counts=_label_counts(fitting),
        small=small,
        warnings=_warnings(fitting, model),
    )


def _fitted(fitting: Fitting, model: LinearModel, **results: Any) -> Fitted:
    """The fields that every fit fills in the same way, and these results."""
    source, plan, run = fitting.source, fitting.plan, fitting.winner
    summary = run.summary
    return Fitted(
        model=model,
        rows=fitting.examples.learned,
        features=run.learner.features,
        passes=len(summary.mistakes),
        status=summary.status,
        seconds=fitting.seconds,
        n_mistakes=summary.n_mistakes,
        mistakes=summary.mistakes,
        holdout_rows=fitting.holdout.rows,
        chosen=fitting.chosen,
        skipped=source.skipped,
        bad_rows=tuple(source.bad_rows),
        skipped_by_file=dict(source.skipped_by_file),
        resumed=fitting.resumed,
        order="shuffle" if plan.order == "shuffle" or (fitting.choice and plan.order != "given") else "given",
        grouped=fitting.examples.label_order.is_sorted,
        honest_scores=fitting.honest_scores,
        choice=fitting.choice,
        **{"new_error": fitting.candidates.new_error(fitting.chosen), **results},
    )


def _fitted_number(fitting: Fitting, model: NumberModel, test: Paths | None) -> Fitted:
    """The result of a fit that predicts a number; its errors are in the unit of the target."""
    plan, number, chosen, choice = fitting.plan, fitting.number, fitting.chosen, fitting.choice
    assert number is not None
    model = with_common_names(model, fitting)
    progressive, held_out = fitting.candidates.progressive[chosen], fitting.holdout.error(chosen)
    new = fitting.candidates.new_error(chosen)
    best = choice.error if choice is not None else progressive if new is None else new
    best = best if held_out is None else held_out
    rows = fitting.examples.learned if choice is None else choice.rows
    warnings = warnings_of_number(fitting, model, best, rows if held_out is None else fitting.holdout.rows)
    test_loss, test_rows = (0.0, 0) if test is None else test_error(model, test, plan)

    def unit(error: float | None) -> float | None:
        return None if error is None else in_unit(error, plan, number)

    return _fitted(
        fitting,
        model,
        progressive_error=in_unit(progressive, plan, number),
        holdout_error=unit(held_out),
        fold_error=None if choice is None else unit(choice.error),
        new_error=unit(new),
        test_error=unit(test_loss) if test_rows else None,
        test_rows=test_rows,
        candidates=tuple(
            candidate._replace(
                progressive_error=unit(candidate.progressive_error),
                holdout_error=unit(candidate.holdout_error),
                best_then=unit(candidate.best_then),
                fold_error=unit(candidate.fold_error),
            )
            for candidate in _candidates(fitting)
        ),
        number=number_fit(fitting, model),
        warnings=tuple(warnings),
    )


def _with_probabilities(model: LinearModel, honest: HonestScores | None, fitting: Fitting) -> LinearModel:
    """The model with its probabilities and threshold, and with both of the references that drift is measured from."""
    model = with_probabilities(model, honest, fitting.plan)
    return replace(model, final_reference=final_reference_of(fitting.last_examples, model))


def _with_labels(model: LinearModel, fitting: Fitting) -> LinearModel:
    from rosenblatt.model.several_labels import with_label_thresholds

    return with_label_thresholds(model, fitting)


def _label_counts(fitting: Fitting) -> LabelCounts | None:
    if fitting.sets is None:
        return None
    from rosenblatt.model.several_labels import label_counts

    return label_counts(fitting)


def _warnings(fitting: Fitting, model: LinearModel) -> tuple[Caution, ...]:
    if fitting.sets is None:
        return tuple(warnings_of_fit(fitting, model))
    from rosenblatt.model.several_labels import warnings_of_labels

    return tuple(warnings_of_labels(fitting, model))


def _sample(fitting: Fitting) -> HonestSample | None:
    """The scores for calibration, saved so that learning can continue; after one pass it does so bit for bit."""
    honest, examples = fitting.honest_scores, fitting.learned_before + fitting.examples.learned
    if honest is None:
        return None
    learner = fitting.winner.learner
    most = None if fitting.sets is None else MOST_OF_LABELS // learner.units
    if fitting.is_one_pass and not fitting.holdout.rows and (most is None or learner.sample_capacity <= most):
        scores, truth, before, stride = learner.score_sample()
        truth = truth if fitting.number is None else learner.sample_targets()
        return continued(scores, truth, before, stride, examples)
    return thinned(honest, examples, most)


def _made_small(model: LinearModel, size: int, fitting: Fitting, test: Paths | None) -> SmallModel:
    """The model in at most `size` bytes, and what that costs on the test data, or else on the rows held out."""
    from rosenblatt.model.small_model import shrink

    small, plan, holdout = shrink(model, size), fitting.plan, fitting.holdout
    room = size
    while holdout.rows:  # its scores have changed: calibrate it again, which may take more bytes
        honest = holdout.honest_scores(small.model.run)
        small = small.with_model(_with_probabilities(small.model, honest, fitting))
        if small.bytes <= size:
            break
        room -= small.bytes - size
        small = shrink(model, room)
    if test is not None:
        (before, rows), (after, _) = (
            wrong_decisions(each, test, plan.reading, plan.threads) for each in (model, small.model)
        )
        return small.measured(before, after, rows, "examples of the test data")
    (before, rows), (after, _) = (holdout.wrong(each.run, each.decided) for each in (model, small.model))
    return small.measured(before, after, rows, "rows left out")


def _errors(fitting: Fitting, model: LinearModel) -> tuple[float, float | None, float | None]:
    """The progressive, the held-out and the out-of-fold error. With class weights or a threshold, the one that the
    honest scores measure is that of the model's decisions."""
    honest, choice, chosen = fitting.honest_scores, fitting.choice, fitting.chosen
    progressive, held_out = fitting.candidates.progressive[chosen], fitting.holdout.error(chosen)
    left_out = None if choice is None else choice.error
    if fitting.sets is not None and honest is not None:
        from rosenblatt.model.several_labels import judge_labels

        error = judge_labels(honest, fitting.sets, model).wrong_share
    elif honest is None or (fitting.plan.class_weight is None and model.threshold is None):
        return progressive, held_out, left_out
    else:
        error = judged_by(honest, model).error
    if honest.kind == "held-out":
        return progressive, error, left_out
    return error, held_out, None if left_out is None else error


def _candidates(fitting: Fitting) -> tuple[Candidate, ...]:
    candidates, fold_errors = fitting.candidates, fitting.choice.errors if fitting.choice else {}
    return tuple(
        Candidate(
            name,
            settings,
            candidates.progressive.get(name, 1.0) if name in fitting.plan.candidates else None,
            fitting.holdout.error(name),
            name in candidates.failed,
            candidates.given_up.get(name),
            candidates.best_then.get(name),
            fold_errors.get(name),
        )
        for name, settings in candidates.settings.items()
        if name in candidates.progressive or name in candidates.failed or name in fold_errors
    )


def _provenance(fitting: Fitting) -> dict[str, Any]:
    """Where the model comes from, without the date, so that the same run gives the same file."""
    source, defaults = fitting.source, ReadOptions(decide=True).as_json()
    reading, weight = fitting.plan.reading.as_json(), fitting.plan.class_weight
    return {
        "version": __version__,
        "rule": fitting.chosen,
        **({} if fitting.choice is None else {"chosen_by": fitting.choice.how}),
        "data": {
            "name": source.name,
            "bytes": _bytes_of_files(source),
            "format": source.format,
            "rows": fitting.examples.learned,
        },
        "reading": {key: value for key, value in reading.items() if value != defaults[key]},
        **({} if weight is None else {"class_weight": weight if isinstance(weight, str) else _by_text(weight)}),
        **({"class_counts": _class_counts(fitting)} if weight == "balanced" else {}),
    }


def _bytes_of_files(source: Source) -> int | None:
    """The size of the input; None for data in memory, where the same rows may take more or less memory."""
    inputs = source.inputs
    paths = (
        [inputs] if isinstance(inputs, str | os.PathLike) else inputs if isinstance(inputs, list | tuple) else [None]
    )
    return source.size if all(isinstance(path, str | os.PathLike) for path in paths) else None


def _class_counts(fitting: Fitting) -> list[int]:
    """The classes of all examples so far, including those of earlier fits; they balance the next examples."""
    before = fitting.plan.class_counts or (0,) * len(fitting.classes)
    return [old + new for old, new in zip(before, fitting.class_counts, strict=True)]


def _by_text(weight: Mapping[Label, float]) -> dict[str, float]:
    return {str(label): float(number) for label, number in weight.items()}


def wrong_decisions(model: LinearModel, path: Paths, reading: ReadOptions, threads: int) -> tuple[float, int]:
    """The number of wrong predictions, and of labelled rows, in a test file."""
    from rosenblatt.model.predict import predict_source

    wrong: float = 0
    rows = 0
    source = open_source(path, reading._replace(classes=(), grow=False), model.space)
    for block in predict_source(model, source, threads):
        if source.label_sets is not None:
            from rosenblatt.model.several_labels import label_truth

            truth, _ = label_truth(model.classes, source, block.truth)
            wrong, rows = wrong + float((block.decided != truth).mean(axis=1).sum()), rows + len(truth)
            continue
        labelled = block.truth != -1
        wrong += int((block.decided != block.truth)[labelled].sum())
        rows += int(labelled.sum())
    return wrong, rows
