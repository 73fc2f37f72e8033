"""Probabilities: as the slow twins fit them, near the true ones, rising, and the same when saved and loaded."""

import json
from array import array
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from rosenblatt import native
from rosenblatt.cli import main
from rosenblatt.errors import ModelError
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.model import Model
from rosenblatt.model.model_file import load_model, save_model
from rosenblatt.model.predict import predict_file
from rosenblatt.model.probabilities.calibration import Calibration, calibrate, check_map
from rosenblatt.records import HonestScores
from tests import child
from tests.slow_twins import calibrate as twins

TWO = ("temperature", "platt", "beta", "isotonic")
MANY = ("temperature", "softmax")
TWINS: dict[str, Callable[..., np.ndarray]] = {
    "temperature": lambda *parts: twins.temperature(*parts)[:, 1],
    "platt": twins.platt,
    "beta": twins.beta,
    "isotonic": twins.isotonic,
}


def two_classes(seed: int, count: int, bend: Callable[[np.ndarray], np.ndarray] = lambda s: s):
    """Scores, truths, and the true probabilities: a sigmoid of the bent score."""
    random = np.random.default_rng(seed)
    scores = random.normal(-0.5, 2, (count, 1))
    chances = expit(bend(scores[:, 0]))
    return scores, (random.random(count) < chances).astype(np.int32), chances


def many_classes(seed: int, count: int, classes: int):
    random = np.random.default_rng(seed)
    scores = random.normal(0, 2, (count, classes))
    chances = softmax(random.uniform(0.4, 1.5, classes) * scores + random.normal(0, 1, classes), axis=1)
    truth = (chances.cumsum(axis=1) < random.random((count, 1))).sum(axis=1).clip(0, classes - 1)
    return scores, truth.astype(np.int32), chances


def mapped(
    kind: str, scores: np.ndarray, truth: np.ndarray, new: np.ndarray, classes: int = 2, *, logits: bool = False
) -> np.ndarray:
    parameters = native.fit_probabilities(kind, scores, truth, classes, logits)
    return np.asarray(native.probabilities(kind, parameters, new, classes))


def log_loss(chances: np.ndarray, truth: np.ndarray) -> float:
    return float(-np.log(np.where(truth == 1, chances, 1 - chances)).mean())


@pytest.mark.parametrize("kind", TWO)
@pytest.mark.parametrize(("seed", "count"), [(0, 40), (1, 300), (2, 2500)])
def test_maps_of_two_classes_are_the_slow_twins(kind: str, seed: int, count: int) -> None:
    scores, truth, _ = two_classes(seed, count)
    new = np.linspace(-9, 9, 301)[:, None]
    ours = mapped(kind, scores, truth, new)
    np.testing.assert_allclose(ours[:, 1], TWINS[kind](scores, truth, new), atol=2e-4)
    np.testing.assert_allclose(ours.sum(axis=1), 1)


@pytest.mark.parametrize("logits", [False, True])
@pytest.mark.parametrize(("kind", "twin"), [("softmax", twins.vector), ("temperature", twins.temperature)])
@pytest.mark.parametrize(("count", "classes"), [(60, 3), (500, 5), (1500, 4)])
def test_maps_of_many_classes_are_the_slow_twins(
    count: int, classes: int, kind: str, twin: Callable[..., np.ndarray], logits: bool
) -> None:
    scores, truth, _ = many_classes(count, count, classes)
    new = np.random.default_rng(9).normal(0, 3, (200, classes))
    ours = mapped(kind, scores, truth, new, classes, logits=logits)
    np.testing.assert_allclose(ours, twin(scores, truth, new, logits=logits), atol=2e-3)


@pytest.mark.parametrize("kind", ["temperature", "softmax"])
def test_few_logits_that_decide_rightly_keep_their_scale(kind: str) -> None:
    """Their slope could grow without end, and Platt's targets alone would doubt them all alike."""
    truth = np.arange(60, dtype=np.int32) % 3
    logits = np.where(np.eye(3)[truth] > 0, 4.0, 0.0) + np.random.default_rng(0).normal(0, 0.5, (60, 3))
    slope = native.fit_probabilities(kind, logits, truth, 3, True).tolist()[0]
    assert 0.9 < slope < 1.5


