"""Scores equal scikit-learn's and the slow twins'; intervals contain the true value as often as they should."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, softmax
from scipy.stats import binomtest
from sklearn import metrics

from rosenblatt.evaluate.confidence_intervals import Estimate, effective, wilson
from rosenblatt.evaluate.confusion import macro
from rosenblatt.evaluate.evaluate_file import joint_scores
from rosenblatt.evaluate.roc_auc import influence, precision_recall_points, ranked, roc_points
from rosenblatt.evaluate.scores import Scores, Tally, evaluate
from rosenblatt.evaluate.threshold_table import threshold_table
from tests.slow_twins.evaluate import area, delong_variance, macro_variance

ESTIMATES = (
    *("accuracy", "error", "precision", "recall", "f1", "roc_auc", "average_precision"),
    *("log_loss", "brier", "calibration_error"),
)
each_seed = pytest.mark.parametrize("seed", range(6))
each_way = pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])


def binary(seed: int, weighted: bool, count: int = 300) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Scores with many ties, truths that follow them loosely, weights or none."""
    random = np.random.default_rng(seed)
    scores = np.round(random.normal(0, 2, count), seed % 3)
    truth = (scores + random.normal(0, 2, count) > 0).astype(int)
    return scores, truth, random.uniform(0.1, 3, count) if weighted else None


def many(seed: int, weighted: bool, count: int = 400, classes: int = 4):
    random = np.random.default_rng(seed)
    truth = random.integers(0, classes, count)
    scores = np.round(random.normal(0, 1, (count, classes)), 1)
    scores[np.arange(count), truth] += 1
    return scores, truth, random.uniform(0.1, 3, count) if weighted else None


def chances(scores: np.ndarray) -> np.ndarray:
    """Probabilities of all classes: a sigmoid of one score, a softmax of several."""
    if scores.ndim == 1 or scores.shape[1] == 1:
        return expit(np.column_stack([-scores, scores]))
    return np.asarray(softmax(scores, axis=1))


def close(estimate: Estimate | None, expected: float) -> bool:
    return estimate is not None and estimate.value == pytest.approx(expected, rel=1e-9, abs=1e-12)


@each_seed
@each_way
def test_two_classes_score_as_in_scikit_learn(seed: int, weighted: bool) -> None:
    scores, truth, weights = binary(seed, weighted)
    decided = (scores > 0).astype(int)
    ours = evaluate(scores, decided, truth, ("no", "yes"), weights=weights, probabilities=chances(scores))
    weighting = {"sample_weight": weights}
    assert close(ours.accuracy, metrics.accuracy_score(truth, decided, **weighting))
    assert close(ours.error, metrics.zero_one_loss(truth, decided, **weighting))
    assert close(ours.precision, metrics.precision_score(truth, decided, **weighting))
    assert close(ours.recall, metrics.recall_score(truth, decided, **weighting))
    assert close(ours.f1, metrics.f1_score(truth, decided, **weighting))
    assert close(ours.roc_auc, metrics.roc_auc_score(truth, scores, **weighting))
    assert close(ours.average_precision, metrics.average_precision_score(truth, scores, **weighting))
    assert close(ours.log_loss, metrics.log_loss(truth, expit(scores), **weighting))
    np.testing.assert_allclose(ours.confusion, metrics.confusion_matrix(truth, decided, **weighting))


