"""Chunks parsed ahead by native threads: the same, in the same order, as when each is parsed on its own."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import native
from rosenblatt.errors import DataError
from rosenblatt.learn.files.plan import Plan
from rosenblatt.learn.files.rule_choice.portfolio import RULES
from rosenblatt.model.fit_file import fit_file, fit_source
from rosenblatt.readers.formats import line_source
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions

HOW = {"base": 1, "guess_base": False, "limit": 1 << 31, "skip": False}
LINES = [f"{row % 3} {row + 1}:{row / 7:.3f} {row + 900}:1\n" for row in range(700)]


@pytest.fixture
def fd(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "rows.svm").write_text("".join(LINES))
    fd = os.open(tmp_path / "rows.svm", os.O_RDONLY)
    yield fd
    os.close(fd)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("block", [1, 100, 4096, 1 << 20])
def test_the_blocks_are_those_of_the_parser_in_order(fd: int, threads: int, block: int) -> None:
    size = os.fstat(fd).st_size
    ahead = native.read_svmlight_ahead(fd, size, block, threads, **HOW)
    for begin in range(0, size, block):
        end = min(begin + block, size)
        block_ahead = ahead.next()
        assert block_ahead is not None
        assert block_ahead[0] == end
        alone = native.parse_svmlight(fd, begin, end, **HOW)
        assert block_ahead[1][-1].largest == alone[-1].largest
        for part, expected in zip(block_ahead[1][:-1], alone[:-1], strict=True):
            assert np.array_equal(part, expected) if isinstance(expected, np.ndarray) else part == expected
    assert ahead.next() is None
    assert ahead.next() is None


@pytest.mark.parametrize("threads", [1, 3])
def test_what_is_dropped_in_the_middle_ends_its_threads(fd: int, threads: int) -> None:
    before = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0
    ahead = native.read_svmlight_ahead(fd, os.fstat(fd).st_size, 64, threads, **HOW)
    assert ahead.next() is not None
    del ahead
    if before:
        assert len(os.listdir("/proc/self/task")) == before


@pytest.mark.parametrize("threads", [1, 3])
def test_a_fault_of_the_system_is_raised(threads: int, tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        with pytest.raises(IsADirectoryError):
            native.read_svmlight_ahead(folder, 1000, 100, threads, **HOW).next()
    finally:
        os.close(folder)


def test_a_chunk_of_nothing_is_refused(fd: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        native.read_svmlight_ahead(fd, 1000, 0, 1, **HOW)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_file_that_became_shorter_is_reported(fd: int, threads: int) -> None:
    ahead = native.read_svmlight_ahead(fd, os.fstat(fd).st_size + 1, 4096, threads, **HOW)
    with pytest.raises(OSError, match="became shorter"):
        list(iter(ahead.next, None))


@pytest.mark.parametrize(
    ("name", "line"), [("rows.svm", "{} 1:2\n"), ("rows.vw", "{} | a b\n"), ("rows.tsv", "{}\tso it is\n")]
)
def test_no_model_is_made_of_a_part_of_a_file(name: str, line: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("".join(line.format(1 + row % 2) for row in range(900)))
    source = open_source(path, ReadOptions())
    os.truncate(path, 5000)
    with pytest.raises(DataError, match=rf"{name}: cannot be read: the file became shorter while it was read\."):
        fit_source(source, Plan({"last": RULES["last"]}))


@pytest.mark.parametrize("early", [0, 3, 1000])
def test_reading_ahead_before_the_first_request_changes_nothing(fd: int, early: int) -> None:
    size = os.fstat(fd).st_size
    usual, early_reader = (native.read_svmlight_ahead(fd, size, 100, 2, early=early, **HOW) for early in (0, early))
    while (expected := usual.next()) is not None:
        block = early_reader.next()
        assert block is not None
        assert [bytes(part) for part in block[1][:4]] == [bytes(part) for part in expected[1][:4]]
    assert early_reader.next() is None


def test_a_source_that_reads_ahead_yields_all_its_blocks_in_every_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_source, "BLOCK_BYTES", 64)
    path = tmp_path / "rows.svm"
    path.write_text("".join(f"{i % 2} {1 + i}:{i}\n" for i in range(100)))
    plain, early_source = (open_source(path, ReadOptions()) for _ in range(2))
    early_source.read_ahead(2)
    for _ in range(2):
        expected = [block.values.values.tolist() for block in plain.blocks()]  # type: ignore[union-attr]
        assert [block.values.values.tolist() for block in early_source.blocks()] == expected  # type: ignore[union-attr]
    early_source.read_ahead(2)  # never consumed
    model = fit_file(path, rule="perceptron").model.run.state()
    opened = open_source(path, ReadOptions())
    opened.read_ahead(2)
    assert repr(fit_file(opened, rule="perceptron").model.run.state()) == repr(model)
