"""`predict` and `evaluate` with examples that the workers of an engine read; the results are those of one machine."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from rosenblatt.available_cores import core_count
from rosenblatt.cluster.engine import Engine
from rosenblatt.cluster.engines.choose_engine import engine_for, open_engine
from rosenblatt.cluster.open_data import open_data
from rosenblatt.evaluate.label_scores import LabelScores
from rosenblatt.evaluate.number_scores import NumberScores
from rosenblatt.evaluate.scores import Scores
from rosenblatt.model.model import Model
from rosenblatt.model.predict import PredictedBlock, predict_source
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.source import ReadOptions
from rosenblatt.report.summary import evaluate_on


def predict(
    model: Model,
    data: Paths | Any,
    engine: Engine | str | object = None,
    *,
    reading: ReadOptions | None = None,
    threads: int | None = None,
) -> Iterator[PredictedBlock]:
    """The predictions for the examples of files or of a data frame, block by block, in their order.

    Workers read; this process computes the scores, at memory speed. To predict on the workers and leave the answers
    there, use `predict_rows` and `spark_udf`.
    """
    with open_engine(engine_for(data, engine)) as running:
        source = open_data(data, reading or ReadOptions(), running, model.space)
        yield from predict_source(model, source, threads or core_count())


def evaluate(
    model: Model,
    data: Paths | Any,
    engine: Engine | str | object = None,
    *,
    reading: ReadOptions | None = None,
    threads: int | None = None,
) -> Scores | LabelScores | NumberScores:
    """How good a model is on examples with known labels, in files or in a data frame.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt.cluster import fit
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "and.svm"
    ...     _ = file.write_text("0 1:0 2:0\\n0 2:1\\n0 1:1\\n1 1:1 2:1\\n")
    ...     model = fit(file, "processes:1", rule="perceptron", passes=20).model
    ...     evaluate(model, file, "processes:1").accuracy.value
    1.0
    """
    with open_engine(engine_for(data, engine)) as running:
        opened = partial(_opened, engine=running)
        return evaluate_on(data, model, reading or ReadOptions(), threads, open_=opened).scores


def _opened(data: Any, reading: ReadOptions, space: Any, *, engine: Engine) -> Any:
    return open_data(data, reading, engine, space)
