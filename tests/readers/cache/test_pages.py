"""Blocks as pages: reading restores every bit, and values take as few bytes as possible."""

import os
import struct
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import native
from rosenblatt.readers.cache.pages import DamagedPageError, read_blocks, write_block
from rosenblatt.records import Block, Csr, ParsedCsr
from tests import child
from tests.slow_twins.readers import pages as slow


@pytest.fixture
def file(tmp_path: Path) -> Iterator[int]:
    fd = os.open(tmp_path / "pages", os.O_RDWR | os.O_CREAT)
    yield fd
    os.close(fd)


def round_trip(block: Block, fd: int) -> tuple[Block, int]:
    size = write_block(lambda page: os.pwrite(fd, page, 0), block, native.Packer())
    (restored,) = read_blocks(fd, [(0, size)])
    return restored, size


def sparse(values: Any, features: int = 50_000, index: type = np.int32) -> Block:
    rng = np.random.default_rng(0)
    count = len(values)
    indices = np.sort(rng.integers(0, features, count)).astype(index)
    rows = Csr(np.array([0, count // 2, count]), indices, np.asarray(values), features)
    return Block(rows, np.array([1, 0], dtype=np.int32), np.array([0.5, 2.0]))


KINDS = [
    (np.arange(1.0, 1000.0) / 10_000, 50_000, 4),
    (np.arange(1.0, 1000.0) / 10_000, 70_000, 5),
    (np.arange(1.0, 1000.0) / 10_000, 2**24, 5),
    (np.arange(1.0, 1000.0) / 10_000, 2**24 + 1, 6),
    (np.arange(1.0, 1000.0) / 8, 50_000, 6),
    (np.arange(-500.0, 499.0) * 1e6, 50_000, 6),
    (np.random.default_rng(1).standard_normal(999), 50_000, 10),
    (np.array([-0.0] * 999), 50_000, 3),
    (np.array([1e300] * 999), 50_000, 3),
    (np.array([2.0**0.5] * 999), 70_000, 4),
    (np.linspace(0, 1, 999, dtype=np.float32), 50_000, 6),
    (np.ones(999), 65_536, 2),
    (np.ones(999), 65_537, 3),
]


@pytest.mark.parametrize(("values", "features", "bytes_each"), KINDS)
def test_sparse_blocks_come_back(values: Any, features: int, bytes_each: int, file: int) -> None:
    block = sparse(values, features)
    restored, size = round_trip(block, file)
    assert isinstance(restored.values, Csr)
    assert isinstance(block.values, Csr)
    assert restored.values.values.tobytes() == block.values.values.tobytes()
    assert restored.values.indices.dtype == np.int32
    assert np.array_equal(restored.values.indices, block.values.indices)
    assert np.array_equal(restored.values.indptr, block.values.indptr)
    assert restored.values.features == features
    assert np.array_equal(restored.labels, block.labels)
    assert restored.weights is not None
    assert np.array_equal(restored.weights, [0.5, 2.0])
    assert 0 <= size - bytes_each * 999 <= 100


@pytest.mark.parametrize("weights", [None, np.arange(7.0)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_blocks_come_back(dtype: type, weights: Any, file: int) -> None:
    values = np.random.default_rng(2).standard_normal((7, 5)).astype(dtype)
    for laid in (values, np.asfortranarray(values)):
        restored, _ = round_trip(Block(laid, np.arange(7, dtype=np.int32), weights), file)
        assert np.array_equal(restored.values, values)
        assert (restored.weights is None) == (weights is None)
        assert weights is None or np.array_equal(restored.weights, weights)


@pytest.mark.parametrize("weights", [None, np.arange(2.0)])
def test_targets_come_back(weights: Any, file: int) -> None:
    targets = np.array([-1.5, 1e99])
    for block in (sparse(np.arange(9.0)), Block(np.ones((2, 3)), np.zeros(2, dtype=np.int32))):
        restored, _ = round_trip(replace(block, weights=weights, targets=targets), file)
        assert restored.targets is not None
        assert restored.targets.tolist() == targets.tolist()
        assert (restored.weights is None) == (weights is None)
        assert round_trip(block, file)[0].targets is None


def page(block: Block, packer: native.Packer | None = None) -> bytes:
    rows = native.contiguous_rows(block.values)
    return bytes((packer or native.Packer()).page(rows, *block.buffers, block.target_buffer))


def test_pages_are_those_of_the_slow_twin() -> None:
    few = [sparse(values[:21], features) for values, features, _ in KINDS]
    wide = sparse(np.arange(5.0), 2**31, np.int64)
    dense = Block(np.arange(6.0).reshape(2, 3), np.array([0, 1], dtype=np.int32), np.ones(2))
    narrow = Block(np.ones((2, 3), np.float32), np.array([0, 1], dtype=np.int32))
    targeted = Block(np.ones((2, 3)), np.zeros(2, dtype=np.int32), np.ones(2), targets=np.array([-0.5, 1e90]))
    numbers_only = replace(sparse(np.arange(5.0)), weights=None, targets=np.array([3.0, 4.0]))
    empty = Block(Csr(np.zeros(3, np.int64), np.empty(0, np.int32), np.empty(0), 0), np.zeros(2, np.int32))
    for block in (*few, wide, dense, narrow, targeted, numbers_only, empty):
        assert page(block) == slow.page(block)


numbers = st.one_of(
    st.decimals(-300_000, 300_000, places=3).map(float),
    st.decimals(-3, 3, places=9).map(float),
    st.integers(-(2**33), 2**33).map(float),
    st.sampled_from(
        [0.0, -0.0, 1.0, 32767.0, -32768.0, 32768.0, -32769.0, 2.0**31 - 1, -(2.0**31), 2.0**31, 2.0**52, 1e300]
    ),
    st.floats(allow_nan=False, allow_infinity=False),
)


@pytest.mark.parametrize(("distinct", "count", "value_bytes"), [(256, 1024, 1), (257, 1028, 2), (4096, 20_000, 2)])
def test_few_different_values_are_numbered(distinct: int, count: int, value_bytes: int, file: int) -> None:
    values = np.sqrt(np.random.default_rng(distinct).permutation(np.arange(count) % distinct) + 2.0)
    block = sparse(values)
    restored, size = round_trip(block, file)
    assert page(block) == slow.page(block)
    assert restored.values.values.tobytes() == values.tobytes()  # type: ignore[union-attr]
    assert size - 8 * distinct - (2 + value_bytes) * count <= 100
    one_more = sparse(np.append(values, np.pi))
    assert page(one_more) == slow.page(one_more)
    assert (len(page(one_more)) > 9 * count) == (distinct == 4096 or 4 * (distinct + 1) > count + 1)


def test_a_position_beyond_the_different_values_is_noticed(file: int) -> None:
    good = page(sparse(np.sqrt(np.arange(40) % 3 + 2.0)))
    content = bytearray(good[8:])
    at = content.rindex(bytes([0, 1, 2, 0, 1, 2]))
    content[at] = 3
    os.pwrite(file, slow.checksum(bytes(content)).to_bytes(8, "little") + content, 0)
    with pytest.raises(DamagedPageError):
        list(read_blocks(file, [(0, len(good))]))


@given(st.lists(st.lists(numbers, min_size=1, max_size=40), min_size=1, max_size=4))
def test_values_take_as_few_bytes_as_hold_them(blocks: list[list[float]]) -> None:
    packer, places = native.Packer(), 0
    for values in blocks:
        block = sparse(values)
        assert page(block, packer) == slow.page(block, places)
        if any(
            value != 1.0 for value in values
        ):  # the number of places never falls, and is given up once none is enough
            places = next((p for p in range(places, 10) if slow.scaled_integers(values, p) is not None), 10)


def test_values_that_cannot_be_learned_are_left_to_the_learner(file: int) -> None:
    restored, _ = round_trip(sparse([1.0, np.nan, 2.0]), file)
    with pytest.raises(Exception, match="NaN at row 1"):
        native.rows_of(restored.values)


def test_every_damaged_byte_is_noticed(file: int) -> None:
    good = page(sparse(np.arange(9.0) / 4))
    for i in range(len(good)):
        os.pwrite(file, good[:i] + bytes([good[i] ^ 16]) + good[i + 1 :], 0)
        with pytest.raises(DamagedPageError):
            list(read_blocks(file, [(0, len(good))]))
    os.ftruncate(file, len(good) - 1)
    with pytest.raises(DamagedPageError):
        list(read_blocks(file, [(0, len(good))], threads=2))


@pytest.mark.parametrize("huge", [0, 9, 2**31, 2**61, 2**63, 2**64 - 1])
@pytest.mark.parametrize("field", range(10))
def test_a_head_that_lies_is_noticed_though_its_checksum_is_right(field: int, huge: int, file: int) -> None:
    numbered = sparse(np.sqrt(np.arange(40) % 3 + 2.0), 70_000)
    for block in (sparse(np.arange(9.0) / 4), numbered, Block(np.ones((2, 3)), np.zeros(2, np.int32))):
        good = page(block)
        head = list(struct.unpack("<QQQBBBBBBH", good[8:40]))
        lie = huge if field < 3 else huge % 65536 if field == 9 else huge % 256
        no_lie = (field == 2 and head[3]) or (field == 5 and lie < 10)  # still consistent
        if head[field] == lie or no_lie:
            continue
        head[field] = lie
        content = struct.pack("<QQQBBBBBBH", *head) + good[40:]
        os.pwrite(file, slow.checksum(content).to_bytes(8, "little") + content, 0)
        with pytest.raises(DamagedPageError):
            list(read_blocks(file, [(0, len(good))]))


def test_a_page_is_of_a_whole_matrix() -> None:
    packer, labels = native.Packer(), np.zeros(2, np.int32)
    part = Csr(np.array([1, 2, 3]), np.zeros(3, np.int32), np.ones(3), 5)
    for values, sentence in ((part, "contiguous matrices only"), (np.ones((3, 2)), "one label")):
        with pytest.raises(ValueError, match=sentence):
            packer.page(native.contiguous_rows(values), labels, None)


def test_later_passes_over_pages_do_not_load_numpy(tmp_path: Path) -> None:
    data = tmp_path / "rows.svm"
    data.write_text("".join(f"{i * 7 % 3} 1:{i % 5} {2 + i * 5 % 3}:1 9:0.5\n" for i in range(200)))
    code = (
        "import sys; from rosenblatt import fit_file; from rosenblatt.readers.cache import spill; spill.IN_MEMORY = 0\n"
        "print(fit_file(sys.argv[1], rule='perceptron', passes=3).passes > 1, 'numpy' in sys.modules)"
    )
    process = child.run([sys.executable, "-c", code, data], capture_output=True, text=True, timeout=60, check=True)
    assert process.stdout.split() == ["True", "False"]


@pytest.mark.parametrize("places", range(10))
def test_every_number_of_two_bytes_comes_back_from_every_power_of_ten(places: int, file: int) -> None:
    values = np.arange(-(2**15), 2**15) / 10**places
    restored, size = round_trip(sparse(values), file)
    assert isinstance(restored.values, Csr)
    assert restored.values.values.tobytes() == values.tobytes()
    assert size < 4 * len(values) + 100
    wide = np.random.default_rng(places).integers(-(2**31), 2**31, 50_000) / 10**places
    restored, _ = round_trip(sparse(wide), file)
    assert isinstance(restored.values, Csr)
    assert restored.values.values.tobytes() == wide.tobytes()


@pytest.mark.parametrize("number", [0.25, -700.5, 1e-9, 1.0 / 3])
def test_what_is_said_of_rows_that_were_unpacked_is_what_a_look_finds(number: float, file: int) -> None:
    rng = np.random.default_rng(0)
    for fall in (None, 0, 1, 4095, 4096, 4097, 8999):
        starts = np.sort(np.concatenate([[0, 0], rng.integers(0, 9000, 50), [9000, 9000]]))
        indices = np.zeros(9000, dtype=np.int32)
        for first, last in pairwise(starts):
            indices[first:last] = np.sort(rng.choice(60_000, last - first, replace=False))
        if fall is not None:
            indices[fall] = indices[fall - 1] if fall and fall not in starts else 0
        values = rng.integers(0, 100, 9000) * 0.25
        values[rng.integers(9000)] = number
        rows = Csr(starts, indices, values, 60_000)
        restored, _ = round_trip(Block(rows, np.zeros(len(starts) - 1, dtype=np.int32), None), file)
        looked = native.Rows.csr(starts, indices, values, 60_000)
        assert looked.check() is None
        assert isinstance(restored.values, ParsedCsr)
        assert isinstance(restored.values.checked_rows, native.Rows)
        assert restored.values.checked_rows.largest == looked.largest
        assert restored.values.checked_rows.canonical == looked.canonical
