"""Blocks as bytes: what is read back is what was written, to the last bit, in as few bytes as that allows."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import kernels
from rosenblatt.learn.decimals import Decimals, divided
from rosenblatt.learn.pages import read_block, write_block
from rosenblatt.records import Block, Csr


def there_and_back(block: Block, path: Path) -> tuple[Block, int]:
    with path.open("wb") as file:
        size = write_block(file.write, block, Decimals())
    fd = os.open(path, os.O_RDONLY)
    try:
        found = read_block(fd, (0, size))
    finally:
        os.close(fd)
    assert found is not None
    return found, size


def sparse(values: Any, features: int = 50_000) -> Block:
    rng = np.random.default_rng(0)
    count = len(values)
    indices = np.sort(rng.integers(0, features, count)).astype(np.int32)
    rows = Csr(np.array([0, count // 2, count]), indices, np.asarray(values), features)
    return Block(rows, np.array([1, 0], dtype=np.int32), np.array([0.5, 2.0]))


@pytest.mark.parametrize(
    ("values", "features", "bytes_each"),
    [
        (np.arange(1.0, 1000.0) / 10_000, 50_000, 4),
        (np.arange(1.0, 1000.0) / 10_000, 70_000, 6),
        (np.arange(1.0, 1000.0) / 8, 50_000, 6),
        (np.arange(-500.0, 499.0) * 1e6, 50_000, 6),
        (np.random.default_rng(1).standard_normal(999), 50_000, 10),
        (np.array([-0.0] * 999), 50_000, 10),
        (np.array([1e300] * 999), 50_000, 10),
        (np.linspace(0, 1, 999, dtype=np.float32), 50_000, 6),
    ],
)
def test_sparse_blocks_come_back(values: Any, features: int, bytes_each: int, tmp_path: Path) -> None:
    block = sparse(values, features)
    found, size = there_and_back(block, tmp_path / "b")
    assert isinstance(found.values, Csr)
    assert isinstance(block.values, Csr)
    assert found.values.values.tobytes() == block.values.values.tobytes()
    assert found.values.indices.dtype == np.int32
    assert np.array_equal(found.values.indices, block.values.indices)
    assert np.array_equal(found.values.indptr, block.values.indptr)
    assert found.values.features == features
    assert np.array_equal(found.labels, block.labels)
    assert found.weights is not None
    assert np.array_equal(found.weights, [0.5, 2.0])
    assert 0 <= size - bytes_each * 999 <= 100


def test_dense_blocks_come_back(tmp_path: Path) -> None:
    for dtype in (np.float32, np.float64):
        values = np.random.default_rng(2).standard_normal((7, 5)).astype(dtype)
        found, _ = there_and_back(Block(values, np.arange(7, dtype=np.int32), None), tmp_path / "b")
        assert np.array_equal(found.values, values)
        assert found.weights is None


@given(st.lists(st.decimals(-300_000, 300_000, places=3).map(float), min_size=1), st.integers(0, 9))
def test_decimals_come_back_to_the_bit(values: list[float], places: int) -> None:
    decimals = Decimals()
    decimals.places = places
    array = np.array(values)
    whole = decimals.whole(array)
    if whole is not None:
        assert divided(whole, decimals.places).tobytes() == array.tobytes()
    elif not np.signbit(array[array == 0]).any():
        assert places > 3  # three are enough, and more make numbers beyond four bytes


def test_places_never_fall_and_are_given_up_once() -> None:
    decimals = Decimals()
    assert decimals.whole(np.array([3.0])) is not None
    assert decimals.whole(np.array([0.25])) is not None
    assert decimals.places == 2
    assert decimals.whole(np.array([7.0])).dtype == np.int16  # type: ignore[union-attr]
    assert decimals.whole(np.array([1 / 3])) is None
    assert decimals.whole(np.array([7.0])) is None


@pytest.mark.parametrize("count", [1, 7, 8, 9, 100])
@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (32767.0, np.int16),
        (-32768.0, np.int16),
        (32768.0, np.int32),
        (-32769.0, np.int32),
        (2147483647.0, np.int32),
        (-2147483648.0, np.int32),
        (2147483648.0, None),
        (-2147483649.0, None),
        (2.0**32, None),
        (2.0**52, None),
        (2.0**63, None),
        (1e300, None),
        (-0.0, None),
    ],
)
def test_whole_numbers_take_as_few_bytes_as_hold_them(value: float, dtype: type | None, count: int) -> None:
    array = np.full(count, 5.0)
    array[-1] = value
    found = kernels.to_whole(array, 1.0)
    assert (None if found is None else found.dtype) == dtype
    if found is not None:
        assert found.tolist() == array.tolist()
