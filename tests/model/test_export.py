"""Exported models predict the same: checked with ONNX Runtime and SQLite, and by summing the JSON here."""

import json
import sqlite3
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from rosenblatt import LogisticUnit, Perceptron, options
from rosenblatt.errors import ModelError
from rosenblatt.model.export.export import EXPORTS, export_model
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.records import FeatureSpace

X, TARGET = load_iris(return_X_y=True)
COLUMNS = ("sepal length", 'sepal "width"', "petal's length", "petal width")
WORDS = np.array(["setosa", "versi'color", "virginica"])[TARGET]
TABLE = FeatureSpace("columns", columns=COLUMNS)
SCALED = replace(TABLE, shift=X.mean(axis=0), scale=1 / X.std(axis=0))


def model(estimator: Any, space: FeatureSpace = TABLE) -> LinearModel:
    return LinearModel(tuple(estimator.classes_.tolist()), space, estimator._run)


CASES = {
    "two words": (Perceptron(max_iter=3), WORDS == "setosa", np.array(["no", "yes"])),
    "two numbers": (Perceptron(max_iter=3, keep="last"), TARGET == 2, np.array([-1, 1])),
    "two floats": (Perceptron(max_iter=3), TARGET == 2, np.array([-1.0, 1.0])),
    "logistic": (LogisticUnit(max_iter=3), TARGET == 1, np.array(["no", "yes"])),
    "one-vs-rest": (Perceptron(max_iter=3), TARGET, np.unique(WORDS)),
    "one-vs-one": (Perceptron(max_iter=3, multi_class="ovo"), TARGET, np.unique(WORDS)),
    "softmax": (LogisticUnit(max_iter=3), TARGET, np.array([1, 2, 3])),
}
each_case = pytest.mark.parametrize("case", CASES)
each_space = pytest.mark.parametrize("space", [TABLE, SCALED], ids=["as it is", "scaled"])


def fitted(case: str, rows: np.ndarray) -> Any:
    estimator, codes, names = CASES[case]
    return estimator.fit(rows, names[codes.astype(int)])


def learner_rows(space: FeatureSpace) -> np.ndarray:
    """The rows as the learner saw them."""
    return X if space.shift is None else (X - space.shift) * space.scale


@each_case
@each_space
def test_onnx_runtime_decides_as_we_do(case: str, space: FeatureSpace) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    estimator = fitted(case, learner_rows(space))
    session = onnxruntime.InferenceSession(export_model(model(estimator, space), "onnx", "data"))
    outputs = dict(zip((out.name for out in session.get_outputs()), session.run(None, {"x": X}), strict=True))
    np.testing.assert_array_equal(outputs["label"], estimator.predict(learner_rows(space)))
    np.testing.assert_allclose(
        outputs["scores"], estimator.decision_function(learner_rows(space)), rtol=1e-9, atol=1e-9
    )
    if isinstance(estimator, LogisticUnit):
        np.testing.assert_allclose(
            outputs["probabilities"], estimator.predict_proba(learner_rows(space)), rtol=1e-6, atol=1e-9
        )
    else:
        assert "probabilities" not in outputs


@each_case
@each_space
def test_a_database_decides_as_we_do(case: str, space: FeatureSpace) -> None:
    estimator = fitted(case, learner_rows(space))
    if case == "one-vs-one":
        with pytest.raises(ModelError, match="one-vs-rest"):
            export_model(model(estimator, space), "sql", "flowers")
        return
    rows = selected(export_model(model(estimator, space), "sql", "flowers"), "flowers", COLUMNS, X.tolist())
    assert [row[-1] for row in rows] == estimator.predict(learner_rows(space)).tolist()
    scores = estimator.decision_function(learner_rows(space)).reshape(len(X), -1)
    np.testing.assert_allclose([row[4:-1] for row in rows], scores, rtol=1e-9, atol=1e-9)


def selected(sql: bytes, table: str, columns: Any, rows: Any) -> list[Any]:
    quoted = ", ".join('"' + column.replace('"', '""') + '"' for column in columns)
    with sqlite3.connect(":memory:") as database:
        database.execute(f'CREATE TABLE "{table}" ({quoted})')
        database.executemany(f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(columns))})', rows)
        result = database.execute(sql.decode()).fetchall()
    database.close()
    return result


def test_sql_knows_word_columns_and_missing_values() -> None:
    encoded = np.array([[1.0, 1, 0, 0], [2, 0, 1, 0], [3, 1, 0, 0], [0, 0, 0, 1]])
    estimator = Perceptron(max_iter=10).fit(encoded, ["a", "b", "a", "b"])
    assert estimator.coef_.all()
    names = ("size", "colour=red", "colour=it's blue", "size=missing")
    space = FeatureSpace("columns", columns=names, settings={"numbers": ["size"], "words": ["colour"]})
    rows = [(1, "red"), (2, "it's blue"), (3, "red"), (None, None)]
    result = selected(export_model(model(estimator, space), "sql", "t"), "t", ["size", "colour"], rows)
    assert [row[-1] for row in result] == estimator.predict(encoded).tolist()


def test_sql_of_many_features_is_not_too_deep_for_a_database() -> None:
    rows = np.random.default_rng(0).normal(size=(50, 1500))
    estimator = Perceptron(max_iter=1).fit(rows, rows[:, 0] > 0)
    numbered = model(estimator, FeatureSpace("index", index_base=1))
    sql = export_model(numbered, "sql", "t")
    result = selected(sql, "t", [f"f{j + 1}" for j in range(1500)], rows.tolist())
    assert [bool(row[-1]) for row in result] == estimator.predict(rows).tolist()
    assert max(_depths(sql.decode())) < 40


def _depths(sql: str) -> list[int]:
    depth, depths = 0, [0]
    for letter in sql:
        depth += (letter == "(") - (letter == ")")
        depths.append(depth)
    return depths


@each_case
def test_json_holds_every_weight_by_name(case: str) -> None:
    estimator = fitted(case, X)
    document = json.loads(export_model(model(estimator), "json", "data"))
    assert list(document) == ["format", "format_version", "classes", "scheme", "loss", "features", "units"]
    assert (document["format"], document["format_version"]) == ("rosenblatt-linear", 1)
    assert document["classes"] == estimator.classes_.tolist()
    for unit, coef, intercept in zip(document["units"], estimator.coef_, estimator.intercept_, strict=True):
        named = {entry["feature"]: entry["weight"] for entry in unit["weights"]}
        assert unit["intercept"] == intercept
        assert [named.get(name, 0.0) for name in COLUMNS] == coef.tolist()
        assert {"for", "against"} <= set(unit)


def test_json_has_the_scaling() -> None:
    estimator = fitted("two words", learner_rows(SCALED))
    weights = json.loads(export_model(model(estimator, SCALED), "json", "data"))["units"][0]["weights"]
    assert SCALED.shift is not None
    assert [entry["shift"] for entry in weights] == SCALED.shift.tolist()


def test_hashed_words_cannot_be_sql() -> None:
    estimator = fitted("two words", X)
    with pytest.raises(ModelError, match="to='json'"):
        export_model(model(estimator, FeatureSpace("hashed", bits=2)), "sql", "data")


def test_a_voted_answer_is_refused_with_what_to_do() -> None:
    estimator = Perceptron(keep="vote", max_iter=2).fit(X, TARGET == 1)
    with pytest.raises(ModelError, match="keep='average'"):
        export_model(model(estimator), "json", "data")


def test_every_export_is_a_choice_of_the_option() -> None:
    assert set(EXPORTS) == set(options.EXPORT_FORMATS)
