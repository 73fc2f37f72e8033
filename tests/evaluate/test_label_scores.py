"""The scores of several labels, compared with those of scikit-learn."""

from typing import Any

import numpy as np
import pytest
from sklearn import metrics

from rosenblatt.evaluate.label_scores import LabelScores, LabelTally

LABELS = ("a", "b", "c", "d")


def make(n: int = 500, seed: int = 0) -> tuple[Any, Any, Any]:
    draw = np.random.default_rng(seed)
    truth = draw.random((n, 4)) < [0.5, 0.2, 0.1, 0.02]
    chances = np.clip(0.7 * truth + 0.15 + draw.normal(scale=0.2, size=(n, 4)), 0.01, 0.99)
    return chances > 0.5, truth, chances


def scored(decided: Any, truth: Any, chances: Any = None, step: int = 100, **more: Any) -> LabelScores:
    tally = LabelTally(LABELS)
    for at in range(0, len(truth), step):
        part = slice(at, at + step)
        of_part = {name: value[part] for name, value in more.items()}
        tally.add(decided[part], truth[part], probabilities=None if chances is None else chances[part], **of_part)
    return tally.scores()


def test_scores_are_those_of_scikit_learn() -> None:
    decided, truth, chances = make()
    scores = scored(decided, truth, chances)
    assert scores.exact_match.value == pytest.approx(metrics.accuracy_score(truth, decided))
    assert scores.hamming_loss.value == pytest.approx(metrics.hamming_loss(truth, decided))
    for average in ("micro", "macro"):
        of = metrics.precision_recall_fscore_support(truth, decided, average=average, zero_division=0)
        for name, expected in zip(("precision", "recall", "f1"), of[:3], strict=True):
            assert getattr(scores, f"{average}_{name}").value == pytest.approx(expected)
    per_label = metrics.precision_recall_fscore_support(truth, decided, zero_division=0)
    for k, row in enumerate(scores.per_class):
        assert (row.label, row.support) == (LABELS[k], per_label[3][k])
        values = [estimate.value for estimate in (row.precision, row.recall, row.f1)]
        assert values == pytest.approx([part[k] for part in per_label[:3]])
    assert scores.log_loss is not None
    assert scores.log_loss.value == pytest.approx(
        np.mean([metrics.log_loss(truth[:, k], chances[:, k]) for k in range(4)])
    )


def test_blocks_and_weights() -> None:
    decided, truth, _ = make(300)
    assert scored(decided, truth, step=7) == scored(decided, truth, step=300)
    twice = scored(decided, truth, weights=np.full(300, 2.0))
    assert twice.micro_f1 == scored(decided, truth).micro_f1
    weights = np.random.default_rng(1).integers(0, 3, 300).astype(float)
    repeated = np.repeat(np.arange(300), weights.astype(int))
    weighted = scored(decided, truth, weights=weights)
    assert weighted.macro_recall.value == pytest.approx(scored(decided[repeated], truth[repeated]).macro_recall.value)


def test_intervals_hold_what_they_promise() -> None:
    """Of many samples, about 95% of the intervals hold the value of the whole."""
    decided, truth, _ = make(20_000, seed=5)
    names = ("micro_f1", "macro_precision", "hamming_loss", "exact_match", "micro_recall")
    whole = scored(decided, truth, step=20_000)
    inside = dict.fromkeys(names, 0)
    for k in range(100):
        part = scored(decided[k * 200 : k * 200 + 200], truth[k * 200 : k * 200 + 200])
        for name in names:
            estimate = getattr(part, name)
            inside[name] += estimate.low <= getattr(whole, name).value <= estimate.high
    assert all(88 <= count <= 100 for count in inside.values()), inside


def test_baselines_are_those_of_one_answer_for_all() -> None:
    decided, truth, _ = make()
    scores = scored(decided, truth)
    always_none = np.zeros_like(truth)
    answers = [np.tile([bool(code >> k & 1) for k in range(4)], (len(truth), 1)) for code in range(16)]
    assert scores.baseline_error == pytest.approx(min(metrics.hamming_loss(truth, answer) for answer in answers))
    f1s = [metrics.f1_score(truth, answer, average="micro", zero_division=0) for answer in answers]
    assert scores.baseline_f1 == pytest.approx(max(f1s))
    matches = [metrics.accuracy_score(truth, answer) for answer in answers]
    assert scores.baseline_exact_match == pytest.approx(max(matches))
    assert [label in scores.commonest for label in LABELS] == answers[int(np.argmax(matches))][0].tolist()
    assert scores.without == int((~truth.any(axis=1)).sum())
    (silent, *_) = scored(always_none, truth).warnings()
    assert "gives no example any label" in silent.sentence
    shuffled = decided[np.random.default_rng(0).permutation(len(decided))]
    assert "no better" in [caution.kind for caution in scored(shuffled, truth).warnings()]
    assert [caution.kind for caution in scores.warnings()] == ["few examples"] * int(truth.sum(axis=0).min() < 10)


def test_labels_that_the_model_never_saw_are_missed() -> None:
    _, truth, _ = make(100)
    unknown = np.zeros(100, np.int64)
    unknown[:10] = 2
    scores, without = scored(truth, truth, unknown=unknown), scored(truth, truth)
    assert without.exact_match.value == without.micro_recall.value == 1.0
    assert scores.exact_match.value == pytest.approx(0.9)
    assert scores.micro_recall.value == pytest.approx(truth.sum() / (truth.sum() + 20))
    assert scores.unknown == 10
