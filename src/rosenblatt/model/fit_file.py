"""From a file to a model: `fit_file`."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

from rosenblatt import options
from rosenblatt.errors import ParameterError
from rosenblatt.learn.files.classes import classes_of
from rosenblatt.learn.files.fit import first_labels, learn_source
from rosenblatt.learn.files.passes import Fitting, Plan, Progress
from rosenblatt.learn.files.portfolio import candidates
from rosenblatt.learn.polynomial import columns_of
from rosenblatt.learn.settings import Settings
from rosenblatt.model.fitted import Candidate, Fitted
from rosenblatt.model.linear import LinearModel
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions, Source
from rosenblatt.records import FeatureSpace
from rosenblatt.version import __version__

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
    """Learn the examples of a file in their order, in bounded memory; '-' is standard input, and a source that is open
    already, with the same `reading`, will do.

    With rule 'auto' several rules learn side by side and the one with the fewest errors is kept, of those that chance
    cannot tell apart the first. The answer is that of the estimator on the same rows with order='given', to the bit,
    for any number of threads.

    Ctrl-C writes the state to `checkpoint`; with `resume` the same call goes on from there to the same bits.

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
    reading = ReadOptions() if reading is None else reading
    plan = _plan(chosen, reading, on_progress)
    if resume and checkpoint is None:
        raise ParameterError("fit_file cannot resume without a checkpoint: name the file it was written to.")
    if patience is not None and not holdout:
        raise ParameterError("fit_file cannot use patience without holdout: there are no rows to judge by.")

    def opened() -> Source:
        source = path if isinstance(path, Source) else open_source(path, reading)
        return _with_room(source, reading, plan)

    def fit(source: Source) -> Fitted:
        return fit_source(source, plan, reading, resume=resume, test=test)

    name = path.name if isinstance(path, Source) else path
    return _by_way_of_cache(name, reading, cache, opened, fit) if keep_cache else fit(opened())


def _plan(asked: "Mapping[str, Any]", reading: ReadOptions, on_progress: Callable[[Progress], None] | None) -> Plan:
    rule, features, checkpoint = asked["rule"], asked["features"], asked["checkpoint"]
    degree = 1 if features is None else int(features.removeprefix("poly"))
    as_asked = ("passes", "holdout", "patience", "cache", "seed", "checkpoint_every")
    return Plan(
        candidates=_shaped(candidates(rule), asked["keep"], degree),
        degree=degree,
        order=asked["order"] or ("auto" if rule == "auto" else "given"),
        adapted=isinstance(rule, str),
        threads=asked["threads"] or os.cpu_count() or 1,
        unlabelled=reading.on_bad_row,
        reading=reading,
        checkpoint=None if checkpoint is None else os.fspath(checkpoint),
        on_progress=on_progress,
        **{name: asked[name] for name in as_asked},
    )


def _by_way_of_cache(
    path: str | os.PathLike[str],
    reading: ReadOptions,
    folder: str | None,
    opened: Callable[[], Source],
    fit: Callable[[Source], Fitted],
) -> Fitted:
    """Fit what an earlier reading kept, or keep this one; a cache that turns out to be damaged is made again."""
    from rosenblatt.readers.cache.persistent import DamagedCacheError, open_cached

    source = open_cached(path, reading, folder, opened)
    try:
        fitted = fit(source)
    except DamagedCacheError:
        with suppress(FileNotFoundError):
            os.unlink(source.status.path)
        source = open_cached(path, reading, folder, opened, "it was damaged")
        fitted = fit(source)
    return replace(fitted, cache=source.status)


def _with_room(source: Source, reading: ReadOptions, plan: Plan) -> Source:
    """Words are hashed into fewer columns where each of them has a weight for every one of many classes."""
    bits = source.space.bits
    if not bits or reading.bits is not None or not source.rewindable:
        return source
    classes = classes_of(reading.classes)
    if not classes:
        source, classes = first_labels(source, plan)
    fewer = max(bits - (len(classes) - 1).bit_length(), _FEWEST_BITS)
    return source if len(classes) <= 2 or fewer >= bits else open_source(source.name, replace(reading, bits=fewer))


