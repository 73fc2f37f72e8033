"""Every export of a model of a number predicts as the model does, in the unit of the target; and explain adds up."""

import csv
import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import onnxruntime
import pytest

from rosenblatt.cli.app import main
from rosenblatt.model.export.export import export_model
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.model.model_file import load_model, save_model
from rosenblatt.model.predict import predict_file
from rosenblatt.readers.source import ReadOptions
from tests import child
from tests.model.test_exports_agree import ROWS, Case, Learned, inputs_of, rows_of, write_table

QUANTILES: dict[str, tuple[float, ...]] = {"a number": (), "quantiles": (0.1, 0.5, 0.9), "two quantiles": (0.3, 0.9)}
_MODELS: dict[str, Learned] = {}


def write_prices(path: Path, n_rows: int, *, new: bool) -> None:
    """The table of test_exports_agree.py with a price, in thousands, where that has classes."""
    random = np.random.default_rng(n_rows)
    write_table(path, Case(dates=True), n_rows, random, new=new)
    rows = rows_of(path)
    for row in rows:
        age = float(row["age"]) if row["age"] not in ("", "NA") else 40.0
        price = 250_000 + 3000 * age + 9000 * np.log(float(row["score"])) + 20_000 * (row["plan"] == "pro")
        row["price"] = f"{price + random.normal(0, 5000) * (1 + age / 40):.2f}"
        del row["kind"]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture(params=list(QUANTILES))
