"""The run below the estimators: several share a pass, a failure of one changes none, and the status is honest."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import Adaline, Learner, Perceptron, load, save
from rosenblatt.errors import DataError, LearningOverflowError
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.shared_pass import share_pass
from rosenblatt.model.model_file import load_linear_model
from rosenblatt.native import rows_of
from rosenblatt.records import Block, Csr

PORTFOLIO = [
    Settings(keep="average"),
    Settings(learning_rate="arow", r=10.0, keep="last"),
    Settings(loss="logistic", learning_rate="adagrad", keep="average"),
    Settings(loss="hinge", learning_rate="pa1", multi_class="ovo", keep="last", record=True),
    Settings(multi_class="joint", keep="average"),
]


def make(n: int = 60, d: int = 9, classes: int = 3) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    draw = np.random.default_rng(5)
    X = draw.normal(size=(n, d)) * (draw.random((n, d)) < 0.6)
    return X, draw.integers(0, classes, n).astype(np.int32)


def csr(X: np.ndarray[Any, Any]) -> Csr:
    rows, columns = np.nonzero(X)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(X)))])
    return Csr(starts, columns, X[rows, columns], X.shape[1])


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("dense_layout", [False, True])
def test_several_learners_share_a_pass_as_if_each_were_alone(threads: int, sparse: bool, dense_layout: bool) -> None:
    X, labels = make()
    block = Block(csr(X) if sparse else X, labels)

    def begin(settings: Settings) -> Run:
        return Run(settings, X.shape[1], np.ones(3), 0, dense=dense_layout)

    together = [begin(settings) for settings in PORTFOLIO]
    share_pass(together, block, threads)
    for run, settings in zip(together, PORTFOLIO, strict=True):
        alone = begin(settings)
        share_pass([alone], Block(X, labels))
        assert run.final_weights.coef.tobytes() == alone.final_weights.coef.tobytes()
        assert run.final_weights.intercept.tobytes() == alone.final_weights.intercept.tobytes()
        assert run.learner.mistakes == alone.learner.mistakes > 0


def test_nothing_changes_in_any_run_if_one_overflows() -> None:
    X, labels = make(classes=2)
    careful = Run(Settings(record=True, keep="last"), X.shape[1], np.ones(2), 0)
    reckless = Run(Settings(loss="squared", eta0=1e200, keep="last"), X.shape[1], np.ones(2), 0)
    with pytest.raises(LearningOverflowError, match="overflowed at row"):
        share_pass([careful, reckless], Block(X, labels))
    for run in (careful, reckless):
        assert run.learner.t == 0
        assert not run.final_weights.coef.any()
    assert len(careful.summary.mistake_log or ()) == 0


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (lambda X, labels: Block(X, labels[:-1]), "one label and one sample weight for each of 60 rows"),
        (lambda X, labels: Block(X, labels + 2), "a label is not the index of a class"),
        (lambda X, labels: Block(X, labels - 1), "a label is not the index of a class"),
        (lambda X, labels: Block(X, labels, np.ones(3)), "one label and one sample weight for each of 60 rows"),
        (lambda X, labels: Block(X[:, 1:], labels), "the learner has 9 features, the rows have 8"),
    ],
)
def test_a_block_that_does_not_fit_is_refused(spoil: Any, named: str) -> None:
    X, labels = make()
    run = Run(Settings(), X.shape[1], np.ones(3), 0)
    with pytest.raises(ValueError, match=named):
        share_pass([run], spoil(X, labels))
    assert run.learner.t == 0


def test_more_threads_than_anything_else() -> None:
    X, labels = make()
    plain, eager = Perceptron(max_iter=3).fit(X, labels), Perceptron(max_iter=3, n_jobs=1024).fit(X, labels)
    assert plain.coef_.tobytes() == eager.coef_.tobytes()


def test_an_older_batch_that_moves_the_weights_in_a_clean_epoch_is_no_separation() -> None:
    model = Perceptron(batch=3, keep="last", order="given", warm_start=True, max_iter=1, init=[[0.0, 1.0]])
    model.partial_fit([[-0.5], [-0.4]], [1, 1], classes=[0, 1])
    X, y = [[-1.0], [1.0], [2.0], [3.0]], [0, 1, 1, 1]
    model.fit(X, y)
    assert model.score(X, y) < 1
    assert model.status_ == "budget"


def test_rows_without_weight_are_as_if_absent() -> None:
    X, y = make(40, 4, 2)
    weights = np.where(np.arange(40) % 3 == 0, 0.0, 1.5)
    weighted = weights > 0
    with_them = Adaline(order="given", max_iter=4).fit(X, y, sample_weight=weights)
    without = Adaline(order="given", max_iter=4).fit(X[weighted], y[weighted], sample_weight=weights[weighted])
    assert with_them.coef_.tobytes() == without.coef_.tobytes()
    assert (with_them.t_, with_them.loss_) == (without.t_, without.loss_)


def test_held_out_rows_all_count() -> None:
    """Contradicting rows without weight must not influence early stopping."""
    draw = np.random.default_rng(0)
    X = np.vstack([draw.normal(size=(40, 2)) + 4, draw.normal(size=(40, 2)) - 4])
    y = np.repeat([1, 0], 40)
    weights = np.repeat([1.0, 0.0], 80)
    model = Perceptron(early_stopping=True, max_iter=30)
    model.fit(np.vstack([X, X]), np.concatenate([y, 1 - y]), sample_weight=weights)
    assert model.score(X, y) == 1
    assert model.status_ in ("separated", "validated")


def test_a_light_learner_survives_what_it_refuses() -> None:
    learner = Learner()
    learner.learn([1.0, 2.0], +1)
    for index in (2**32, 2**61 - 1, 2**62):
        with pytest.raises(DataError, match="beyond"):
            learner.learn(([index], [1.0]), +1)
    with pytest.raises(LearningOverflowError):
        learner.learn([1e300] * 5, -1)
    assert learner.coef.tolist() == [1.0, 2.0]
    assert learner.score(([1, 10**9], [1.0, 1.0])) == 3.0
    assert learner.score([1.0, 1.0, 1.0]) == 4.0


@pytest.mark.parametrize("settings", PORTFOLIO)
def test_a_scorer_gives_the_scores_of_the_answer_and_no_copy_of_weights_that_are_it(settings: Settings) -> None:
    X, labels = make()
    run = Run(settings, X.shape[1], np.ones(3), 0)
    share_pass([run], Block(csr(X), labels))
    scorer, rows = run.scorer(), rows_of(csr(X))
    assert (scorer is run.learner) == (settings.keep == "last")
    assert scorer.scores(rows).tobytes() == run.final_weights.scores(rows).tobytes()


def test_a_scorer_counts_an_unfinished_batch_as_the_answer_does() -> None:
    X, labels = make()
    run = Run(Settings(batch=7, keep="last"), X.shape[1], np.ones(3), 0)
    rows = rows_of(csr(X))
    for count, finished in ((21, True), (5, False)):
        share_pass([run], Block(csr(X[:count]), labels[:count]))
        assert (run.scorer() is run.learner) == finished
        assert run.scorer().scores(rows).tobytes() == run.final_weights.scores(rows).tobytes()
    assert not np.array_equal(run.learner.scores(rows), run.final_weights.scores(rows))


@pytest.mark.parametrize("settings", PORTFOLIO)
def test_a_restored_run_goes_on_as_if_it_had_not_stopped(settings: Settings) -> None:
    """Including the bounds of its weights; twelve classes give many groups of units."""
    X, labels = make(n=120, classes=12)
    halves = [Block(csr(X[part]), labels[part]) for part in (slice(0, 30), slice(30, 120))]
    unbroken, first, restored = (Run(settings, 9, np.ones(12), 0) for _ in range(3))
    for run, blocks in ((unbroken, halves), (first, halves[:1])):
        for block in blocks:
            share_pass([run], block)
    restored.restore(first.state())
    share_pass([restored], halves[1])
    assert restored.learner.counters() == unbroken.learner.counters()
    assert restored.final_weights.coef.tobytes() == unbroken.final_weights.coef.tobytes()


def test_a_variance_that_rounding_left_below_0_is_no_damage(tmp_path: Path) -> None:
    """A row with one huge value drives the variance of its column to 0, up to a rounding error."""
    rng = np.random.default_rng(37)
    X, y = rng.standard_normal((60, 8)) * 10.0 ** rng.integers(0, 20, (60, 8)), rng.integers(0, 2, 60)
    model = Perceptron(learning_rate="arow", max_iter=2).fit(X, y)
    save(model, tmp_path / "a")
    save(load(tmp_path / "a"), tmp_path / "b")
    assert load_linear_model(tmp_path / "a").run.state()["parts"]["scale"][0].min() < 0
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