def test_the_scores_of_a_hundred_classes_are_clipped_by_examples() -> None:
    """One score in a hundred is that of the right class: half of these are not the most extreme ones."""
    truth = np.arange(2000, dtype=np.int32) % 100
    scores = np.eye(100)[truth] * np.random.default_rng(0).uniform(3, 9, (2000, 1))
    high = native.fit_probabilities("softmax", scores, truth, 100, True).tolist()[-1]
    assert high > 8.8


def test_a_temperature_changes_no_decision() -> None:
    """The most probable class has the highest score, also far beyond all scores that were seen."""
    scores, truth, _ = many_classes(0, 300, 5)
    new = np.random.default_rng(1).normal(0, 50, (300, 5))
    chances = mapped("temperature", scores, truth, new, 5)
    np.testing.assert_array_equal(chances.argmax(axis=1), new.argmax(axis=1))
    a, width, doubt = native.fit_probabilities("temperature", scores, truth, 5).tolist()
    assert width < (scores.max(axis=1) - scores.min(axis=1)).max()  # no gap counts for more than one that was seen
    assert chances.max() <= (1 - doubt) / (1 + 4 * np.exp(-a * width)) + doubt / 5 + 1e-12
    scores, truth, _ = two_classes(0, 300)
    new = np.linspace(-99, 99, 400)[:, None]
    np.testing.assert_array_equal(mapped("temperature", scores, truth, new)[:, 1] > 0.5, new[:, 0] > 0)


def test_a_temperature_ranks_rare_classes() -> None:
    """Their scores are far below the best in every row; where they are less far below, they are more probable."""
    random = np.random.default_rng(2)
    logits = np.column_stack([random.normal(0, 0.5, (4000, 2)), random.normal(-4, 1, 4000)])
    truth = (softmax(logits, axis=1).cumsum(axis=1) < random.random((4000, 1))).sum(axis=1).astype(np.int32)
    chances = mapped("temperature", logits, truth, logits, 3, logits=True)
    rare = truth == 2
    assert roc_auc_score(rare, chances[:, 2]) > roc_auc_score(rare, softmax(logits, axis=1)[:, 2]) - 0.01
    assert len(np.unique(chances[:, 2])) > 3900  # not all clipped to one


def test_answers_that_scores_do_not_explain_leave_a_doubt() -> None:
    """One in twenty is any class whatever its scores say: no temperature alone comes near the true probabilities."""
    random = np.random.default_rng(3)
    logits = random.normal(0, 5, (6000, 8))
    right = (softmax(logits, axis=1).cumsum(axis=1) < random.random((6000, 1))).sum(axis=1)
    truth = np.where(random.random(6000) < 0.05, random.integers(0, 8, 6000), right).astype(np.int32)
    a, _, doubt = native.fit_probabilities("temperature", logits[:3000], truth[:3000], 8, True).tolist()
    assert a == pytest.approx(1, abs=0.1)
    assert doubt == pytest.approx(0.05, abs=0.015)
    rows = np.arange(3000)
    ours = mapped("temperature", logits[:3000], truth[:3000], logits[3000:], 8, logits=True)[rows, truth[3000:]]
    best = (0.95 * softmax(logits[3000:], axis=1) + 0.05 / 8)[rows, truth[3000:]]
    assert -np.log(ours).mean() < -np.log(best).mean() + 0.005


def test_scores_that_explain_nothing_leave_nothing_but_doubt() -> None:
    """Its logistic function rounds to 1; such a model was refused as damaged when it was opened."""
    parameters = array("d", [1.0, 1.9, 1.0])
    assert check_map("temperature", memoryview(parameters), 3) == "temperature"
    chances = np.asarray(native.probabilities("temperature", parameters, many_classes(0, 20, 3)[0], 3))
    np.testing.assert_allclose(chances, 1 / 3, rtol=1e-12)
    with pytest.raises(ModelError, match="not a rising one"):
        check_map("temperature", memoryview(array("d", [1.0, 1.9, 1.1])), 3)


