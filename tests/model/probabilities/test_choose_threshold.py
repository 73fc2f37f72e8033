"""Thresholds do what they promise on the examples they were chosen on, and everything that decides uses them."""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from rosenblatt.cli import main
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.evaluate.evaluate_file import evaluate_file
from rosenblatt.model.export.export import export_model
from rosenblatt.model.fit.fitted import Fitted
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.model_file import load_model, save_model
from rosenblatt.model.predict import predict_file
from rosenblatt.model.probabilities.calibration import calibrate
from rosenblatt.model.probabilities.choose_threshold import Threshold, choose_threshold, score_at
from rosenblatt.model.probabilities.with_probabilities import _clearly_worse
from rosenblatt.options.values.threshold_criterion import criterion_of
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import HonestScores

CRITERIA = ("f1", "cost:fp=1,fn=20", "cost:fn=0,fp=3", "precision>=0.8", "recall>=0.9", "0.3", "0.9")


def chosen(text: str, scores: np.ndarray, truth: np.ndarray) -> Threshold:
    honest = HonestScores(scores.reshape(-1, 1), truth.astype(np.int32), "held-out")
    criterion = criterion_of(text)
    assert criterion is not None
    return choose_threshold(criterion, honest, calibrate(honest, "binary", 2))


def every_cut(scores: np.ndarray) -> list[float]:
    """A threshold below each score and above all."""
    return [*(np.unique(scores) - 1e-9), scores.max() + 1]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(2, 80), places=st.integers(0, 2))
def test_no_other_threshold_is_better(seed: int, count: int, places: int) -> None:
    random = np.random.default_rng(seed)
    scores = random.normal(0, 2, count).round(places)
    truth = (random.random(count) < 1 / (1 + np.exp(-scores))).astype(int)
    truth[0] = 1
    cuts = [(scores > t).astype(int) for t in every_cut(scores)]
    best = {text: (scores > chosen(text, scores, truth).score).astype(int) for text in CRITERIA}

    def recall(cut: np.ndarray) -> float:
        return float((cut * truth).sum() / truth.sum())

    def precision(cut: np.ndarray) -> float:
        return float((cut * truth).sum() / max(cut.sum(), 1))

    def f1(cut: np.ndarray) -> float:
        return float(2 * (cut * truth).sum() / (cut.sum() + truth.sum()))

    def cost(cut: np.ndarray) -> float:
        return float((cut > truth).sum() + 20 * (cut < truth).sum())

    assert cost(best["cost:fp=1,fn=20"]) == min(map(cost, cuts))
    assert best["cost:fn=0,fp=3"].sum() == 0
    assert f1(best["f1"]) == pytest.approx(max(map(f1, cuts)))
    assert recall(best["recall>=0.9"]) >= 0.9
    enough = [cut for cut in cuts if recall(cut) >= 0.9]
    assert best["recall>=0.9"].sum() == min(cut.sum() for cut in enough)
    precise = [cut for cut in cuts if precision(cut) >= 0.8]
    threshold = chosen("precision>=0.8", scores, truth)
    assert threshold.is_met == bool(precise)
    if precise:
        assert precision(best["precision>=0.8"]) >= 0.8
        assert (best["precision>=0.8"] * truth).sum() == max((cut * truth).sum() for cut in precise)


@pytest.mark.parametrize("text", CRITERIA)
def test_what_is_promised_is_what_is_counted(text: str) -> None:
    random = np.random.default_rng(0)
    scores = random.normal(0, 2, 400)
    truth = (random.random(400) < 1 / (1 + np.exp(-scores))).astype(int)
    threshold = chosen(text, scores, truth)
    above = scores > threshold.score
    assert (threshold.examples, threshold.positives) == (400, truth.sum())
    assert (threshold.above, threshold.hits) == (above.sum(), (above & (truth == 1)).sum())
    if above.any():
        assert threshold.precision == pytest.approx(metrics.precision_score(truth, above))
        assert threshold.f1 == pytest.approx(metrics.f1_score(truth, above))
    assert threshold.recall == pytest.approx(metrics.recall_score(truth, above))


