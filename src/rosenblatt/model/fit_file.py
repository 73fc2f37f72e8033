"""From a file to a model: `fit_file`."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

from rosenblatt import options
from rosenblatt.learn.files.learn_source import learn_source, look_at_labels
from rosenblatt.learn.files.plan import Plan, Progress
from rosenblatt.learn.files.portfolio import candidates
from rosenblatt.learn.settings import Settings
from rosenblatt.model.fit_result import Fitted, fitted_of
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions, Source

_FEWEST_BITS = 18


def fit_file(
    path: str | os.PathLike[str] | Source,
    *,
    rule: str | Settings = options.rule.default,
    passes: int = options.passes.default,
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
    checkpoint: str | None = options.checkpoint.default,
    checkpoint_every: float | None = options.checkpoint_every.default,
    resume: bool = options.resume.default,
    on_progress: Callable[[Progress], None] | None = None,
) -> Fitted:
    """Learn the examples of a file in their order, in bounded memory.

    `path` names a file, '-' is standard input; a Source that was opened with the same `reading` is taken as well.
    With rule 'auto' several rules learn side by side and the one with the fewest errors is kept; of rules that chance
    cannot tell apart, the first. The answer is that of the estimator on the same rows with order='given', to the bit,
    for any number of threads.

    Ctrl-C writes the state to `checkpoint`; with `resume` the same call continues from there to the same bits.

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
    plan = _plan(chosen, reading or ReadOptions(), on_progress)
    if keep_cache:
        return _fit_cached(path, plan, resume=resume, test=test)
    return fit_source(_open(path, plan), plan, resume=resume, test=test)


def fit_source(source: Source, plan: Plan, *, resume: bool = False, test: str | None = None) -> Fitted:
    """Learn the examples of an open source as the plan says."""
    return fitted_of(learn_source(source, plan, resume=resume), test)


def _plan(chosen: Mapping[str, Any], reading: ReadOptions, on_progress: Callable[[Progress], None] | None) -> Plan:
    rule, features, checkpoint = chosen["rule"], chosen["features"], chosen["checkpoint"]
    degree = 1 if features is None else int(features.removeprefix("poly"))
    same_names = ("passes", "holdout", "patience", "cache", "seed", "checkpoint_every")
    return Plan(
        candidates=_adjusted(candidates(rule), chosen["keep"], degree),
        degree=degree,
        order=chosen["order"] or ("auto" if rule == "auto" else "given"),
        scale_to_length=isinstance(rule, str),
        threads=chosen["threads"] or os.cpu_count() or 1,
        reading=reading,
        checkpoint=None if checkpoint is None else os.fspath(checkpoint),
        on_progress=on_progress,
        **{name: chosen[name] for name in same_names},
    )


def _adjusted(rules: Mapping[str, Settings], keep: str | None, degree: int) -> dict[str, Settings]:
    """The rules with what was chosen for all of them."""
    changes: dict[str, Any] = {} if keep is None else {"keep": keep}
    if degree > 1:
        changes["degree"] = degree
    adjusted = {name: replace(settings, **changes) for name, settings in rules.items()}
    for settings in adjusted.values():
        options.check_together("fit_file", asdict(settings))
    return adjusted


def _open(path: str | os.PathLike[str] | Source, plan: Plan) -> Source:
    """Open the file. Words are hashed into fewer columns where many classes each have a weight for every column."""
    source = path if isinstance(path, Source) else open_source(path, plan.reading)
    bits = source.space.bits
    if not bits or plan.reading.bits is not None or not source.rewindable:
        return source
    known = look_at_labels(source, plan)
    fewer = max(bits - (len(known.classes) - 1).bit_length(), _FEWEST_BITS)
    if len(known.classes) <= 2 or fewer >= bits:
        return known
    return open_source(source.name, replace(plan.reading, bits=fewer))


def _fit_cached(path: str | os.PathLike[str] | Source, plan: Plan, *, resume: bool, test: str | None) -> Fitted:
    """Read the persistent cache of the file, or write it; a damaged cache is removed and written again."""
    from rosenblatt.readers.cache.persistent import DamagedCacheError, open_cached

    name = path.name if isinstance(path, Source) else path
    source = open_cached(name, plan.reading, plan.cache, lambda: _open(path, plan))
    try:
        fitted = fit_source(source, plan, resume=resume, test=test)
    except DamagedCacheError:
        with suppress(FileNotFoundError):
            os.unlink(source.status.path)
        source = open_cached(name, plan.reading, plan.cache, lambda: _open(path, plan), "it was damaged")
        fitted = fit_source(source, plan, resume=resume, test=test)
    return replace(fitted, cache=source.status)
