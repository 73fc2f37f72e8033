"""What `fit_file` returns: a model and how it was learned."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rosenblatt.learn.files.passes import Fitting
from rosenblatt.learn.polynomial import columns_of
from rosenblatt.learn.settings import Settings
from rosenblatt.model.linear import LinearModel
from rosenblatt.readers.source import BadRow, ReadOptions
from rosenblatt.records import Status
from rosenblatt.version import __version__

if TYPE_CHECKING:
    from rosenblatt.readers.cache.persistent import CacheStatus


@dataclass(frozen=True)
class Candidate:
    """One rule that was tried: its errors while it learned the first pass, and on the rows held out."""

    rule: str
    settings: Settings
    progressive_error: float
    holdout_error: float | None = None
    failed: bool = False  # its weights overflowed
    given_up: int | None = None  # after this many examples it had fallen behind, or was no better than the best
    best_then: float | None = None  # the error of the best rule at that point


@dataclass(frozen=True, eq=False)
class Fitted:
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
    resumed: bool = False
    order: str = "given"
    grouped: bool = False  # the file is sorted by label, which harms an online learner
    cache: CacheStatus | None = None


def fitted_of(fitting: Fitting, test: str | None = None) -> Fitted:
    """The result of a fit whose passes are done; its error on a test file, if one is named."""
    source, plan, chosen, run = fitting.source, fitting.plan, fitting.chosen, fitting.winner
    summary = run.summary
    # New examples may have columns that the model does not know: its space says how many it knows.
    known = {**source.space.settings, "features": columns_of(run.learner.features, plan.degree)}
    model = LinearModel(
        classes=fitting.classes, space=replace(source.space, settings=known), run=run, provenance=_provenance(fitting)
    )
    wrong, rows = (0, 0) if test is None else _test(model, test, plan.reading, plan.threads)
    return Fitted(
        model=model,
        rows=fitting.examples.learned,
        features=run.learner.features,
        passes=len(summary.mistakes),
        status=summary.status,
        seconds=fitting.seconds,
        n_mistakes=summary.n_mistakes,
        mistakes=summary.mistakes,
        progressive_error=fitting.candidates.progressive[chosen],
        holdout_error=fitting.holdout.error(chosen),
        holdout_rows=fitting.holdout.rows,
        test_error=None if rows == 0 else wrong / rows,
        test_rows=rows,
        candidates=_candidates(fitting),
        chosen=chosen,
        skipped=source.skipped,
        bad_rows=tuple(source.bad_rows),
        resumed=fitting.resumed,
        order="shuffle" if plan.order == "shuffle" else "given",
        grouped=fitting.examples.label_order.is_sorted,
    )


def _candidates(fitting: Fitting) -> tuple[Candidate, ...]:
    candidates = fitting.candidates
    return tuple(
        Candidate(
            name,
            settings,
            candidates.progressive.get(name, 1.0),
            fitting.holdout.error(name),
            name in candidates.failed,
            candidates.given_up.get(name),
            candidates.best_then.get(name),
        )
        for name, settings in candidates.settings.items()
        if name in candidates.progressive or name in candidates.failed
    )


def _provenance(fitting: Fitting) -> dict[str, Any]:
    """Where the model comes from. No time of day: the same run gives the same file."""
    source, defaults = fitting.source, ReadOptions().as_json()
    reading = fitting.plan.reading.as_json()
    return {
        "version": __version__,
        "rule": fitting.chosen,
        "data": {"name": source.name, "bytes": source.size, "format": source.format, "rows": fitting.examples.learned},
        "reading": {key: value for key, value in reading.items() if value != defaults[key]},
    }


def _test(model: LinearModel, path: str, reading: ReadOptions, threads: int) -> tuple[int, int]:
    """Wrong predictions and labelled rows of a test file."""
    from rosenblatt.model.predict import predict_file

    wrong = rows = 0
    for block in predict_file(model, path, reading=replace(reading, classes=()), threads=threads):
        labelled = block.truth != -1
        wrong += int((block.decided != block.truth)[labelled].sum())
        rows += int(labelled.sum())
    return wrong, rows
