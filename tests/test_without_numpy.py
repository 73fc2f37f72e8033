"""A fit from an svmlight file does not load numpy, and what it asks of the core instead is what numpy would say."""

import json
import math
import subprocess
import sys
from array import array
from dataclasses import replace
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from rosenblatt import kernels
from rosenblatt.later import Later
from rosenblatt.learn import model_file, tensors
from rosenblatt.records import Block, Csr, ParsedBlock, ParsedChunk, ParsedCsr

LABELS = st.lists(st.integers(-1, 5), max_size=40)
NUMBERS = st.lists(st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 3.0, -2.5, 1e300]), max_size=60)


def int32(labels: list[int]) -> np.ndarray[Any, np.dtype[np.int32]]:
    return np.array(labels, dtype=np.int32)


# -- what is loaded ---------------------------------------------------------------------------------------------------

PROGRAM = """
import sys
from rosenblatt.cli import main
code = main(sys.argv[1:])
sys.exit(code or ("numpy was loaded" if "numpy" in sys.modules else 0))
"""


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "words", [["--rule", "perceptron"], ["--rule", "arow", "--quiet"], [], ["--json"], ["--rule", "last", "--top", "0"]]
)
def test_a_fit_from_svmlight_does_not_load_numpy(words: list[str], classes: int, tmp_path: Path) -> None:
    data = tmp_path / "rows.svm"
    data.write_text("".join(f"{i * 7 % classes} 1:{i % 5} {2 + i * 7 % classes}:1 9:0.5\n" for i in range(200)))
    command = [sys.executable, "-c", PROGRAM, "fit", str(data), "-o", str(tmp_path / "m.model"), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_module_is_loaded_when_it_is_used() -> None:
    code = (
        "import sys; from rosenblatt.later import Later; later = Later('wave'); before = 'wave' in sys.modules\n"
        "later.Error; print(before, 'wave' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["False", "True"]
    with pytest.raises(AttributeError, match="nonsense"):
        _ = Later("math").nonsense


# -- labels -----------------------------------------------------------------------------------------------------------


@given(LABELS, st.permutations(range(6)))
def test_labels_are_coded_by_a_table(labels: list[int], table: list[int]) -> None:
    for given_as in (int32(labels), memoryview(array("i", labels))):
        codes, least = kernels.coded(given_as, table)
        assert codes.tolist() == [label if label < 0 else table[label] for label in labels]
        assert least == min(codes, default=0)


def test_a_label_that_the_table_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="lacks a label"):
        kernels.coded(int32([0, 2]), [1, 0])


@given(LABELS, LABELS)
def test_turns_are_counted_piece_by_piece(first: list[int], second: list[int]) -> None:
    known = [label for label in first + second if label >= 0]
    made, counts, last = kernels.turns(int32(first), 6, -1)
    more, others, end = kernels.turns(int32(second), 6, last)
    assert made + more == sum(a != b for a, b in pairwise(known))
    assert [a + b for a, b in zip(counts, others, strict=True)] == np.bincount(known, minlength=6).tolist()
    assert end == (known[-1] if known else -1)


@given(st.lists(st.binary(max_size=9), min_size=1, max_size=6), st.data())
def test_parts_are_joined(parts: list[bytes], data: st.DataObject) -> None:
    which = data.draw(st.lists(st.integers(0, len(parts) - 1), max_size=50))
    assert kernels.joined(parts, np.array(which, dtype=np.int64)) == b"".join(parts[i] for i in which)
    with pytest.raises(IndexError, match="no such part"):
        kernels.joined(parts, np.array([*which, len(parts)], dtype=np.int64))


# -- weights ----------------------------------------------------------------------------------------------------------


@given(NUMBERS, st.sampled_from([0.0, 1.0]))
def test_numbers_that_are_not_usual_are_found(numbers: list[float], usual: float) -> None:
    values = np.array(numbers)
    other = np.flatnonzero(values.view(np.uint64) != np.array([usual]).view(np.uint64))
    found = kernels.unusual(values, usual)
    if found is None:
        assert 12 * len(other) >= values.nbytes
    else:
        assert 12 * len(other) < values.nbytes
        assert (found[0].format, found[0].tolist()) == ("I", other.tolist())
        assert np.asarray(found[1]).tobytes() == values[other].tobytes()


@given(NUMBERS, st.booleans(), st.integers(0, 12))
def test_the_strongest_are_those_of_a_stable_sort(numbers: list[float], below: bool, most: int) -> None:
    sizes = [-number if below else number for number in numbers]
    ranked = sorted((place for place, size in enumerate(sizes) if size > 0), key=lambda place: -sizes[place])
    assert kernels.strongest(np.array(numbers), below, most) == [(place, sizes[place]) for place in ranked[:most]]


@given(NUMBERS, st.integers(0, 70))
def test_squares_are_summed(numbers: list[float], count: int) -> None:
    assert kernels.squares(np.array(numbers), count) == math.fsum(x * x for x in numbers[:count]) or 1e300 in numbers


# -- arrays that are made late ----------------------------------------------------------------------------------------


def test_memory_becomes_arrays_when_they_are_asked_for() -> None:
    values = ParsedCsr(array("q", [0, 2, 2]), array("i", [3, 1]), array("d", [1.5, 2.0]), 5)
    assert (values.shape, values.entries) == ((2, 5), 2)
    assert_array_equal(values.indptr, [0, 2, 2])
    wider = replace(values, features=9)
    assert (wider.shape, wider.indices.tolist(), wider.values.tolist()) == ((2, 9), [3, 1], [1.5, 2.0])
    chunk = ParsedChunk(values, array("i", [1, 0]), array("d", [1.0, 2.0]), 7, 100)
    block = chunk.learned_as(memoryview(array("i", [0, 1])))
    assert isinstance(block, ParsedBlock)
    assert (block.rows, block.labels.tolist(), chunk.labels.tolist()) == (2, [0, 1], [1, 0])
    assert block.weights is not None
    assert block.weights.tolist() == [1.0, 2.0]
    assert ParsedBlock(values, array("i", [0, 1])).weights is None
    plain = Block(Csr(values.indptr, values.indices, values.values, 5), block.labels)
    assert (plain.rows, plain.memory[1]) == (2, None)


# -- the model file ---------------------------------------------------------------------------------------------------

KEPT = {
    "whole": np.arange(6, dtype=np.float64).reshape(2, 3),
    "turned": np.arange(6, dtype=np.float64).reshape(2, 3).T,
    "empty": np.empty((0, 4)),
    "bytes": b"abc",
    "none": b"",
    "ends": array("q", [1, 2]),
    "no ends": array("q"),
    "flags": np.array([True, False]),
    **{
        name: np.ones(3, dtype=name)
        for name in ("float32", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64")
    },
    "uint64": np.ones(2, dtype=np.uint64),
}


def test_the_same_file_with_and_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    header = {"kind": "test", "of": 1}
    content = model_file.parts_bytes(header, dict(KEPT))
    import_module("safetensors.numpy")
    monkeypatch.delattr("safetensors.TensorSpec", raising=False)  # as before version 0.8
    assert model_file.parts_bytes(header, dict(KEPT)) == content
    found = model_file.parts_of(content, lambda _, arrays: dict(arrays), "test")
    for name, tensor in KEPT.items():
        wanted = np.asarray(tensors.memory_of(tensor))
        assert (found[name].dtype, found[name].shape) == (wanted.dtype, wanted.shape), name
        assert_array_equal(found[name], wanted)
    length = int.from_bytes(content[:8], "little")
    text = json.loads(content[8 : 8 + length])["__metadata__"]["rosenblatt"]
    assert json.loads(text)["checksum"] == _checksum({"format": "rosenblatt-model", "version": 1, **header}, found)


def _checksum(header: dict[str, Any], arrays: dict[str, Any]) -> str:
    """As docs/model-file.md says, with numpy's own names of types."""
    from hashlib import sha256

    total = sha256(json.dumps(header, sort_keys=True, separators=(",", ":")).encode())
    for name in sorted(arrays):
        total.update(f"\n{name} {arrays[name].dtype.str} {arrays[name].shape}\n".encode() + arrays[name].tobytes())
    return f"sha256:{total.hexdigest()}"
