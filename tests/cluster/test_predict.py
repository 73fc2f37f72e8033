"""Predictions and evaluations with the rows read by workers, and a saved model where the rows are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from rosenblatt.cluster import evaluate, predict, predict_rows
from rosenblatt.cluster.engines.processes import Processes
from rosenblatt.errors import ParameterError
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.model_file import save_model
from rosenblatt.model.predict import predict_file
from rosenblatt.readers.formats import line_source
from rosenblatt.readers.source import ReadOptions
from rosenblatt.readers.table.files import csv
from tests import child
from tests.cluster.examples import BLOCK, CASES
from tests.cluster.harm import Harmed
from tests.cluster.tables import SPAN, TABLES, rows

_TABLES = ("csv", "csv, a number")


@pytest.fixture(scope="module")
def two() -> Iterator[Processes]:
    with Processes(2) as engine:
        yield engine


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_source, "BLOCK_BYTES", BLOCK)
    monkeypatch.setattr(csv, "SPAN_BYTES", SPAN)


@pytest.mark.parametrize(
    "case", ["svmlight, in unlike units", "text", "text, several labels", "vw", "csv", "csv, a number"]
)
def test_scores_and_evaluation_are_those_of_one_machine(case: str, two: Processes, tmp_path: Path) -> None:
    write, reading, _ = CASES.get(case) or TABLES[case]
    data, options = write(tmp_path), ReadOptions(**reading)
    model = fit_file(data, reading=options, passes=1).model
    alone, engine = [*predict_file(model, data, options)], Harmed(two)
    together = [*predict(model, data, engine, reading=options)]
    assert engine.answers > 2
    assert np.concatenate([b.scores for b in together]).tobytes() == np.concatenate([b.scores for b in alone]).tobytes()
    evaluated = evaluate(model, data, Harmed(two), reading=options)
    assert evaluated.examples == sum(block.block.rows for block in alone)


def test_commands_predict_and_evaluate_on_an_engine(tmp_path: Path) -> None:
    data, model = TABLES["csv"][0](tmp_path), tmp_path / "m.model"
    save_model(fit_file(data).model, model)
    for command in ("predict", "evaluate"):
        alone = rosenblatt(command, model, data)
        assert alone.returncode == 0, alone.stderr
        assert rosenblatt(command, model, data, "--on", "processes:1").stdout == alone.stdout
    refused = rosenblatt("predict", model, data, "--on", "processes:1", "--reasons", "2")
    assert refused.returncode == 2
    assert "--reasons reads examples one by one" in refused.stderr


def rosenblatt(*words: str | Path) -> Any:
    return child.run([sys.executable, "-m", "rosenblatt", *map(str, words)], capture_output=True, text=True)


def test_reasons_are_not_given_by_an_engine(two: Processes, tmp_path: Path) -> None:
    data = TABLES["csv"][0](tmp_path)
    model = fit_file(data).model
    with pytest.raises(ParameterError, match="reads examples one by one"):
        next(predict(model, data, Harmed(two), reading=ReadOptions(name_rows=True)))


def test_a_saved_model_predicts_rows_where_they_are(tmp_path: Path) -> None:
    table, path = pa.table(rows()), tmp_path / "m.model"
    model = fit_file(table).model
    save_model(model, path)
    frame = table.to_pandas()
    blocks = [*predict_file(model, table)]
    expected = [model.classes[k] for block in blocks for k in block.decided.tolist()]
    part = frame.iloc[100:900]
    answers = predict_rows(part, path)
    assert answers.tolist() == expected[100:900]
    assert answers.index.equals(part.index)
    assert ((predict_rows(part, path, proba=True) > 0.5) == (answers == "yes")).mean() > 0.9
    assert predict_rows(part.iloc[:0], path).tolist() == []


@pytest.mark.parametrize("case", ["text", "vw", "text, several labels"])
def test_a_saved_model_of_texts_predicts_strings(case: str, tmp_path: Path) -> None:
    import pandas as pd

    write, reading, _ = CASES[case]
    data, path = write(tmp_path), tmp_path / "m.model"
    model = fit_file(data, reading=ReadOptions(**reading), passes=1).model
    save_model(model, path)
    written = Path(data).read_text().splitlines()[:50]
    texts: Any = pd.Series([line if "vw" in case else line.partition("\t")[2] for line in written])
    answers = predict_rows(texts, path)
    assert len(answers) == 50
    if "several" not in case:
        decided = np.concatenate([block.decided for block in predict_file(model, data)])[:50]
        assert answers.tolist() == [model.classes[k] for k in decided.tolist()]
    else:
        assert {label for answer in answers for label in answer} <= {f"tag{k}" for k in range(4)}