@each_seed
@each_way
def test_many_classes_score_as_in_scikit_learn(seed: int, weighted: bool) -> None:
    scores, truth, weights = many(seed, weighted)
    decided = scores.argmax(axis=1)
    ours = evaluate(scores, decided, truth, tuple("abcd"), weights=weights, probabilities=chances(scores))
    weighting = {"sample_weight": weights}
    assert close(ours.accuracy, metrics.accuracy_score(truth, decided, **weighting))
    assert close(ours.precision, metrics.precision_score(truth, decided, average="macro", **weighting))
    assert close(ours.recall, metrics.recall_score(truth, decided, average="macro", **weighting))
    assert close(ours.f1, metrics.f1_score(truth, decided, average="macro", **weighting))
    assert close(ours.log_loss, metrics.log_loss(truth, softmax(scores, axis=1), **weighting))
    areas = [metrics.roc_auc_score(truth == k, scores[:, k], **weighting) for k in range(4)]
    assert close(ours.roc_auc, float(np.mean(areas)))
    precisions = [metrics.average_precision_score(truth == k, scores[:, k], **weighting) for k in range(4)]
    assert close(ours.average_precision, float(np.mean(precisions)))
    per_class = metrics.precision_recall_fscore_support(truth, decided, **weighting)
    for k, class_scores in enumerate(ours.per_class):
        expected = (per_class[0][k], per_class[1][k], per_class[2][k])
        assert (class_scores.precision.value, class_scores.recall.value, class_scores.f1.value) == pytest.approx(
            expected
        )
        assert class_scores.support == pytest.approx(per_class[3][k])


@each_seed
def test_the_roc_curve_is_scikit_learns(seed: int) -> None:
    scores, truth, _ = binary(seed, weighted=False)
    false, true, _ = metrics.roc_curve(truth, scores, drop_intermediate=False)
    points = roc_points(ranked(scores, truth == 1), most=10_000)
    np.testing.assert_allclose(points, [false, true])
    thin = roc_points(ranked(scores, truth == 1), most=16)
    assert len(thin[0]) <= 16
    assert (thin[0][0], thin[1][0], thin[0][-1], thin[1][-1]) == (0, 0, 1, 1)


@each_seed
def test_area_and_variance_are_delongs(seed: int) -> None:
    scores, truth, _ = binary(seed, weighted=False, count=60)
    value, moved = influence(ranked(scores, truth == 1))
    assert value == pytest.approx(area(scores, truth == 1))
    assert np.square(moved).sum() == pytest.approx(delong_variance(scores, truth == 1))


@pytest.mark.parametrize("measure", [0, 1, 2], ids=["precision", "recall", "f1"])
def test_macro_intervals_are_the_delta_methods(measure: int) -> None:
    table = np.array([[40.0, 5, 2], [7, 60, 3], [1, 9, 30]])
    estimate = macro(table, table.sum())[measure]
    half = 1.959963984540054 * macro_variance(table, measure) ** 0.5
    assert (estimate.low, estimate.high) == pytest.approx((estimate.value - half, estimate.value + half), rel=1e-5)


@given(hits=st.integers(0, 50), more=st.integers(0, 50))
def test_wilsons_interval_is_scipys(hits: int, more: int) -> None:
    count = hits + more + 1
    interval = wilson(hits / count, count)
    expected = binomtest(hits, count).proportion_ci(method="wilson")
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), classes=st.integers(2, 5), count=st.integers(1, 40))
def test_intervals_contain_their_value_and_stay_in_range(seed: int, classes: int, count: int) -> None:
    random = np.random.default_rng(seed)
    scores = np.round(random.normal(0, 1, (count, 1 if classes == 2 else classes)), 1)
    truth = random.integers(0, random.integers(1, classes + 1), count)
    decided = (scores[:, 0] > 0).astype(int) if classes == 2 else scores.argmax(axis=1)
    scored = evaluate(scores, decided, truth, tuple(range(classes)), probabilities=chances(scores))
    for name in ESTIMATES:
        estimate = getattr(scored, name)
        if estimate is None:
            assert name in ("roc_auc", "average_precision")
            continue
        assert 0 <= estimate.low <= estimate.value + 1e-12
        assert estimate.value <= estimate.high + 1e-12
        assert estimate.high <= (2 if name == "brier" else 1) or name == "log_loss"


@pytest.mark.parametrize("name", ["accuracy", "f1", "roc_auc", "log_loss", "brier"])
def test_intervals_contain_the_true_value_about_as_often_as_they_should(name: str) -> None:
    """The true value comes from a very large sample; of 400 intervals about 95% must contain it."""

    def sample(seed: int, count: int) -> Scores:
        scores, truth, _ = binary(3 * seed, weighted=False, count=count)
        return evaluate(scores, (scores > 0).astype(int), truth, (0, 1), probabilities=chances(scores))

    real = getattr(sample(10**6, 200_000), name).value
    covered = [(estimate := getattr(sample(seed, 150), name)).low <= real <= estimate.high for seed in range(400)]
    assert 0.91 <= np.mean(covered) <= 0.985


