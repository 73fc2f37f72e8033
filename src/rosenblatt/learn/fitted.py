"""What a fit of a file tells: while it runs, and when it is done."""

from __future__ import annotations

from rosenblatt.frozen import record
from rosenblatt.learn.model import Model
from rosenblatt.learn.settings import Settings
from rosenblatt.read import BadRow
from rosenblatt.records import Status


@record
class Progress:
    """How far a fit has come. `progressive_error` is the share of wrong predictions made before learning each row."""

    bytes_done: int
    bytes_total: int | None
    rows: int
    seconds: float
    progressive_error: float
    pass_: int  # from 1
    passes: int


@record
class Candidate:
    """One rule that was tried: its errors while it learned the first pass, and on the rows held out."""

    rule: str
    settings: Settings
    progressive_error: float
    holdout_error: float | None = None
    failed: bool = False  # its weights overflowed
    given_up: int | None = None  # after so many examples it had fallen behind, or was no better than the best
    best_then: float | None = None  # the error of the best rule on as many


@record
class KeptCache:
    """What became of the cache that was to be kept: `made`, `reused`, `rebuilt` or `not kept`, and why."""

    path: str
    state: str
    why: str = ""


@record
class Fitted:
    """A model and how it came about."""

    model: Model
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
    cache: KeptCache | None = None
