"""Numbers as people write them give the bits of the same numbers as a program writes them, in every format."""

import csv
import importlib.util
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rosenblatt import LinearSeparator
from rosenblatt.errors import DataError, ModelError
from rosenblatt.model.export.export import export_model
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model_file import load_linear_model, save_model
from rosenblatt.model.predict import predict_file
from rosenblatt.readers.table.columns.written_numbers import number_forms
from rosenblatt.storage.checked_header import Header

N = 300
RANDOM = np.random.default_rng(2)
CENTS = RANDOM.integers(-900_000, 900_000, N)  # among them some without thousands
CENTS[:40] //= 1000
MISSING = RANDOM.random(N) < 0.1
OTHER = RANDOM.normal(size=N).round(3)
LABELS = np.where(CENTS / 400_000 + OTHER + RANDOM.normal(0, 0.5, N) > 0, "yes", "no")


def grouped(cents: int, thousands: str, decimal: str) -> str:
    return f"{abs(cents) / 100:,.2f}".replace(",", "~").replace(".", decimal).replace("~", thousands)


def signed(cents: int, text: str) -> str:
    return ("-" if cents < 0 else "") + text


STYLES: dict[str, Callable[[int], str]] = {
    "plain": lambda c: f"{c / 100:.2f}",
    "dollars": lambda c: signed(c, "$" + grouped(c, ",", ".")),
    "brackets": lambda c: f"({grouped(c, '', '.')})" if c < 0 else grouped(c, "", "."),
    "brackets and dollars": lambda c: f"(${grouped(c, ',', '.')})" if c < 0 else f"${grouped(c, ',', '.')}",
    "sign inside": lambda c: f"${c / 100:+.2f}",
    "euros": lambda c: signed(c, grouped(c, ".", ",")) + " €",
    "decimal comma": lambda c: f"{c / 100:.2f}".replace(".", ","),
    "spaces": lambda c: signed(c, grouped(c, "\u202f", ",")),
    "apostrophes": lambda c: "CHF " + signed(c, grouped(c, "'", ".")),
    "percent": lambda c: f"{c / 100:.2f}%",
    "percent and space": lambda c: f"{c / 100:.2f} %",
    "unit": lambda c: f"{c / 100:.2f} km",
    "code": lambda c: f"{c / 100:.2f} USD",
    "minus of typographers": lambda c: f"{c / 100:.2f}".replace("-", "\u2212"),
    "exponents": lambda c: f"{c / 100!r}e0 kg",
}
MARKS = ["-", "n/a", "None", "unknown", "?", "", "NA"]


def rows_of(style: str) -> list[list[str]]:
    """Rows with a number, which is missing in some, another column, and the label."""
    write = STYLES[style]
    marks = [MARKS[i % (2 if style == "plain" else len(MARKS))] for i in range(N)]
    amounts = [marks[i] if MISSING[i] else write(int(CENTS[i])) for i in range(N)]
    return [[amounts[i], str(OTHER[i]), str(LABELS[i])] for i in range(N)]


def write_csv(path: Path, style: str, *, separator: str = ",") -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=separator).writerows([["amount", "x", "label"], *rows_of(style)])
    return path


def learned(path: Path) -> LinearModel:
    return fit_file(path, rule="logistic", passes=2).model


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> LinearModel:
    return learned(write_csv(tmp_path_factory.mktemp("plain") / "t.csv", "plain"))


@pytest.mark.parametrize("style", [style for style in STYLES if style != "plain"])
@pytest.mark.parametrize("form", ["csv", "semicolons", "jsonl", "parquet"])
def test_the_same_bits_as_plain_numbers(style: str, form: str, plain: LinearModel, tmp_path: Path) -> None:
    path = tmp_path / f"t.{'csv' if form == 'semicolons' else form}"
    frame = pd.DataFrame(rows_of(style), columns=["amount", "x", "label"])
    frame["x"] = frame["x"].astype(float)
    if form == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif form == "parquet":
        frame.to_parquet(path)
    else:
        write_csv(path, style, separator=";" if form == "semicolons" else ",")
    model = learned(path)
    assert model.space.columns == plain.space.columns == ("amount", "x", "amount=missing")
    assert model.coef.tobytes() == plain.coef.tobytes()
    assert model.intercept.tobytes() == plain.intercept.tobytes()


def test_a_data_frame_is_read_as_its_file_is(tmp_path: Path) -> None:
    frame = pd.DataFrame(rows_of("dollars"), columns=["amount", "x", "label"])
    separator = LinearSeparator(rule="logistic", passes=2).fit(frame[["amount", "x"]], frame["label"])
    model = learned(write_csv(tmp_path / "t.csv", "dollars"))
    assert separator.model_.space.columns[:1] == ("amount",)
    path = tmp_path / "m.model"
    save_model(model, path)
    again = load_linear_model(path)
    scores = [block.scores for block in predict_file(again, tmp_path / "t.csv")]
    np.testing.assert_array_equal(np.concatenate(scores)[:, 0], separator.decision_function(frame[["amount", "x"]]))


