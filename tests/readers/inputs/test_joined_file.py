"""Several files, folders and patterns are read as one file with all their rows: the same blocks, so the same bits."""

import gzip
import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

import rosenblatt
from rosenblatt.cli import main
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.readers.inputs import joined_file
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions

ROWS = 3000


def lines(form: str) -> list[str]:
    random_ = random.Random(3)
    rows = []
    for i in range(ROWS):
        x, y, word = random_.gauss(0, 1), random_.gauss(3, 50), random_.choice(["red", "green", "blue"])
        label = "yes" if x + (word == "red") > 0.3 else "no"
        match form:
            case "svmlight":
                rows.append(f"{label} 1:{x:.4f} {2 + i % 7}:1 {10 + random_.randrange(40)}:{y:.2f}")
            case "vw":
                rows.append(f"{int(label == 'yes')} |a {word} x:{x:.4f} |b n{i % 50}")
            case "text":
                rows.append(f"{label}\tthe {word} thing number {i % 90} is {'good' if x > 0 else 'bad'}")
            case "csv":
                rows.append(f"{x:.4f},{word},{y:.2f},{label}")
    return rows


HEADERS = {"csv": "x,word,y,label", "text": "label\ttext"}
SUFFIXES = {"svmlight": ".svm", "vw": ".vw", "text": "", "csv": ".csv"}


def cut(rows: Sequence[Any], random_: random.Random, n_parts: int) -> list[Sequence[Any]]:
    ends = sorted(random_.sample(range(1, len(rows)), n_parts - 1))
    return [rows[start:end] for start, end in zip([0, *ends], [*ends, len(rows)], strict=True)]


def same_blocks(one: Any, several: Any, **reading: Any) -> None:
    options = ReadOptions(**reading)
    left, right = open_source(one, options), open_source(several, options)
    for before, after in zip(left.blocks(2), right.blocks(2), strict=True):
        assert before.first_row == after.first_row
        assert np.asarray(before.buffers[0]).tolist() == np.asarray(after.buffers[0]).tolist()
        if isinstance(before.values, np.ndarray):
            assert before.values.tobytes() == after.values.tobytes()
        else:
            for part in ("indptr", "indices", "values"):
                assert (
                    np.asarray(getattr(before.values, part)).tobytes()
                    == np.asarray(getattr(after.values, part)).tobytes()
                )
    assert left.labels == right.labels
    assert left.space.columns == right.space.columns
    assert dict(left.space.names) == dict(right.space.names)


