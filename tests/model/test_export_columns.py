"""Exports of a model with all that a table becomes: scale, logarithms, dates, flags, indicators of missing values."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rosenblatt
from rosenblatt.errors import ModelError
from rosenblatt.model.export.export import export_model
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.readers.source import ReadOptions
from tests.readers.table.test_columns import customers, write
from tests.slow_twins.readers.readers import log_scale


@pytest.fixture
def table() -> pd.DataFrame:
    """Dates before 1970 and at the ends of months, times with fractions of seconds, and gaps everywhere."""
    frame = customers(500, seed=3)
    random = np.random.default_rng(1)
    frame["born"] = pd.to_datetime("1890-02-27") + pd.to_timedelta(random.integers(0, 40_000, 500), "D")
    frame["seen"] += pd.to_timedelta(random.integers(0, 60_000, 500), "ms")
    frame["active"] = frame["active"].astype(object)
    for column in ("age", "city", "signup", "seen", "active"):
        frame.loc[random.random(500) < 0.05, column] = None
    frame["label"] = np.where(random.random(500) < 0.3, "maybe", frame["label"])
    return frame[[*(column for column in frame if column != "label"), "label"]]


def learned(table: pd.DataFrame, tmp_path: Path, **reading: Any) -> tuple[LinearModel, Any, np.ndarray]:
    """A model, the rows as it reads them, and the score of each class."""
    path = write(table, tmp_path / "c.csv")
    model = fit_file(path, rule="perceptron", passes=3, reading=ReadOptions(**reading)).model
    X = rosenblatt.read(path, like=model.space).X
    return model, X, np.asarray(X @ model.coef.T + model.intercept)


def test_sqlite_scores_as_the_model_does(table: pd.DataFrame, tmp_path: Path) -> None:
    model, _, scores = learned(table, tmp_path)
    assert model.space.settings["columns"]["logs"]
    assert set(model.space.settings["dates"]) == {"signup", "seen", "born"}
    with sqlite3.connect(":memory:") as database:
        table.drop(columns="label").to_sql("data", database, index=False)
        rows = pd.read_sql_query(export_model(model, "sql", "data").decode(), database)
    for k, label in enumerate(model.classes):
        np.testing.assert_allclose(rows[f"score_{label}"], scores[:, k], rtol=0, atol=1e-7)
    np.testing.assert_array_equal(rows["label"], np.array(model.classes)[scores.argmax(axis=1)])


def test_words_that_a_database_takes_for_truth_values(tmp_path: Path) -> None:
    """DuckDB reads yes and no as a boolean column, if nobody says what they are."""
    random = np.random.default_rng(4)
    member, town = random.choice(["yes", "no"], 600), random.choice(["Bonn", "Ulm", "no"], 600)
    weight = 1.0 * (member == "yes") - 2.0 * (town == "no") + random.normal(0, 0.4, 600)
    path = tmp_path / "towns.csv"
    rows = zip(member, town, np.where(weight > 0, "a", "b"), strict=True)
    path.write_text("member,town,label\n" + "".join(f"{m},{t},{label}\n" for m, t, label in rows))
    model = fit_file(path, rule="arow", passes=1).model
    scores = rosenblatt.read(path, like=model.space).X @ model.coef[0] + model.intercept[0]
    expected = np.where(scores > model.decides_above, model.classes[1], model.classes[0])
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as database:
        database.execute(f"CREATE TABLE data AS SELECT * FROM '{path}'")
        kinds = [row[0] for row in database.execute("SELECT data_type FROM duckdb_columns()").fetchall()]
        rows = database.execute(export_model(model, "sql", "data").decode()).fetchall()
    assert kinds[:2] == ["BOOLEAN", "VARCHAR"]
    assert [row[-1] for row in rows] == expected.tolist()


@pytest.mark.parametrize(
    ("column", "why"), [("31.12.2024", "are written as day.month.year"), ("2024-12-31T10:00:00Z", "have time zones")]
)
def test_sql_refuses_dates_that_a_database_reads_otherwise(tmp_path: Path, column: str, why: str) -> None:
    path = tmp_path / "d.csv"
    path.write_text("day,x,label\n" + "".join(f"{column},{i * i % 7},{i % 2}\n" for i in range(15)))
    model = fit_file(path, rule="perceptron").model
    with pytest.raises(ModelError, match=why):
        export_model(model, "sql", "data")
    export_model(model, "json", "data")


def test_onnx_takes_nan_for_a_missing_number(table: pd.DataFrame, tmp_path: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    model, _, scores = learned(table, tmp_path)
    raw = rosenblatt.read(tmp_path / "c.csv", decide=True, scale=False)
    assert raw.space.columns == model.space.columns
    X = raw.X.toarray()
    for column in model.space.settings["numbers"]:
        if f"{column}=missing" in model.space.columns:
            missing = X[:, model.space.columns.index(f"{column}=missing")] == 1
            X[missing, model.space.columns.index(column)] = np.nan
    session = onnxruntime.InferenceSession(export_model(model, "onnx", "data"))
    label, onnx_scores = session.run(["label", "scores"], {"x": X})
    np.testing.assert_allclose(onnx_scores, scores, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(label, np.array(model.classes)[scores.argmax(axis=1)])


def test_json_says_how_each_number_is_scaled(table: pd.DataFrame, tmp_path: Path) -> None:
    model, _, scores = learned(table, tmp_path)
    raw = rosenblatt.read(tmp_path / "c.csv", decide=True, scale=False)
    features = dict(zip(raw.space.columns, raw.X.toarray()[7].tolist(), strict=True))
    for k, unit in enumerate(json.loads(export_model(model, "json", "data"))["units"]):
        total = unit["intercept"]
        for entry in unit["weights"]:
            value = features[entry["feature"]]
            if features.get(f"{entry['feature']}=missing"):
                continue
            if "log" in entry:
                value = log_scale(value, entry["log"]["centre"], entry["log"]["width"])
            total += entry["weight"] * (value - entry["shift"]) * entry["scale"]
        assert total == pytest.approx(scores[7, k])