def fit_source(
    source: Source, plan: Plan, reading: ReadOptions | None = None, *, resume: bool = False, test: str | None = None
) -> Fitted:
    """The same for a source that is open already."""
    reading = reading or ReadOptions()
    return _fitted(learn_source(source, plan, reading, resume=resume), reading, test)


def _shaped(tried: dict[str, Settings], keep: str | None, degree: int) -> dict[str, Settings]:
    """The rules with what is asked of all of them."""
    asked: dict[str, Any] = {} if keep is None else {"keep": keep}
    if degree > 1:
        asked["degree"] = degree
    kept = {name: replace(settings, **asked) for name, settings in tried.items()}
    for settings in kept.values():
        options.check_together("fit_file", asdict(settings))
    return kept


def _fitted(fitting: Fitting, reading: ReadOptions, test: str | None) -> Fitted:
    source, plan, chosen, run = fitting.source, fitting.plan, fitting.chosen, fitting.winner
    record = run.summary
    model = LinearModel(
        classes=fitting.classes,
        space=_with_features(source.space, columns_of(run.learner.features, plan.degree)),
        run=run,
        provenance=_provenance(fitting, reading),
    )
    wrong, rows = _tested(model, test, reading, plan.threads)
    held = fitting.best[chosen][0] if chosen in fitting.best else fitting.held_error.get(chosen)
    return Fitted(
        model=model,
        rows=fitting.learned,
        features=run.learner.features,
        passes=len(record.mistakes),
        status=record.status,
        seconds=fitting.seconds,
        n_mistakes=record.n_mistakes,
        mistakes=record.mistakes,
        progressive_error=fitting.progressive[chosen],
        holdout_error=held,
        holdout_rows=fitting.held_rows,
        test_error=None if rows == 0 else wrong / rows,
        test_rows=rows,
        candidates=tuple(_candidates(fitting)),
        chosen=chosen,
        skipped=source.skipped,
        bad_rows=tuple(source.bad_rows),
        resumed=fitting.resumed,
        order="shuffle" if plan.order == "shuffle" else "given",
        grouped=fitting.sorting.grouped,
    )


def _candidates(fitting: Fitting) -> list[Candidate]:
    tried = fitting.tried
    return [
        Candidate(
            name,
            tried[name],
            fitting.progressive.get(name, 1.0),
            fitting.best[name][0] if name in fitting.best else fitting.held_error.get(name),
            name in fitting.failed,
            fitting.given_up.get(name),
            fitting.best_then.get(name),
        )
        for name in tried
        if name in fitting.progressive or name in fitting.failed
    ]


def _with_features(space: FeatureSpace, features: int) -> FeatureSpace:
    """A frozen space knows how many columns it has: what lies beyond them is left out of new examples."""
    return replace(space, settings={**space.settings, "features": features})


def _provenance(fitting: Fitting, reading: ReadOptions) -> "dict[str, Any]":
    """Where the model comes from. No time of day: the same run gives the same file."""
    source = fitting.source
    return {
        "version": __version__,
        "rule": fitting.chosen,
        "data": {"name": source.name, "bytes": source.size, "format": source.format, "rows": fitting.learned},
        "reading": {
            key: value
            for key, value in reading.as_json().items()
            if value != getattr(ReadOptions(), key) and value != []
        },
    }


def _tested(model: LinearModel, test: str | None, reading: ReadOptions, threads: int) -> tuple[int, int]:
    """Wrong predictions and rows of a test file."""
    wrong = rows = 0
    if test is not None:
        from rosenblatt.model.predict import predict_file

        for part in predict_file(model, test, reading=replace(reading, classes=()), threads=threads):
            wrong += int((part.decided != part.truth)[part.truth != -1].sum())
            rows += int((part.truth != -1).sum())
    return wrong, rows
