"""Folds: parts of the examples that are left out in turn, and what learning the others costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple, TypeAlias

from rosenblatt import native
from rosenblatt.learn.files.rule_choice.learn_in_memory import Learning
from rosenblatt.learn.settings import Settings

_FOLDS = 5
_FEW_ROWS = 20_000  # with more, one fold is enough to judge by
_LEFT_OUT_ROWS = 10_000  # at most, in that one fold
# Passes that must be affordable for a candidate to be judged. One fold means that the data are large.
_FEWEST_PASSES, _FEWEST_OF_ONE_FOLD = 8, 3
Task: TypeAlias = Callable[[], Any]


class Fold(NamedTuple):
    training: Any  # row numbers, in memory of the native core
    left_out: Any


def folds_of(learning: Learning, candidates: Sequence[Settings], work: int, seed: int) -> list[Fold]:
    """Five folds, each left out once; for many examples, only one fold that is left out."""
    rows = learning.rows.count
    if rows <= _FEW_ROWS:
        folds = _split(learning, max(min(_FOLDS, rows), 2), _FOLDS, seed)
        if _FEWEST_PASSES * sum(fold_work(learning, folds, settings) for settings in candidates) <= work:
            return folds
    return _split(learning, max(_FOLDS, -(-rows // _LEFT_OUT_ROWS)), 1, seed)


def _split(learning: Learning, count: int, most: int, seed: int) -> list[Fold]:
    """At most `most` of `count` stratified folds."""
    labels = learning.block.buffers[0]
    n_labels = learning.n_classes if learning.sets is None else len(learning.sets)
    parts = native.stratified_folds(labels, n_labels, count, min(most, count), seed % 2**64)
    return [Fold(training, left_out) for training, left_out in parts]


def fewest_passes(folds: Sequence[Fold]) -> int:
    """How many passes of a candidate must be affordable."""
    return _FEWEST_PASSES if len(folds) > 1 else _FEWEST_OF_ONE_FOLD


def fold_work(learning: Learning, folds: Sequence[Fold], settings: Settings) -> int:
    learned = sum(len(fold.training) for fold in folds) / max(learning.rows.count, 1)
    return int(learning.pass_work(settings) * learned) + 1


def task_runner(threads: int, stack: ExitStack) -> Callable[[list[Task]], list[Any]]:
    """Runs tasks, in parallel where there are threads; they share nothing that decides a bit."""
    if threads == 1:
        return lambda tasks: [task() for task in tasks]
    from concurrent.futures import ThreadPoolExecutor

    pool = stack.enter_context(ThreadPoolExecutor(threads))
    return lambda tasks: list(pool.map(lambda task: task(), tasks))
