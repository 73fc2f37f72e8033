"""Labels become classes and indices: close integers without sorting, all others by sorting, with the same result."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from rosenblatt.estimators.common import check_input

KINDS = ("bool", "int8", "uint8", "int16", "int64", "uint64", "float16", "float32", "float64", "U3", "S3")
EDGES = [
    np.array([-128, 127, -128, 127] * 600, dtype=np.int8),
    np.array([2**63, 2**63 + 1] * 3, dtype=np.uint64),
    np.array([-(2**63), 2**63 - 1] * 3),
    np.array([2**53, 2**53 + 2] * 9, dtype=np.float64),
    np.array([-1e300, 1e300, -1e300] * 9),
    np.array([0.5, 1.5, 0.5, 1.5, 2.5, 0.5] * 9),
    np.array([-3.0, 4.0, -3.0, 4.0] * 9),
    np.array([0, 1023, 5] * 1000),
    np.array([0, 1024, 5] * 1000),
    np.arange(100)[::-1],
]


def slowly(labels: Any) -> tuple[list[Any], list[int]]:
    classes = sorted(set(labels.tolist()))
    return classes, [classes.index(label) for label in labels.tolist()]


def agrees(labels: Any) -> None:
    classes, index = check_input.encode(labels)
    assert (classes.tolist(), index.tolist()) == slowly(labels)
    assert (classes.dtype, index.dtype) == (labels.dtype, np.int32)
    assert index.flags.c_contiguous


@given(st.sampled_from(KINDS).flatmap(lambda kind: arrays.arrays(kind, st.integers(1, 40))))
def test_classes_and_indices_are_those_of_a_sorted_list(labels: Any) -> None:
    if labels.dtype.kind == "f":
        labels[~np.isfinite(labels)] = 0
    agrees(labels)


@given(st.sampled_from(KINDS[1:9]), st.integers(0, 120), st.lists(st.integers(0, 7), min_size=1, max_size=60))
def test_whole_numbers_close_together_are_no_exception(kind: str, least: int, above: list[int]) -> None:
    agrees(np.array(above, dtype=kind) + np.dtype(kind).type(least))


@pytest.mark.parametrize("labels", EDGES, ids=lambda labels: f"{labels.dtype} {labels[0]} {labels[1]}")
def test_the_edges_of_a_type_are_no_exception(labels: Any) -> None:
    agrees(labels)
    agrees(labels[::2])
