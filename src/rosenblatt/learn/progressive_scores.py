"""The scores that a run gave to a sample of its examples before it learned them, for calibration."""

from __future__ import annotations

from bisect import bisect_left

from rosenblatt.learn.run import Run
from rosenblatt.records import HonestScores

_UNTRAINED = 0.25  # the share of the first pass whose scores are not kept for calibration
# If the run forgets, only the scores of this many last half-lives are used, but of at least this many examples.
_RECENT, _FEWEST_RECENT = 8, 1000


def progressive_scores(run: Run, learned: int) -> HonestScores:
    """The scores of a run that has learned `learned` examples in one pass."""
    scores, truth, examples_before, _ = run.learner.score_sample()
    if run.settings.predicts_number:
        truth = run.learner.sample_targets()
    # The first examples were scored by weights that had hardly learned.
    first = bisect_left(examples_before, learned * _UNTRAINED)
    if half_life := run.settings.forget:
        recent = bisect_left(examples_before, learned - _RECENT * half_life)
        first = max(first, min(recent, len(truth) - _FEWEST_RECENT))
    return HonestScores(scores[first:], truth[first:], "progressive")