@pytest.mark.parametrize(
    "cells",
    [
        ["Q1", "Q2", "Q3"],
        ["A12", "A13", "B7"],
        ["1st", "2nd", "3rd"],
        ["192.168.1.10", "10.0.0.7"],
        ["555-1234", "555-9876"],
        ["1.2.3", "1.10.0"],
        ["10-20", "20-30"],
        ["5+", "10+"],
        ["6mo", "12mo", "18mo"],  # sizes: few different ones
        ["12:30", "9:15"],
        ["$5", "€5"],
        ["(5", "7)"],
        ["none", "unknown"],
        ["1,23,456"],
    ],
)
def test_codes_ranges_and_sizes_stay_words(cells: list[str]) -> None:
    assert number_forms({"column": cells}) == {}


@pytest.mark.parametrize(
    ("cells", "decimal", "thousands"),
    [
        (["1,234", "950"], ".", ","),
        (["1,234", "1250"], ",", ""),  # thousands would have a comma in both
        (["0,125", "0,250"], ",", ""),
        (["1,234,567"], ".", ","),
        (["1.234.567", "12,5"], ",", "."),
        (["12 345", "7"], ".", " "),
    ],
)
def test_what_a_comma_means_follows_from_all_cells(cells: list[str], decimal: str, thousands: str) -> None:
    form = number_forms({"column": cells})["column"]
    assert (form.decimal, form.thousands) == (decimal, thousands)


def test_what_a_point_means_follows_from_the_other_columns() -> None:
    forms = number_forms({"price": ["12,50", "3,99"], "sold": ["1.250", "950"]})
    assert (forms["sold"].decimal, forms["sold"].thousands) == (",", ".")
    assert number_forms({"price": ["12.50", "3.99"], "sold": ["1.250", "950"]})["sold"].thousands == ""


def test_marks_among_dates_are_missing_dates(tmp_path: Path) -> None:
    lines = [f"2024-0{1 + i % 9}-1{i % 7},{i % 5},{i % 2}" if i % 10 else f"unknown,{i % 5},{i % 2}" for i in range(90)]
    path = tmp_path / "d.csv"
    path.write_text("day,x,label\n" + "\n".join(lines) + "\n")
    space = fit_file(path, passes=1).model.space
    assert list(space.settings["dates"]) == ["day"]
    assert "day=missing" in space.columns


@pytest.mark.parametrize("words", [{"words": ("amount",)}, {"as_": ("word:amount",)}])
def test_it_can_be_overruled(words: dict[str, tuple[str, ...]], tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("amount,x,label\n" + "".join(f"${i % 7},{i % 5},{i % 2}\n" for i in range(60)))
    from rosenblatt.readers.source import ReadOptions

    assert fit_file(path, passes=1).model.space.settings["numbers"] == ["amount", "x"]
    assert fit_file(path, passes=1, reading=ReadOptions(**words)).model.space.settings["numbers"] == ["x"]


def test_a_later_cell_that_is_no_number_is_refused_with_its_line(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv", "dollars")
    text = path.read_text().splitlines()
    path.write_text("\n".join([*text[:1], *(text[1:] * 5), "$12 or so,0.5,yes"]) + "\n")
    with pytest.raises(DataError, match=r"t.csv:1502: expected a number in column 'amount', found '\$12 or so'"):
        learned(path)


@pytest.mark.parametrize("style", ["brackets and dollars", "euros", "apostrophes"])
def test_exports_read_them_alike(style: str, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv", style)
    model = learned(path)
    scores = np.concatenate([block.scores for block in predict_file(model, path)])[:, 0]
    rows = rows_of(style)
    script = tmp_path / "model.py"
    script.write_bytes(export_model(model, "python", "data"))
    spec = importlib.util.spec_from_file_location("exported_numbers", script)
    assert spec is not None
    assert spec.loader is not None
    exported = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(exported)
    assert [exported.scores({"amount": row[0], "x": row[1]})[0] for row in rows] == scores.tolist()
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE data (amount TEXT, x REAL)")
        database.executemany("INSERT INTO data VALUES (?, ?)", [(row[0], float(row[1])) for row in rows])
        result = pd.read_sql_query(export_model(model, "sql", "data").decode(), database)
    np.testing.assert_allclose(result["score"], scores, rtol=0, atol=1e-9)
    written = json.loads(export_model(model, "json", "data"))["features"]["written"]["amount"]
    assert written["decimal"] == ("," if style == "euros" else ".")


def test_a_damaged_form_is_refused() -> None:
    from rosenblatt.readers.check_space_settings import check_settings
    from rosenblatt.records import FeatureSpace

    for form in (["."], [";", "", "", "", False, []], [".", "", 5, "", False, []], [".", "", "", "", False, [3]]):
        settings = {"written": {"amount": form}}
        with pytest.raises(ModelError):
            check_settings(Header(settings), FeatureSpace("columns", columns=("amount",), settings=settings))