def test_a_perfect_ranking_is_not_certain() -> None:
    scores = np.array([-2.0, -1.0, 1.0, 2.0, 3.0])
    scored = evaluate(scores, (scores > 0).astype(int), (scores > 0).astype(int), (0, 1))
    assert scored.roc_auc is not None
    assert (scored.roc_auc.value, scored.roc_auc.high) == (1, 1)
    assert scored.roc_auc.low < 0.7


def test_one_class_only_has_no_ranking() -> None:
    scored = evaluate(np.array([1.0, -1.0]), np.array([1, 0]), np.array([1, 1]), (0, 1))
    assert scored.roc_auc is None
    assert scored.average_precision is None
    assert scored.log_loss is None


def test_nothing_counted_is_no_error() -> None:
    scored = Tally((0, 1)).scores()
    assert scored.examples == 0
    assert (scored.accuracy.low, scored.accuracy.high) == (0, 1)


@each_way
def test_chunks_add_up_to_the_whole(weighted: bool) -> None:
    scores, truth, weights = binary(1, weighted)
    decided, tally = (scores > 0).astype(int), Tally(("no", "yes"))
    for at in (slice(0, 7), slice(7, 7), slice(7, 250), slice(250, None)):
        tally.add(scores[at], decided[at], truth[at], None if weights is None else weights[at], chances(scores[at]))
    at_once = evaluate(scores, decided, truth, ("no", "yes"), weights=weights, probabilities=chances(scores))
    parts = tally.scores()
    for name in ESTIMATES:
        a, b = getattr(at_once, name), getattr(parts, name)
        assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high))


def test_very_many_scores_are_sampled_evenly_and_counted_fully() -> None:
    scores, truth, _ = binary(0, weighted=False, count=10_000)
    tally = Tally((0, 1), most_ranked=1000)
    for start in range(0, 10_000, 333):
        part = slice(start, start + 333)
        tally.add(scores[part], (scores[part] > 0).astype(int), truth[part])
    scored = tally.scores()
    assert scored.examples == scored.confusion.sum() == 10_000
    assert 500 <= scored.ranked <= 1000
    np.testing.assert_array_equal(tally.sample.columns()[1], truth[:: tally.sample.stride])
    exact = metrics.roc_auc_score(truth, scores)
    assert scored.roc_auc is not None
    assert scored.roc_auc.low < exact < scored.roc_auc.high


def test_margins_are_negative_exactly_for_the_wrong() -> None:
    scores, truth, _ = many(0, weighted=False)
    tally = Tally(tuple("abcd"))
    tally.add(scores, scores.argmax(axis=1), truth)
    wrong = scores.argmax(axis=1) != truth
    assert (tally.margins()[wrong] <= 0).all()
    assert (tally.margins()[~wrong] >= 0).all()


def test_effective_number_of_examples() -> None:
    assert effective(np.ones(10)) == 10
    assert effective(np.array([1.0, 0, 0])) == 1
    assert effective(np.array([2.0, 2.0])) == 2


def test_joint_scores_are_ranked_by_probability() -> None:
    scores, truth, _ = many(0, weighted=False)
    random = np.random.default_rng(1)
    scores = scores + random.normal(0, 0.01, scores.shape)  # no ties, which rounding would break either way
    shifted = scores + random.normal(0, 50, (len(scores), 1))  # does not change the decisions
    decided = scores.argmax(axis=1)
    scored = evaluate(joint_scores(shifted), decided, truth, tuple("abcd"))
    areas = [metrics.roc_auc_score(truth == k, softmax(scores, axis=1)[:, k]) for k in range(4)]
    assert close(scored.roc_auc, float(np.mean(areas)))


