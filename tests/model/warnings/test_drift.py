"""Drift: new examples compared with those that a model was learned from, by scores, numbers and words."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.cli import main
from rosenblatt.errors import ModelError
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model_file import load_linear_model, save_model
from rosenblatt.model.predict import predict_file
from rosenblatt.model.warnings.drift import Watch, stability_index
from rosenblatt.readers.source import ReadOptions

RANDOM = np.random.default_rng(5)


def write_table(path: Path, n_rows: int, *, shift: float = 0.0, classes: int = 2) -> Path:
    size, other = RANDOM.normal(50 + 10 * shift, 10, n_rows), RANDOM.normal(0, 1, n_rows)
    label = np.digitize(size + 5 * RANDOM.normal(size=n_rows), [45, 55][: classes - 1])
    rows = (f"{a:.2f},{b:.2f},k{y}\n" for a, b, y in zip(size, other, label, strict=True))
    path.write_text("size,other,label\n" + "".join(rows))
    return path


def watched(model: LinearModel, path: Path) -> Watch:
    watch = Watch(model)
    for block in predict_file(model, path, ReadOptions()):
        watch.add(block)
    return watch


@pytest.mark.parametrize("classes", [2, 3])
def test_the_same_kind_of_examples_has_little_drift_and_another_has_much(tmp_path: Path, classes: int) -> None:
    path = write_table(tmp_path / "train.csv", 1500, classes=classes)
    model = fit_file(path, reading=ReadOptions(decide=True)).model
    same = watched(model, write_table(tmp_path / "same.csv", 2000, classes=classes)).drift()
    moved = watched(model, write_table(tmp_path / "moved.csv", 2000, shift=2.0, classes=classes)).drift()
    assert same is not None
    assert moved is not None
    assert same.index < 0.05
    assert same.words.startswith("little: the scores are like those at fit (stability index 0.0")
    assert moved.index > 0.25
    assert moved.words.endswith("the mean of size is 2.0 deviations higher")
    assert watched(model, tmp_path / "moved.csv").warnings()
    assert not watched(model, tmp_path / "same.csv").warnings()


def test_too_few_examples_give_no_drift(tmp_path: Path) -> None:
    model = fit_file(write_table(tmp_path / "train.csv", 400), reading=ReadOptions(decide=True)).model
    assert watched(model, write_table(tmp_path / "few.csv", 50, shift=3.0)).drift() is None


def test_chance_alone_is_no_drift() -> None:
    shares = [0.1] * 10
    indices = [stability_index(shares, 500, RANDOM.multinomial(300, shares).tolist()) for _ in range(200)]
    assert np.mean(indices) < 0.02
    assert np.quantile(indices, 0.99) < 0.1


def test_the_reference_is_saved_and_checked(tmp_path: Path) -> None:
    model = fit_file(write_table(tmp_path / "train.csv", 400)).model
    assert model.reference is not None
    save_model(model, tmp_path / "m.model")
    assert load_linear_model(tmp_path / "m.model").reference == model.reference
    save_model(replace(model, reference=model.reference._replace(shares=(2.0,))), tmp_path / "bad.model")
    with pytest.raises(ModelError, match="shares of bins"):
        load_linear_model(tmp_path / "bad.model")


def test_new_words_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = "".join(f"{'yn'[i % 2]}\t{['good fine', 'bad poor'][i % 2]} word\n" for i in range(200))
    (tmp_path / "t.tsv").write_text(lines)
    arguments = ["fit", str(tmp_path / "t.tsv"), "--format", "text", "-o", str(tmp_path / "t.model"), "-q"]
    assert main(arguments) == 0
    (tmp_path / "new.txt").write_text("y\tgood fine other\nn\tbad poor word\n" * 10)
    assert main(["predict", str(tmp_path / "t.model"), str(tmp_path / "new.txt")]) == 0
    # `other` and `fine other` of the first line's five words and phrases
    assert "20.0% of the words and phrases (20 of 100) are new to the model" in capsys.readouterr().err
    assert main(["evaluate", str(tmp_path / "t.model"), str(tmp_path / "new.txt"), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["new_words"] == {"unknown": 20, "total": 100}
    assert record["drift"] is None
    assert main(["predict", str(tmp_path / "t.model"), str(tmp_path / "t.tsv")]) == 0
    assert "new to the model" not in capsys.readouterr().err
