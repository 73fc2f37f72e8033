"""The rows that are held out of a fit, and how well the runs predict them after each pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any

from rosenblatt import native
from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.files.numbers.loss import total_loss
from rosenblatt.learn.multiclass_schemes import predicted_classes
from rosenblatt.learn.run import Run
from rosenblatt.readers.block_rows import take_examples
from rosenblatt.readers.cache.spill import SpillCache
from rosenblatt.records import Block, Floats, HonestScores

_MOST_SCORES = 16384  # kept for calibration


def held_out(first: int, rows: int, share: float, seed: int) -> NDArray[np.bool_]:
    """One row of each stretch of 1/share rows, at a random place in it, so that alternating rows are sampled fairly.

    >>> held_out(0, 20, 0.1, 0).sum(), held_out(0, 20, 0.1, 0).tolist() == held_out(0, 20, 0.1, 0).tolist()
    (np.int64(2), True)
    >>> held_out(0, 20, 1e-300, 1).sum()
    np.int64(0)
    """
    row = np.arange(first, first + rows)
    stretch = np.floor(row * share + 1e-9)
    begin, end = (np.ceil(np.minimum(edge / share, 2.0**62) - 1e-9).astype(np.int64) for edge in (stretch, stretch + 1))
    return np.asarray(row == begin + _pseudo_random(stretch.astype(np.uint64), seed) % (end - begin))


def _pseudo_random(number: NDArray[np.uint64], seed: int) -> NDArray[np.int64]:
    """A pseudo-random number for each number (the finalizer of SplitMix64, Steele, Lea and Flood 2014)."""
    mixed = (number + np.uint64(seed << 32 & 2**64 - 1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(1)).astype(np.int64)


class Holdout:
    """Held-out rows, the error of each run on them, and with patience the best state of each run so far."""

    def __init__(
        self,
        share: float,
        patience: int | None,
        seed: int,
        blocks: SpillCache,
        sets: native.LabelSets | None = None,
    ) -> None:
        self.share, self.patience, self.seed, self._sets = share, patience, seed, sets
        self.blocks = blocks
        self.left_out: list[Block] = []
        self.rows = 0
        self.errors: dict[str, float] = {}  # after the last pass
        self.best: dict[str, tuple[float, Run]] = {}  # with patience: the least error, and the run that made it
        self.passes_waited: dict[str, int] = {}  # passes without improvement since then

    def keep(self, block: Block, first_row: int, labelled: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Keep the labelled rows of a block that are held out; returns which rows are held out."""
        out = held_out(first_row, block.rows, self.share, self.seed)
        rows = np.flatnonzero(out & labelled).astype(np.uint32)
        if len(rows):
            self.blocks.append(take_examples(block, rows))
            self.rows += len(rows)
        return out

    def judge(self, name: str, run: Run) -> None:
        """Measure the error of a run; with patience, stop a run that no longer improves."""
        error = self.errors[name] = self._error(run)
        if self.patience is None:
            return
        if name not in self.best or error < self.best[name][0]:
            self.best[name], self.passes_waited[name] = (error, copy(run)), 0
        else:
            self.passes_waited[name] += 1
        if self.passes_waited[name] >= self.patience and run.status == "budget":
            run.status = "validated"

    def _error(self, run: Run) -> float:
        scheme, wrong = run.settings.scheme(run.classes), 0.0
        for scores, labels in self._scores(run):
            if run.settings.predicts_number:
                wrong += total_loss(run.settings, scores, labels)
                continue
            if self._sets is not None:
                every_row = np.arange(len(labels), dtype=np.uint32)
                wrong += native.judge_labels(scores, self._sets, labels, every_row, None)[0]
                continue
            wrong += int(np.count_nonzero(predicted_classes(scheme, scores, run.classes) != labels))
        return wrong / self.rows

    def _scores(self, run: Run) -> Iterator[tuple[Floats, NDArray[Any]]]:
        """The scores of a run for each block, and the true classes or numbers."""
        scorer = run.scorer()
        for block in self.left_out or self.blocks.blocks(1):
            rows = native.rows_of(block.values, degree=run.settings.degree)
            if rows.features > scorer.features:
                scorer = scorer.copy() if scorer is run.learner else scorer
                scorer.grow(rows.features)
            yield np.asarray(scorer.scores(rows)), block.labels if block.targets is None else block.targets

    def keep_some(self) -> None:
        """Keep some thousands of the held-out rows in memory after the fit has ended."""
        n_rows = 0
        for block in self.blocks.blocks(1):
            if n_rows < _MOST_SCORES:
                self.left_out.append(block)
            n_rows += len(block.labels)

    def wrong(self, run: Run, decide: Callable[[Floats], Any]) -> tuple[int, int]:
        """How many held-out rows `decide` gets wrong from the scores of a run, and how many rows there are."""
        wrong = rows = 0
        for scores, labels in self._scores(run):
            wrong += int((np.asarray(decide(scores)) != labels).sum())
            rows += len(labels)
        return wrong, rows

    def honest_scores(self, run: Run) -> HonestScores:
        """The scores of the held-out rows; of many, an evenly spaced sample."""
        step, first = -(-self.rows // _MOST_SCORES), 0
        scores, truth = [], []
        for block_scores, labels in self._scores(run):
            scores.append(block_scores[first::step])
            truth.append(labels[first::step])
            first = (first - len(labels)) % step
        return HonestScores(np.concatenate(scores), np.concatenate(truth), "held-out")

    def error(self, name: str) -> float | None:
        """The least error of a run with patience, else its last; None where nothing was held out."""
        return self.best[name][0] if name in self.best else self.errors.get(name)
