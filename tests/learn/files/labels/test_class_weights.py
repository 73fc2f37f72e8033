"""Class weights on files: examples count as much as their class, in one pass, whatever the blocks."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import native
from rosenblatt.cli import main
from rosenblatt.errors import DataError
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.model.fit_file import fit_file
from rosenblatt.readers.source import ReadOptions


def skewed(path: Path, rows: int = 2000) -> tuple[Path, np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    x = random.normal(size=(rows, 3)).round(3)
    truth = (random.random(rows) < 1 / (1 + np.exp(3 - 1.5 * x[:, 0] - x[:, 1]))).astype(int)
    lines = (f"{y} 1:{a} 2:{b} 3:{c}\n" for (a, b, c), y in zip(x.tolist(), truth.tolist(), strict=True))
    path.write_text("".join(lines))
    return path, x, truth


def balanced(truth: list[int], classes: int) -> list[float]:
    """The slow twin: n examples so far, n_c of the class; ten of each class are imagined before them."""
    counts, weights = [0] * classes, []
    for n, label in enumerate(truth, 1):
        counts[label] += 1
        weights.append((n + 10 * classes) / (classes * (counts[label] + 10)))
    return weights


def test_weights_are_those_of_the_slow_twin_whatever_the_blocks() -> None:
    truth = np.random.default_rng(0).choice(3, 500, p=[0.8, 0.15, 0.05]).astype(np.int32)
    at_once, counts = native.balance_classes(truth, None, [0, 0, 0])
    assert list(at_once) == balanced(truth.tolist(), 3)
    assert counts == np.bincount(truth).tolist()
    parts, counts = [], [0, 0, 0]
    for block in np.split(truth, [1, 17, 300]):
        weights, counts = native.balance_classes(block, None, counts)
        parts += list(weights)
    assert parts == list(at_once)
    doubled, _ = native.balance_classes(truth, np.full(500, 2.0), [0, 0, 0])
    assert list(doubled) == [2 * weight for weight in at_once]
    unlabelled = np.array([0, -1, 1], np.int32)
    assert native.balance_classes(unlabelled, None, [0, 0])[1] == [1, 1]
    assert list(native.weigh_classes(unlabelled, np.array([1.0, 2, 3]), [5.0, 7.0])) == [5, 2, 21]


@pytest.mark.parametrize("weight", [{0: 1.0, 1: 5.0}, "balanced"])
def test_a_weighted_fit_is_the_estimators_with_these_weights(weight: dict[int, float] | str, tmp_path: Path) -> None:
    path, x, truth = skewed(tmp_path / "t.svm")
    model = fit_file(path, rule="perceptron", passes=1, class_weight=weight).model
    weights = balanced(truth.tolist(), 2) if isinstance(weight, str) else [weight[label] for label in truth.tolist()]
    estimator = Perceptron(order="given", keep="average", max_iter=1).fit(x, truth, sample_weight=np.array(weights))
    assert model.coef.tobytes() == estimator.coef_.tobytes()
    assert model.intercept.tobytes() == estimator.intercept_.tobytes()


def test_balanced_classes_are_found_more_often(tmp_path: Path) -> None:
    path, *_ = skewed(tmp_path / "t.svm")

    def recall(**options: str) -> float:
        fitted = fit_file(path, rule="logistic", passes=1, **options)  # type: ignore[arg-type]
        honest = fitted.honest_scores
        assert honest is not None
        truth, decided = np.asarray(honest.truth), np.asarray(fitted.model.decided(honest.scores))
        assert not options or fitted.warnings == ()  # more errors than a guess makes are what was asked for
        return float(decided[truth == 1].mean())

    assert recall(class_weight="balanced") > 0.7 > 0.6 > recall()


def test_the_error_is_that_of_examples_without_weights(tmp_path: Path) -> None:
    path, _, truth = skewed(tmp_path / "t.svm")
    fitted = fit_file(path, rule="logistic", passes=1, class_weight="balanced")
    honest = fitted.honest_scores
    assert honest is not None
    decided = np.asarray(fitted.model.decided(honest.scores))
    assert fitted.progressive_error == pytest.approx(np.mean(decided != np.asarray(honest.truth)))
    assert fitted.baseline_error == pytest.approx(truth.mean())


def test_a_pipe_and_a_cache_have_the_same_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, *_ = skewed(tmp_path / "t.svm")
    options: dict[str, Any] = {"rule": "arow", "passes": 3, "class_weight": "balanced"}
    coef = fit_file(path, **options).model.coef
    for state in ("made", "reused"):
        cached = fit_file(path, keep_cache=True, cache=str(tmp_path), **options)
        assert cached.cache is not None
        assert cached.cache.state == state
        assert cached.model.coef.tobytes() == coef.tobytes()

    class Stdin:
        buffer = io.BytesIO(path.read_bytes())

    monkeypatch.setattr("sys.stdin", Stdin)
    assert fit_file("-", **options).model.coef.tobytes() == coef.tobytes()
    assert fit_file(path, rule="arow", passes=3).model.coef.tobytes() != coef.tobytes()


def test_classes_that_are_none_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, *_ = skewed(tmp_path / "t.svm")
    with pytest.raises(DataError, match="has no class 'spam', which class_weight names: its classes are 0, 1"):
        fit_file(path, class_weight={"spam": 2.0})
    assert main(["fit", str(path), "--class-weight", "1=5,0=1", "-q", "-o", str(tmp_path / "a.model")]) == 0
    fit = fit_file(path, class_weight={1: 5.0, 0: 1.0}, reading=ReadOptions())
    from rosenblatt.model.model_file import load_linear_model

    assert load_linear_model(tmp_path / "a.model").coef.tobytes() == fit.model.coef.tobytes()
    for word in ("1", "1=x", "1=-2", "1=2,,"):
        assert main(["fit", str(path), "--class-weight", word]) == 2
        assert "LABEL=WEIGHT" in capsys.readouterr().err
