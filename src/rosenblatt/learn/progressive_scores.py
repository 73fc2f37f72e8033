"""The scores that a run gave to a sample of its examples before it learned them, to calibrate it by."""

from __future__ import annotations

from bisect import bisect_left

from rosenblatt.learn.run import Run
from rosenblatt.records import HonestScores

_UNTRAINED = 0.25  # the share of the first pass whose scores are not kept for calibration
# Of a run that forgets, only the scores of so many half-lives are kept, or of so many examples.
_RECENT, _FEWEST_RECENT = 8, 1000


def progressive_scores(run: Run, learned: int) -> HonestScores:
    """Of a run that has learned so many examples in one pass."""
    scores, truth, examples_before, _ = run.learner.score_sample()
    if run.settings.predicts_number:
        truth = run.learner.sample_targets()
    # The first of them were scored by weights that had hardly learned.
    first = bisect_left(examples_before, learned * _UNTRAINED)
    if half_life := run.settings.forget:
        recent = bisect_left(examples_before, learned - _RECENT * half_life)
        first = max(first, min(recent, len(truth) - _FEWEST_RECENT))
    return HonestScores(scores[first:], truth[first:], "progressive")
