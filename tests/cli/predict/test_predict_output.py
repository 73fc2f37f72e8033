"""What predict writes with each label: ids and other columns, scores, probabilities, the best classes, reasons."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rosenblatt.cli import main
from rosenblatt.model.model_file import load_linear_model
from rosenblatt.report.weights import bias

RANDOM = np.random.default_rng(3)
WORDS = {"b\nad": ["poor", "slow", "broken"], "good": ["fine", "fast", "lovely"], "so\tso": ["fair", "usual", "plain"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with ids, words, a text and labels that hold tabs and newlines, and a model of it."""
    folder = tmp_path_factory.mktemp("answers")
    labels = RANDOM.choice(list(WORDS), 200).tolist()
    texts = [" ".join(RANDOM.choice([*WORDS[y], "the", "of"], 6)) for y in labels]
    ids = [f"NA{i}" if i % 5 else "NA" for i in range(200)]
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(["name", "size", "text", "mood"])
    writer.writerows(zip(ids, RANDOM.normal(size=200).round(3).tolist(), texts, labels, strict=True))
    (folder / "moods.csv").write_text(table.getvalue())
    typed = pa.table({"name": ids, "size": RANDOM.integers(0, 9, 200), "text": texts, "mood": labels})
    pq.write_table(typed, folder / "moods.parquet")
    assert main(["fit", str(folder / "moods.csv"), "--drop", "name", "-o", str(folder / "m.model"), "-q"]) == 0
    return folder


def answers(folder: Path, capsys: pytest.CaptureFixture[str], *options: str, data: str = "moods.csv") -> str:
    capsys.readouterr()
    assert main(["predict", str(folder / "m.model"), str(folder / data), *options]) == 0
    return capsys.readouterr().out


def test_a_label_is_one_line_whatever_it_holds(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = answers(folder, capsys).splitlines()
    assert len(lines) == 200
    assert set(lines) == {"b\\nad", "good", "so\\tso"}


def test_the_three_forms_say_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--id", "name", "--with", "size,mood", "--proba", "--scores", "--top", "2")
    objects = [json.loads(line) for line in answers(folder, capsys, *options, "--json").splitlines()]
    assert objects == [
        json.loads(line) for line in answers(folder, capsys, *options, "--output-format", "jsonl").splitlines()
    ]
    tsv = [line.split("\t") for line in answers(folder, capsys, *options).splitlines()]
    as_csv = list(csv.reader(io.StringIO(answers(folder, capsys, *options, "--output-format", "csv"), newline="")))
    names = tsv[0]
    assert names[:4] == ["name", "size", "mood", "label"]
    assert as_csv[0][:4] == names[:4]
    for record, tab_row, csv_row in zip(objects, tsv[1:], as_csv[1:], strict=True):
        assert [cell.replace("\\n", "\n").replace("\\t", "\t") for cell in tab_row] == csv_row
        cells = dict(zip(as_csv[0], csv_row, strict=True))
        assert [cells["name"], cells["label"]] == [record["id"], record["label"]]
        assert record["with"] == {"size": cells["size"], "mood": cells["mood"]}
        assert float(cells["score_good"]) == record["scores"]["good"]
        assert float(cells["good"]) == record["probabilities"]["good"]
        predicted = record["label"]
        best = sorted(record["probabilities"].items(), key=lambda item: (item[0] != predicted, -item[1]))[:2]
        assert [(entry["label"], entry["probability"]) for entry in record["top"]] == best
        assert (cells["label_1"], float(cells["probability_2"])) == (best[0][0], best[1][1])


def test_columns_come_through_as_they_are_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also a cell that marks a missing value, and it changes no prediction."""
    written = [
        row["name"] for row in csv.DictReader(io.StringIO((folder / "moods.csv").read_bytes().decode(), newline=""))
    ]
    lines = [line.split("\t") for line in answers(folder, capsys, "--id", "name").splitlines()]
    assert [line[0] for line in lines[1:]] == written
    assert [line[1] for line in lines[1:]] == answers(folder, capsys).splitlines()
    typed = answers(folder, capsys, "--with", "size,name", "--json", data="moods.parquet").splitlines()
    assert all(isinstance(json.loads(line)["with"]["size"], int) for line in typed)


def test_reasons_are_features_of_the_example_that_add_to_its_score(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = load_linear_model(folder / "m.model")
    rows = list(csv.DictReader(io.StringIO((folder / "moods.csv").read_bytes().decode(), newline="")))
    records = [json.loads(line) for line in answers(folder, capsys, "--reasons", "1000", "--json").splitlines()]
    for row, record in zip(rows, records, strict=True):
        words = row["text"].split()
        phrases = {*words, *(" ".join(words[i : i + 2]) for i in range(5)), "size"}
        assert {reason["feature"] for reason in record["reasons"]} <= phrases
        total = sum(reason["adds"] for reason in record["reasons"]) + bias(model, model.classes.index(record["label"]))
        assert total >= record["scores"][record["label"]] - 1e-9
    three = [json.loads(line)["reasons"] for line in answers(folder, capsys, "--reasons", "3", "--json").splitlines()]
    assert three == [record["reasons"][:3] for record in records]


def test_what_cannot_be_written_is_refused(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predict", str(folder / "m.model"), str(folder / "moods.csv"), "--with", "nome"]) == 3
    assert "there is no column 'nome'" in capsys.readouterr().err
    (tmp_path / "t.tsv").write_text("good\tfine and fast\nbad\tslow and poor\n" * 20)
    assert main(["fit", str(tmp_path / "t.tsv"), "-o", str(tmp_path / "t.model"), "-q"]) == 0
    assert main(["predict", str(tmp_path / "t.model"), str(tmp_path / "t.tsv"), "--id", "name"]) == 2
    assert "is read as text, and --id is for tables: leave --id out" in capsys.readouterr().err
    assert main(["predict", str(tmp_path / "t.model"), str(tmp_path / "t.tsv"), "--id", "a", "--with", "b"]) == 2
    assert "is read as text, and --with is for tables" in capsys.readouterr().err
