"""Fitting and predicting svmlight load no numpy; the native functions used instead give the results of numpy."""

import json
import math
import sys
from array import array
from dataclasses import replace
from importlib import import_module
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from rosenblatt import Perceptron, native, save
from rosenblatt.errors import ModelError
from rosenblatt.lazy import LazyModule
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.model_file import load_linear_model, save_model
from rosenblatt.records import Block, Csr, ParsedBlock, ParsedCsr, ParsedSourceBlock
from rosenblatt.storage import container, tensors
from tests import child

LABELS = st.lists(st.integers(-1, 5), max_size=40)
NUMBERS = st.lists(st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 3.0, -2.5, 1e300]), max_size=60)


def int32(labels: list[int]) -> np.ndarray[Any, np.dtype[np.int32]]:
    return np.array(labels, dtype=np.int32)


# -- what is loaded ---------------------------------------------------------------------------------------------------

PROGRAM = """
import sys
from rosenblatt.cli import main
code = main(sys.argv[1:])
sys.exit(code or ", ".join({"numpy"} & set(sys.modules)) or 0)
"""


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "words", [["--rule", "perceptron"], ["--rule", "arow", "--quiet"], [], ["--json"], ["--rule", "last", "--top", "0"]]
)
def test_a_fit_from_svmlight_does_not_load_numpy(words: list[str], classes: int, tmp_path: Path) -> None:
    data = tmp_path / "rows.svm"
    # Every sixth label is another one, so that no feature gives it away.
    labels = [(i * 7 + (i % 6 == 0)) % classes for i in range(200)]
    data.write_text("".join(f"{labels[i]} 1:{i % 5} {2 + i * 7 % classes}:1 9:0.5\n" for i in range(200)))
    run("fit", data, "-o", tmp_path / "m.model", *words)


@pytest.mark.parametrize("name", ["mail.tsv", "mail.vw"])
def test_a_fit_of_words_does_not_load_numpy(name: str, tmp_path: Path) -> None:
    spoken = [("ham", 1, "meeting at noon with the whole team today"), ("spam", -1, "win a free prize now and call us")]
    line = "{0}\t{2}\n" if name == "mail.tsv" else "{1} | {2}\n"
    (tmp_path / name).write_text("".join(line.format(*spoken[i * 7 % 3 % 2]) for i in range(60)))
    assert "prize" in run("fit", tmp_path / name, "-o", tmp_path / "m.model")


def run(*words: str | Path) -> str:
    """The output of a command, which prints nothing to stderr and loads nothing slow."""
    process = child.run([sys.executable, "-c", PROGRAM, *words], capture_output=True, encoding="utf-8", timeout=60)
    assert (process.returncode, process.stderr) == (0, "")
    return process.stdout


UNITS = [
    Perceptron(keep="last"),
    Perceptron(keep="average", multi_class="joint"),
    Perceptron(keep="pocket", multi_class="ovo", max_iter=5),
    Perceptron(learning_rate="arow", max_iter=2),
]


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_predicting_svmlight_does_not_load_numpy(unit: Perceptron, classes: int, tmp_path: Path) -> None:
    X, names = np.arange(120.0).reshape(40, 3) * 7 % 11 - 5, "aàäö"[:classes]
    unit.fit(X, [names[i * 7 % classes] for i in range(40)])
    save(unit, tmp_path / "m.model")
    labels = ["", "other "]  # labels do not matter here, and feature 9 is new
    rows = (" ".join(f"{j}:{x}" for j, x in enumerate(row, 1)) for row in X)
    (tmp_path / "rows.svm").write_text("".join(f"{labels[i % 2]}{row} 9:1\n" for i, row in enumerate(rows)))
    decided = list(zip(unit.predict(X).tolist(), unit.decision_function(X).reshape(40, -1).tolist(), strict=True))
    for option, line in PRINTED.items():
        printed = run("predict", tmp_path / "m.model", tmp_path / "rows.svm", *option.split())
        assert printed.splitlines() == [line(names, label, scores) for label, scores in decided]


@pytest.mark.parametrize(("name", "line"), [("rows.vw", "{} | {}:1 same"), ("rows.txt", "{}\tyou are {}, the same")])
def test_predicting_words_does_not_load_numpy(name: str, line: str, tmp_path: Path) -> None:
    data, model = tmp_path / name, tmp_path / "m.model"
    lines = (line.format(*[(1, "good"), (2, "bad")][i * 7 % 5 % 2]) for i in range(50))
    data.write_text("\n".join(lines))
    save_model(fit_file(data, rule="perceptron").model, model)
    assert run("predict", model, data).split() == [str(1 + i * 7 % 5 % 2) for i in range(50)]