@pytest.mark.parametrize("kind", ["straight", "shifted", "step"])
def test_a_probability_becomes_the_score_that_has_it(kind: str) -> None:
    random = np.random.default_rng(0)
    scores = random.normal(0, 2, (4000, 1))
    chances = 1 / (1 + np.exp((kind == "shifted") - scores[:, 0]))
    if kind == "step":
        chances = np.where(scores[:, 0] > 1, 0.9, 0.1)
    honest = HonestScores(scores, (random.random(4000) < chances).astype(np.int32), "held-out")
    calibration = calibrate(honest, "binary", 2)
    assert calibration.kind == {"straight": "temperature", "shifted": "platt", "step": "isotonic"}[kind]
    for probability in (0.15, 0.5, 0.8):
        score = score_at(calibration, probability)
        mapped = np.asarray(calibration.probabilities(scores))[:, 1]
        np.testing.assert_array_equal(scores[:, 0] > score, mapped > probability)
    assert score_at(calibration, 1e-12) < -1e300
    assert score_at(calibration, 1 - 1e-12) > 1e300


@pytest.mark.parametrize(
    "word",
    [
        *("", "f2", "0", "1", "1.5", "-0.5", "nan", "inf", "precision", "precision>=0", "recall>=1.1", "cost:fp=1"),
        *("cost:fp=1,fp=2", "cost:fp=-1,fn=2", "cost:fp=0,fn=0", "cost:fp=inf,fn=1", "cost:fp=x,fn=1"),
    ],
)
def test_what_is_no_criterion_is_refused(word: str, tmp_path: Path) -> None:
    assert criterion_of(word) is None
    with pytest.raises(ParameterError, match="'threshold' parameter of fit_file must be"):
        fit_file(tmp_path / "none.csv", threshold=word)


# -- in a model -------------------------------------------------------------------------------------------------------


def rare(path: Path, rows: int = 3000) -> Path:
    """One example in ten is positive, and not easy to tell."""
    random = np.random.default_rng(0)
    x = random.normal(size=(rows, 3)).round(3)
    truth = np.where(random.random(rows) < 1 / (1 + np.exp(3 - 1.5 * x[:, 0] - x[:, 1])), "yes", "no")
    lines = [f"{a},{b},{c},{label}" for (a, b, c), label in zip(x.tolist(), truth.tolist(), strict=True)]
    path.write_text("\n".join(["a,b,c,y", *lines]) + "\n")
    return path


def judged(fitted: Fitted) -> tuple[np.ndarray, np.ndarray]:
    honest = fitted.honest_scores
    assert honest is not None
    return np.asarray(honest.truth), np.asarray(fitted.model.decided(honest.scores))


def test_the_threshold_of_a_fit_keeps_its_promise_and_is_saved(tmp_path: Path) -> None:
    path = rare(tmp_path / "t.csv")
    fitted = fit_file(path, threshold="recall>=0.9")
    truth, decided = judged(fitted)
    assert metrics.recall_score(truth, decided) >= 0.9
    assert fitted.progressive_error == pytest.approx(np.mean(truth != decided))
    plain = fit_file(path)
    assert plain.model.threshold is None
    assert plain.model.coef.tobytes() == fitted.model.coef.tobytes()  # it changes decisions, not what is learned
    save_model(fitted.model, tmp_path / "m.model")
    loaded = load_model(tmp_path / "m.model")
    assert loaded.threshold == fitted.model.threshold
    for block, again in zip(predict_file(fitted.model, path), predict_file(loaded, path), strict=True):
        np.testing.assert_array_equal(block.decided, again.decided)
        np.testing.assert_array_equal(block.decided, block.scores[:, 0] > loaded.decides_above)


def shifted(path: Path, rows: int = 400) -> Path:
    """Many columns and few examples, most of them positive: the scores of new ones lie too low."""
    random = np.random.default_rng(0)
    x = random.normal(size=(rows, 300)).round(2)
    truth = np.where(x[:, :20].sum(axis=1) + 4 * random.normal(size=rows) > -4, "yes", "no")
    lines = [",".join([*map(str, row), label]) for row, label in zip(x.tolist(), truth.tolist(), strict=True)]
    path.write_text("\n".join([",".join([*(f"x{j}" for j in range(300)), "y"]), *lines]) + "\n")
    return path