def test_a_temperature_of_an_older_model_has_no_doubt() -> None:
    scores = many_classes(0, 50, 4)[0]
    old = np.asarray(native.probabilities("temperature", array("d", [0.7, 3.0]), scores, 4))
    gaps = np.maximum(scores - scores.max(axis=1, keepdims=True), -3.0)
    np.testing.assert_allclose(old, softmax(0.7 * gaps, axis=1), rtol=1e-12)


@pytest.mark.parametrize(
    "bend", [lambda s: 2 * s - 1, lambda s: 3 * np.maximum(s, 0) + 0.3 * s, lambda s: np.where(s > 1, 3.0, -2.0)]
)
def test_the_chosen_map_comes_near_the_true_probabilities(bend: Callable[[np.ndarray], np.ndarray]) -> None:
    """A straight line, a bent one, a step: the log loss on new examples is that of the true probabilities, nearly."""
    scores, truth, _ = two_classes(0, 8000, bend)
    calibration = calibrate(HonestScores(scores, truth, "held-out"), "binary", 2)
    new, outcomes, chances = two_classes(1, 20_000, bend)
    ours = np.asarray(calibration.probabilities(new))[:, 1]
    assert log_loss(ours, outcomes) < log_loss(chances, outcomes) + 0.006


def test_many_classes_come_near_the_true_probabilities() -> None:
    scores, truth, _ = many_classes(0, 12_000, 6)
    calibration = calibrate(HonestScores(scores[:6000], truth[:6000], "held-out"), "ovr", 6)
    chances = many_classes(0, 12_000, 6)[2][6000:]
    ours = np.asarray(calibration.probabilities(scores[6000:]))
    rows = np.arange(6000)
    assert -np.log(ours[rows, truth[6000:]]).mean() < -np.log(chances[rows, truth[6000:]]).mean() + 0.006


def test_another_map_is_chosen_only_where_it_is_better() -> None:
    straight = two_classes(0, 3000)
    shifted = two_classes(0, 3000, lambda s: s + 1)
    step = two_classes(0, 3000, lambda s: np.where(s > 1, 3.0, -2.0))
    few = two_classes(0, 100, lambda s: np.where(s > 1, 3.0, -2.0))
    kinds = [calibrate(HonestScores(s, t, "held-out"), "binary", 2).kind for s, t, _ in (straight, shifted, step, few)]
    assert kinds == ["temperature", "platt", "isotonic", "platt"]
    alike, unlike = many_classes(0, 3000, 4), many_classes(0, 79, 4)
    kinds = [calibrate(HonestScores(s, t, "held-out"), "ovr", 4).kind for s, t, _ in (alike, unlike)]
    assert kinds == ["softmax", "temperature"]  # few examples cannot fit two numbers for each class


@pytest.mark.parametrize("kind", TWO)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_maps_rise_and_stay_between_0_and_1(kind: str, data: st.DataObject) -> None:
    """Also where all scores are equal, huge, tiny, or tell the wrong class."""
    number = st.floats(-1e12, 1e12, allow_nan=False) | st.sampled_from([0.0, 1.0, -1.0, 1e-300])
    scores = data.draw(st.lists(number, min_size=1, max_size=60))
    truth = data.draw(st.lists(st.integers(0, 1), min_size=len(scores), max_size=len(scores)))
    new = np.sort(np.array([*scores, -1e300, 1e300, 0.0]))[:, None]
    ours = mapped(kind, np.array(scores)[:, None], np.array(truth, np.int32), new)
    assert np.isfinite(ours).all()
    assert (ours >= 0).all()
    assert (ours <= 1).all()
    assert (np.diff(ours[:, 1]) >= -1e-12).all()


def test_one_wild_score_does_not_bend_the_map() -> None:
    scores, truth, chances = two_classes(0, 500)
    scores[0], truth[0] = 1e9, 0
    assert log_loss(mapped("platt", scores, truth, scores)[1:, 1], truth[1:]) < log_loss(chances[1:], truth[1:]) + 0.01