def learned(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Learned:
    """A model, and what it predicts for new rows; learned once."""
    name = request.param
    if name not in _MODELS:
        folder = tmp_path_factory.mktemp("prices")
        write_prices(folder / "train.csv", 600, new=False)
        write_prices(folder / "new.csv", ROWS, new=True)
        quantiles = QUANTILES[name] or None
        reading = ReadOptions(label="price", decide=True, task="number")
        model = fit_file(folder / "train.csv", reading=reading, quantiles=quantiles).model
        save_model(model, folder / "price.model")
        model = load_model(folder / "price.model")
        assert isinstance(model, NumberModel)
        blocks = list(predict_file(model, folder / "new.csv", ReadOptions()))
        units = np.concatenate([block.scores for block in blocks])
        predictions = np.concatenate([np.asarray(block.buffers[0]) for block in blocks])
        _MODELS[name] = Learned(model, folder / "new.csv", predictions.tolist(), model.answers(units), None)
    return _MODELS[name]


def number_of(learned: Learned) -> NumberModel:
    assert isinstance(learned.model, NumberModel)
    return learned.model


def check_selected(learned: Learned, rows: list[tuple[Any, ...]], names: list[str]) -> None:
    predictions = [row[names.index("prediction")] for row in rows]
    np.testing.assert_allclose(predictions, learned.labels, rtol=1e-12)
    for k, level in enumerate(number_of(learned).levels):
        answers = [row[names.index(f"q{level:g}")] for row in rows]
        np.testing.assert_allclose(answers, learned.scores[:, k], rtol=1e-12)


def test_predictions_are_in_the_unit_of_the_target(learned: Learned) -> None:
    prices = np.array([float(row["price"]) for row in rows_of(learned.path)])
    assert np.median(np.abs(prices - learned.labels)) < 0.4 * prices.std()
    model = number_of(learned)
    assert model.median_unit == {0: 0, 3: 1, 2: 0}[len(model.levels)]


def test_sqlite(learned: Learned) -> None:
    rows = rows_of(learned.path)
    declared = ", ".join(f'"{column}" TEXT' for column in rows[0])
    with sqlite3.connect(":memory:") as database:
        database.execute(f"CREATE TABLE data ({declared})")
        cells = [list(row.values()) for row in rows]
        database.executemany(f"INSERT INTO data VALUES ({', '.join('?' * len(rows[0]))})", cells)
        cursor = database.execute(export_model(learned.model, "sql", "data").decode())
        check_selected(learned, cursor.fetchall(), [column[0] for column in cursor.description])


def test_duckdb(learned: Learned) -> None:
    with duckdb.connect() as database:
        options = "nullstr=['', 'NA', '?'], sample_size=-1"
        database.execute(f"CREATE TABLE data AS SELECT * FROM read_csv('{learned.path}', header=true, {options})")
        cursor = database.execute(export_model(learned.model, "sql", "data").decode())
        check_selected(learned, cursor.fetchall(), [column[0] for column in cursor.description])


def test_onnx(learned: Learned) -> None:
    session = onnxruntime.InferenceSession(export_model(learned.model, "onnx", "data"))
    names = [output.name for output in session.get_outputs()]
    outputs = dict(zip(names, session.run(names, {"x": inputs_of(learned)}), strict=True))
    assert set(names) == {"prediction", "quantiles"} if number_of(learned).levels else {"prediction"}
    np.testing.assert_allclose(outputs["prediction"], learned.labels, rtol=1e-12)
    if "quantiles" in outputs:
        np.testing.assert_allclose(outputs["quantiles"], learned.scores, rtol=1e-12)


def test_python_gives_the_same_bits(learned: Learned, tmp_path: Path) -> None:
    program = tmp_path / "price.py"
    program.write_bytes(export_model(learned.model, "python", "data"))
    with learned.path.open("rb") as rows:
        process = child.run([sys.executable, "-I", "-S", program], stdin=rows, capture_output=True, check=True)
    assert [float(line) for line in process.stdout.decode().splitlines()] == learned.labels
    module: dict[str, Any] = {"__name__": "exported"}
    exec(compile(program.read_text(encoding="utf-8"), str(program), "exec"), module)
    assert [module["scores"](row) for row in rows_of(learned.path)] == learned.scores.tolist()


def test_json_says_all_that_is_needed(learned: Learned) -> None:
    document = json.loads(export_model(learned.model, "json", "data"))
    model = number_of(learned)
    assert (document["scheme"], document["target"]) == ("number", "price")
    assert document.get("quantiles", []) == list(model.levels)
    assert [unit.get("quantile") for unit in document["units"]] == (list(model.levels) or [None])
    if model.interval is not None:
        assert document["interval"] == {"confidence": 0.9, "half_width": model.interval.half_width}
    X, names = inputs_of(learned), [model.input_name(j) for j in model.input_columns]
    missing = set(document["features"]["indicators"])
    for row, expected in zip(X[:100].tolist(), learned.scores[:100].tolist(), strict=True):
        values = dict(zip(names, row, strict=True))
        values |= {f"{column}=missing": float(np.isnan(values[column])) for column in missing}
        totals = [
            unit["intercept"] + sum(_adds(entry, values) for entry in unit["weights"]) for unit in document["units"]
        ]
        np.testing.assert_allclose(sorted(totals), expected, rtol=1e-10)


def _adds(entry: dict[str, Any], values: dict[str, float]) -> float:
    value = values[entry["feature"]]
    if np.isnan(value):
        return 0.0
    if "log" in entry:
        distance = (value - entry["log"]["centre"]) / entry["log"]["width"]
        e = int(np.floor(np.log2(1 + abs(distance))))
        value = float(np.sign(distance) * (e + (1 + abs(distance)) / 2**e - 1))
    return float(entry["weight"] * (value - entry["shift"]) * entry["scale"])


# -- explain -------------------------------------------------------------------------------------------------------


def explained(capsys: pytest.CaptureFixture[str], learned: Learned, *words: str) -> str:
    assert main(["explain", str(learned.path.parent / "price.model"), *words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("row", [1, 17, 500])
def test_what_the_features_add_makes_the_prediction(
    capsys: pytest.CaptureFixture[str], learned: Learned, row: int
) -> None:
    record = json.loads(explained(capsys, learned, str(learned.path), "--row", str(row), "--json"))
    assert record["prediction"] == pytest.approx(learned.labels[row - 1], rel=1e-12)
    total = record["bias"] + sum(part["contribution"] for part in record["contributions"])
    assert total == pytest.approx(record["prediction"], rel=1e-12)
    if number_of(learned).levels:
        assert list(record["quantiles"].values()) == pytest.approx(learned.scores[row - 1].tolist())
    text = explained(capsys, learned, str(learned.path), "--row", str(row))
    assert f"{record['prediction']:,.0f}" in text
    assert "decided" not in text


def test_what_moves_the_number(capsys: pytest.CaptureFixture[str], learned: Learned) -> None:
    text = explained(capsys, learned, "--top", "3")
    assert "raises price" in text
    assert "lowers price" in text
    assert "mistake" not in text
    record = json.loads(explained(capsys, learned, "--json"))
    assert record["top"][0]["moves"] == "raises price"
    assert {entry["feature"] for entry in record["top"][0]["weights"]} >= {"age", "score"}