def test_without_options_the_more_probable_class_is_decided(tmp_path: Path) -> None:
    path = shifted(tmp_path / "t.csv")
    fitted = fit_file(path, rule="perceptron")  # not one that begins at the shares of the classes
    model, (truth, decided) = fitted.model, judged(fitted)
    assert model.threshold is not None
    assert model.threshold.is_even
    assert not model.weighs_errors
    assert fitted.fold_error == pytest.approx(np.mean(truth != decided))
    assert fitted.choice is not None
    assert fitted.fold_error < fitted.choice.error - 0.02  # of deciding by the sign of the score
    for block in predict_file(model, path):
        np.testing.assert_array_equal(np.asarray(model.probabilities(block.scores)).argmax(axis=1), block.decided)
    options = ({"passes": 1}, {"class_weight": "balanced"})
    once, weighted = (fit_file(path, rule="perceptron", **more).model for more in options)
    assert once.threshold is None  # the textbook's decision
    assert weighted.threshold is None  # what is more probable is not what was asked for


def test_a_precision_that_none_has_is_said(tmp_path: Path) -> None:
    """All examples look alike, so all or none are decided to be positive."""
    rows = [f"{y} 1:1\n" for y in np.random.default_rng(0).integers(0, 2, 900).tolist()]
    (tmp_path / "t.svm").write_text("".join(rows))
    fitted = fit_file(tmp_path / "t.svm", rule="logistic", holdout=0.5, threshold="precision>=0.9")
    assert fitted.model.threshold is not None
    assert not fitted.model.threshold.is_met
    assert any("No threshold reaches precision>=0.9 on the 450 examples" in str(one) for one in fitted.warnings)


@pytest.mark.parametrize("threshold", ["0.999999999", "1e-12"], ids=["never", "always"])
def test_a_threshold_that_no_score_reaches_leaves_the_ranking(threshold: str, tmp_path: Path) -> None:
    path, page = rare(tmp_path / "t.csv"), tmp_path / "page.html"
    plain, model = fit_file(path).model, fit_file(path, threshold=threshold).model
    assert not model.has_boundary
    expected, scores = (evaluate_file(each, path, ReadOptions()).scores() for each in (plain, model))
    assert len(set(model.predicted_classes(np.array([[-1e9], [1e9]])).tolist())) == 1
    assert expected.roc_auc is not None
    assert expected.roc_auc.value > 0.7
    assert scores.roc_auc == expected.roc_auc
    assert scores.average_precision == expected.average_precision
    save_model(model, tmp_path / "m.model")
    assert main(["evaluate", str(tmp_path / "m.model"), str(path), "--report", str(page), "-q"]) == 0
    assert "Other thresholds" in page.read_text()
    assert "How clearly" not in page.read_text()  # there is nothing to be near to


