"""JSON lines: the same examples as the same table in CSV, nested keys, lists, faults, parts, pipes."""

import csv
import datetime
import gzip
import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import rosenblatt
from rosenblatt.cli import main
from rosenblatt.errors import DataError
from rosenblatt.readers.formats.detect import format_of
from rosenblatt.readers.inputs.input_file import InputFile
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions
from tests import child
from tests.readers.inputs.test_joined_file import same_blocks


def rows(count: int = 2500) -> list[dict[str, Any]]:
    random_ = random.Random(4)
    objects = []
    for i in range(count):
        x = random_.gauss(0, 1)
        objects.append(
            {
                "x": round(x, 4) if i % 19 else None,
                "n": random_.randrange(1000),
                "city": random_.choice(["Köln", "Bonn", 'New "York", NY', None]),
                "since": f"20{random_.randrange(10, 25)}-0{random_.randrange(1, 10)}-11",
                "label": "yes" if x > 0 else "no",
            }
        )
    return objects


def write(path: Path, objects: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in objects))
    return path


def test_the_same_as_csv_and_parquet(tmp_path: Path) -> None:
    objects = rows()
    jsonl = write(tmp_path / "t.jsonl", objects)
    table = pa.Table.from_pylist(objects)
    table.to_pandas().astype({"n": "int64"}).to_csv(tmp_path / "t.csv", index=False)
    parquet.write_table(table, tmp_path / "t.parquet")
    same_blocks(jsonl, tmp_path / "t.csv", decide=True)
    same_blocks(jsonl, tmp_path / "t.parquet", decide=True)
    (tmp_path / "t.jsonl.gz").write_bytes(gzip.compress(jsonl.read_bytes()))
    same_blocks(jsonl, tmp_path / "t.jsonl.gz", decide=True)
    (tmp_path / "parts").mkdir()
    for i, (start, end) in enumerate([(0, 3), (3, 1700), (1700, 2500)]):
        write(tmp_path / "parts" / f"{i}.jsonl", objects[start:end])
    same_blocks(jsonl, tmp_path / "parts", decide=True)


def test_nested_keys_and_lists(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_text(
        '{"plan": {"price": 5, "kind": "pro"}, "tags": ["a", "b", "a"], "ok": true, "label": 1}\n'
        "\n"
        '{"tags": [], "plan": null, "label": 0}\n'
        '{"plan": {"kind": "free"}, "tags": ["b", "c"], "ok": false, "label": 1, "late": 3}\n'
    )
    examples = rosenblatt.read(path)
    assert examples.space.columns == (
        "plan.price", "ok", "late", "plan.kind=pro", "tags=a", "tags=b", "late=missing",
        "plan.price=missing", "ok=missing", "plan.kind=free", "tags=c",
    )  # fmt: skip
    assert examples.X.toarray().tolist() == [
        [5, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0],
        [0, 0, 3, 0, 0, 1, 0, 1, 0, 1, 1],
    ]
    assert examples.y.tolist() == [1, 0, 1]


def test_lists_of_a_parquet_file_are_words(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"t": [["p", "q"], None, ["q"]], "label": ["a", "b", "a"]}), tmp_path / "t.parquet")
    examples = rosenblatt.read(tmp_path / "t.parquet")
    assert (examples.space.columns, examples.X.toarray().tolist()) == (("t=p", "t=q"), [[1, 1], [0, 0], [0, 1]])


@pytest.mark.parametrize(
    ("name", "expected"), [("t.jsonl", "jsonl"), ("t.csv", "jsonl"), ("t", "jsonl"), ("t.json", "jsonl")]
)
def test_an_object_is_never_a_row_of_cells(name: str, expected: str, tmp_path: Path) -> None:
    assert format_of(InputFile(write(tmp_path / name, rows(5)))) == expected


