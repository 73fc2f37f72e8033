"""No worthless answer in silence: each warning appears where it should, and only there."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.cli import main
from rosenblatt.evaluate.confidence_intervals import wilson
from rosenblatt.evaluate.scores import evaluate
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.warnings.fit_warnings import (
    Judged,
    baseline_error,
    clearly_better,
    clearly_less,
    few_examples,
    worthless,
)


def write(path: Path, truth: Sequence[object], columns: np.ndarray) -> Path:
    rows = [f"{','.join(map(str, row))},{label}" for row, label in zip(columns.tolist(), truth, strict=True)]
    path.write_text("\n".join([",".join([*(f"x{j}" for j in range(columns.shape[1])), "y"]), *rows]) + "\n")
    return path


def kinds(path: Path) -> set[str]:
    return {caution.kind for caution in fit_file(path).warnings}


@pytest.mark.parametrize("seed", range(3))
def test_noise_is_no_better_than_a_guess_and_a_signal_is(seed: int, tmp_path: Path) -> None:
    random = np.random.default_rng(seed)
    noise = random.normal(size=(600, 4)).round(3)
    truth = np.where(random.random(600) < 0.7, "a", "b")
    assert kinds(write(tmp_path / "noise.csv", truth, noise)) & {"no better", "one class"}
    signal = np.where(noise[:, 0] + noise[:, 1] > 0.7, "b", "a")
    fitted = fit_file(write(tmp_path / "signal.csv", signal, noise))
    assert fitted.warnings == ()
    assert fitted.class_counts == (int((signal == "a").sum()), int((signal == "b").sum()))
    assert fitted.baseline_error == pytest.approx(min(fitted.class_counts) / 600)
    assert fitted.commonest == "a"


def test_a_model_that_decides_one_class_is_called_so(tmp_path: Path) -> None:
    """Columns without information, and one class in fifty: every example is decided to be of the other."""
    truth = ["rare" if k % 50 == 7 else "usual" for k in range(1000)]
    path = write(tmp_path / "t.csv", truth, np.ones((1000, 1)))
    warnings = fit_file(path, rule="logistic").warnings
    assert [caution.kind for caution in warnings] == ["one class"]
    assert str(warnings[0]) == "The model decides 'usual' for every example, which is no better than a guess."


def test_small_classes_are_named(tmp_path: Path) -> None:
    x = np.arange(300.0)[:, None] % 3
    counts = {"a": 150, "b": 141, "c": 9}
    truth = np.repeat(list(counts), list(counts.values()))[np.random.default_rng(0).permutation(300)]
    few = [c for c in fit_file(write(tmp_path / "t.csv", truth, x)).warnings if c.kind == "few examples"]
    assert len(few) == 1
    assert "'c' has 9 examples" in str(few[0])
    assert few_examples(("a", "b"), [10, 10]) == []
    assert "2 classes have fewer than ten examples ('a' has 1, 'b' has 0)" in str(few_examples("abc", [1, 0, 10])[0])


@pytest.mark.parametrize("examples", [5, 40, 1000])
def test_clearly_less_is_where_wilsons_interval_ends_below(examples: int) -> None:
    for hits in range(examples + 1):
        for baseline in (0.003, 0.1, 0.35, 0.5):
            interval = wilson(hits / examples, examples)
            if abs(interval.high - baseline) > 1e-9:
                assert clearly_less(hits / examples, baseline, examples) == (interval.high < baseline)


def test_a_better_model_is_told_from_a_guess_by_the_examples_where_they_differ() -> None:
    guess, rare = [970, 0], [30, 0]
    assert not clearly_better(Judged("ab", [guess, rare]))
    assert clearly_better(Judged("ab", [[968, 2], [18, 12]]))  # 12 gained, 2 lost
    assert not clearly_better(Judged("ab", [[962, 8], [18, 12]]))
    assert [caution.kind for caution in worthless(Judged("ab", [guess, rare]))] == ["one class"]
    assert "worse than always guessing 'a'" in str(worthless(Judged("ab", [[0, 970], [0, 30]]))[0])
    assert worthless(Judged("ab", [[970, 0], [0, 30]])) == []


def test_an_unseen_label_is_an_error_and_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x = np.random.default_rng(0).normal(size=(200, 2)).round(2)
    truth = np.where(x[:, 0] > 0, "yes", "no").astype(object)
    model = tmp_path / "m.model"
    assert main(["fit", str(write(tmp_path / "t.csv", truth, x)), "-q", "-o", str(model)]) == 0
    truth[:20] = "perhaps"
    new = str(write(tmp_path / "new.csv", truth, x))
    capsys.readouterr()
    assert main(["evaluate", str(model), new, "--json"]) == 0
    output = capsys.readouterr()
    record = json.loads(output.out)
    assert record["examples"] == 200
    assert record["unknown"] == 20
    assert record["error"] == pytest.approx(1 - np.trace(record["confusion"]) / 200)
    assert record["error"] > 0.0999
    assert record["baseline_error"] == pytest.approx(1 - max((truth == "yes").sum(), (truth == "no").sum()) / 200)
    sentence = "20 of 200 examples have a label that the model never saw ('perhaps'): each counts as an error."
    assert sentence in record["warnings"]
    assert f"warning: {sentence}\n" in output.err
    assert main(["evaluate", str(model), new, "--report", str(tmp_path / "page.html")]) == 0
    assert "never saw" in (tmp_path / "page.html").read_text()


def test_unknown_labels_count_against_precision_and_not_against_recall() -> None:
    scores = evaluate(np.array([1.0, 1.0, -1.0, 2.0]), np.array([1, 1, 0, 1]), np.array([1, 1, 0, 2]), ("a", "b"))
    assert scores.unknown == 1
    assert (scores.precision.value, scores.recall.value) == (pytest.approx(2 / 3), 1.0)
    assert scores.accuracy.value == 0.75
    three = np.array([[2.0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]])
    many = evaluate(three, np.array([0, 1, 2, 2]), np.array([0, 1, 2, 3]), ("a", "b", "c"))
    assert (many.recall.value, many.precision.value) == (1.0, pytest.approx((1 + 1 + 0.5) / 3))


def test_the_baseline_is_printed_beside_the_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x = np.random.default_rng(0).normal(size=(200, 2)).round(2)
    path = str(write(tmp_path / "t.csv", np.where(x[:, 0] > 0.4, "yes", "no"), x))
    share = f"{baseline_error([(x[:, 0] > 0.4).sum(), (x[:, 0] <= 0.4).sum()]):.2%}"
    model = str(tmp_path / "m.model")
    assert main(["fit", path, "-o", model]) == 0
    assert f"baseline  {share} by always guessing no, the commonest class" in capsys.readouterr().out
    assert main(["evaluate", model, path]) == 0
    assert f"baseline error      {share}   by always guessing no" in capsys.readouterr().out
