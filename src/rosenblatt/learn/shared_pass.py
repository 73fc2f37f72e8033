"""Several runs learn the same rows in one pass over the memory: the partial_fit of all units of an estimator."""

from collections.abc import Sequence

from rosenblatt import native
from rosenblatt.errors import LearningElsewhereError, LearningOverflowError
from rosenblatt.lazy import np
from rosenblatt.learn.run import Run
from rosenblatt.records import Block


def share_pass(runs: Sequence[Run], block: Block, threads: int = 1) -> None:
    """Each run visits the rows once, in the given order; all of them share one pass over the memory.

    Nothing is changed in any run if the weights of one overflow, or if another thread is learning with one.
    """
    turns = [run for run in runs if run.turn.acquire(blocking=False)]
    try:
        if len(turns) < len(runs):
            raise LearningElsewhereError
        _share_pass(runs, block, threads)
    finally:
        for run in turns:
            run.turn.release()


def _share_pass(runs: Sequence[Run], block: Block, threads: int) -> None:
    rows = native.rows_of(block.values, degree=max(run.settings.degree for run in runs))
    heaviest = 1.0 if block.weights is None else float(block.weights.max(initial=0.0))
    learners = [run.learner for run in runs]
    farthest = 1.0 if block.targets is None else float(np.abs(block.targets).max(initial=0.0))
    at_risk = any(
        run.learner.may_overflow(rows.count, rows.largest, heaviest * float(run.class_weight.max()), farthest)
        for run in runs
    )
    backups = [learner.copy() for learner in learners] if at_risk else learners
    raised: BaseException | None = None
    try:
        _, raised = native.learn(
            learners, rows, block.labels, block.weights, None, None, 0, rows.count, threads, targets=block.targets
        )
    finally:  # also when a signal strikes just after the pass
        _finish(runs, backups, block)
    if raised is not None:
        raise raised


def _finish(runs: Sequence[Run], backups: Sequence[native.Learner], block: Block) -> None:
    try:
        for run in runs:
            if run.settings.batch == "full":
                run.learner.end_batch()
            run.refuse_overflow()
    except LearningOverflowError:
        for run, backup in zip(runs, backups, strict=True):
            run.learner = backup
        raise
    for run in runs:
        run.recording = None  # a stream may never end, so its examples are not kept
        run.after_visits(block)