def test_many_classes_have_no_threshold(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{k % 7},{'abc'[k % 3]}\n" for k in range(60)))
    with pytest.raises(DataError, match="has 3 classes, and threshold is for two"):
        fit_file(tmp_path / "t.csv", threshold="f1")


def test_exports_decide_as_predict_does(tmp_path: Path) -> None:
    path = rare(tmp_path / "t.csv")
    runtime = pytest.importorskip("onnxruntime")
    fitted = fit_file(path, threshold="f1", rule="logistic", reading=None)
    model = fitted.model
    blocks = list(predict_file(model, path))
    decided = np.concatenate([block.decided for block in blocks])
    scores = np.concatenate([block.scores for block in blocks])
    labels = np.array(model.classes)[decided]
    assert (decided != (scores[:, 0] > 0)).any()
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE data (a REAL, b REAL, c REAL, y TEXT)")
    rows = [line.split(",") for line in path.read_text().splitlines()[1:]]
    base.executemany("INSERT INTO data VALUES (?, ?, ?, ?)", rows)
    answers = base.execute(export_model(model, "sql", "data").decode()).fetchall()
    assert [row[-1] for row in answers] == labels.tolist()
    document = json.loads(export_model(model, "json", "data"))
    assert document["threshold"] == model.decides_above
    assert document["probabilities"]["map"] == model.calibration.kind  # type: ignore[union-attr]
    session = runtime.InferenceSession(export_model(model, "onnx", "data"))
    x = np.array([[float(cell) for cell in row[:3]] for row in rows])
    answer, _, _ = session.run(None, {"x": x})
    assert answer.tolist() == labels.tolist()


@pytest.mark.parametrize("kind", ["temperature", "temperature of three", "platt", "beta", "isotonic", "softmax"])
def test_onnx_gives_the_same_probabilities(kind: str, tmp_path: Path) -> None:
    runtime = pytest.importorskip("onnxruntime")
    from rosenblatt import native
    from rosenblatt.model.probabilities.calibration import Calibration

    path = rare(tmp_path / "t.csv", 1500)
    kind, _, many = kind.partition(" of ")
    if kind == "softmax" or many:
        path.write_text(path.read_text().replace(",no\n", ",maybe\n", 300))
    model = fit_file(path, rule="arow").model
    scores = np.concatenate([model.class_scores(block.scores) for block in predict_file(model, path)])
    truth = np.concatenate([block.truth for block in predict_file(model, path)]).astype(np.int32)
    classes = len(model.classes)
    model = replace(
        model, calibration=Calibration(kind, native.fit_probabilities(kind, scores, truth, classes), classes)
    )
    x = np.array([[float(cell) for cell in line.split(",")[:3]] for line in path.read_text().splitlines()[1:]])
    x = np.vstack([x, 50 * x[:200]])
    _, their_scores, ours = runtime.InferenceSession(export_model(model, "onnx", "data")).run(None, {"x": x})
    expected = model.calibration.probabilities(their_scores.reshape(len(x), -1))  # type: ignore[union-attr]
    np.testing.assert_allclose(ours, np.asarray(expected), atol=1e-9)


def test_the_command_line_chooses_says_and_uses_a_threshold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, model = str(rare(tmp_path / "t.csv")), str(tmp_path / "m.model")
    assert main(["fit", path, "-o", model, "--threshold", "recall>=0.9"]) == 0
    output = capsys.readouterr()
    text = " ".join(output.out.split())
    assert "threshold yes is decided above the probability" in text
    assert "chosen by recall>=0.9 on" in text
    assert "no better" not in output.err  # more errors than a guess makes are what was asked for
    assert main(["evaluate", model, path, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["recall"] > 0.85
    assert record["warnings"] == []
    assert main(["predict", model, path, "--json"]) == 0
    saved = load_model(model)
    predictions = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(predictions) == 3000
    for prediction in predictions:
        assert (prediction["label"] == "yes") == (prediction["score"] > saved.decides_above)
    assert main(["fit", path, "-o", model, "--threshold", "precision"]) == 2
    assert "'precision>=0.95'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("rare", "usual", "advice"),
    [
        ("yes", "no", "threshold='f1' finds more of 'yes'"),
        ("bad", "good", "class_weight='balanced' finds more of 'bad'"),
    ],
)
def test_a_rare_class_is_advised_what_finds_more_of_it(rare: str, usual: str, advice: str, tmp_path: Path) -> None:
    """A threshold is chosen for the second class, so that a rare first one needs weights."""
    random = np.random.default_rng(0)
    x = random.normal(size=4000).round(3)
    truth = np.where(random.random(4000) < 1 / (1 + np.exp(4 - x)), rare, usual)
    rows = "".join(f"{a},{label}\n" for a, label in zip(x.tolist(), truth.tolist(), strict=True))
    (tmp_path / "t.csv").write_text("x,y\n" + rows)
    fitted = fit_file(tmp_path / "t.csv", rule="logistic")
    assert any("it tells which is which 7" in str(one) and advice in str(one) for one in fitted.warnings)
    scores = evaluate_file(fitted.model, str(tmp_path / "t.csv"), ReadOptions()).scores()
    assert any(advice in str(one) for one in scores.warnings())
    option = {"threshold": "f1"} if rare == "yes" else {"class_weight": "balanced"}
    advised = evaluate_file(fit_file(tmp_path / "t.csv", **option).model, str(tmp_path / "t.csv"), ReadOptions())
    position = sorted([rare, usual]).index(rare)
    assert scores.per_class[position].recall.value == 0
    assert advised.scores().per_class[position].recall.value > 0.1


def test_a_map_that_moves_the_threshold_to_more_errors_is_not_used(tmp_path: Path) -> None:
    """Few far scores may bend a map; then the model decides by the score, and the temperature gives probabilities."""
    path = tmp_path / "t.csv"
    draw = np.random.default_rng(0)
    x = draw.normal(size=400)
    y = x + draw.normal(size=400) > 0
    path.write_text("x,label\n" + "".join(f"{a:.3f},{int(b)}\n" for a, b in zip(x, y, strict=True)))
    fitted = fit_file(path, threshold=0.5)
    model, honest = fitted.model, fitted.honest_scores
    assert model.threshold is not None
    assert honest is not None
    far = replace(model, threshold=replace(model.threshold, score=3.0))
    assert _clearly_worse(far, model, honest)
    assert not _clearly_worse(model, far, honest)
    assert not _clearly_worse(model, model, honest)
