"""Parquet and Arrow of every type, and damaged: learned, or refused in one sentence."""

from __future__ import annotations

import datetime
import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

import rosenblatt
from rosenblatt.cli import main
from rosenblatt.errors import DataError
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions

N = 20
X = pa.array([1.0, 2.0] * 10)
Y = pa.array(["p", "n"] * 10)
NOT_UTF8 = pa.array([b"caf\xe9", b"th\xe9"] * 10, pa.binary()).view(pa.string())
BEYOND = [2**62] * N

COLUMNS: dict[str, pa.Array] = {
    "timestamp in nanoseconds": pa.array(np.arange(N) + 1577836800123456789).cast(pa.timestamp("ns")),
    "timestamp with a zone": pa.array([datetime.datetime(2020, 1, 1)] * N, pa.timestamp("us", tz="UTC")),
    "duration in nanoseconds": pa.array([1, 2] * 10, pa.int64()).cast(pa.duration("ns")),
    "time in nanoseconds": pa.array([1, 2] * 10, pa.int64()).cast(pa.time64("ns")),
    "time in seconds": pa.array([1, 2] * 10, pa.int32()).cast(pa.time32("s")),
    "decimal": pa.array([Decimal("1.5"), Decimal("2.5")] * 10),
    "dictionary of words": Y.dictionary_encode(),
    "dictionary of numbers": pa.array([1, 2] * 10).dictionary_encode(),
    "strings that are not UTF-8": NOT_UTF8,
    "dictionary that is not UTF-8": NOT_UTF8.dictionary_encode(),
    "views of strings": pa.array(["a", "b"] * 10, pa.string_view()),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([10, 20], pa.int32()), pa.array(["a", "b"])),
    "half floats": pa.array(np.array([1, 2] * 10, dtype=np.float16)),
    "unsigned": pa.array([2**64 - 1, 0] * 10, pa.uint64()),
    "extension": pa.ExtensionArray.from_storage(pa.opaque(pa.int64(), "t", "v"), pa.array([1, 2] * 10)),
}
REFUSED: dict[str, tuple[pa.Array, str]] = {
    "list": (pa.array([[1, 2]] * N), "column 'c' holds list<"),
    "struct": (pa.array([{"a": 1}] * N), "column 'c' holds struct<"),
    "map": (pa.array([[("a", 1)]] * N, pa.map_(pa.string(), pa.int64())), "column 'c' holds map<"),
    "bytes": (pa.array([b"\xff", b"a"] * 10), "column 'c' holds binary"),
    "interval": (pa.array([(1, 2, 3)] * N, pa.month_day_nano_interval()), "column 'c' holds month_day_nano_interval"),
    "distant times": (pa.array(BEYOND).cast(pa.timestamp("s")), "column 'c': a date is more than 292,000 years"),
    "distant days": (pa.array([-(2**31)] * N, pa.int32()).cast(pa.date32()), "column 'c': a date is more than"),
}


def write(path: Path, table: pa.Table) -> Path:
    if path.suffix == ".parquet":
        parquet.write_table(table, path)
    else:
        with ipc.new_file(str(path), table.schema) as file:
            file.write_table(table, max_chunksize=7)
    return path


def fit(path: Path, *options: str) -> int:
    quick = ("--rule", "perceptron", "--passes", "5", "-q")
    return main(["fit", str(path), "-o", str(path.with_suffix(".model")), *quick, *options])


@pytest.mark.parametrize("column", COLUMNS, ids=str)
def test_columns_of_any_type_are_learned_and_predicted(column: str, tmp_path: Path, capfd: Any) -> None:
    path = write(tmp_path / "table.arrow", pa.table({"c": COLUMNS[column], "x": X, "label": Y}))
    assert fit(path) == 0
    assert main(["predict", str(path.with_suffix(".model")), str(path)]) == 0
    assert capfd.readouterr().out.split() == ["p", "n"] * 10


@pytest.mark.parametrize("column", REFUSED, ids=str)
def test_columns_of_other_types_are_refused_and_can_be_dropped(column: str, tmp_path: Path, capfd: Any) -> None:
    array, sentence = REFUSED[column]
    path = write(tmp_path / "table.arrow", pa.table({"c": array, "x": X, "label": Y}))
    assert fit(path) == 3
    assert sentence in capfd.readouterr().err
    assert fit(path, "--drop", "c") == 0


@pytest.mark.parametrize("column", ["list", "struct", "map", "interval"])
def test_labels_of_other_types_are_refused(column: str, tmp_path: Path, capfd: Any) -> None:
    path = write(tmp_path / "table.arrow", pa.table({"x": X, "c": REFUSED[column][0]}))
    assert fit(path, "--label", "c") == 3
    sentence = capfd.readouterr().err
    assert "column 'c' holds" in sentence
    assert "choose another --label" in sentence


def test_labels_of_bytes_are_words(tmp_path: Path, capfd: Any) -> None:
    path = write(tmp_path / "table.parquet", pa.table({"x": X, "label": pa.array([b"p", b"n"] * 10)}))
    assert fit(path) == 0
    assert rosenblatt.load(str(path.with_suffix(".model"))).classes_.tolist() == ["n", "p"]
    assert fit(write(path, pa.table({"x": X, "label": pa.array([b"\xff", b"n"] * 10)}))) == 3
    assert "column 'label': Invalid UTF8" in capfd.readouterr().err