def as_object(names: str, label: str, scores: list[float]) -> str:
    more = {"score": scores[0]} if len(names) == 2 else {"scores": dict(zip(names, scores, strict=True))}
    return json.dumps({"label": label, **more}, ensure_ascii=False)


PRINTED = {
    "": lambda names, label, scores: label,
    "--scores": lambda names, label, scores: "\t".join([label, *map(repr, scores)]),
    "--json": as_object,
}


def test_a_module_is_loaded_when_it_is_used() -> None:
    code = (
        "import sys; from rosenblatt.lazy import LazyModule; \n"
        "later = LazyModule('wave'); before = 'wave' in sys.modules\n"
        "later.Error; print(before, 'wave' in sys.modules)"
    )
    process = child.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert process.stdout.split() == ["False", "True"]
    with pytest.raises(AttributeError, match="nonsense"):
        _ = LazyModule("math").nonsense


# -- labels -----------------------------------------------------------------------------------------------------------


@given(LABELS, st.permutations(range(6)))
def test_labels_are_coded_by_a_table(labels: list[int], table: list[int]) -> None:
    for given_as in (int32(labels), memoryview(array("i", labels))):
        codes, least = native.renumber_labels(given_as, table)
        assert codes.tolist() == [label if label < 0 else table[label] for label in labels]
        assert least == min(codes, default=0)


def test_a_label_that_the_table_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="label 2 is not in the table"):
        native.renumber_labels(int32([0, 2]), [1, 0])


@given(LABELS, LABELS)
def test_turns_are_counted_piece_by_piece(first: list[int], second: list[int]) -> None:
    labelled = [label for label in first + second if label >= 0]
    changes, counts, last = native.count_label_changes(int32(first), 6, -1)
    more, others, end = native.count_label_changes(int32(second), 6, last)
    assert changes + more == sum(a != b for a, b in pairwise(labelled))
    assert [a + b for a, b in zip(counts, others, strict=True)] == np.bincount(labelled, minlength=6).tolist()
    assert end == (labelled[-1] if labelled else -1)


@given(st.lists(st.binary(max_size=9), min_size=1, max_size=6), st.data())
def test_parts_are_joined(parts: list[bytes], data: st.DataObject) -> None:
    which = data.draw(st.lists(st.integers(0, len(parts) - 1), max_size=50))
    assert native.join_lines(parts, np.array(which, dtype=np.int64)) == b"".join(parts[i] for i in which)
    with pytest.raises(IndexError, match="there is no part"):
        native.join_lines(parts, np.array([*which, len(parts)], dtype=np.int64))


# -- weights ----------------------------------------------------------------------------------------------------------


@given(NUMBERS, st.sampled_from([0.0, 1.0]))
def test_numbers_that_are_not_usual_are_found(numbers: list[float], usual: float) -> None:
    values = np.array(numbers)
    other = np.flatnonzero(values.view(np.uint64) != np.array([usual]).view(np.uint64))
    unusual = native.entries_other_than(values, usual)
    if unusual is None:
        assert 12 * len(other) >= values.nbytes
    else:
        assert 12 * len(other) < values.nbytes
        assert (unusual[0].format, unusual[0].tolist()) == ("I", other.tolist())
        assert np.asarray(unusual[1]).tobytes() == values[other].tobytes()


@given(NUMBERS, st.sampled_from([0.0, 1.0]))
def test_what_is_not_usual_finds_its_place_again(numbers: list[float], usual: float) -> None:
    values = np.array(numbers[len(numbers) % 2 :]).reshape(-1, 2)
    other = native.entries_other_than(values, usual)
    if other is not None:
        restored = native.matrix_from_entries(*other, usual, *values.shape)
        assert restored is not None
        assert restored.shape == values.shape
        assert np.asarray(restored).tobytes() == values.tobytes()


@pytest.mark.parametrize("index", [[1, 1], [2, 1], [0, 6], [1], [1, 2, 3]])
def test_indices_that_do_not_ascend_or_lie_outside_are_refused(index: list[int]) -> None:
    value = np.ones(2)
    assert native.matrix_from_entries(np.array([0, 5], dtype=np.uint32), value, 0.0, 2, 3) is not None
    assert native.matrix_from_entries(np.array(index, dtype=np.uint32), value, 0.0, 2, 3) is None


