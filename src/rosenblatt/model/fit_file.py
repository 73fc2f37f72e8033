"""Learn the examples of a file: `fit_file` gives a `Fitted`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from rosenblatt import options
from rosenblatt.errors import DataError, option
from rosenblatt.learn.files.checkpoint import load_checkpoint, refuse_other_file, remove_checkpoint, save_checkpoint
from rosenblatt.learn.files.labels.labels_to_classes import KnownLabels, check_classes, look_at_labels, read_all_labels
from rosenblatt.learn.files.passes import Fitting, Restart
from rosenblatt.learn.files.plan import Plan, Progress
from rosenblatt.learn.settings import Settings
from rosenblatt.model.fit.fitted import Fitted, fitted_of
from rosenblatt.model.fit.other_readings import KINDS as OTHER_READINGS
from rosenblatt.model.fit.other_readings import compare, other_reading
from rosenblatt.model.fit.plan_of_fit import (
    plan_of,
    refuse_with_classes,
    refuse_with_number,
    refuse_with_several_labels,
)
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions, RereadError, Source
from rosenblatt.records import Label

_FEWEST_BITS = 18


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

    With rule 'auto' several rules learn side by side and the one with the fewest errors is kept; if chance could
    explain their differences, the first of them. The result is that of the estimator on the same rows with
    order='given', bit for bit, for any number of threads.

    With `from_` it continues learning from a model file, with its rule, columns, words and classes. The result is bit
    for bit that of one run, if the model was learned by one rule in one pass and the new examples have no new words or
    columns. With `new_labels` it adds classes, too.

    If the label is a number, by its values or by `reading.task`, it is predicted: the target is centred and scaled
    for learning, and the model answers in its unit. The rules are compared by `error`.

    With `forget` the influence of an example halves after this many more: for streams that drift.

    Ctrl-C writes the state to `checkpoint`; with `resume` the same call continues from there, bit for bit.

    Parameters
    ----------
    path : path, or several
        A file, several files one after another, a folder of files, or a pattern such as ``'part-*.csv'``; ``'-'`` is
        standard input. It may also be a Source that was opened with the same `reading`.
    reading : ReadOptions, optional
        How to read the data; by default found from their names and content. Its fields are the parameters of `read`.
    on_progress : callable, optional
        Called with the progress several times a second.

    Returns
    -------
    Fitted
        The model, its rule, the errors of every candidate, the decisions about columns, the time it took.

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
    plan = _checked_plan(chosen, reading, on_progress)
    if from_ is not None:
        from rosenblatt.model.fit.learn_on import learn_on

        return learn_on(path, os.fspath(from_), plan, chosen, test)
    if keep_cache:
        return _fit_cached(path, plan, resume=resume, test=test)
    return fit_source(open_to_learn(path, plan), plan, resume=resume, test=test)


def plan_of_call(
    reading: ReadOptions | None, on_progress: Callable[[Progress], None] | None = None, **chosen: Any
) -> Plan:
    """The plan of `fit_file` with these options, and defaults for the others."""
    unknown = sorted(set(chosen) - set(options.FIT_FILE))
    if unknown:
        raise TypeError(f"fit has no parameter {unknown[0]!r}.")
    defaults = {name: known.default for name, known in options.FIT_FILE.items()}
    return _checked_plan(defaults | chosen, reading, on_progress)


def _checked_plan(
    chosen: dict[str, Any], reading: ReadOptions | None, on_progress: Callable[[Progress], None] | None
) -> Plan:
    options.check("fit_file", {key: value for key, value in chosen.items() if key != "rule"}, options.FIT_FILE)
    options.check_fit_file(chosen)
    if chosen["forget"]:  # a stream is learned once, in its order
        chosen |= {"passes": 1, "order": "given"}
    if chosen["size"] is not None and chosen["test"] is None and not chosen["holdout"]:
        chosen["holdout"] = options.SHARE_LEFT_OUT
    plan = plan_of(chosen, (reading or ReadOptions())._replace(decide=True), on_progress)
    if plan.reading.multi_label:
        refuse_with_several_labels(chosen)
    if plan.reading.task == "number":
        refuse_with_number(plan)
    return plan


def fit_source(source: Source, plan: Plan, *, resume: bool = False, test: Paths | None = None) -> Fitted:
    """Learn the examples of an open source as the plan says; if there are few, read in another way as well."""
    fitting = _learn(source, plan, resume=resume)
    seconds, compared = fitting.seconds, []
    for kind in OTHER_READINGS:
        reading = other_reading(kind, fitting)
        if reading is None:
            continue
        again = source.reopened(reading) or open_source(source.inputs, reading)
        otherwise = plan._replace(reading=reading, checkpoint=None, on_progress=None)
        other = _learn(open_to_learn(again, otherwise), otherwise)
        seconds += other.seconds
        comparison = compare(kind, other, fitting)
        if comparison is not None:
            compared.append(comparison)
            fitting = other if comparison.is_better else fitting
    return fitted_of(fitting, test)._replace(other_readings=tuple(compared), seconds=seconds)


def _learn(source: Source, plan: Plan, *, resume: bool = False) -> Fitting:
    """Learn the examples of an open source; returns the fit when all its passes are done.

    Reading may show that the fit began with wrong assumptions. It is then restarted: with the features counted from 0,
    with all the labels of the file as classes, or with the examples shuffled.
    """
    save = save_checkpoint if plan.checkpoint is not None else None
    if plan.checkpoint is not None and not resume:
        refuse_other_file(plan.checkpoint)
    all_labels = False
    while True:
        try:
            fitting = (load_checkpoint(source, plan) if resume else None) or begin_fitting(source, plan, all_labels)
            restart = fitting.run(save)
        except RereadError:  # what was learned so far is wrong, also in a checkpoint
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


def begin_fitting(source: Source, plan: Plan, all_labels: bool) -> Fitting:
    """The fit of a source before its first pass. Its labels come from the first rows, or with `all_labels` from all."""
    known = read_all_labels(source, plan, fixed=True) if all_labels else look_at_labels(source, plan)
    if known.task == "number":
        refuse_with_number(plan, source.name)
        return Fitting(known, plan.for_number(), (), fixed=True, scale=known.scale)
    refuse_with_classes(plan, source.name)
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


def open_to_learn(path: Paths | Source, plan: Plan) -> Source:
    """Open the file. With many classes, each of which has a weight for every column, words are hashed into fewer
    columns."""
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
    source = open_cached(inputs, plan.reading, plan.cache, lambda: open_to_learn(path, plan))
    try:
        fitted = fit_source(source, plan, resume=resume, test=test)
    except DamagedCacheError:
        with suppress(FileNotFoundError):
            os.unlink(source.status.path)
        source = open_cached(inputs, plan.reading, plan.cache, lambda: open_to_learn(path, plan), "it was damaged")
        fitted = fit_source(source, plan, resume=resume, test=test)
    return fitted._replace(cache=source.status)
