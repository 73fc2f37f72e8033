"""From a file to a model and how it was learned: `fit_file` gives a `Fitted`."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt import options
from rosenblatt.available_cores import core_count
from rosenblatt.errors import DataError, ParameterError, option
from rosenblatt.learn.files.checkpoint import load_checkpoint, refuse_other_file, remove_checkpoint, save_checkpoint
from rosenblatt.learn.files.labels_to_classes import KnownLabels, check_classes, look_at_labels, read_all_labels
from rosenblatt.learn.files.passes import Fitting, Restart
from rosenblatt.learn.files.plan import Plan, Progress
from rosenblatt.learn.files.portfolio import candidates, fold_candidates, number_candidates
from rosenblatt.learn.polynomial import columns_of
from rosenblatt.learn.settings import Settings
from rosenblatt.model.calibration import Calibration, calibrate
from rosenblatt.model.heaviest_column_names import with_common_names
from rosenblatt.model.honest_sample import MOST_OF_LABELS, HonestSample, continued, thinned
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.number_fit import (
    NumberFit,
    in_unit,
    number_fit,
    test_error,
    warnings_of_number,
    with_target,
)
from rosenblatt.model.reference_scores import reference_of
from rosenblatt.model.warnings.fit_warnings import Caution, baseline_error, judged_by, warnings_of_fit
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import BadRow, ReadOptions, RereadError, Source
from rosenblatt.records import HonestScores, Label, Status
from rosenblatt.version import __version__

if TYPE_CHECKING:
    from rosenblatt.learn.files.choose_rule_and_passes import Choice
    from rosenblatt.model.choose_threshold import Threshold
    from rosenblatt.model.kinds.number import NumberModel
    from rosenblatt.model.several_labels import LabelCounts
    from rosenblatt.model.small_model import SmallModel
    from rosenblatt.readers.cache.persistent import CacheStatus

_FEWEST_BITS = 18
_SURE = 2.0  # standard deviations


@options.described_by(options.FIT_FILE)
def fit_file(
    path: Paths | Source,
    *,
    rule: str | Settings = options.rule.default,
    from_: str | os.PathLike[str] | None = options.from_.default,
    new_labels: bool = options.new_labels.default,
    passes: int | str = options.passes.default,
    reading: ReadOptions | None = None,
    test: str | None = None,
    holdout: float = options.holdout.default,
    patience: int | None = options.patience.default,
    keep: str | None = options.fit_file_keep.default,
    order: str | None = options.fit_file_order.default,
    features: str | None = options.features.default,
    threads: int | None = options.threads.default,
    cache: str | None = options.cache.default,
    keep_cache: bool = options.keep_cache.default,
    seed: int = options.seed.default,
    class_weight: Mapping[Label, float] | str | None = options.fit_file_class_weight.default,
    threshold: float | str | None = options.threshold.default,
    forget: float = options.forget.default,
    error: str = options.error.default,
    quantiles: str | Sequence[float] | None = options.quantiles.default,
    size: int | str | None = options.size.default,
    checkpoint: str | None = options.checkpoint.default,
    checkpoint_every: float | None = options.checkpoint_every.default,
    resume: bool = options.resume.default,
    on_progress: Callable[[Progress], None] | None = None,
) -> Fitted:
    """Learn the examples of a file in their order, in bounded memory.

    With rule 'auto' several rules learn side by side and the one with the fewest errors is kept; of rules that chance
    cannot tell apart, the first. The answer is that of the estimator on the same rows with order='given', to the bit,
    for any number of threads.

    With `from_` it learns on from a model in a file, by its rule and with its columns, words and classes; to the same
    bits as in one run where the model was learned by one rule in one pass, and the new examples have no new words or
    columns. With `new_labels` it takes in classes, too.

    Where the labels are a number, or `reading.task` says so, it is predicted: the target is centred and scaled while it
    is learned, and the model answers in its unit. The rules are compared by `error`.

    With `forget` what was learned of an example counts half after so many more: for streams that drift.

    Ctrl-C writes the state to `checkpoint`; with `resume` the same call continues from there to the same bits.

    Parameters
    ----------
    path : path, or several
        A file, several files one after another, a folder of files, or a pattern such as ``'part-*.csv'``; ``'-'`` is
        standard input. A Source that was opened with the same `reading` is taken as well.
    reading : ReadOptions, optional
        How to read, where the file does not tell; its fields are the parameters of `read`.
    on_progress : callable, optional
        Called with how far it is, several times a second.

    Returns
    -------
    Fitted
        The model, its rule, the errors of every candidate, what was decided about the columns, the time it took.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "and.svm"
    ...     _ = file.write_text("0 1:0 2:0\\n0 2:1\\n0 1:1\\n1 1:1 2:1\\n")
    ...     fitted = fit_file(file, rule="perceptron", passes=20)
    >>> fitted.status, fitted.rows, fitted.model.classes
    ('separated', 4, (0, 1))
    """
    chosen = {name: value for name, value in locals().items() if name in options.FIT_FILE}
    options.check("fit_file", {key: value for key, value in chosen.items() if key != "rule"}, options.FIT_FILE)
    options.check_fit_file(chosen)
    if forget:  # a stream is learned once, in its order
        chosen |= {"passes": 1, "order": "given"}
    if size is not None and test is None and not holdout:
        chosen["holdout"] = options.SHARE_LEFT_OUT
    plan = _plan(chosen, (reading or ReadOptions())._replace(decide=True), on_progress)
    if plan.reading.multi_label:
        _refuse_with_several_labels(chosen)
    if plan.reading.task == "number":
        refuse_with_number(plan)
    if from_ is not None:
        from rosenblatt.model.learn_on import learn_on

        return learn_on(path, os.fspath(from_), plan, chosen, test)
    if keep_cache:
        return _fit_cached(path, plan, resume=resume, test=test)
    return fit_source(_open(path, plan), plan, resume=resume, test=test)


def fit_source(source: Source, plan: Plan, *, resume: bool = False, test: Paths | None = None) -> Fitted:
    """Learn the examples of an open source as the plan says."""
    return fitted_of(_learn(source, plan, resume=resume), test)


def _learn(source: Source, plan: Plan, *, resume: bool = False) -> Fitting:
    """Learn the examples of an open source; returns the fit when all its passes are done.

    Reading may show that the fit began wrongly. Then it begins again: with the features counted from 0, with all the
    labels of the file as classes, or with the examples shuffled.
    """
    save = save_checkpoint if plan.checkpoint is not None else None
    if plan.checkpoint is not None and not resume:
        refuse_other_file(plan.checkpoint)
    all_labels = False
    while True:
        try:
            fitting = (load_checkpoint(source, plan) if resume else None) or _begin(source, plan, all_labels)
            restart = fitting.run(save)
        except RereadError:  # what was learned before, in a checkpoint too, is wrong
            resume = False
            continue
        if restart is None:
            break
        resume, all_labels = False, restart is Restart.NEW_LABEL
        if restart is Restart.IN_RUNS:
            plan = plan._replace(order="shuffle")
            scale = None if fitting.number is None else fitting.number.scale
            source = KnownLabels(fitting.source, fitting.classes, fixed=fitting.fixed, scale=scale)
    if plan.checkpoint is not None:
        remove_checkpoint(plan.checkpoint)
    return fitting


def _begin(source: Source, plan: Plan, all_labels: bool) -> Fitting:
    known = read_all_labels(source, plan, fixed=True) if all_labels else look_at_labels(source, plan)
    if known.task == "number":
        refuse_with_number(plan, source.name)
        return Fitting(known, plan.for_number(), (), fixed=True, scale=known.scale)
    _refuse_with_classes(plan, source.name)
    several = plan.reading.multi_label
    check_classes(known.classes, known)
    if not several and plan.threshold is not None and len(known.classes) != 2:
        raise DataError(
            f"{source.name}: has {len(known.classes)} classes, and {option('threshold')} is for two: leave it out.",
            file=source.name,
        )
    if plan.order == "auto" and known.is_sorted:
        plan = plan._replace(order="shuffle")
    return Fitting(known, plan, known.classes, fixed=known.fixed)


def _plan(chosen: Mapping[str, Any], reading: ReadOptions, on_progress: Callable[[Progress], None] | None) -> Plan:
    rule, features, checkpoint = chosen["rule"], chosen["features"], chosen["checkpoint"]
    degree = 1 if features is None else int(features.removeprefix("poly"))
    same_names = ("passes", "holdout", "patience", "cache", "seed", "checkpoint_every", "class_weight", "threshold")
    same = chosen, degree, reading.multi_label
    levels = () if chosen["quantiles"] is None else options.levels_of(chosen["quantiles"]) or ()
    return Plan(
        candidates=_adjusted(candidates(rule), *same),
        fold_candidates=_adjusted(fold_candidates(rule, words=False), *same),
        word_candidates=_adjusted(fold_candidates(rule, words=True), *same),
        number_candidates=_adjusted(number_candidates(rule, chosen["error"], levels), chosen, degree, False),
        error=chosen["error"],
        quantiles=levels,
        degree=degree,
        order=chosen["order"] or ("auto" if "auto" in (rule, chosen["passes"]) else "given"),
        scale_to_length=isinstance(rule, str),
        threads=chosen["threads"] or core_count(),
        reading=reading,
        size=options.size_of(chosen["size"]),
        checkpoint=None if checkpoint is None else os.fspath(checkpoint),
        on_progress=on_progress,
        **{name: chosen[name] for name in same_names},
    )


def refuse_with_number(plan: Plan, name: str | None = None) -> None:
    """Options that are about classes, where a number is predicted."""
    reading = plan.reading
    about_classes = {
        "class_weight": plan.class_weight,
        "threshold": plan.threshold,
        "multi_label": reading.multi_label,
        "classes": ",".join(map(str, reading.classes)),
        "size": plan.size,
    }
    where = "" if name is None else f"{name}: "
    for unfit, value in about_classes.items():
        if value:
            raise ParameterError(
                f"{where}a number is predicted, and {option(unfit)} is for classes: leave it out, or say that the "
                f"labels are classes with {option('task', 'classes')}."
            )
    if not plan.number_candidates:
        rules = ", ".join(options.NUMBER_RULE_NAMES)
        raise ParameterError(
            f"{where}a number is predicted, and {option('rule')} names a rule that decides between classes: name one "
            f"of {rules}, or leave it out."
        )


def _refuse_with_classes(plan: Plan, name: str) -> None:
    """Options that are about numbers, where the labels are classes."""
    number = option("task", "number")
    for unfit, default in (("error", "squared"), ("quantiles", ())):
        if getattr(plan, unfit) != default:
            raise ParameterError(
                f"{name}: its labels are classes, and {option(unfit)} is for a number: leave it out, or say that the "
                f"label is a number with {number}."
            )
    if not plan.candidates:
        raise ParameterError(
            f"{name}: its labels are classes, and {option('rule')} names a rule that predicts a number: name one of "
            f"{', '.join(options.RULE_NAMES)}, or say that the label is a number with {number}."
        )


def _refuse_with_several_labels(chosen: Mapping[str, Any]) -> None:
    """Options that mean nothing where an example may have several labels."""
    if chosen["class_weight"] == "balanced":
        raise ParameterError(
            f"{option('class_weight', 'balanced')} weighs examples by their one class, and with "
            f"{option('multi_label')} an example has several labels: name a weight for each label, or choose how "
            f"often each is given with {option('threshold', 'f1')}."
        )
    if chosen["size"] is not None:
        raise ParameterError(
            f"{option('size')} measures its cost by the one class of an example: learn with {option('multi_label')} "
            f"first, and make the model small with rosenblatt export {option('size')}."
        )
    if chosen["keep_cache"]:
        raise ParameterError(
            f"{option('keep_cache')} keeps one label an example: leave it, or {option('multi_label')}, out."
        )


def _adjusted(
    rules: Mapping[str, Settings], chosen: Mapping[str, Any], degree: int, multi_label: bool
) -> dict[str, Settings]:
    """The rules with what was chosen for all of them."""
    changes: dict[str, Any] = {name: chosen[name] for name in ("keep", "forget") if chosen[name]}
    changes["multi_label"] = multi_label
    if degree > 1:
        changes["degree"] = degree
    adjusted = {name: settings._replace(**changes) for name, settings in rules.items()}
    for settings in adjusted.values():
        if settings.predicts_number:
            options.check_number_together("fit_file", settings._asdict())
        else:
            options.check_together("fit_file", settings._asdict())
    return adjusted


def _open(path: Paths | Source, plan: Plan) -> Source:
    """Open the file. Words are hashed into fewer columns where many classes each have a weight for every column."""
    source = path if isinstance(path, Source) else open_source(path, plan.reading)
    bits = source.space.bits
    if not bits or plan.reading.bits is not None or not source.rewindable:
        return source
    known = look_at_labels(source, plan)
    if known.task == "number":
        return known
    fewer = max(bits - (len(known.classes) - 1).bit_length(), _FEWEST_BITS)
    if len(known.classes) <= 2 or fewer >= bits:
        return known
    reading = plan.reading._replace(bits=fewer)
    return source.reopened(reading) or open_source(source.inputs, reading)


def _fit_cached(path: Paths | Source, plan: Plan, *, resume: bool, test: Paths | None) -> Fitted:
    """Read the persistent cache of the file, or write it; a damaged cache is removed and written again."""
    from rosenblatt.readers.cache.persistent import DamagedCacheError, open_cached

    inputs = path.inputs if isinstance(path, Source) else path
    source = open_cached(inputs, plan.reading, plan.cache, lambda: _open(path, plan))
    try:
        fitted = fit_source(source, plan, resume=resume, test=test)
    except DamagedCacheError:
        with suppress(FileNotFoundError):
            os.unlink(source.status.path)
        source = open_cached(inputs, plan.reading, plan.cache, lambda: _open(path, plan), "it was damaged")
        fitted = fit_source(source, plan, resume=resume, test=test)
    return fitted._replace(cache=source.status)


class Candidate(NamedTuple):
    """One rule that was tried: its errors while it learned the first pass, and on rows held out or left out."""

    rule: str
    settings: Settings
    progressive_error: float | None  # None: only the folds were learned by it
    holdout_error: float | None = None
    failed: bool = False  # its weights overflowed
    given_up: int | None = None  # after this many examples it had fallen behind, or was no better than the best
    best_then: float | None = None  # the error of the best rule at that point
    fold_error: float | None = None  # its least error on folds that were left out


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
    fold_error: float | None = None  # and the error of the model's decisions on the rows left out
    class_counts: tuple[int, ...] = ()  # examples of each class, the held-out ones among them
    label_counts: LabelCounts | None = None  # where an example may have several labels
    number: NumberFit | None = None  # where a number is predicted: then errors are in its unit
    warnings: tuple[Caution, ...] = ()
    small: SmallModel | None = None  # where it was made small: what that cost
    new_error: float | None = None  # of a model that learned on: the progressive error on the new examples alone

    @property
    def baseline_error(self) -> float:
        """The error of always guessing the commonest class; of labels, whether each applies; of a number, the mean or
        the median."""
        if self.number is not None:
            return self.number.baseline
        if self.label_counts is not None:
            return self.label_counts.baseline_error
        return baseline_error(self.class_counts)

    @property
    def commonest(self) -> Label | tuple[Label, ...]:
        """The commonest class, or set of labels; of a number, what the baseline guesses."""
        if self.number is not None:
            return self.number.guess
        if self.label_counts is not None:
            return self.label_counts.commonest
        return self.model.classes[self.class_counts.index(max(self.class_counts))]


def fitted_of(fitting: Fitting, test: Paths | None = None) -> Fitted:
    """The result of a fit whose passes are done; its error on a test file, if one is named."""
    source, plan, run = fitting.source, fitting.plan, fitting.winner
    # New examples may have columns that the model does not know: its space says how many it knows.
    known = {**source.space.settings, "features": columns_of(run.learner.features, plan.degree)}
    model = LinearModel(
        classes=fitting.classes, space=replace(source.space, settings=known), run=run, provenance=_provenance(fitting)
    )
    if fitting.number is not None:
        return _fitted_number(fitting, with_target(model, fitting), test)
    sampled = model if fitting.honest_scores is None else replace(model, sample=_sample(fitting))
    if fitting.sets is not None:
        model = _with_labels(sampled, fitting)
    else:
        model = with_probabilities(sampled, fitting.honest_scores, plan)
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
    """What every fit says of itself, with these results."""
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
        **results,
    )


def _fitted_number(fitting: Fitting, model: NumberModel, test: Paths | None) -> Fitted:
    """The result of a fit of a number: its errors are in the unit of the target."""
    plan, number, chosen, choice = fitting.plan, fitting.number, fitting.chosen, fitting.choice
    assert number is not None
    model = with_common_names(model, fitting)
    progressive, held_out = fitting.candidates.progressive[chosen], fitting.holdout.error(chosen)
    best = held_out if held_out is not None else progressive if choice is None else choice.error
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
    """The scores that the model is calibrated by, to go on from; those of one pass can be continued to the bit."""
    honest, examples = fitting.honest_scores, fitting.learned_before + fitting.examples.learned
    if honest is None:
        return None
    learner = fitting.winner.learner
    most = None if fitting.sets is None else MOST_OF_LABELS // learner.units
    if fitting.is_one_pass and not fitting.holdout.rows and (most is None or learner.sample_capacity <= most):
        return continued(*learner.score_sample(), examples)
    return thinned(honest, examples, most)


def _made_small(model: LinearModel, size: int, fitting: Fitting, test: Paths | None) -> SmallModel:
    """The model in so many bytes, and what that costs on rows that were left out of learning, or on other data."""
    from rosenblatt.model.small_model import shrink

    small, plan, holdout = shrink(model, size), fitting.plan, fitting.holdout
    room = size
    while holdout.rows:  # its scores are others, and so are its probabilities, which may take more room
        honest = holdout.honest_scores(small.model.run)
        small = small.with_model(with_probabilities(small.model, honest, plan))
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


def with_probabilities(model: LinearModel, honest: HonestScores | None, plan: Plan) -> LinearModel:
    """The model with its map from scores to probabilities, and with the threshold that was asked for.

    Where all is decided by the data, so is the threshold: the more probable class is decided, which is the one with
    the higher score unless the map says clearly otherwise.
    """
    if honest is None:
        return model
    calibration = calibrate(honest, model.scheme, len(model.classes), model.loss)
    is_moved = len(model.classes) == 2 and calibration.kind != "temperature"
    threshold = None
    if plan.threshold is not None or (is_moved and plan.passes == "auto" and plan.class_weight is None):
        threshold = _threshold(plan.threshold, honest, calibration)
    decided = replace(model, calibration=calibration, threshold=threshold)
    if threshold is not None and plan.threshold is None:
        by_score = replace(decided, threshold=None)
        if _clearly_worse(decided, by_score, honest):
            # Few far scores may bend a map; the temperature, which does not move the threshold, is the safer one.
            plain = calibrate(honest, model.scheme, len(model.classes), model.loss, "temperature")
            decided = replace(by_score, calibration=plain)
    return replace(decided, reference=reference_of(honest, decided))


def _clearly_worse(model: LinearModel, other: LinearModel, honest: HonestScores) -> bool:
    """Whether a model errs on clearly more of these examples than another, by those on which they differ (McNemar)."""
    decisions = zip(model.decided(honest.scores).tolist(), other.decided(honest.scores).tolist(), strict=True)
    differ = [(a, b, truth) for (a, b), truth in zip(decisions, honest.truth.tolist(), strict=True) if a != b]
    lost: int = sum((b == truth) - (a == truth) for a, b, truth in differ)
    return lost > _SURE * math.sqrt(len(differ))


def _threshold(wanted: float | str | None, honest: HonestScores, calibration: Calibration) -> Threshold:
    """The threshold that was asked for, or the one above which the positive class is the more probable."""
    from rosenblatt.model.choose_threshold import EVEN, choose_threshold
    from rosenblatt.options.threshold_criterion import criterion_of

    criterion = criterion_of(EVEN if wanted is None else wanted)
    assert criterion is not None  # options have checked it
    return choose_threshold(criterion, honest, calibration)


def _errors(fitting: Fitting, model: LinearModel) -> tuple[float, float | None, float | None]:
    """The progressive, the held-out and the out-of-fold error; with weights or a threshold of the model's decisions."""
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
    """Where the model comes from. No time of day: the same run gives the same file."""
    source, defaults = fitting.source, ReadOptions(decide=True).as_json()
    reading, weight = fitting.plan.reading.as_json(), fitting.plan.class_weight
    return {
        "version": __version__,
        "rule": fitting.chosen,
        **({} if fitting.choice is None else {"chosen_by": fitting.choice.how}),
        "data": {"name": source.name, "bytes": source.size, "format": source.format, "rows": fitting.examples.learned},
        "reading": {key: value for key, value in reading.items() if value != defaults[key]},
        **({} if weight is None else {"class_weight": weight if isinstance(weight, str) else _by_text(weight)}),
        **({"class_counts": _class_counts(fitting)} if weight == "balanced" else {}),
    }


def _class_counts(fitting: Fitting) -> list[int]:
    """Of all examples so far: by these the next ones are balanced."""
    before = fitting.plan.class_counts or (0,) * len(fitting.classes)
    return [old + new for old, new in zip(before, fitting.class_counts, strict=True)]


def _by_text(weight: Mapping[Label, float]) -> dict[str, float]:
    return {str(label): float(number) for label, number in weight.items()}


def wrong_decisions(model: LinearModel, path: Paths, reading: ReadOptions, threads: int) -> tuple[float, int]:
    """Wrong predictions and labelled rows of a test file."""
    from rosenblatt.model.predict import predict_source

    wrong: float = 0
    rows = 0
    source = open_source(path, reading._replace(classes=()), model.space)
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
