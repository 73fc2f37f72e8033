"""Bit for bit: the model that workers of an engine read for is the model of one machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import native
from rosenblatt.cluster import fit
from rosenblatt.cluster.engines.processes import Processes
from rosenblatt.cluster.line_pieces import piece_of, read_piece
from rosenblatt.cluster.messages import unpack
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.learn.files.passes import Fitting
from rosenblatt.model.fit_file import fit_file
from rosenblatt.readers.cache.pages import DamagedPageError, parsed_page
from rosenblatt.readers.formats import line_source, vw
from rosenblatt.readers.formats.line_source import innermost_lines, line_spans
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions
from tests.cluster.examples import BLOCK, CASES, model_bytes
from tests.cluster.harm import Harmed


@pytest.fixture(scope="module")
def two() -> Iterator[Processes]:
    with Processes(2) as engine:
        yield engine


class Here:
    """An engine without workers: the slow twin of all others, and of one machine."""

    name, window = "here", 1

    def in_order(self, read: Any, pieces: Iterator[bytes]) -> Iterator[bytes]:
        yield from map(read, pieces)

    def notes(self) -> list[str]:
        return []

    def __enter__(self) -> Here:
        return self

    def __exit__(self, *error: object) -> None: ...


@pytest.mark.parametrize("case", CASES)
def test_workers_give_the_bits_of_one_machine(
    case: str, two: Processes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_source, "BLOCK_BYTES", BLOCK)
    monkeypatch.setattr(vw, "_CROSSED_BLOCK_BYTES", BLOCK)
    write, reading, learning = CASES[case]
    data, options = write(tmp_path), ReadOptions(**reading)
    alone = fit_file(data, reading=options, **learning)
    engine = Harmed(two)
    together = fit(data, engine, reading=options, **learning)
    assert engine.answers > 2
    assert model_bytes(together.model, tmp_path) == model_bytes(alone.model, tmp_path)
    left_out = ("seconds", "model", "honest_scores", "small", "choice")
    mine, one = together._asdict(), alone._asdict()
    assert {k: v for k, v in mine.items() if k not in left_out} == {k: v for k, v in one.items() if k not in left_out}


def test_a_piece_is_a_pure_function_of_its_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read twice, in any order: what makes a task that is retried, or run twice, harmless."""
    monkeypatch.setattr(line_source, "BLOCK_BYTES", BLOCK)
    data = CASES["text"][0](tmp_path)
    source = innermost_lines(open_source(data, ReadOptions(ngrams=2)))
    assert source is not None
    pieces = [piece_of(source, [span, span]) for span in line_spans(source.file)]
    answers = [read_piece(piece) for piece in pieces]
    assert len(pieces) > 3
    assert [read_piece(piece) for piece in reversed(pieces)][::-1] == answers


@pytest.mark.parametrize("form", ["text", "vw"])
def test_the_dictionary_of_names_becomes_coarse_alike(form: str, tmp_path: Path) -> None:
    """After a million names only every sixteenth row is looked at, and a worker is told so."""
    random = np.random.default_rng(4)
    words = random.integers(0, 10**6, (11_000, 120)).tolist()
    between = {"text": "\t", "vw": " |t "}[form]
    path = tmp_path / "names"
    path.write_text("".join(f"{k % 2}{between}{' '.join(f'w{w}' for w in row)}\n" for k, row in enumerate(words)))
    reading = ReadOptions(bits=18, classes=(0, 1))
    options = {"rule": "last", "passes": 1, "reading": reading, "order": "given"}
    alone, together = fit_file(path, **options), fit(path, Here(), **options)
    assert alone.model.space.settings["collisions"]["exact"] is False
    assert dict(together.model.space.names) == dict(alone.model.space.names)
    assert model_bytes(together.model, tmp_path) == model_bytes(alone.model, tmp_path)


