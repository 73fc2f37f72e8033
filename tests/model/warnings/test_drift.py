"""Drift: new examples compared with those that a model was learned from, by scores, numbers and words."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from rosenblatt.cli import main
from rosenblatt.errors import ModelError
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model_file import load_linear_model, save_model
from rosenblatt.model.predict import PredictedBlock, predict_file
from rosenblatt.model.probabilities.reference_scores import compared, final_reference_of
from rosenblatt.model.warnings.drift import Watch, stability_index
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import SourceBlock

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


def write_noisy(path: Path, n_rows: int) -> Path:
    """Columns of 0 and 1, which tell little about the label: the weights of a perceptron never settle."""
    X = RANDOM.integers(0, 2, (n_rows, 12))
    labels = X[:, 0] + 2 * RANDOM.normal(size=n_rows) > 2.0
    rows = (",".join(map(str, row)) + f",{int(y)}\n" for row, y in zip(X.tolist(), labels, strict=True))
    path.write_text(",".join(f"c{j}" for j in range(12)) + ",label\n" + "".join(rows))
    return path


def write_texts(path: Path, n_rows: int) -> Path:
    """Common words that tell something about the class, and rare ones by which every text can be learned by heart."""
    lines = []
    for is_spam in RANDOM.random(n_rows) < 0.5:
        common = RANDOM.geometric(0.05, size=5) * (1 if is_spam == (RANDOM.random() < 0.8) else 2)
        rare = RANDOM.integers(10**6, size=5)
        words = [f"c{k}" for k in common] + [f"r{k}" for k in rare]
        lines.append(f"{'spam' if is_spam else 'ham'}\t{' '.join(words)}\n")
    path.write_text("".join(lines))
    return path


@pytest.mark.parametrize(("write", "rule"), [(write_noisy, "last"), (write_texts, "logistic"), (write_texts, "arow")])
def test_neither_unsettled_weights_nor_examples_learned_by_heart_are_drift(
    tmp_path: Path, write: Callable[[Path, int], Path], rule: str
) -> None:
    train, fresh = write(tmp_path / "train.csv", 3000), write(tmp_path / "fresh.csv", 3000)
    options = ReadOptions(decide=True, format="text") if write is write_texts else ReadOptions(decide=True)
    model = fit_file(train, rule=rule, reading=options).model
    both = [watched(model, path).drift() for path in (train, fresh)]
    assert all(drift is not None and drift.index < 0.1 for drift in both)
    without = replace(model, final_reference=None)
    old = [watched(without, path).drift() for path in (train, fresh)]
    assert max(drift.index for drift in old if drift is not None) > 0.25  # either reference alone is not enough


def test_drift_does_not_depend_on_the_format_or_the_blocks(tmp_path: Path) -> None:
    train, path = write_table(tmp_path / "train.csv", 1500), write_table(tmp_path / "new.csv", 40_000, shift=0.3)
    model = fit_file(train, rule="arow", passes=1).model
    table = pyarrow.csv.read_csv(path)
    pq.write_table(table, tmp_path / "new.parquet", row_group_size=777)
    with (tmp_path / "new.jsonl").open("w") as file:
        file.writelines(json.dumps(row) + "\n" for row in table.to_pylist())
    drifts = [watched(model, tmp_path / f"new.{suffix}").drift() for suffix in ("csv", "jsonl", "parquet")]
    first = drifts[0]
    assert first is not None
    assert first.index > 0.02
    for drift in drifts[1:]:
        assert drift is not None
        assert (drift.index, drift.examples, drift.column) == (first.index, first.examples, first.column)
        assert drift.deviations == pytest.approx(first.deviations, rel=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_final_reference_is_that_of_the_last_thousand_in_one_run_and_in_two(tmp_path: Path, classes: int) -> None:
    first, second = (write_table(tmp_path / f"{k}.csv", 1100, classes=classes) for k in "12")
    options = {"rule": "pa1", "passes": 1, "reading": ReadOptions(decide=True, scale=False)}
    save_model(fit_file(first, **options).model, tmp_path / "m.model")
    two = fit_file(second, from_=tmp_path / "m.model").model
    one = fit_file([first, second], **options).model
    assert one.final_reference is not None
    assert one.final_reference.examples == 1000
    assert two.final_reference == one.final_reference
    last = LastRows(one, second)
    assert one.final_reference == final_reference_of(last, one)  # type: ignore[arg-type]
    few = tmp_path / "few.csv"
    few.write_text("".join(second.read_text().splitlines(keepends=True)[:50]))
    assert (
        fit_file(few, from_=tmp_path / "m.model").model.final_reference
        == load_linear_model(tmp_path / "m.model").final_reference
    )


class LastRows:
    """The slow twin of LastExamples: all rows of the file, then the last thousand."""

    def __init__(self, model: LinearModel, path: Path) -> None:
        self._blocks = list(predict_file(model, path, ReadOptions()))

    def scores(self, score: Callable[[Any], Any]) -> list[Any]:
        numbers = [np.asarray(score(block.block.values)).ravel() for block in self._blocks]
        return np.concatenate(numbers).tolist()[:-1001:-1]


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


def test_a_block_without_examples_adds_nothing(tmp_path: Path) -> None:
    path = write_table(tmp_path / "train.csv", 400)
    model = fit_file(path).model
    assert model.final_reference is not None
    assert len(compared(model, np.empty((0, 1)))) == 0
    watch = watched(model, path)
    before = watch.drift()
    block = next(iter(predict_file(model, path, ReadOptions())))
    values = block.block.values
    assert isinstance(values, np.ndarray)
    empty = SourceBlock(values[:0], block.block.labels[:0], None, 400, 0)
    watch.add(PredictedBlock((block.decided[:0], block.scores[:0], block.truth[:0], None), empty))
    assert watch.drift() == before
