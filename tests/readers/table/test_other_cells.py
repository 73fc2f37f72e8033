"""New rows that differ from those a model was learned from: each difference is named, counted or refused, by `predict`,
`evaluate` and LinearSeparator alike, from every format of tables."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from rosenblatt import LinearSeparator
from rosenblatt.cli import main
from rosenblatt.errors import RosenblattError, UnknownValuesWarning

FORMATS = ("csv", "tsv", "parquet", "arrow", "DataFrame")
ROWS = 120
ROW = 3  # that differs


def people() -> pd.DataFrame:
    random = np.random.default_rng(0)
    since = pd.Timestamp("2021-01-04") + pd.to_timedelta(random.integers(0, 600, ROWS), "D")
    table = pd.DataFrame(
        {
            "age": random.integers(18, 80, ROWS),
            "height": random.normal(170, 9, ROWS).round(1),
            "city": random.choice(["Rome", "Oslo", "Ulm"], ROWS),
            "since": since.strftime("%Y-%m-%d"),
        }
    )
    return table.assign(label=np.where(table["age"] + random.normal(0, 9, ROWS) > 48, "yes", "no"))


def with_cell(column: str, value: Any) -> Callable[[pd.DataFrame], pd.DataFrame]:
    def change(table: pd.DataFrame) -> pd.DataFrame:
        cells = table[column].astype(object)
        cells[ROW] = value
        return table.assign(**{column: cells.astype(str) if isinstance(value, str) else cells.astype(float)})

    return change


class Case(NamedTuple):
    change: Callable[[pd.DataFrame], pd.DataFrame]
    code: int
    sentence: str  # "": nothing is said
    changes_decisions: bool = True  # may it decide other than for the rows as they were?


CASES = {
    "a day that is none": Case(
        with_cell("since", "2021-02-30"), 3, "expected a date (year-month-day) in column 'since', found '2021-02-30'"
    ),
    "a word for a date": Case(
        with_cell("since", "soon"), 3, "expected a date (year-month-day) in column 'since', found 'soon'"
    ),
    "a category never seen": Case(
        with_cell("city", "Bonn"), 0, "1 cell of column 'city' holds what the model never saw, such as 'Bonn'"
    ),
    "numbers where words were": Case(
        lambda table: table.assign(city=np.arange(ROWS) % 3),
        0,
        f"{ROWS} cells of column 'city' hold what the model never saw, such as '0'",
    ),
    "a word where a number was": Case(with_cell("age", "old"), 3, "expected a number in column 'age', found 'old'"),
    "a number that is missing": Case(with_cell("age", np.nan), 0, "1 number of column 'age' is missing"),
    "a column that vanished": Case(
        lambda table: table.drop(columns="height"), 4, "was learned from a column 'height', which is missing here; its"
    ),
    "a column with another name": Case(
        lambda table: table.rename(columns={"height": "Height"}),
        4,
        "was learned from a column 'height', which is missing here; rename 'Height', if that is it",
    ),
    "columns in another order": Case(lambda table: table[table.columns[::-1]], 0, "", changes_decisions=False),
    "one more column": Case(lambda table: table.assign(more=1), 0, "", changes_decisions=False),
    "dates with their type": Case(
        lambda table: table.assign(since=pd.to_datetime(table["since"])), 0, "", changes_decisions=False
    ),
}


def write(table: pd.DataFrame, path: Path) -> str:
    if path.suffix in (".csv", ".tsv"):
        table.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    elif path.suffix == ".parquet":
        parquet.write_table(pa.Table.from_pandas(table, preserve_index=False), path)
    else:
        feather.write_feather(table, str(path), compression="uncompressed")
    return str(path)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A model of each format, and the labels that it predicts for its own rows."""
    folder = tmp_path_factory.mktemp("models")
    learned: dict[str, Any] = {}
    for kind in FORMATS[:-1]:
        data = write(people(), folder / f"people.{kind}")
        assert main(["fit", data, "-o", str(folder / kind), "--quiet"]) == 0
        learned[kind] = str(folder / kind)
    learned["DataFrame"] = LinearSeparator().fit(people().drop(columns="label"), people()["label"])
    return learned


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", FORMATS)
def test_each_difference_is_named_counted_or_refused(
    kind: str, case: str, models: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change, code, sentence, changes_decisions = CASES[case]
    usual = models["DataFrame"].predict(people().drop(columns="label")).tolist()
    new = change(people())
    if kind == "DataFrame":
        messages, decided = predicted(models[kind], new.drop(columns="label"), refused=code != 0)
    else:
        data = write(new, tmp_path / f"new.{kind}")
        assert main(["evaluate", models[kind], data, "--quiet"]) == code
        capsys.readouterr()
        assert main(["predict", models[kind], data]) == code
        output = capsys.readouterr()
        messages, decided = output.err, output.out.split()
    assert sentence in messages
    assert bool(messages) == bool(sentence)
    if code == 3:  # and where: rows are counted with the header
        line = {"csv": ":5:", "tsv": ":5:", "DataFrame": "row 3 (from 0)"}.get(kind, ":4:")
        assert line in messages
    if code == 0 and not changes_decisions:
        assert decided == usual


def predicted(separator: LinearSeparator, table: pd.DataFrame, *, refused: bool) -> tuple[str, list[str]]:
    """What is said of the rows, and what is decided."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if refused:
            with pytest.raises(RosenblattError) as error:
                separator.predict(table)
            return str(error.value), []
        decided = separator.predict(table).tolist()
    assert all(issubclass(one.category, UnknownValuesWarning) for one in caught)
    return "\n".join(str(one.message) for one in caught), decided


@pytest.mark.parametrize(
    ("change", "code", "sentence"),
    [
        (lambda rows: np.column_stack([rows, rows]), 4, "has 5 columns, and the model was learned from 2"),
        (
            lambda rows: np.where(np.arange(ROWS)[:, None] == ROW, np.nan, rows),
            3,
            f"row {ROW} (from 0) holds NaN or infinity",
        ),
        (lambda rows: rows.astype(str), 3, "expected numbers"),
    ],
    ids=["more columns", "not a number", "words"],
)
@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_a_matrix_that_differs_is_refused(
    command: str, change: Any, code: int, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = people()
    rows = np.column_stack([table[["age", "height"]].to_numpy(float), table["label"] == "yes"])
    np.save(tmp_path / "people.npy", rows)
    np.save(tmp_path / "new.npy", change(rows))
    assert main(["fit", str(tmp_path / "people.npy"), "-o", str(tmp_path / "m"), "--quiet"]) == 0
    assert main([command, str(tmp_path / "m"), str(tmp_path / "new.npy")]) == code
    assert sentence in capsys.readouterr().err