def test_separated_scores_are_not_certain() -> None:
    """Ten examples on either side, all right: Platt's targets keep the probabilities away from 0 and 1."""
    scores = np.array([-1.0] * 10 + [1.0] * 10)[:, None]
    ours = mapped("platt", scores, np.repeat([0, 1], 10).astype(np.int32), scores)
    assert ours[-1, 1] == pytest.approx(11 / 12, abs=1e-3)


def test_the_cross_validated_losses_are_those_of_maps_fitted_to_the_other_folds() -> None:
    scores, truth, _ = two_classes(3, 200)
    losses = np.asarray(native.cross_validated_losses(["platt"], scores, truth, 2, 4)[0])
    folds = np.array([(i * 0x9E3779B97F4A7C15 % 2**64 >> 32) % 4 for i in range(200)])
    for fold in range(4):
        inside = folds == fold
        chances = mapped("platt", scores[~inside], truth[~inside], scores[inside])[:, 1]
        np.testing.assert_allclose(losses[inside], -np.log(np.where(truth[inside], chances, 1 - chances)), rtol=1e-9)


def test_maps_that_are_cross_validated_together_have_the_losses_of_each_alone() -> None:
    """Together, the beta map begins from the map of Platt that was fitted to the same fold."""
    scores, truth, _ = two_classes(5, 999)
    together = native.cross_validated_losses(TWO, scores, truth, 2, 3)
    for kind, losses in zip(TWO, together, strict=True):
        assert bytes(losses) == bytes(native.cross_validated_losses([kind], scores, truth, 2, 3)[0])


def test_a_mean_difference_comes_with_its_standard_error() -> None:
    numbers, others = np.random.default_rng(6).normal(1, 1, (2, 500))
    mean, error = native.mean_difference(numbers, others)
    assert mean == pytest.approx((numbers - others).mean())
    assert error == pytest.approx((numbers - others).std() / 500**0.5)
    with pytest.raises(ValueError, match="every number needs another"):
        native.mean_difference(numbers, others[1:])


MAPS = """
import hashlib, sys
import numpy as np
from rosenblatt import native
bits = hashlib.sha256()
for file, classes in zip(sys.argv[1:], (2, 5)):
    kinds, scores, truth = np.load(file).values()
    for kind in kinds.tolist():
        parameters = native.fit_probabilities(kind, scores, truth, classes)
        bits.update(bytes(parameters))
        bits.update(bytes(native.probabilities(kind, parameters, scores, classes)))
        bits.update(bytes(native.cross_validated_losses([kind], scores, truth, classes, 5)[0]))
print(native.instruction_set(), bits.hexdigest())
"""


def test_maps_are_the_same_bits_on_every_instruction_set(tmp_path: Path) -> None:
    files = []
    for kinds, (scores, truth, _) in ((TWO, two_classes(4, 700)), (MANY, many_classes(4, 700, 5))):
        files.append(tmp_path / f"{len(kinds)}.npz")
        np.savez(files[-1], np.array(kinds), scores, truth)
    assert len(child.outputs_by_instruction_set(MAPS, *files)) == 1


# -- in a model -------------------------------------------------------------------------------------------------------