@pytest.mark.parametrize("form", ["svmlight", "vw", "text", "csv"])
@pytest.mark.parametrize("written", ["plain", "gz", "crlf", "no last newline", "one header", "mixed", "many"])
def test_lines_in_parts_are_one_file(form: str, written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Small blocks, so that many of them cross the boundaries of parts.
    monkeypatch.setattr("rosenblatt.readers.formats.line_source.BLOCK_BYTES", 1 << 12)
    if written == "many":
        monkeypatch.setattr(joined_file, "_OPEN_FILES", 3)
    rows, suffix = lines(form), SUFFIXES[form]
    header = [HEADERS[form]] if form in HEADERS and written != "one header" else []
    end = "\r\n" if written == "crlf" else "\n"
    one = tmp_path / f"one{suffix}"
    first = [HEADERS[form]] if form in HEADERS else []
    one.write_text(end.join([*first, *rows]) + end, newline="")
    folder = tmp_path / "parts"
    folder.mkdir()
    for i, part in enumerate(cut(rows, random.Random(form + written), 7)):
        text = end.join([*(header or (first if i == 0 else [])), *part]) + end * (written != "no last newline")
        data = text.encode()
        packed = written == "gz" or (written == "mixed" and i % 2)
        name = f"part-{i}{suffix}{'.gz' if packed else ''}"
        (folder / name).write_bytes(gzip.compress(data) if packed else data)
    (folder / "_SUCCESS").touch()
    (folder / f"part-3a{suffix}").touch()
    same_blocks(one, folder, decide=True)
    same_blocks(one, str(folder / "part-*"), decide=True)


@pytest.mark.parametrize("form", ["parquet", "arrow", "npy", "npz", "sparse"])
def test_typed_parts_are_one_file(form: str, tmp_path: Path) -> None:
    table = pa.table({"x": np.arange(900.0) % 17, "n": np.arange(900), "w": ["a", "b", "c"] * 300})
    table = table.append_column("label", pa.array(["yes" if i % 5 > 2 else "no" for i in range(900)]))
    matrix, labels = np.arange(2700.0).reshape(900, 3) % 11, np.arange(900) % 2

    def write(path: Path, start: int, end: int) -> None:
        from scipy import sparse

        match form:
            case "parquet":
                parquet.write_table(table.slice(start, end - start), path, row_group_size=70)
            case "arrow":
                with ipc.new_file(str(path), table.schema) as file:
                    file.write_table(table.slice(start, end - start), max_chunksize=50)
            case "npy":
                np.save(path, np.column_stack([matrix, labels])[start:end])
            case "npz":
                np.savez(path, X=matrix[start:end], y=labels[start:end])
            case "sparse":
                rows = sparse.csr_array(matrix[start:end])
                np.savez(path, data=rows.data, indices=rows.indices, indptr=rows.indptr, shape=rows.shape, format="csr",
                         y=labels[start:end])  # fmt: skip

    ending = "npz" if form == "sparse" else form
    write(tmp_path / f"one.{ending}", 0, 900)
    (tmp_path / "parts").mkdir()
    for i, (start, end) in enumerate([(0, 10), (10, 10 + 300), (310, 311), (311, 900)]):
        write(tmp_path / "parts" / f"{i}.{ending}", start, end)
    same_blocks(tmp_path / f"one.{ending}", tmp_path / "parts", decide=True)


def test_folders_name_columns(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"x": range(400), "label": ["a", "b"] * 200, "year": [2023, 2024] * 200, "city": ["New York", "Bonn"] * 200}
    )
    frame["year"] = frame["year"].sample(frac=1, random_state=1).to_numpy()
    parquet.write_to_dataset(pa.table(frame), tmp_path / "sales", partition_cols=["year", "city"])
    one_table = pa.concat_tables(
        parquet.read_table(path, partitioning=None)
        .append_column("year", pa.array([year] * (n := parquet.read_metadata(path).num_rows)))
        .append_column("city", pa.array([city] * n))
        for year in (2023, 2024)
        for city in ("Bonn", "New York")
        for path in sorted((tmp_path / "sales" / f"year={year}" / f"city={city.replace(' ', '%20')}").glob("*"))
    )
    parquet.write_table(one_table, tmp_path / "one.parquet")
    same_blocks(tmp_path / "one.parquet", tmp_path / "sales", decide=True, label="label")
    assert open_source(tmp_path / "sales", ReadOptions()).space.settings["label"] == "label"
    pattern = str(tmp_path / "sales" / "year=2024" / "*" / "*.parquet")
    assert "year" not in rosenblatt.read(pattern).space.settings["numbers"]
    assert rosenblatt.read(pattern).space.settings["words"] == ["city"]


def test_the_same_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = lines("csv")
    Path("all.csv").write_text("\n".join([HEADERS["csv"], *rows]) + "\n")
    for i, part in enumerate(cut(rows, random.Random(5), 4)):
        Path(f"p{i}.csv").write_text("\n".join([HEADERS["csv"], *part]) + "\n")
    assert main(["fit", "all.csv", "-o", "one.model"]) == 0
    assert main(["fit", "p0.csv", "p1.csv", "p2.csv", "p3.csv", "-q"]) == 0
    assert Path("p.model").exists()
    one, several = rosenblatt.load("one.model"), rosenblatt.load("p.model")
    assert one.coef_.tobytes() == several.coef_.tobytes()
    assert main(["predict", "one.model", "all.csv", "-o", "one.txt"]) == 0
    assert main(["predict", "p.model", "p?.csv", "-o", "several.txt"]) == 0
    assert Path("one.txt").read_bytes() == Path("several.txt").read_bytes()


def test_a_cache_of_several_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = lines("svmlight")
    for i, part in enumerate(cut(rows, random.Random(5), 3)):
        (tmp_path / f"p{i}.svm").write_text("\n".join(part) + "\n")
    pattern = str(tmp_path / "p*.svm")
    first = rosenblatt.fit_file(pattern, keep_cache=True)
    reused = rosenblatt.fit_file(pattern, keep_cache=True)
    assert (first.cache.state, reused.cache.state) == ("made", "reused")
    assert first.model.coef.tobytes() == reused.model.coef.tobytes()
    with (tmp_path / "p1.svm").open("a") as file:
        file.write(rows[0] + "\n")
    assert rosenblatt.fit_file(pattern, keep_cache=True).cache.state == "rebuilt"


