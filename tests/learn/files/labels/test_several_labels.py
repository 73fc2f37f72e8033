"""Fits of files whose examples have several labels, or none."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.model.export.export import export_model
from rosenblatt.model.fit.fitted import Fitted
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds.multi_label import MultiLabelModel
from rosenblatt.model.model_file import load_model, save_model
from rosenblatt.model.predict import predict_file
from rosenblatt.model.probabilities.choose_threshold import choose_threshold
from rosenblatt.options.values.threshold_criterion import criterion_of
from rosenblatt.readers.formats import line_source
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import HonestScores
from rosenblatt.rules import RULES

SEVERAL = ReadOptions(multi_label=True)
TOPICS = {"sport": "ball goal team", "music": "song band", "food": "bread soup cheese", "travel": "train hotel"}


def examples(n: int = 400, seed: int = 0) -> list[tuple[list[str], list[str]]]:
    """Texts about several topics at once: (topics, words)."""
    draw = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        topics = [topic for topic in TOPICS if draw.random() < 0.35]
        words = ["the", "and", "of"] + [str(draw.choice(TOPICS[topic].split())) for topic in topics for _ in range(3)]
        words += [f"w{k}" for k in draw.integers(0, 50, 4)]
        rows.append((topics, [str(word) for word in draw.permutation(words)]))
    return rows


def write(path: Path, rows: list[tuple[list[str], list[str]]], kind: str) -> Path:
    numbers = {word: k for k, word in enumerate(sorted({word for _, words in rows for word in words}), 1)}
    topic_number = {topic: k for k, topic in enumerate(TOPICS)}
    with path.open("w") as file:
        for topics, words in rows:
            if kind == "fasttext":
                file.write(" ".join([f"__label__{topic}" for topic in topics] + words) + "\n")
            elif kind == "text":
                file.write("|".join(topics) + "\t" + " ".join(words) + "\n")
            elif kind == "vw":
                file.write(",".join(topics) + " | " + " ".join(words) + "\n")
            else:
                features = sorted({numbers[word] for word in words})
                labels = ",".join(str(topic_number[topic]) for topic in topics)
                file.write(f"{labels} " + " ".join(f"{j}:1" for j in features) + "\n")
    return path


def fit(path: Path, **changes: Any) -> Fitted:
    return fit_file(str(path), **{"reading": SEVERAL, "rule": "arow", "passes": 1, "order": "given", **changes})


def weights(fitted: Fitted) -> list[bytes]:
    return [fitted.model.coef.tobytes(), fitted.model.intercept.tobytes()]


def decided(model: Any, path: Path) -> list[list[Any]]:
    return [model.labels_of(row) for block in predict_file(model, str(path)) for row in block.buffers[0].tolist()]


@pytest.mark.parametrize("kind", ["fasttext", "text", "vw", "svm"])
def test_every_format_of_lines_learns_its_labels(tmp_path: Path, kind: str) -> None:
    rows, others = examples(), examples(seed=1)
    path, test = write(tmp_path / f"a.{kind}", rows, kind), write(tmp_path / f"b.{kind}", others, kind)
    fitted = fit(path, rule="auto", passes="auto", order=None)
    model = fitted.model
    assert isinstance(model, MultiLabelModel)
    expected = tuple(sorted(TOPICS)) if kind != "svm" else (0, 1, 2, 3)
    assert model.classes == expected
    assert fitted.label_counts is not None
    assert fitted.label_counts.without == sum(not topics for topics, _ in rows)
    assert fitted.label_counts.several == sum(len(topics) > 1 for topics, _ in rows)
    assert fitted.class_counts == tuple(sum(topic in topics for topics, _ in rows) for topic in _ordered(kind))
    if kind == "svm":
        return
    names = decided(model, test)
    right = sum(labels == sorted(topics) for labels, (topics, _) in zip(names, others, strict=True))
    assert right > 0.9 * len(others)
    assert fitted.progressive_error < 0.1 < fitted.baseline_error


def _ordered(kind: str) -> list[str]:
    return list(TOPICS) if kind == "svm" else sorted(TOPICS)


@pytest.mark.parametrize("weights", [{}, {0: 3.0, 2: 0.25}], ids=["alike", "weighed"])
@pytest.mark.parametrize("rule", [*RULES])
def test_a_model_of_each_label_alone_has_the_same_weights(tmp_path: Path, rule: str, weights: dict[int, float]) -> None:
    rows = examples()
    together = fit(write(tmp_path / "a.svm", rows, "svm"), rule=rule, class_weight=weights or None)
    for k, topic in enumerate(TOPICS):
        one = [(["music" if topic in topics else "sport"], words) for topics, words in rows]  # numbers 1 and 0
        weight = {1: weights[k]} if k in weights else None
        alone = fit(write(tmp_path / f"{topic}.svm", one, "svm"), rule=rule, reading=None, class_weight=weight)
        assert together.model.coef[k].tobytes() == alone.model.coef[0].tobytes()
        assert together.model.intercept[k] == alone.model.intercept[0]


def test_one_label_with_a_weight_learns_as_two_classes_do(tmp_path: Path) -> None:
    """A single unit, whose certain mistakes are learned without their exact score first."""
    rows = [(["music"] if "music" in topics else [], words) for topics, words in examples(2000)]
    several = fit(write(tmp_path / "a.svm", rows, "svm"), rule="last", class_weight={1: 7.0})
    classes = [(topics or ["sport"], words) for topics, words in rows]
    alone = fit(write(tmp_path / "b.svm", classes, "svm"), rule="last", reading=None, class_weight={1: 7.0})
    assert weights(several) == weights(alone)


def test_a_weight_makes_a_label_commoner(tmp_path: Path) -> None:
    """Where its words say it half of the time."""
    rows = [([t for t in topics if t != "food" or k % 2], words) for k, (topics, words) in enumerate(examples())]
    path, other = (
        write(tmp_path / f"{seed}.txt", part, "fasttext") for seed, part in enumerate((rows, examples(seed=1)))
    )
    counts = []
    for weight in (0.1, 1.0, 10.0):
        model = fit(path, rule="auto", passes="auto", order=None, class_weight={"food": weight}).model
        assert isinstance(model, MultiLabelModel)
        assert not model.thresholds  # the most probable answer would undo the weight
        counts.append(sum("food" in labels for labels in decided(model, other)))
    assert counts[0] < counts[1] - 10 < counts[2] - 20


def test_threads_blocks_and_formats_decide_no_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.svm", examples(), "svm")
    expected = fit(path, rule="auto", threads=1)
    assert weights(fit(path, rule="auto", threads=4)) == weights(expected)
    monkeypatch.setattr(line_source, "BLOCK_BYTES", 700)  # labels that first occur in later blocks
    again = fit(path, rule="auto", threads=3)
    assert weights(again) == weights(expected)
    assert again.model.classes == expected.model.classes
    assert again.progressive_error == expected.progressive_error


def test_a_saved_model_decides_the_same(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", examples(), "fasttext")
    model: Any = fit(path, threshold="f1").model
    save_model(model, tmp_path / "m.model")
    loaded: Any = load_model(tmp_path / "m.model")
    assert isinstance(loaded, MultiLabelModel)
    assert loaded.thresholds == model.thresholds
    assert loaded.separator == " "
    (block,), (other,) = list(predict_file(model, str(path))), list(predict_file(loaded, str(path)))
    assert bytes(block.buffers[0]) == bytes(other.buffers[0])
    chances = np.asarray(model.probabilities(block.buffers[1]))
    assert chances.tobytes() == np.asarray(loaded.probabilities(other.buffers[1])).tobytes()
    assert ((chances > 0) & (chances < 1)).all()


def test_a_label_that_is_decided_above_its_threshold(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", examples(), "fasttext")
    recalls = {}
    for threshold in (0.01, 0.5, "recall>=0.99"):
        model: Any = fit(path, threshold=threshold).model
        recalls[threshold] = np.mean([one.recall for one in model.thresholds])
        for one, calibration in zip(model.thresholds, model.calibrations, strict=True):
            assert one.criterion == str(threshold)
            assert one.examples == calibration.examples
        honest, sets = _honest(path, threshold)
        for k, one in enumerate(model.thresholds):
            of_label = HonestScores(np.ascontiguousarray(honest[:, k : k + 1]), sets[:, k], "progressive")
            criterion = criterion_of(threshold)
            assert criterion is not None
            assert one == choose_threshold(criterion, of_label, model.calibrations[k])
    assert recalls[0.01] >= recalls[0.5]
    assert recalls["recall>=0.99"] >= 0.99


def _honest(path: Path, threshold: Any) -> tuple[Any, Any]:
    """The scores that thresholds are chosen on, and whether each label applied."""
    fitted = fit(path, threshold=threshold)
    assert fitted.honest_scores is not None
    rows = [line.split("__label__")[1:] for line in path.read_text().splitlines()][-len(fitted.honest_scores) :]
    labels = [{part.split()[0] for part in parts} for parts in rows]
    truth = np.array([[int(label in row) for label in fitted.model.classes] for row in labels], np.int32)
    return np.asarray(fitted.honest_scores.scores), truth


def test_labels_written_twice_with_spaces_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("a | b\tone two three\nb|a|a\tone two three\n\tfour five six\n|b\tone five two\n" * 30)
    fitted = fit(path)
    assert fitted.model.classes == ("a", "b")
    assert fitted.label_counts is not None
    assert (fitted.label_counts.sets, fitted.label_counts.without) == (3, 30)
    assert fitted.class_counts == (60, 90)


@pytest.mark.parametrize(
    ("cells", "separator", "labels"),
    [
        (["a|b,c", "b,c"], None, ("a", "b,c")),
        (["a;b", "c"], None, ("a", "b", "c")),
        (["a, b", "c"], None, ("a", "b", "c")),
        (["new york", "rome"], None, ("new york", "rome")),
        (["a b", "b"], " ", ("a", "b")),
        (["a|b", "b"], ";", ("a|b", "b")),
    ],
)
def test_what_stands_between_labels(
    tmp_path: Path, cells: list[str], separator: str | None, labels: tuple[str, ...]
) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("".join(f"{cells[i % 2]}\tsome words of text {i}\n" for i in range(60)))
    fitted = fit(path, reading=SEVERAL._replace(label_separator=separator))
    assert fitted.model.classes == labels


def test_warnings_about_labels(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"

    def warnings(*cells: str) -> list[str]:
        words = ["good words here", "bad words here", "the same words"]
        path.write_text("".join(f"{cells[i % len(cells)]}\t{words[i % len(cells)]}\n" for i in range(90)))
        return list(map(str, fit(path).warnings))

    (one_each,) = warnings("a", "b")
    assert "No example has more than one label" in one_each
    (everywhere,) = warnings("all|a", "all|b")
    assert "Every example has the label 'all'" in everywhere
    path.write_text("".join(f"{'a|b' if i % 3 else ''}\tthe same words for all\n" for i in range(90)))
    assert "no better" in [caution.kind for caution in fit(path).warnings]


def test_refusals(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", examples(), "fasttext")
    with pytest.raises(ParameterError, match="class_weight"):
        fit(path, class_weight="balanced")
    with pytest.raises(ParameterError, match="keep_cache"):
        fit(path, keep_cache=True)
    with pytest.raises(DataError, match=r"names several classes.*multi_label"):
        fit_file(str(path))
    (tmp_path / "none.svm").write_text(" 1:1\n 2:1\n")
    with pytest.raises(DataError, match="no example has a label"):
        fit(tmp_path / "none.svm")
    with pytest.raises(DataError, match=r"the label 'food', which is not among the classes"):
        fit(path, reading=SEVERAL._replace(classes=("sport", "music")))


def test_an_exported_model_decides_as_predict_does(tmp_path: Path) -> None:
    path = write(tmp_path / "a.svm", examples(100), "svm")
    model: Any = fit(path, threshold="f1").model
    exported = json.loads(export_model(model, "json", ""))
    assert exported["scheme"] == "multi-label"
    for line, labels in zip(path.read_text().splitlines(), decided(model, path), strict=True):
        features = {word.split(":")[0]: float(word.split(":")[1]) for word in line.split() if ":" in word}
        scores = [
            unit["intercept"] + sum(features.get(entry["feature"], 0.0) * entry["weight"] for entry in unit["weights"])
            for unit in exported["units"]
        ]
        pairs = zip(exported["units"], scores, strict=True)
        assert [unit["for"] for unit, score in pairs if score > unit["threshold"]] == labels
    for unit, calibration in zip(exported["units"], model.calibrations, strict=True):
        assert unit["probabilities"] == {"map": calibration.kind, "parameters": list(calibration.parameters)}


def test_a_resumed_fit_has_the_same_bits(tmp_path: Path) -> None:
    path = write(tmp_path / "a.svm", examples(2000), "svm")
    expected = fit(path, passes=3)
    checkpoint = str(tmp_path / "a.checkpoint")

    def stop(progress: Any) -> None:
        if progress.pass_ == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(path, passes=3, checkpoint=checkpoint, on_progress=stop)
    resumed = fit(path, passes=3, checkpoint=checkpoint, resume=True)
    assert resumed.resumed
    assert weights(resumed) == weights(expected)
    expected_model, model = expected.model, resumed.model
    assert isinstance(model, MultiLabelModel)
    assert isinstance(expected_model, MultiLabelModel)
    assert model.thresholds == expected_model.thresholds


def test_held_out_rows_are_judged_by_their_labels(tmp_path: Path) -> None:
    fitted = fit(write(tmp_path / "a.txt", examples(), "fasttext"), holdout=0.2, passes=3, patience=1)
    assert fitted.holdout_error is not None
    assert 0 <= fitted.holdout_error < 0.1
    assert fitted.honest_scores is not None
    assert fitted.honest_scores.kind == "held-out"