def table(path: Path, seed: int = 0, rows: int = 2000, classes: int = 2) -> tuple[Path, np.ndarray, np.ndarray]:
    """Examples of a logistic law: their columns and their true probabilities."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(rows, 3)).round(3)
    weights = np.random.default_rng(5).normal(size=(3, classes)) * 1.5
    chances = softmax(x @ weights, axis=1)
    truth = (chances.cumsum(axis=1) < random.random((rows, 1))).sum(axis=1).clip(0, classes - 1)
    lines = [f"{a},{b},{c},k{label}" for (a, b, c), label in zip(x.tolist(), truth.tolist(), strict=True)]
    path.write_text("\n".join(["a,b,c,y", *lines]) + "\n")
    return path, x, truth


def chances_of(model: Model, path: Path) -> np.ndarray:
    return np.concatenate([np.asarray(model.probabilities(block.scores)) for block in predict_file(model, path)])


@pytest.mark.parametrize("rule", ["arow", "logistic", "perceptron"])
@pytest.mark.parametrize("classes", [2, 4])
def test_probabilities_are_nearly_those_of_logistic_regression(rule: str, classes: int, tmp_path: Path) -> None:
    """On data that follow its law, whose probabilities none can beat."""
    path, x, truth = table(tmp_path / "t.csv", classes=classes)
    new, new_x, new_truth = table(tmp_path / "new.csv", seed=1, rows=4000, classes=classes)
    chances = chances_of(fit_file(path, rule=rule, holdout=0.2, passes=3).model, new)
    peer = LogisticRegression().fit(x, truth).predict_proba(new_x)
    rows = np.arange(len(new_truth))
    assert -np.log(chances[rows, new_truth]).mean() < -np.log(peer[rows, new_truth]).mean() * 1.05


def test_saved_is_loaded_and_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for classes in (2, 3):
        path = table(tmp_path / f"{classes}.csv", classes=classes)[0]
        model = fit_file(path).model
        saved = tmp_path / f"{classes}.model"
        save_model(model, saved)
        chances = chances_of(model, path)
        np.testing.assert_array_equal(chances_of(load_model(saved), path), chances)
        capsys.readouterr()
        assert main(["predict", str(saved), str(path), "--proba"]) == 0
        header, *lines = capsys.readouterr().out.splitlines()
        assert header.split("\t") == ["label", *(f"k{k}" for k in range(classes))]
        np.testing.assert_array_equal([[float(cell) for cell in line.split("\t")[1:]] for line in lines], chances)
        assert main(["predict", str(saved), str(path), "--proba", "--json"]) == 0
        records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        np.testing.assert_array_equal([list(record["probabilities"].values()) for record in records], chances)
        assert main(["predict", str(saved), str(path), "--proba", "--scores"]) == 0
        header, first, *_ = capsys.readouterr().out.splitlines()
        assert len(header.split("\t")) == len(first.split("\t")) == (4 if classes == 2 else 1 + 2 * classes)


def test_a_model_without_a_map_has_no_probabilities(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, x, _ = table(tmp_path / "t.csv")
    model = replace(fit_file(path, rule="arow").model, calibration=None)
    with pytest.raises(ModelError, match="gives no probabilities"):
        model.probabilities(model.scores(x))
    save_model(model, tmp_path / "m.model")
    assert main(["predict", str(tmp_path / "m.model"), str(path), "--proba"]) == 4
    assert "m.model: gives no probabilities" in capsys.readouterr().err
    own = replace(fit_file(path, rule="logistic").model, calibration=None)
    np.testing.assert_allclose(np.asarray(own.probabilities(own.scores(x)))[:, 1], expit(own.scores(x)[:, 0]))


@pytest.mark.parametrize(
    ("kind", "numbers"),
    [
        ("temperature", [-1.0, 1]),
        ("temperature", [1.0, -1]),
        ("temperature", [1.0]),
        ("platt", [-1.0, 0, -1, 1]),
        ("platt", [1.0, 0]),
        ("platt", [1.0, float("nan"), -1, 1]),
        ("platt", [1.0, 0, 1, -1]),
        ("beta", [1.0, 0, -1, 1, 0, -1, 1]),
        ("beta", [1.0]),
        ("isotonic", [0.0, 1, 0.7, 0.2]),
        ("isotonic", [1.0, 0, 0.2, 0.7]),
        ("isotonic", [0.0, 1, 0.2, 1.7]),
        ("isotonic", []),
        ("softmax", [1.0, 1, 0, 0, -1, 1]),
        ("magic", [1.0, 0, -1, 1]),
    ],
)
def test_a_map_that_is_none_is_refused_when_loaded(kind: str, numbers: list[float], tmp_path: Path) -> None:
    model = fit_file(table(tmp_path / "t.csv")[0]).model
    save_model(replace(model, calibration=Calibration(kind, array("d", numbers), 2)), tmp_path / "m.model")
    with pytest.raises(ModelError, match="damaged"):
        load_model(tmp_path / "m.model")
