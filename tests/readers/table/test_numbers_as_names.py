"""Numbers that are names are learned as words: measured, the same from every format, said, and overruled."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from rosenblatt import LinearPredictor, LinearSeparator
from rosenblatt.cli import main
from rosenblatt.model.export.export import export_model
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.model_file import load_linear_model, save_model
from rosenblatt.readers.read import read
from rosenblatt.readers.source import ReadOptions
from rosenblatt.readers.table.columns.numbers_as_names import Groups, is_name
from rosenblatt.readers.table.parse_cells import whole_number
from tests.slow_twins.readers import names as slow

Random = np.random.Generator


def effects(random: Random, numbers: np.ndarray, size: float) -> np.ndarray:
    """What each number has to say, which nothing about its size tells."""
    different, codes = np.unique(numbers, return_inverse=True)
    return random.normal(0, size, len(different))[codes]


def zips(random: Random, n: int) -> tuple[np.ndarray, np.ndarray]:
    zip_codes = np.sort(random.choice(99_999, 60, replace=False))[random.integers(0, 60, n)]
    return zip_codes, effects(random, zip_codes, 1.2)


def shops(random: Random, n: int) -> tuple[np.ndarray, np.ndarray]:
    shop = random.integers(1, 26, n)
    return shop, effects(random, shop, 1.0)


def shifts(random: Random, n: int) -> tuple[np.ndarray, np.ndarray]:
    shift = random.integers(1, 4, n)
    return shift, np.array([0.0, 1.5, -0.5])[shift - 1]


NAMES = {"zips": zips, "shops": shops, "shifts": shifts}
AMOUNTS: dict[str, Callable[[Random, int], tuple[np.ndarray, np.ndarray]]] = {
    "ratings": lambda random, n: (x := random.integers(1, 6, n), 0.6 * x),
    "ages": lambda random, n: (x := random.normal(45, 15, n).clip(18, 90).round(), 0.05 * x),
    "ages that matter in the middle": lambda random, n: (
        x := random.normal(45, 15, n).clip(18, 90).round(),
        -0.005 * (x - 45) ** 2,
    ),
    "ages with a limit": lambda random, n: (x := random.integers(18, 90, n), 4.0 * (x > 50)),
    "counts": lambda random, n: (x := random.poisson(4, n), 0.5 * x),
    "amounts of money": lambda random, n: (x := random.lognormal(5, 1, n).round(-1), np.log(x + 1)),
    "numbers that say nothing": lambda random, n: (x := random.integers(0, 60, n), 0.0 * x),
    "hours": lambda random, n: (x := random.integers(0, 24, n), 2 * np.cos(x / 24 * 6.283)),
}


def drawn(random: Random, score: np.ndarray) -> np.ndarray:
    return random.random(len(score)) < 1 / (1 + np.exp(-(score - score.mean())))


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("seed", range(5))
def test_names_are_found(kind: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    numbers, score = NAMES[kind](random, 4000)
    assert is_name(numbers.astype(float), Groups.of_classes(drawn(random, score).astype(int)))


@pytest.mark.parametrize("kind", AMOUNTS)
@pytest.mark.parametrize("rows", [200, 1000, 6000])
def test_amounts_stay_amounts(kind: str, rows: int) -> None:
    random = np.random.default_rng(rows)
    for _ in range(5):
        numbers, score = AMOUNTS[kind](random, rows)
        assert not is_name(numbers.astype(float), Groups.of_classes(drawn(random, score).astype(int)))
        three = np.digitize(score + random.gumbel(size=rows), np.quantile(score, [0.3, 0.7]))
        assert not is_name(numbers.astype(float), Groups.of_classes(three))
        assert not is_name(numbers.astype(float), Groups.of_numbers(score + random.normal(0, 1, rows)))


@pytest.mark.parametrize("seed", range(12))
def test_counted_is_as_row_by_row(seed: int) -> None:
    """Two dozen columns, about half of which are names, some hardly."""
    random = np.random.default_rng(seed)
    for _ in range(2):
        n, different = int(random.integers(120, 300)), int(random.integers(3, 24))
        numbers = random.choice(200, different, replace=False)[random.integers(0, different, n)]
        yes = drawn(random, effects(random, numbers, random.uniform(0, 4)) + random.uniform(0, 0.03) * numbers)
        if len(set(yes.tolist())) == 2 and n >= 4 * different:
            expected = slow.is_name(numbers.tolist(), yes.tolist())
            assert is_name(numbers.astype(float), Groups.of_classes(yes.astype(int))) == expected


def test_the_twin_sees_both() -> None:
    """The comparison above would say nothing if all its columns were alike."""
    random = np.random.default_rng(0)
    numbers = random.integers(0, 12, 240)
    assert slow.is_name(numbers.tolist(), (numbers % 2 == 0).tolist())
    assert not slow.is_name(numbers.tolist(), (random.random(240) < 0.5).tolist())


def test_missing_numbers_and_rows_without_a_label_do_not_count() -> None:
    random = np.random.default_rng(1)
    shop, score = shops(random, 3000)
    codes = drawn(random, score).astype(int)
    gaps = np.where(random.random(3000) < 0.2, np.nan, shop)
    unlabelled = np.where(random.random(3000) < 0.2, -1, codes)
    assert is_name(gaps, Groups.of_classes(unlabelled))
    known = ~np.isnan(gaps) & (unlabelled >= 0)
    assert is_name(shop[known].astype(float), Groups.of_classes(codes[known]))
    assert not is_name(np.full(3000, np.nan), Groups.of_classes(codes))
    assert not is_name(shop.astype(float), Groups.of_classes(np.full(3000, -1)))
    assert not is_name(shop.astype(float), Groups.of_classes(np.zeros(3000, dtype=int)))


def test_a_whole_number_is_written_in_one_way() -> None:
    assert [whole_number(word) for word in ("0042", " 7.", "-0", "1_0", "1e400", "9007199254740993")] == [
        "42", "7", "0", "1_0", "1e400", "9007199254740993",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    random = np.random.default_rng(9)
    shop, score = shops(random, 1500)
    visits = random.poisson(4, 1500)
    gaps = pd.array(shop, dtype="Int64")
    gaps[random.random(1500) < 0.1] = pd.NA
    labels = np.where(drawn(random, 0.4 * visits + 1.5 * score), "yes", "no")
    return pd.DataFrame({"shop": gaps, "visits": visits, "label": labels})


def written(table: pd.DataFrame, path: Path) -> str:
    """The table in the format of the name of the file; shops with zeros in front, as floats, or as they are."""
    if path.suffix in (".csv", ".tsv"):
        as_written = table.assign(shop=[None if pd.isna(shop) else f"{shop:04}" for shop in table["shop"]])
        as_written.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    elif path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows_of(table)))
    elif path.suffix == ".parquet":
        parquet.write_table(pa.Table.from_pandas(table.astype({"shop": "Float64"}), preserve_index=False), path)
    else:
        arrow = pa.Table.from_pandas(table, preserve_index=False)
        with ipc.new_file(str(path), arrow.schema) as file:
            file.write_table(arrow, max_chunksize=333)
    return str(path)


def rows_of(table: pd.DataFrame) -> list[dict[str, object]]:
    columns = [[None if pd.isna(cell) else cell for cell in table[name].tolist()] for name in table]
    return [dict(zip(table.columns, row, strict=True)) for row in zip(*columns, strict=True)]


def test_every_format_gives_the_same_bits(table: pd.DataFrame, tmp_path: Path) -> None:
    files = [written(table, tmp_path / f"sales.{suffix}") for suffix in ("csv", "tsv", "jsonl", "parquet", "arrow")]
    fits = [fit_file(path) for path in files]
    estimator = LinearSeparator().fit(table.drop(columns="label"), table["label"])
    models = [*(fitted.model for fitted in fits), estimator.model_]
    for model in models:
        assert model.space.settings["columns"]["names"] == ["shop"]
        assert model.space.columns == models[0].space.columns
        assert np.array_equal(model.coef, models[0].coef)
        assert np.array_equal(model.intercept, models[0].intercept)
    assert "shop=7" in models[0].space.columns
    assert "shop=missing" not in models[0].space.columns


def test_a_model_reads_the_numbers_of_every_format(table: pd.DataFrame, tmp_path: Path) -> None:
    model = tmp_path / "m.model"
    save_model(fit_file(written(table, tmp_path / "sales.csv")).model, model)
    files = [written(table, tmp_path / f"new.{suffix}") for suffix in ("csv", "jsonl", "parquet", "arrow")]
    spaces = [read(path, like=load_linear_model(model)) for path in files]
    for examples in spaces:
        assert (examples.X != spaces[0].X).nnz == 0


def test_the_error_is_lower_than_that_of_the_amount(table: pd.DataFrame, tmp_path: Path) -> None:
    path = written(table, tmp_path / "sales.csv")
    by_itself, by_size = fit_file(path), fit_file(path, reading=ReadOptions(as_=("number:shop",)))
    assert by_itself.fold_error is not None
    assert by_size.fold_error is not None
    assert by_itself.fold_error < by_size.fold_error - 0.03
    assert "names" not in by_size.model.space.settings["columns"]


def test_it_is_said_and_overruled(table: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, model = written(table, tmp_path / "sales.csv"), str(tmp_path / "m")
    assert main(["fit", path, "-o", model]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "1 column of words (25 values); shop is learned as names, each number by itself" in words
    assert "(--as number:shop to use its size)" in words
    assert main(["fit", path, "-o", model, "--as", "number:shop"]) == 0
    assert "2 numbers, scaled" in " ".join(capsys.readouterr().out.split())
    assert main(["fit", path, "-o", model, "--json", "--no-scale"]) == 0  # numbers as they are
    assert json.loads(capsys.readouterr().out)["columns"]["names"] == []


def test_a_number_to_predict_follows_names(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    shop, effect = shops(random, 2000)
    visits = random.poisson(4, 2000)
    table = pd.DataFrame({"shop": shop, "visits": visits, "sold": (5 * effect + visits + random.normal(0, 2, 2000))})
    table.to_csv(tmp_path / "sold.csv", index=False)
    fitted = fit_file(tmp_path / "sold.csv", reading=ReadOptions(label="sold", task="number"))
    assert fitted.model.space.settings["columns"]["names"] == ["shop"]
    predictor = LinearPredictor().fit(table[["shop", "visits"]], table["sold"])
    assert np.array_equal(predictor.model_.coef, fitted.model.coef)


def test_exports_know_the_numbers(table: pd.DataFrame, tmp_path: Path) -> None:
    """SQL, whatever type the column has, and Python, however the number is written."""
    import duckdb

    fitted = fit_file(written(table, tmp_path / "sales.csv"))
    module: dict[str, object] = {"__name__": "exported"}
    exec(export_model(fitted.model, "python", "data").decode(), module)
    predict: Callable[[dict[str, object]], str] = module["predict"]  # type: ignore[assignment]
    expected = [predict({"shop": shop, "visits": 4}) for shop in range(1, 26)]
    assert len(set(expected)) == 2
    assert expected == [predict({"shop": f"{shop:03}.0", "visits": "4"}) for shop in range(1, 26)]
    for kind in ("INTEGER", "DOUBLE", "VARCHAR"):
        with duckdb.connect() as database:
            database.execute(
                f"CREATE TABLE sold AS SELECT CAST(i AS {kind}) AS shop, 4 AS visits FROM range(1, 26) r(i)"
            )
            rows = database.execute(export_model(fitted.model, "sql", "sold").decode()).fetchall()
            assert [row[-1] for row in rows] == expected
    assert json.loads(export_model(fitted.model, "json", "data"))["features"]["names"] == ["shop"]
