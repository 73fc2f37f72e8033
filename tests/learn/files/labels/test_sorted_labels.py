"""A file sorted by label is detected; a shuffled one is not called sorted."""

import weakref
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.learn.files import shuffle as shuffling
from rosenblatt.learn.files.labels.labels_to_classes import LabelOrder
from rosenblatt.learn.files.passes import Fitting
from rosenblatt.model.fit_file import fit_file
from rosenblatt.readers.cache import spill as cache
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import Block


def order_of(labels: np.ndarray, classes: int, pieces: int = 1) -> LabelOrder:
    turns = LabelOrder()
    for part in np.array_split(labels, pieces):
        turns.add(part)
    return turns


@pytest.mark.parametrize("classes", [2, 3, 20])
@pytest.mark.parametrize("share", [None, 0.01])
def test_sorted_is_grouped_and_shuffled_is_not(classes: int, share: float | None) -> None:
    random = np.random.default_rng(classes)
    p = None if share is None else [1 - share, *[share / (classes - 1)] * (classes - 1)]
    labels = random.choice(classes, 20_000, p=p).astype(np.int32)
    assert not order_of(labels, classes).is_sorted
    assert order_of(np.sort(labels), classes).is_sorted


def test_pieces_and_rows_without_a_label_do_not_matter() -> None:
    labels = np.random.default_rng(0).integers(0, 3, 1000).astype(np.int32)
    gaps = np.insert(labels, np.arange(0, 1000, 10), -1)
    assert (
        order_of(labels, 3).changes
        == order_of(labels, 3, 17).changes
        == order_of(gaps, 3, 5).changes
        == int((np.diff(labels) != 0).sum())
    )


def test_of_few_rows_nothing_is_said() -> None:
    assert not order_of(np.repeat([0, 1], 20).astype(np.int32), 2).is_sorted
    assert order_of(np.repeat([0, 1], 30).astype(np.int32), 2).is_sorted


def test_a_file_that_is_found_sorted_is_learned_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "sorted.svm"
    data.write_text("".join(f"{label} {1 + label}:1 {4 + i % 7}:1\n" for label in (0, 1) for i in range(100)))
    started: list[Fitting] = []
    monkeypatch.setattr(Fitting, "run", lambda self, save, run=Fitting.run: (started.append(self), run(self, save))[1])
    assert fit_file(data, passes=1).order == "shuffle"
    assert len(started) == 1
    assert (
        fit_file(data, passes=1, reading=ReadOptions(classes=(0, 1))).order == "shuffle"
    )  # not examined: learned twice
    assert len(started) == 3


def numbered(rows: int, pieces: int) -> list[Block]:
    parts = np.array_split(np.arange(rows, dtype=np.int32), pieces)
    return [Block(part.astype(np.float64).reshape(-1, 1), part) for part in parts]


def shuffled(blocks: Sequence[Block], folder: Path, pass_: int = 0) -> list[int]:
    with shuffling.Shuffled(str(folder), "some", 7) as stream:
        for block in blocks:
            stream.append(block)
        labels = [label for block in stream.blocks(pass_) for label in block.labels.tolist()]
    return labels


@pytest.mark.parametrize("limit", [1 << 20, 3000])
def test_the_order_depends_on_the_examples_and_not_on_their_pieces(
    limit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shuffling, "_IN_MEMORY", limit)
    monkeypatch.setattr(shuffling, "_BUCKET_BYTES", 200)
    monkeypatch.setattr(cache, "IN_MEMORY", 5000)
    once = shuffled(numbered(2000, 1), tmp_path)
    assert sorted(once) == list(range(2000)) != once
    assert once == shuffled(numbered(2000, 13), tmp_path) != shuffled(numbered(2000, 13), tmp_path, 1)


def test_a_shuffled_stream_holds_one_bucket_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shuffling, "_IN_MEMORY", 1000)
    earlier: list[weakref.ref[np.ndarray]] = []
    join = shuffling.join_blocks

    def joined(blocks: Sequence[Block]) -> Block:
        assert [ref() for ref in earlier] == [None] * len(earlier)
        block = join(blocks)
        earlier.append(weakref.ref(block.labels))
        return block

    monkeypatch.setattr(shuffling, "join_blocks", joined)
    assert sorted(shuffled(numbered(2000, 1), tmp_path)) == list(range(2000))
    assert len(earlier) == 64