FAULTS = {
    "half an object": ('{"x": 1, "label": ', "is not a whole JSON object: expecting value at character 19"),
    "two types": ('{"x": "one", "label": "a"}', "key 'x' holds a string, and in the first lines a number"),
    "an object for a number": (
        '{"x": {"y": 1}, "label": "a"}',
        "key 'x' holds an object, and in the first lines a number",
    ),
    "no object": ("[1, 2]", "expected an object in braces, found '[1, 2]'"),
    "no label": ('{"x": 3}', "the label, column 'label', is empty"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("at", [3, 60_000])
def test_bad_lines_are_named_and_skipped(fault: str, at: int, tmp_path: Path) -> None:
    line, what = FAULTS[fault]
    lines = [json.dumps({"x": i, "label": "ab"[i % 2]}) for i in range(70_000)]
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join([*lines[: at - 1], line, *lines[at - 1 :]]) + "\n")
    if fault != "no label":
        with pytest.raises(DataError) as refused:
            rosenblatt.read(path)
        assert str(refused.value).startswith(f"{path}:{at}: {what}")
    source = open_source(path, ReadOptions(on_bad_row="skip"))
    values = np.concatenate([np.asarray(block.values)[:, 0] for block in source.blocks(2)])
    assert values.tolist() == list(range(70_000))


def test_what_is_no_jsonl(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"x": 1}]\n')
    with pytest.raises(DataError, match=r"expected an object in braces, .*; write one object on each line"):
        rosenblatt.read(tmp_path / "a.json")
    (tmp_path / "b.json").write_text('{\n  "x": 1\n}\n')
    with pytest.raises(DataError, match=r":1: is not a whole JSON object: .*; write one object on each line"):
        rosenblatt.read(tmp_path / "b.json")
    (tmp_path / "c.json").write_text("{}\n{}\n")
    with pytest.raises(DataError, match="its first objects have no keys with a value"):
        rosenblatt.read(tmp_path / "c.json")
    (tmp_path / "d.json").write_text('{"a.b": 1, "a": {"b": 2}, "label": 1}\n')
    with pytest.raises(DataError, match=r"two columns are named 'a\.b'"):
        rosenblatt.read(tmp_path / "d.json")


def test_a_pipe_and_a_model(tmp_path: Path) -> None:
    path, model = write(tmp_path / "t.jsonl", rows()), str(tmp_path / "m.model")
    command = [sys.executable, "-m", "rosenblatt"]
    fit = child.run([*command, "fit", "-", "-q", "-o", model, "--passes", "1"], input=path.read_bytes())
    assert fit.returncode == 0, fit.stderr
    assert main(["fit", str(path), "-q", "-o", str(tmp_path / "f.model"), "--passes", "1"]) == 0
    piped, of_file = rosenblatt.load(model), rosenblatt.load(tmp_path / "f.model")
    assert piped.model_.coef.tobytes() == of_file.model_.coef.tobytes()
    sparse = b'{"x": 2.5}\n{"city": null, "n": 7, "x": -3}\n{"x": 1, "unknown": [1]}\n'
    predict = child.run([*command, "predict", model, "-"], input=sparse, capture_output=True)
    assert predict.stdout.split() == [b"yes", b"no", b"yes"]


def test_fasttext(tmp_path: Path) -> None:
    texts = [("ham" if i % 3 else "spam", f"{'see you' if i % 3 else 'buy now'} number {i % 7}") for i in range(900)]
    tabs, marks = tmp_path / "t.tsv", tmp_path / "t.txt"
    tabs.write_text("".join(f"{label}\t{text}\n" for label, text in texts))
    marks.write_text("".join(f"__label__{label} {text}\n" for label, text in texts))
    assert format_of(InputFile(marks)) == "fasttext"
    same_blocks(tabs, marks, decide=True)
    model = str(tmp_path / "m.model")
    assert main(["fit", str(marks), "-q", "-o", model]) == 0
    assert main(["predict", model, str(marks), "-o", str(tmp_path / "marks")]) == 0
    assert main(["predict", model, str(tabs), "-o", str(tmp_path / "tabs")]) == 0
    assert (tmp_path / "marks").read_text() == (tmp_path / "tabs").read_text()
    for line, what in (
        ("__label__a __label__b two", "the label '__label__a __label__b two' names several classes"),
        ("no label at all", "expected a word that begins with __label__, found 'no label at all'"),
    ):
        marks.write_text(f"__label__a one\n__label__b x\n__label__b x\n__label__b x\n{line}\n")
        with pytest.raises(DataError) as refused:
            rosenblatt.read(marks)
        assert str(refused.value).startswith(f"{marks}:5:1: {what}")


