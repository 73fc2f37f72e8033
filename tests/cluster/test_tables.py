"""Tables: bit for bit the model that one machine learns, whoever reads the rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.cluster import fit
from rosenblatt.cluster.engines.processes import Processes
from rosenblatt.errors import DataError
from rosenblatt.learn.files.passes import Fitting
from rosenblatt.model.fit_file import fit_file
from rosenblatt.readers.source import ReadOptions
from rosenblatt.readers.table.files import csv, json_lines, parquet_arrow
from tests.cluster.examples import model_bytes
from tests.cluster.harm import Harmed, kill_once_table
from tests.cluster.tables import SPAN, TABLES, as_csv, without
from tests.cluster.test_same_bits import Here


@pytest.fixture(scope="module")
def two() -> Iterator[Processes]:
    with Processes(2) as engine:
        yield engine


@pytest.fixture(autouse=True)
def _small_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv, "SPAN_BYTES", SPAN)
    monkeypatch.setattr(json_lines, "_BLOCK", SPAN)
    monkeypatch.setattr(parquet_arrow, "_LARGE_GROUP", 1 << 12)


@pytest.mark.parametrize("case", TABLES)
def test_workers_give_the_bits_of_one_machine(case: str, two: Processes, tmp_path: Path) -> None:
    write, reading, learning = TABLES[case]
    data, options = write(tmp_path), ReadOptions(**reading)
    alone = fit_file(data, reading=options, **learning)
    engine = Harmed(two)
    together = fit(data, engine, reading=options, **learning)
    assert engine.answers > 2
    assert model_bytes(together.model, tmp_path) == model_bytes(alone.model, tmp_path)
    assert together.skipped == alone.skipped
    assert sorted(row.sentence for row in together.bad_rows) == sorted(row.sentence for row in alone.bad_rows)
    assert together.warnings == alone.warnings
    assert together.holdout_error == alone.holdout_error


def test_a_killed_worker_changes_no_bit(tmp_path: Path) -> None:
    data, marker = TABLES["csv"][0](tmp_path), tmp_path / "killed"
    with Processes(2) as engine:
        together = fit(data, Harmed(engine, kill_once_table, marker), rule="arow")
        (note,) = engine.notes()
    assert marker.exists()
    assert note.startswith("1 worker process died")
    assert model_bytes(together.model, tmp_path) == model_bytes(fit_file(data, rule="arow").model, tmp_path)


@pytest.mark.parametrize("fault", ["many,2,town,2024-01-01,true,yes", "1,2"])
def test_a_bad_row_names_its_file_and_line(fault: str, two: Processes, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    lines = as_csv(without("note")).splitlines()
    lines.insert(2500, fault)
    path.write_text("\n".join(lines))
    with pytest.raises(DataError) as alone:
        fit_file(path, rule="arow")
    with pytest.raises(DataError) as together:
        fit(path, Harmed(two), rule="arow")
    assert str(together.value) == str(alone.value)
    assert f"{path}:2501:" in str(alone.value)


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_lines_end_as_they_do_on_other_systems(ending: str, two: Processes, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xef\xbb\xbf" + as_csv(without("note")).replace("\n", ending).encode())
    together, alone = fit(path, Harmed(two), rule="arow"), fit_file(path, rule="arow")
    assert model_bytes(together.model, tmp_path) == model_bytes(alone.model, tmp_path)


def test_a_quote_that_is_never_closed_is_refused_alike(two: Processes, tmp_path: Path) -> None:
    path = tmp_path / "open.csv"
    lines = as_csv(without("note")).splitlines()
    lines[2000] = lines[2000].replace("town", '"town', 1) if '"' not in lines[2000] else '1,2,"open,2024-01-01,true,no'
    path.write_text("\n".join(lines) + "\n")
    errors: list[Any] = []
    for learn in (fit_file, lambda data: fit(data, Harmed(two))):
        try:
            errors.append(model_bytes(learn(path).model, tmp_path))  # type: ignore[operator]
        except DataError as error:
            errors.append(str(error))
    assert errors[0] == errors[1]


def test_when_the_learner_dies_resume_goes_on(two: Processes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same call with resume, on an engine, to the bits of one machine that was never interrupted."""
    data, checkpoint = TABLES["csv with text, quoted lines"][0](tmp_path), str(tmp_path / "c.checkpoint")
    learning: dict[str, Any] = {"rule": "logistic", "passes": 3, "holdout": 0.1}
    whole = fit_file(data, **learning)
    end_pass, ended = Fitting._end_pass, []

    def interrupt(self: Fitting) -> Any:
        ended.append(1)
        if len(ended) == 2:
            raise KeyboardInterrupt
        return end_pass(self)

    with monkeypatch.context() as patched:
        patched.setattr(Fitting, "_end_pass", interrupt)
        with pytest.raises(KeyboardInterrupt):
            fit(data, Harmed(two), checkpoint=checkpoint, **learning)
    resumed = fit(data, Harmed(two), checkpoint=checkpoint, resume=True, **learning)
    assert resumed.resumed
    assert model_bytes(resumed.model, tmp_path) == model_bytes(whole.model, tmp_path)


def test_a_file_that_was_written_anew_is_read_anew(two: Processes, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for columns in (without("note"), {**without("note"), "size": list(reversed(without("note")["size"]))}):
        path.write_text(as_csv(columns))
        together, alone = fit(path, Harmed(two), rule="arow"), fit_file(path, rule="arow")
        assert model_bytes(together.model, tmp_path) == model_bytes(alone.model, tmp_path)


def test_a_table_that_shrinks_meanwhile_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(as_csv(without("note")))

    class Cut(Here):
        def in_order(self, read: Any, pieces: Iterator[bytes]) -> Iterator[bytes]:
            for piece in pieces:
                path.write_text("a,label\n1,x\n")
                yield read(piece)

    with pytest.raises(DataError, match="is it another file, or still being written"):
        fit(path, Cut(), rule="arow")