def test_a_damaged_answer_is_no_answer(tmp_path: Path) -> None:
    source = innermost_lines(open_source(CASES["text"][0](tmp_path), ReadOptions()))
    assert source is not None
    (piece,) = [piece_of(source, [span]) for span in line_spans(source.file)]
    answer, (page, names) = unpack(read_piece(piece))
    (header,) = answer["spans"]
    flipped = bytearray(page)
    flipped[len(flipped) // 2] ^= 1
    with pytest.raises(DamagedPageError):
        parsed_page(flipped)
    assert len(native.NameCandidates.unpack(names, header["bits"])) > 0
    for damaged in (names[:-1], names[:40], b"", bytes(names) + b"x"):
        with pytest.raises(ValueError, match="a list of names is damaged"):
            native.NameCandidates.unpack(damaged, header["bits"])
    with pytest.raises(ValueError, match="a list of names is damaged"):
        native.NameCandidates.unpack(names, 4)  # its columns lie beyond those of so few bits


def test_a_checkpoint_of_one_machine_resumes_on_an_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The learner dies: the same call with resume goes on, on an engine or without one, to the same bits."""
    monkeypatch.setattr(line_source, "BLOCK_BYTES", BLOCK)
    write, _, _ = CASES["svmlight"]
    data, checkpoint = write(tmp_path), str(tmp_path / "c.checkpoint")
    learning: dict[str, Any] = {"rule": "perceptron", "passes": 4, "order": "given"}
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
            fit(data, Here(), checkpoint=checkpoint, **learning)
    assert os.path.exists(checkpoint)
    resumed = fit(data, Here(), checkpoint=checkpoint, resume=True, **learning)
    assert resumed.resumed
    assert model_bytes(resumed.model, tmp_path) == model_bytes(whole.model, tmp_path)


def test_a_bad_row_names_its_file_and_line(two: Processes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_source, "BLOCK_BYTES", BLOCK)
    parts = CASES["svmlight, three files"][0](tmp_path)
    with open(parts[2], "a", encoding="utf-8") as file:
        file.write("1 3:0.5 4:many\n")
    with pytest.raises(DataError) as alone:
        fit_file(parts, rule="perceptron")
    with pytest.raises(DataError) as together:
        fit(parts, Harmed(two), rule="perceptron")
    assert str(together.value) == str(alone.value)
    assert f"{parts[2]}:301:" in str(alone.value)


def test_a_worker_that_sees_another_file_is_refused(tmp_path: Path) -> None:
    data = CASES["svmlight"][0](tmp_path)

    class ChangedMeanwhile(Here):
        def in_order(self, read: Any, pieces: Iterator[bytes]) -> Iterator[bytes]:
            for piece in pieces:
                with open(data, "a", encoding="utf-8") as file:
                    file.write("0 1:1\n")
                yield read(piece)

    with pytest.raises(DataError, match="is it another file, or still being written") as refused:
        fit(data, ChangedMeanwhile(), rule="perceptron")
    assert "on the worker" in str(refused.value)


def test_a_file_that_workers_do_not_see_is_refused(tmp_path: Path) -> None:
    data = CASES["svmlight"][0](tmp_path)

    class Elsewhere(Here):
        def in_order(self, read: Any, pieces: Iterator[bytes]) -> Iterator[bytes]:
            for piece in pieces:
                os.rename(data, data + ".moved")
                yield read(piece)

    with pytest.raises(DataError, match=r"no such file; check the path \(on the worker .*must see the same files\)"):
        fit(data, Elsewhere(), rule="perceptron")


def test_workers_notice_that_a_file_was_written_anew(two: Processes, tmp_path: Path) -> None:
    """They keep it open from one fit to the next; a folder has no time of its own."""
    folder = tmp_path / "data"
    folder.mkdir()
    data = folder / "a.svm"
    for text in ("0 1:1\n1 2:1\n" * 50, "1 1:1\n0 2:1\n" * 50):  # of the same size
        data.unlink(missing_ok=True)
        data.write_text(text)
        together = fit(folder, Harmed(two), rule="perceptron")
        assert model_bytes(together.model, tmp_path) == model_bytes(fit_file(folder, rule="perceptron").model, tmp_path)


@pytest.mark.parametrize(
    ("engine", "sentence"),
    [
        ("dusk", "names no engine: use processes"),
        ("processes:many", "must name a number of workers"),
        (7, "Got int instead"),
    ],
)
def test_what_is_no_engine_is_refused(engine: Any, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=sentence):
        fit(CASES["svmlight"][0](tmp_path), engine)


def test_what_an_engine_does_not_do_is_refused(tmp_path: Path) -> None:
    data, table = CASES["svmlight"][0](tmp_path), tmp_path / "t.npz"
    np.savez(table, X=np.eye(3), y=np.arange(3))
    with pytest.raises(ParameterError, match="keep_cache stores what is read"):
        fit(data, Here(), keep_cache=True)
    with pytest.raises(ParameterError, match="is read as npz, which cannot be divided between workers"):
        fit(str(table), Here())
