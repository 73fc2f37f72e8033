"""What `fit_file` gives: a model and how it was learned."""

from __future__ import annotations

from dataclasses import dataclass

from rosenblatt.learn.settings import Settings
from rosenblatt.model.linear import LinearModel
from rosenblatt.readers.cache.persistent import CacheStatus
from rosenblatt.readers.source import BadRow
from rosenblatt.records import Status


@dataclass(frozen=True)
class Candidate:
    """One rule that was tried: its errors while it learned the first pass, and on the rows held out."""

    rule: str
    settings: Settings
    progressive_error: float
    holdout_error: float | None = None
    failed: bool = False  # its weights overflowed
    given_up: int | None = None  # after so many examples it had fallen behind, or was no better than the best
    best_then: float | None = None  # the error of the best rule on as many


@dataclass(frozen=True)
class Fitted:
    """A model and how it came about."""

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
    grouped: bool = False  # the file is sorted by label, which an online learner suffers from
    cache: CacheStatus | None = None
