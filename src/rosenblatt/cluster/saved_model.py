"""Predicts on the workers with a saved model: for `map_partitions` of Dask, `map_batches` of Ray, as a Spark UDF."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from rosenblatt.lazy import np
from rosenblatt.model.kinds.multi_label import MultiLabelModel
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.model.model import Model
from rosenblatt.model.model_file import load_model
from rosenblatt.model.predict import predict_source
from rosenblatt.readers.formats.registry import feature_kind
from rosenblatt.readers.in_memory.lines import text_source, vw_source
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions, Source

_MODELS = 4  # that a worker keeps open


def predict_rows(rows: Any, model: str | os.PathLike[str], proba: bool = False) -> Any:
    """The predictions for some rows, by a model file that every worker can read: a Series with their index.

    Parameters
    ----------
    rows : DataFrame, or Series of strings
        The columns of the model, in any order; for a model of texts or of VW text, the texts.
    model : path
        The model file. Each worker opens it once, and again after it has changed.
    proba : bool
        Give the probability of the positive class instead; of several classes, that of the predicted one.

    Examples
    --------
    With Dask: ``frame.map_partitions(predict_rows, "people.model", meta=("label", "str"))``.
    """
    import pandas as pd

    path = os.path.abspath(model)
    answers = _answers(_model(path, os.stat(path).st_mtime_ns), rows, proba) if len(rows) else []
    return pd.Series(answers, index=rows.index, name="probability" if proba else "label")


def spark_udf(model: str | os.PathLike[str], columns: Sequence[str] = (), *, proba: bool = False) -> Any:
    """The predictions of a model file that every worker can read, as a Spark UDF.

    ``frame.withColumn("label", spark_udf("people.model", frame.columns)(*frame.columns))``. For a model of texts,
    without `columns`: ``spark_udf("mail.model")("text")``.
    """
    import pandas as pd
    from pyspark.sql.functions import pandas_udf

    path, names = os.path.abspath(model), list(columns)
    known = load_model(path)
    is_number = proba or isinstance(known, NumberModel) or all(isinstance(c, int | float) for c in known.classes)

    def predicted(*cells: Any) -> Any:
        rows = pd.concat(cells, axis=1, keys=names) if names else cells[0]
        answers = predict_rows(rows, path, proba)
        return answers.astype(float) if is_number else answers.map(_as_text)

    predicted.__annotations__ = {"cells": pd.Series, "return": pd.Series}  # Spark needs types, not their names
    return pandas_udf(predicted, "double" if is_number else "string")


def _as_text(answer: Any) -> str:
    return "|".join(map(str, answer)) if isinstance(answer, tuple) else str(answer)


@lru_cache(_MODELS)
def _model(path: str, written: int) -> Model:
    return load_model(path)


def _answers(model: Model, rows: Any, proba: bool) -> list[Any]:
    answers: list[Any] = []
    for block in predict_source(model, _source(model, rows)):
        if proba:
            probabilities = np.asarray(model.probabilities(block.scores))
            answers += (probabilities[:, 1] if len(model.classes) == 2 else probabilities.max(axis=1)).tolist()
        elif isinstance(model, NumberModel):
            answers += np.asarray(block.decided).tolist()
        elif isinstance(model, MultiLabelModel):
            pairs = [zip(model.classes, row, strict=True) for row in np.asarray(block.decided).tolist()]
            answers += [tuple(label for label, applies in row if applies) for row in pairs]
        else:
            answers += [model.classes[k] for k in block.decided.tolist()]
    return answers


def _source(model: Model, rows: Any) -> Source:
    kind = feature_kind(model.space)
    if kind in ("text", "vw") and not hasattr(rows, "columns"):
        lines = ["" if line is None else str(line) for line in rows]
        return (text_source if kind == "text" else vw_source)(lines, ReadOptions(), model.space)
    return open_source(rows, ReadOptions(), model.space)