def test_an_arrow_stream_from_a_pipe_or_compressed(tmp_path: Path) -> None:
    table = pa.Table.from_pylist(rows())
    with pa.ipc.new_stream(str(tmp_path / "t.arrow"), table.schema) as file:
        file.write_table(table, max_chunksize=300)
    packed = tmp_path / "t.arrow.gz"
    packed.write_bytes(gzip.compress((tmp_path / "t.arrow").read_bytes()))
    parquet.write_table(table, tmp_path / "t.parquet")
    same_blocks(tmp_path / "t.parquet", packed, decide=True)
    model = tmp_path / "m.model"
    command = [sys.executable, "-m", "rosenblatt", "fit", "-", "-q", "-o", str(model), "--passes", "1"]
    fit = child.run(command, input=(tmp_path / "t.arrow").read_bytes(), capture_output=True)
    assert fit.returncode == 0, fit.stderr
    of_file = rosenblatt.fit_file(tmp_path / "t.parquet", passes=1)
    assert rosenblatt.load(model).model_.coef.tobytes() == of_file.model.coef.tobytes()


def test_a_list_of_numbers_is_words_whichever_way_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"n": [1, 2.5], "label": 0}\n{"n": [2.5, 3], "label": 1}\n')
    fast = rosenblatt.read(path)
    path.write_text('{"n": [1, 2.5], "label": 0}\n\n{"n": [2.5, 3], "label": 1}\n')  # a blank line is read the slow way
    slow = rosenblatt.read(path)
    assert fast.space.columns == slow.space.columns == ("n=1", "n=2.5", "n=3")
    assert fast.X.toarray().tolist() == slow.X.toarray().tolist() == [[1, 1, 0], [0, 1, 1]]


def test_keys_that_come_late_are_said(tmp_path: Path) -> None:
    padding = "x" * 1000
    lines = [json.dumps({"x": i % 7, "pad": padding, "n": None, "label": "ab"[i % 2]}) for i in range(17_500)]
    lines[9_000] = json.dumps({"x": 1, "pad": padding, "early": 2, "label": "a"})  # after 9 MB: taken in
    for i in range(17_000, 17_500):
        lines[i] = json.dumps({"x": 3, "plan": {"late": 1}, "n": 5, "label": "b", "other": None})
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(lines))
    source = open_source(path, ReadOptions())
    assert sum(len(block.labels) for block in source.blocks(2)) == 17_500
    assert "early" in source.space.columns
    assert source.warnings() == [
        f"{path}: 1,000 values of keys that have none in the first 16 MB were left out: 'n', 'plan'. To learn from "
        "them, put a line that has them first."
    ]
    assert sum(len(block.labels) for block in source.blocks(1)) == 17_500  # counted anew for each reading
    assert "1,000 values" in source.warnings()[0]