def write_parts(folder: Path, form: str, change: Callable[[int, list[str]], list[str]]) -> None:
    for i, part in enumerate(cut(lines(form), random.Random(1), 3)):
        header = [HEADERS[form]] if form in HEADERS else []
        (folder / f"p{i}{SUFFIXES[form]}").write_text("\n".join(change(i, [*header, *part])) + "\n")


@pytest.mark.parametrize("form", ["svmlight", "vw", "text", "csv"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_bad_row_names_its_file(form: str, packed: bool, tmp_path: Path) -> None:
    bad = {"svmlight": "yes 1:x", "vw": "1 2 3 4 |a", "text": "no tab", "csv": "1,2"}[form]

    def change(i: int, rows: list[str]) -> list[str]:
        return rows if i == 0 else [*rows[:20], bad, *rows[20:], *[bad] * (i * 15)]

    write_parts(tmp_path, form, change)
    if packed:
        for path in list(tmp_path.iterdir()):
            path.with_suffix(path.suffix + ".gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
    with pytest.raises(DataError, match=r"/p1[^/]*:21:") as refused:
        rosenblatt.read(tmp_path)
    assert os.path.basename(refused.value.file or "").startswith("p1")
    source = open_source(tmp_path, ReadOptions(on_bad_row="skip"))
    list(source.blocks(2))
    counts = {os.path.basename(file)[:2]: count for file, count in source.skipped_by_file.items()}
    assert counts == {"p1": 16, "p2": 31}
    assert source.skipped == 47


def test_a_bad_number_names_its_file_and_line(tmp_path: Path) -> None:
    write_parts(tmp_path, "csv", lambda i, rows: [*rows[:9], "x,red,1,yes", *rows[9:]] if i == 2 else rows)
    with pytest.raises(DataError, match=r"/p2\.csv:10: expected a number in column 'x', found 'x'"):
        rosenblatt.read(tmp_path)


REFUSED = {
    "no match": ({}, "*.csv", "no file matches this pattern"),
    "an empty folder": ({}, ".", "is a directory without files"),
    "other names": ({"a.csv": "x,y,label\n1,2,a\n", "b.csv": "x,z,label\n1,2,b\n"}, ".", "'x', 'z', 'label'"),
    "other names alone": ({"a.csv": "x,label\n1,a\n", "b.csv": "p,q\n1,2\n"}, ".", "'p', 'q'"),
    "fewer columns": ({"a.csv": "x,y,label\n1,2,a\n", "b.csv": "1,2\n"}, ".", "has 2 columns, and the file"),
    "formats": ({"a.csv": "x,label\n1,a\n2,b\n", "b.svm": "1 1:2\n2 1:3\n"}, ".", "b.svm: is svmlight, and"),
    "a header below none": ({"a.csv": "1,a\n2,b\n", "b.csv": "x,label\n3,a\n"}, ".", "'x', 'label'"),
    "empty files": ({"a.csv": "", "b.csv": ""}, ".", "all files are empty"),
    "keys": ({"k=1/a.csv": "x,label\n1,a\n", "b.csv": "x,label\n1,b\n"}, ".", "folders name"),
    "a key that is a column": ({"x=1/a.csv": "x,label\n1,a\n", "x=2/b.csv": "x,label\n1,b\n"}, ".", "so has the name"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files, inputs, words = REFUSED[case]
    monkeypatch.chdir(tmp_path)
    for name, text in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    with pytest.raises(DataError) as refused:
        rosenblatt.read(inputs)
    assert words in str(refused.value)
    assert main(["fit", inputs, "-o", "m.model"]) == 3
    assert capsys.readouterr().err.count("\n") == 1


def test_types_that_differ(tmp_path: Path) -> None:
    def write(name: str, **columns: Any) -> None:
        parquet.write_table(pa.table(columns), tmp_path / name)

    write("a.parquet", n=[1, 2], w=pa.array(["p", "q"]).dictionary_encode(), label=["a", "b"])
    write("b.parquet", w=["q", "r"], n=[0.5, None], label=["b", "a"])
    examples = rosenblatt.read(tmp_path)
    assert examples.space.columns == ("n", "w=p", "w=q", "w=r", "n=missing")
    assert examples.X.toarray().tolist() == [[1, 1, 0, 0, 0], [2, 0, 1, 0, 0], [0.5, 0, 1, 0, 0], [0, 0, 0, 1, 1]]
    write("c.parquet", n=["x"], w=["q"], label=["b"])
    with pytest.raises(DataError, match=r"c\.parquet: column 'n' holds string, and in .*a\.parquet it holds double"):
        rosenblatt.read(tmp_path)


def test_columns_in_another_order(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y,label\n1,2,a\n")
    (tmp_path / "b.csv").write_text("label,y,x\nb,4,3\n")
    examples = rosenblatt.read(tmp_path)
    assert (examples.X.tolist(), examples.y.tolist()) == ([[1, 2], [3, 4]], ["a", "b"])


def test_standard_input_is_alone() -> None:
    with pytest.raises(ParameterError, match="standard input"):
        rosenblatt.read(["-", "a.csv"])


def test_repeated_headers_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = lines("csv")
    once, thrice = tmp_path / "once.csv", tmp_path / "thrice.csv"
    once.write_text("\n".join([HEADERS["csv"], *rows]))
    parts = [[HEADERS["csv"], *part] for part in cut(rows, random.Random(2), 3)]
    thrice.write_text("\n".join(line for part in parts for line in part))
    same_blocks(once, thrice, decide=True)
    assert main(["fit", str(thrice), "-o", str(tmp_path / "m.model")]) == 0
    assert "2 lines repeat the names of the columns and were left out." in capsys.readouterr().err
    parts[2][-1] = "x,red,1,yes"
    thrice.write_text("\n".join(line for part in parts for line in part))
    line = sum(map(len, parts))
    with pytest.raises(DataError, match=rf"thrice\.csv:{line}: expected a number"):
        rosenblatt.read(thrice)


def test_a_file_that_grows(tmp_path: Path) -> None:
    path = tmp_path / "growing.csv"
    path.write_text("\n".join([HEADERS["csv"], *lines("csv")]) + "\n")
    source = open_source(path, ReadOptions())
    with path.open("a") as file:
        file.write("1,red,2,yes\n" * 50_000)
    assert sum(block.rows for block in source.blocks()) == ROWS
    assert source.warnings() == [f"{path}: grew by 600,000 bytes while it was read, which are left out."]


def test_linear_separator_reads_several_files(tmp_path: Path) -> None:
    write_parts(tmp_path, "csv", lambda i, rows: rows)
    paths = sorted(tmp_path.iterdir())
    of_folder = rosenblatt.LinearSeparator(passes=1).fit(tmp_path)
    of_list = rosenblatt.LinearSeparator(passes=1).fit(paths)
    assert of_folder.model_.coef.tobytes() == of_list.model_.coef.tobytes()
    assert len(of_list.predict(paths[1:])) < len(of_list.predict(str(tmp_path / "*"))) == ROWS


OBJECTS = '{"a":1,"b":2,"label":"x"}\n{"a":2,"b":3,"label":"y"}\n'
TABLE = "a,b,label\nu,2,x\nv,1,y\nu,1,x\nv,2,y\n"


def test_lines_of_json_are_no_rows_of_a_table(tmp_path: Path) -> None:
    """They may have as many commas; in a file of their own, within one, and in a pipe that is answered line by line."""
    (tmp_path / "1.csv").write_text(TABLE)
    (tmp_path / "2.jsonl").write_text(OBJECTS)
    with pytest.raises(DataError, match=r"2.jsonl: is jsonl, and .*1.csv is csv; give files of one format"):
        rosenblatt.fit_file([str(tmp_path / "1.csv"), str(tmp_path / "2.jsonl")])
    with pytest.raises(DataError, match=r"1.csv: is csv, and .*2.jsonl is jsonl"):
        rosenblatt.fit_file([str(tmp_path / "2.jsonl"), str(tmp_path / "1.csv")])
    (tmp_path / "mixed.csv").write_text(TABLE * 2 + OBJECTS + TABLE)
    with pytest.raises(DataError, match=r"mixed.csv:11: is an object of JSON, not a row of a table"):
        rosenblatt.fit_file(tmp_path / "mixed.csv")
    fitted = rosenblatt.fit_file(tmp_path / "mixed.csv", reading=ReadOptions(on_bad_row="skip"))
    assert (fitted.rows, fitted.skipped) == (12, 2)
    assert [
        f"mixed.csv:{line}: is an object" in row.sentence for line, row in zip((11, 12), fitted.bad_rows, strict=True)
    ]
    assert fitted.model.classes == ("x", "y")
