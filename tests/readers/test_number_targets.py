"""Numbers in place of labels: the same targets from every format, and a sentence for each that is none."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rosenblatt.errors import DataError
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions, Source

N = 300


def numbers(seed: int = 0) -> tuple[Any, Any]:
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(N, 2)).round(3)
    return X, (X @ [1.0, -2.0] + draw.normal(size=N)).round(4)


def svmlight(folder: Path, X: Any, y: list[str]) -> Path:
    lines = [f"{target} 1:{a} 2:{b}\n" for target, (a, b) in zip(y, X.tolist(), strict=True)]
    return write(folder / "rows.svm", "".join(lines))


def vw(folder: Path, X: Any, y: list[str]) -> Path:
    lines = [f"{target} | a:{a} b:{b}\n" for target, (a, b) in zip(y, X.tolist(), strict=True)]
    return write(folder / "rows.vw", "".join(lines))


def text(folder: Path, X: Any, y: list[str]) -> Path:
    lines = [f"{target}\tsome words {round(a)} {round(b)}\n" for target, (a, b) in zip(y, X.tolist(), strict=True)]
    return write(folder / "rows.txt", "".join(lines))


def csv(folder: Path, X: Any, y: list[str]) -> Path:
    lines = [f"{a},{b},{target}\n" for target, (a, b) in zip(y, X.tolist(), strict=True)]
    return write(folder / "rows.csv", "a,b,price\n" + "".join(lines))


def json_lines(folder: Path, X: Any, y: list[str]) -> Path:
    rows = [{"a": a, "b": b, "price": float(target)} for target, (a, b) in zip(y, X.tolist(), strict=True)]
    return write(folder / "rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows))


def parquet(folder: Path, X: Any, y: list[str]) -> Path:
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "price": np.array(y, dtype=np.float64)})
    pq.write_table(table, folder / "rows.parquet")
    return folder / "rows.parquet"


def npz(folder: Path, X: Any, y: list[str]) -> Path:
    np.savez(folder / "rows.npz", X=X, y=np.array(y, dtype=np.float64))
    return folder / "rows.npz"


def npy(folder: Path, X: Any, y: list[str]) -> Path:
    np.save(folder / "rows.npy", np.column_stack([X, np.array(y, dtype=np.float64)]))
    return folder / "rows.npy"


def write(path: Path, content: str) -> Path:
    path.write_text(content)
    return path


FORMATS = (svmlight, vw, text, csv, json_lines, parquet, npz, npy)
LINES = (svmlight, vw, text)
TABLES = (csv, json_lines, parquet)


def opened(path: Path, **reading: Any) -> Source:
    return open_source(path, ReadOptions(decide=True, **reading))


def targets_of(source: Source) -> tuple[Any, Any]:
    blocks = list(source.blocks(2))
    assert all(block.targets is not None for block in blocks)
    return np.concatenate([block.targets for block in blocks]), np.concatenate([block.labels for block in blocks])  # type: ignore[misc]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("task", [None, "number"])
def test_every_format_gives_the_targets_and_keeps_no_list_of_them(
    format: Callable[..., Path], task: str | None, tmp_path: Path
) -> None:
    X, y = numbers()
    source = opened(format(tmp_path, X, [repr(target) for target in y.tolist()]), task=task)
    targets, labels = targets_of(source)
    assert targets.tolist() == y.tolist()
    assert not labels.any()
    assert source.task == "number"
    assert source.labels == []


@pytest.mark.parametrize("format", FORMATS)
def test_who_says_that_they_are_classes_gets_classes(format: Callable[..., Path], tmp_path: Path) -> None:
    X, y = numbers()
    label = "price" if format in TABLES else None  # a last column that hardly repeats is not taken for classes
    source = opened(format(tmp_path, X, [repr(target) for target in y.tolist()]), task="classes", label=label)
    blocks = list(source.blocks())
    assert blocks[0].targets is None
    assert len(source.labels) == len(set(y.tolist()))


@pytest.mark.parametrize("format", FORMATS)
def test_few_different_numbers_are_classes(format: Callable[..., Path], tmp_path: Path) -> None:
    X, _ = numbers()
    source = opened(format(tmp_path, X, [str(k % 3) for k in range(N)]))
    assert next(iter(source.blocks())).targets is None
    assert source.task == "classes"


@pytest.mark.parametrize("format", FORMATS)
def test_counts_are_numbers_and_codes_are_classes(format: Callable[..., Path], tmp_path: Path) -> None:
    """There are 34 of both, and all repeat; only counts are common in the middle and rare at the ends."""
    draw = np.random.default_rng(3)
    demand = np.concatenate([np.arange(34), draw.binomial(60, 0.25, 1600)])
    codes = np.random.default_rng(4).permutation(34)[demand]
    X = draw.normal(size=(len(demand), 2)).round(3)
    for labels, task in ((demand, "number"), (codes, "classes"), (np.arange(len(demand)) % 34, "classes")):
        path = format(tmp_path, X, [str(label) for label in labels])
        source = opened(path, label="price" if format in TABLES else None)
        next(iter(source.blocks()))
        assert source.task == task


@pytest.mark.parametrize("format", [*LINES, csv])
@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("ten", "expected a number"),
        ("inf", "expected a number"),
        ("1e300", "expected a number between -1e+100 and 1e+100"),
        ("1_0", "expected a number"),
    ],
)
def test_a_bad_target_is_refused_with_its_line(
    format: Callable[..., Path], cell: str, why: str, tmp_path: Path
) -> None:
    X, y = numbers()
    written = [repr(target) for target in y.tolist()]
    written[250] = cell
    path = format(tmp_path, X, written)
    with pytest.raises(DataError, match=re.escape(why)) as error:
        targets_of(opened(path, task="number"))
    assert f"{path}:{251 + (format is csv)}" in str(error.value)
    assert cell in str(error.value)
    skipping = opened(path, task="number", on_bad_row="skip")
    targets, labels = targets_of(skipping)
    assert targets[labels == 0].tolist() == np.delete(y, 250).tolist()
    assert skipping.skipped == 1


def test_missing_targets_of_a_table_are_left_out_and_counted(tmp_path: Path) -> None:
    X, y = numbers()
    written = ["" if k in (3, 200) else repr(target) for k, target in enumerate(y.tolist())]
    source = opened(csv(tmp_path, X, written))
    targets, _ = targets_of(source)
    assert targets.tolist() == np.delete(y, [3, 200]).tolist()
    assert any("2 rows have no label in column 'price'" in sentence for sentence in source.warnings())


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_a_bad_target_of_an_array_is_refused_with_its_row(bad: float, tmp_path: Path) -> None:
    X, y = numbers()
    y[17] = bad
    np.savez(tmp_path / "rows.npz", X=X, y=y)
    with pytest.raises(DataError, match=r"row 17 \(from 0\): expected a number"):
        targets_of(opened(tmp_path / "rows.npz", task="number"))


def test_numbers_as_people_write_them_are_targets(tmp_path: Path) -> None:
    rows = "".join(f'{k},"${k * 1234.5:,.2f}"\n' for k in range(1, N))
    source = opened(write(tmp_path / "sales.csv", "visits,revenue\n" + rows))
    targets, _ = targets_of(source)
    assert targets.tolist() == [k * 1234.5 for k in range(1, N)]


def test_dates_are_no_targets(tmp_path: Path) -> None:
    rows = "".join(f"{k},2024-{k // 28 + 1:02}-{k % 28 + 1:02}\n" for k in range(N))
    with pytest.raises(DataError, match="column 'day', holds dates, which are not numbers: count"):
        opened(write(tmp_path / "days.csv", "visits,day\n" + rows), label="day", task="number")


@pytest.mark.parametrize("format", LINES)
@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y"])
def test_many_dates_as_labels_of_lines_are_refused(format: Callable[..., Path], form: str, tmp_path: Path) -> None:
    X, _ = numbers()
    days = [(date(2024, 1, 1) + timedelta(k % 90)).strftime(form) for k in range(N)]
    path = format(tmp_path, X, days)
    with pytest.raises(DataError, match=r"its labels are dates, .*: count the days .*; .* if each date is a class"):
        next(iter(opened(path).blocks()))
    with pytest.raises(DataError, match=r"found .*; count the days since a date"):
        next(iter(opened(path, task="number").blocks()))
    for few in (days, [days[k % 20] for k in range(N)]):
        source = opened(format(tmp_path, X, few), task="classes" if few is days else None)
        assert next(iter(source.blocks())).targets is None


def test_a_file_to_predict_may_have_anything_in_the_column_of_the_target(tmp_path: Path) -> None:
    X, y = numbers()
    learned = opened(csv(tmp_path, X, [repr(target) for target in y.tolist()]))
    list(learned.blocks())
    space = learned.space
    space = type(space)(**{**vars(space), "settings": {**space.settings, "task": "number"}})
    path = write(tmp_path / "new.csv", "a,b,price\n1,2,unknown\n1,2,7.5\n")
    blocks = list(open_source(path, ReadOptions(), space).blocks())
    assert blocks[0].labels.tolist() == [-1, 0]
    assert blocks[0].targets is not None
    assert blocks[0].targets[1] == 7.5