def test_keys_of_a_model_that_no_line_has_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A table without a column of the model is refused. A line may lack a key; where all do, it was renamed."""
    learned, model = tmp_path / "learned.jsonl", str(tmp_path / "m.model")
    learned.write_text("".join(json.dumps(row) + "\n" for row in rows(500)))
    assert main(["fit", str(learned), "--label", "label", "-o", model, "--quiet"]) == 0

    def warnings_of(*objects: dict[str, Any]) -> str:
        path = tmp_path / "new.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in objects))
        capsys.readouterr()
        assert main(["predict", model, str(path)]) == 0
        return capsys.readouterr().err

    complete = rows(3)
    assert "of the model" not in warnings_of(*complete)
    without = [{key: value for key, value in row.items() if key != "city"} for row in complete]
    assert "1 column of the model ('city') is missing: it counts as empty in every row" in warnings_of(*without)
    assert "of the model" not in warnings_of(*without, {**complete[0], "city": "Bonn"})
    renamed = [{"town": "Bonn", **{key: row[key] for key in ("n", "since")}} for row in complete]
    assert "2 columns of the model ('city', 'x') are missing" in warnings_of(*renamed)


def test_long_integers_are_not_rounded_where_they_are_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Labels, columns read as words, and those that `predict` passes through; on a line with a key twice, too."""
    ids = [2**60 + i for i in range(4)]
    path, model = tmp_path / "t.jsonl", str(tmp_path / "m.model")
    lines = [{"id": i, "user": i % 2 + 2**61, "x": i % 2 + 0.5, "label": 2**62 + i % 2} for i in ids]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines).replace('"x": 1.5', '"x": 2, "x": 1.5', 1))
    examples = rosenblatt.read(path, words=["user"])
    assert examples.space.columns == ("id", "x", f"user={2**61}", f"user={2**61 + 1}")
    assert main(["fit", str(path), "-q", "-o", model, "--words", "user"]) == 0
    assert main(["predict", model, str(path), "--with", "id,x"]) == 0
    expected = [f"{line['id']}\t{line['x']}\t{line['label']}" for line in lines]
    assert capsys.readouterr().out.splitlines() == ["id\tx\tlabel", *expected]


def test_one_table_in_four_formats(tmp_path: Path) -> None:
    random_ = random.Random(9)
    objects = []
    for i in range(3000):
        x = random_.gauss(0, 1)
        cells = {
            "id": 10**15 + 7919 * i,
            "big": random_.choice([2**53 + 1, 2**60 + 3, -(2**61) - 5, 7]),
            "x": None if i % 19 == 0 else x * 10 ** random_.randrange(-3, 12),
            "tiny": random_.choice([0.0, -0.0, 5e-324, 1e-300, 1e300, None]),
            "city": random_.choice(["Köln", 'New "York", NY', " padded ", "東京", "NA", None]),
            "code": random_.choice(["001", "010", "x"]),
            "active": random_.random() < 0.5,
            "when": f"20{random_.randrange(10, 25)}-0{random_.randrange(1, 10)}-11 {random_.randrange(10, 24)}:00:00",
            "note": " ".join(
                random_.choices(["so, it", 'is "good"', "and\nnew", "or; not", "bad"], k=random_.randrange(2, 6))
            ),
            "label": "yes" if x > 0 else "no",
        }
        objects.append(cells)
    jsonl = write(tmp_path / "t.jsonl", objects)
    times = [datetime.datetime.fromisoformat(row["when"]) for row in objects]
    table = pa.Table.from_pylist([row | {"when": time} for row, time in zip(objects, times, strict=True)])
    parquet.write_table(table, tmp_path / "t.parquet", row_group_size=700)
    with pa.ipc.new_file(str(tmp_path / "t.arrow"), table.schema) as file:
        file.write_table(table, max_chunksize=333)
    with (tmp_path / "t.csv").open("w", newline="") as text:
        writer = csv.DictWriter(text, list(objects[0]))
        writer.writeheader()
        writer.writerows(objects)
    models = [rosenblatt.fit_file(tmp_path / f"t.{name}", passes=1).model for name in ("csv", "parquet", "arrow")]
    of_json = rosenblatt.fit_file(jsonl, passes=1).model
    for model in models:
        assert model.space.columns == of_json.space.columns
        assert model.coef.tobytes() == of_json.coef.tobytes()


def test_a_last_key_that_holds_lists_is_no_label(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1, "tags": ["x", "y"]}\n{"a": 0, "tags": ["y"]}\n' * 9)
    with pytest.raises(DataError, match=r"column 'tags' holds list.*; choose another label, or split it into columns"):
        open_source(path, ReadOptions(decide=True))
    path.write_text('{"_label": 1, "tags": ["x", "y"]}\n{"_label": 0, "tags": ["y"]}\n' * 9)  # as VW writes it
    source = open_source(path, ReadOptions(decide=True))
    assert sum(block.rows for block in source.blocks()) == 18
    assert source.space.columns == ("tags=x", "tags=y")
