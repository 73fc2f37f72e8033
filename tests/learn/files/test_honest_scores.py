"""The scores that examples were given before they were learned, and those of held-out rows."""

from typing import Any

import numpy as np
import pytest

from rosenblatt import native
from rosenblatt.learn.files.plan import Plan
from rosenblatt.learn.files.rule_choice.portfolio import RULES, candidates
from rosenblatt.learn.run import Run
from rosenblatt.model.fit_file import fit_source
from rosenblatt.records import Block
from tests.learn.files.test_fit_file import make
from tests.slow_twins.learn.files import Arrays


def scores_row_by_row(X: Any, y: Any, rule: str, classes: int) -> Any:
    """Each row is scored by the answer of the run so far, then learned."""
    run = Run(RULES[rule], X.shape[1], [1.0] * classes, 0)
    scores = []
    for row, label in zip(X, y, strict=True):
        block = Block(np.ascontiguousarray(row[None]), np.array([label], dtype=np.int32))
        rows = native.rows_of(block.values)
        scores.append(run.final_weights.scores(rows)[0])
        run.visit(block, rows, None)
    return np.array(scores)


@pytest.mark.parametrize("classes", [2, 3, 9])
@pytest.mark.parametrize("rule", ["perceptron", "arow", "logistic", "hinge"])
@pytest.mark.parametrize("step", [7, 100])
def test_progressive_scores_are_those_before_learning(classes: int, rule: str, step: int) -> None:
    X, y = make(classes, n=100)
    fitted = fit_source(Arrays(X, y.tolist(), step=step), Plan(candidates(rule), scale_to_length=False))
    honest = fitted.honest_scores
    assert honest is not None
    assert honest.kind == "progressive"
    assert len(honest) == 75  # the first quarter is left out
    expected = scores_row_by_row(X, y, rule, classes)[25:]
    np.testing.assert_allclose(np.asarray(honest.scores), expected, rtol=1e-12, atol=1e-12)
    assert np.asarray(honest.truth).tolist() == y[25:].tolist()


@pytest.mark.parametrize("rule", ["perceptron", "hinge"])
def test_a_long_run_is_sampled_evenly(rule: str) -> None:
    draw = np.random.default_rng(0)
    X = draw.normal(size=(40_000, 3)).round(2)
    y = (X @ [1.0, -1.0, 0.5] > 0).astype(int)
    samples = []
    for step in (1000, 40_000):
        fitted = fit_source(Arrays(X, y.tolist(), step=step), Plan(candidates(rule)))
        scores, labels, t, stride = fitted.model.run.learner.score_sample()
        assert stride == 4
        assert np.asarray(t).tolist() == list(range(0, 40_000, 4))
        assert np.asarray(labels).tolist() == y[::4].tolist()
        samples.append((np.asarray(scores).tobytes(), fitted.progressive_error))
    assert samples[0] == samples[1]
    everything = scores_row_by_row(X[:2000], y[:2000], rule, 2)[::4]
    np.testing.assert_allclose(np.asarray(scores)[:500], everything, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("patience", [None, 2])
def test_held_out_rows_are_scored_by_the_model_itself(patience: int | None) -> None:
    X, y = make(3, n=200)
    plan = Plan(candidates("auto"), passes=4, holdout=0.2, patience=patience)
    fitted = fit_source(Arrays(X, y.tolist()), plan)
    honest = fitted.honest_scores
    assert honest is not None
    assert (honest.kind, len(honest)) == ("held-out", fitted.holdout_rows)
    assert np.mean(np.argmax(honest.scores, axis=1) != honest.truth) == fitted.holdout_error
    every = fitted.model.unit_scores(X)
    rows = {bytes(np.asarray(row)) for row in np.asarray(every)}
    assert all(row.tobytes() in rows for row in honest.scores)