@each_seed
@each_way
def test_brier_scores_are_scikit_learns(seed: int, weighted: bool) -> None:
    scores, truth, weights = binary(seed, weighted)
    ours = evaluate(scores, (scores > 0).astype(int), truth, (0, 1), weights=weights, probabilities=chances(scores))
    assert close(ours.brier, metrics.brier_score_loss(truth, expit(scores), sample_weight=weights))
    scores, truth, weights = many(seed, weighted)
    ours = evaluate(scores, scores.argmax(axis=1), truth, tuple("abcd"), weights=weights, probabilities=chances(scores))
    squares = np.square(softmax(scores, axis=1) - np.eye(4)[truth]).sum(axis=1)
    assert close(ours.brier, float(np.average(squares, weights=weights)))


def test_the_calibration_error_tells_true_probabilities_from_wrong_ones() -> None:
    random = np.random.default_rng(0)
    scores = random.normal(0, 2, 20_000)
    truth = (random.random(20_000) < expit(scores)).astype(int)
    honest, boastful = (
        evaluate(scores, (scores > 0).astype(int), truth, (0, 1), probabilities=chances(factor * scores))
        for factor in (1, 3)
    )
    assert honest.calibration_error is not None
    assert boastful.calibration_error is not None
    assert honest.calibration_error.value < 0.01
    assert honest.calibration_error.low < 0.005
    expected = np.mean(np.abs(expit(3 * scores) - expit(scores)))  # nowhere does it promise too little and too much
    assert boastful.calibration_error.low < expected * 1.02
    assert boastful.calibration_error.value == pytest.approx(expected, rel=0.1)


def test_the_reliability_curve_says_how_often_it_happened() -> None:
    random = np.random.default_rng(0)
    scores = random.normal(0, 2, 30_000)
    truth = (random.random(30_000) < expit(scores)).astype(int)
    curve = evaluate(scores, (scores > 0).astype(int), truth, (0, 1), probabilities=chances(scores)).reliability
    assert len(curve) == 15
    assert [point.predicted for point in curve] == sorted(point.predicted for point in curve)
    assert sum(point.examples for point in curve) == 30_000
    inside = sum(point.observed.low <= point.predicted <= point.observed.high for point in curve)
    assert inside >= 12
    few = evaluate(scores[:25], (scores[:25] > 0).astype(int), truth[:25], (0, 1), probabilities=chances(scores[:25]))
    assert len(few.reliability) == 2


def test_with_many_classes_the_curve_is_about_the_predicted_one() -> None:
    scores, truth, _ = many(0, weighted=False, count=4000)
    probabilities = softmax(scores, axis=1)
    curve = evaluate(scores, scores.argmax(axis=1), truth, tuple("abcd"), probabilities=probabilities).reliability
    right = sum(point.observed.value * point.examples for point in curve) / 4000
    assert right == pytest.approx(np.mean(scores.argmax(axis=1) == truth), abs=0.02)  # ties may be decided otherwise


@each_seed
@each_way
def test_the_precision_recall_curve_is_scikit_learns(seed: int, weighted: bool) -> None:
    scores, truth, weights = binary(seed, weighted)
    recall, precision = precision_recall_points(ranked(scores, truth == 1, weights), most=10_000)
    theirs = metrics.precision_recall_curve(truth, scores, sample_weight=weights)
    np.testing.assert_allclose(precision, theirs[0][-2::-1])
    np.testing.assert_allclose(recall, theirs[1][-2::-1])
    assert len(precision_recall_points(ranked(scores, truth == 1, weights), most=20)[0]) <= 20


@each_seed
@each_way
def test_the_table_of_thresholds_is_scikit_learns(seed: int, weighted: bool) -> None:
    scores, truth, weights = binary(seed, weighted)
    thresholds = [-100.0, -1.0, 0.0, 0.5, float(scores.max()), 100.0]
    for at, row in zip(thresholds, threshold_table(ranked(scores, truth == 1, weights), thresholds), strict=True):
        decided = (scores > at).astype(int)
        assert row.decided == pytest.approx(np.average(decided, weights=weights))
        assert row.f1 == pytest.approx(metrics.f1_score(truth, decided, sample_weight=weights, zero_division=0))
        assert close(row.recall, metrics.recall_score(truth, decided, sample_weight=weights))
        if decided.any():
            assert close(row.precision, metrics.precision_score(truth, decided, sample_weight=weights))
        else:
            assert row.precision is None