@given(st.lists(st.floats(width=16), max_size=12), st.sampled_from([-sys.float_info.max, 0.0]))
def test_the_first_number_outside_is_found(numbers: list[float], least: float) -> None:
    fine = [math.isfinite(number) and number >= least for number in numbers]
    assert native.first_outside(np.array(numbers), least, sys.float_info.max) == (
        [*fine, False].index(False) if not all(fine) else -1
    )


# -- scores -----------------------------------------------------------------------------------------------------------


@given(st.integers(1, 6), st.data())
def test_the_highest_is_the_first_of_equals(columns: int, data: st.DataObject) -> None:
    rows = st.lists(st.sampled_from([-2.0, -0.0, 0.0, 1.0, 1.5]), min_size=columns, max_size=columns)
    scores = np.array(data.draw(st.lists(rows, max_size=8))).reshape(-1, columns)
    expected = scores[:, 0] > 0 if columns == 1 else np.argmax(scores, axis=1)
    for given_as in (scores, np.asfortranarray(scores)):
        assert native.argmax_rows(given_as).tolist() == expected.astype(int).tolist()


@given(st.integers(2, 6), st.data())
def test_votes_of_pairs_are_counted(classes: int, data: st.DataObject) -> None:
    pairs = list(combinations(range(classes), 2))
    rows = st.lists(st.floats(-9, 9), min_size=len(pairs), max_size=len(pairs))
    scores = np.array(data.draw(st.lists(rows, max_size=8))).reshape(-1, len(pairs))
    votes, sums = np.zeros((len(scores), classes)), np.zeros((len(scores), classes))
    for score, (i, j) in zip(scores.T, pairs, strict=True):
        votes[:, i] += score <= 0
        votes[:, j] += score > 0
        sums[:, i] -= score
        sums[:, j] += score
    votes += sums / (3 * (np.abs(sums) + 1))
    assert np.asarray(native.count_votes(scores, classes)).tobytes() == votes.tobytes()


def test_scores_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="no columns"):
        native.argmax_rows(np.empty((2, 0)))
    with pytest.raises(ValueError, match="each pair"):
        native.count_votes(np.empty((2, 2)), 3)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "joint"])
def test_the_answer_of_a_unit_is_in_its_pocket_once_something_is(multi_class: str) -> None:
    X, labels = np.arange(60.0).reshape(20, 3) * 7 % 11 - 5, int32([i * 7 % 4 for i in range(20)])
    run = Run(Settings(keep="pocket", multi_class=multi_class), 3, np.ones(4), 0)
    for passes in (0, 3):
        run.fit(Block(X, labels), passes)
        weights, pocket = run.part("weights"), run.part("pocket")
        assert weights is not None
        assert pocket is not None
        filled = [errors < math.inf for _, _, errors, _, _ in run.learner.counters()["pockets"]]
        filled = [filled[0]] * len(filled) if multi_class == "joint" else filled
        assert any(filled) == (passes > 0)
        assert_array_equal(run.final_weights.coef, np.where(np.array(filled)[:, None], pocket[0], weights[0]))
        assert_array_equal(run.final_weights.intercept, np.where(filled, pocket[1], weights[1]))
        units = [run.unit(k) for k in range(run.learner.units)]
        assert [bias for _, _, bias in units] == run.final_weights.intercept.tolist()
        assert_array_equal([weights for _, weights, _ in units], run.final_weights.coef)


@given(NUMBERS, st.booleans(), st.integers(0, 12))
def test_the_strongest_are_those_of_a_stable_sort(numbers: list[float], below: bool, most: int) -> None:
    sizes = [-number if below else number for number in numbers]
    ranked = sorted((place for place, size in enumerate(sizes) if size > 0), key=lambda place: -sizes[place])
    assert native.largest_weights(np.array(numbers), below, most) == [(place, sizes[place]) for place in ranked[:most]]


@given(NUMBERS, st.integers(0, 70))
def test_squares_are_summed(numbers: list[float], count: int) -> None:
    exact = math.inf if 1e300 in numbers[:count] else math.fsum(x * x for x in numbers[:count])
    assert native.sum_of_squares(np.array(numbers), count) == exact


# -- arrays that are created late --------------------------------------------------------------------------------------


