"""Spark: a local session, with two Python workers."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from rosenblatt.cluster import fit, predict_rows, spark_udf
from rosenblatt.cluster.engines.spark import Spark
from rosenblatt.errors import DataError
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.model_file import save_model
from rosenblatt.readers.formats import line_source
from rosenblatt.readers.source import ReadOptions
from tests.cluster.examples import BLOCK, CASES, model_bytes
from tests.cluster.harm import Harmed, kill_always, kill_once
from tests.cluster.tables import TABLES, rows

pytest.importorskip("pyspark", reason="the engine spark is not installed")
pytestmark = [
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs a Java runtime, and there is none"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # py4j leaves its socket to the collector
]


ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])  # for tests.cluster.harm
    builder = SparkSession.builder.master("local[2,4]").appName("tests").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    session = builder.config("spark.driver.memory", "512m").config("spark.log.level", "OFF").getOrCreate()
    yield session
    session.stop()


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_source, "BLOCK_BYTES", BLOCK)


@pytest.mark.parametrize("case", ["svmlight, three files", "text, packed", "vw"])
def test_two_workers_give_the_bits_of_one_machine(case: str, session: Any, tmp_path: Path) -> None:
    write, reading, learning = CASES[case]
    data, options = write(tmp_path), ReadOptions(**reading)
    engine = Harmed(Spark(session=session))
    together = fit(data, engine, reading=options, **learning)
    assert engine.answers > 2
    alone = fit_file(data, reading=options, **learning)
    assert model_bytes(together.model, tmp_path) == model_bytes(alone.model, tmp_path)


def test_a_killed_worker_changes_no_bit(session: Any, tmp_path: Path) -> None:
    data, marker = CASES["text"][0](tmp_path), tmp_path / "killed"
    engine = Spark(session=session)
    unharmed = Harmed(engine)
    fit(data, unharmed, rule="arow")
    assert engine.notes() == []
    together = fit(data, Harmed(engine, kill_once, marker, after=max(unharmed.readings)), rule="arow")
    assert marker.exists()
    (note,) = engine.notes()
    assert note.endswith("of Spark lost the worker, and ran again, to the same bits.")
    assert model_bytes(together.model, tmp_path) == model_bytes(fit_file(data, rule="arow").model, tmp_path)


def test_a_piece_that_kills_every_worker_is_given_up(session: Any) -> None:
    with pytest.raises(DataError, match=r"Spark: .*Job aborted"):
        list(Spark(session=session).in_order(kill_always, iter([b"piece"])))


def test_a_session_is_an_engine(session: Any, tmp_path: Path) -> None:
    data = CASES["svmlight"][0](tmp_path)
    alone = model_bytes(fit_file(data, rule="arow").model, tmp_path)
    assert model_bytes(fit(data, session, rule="arow").model, tmp_path) == alone
    assert session.range(2).count() == 2  # who has made it ends it


def test_a_data_frame_gives_the_bits_of_one_machine(session: Any, tmp_path: Path) -> None:
    frame = session.createDataFrame(pa.table(rows())).repartition(5).persist()
    table = frame.toArrow()
    together, alone = fit(frame, rule="arow", passes=2), fit_file(table, rule="arow", passes=2)
    assert model_bytes(together.model, tmp_path) == model_bytes(alone.model, tmp_path)


def test_a_table_in_files_gives_the_bits_of_one_machine(session: Any, tmp_path: Path) -> None:
    write, _, learning = TABLES["csv"]
    data = write(tmp_path)
    together = fit(data, Harmed(Spark(session=session)), **learning)
    assert model_bytes(together.model, tmp_path) == model_bytes(fit_file(data, **learning).model, tmp_path)


def test_a_saved_model_is_a_udf(session: Any, tmp_path: Path) -> None:
    table, path = pa.table(rows()), tmp_path / "m.model"
    save_model(fit_file(table, rule="arow").model, path)
    frame = session.createDataFrame(table)
    udf = spark_udf(path, frame.columns)
    answers = [row[0] for row in frame.select(udf(*frame.columns)).collect()]
    assert answers == predict_rows(table.to_pandas(), path).tolist()