def test_a_model_refuses_a_column_that_became_a_list(tmp_path: Path, capfd: Any) -> None:
    path = write(tmp_path / "table.parquet", pa.table({"c": X, "x": Y, "label": Y}))
    assert fit(path) == 0
    write(path, pa.table({"c": pa.array([[1]] * N), "x": Y, "label": Y}))
    assert main(["predict", str(path.with_suffix(".model")), str(path)]) == 3
    assert "column 'c' holds list<" in capfd.readouterr().err


def test_strings_that_are_not_utf8_are_read_as_in_csv(tmp_path: Path) -> None:
    table = pa.table({"w": NOT_UTF8, "x": X, "label": Y})
    (tmp_path / "table.csv").write_bytes(b"w,x,label\n" + b"caf\xe9,1,p\nth\xe9,2,n\n" * 10)
    csv, typed = (rosenblatt.read(str(path)) for path in (tmp_path / "table.csv", write(tmp_path / "t.parquet", table)))
    assert sorted(csv.space.columns) == sorted(typed.space.columns) == ["w=caf\ufffd", "w=th\ufffd", "x"]
    assert (csv.X.toarray() == typed.X.toarray()).all()


def test_whole_labels_are_exact_up_to_64_bits(tmp_path: Path) -> None:
    labels = [2**53, 2**53 + 1, 2**64 - 1]
    table = pa.table({"x": [1.0, 2.0, 3.0] * 7, "label": pa.array(labels * 7, pa.uint64())})
    path = write(tmp_path / "table.parquet", table)
    assert rosenblatt.fit_file(str(path)).model.classes == tuple(labels)


@pytest.mark.parametrize("offsets", [[0, 2, 4, 2_000_000_000, 2_000_000_004], [0, 2, 4, 6, 1200], [0, 2, 4, 2, 8]])
def test_offsets_outside_the_data_are_refused(offsets: list[int], tmp_path: Path) -> None:
    """They would be followed, out of the bounds of the column, into the memory of the process."""
    table = pa.table({"w": ["ab", "cd", "ef", "gh"], "x": [1.0, 2, 3, 4], "label": ["p", "n", "p", "n"]})
    path = tmp_path / "table.arrow"
    with ipc.new_file(str(path), table.schema) as file:
        file.write_table(table)
    good, bad = (np.array(numbers, dtype=np.int32).tobytes() for numbers in ([0, 2, 4, 6, 8], offsets))
    content = path.read_bytes()
    assert content.count(good) == 1
    path.write_bytes(content.replace(good, bad))
    with pytest.raises(DataError, match="cannot be read as arrow"):
        rosenblatt.read(str(path))


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([X, X, Y], names=["x", "x", "label"])
    with pytest.raises(DataError, match="two columns are named 'x'"):
        rosenblatt.read(str(write(tmp_path / "table.arrow", table)))


@pytest.mark.parametrize("name", ["table.parquet", "table.arrow"])
def test_a_damaged_first_group_of_rows_is_refused(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, pa.table({"x": pa.array(np.arange(5000.0)), "label": ["p", "n"] * 2500}))
    content = bytearray(path.read_bytes())
    content[200:3000] = b"\xff" * 2800
    path.write_bytes(content)
    with pytest.raises(DataError, match="cannot be read as"):
        rosenblatt.read(str(path))


def test_an_arrow_file_that_shrinks_while_it_is_read_is_refused(tmp_path: Path) -> None:
    """A mapped file would end the process by a signal."""
    path = tmp_path / "table.arrow"
    table = pa.table({"x": np.arange(300_000.0), "label": ["p", "n"] * 150_000})
    with ipc.new_file(str(path), table.schema) as file:
        file.write_table(table, max_chunksize=1000)
    blocks = rosenblatt.stream(str(path))
    next(blocks)
    os.truncate(path, 20_000)
    with pytest.raises(DataError, match="cannot be read as arrow"):
        list(blocks)


def test_a_csv_file_that_shrinks_while_it_is_read_is_refused(tmp_path: Path) -> None:
    """The rest of it must not pass for the whole."""
    path = tmp_path / "table.csv"
    path.write_bytes(b"x,label\n" + b"0.5,p\n0.25,n\n" * 100)
    source = open_source(path, ReadOptions(), rosenblatt.read(path).space)
    os.truncate(path, 50)
    with pytest.raises(DataError, match="became shorter while it was read"):
        list(source.blocks())


def test_a_signalling_nan_is_a_missing_number(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    numbers = np.arange(20.0)
    numbers.view(np.uint64)[3] = 0x7FF4_0000_0000_0000  # arithmetic on it raises a flag, for which numpy warns
    path = write(tmp_path / "table.arrow", pa.table({"x": numbers, "label": Y}))
    examples = rosenblatt.read(str(path), scale=True)
    assert examples.space.columns == ("x", "x=missing")
    assert not recwarn.list