def test_memory_becomes_arrays_when_they_are_asked_for() -> None:
    values = ParsedCsr(array("q", [0, 2, 2]), array("i", [3, 1]), array("d", [1.5, 2.0]), 5)
    assert (values.shape, values.entries) == ((2, 5), 2)
    assert_array_equal(values.indptr, [0, 2, 2])
    wider = replace(values, features=9)
    assert (wider.shape, wider.indices.tolist(), wider.values.tolist()) == ((2, 9), [3, 1], [1.5, 2.0])
    chunk = ParsedSourceBlock(values, array("i", [1, 0]), array("d", [1.0, 2.0]), 7, 100)
    block = chunk.with_class_indices(memoryview(array("i", [0, 1])))
    assert isinstance(block, ParsedBlock)
    assert (block.rows, block.labels.tolist(), chunk.labels.tolist()) == (2, [0, 1], [1, 0])
    assert block.weights is not None
    assert block.weights.tolist() == [1.0, 2.0]
    assert ParsedBlock(values, array("i", [0, 1])).weights is None
    plain = Block(Csr(values.indptr, values.indices, values.values, 5), block.labels)
    assert (plain.rows, plain.buffers[1]) == (2, None)


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
    content = container.container_bytes(header, dict(KEPT))
    import_module("safetensors.numpy")
    monkeypatch.delattr("safetensors.TensorSpec", raising=False)  # as before version 0.8
    assert container.container_bytes(header, dict(KEPT)) == content
    arrays = container.parse_container(content, lambda _, read: {k: np.asarray(v) for k, v in read.items()}, "test")
    for name, tensor in KEPT.items():
        expected = np.asarray(tensors.contiguous_buffer(tensor))
        assert (arrays[name].dtype, arrays[name].shape) == (expected.dtype, expected.shape), name
        assert_array_equal(arrays[name], expected)
    length = int.from_bytes(content[:8], "little")
    text = json.loads(content[8 : 8 + length])["__metadata__"]["rosenblatt"]
    assert json.loads(text)["checksum"] == _checksum({"format": "rosenblatt-model", "version": 1, **header}, arrays)


def _checksum(header: dict[str, Any], arrays: dict[str, Any]) -> str:
    """The checksum as docs/model-file.md defines it, with numpy's type names."""
    from hashlib import sha256

    total = sha256(json.dumps(header, sort_keys=True, separators=(",", ":")).encode())
    for name in sorted(arrays):
        total.update(f"\n{name} {arrays[name].dtype.str} {arrays[name].shape}\n".encode() + arrays[name].tobytes())
    return f"sha256:{total.hexdigest()}"


@given(st.lists(st.sampled_from(["a", "ä", "€", "\ud800"])), st.data())
def test_texts_are_refused_where_one_of_them_is_no_text(letters: list[str], data: st.DataObject) -> None:
    content = "".join(letters).encode("utf-8", "surrogatepass")
    content = content[: data.draw(st.integers(0, len(content)))]
    ends = [*sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=4))), len(content)]
    parts = [content[a:b] for a, b in pairwise([0, *ends])]
    read = {"words.ends": memoryview(array("q", ends)), "words.bytes": memoryview(content)}
    try:
        expected = [part.decode("utf-8", "surrogatepass") for part in parts]
    except UnicodeDecodeError:
        with pytest.raises(ModelError, match="a text of words is not UTF-8"):
            tensors.read_texts(read, "words", len(ends))
    else:
        assert tensors.read_texts(read, "words", len(ends)) == expected


FEW = {
    "run.weights.index": (lambda index: index[::-1].copy(), "indices of run.weights do not ascend"),
    "run.scale.index": (lambda index: index + np.uint32(300), "indices of run.scale do not ascend, or lie outside"),
    "run.drift.value": (lambda value: value[1:].copy(), "indices of run.drift do not ascend"),
    "run.weights.value": (lambda value: value * np.inf, "run.weights holds a number that is not finite"),
    "run.scale.value": (lambda value: -value, "scale holds an invalid value"),
    "run.scale.bias": (lambda bias: bias * np.nan, "scale holds an invalid value"),
    "run.class_weight": (lambda weight: weight * 0, "class weights are not finite numbers of at least 0"),
}


@pytest.mark.parametrize("name", FEW)
def test_few_weights_that_cannot_be_are_refused(name: str, tmp_path: Path) -> None:
    """A few weights among many are stored as indices and values; a hostile file may contain anything there."""
    path, X = tmp_path / "m.model", np.zeros((2, 300))
    X[0, 3], X[1, 250] = 1.0, 2.0
    save(Perceptron(learning_rate="arow", keep="average", order="given").fit(X, [0, 1]), path)
    header, arrays = container.read_container(path, lambda header, read: (dict(header.values), dict(read)))
    header.pop("checksum")
    change, sentence = FEW[name]
    container.write_container(path, header, arrays | {name: change(np.asarray(arrays[name]))})
    with pytest.raises(ModelError, match=sentence):
        load_linear_model(path)
