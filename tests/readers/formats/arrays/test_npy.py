"""npy and npz: dense and sparse arrays as examples, and what is refused."""

import contextlib
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import rosenblatt
from rosenblatt.errors import DataError, ModelError
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions
from rosenblatt.readers.table.scale import Moments


def refusal(path: Path, **reading: Any) -> str:
    with pytest.raises((DataError, ModelError)) as refused:
        rosenblatt.read(path, **reading)
    return str(refused.value)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, bool])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_matrix_whose_last_column_is_the_label(tmp_path: Path, dtype: Any, order: str) -> None:
    matrix = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 1]], dtype=dtype, order=order)
    np.save(tmp_path / "m.npy", matrix)
    X, y = rosenblatt.read(tmp_path / "m.npy")
    assert X.dtype == np.float64
    assert X.tolist() == matrix[:, :2].astype(float).tolist()
    assert len(set(y.tolist())) == 2
    X, _ = rosenblatt.read(tmp_path / "m.npy", label=0)
    assert X.tolist() == matrix[:, 1:].astype(float).tolist()


def test_many_rows_come_in_blocks_in_order(tmp_path: Path) -> None:
    matrix = np.arange(300_000.0).reshape(-1, 3) % 1000
    matrix[:, 2] %= 2
    np.save(tmp_path / "m.npy", matrix)
    source = open_source(str(tmp_path / "m.npy"), ReadOptions())
    blocks = list(source.blocks())
    assert len(blocks) > 1
    assert [block.first_row for block in blocks] == np.cumsum([0, *(len(c.labels) for c in blocks)])[:-1].tolist()
    assert np.concatenate([block.values for block in blocks]).tobytes() == np.ascontiguousarray(matrix[:, :2]).tobytes()
    assert blocks[-1].bytes_read == source.size


@pytest.mark.parametrize("names", [("X", "y"), ("data", "labels"), ("arr_0", "arr_1")])
def test_npz_by_the_usual_names(tmp_path: Path, names: tuple[str, str]) -> None:
    np.savez_compressed(tmp_path / "m.npz", **{names[0]: np.eye(3), names[1]: np.array(["a", "b", "a"])})
    X, y = rosenblatt.read(tmp_path / "m.npz")
    assert X.tolist() == np.eye(3).tolist()
    assert y.tolist() == ["a", "b", "a"]


def test_npz_with_labels_of_another_name(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", X=np.eye(2), y=[0, 1], kind=[5, 6])
    assert rosenblatt.read(tmp_path / "m.npz", label="kind").y.tolist() == [5, 6]
    assert refusal(tmp_path / "m.npz", label="sort") == (
        f"{tmp_path / 'm.npz'}: there is no array 'sort' of labels; its arrays are 'X' (2, 2), 'y' (2,), 'kind' (2,)."
    )


def test_a_sparse_matrix_with_labels_in_a_second_file(tmp_path: Path) -> None:
    matrix = sparse.random(50, 20, 0.2, format="csr", random_state=0)
    sparse.save_npz(tmp_path / "m.npz", matrix)
    (tmp_path / "labels").write_text("".join(f"{i % 2}\n" for i in range(50)))
    assert "holds no labels; give a second file" in refusal(tmp_path / "m.npz")
    X, y = rosenblatt.read(tmp_path / "m.npz", labels_from=str(tmp_path / "labels"))
    assert (matrix != X).nnz == 0
    assert y.tolist() == [i % 2 for i in range(50)]
    (tmp_path / "labels").write_text("1\n0\n")
    assert refusal(tmp_path / "m.npz", labels_from=str(tmp_path / "labels")) == (
        f"{tmp_path / 'm.npz'}: has 50 rows and 2 labels; give one label for each row."
    )


def test_scale_and_a_model_without_labels(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", np.array([[1.0, 2, 0], [3, 2, 1]]))
    examples = rosenblatt.read(tmp_path / "m.npy", scale=True)
    assert examples.X.tolist() == [[-1, 0], [1, 0]]
    np.save(tmp_path / "new.npy", np.array([[2.0, 5]]))
    new = rosenblatt.read(tmp_path / "new.npy", like=examples.space)
    assert new.X.tolist() == [[0, 3]]
    assert new.y is None
    np.save(tmp_path / "new.npy", np.ones((1, 7)))
    assert "has 6 columns, and the model was learned from 2" in refusal(tmp_path / "new.npy", like=examples.space)


@pytest.mark.parametrize("power", [-1060, -990, -600, -407, -391, 391, 407, 600, 1015])
def test_numbers_of_any_size_are_scaled(power: int) -> None:
    values = np.random.default_rng(3).integers(-99, 100, (60, 2)).astype(float)
    values[::7, 1] = np.nan
    usual, far = Moments(2), Moments(2)
    for batch in np.split(values, 3):
        usual.add(batch)
        far.add(np.ldexp(batch, power))
    (shift, scale), far_scaling = usual.shift_and_scale(), far.shift_and_scale()
    assert far_scaling[0] == pytest.approx(np.ldexp(shift, power), abs=2.0**-1074)
    with np.errstate(over="ignore"):
        assert far_scaling[1] == pytest.approx(np.minimum(np.ldexp(scale, -power), np.finfo(float).max), abs=0)


def test_small_numbers_before_large_ones_count_among_them() -> None:
    moments = Moments(1)
    for size in (1e-200, 1.0, 1e200):
        moments.add(np.array([[size], [-size]]))
    ((shift,), (scale,)) = moments.shift_and_scale()
    assert (shift, scale) == (0.0, pytest.approx(np.sqrt(3) * 1e-200, abs=0))


def test_rows_that_are_not_finite_are_refused_or_left_out(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", np.array([[1.0, 0], [np.nan, 1], [2, 1]]))
    assert refusal(tmp_path / "m.npy") == (
        f"{tmp_path / 'm.npy'}: row 1 (from 0) holds NaN or infinity; correct it, "
        "or skip such rows with on_bad_row='skip'."
    )
    assert rosenblatt.read(tmp_path / "m.npy", on_bad_row="skip").X.tolist() == [[1], [2]]


def test_what_cannot_be_read(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    assert "it holds pickled Python objects, which are never loaded" in refusal(tmp_path / "m.npy")
    np.savez(tmp_path / "m.npz", X=np.eye(2), y=np.array(["a", {}], dtype=object))
    assert "it holds pickled Python objects, which are never loaded" in refusal(tmp_path / "m.npz")
    (tmp_path / "m.txt").write_bytes(pickle.dumps([1, 2]))
    assert "it is neither an npy nor an npz file" in refusal(tmp_path / "m.txt", format="npz")
    np.save(tmp_path / "m.npy", np.zeros((2, 2, 2)))
    assert "holds an array of 3 dimensions" in refusal(tmp_path / "m.npy")
    np.save(tmp_path / "m.npy", np.array([["a", "b"]]))
    assert "expected numbers" in refusal(tmp_path / "m.npy")
    np.save(tmp_path / "m.npy", np.zeros((3, 3)))
    assert "give its position, 0 to 2" in refusal(tmp_path / "m.npy", label="kind")
    content = (tmp_path / "m.npy").read_bytes()
    (tmp_path / "m.npy").write_bytes(content[:-8])
    assert "cannot be read" in refusal(tmp_path / "m.npy")
    np.savez(tmp_path / "m.npz", weird=np.zeros(3))
    assert "holds no matrix named X or data; its arrays are 'weird' (3,)" in refusal(tmp_path / "m.npz")
    matrix = sparse.csr_array(np.eye(3))
    parts = {"indices": np.array([0, 1, 9]), "indptr": matrix.indptr, "shape": (3, 3), "data": matrix.data}
    np.savez(tmp_path / "m.npz", format=np.array(b"csr"), y=[0, 1, 0], **parts)
    assert "is damaged" in refusal(tmp_path / "m.npz")
    (tmp_path / "m.npz").write_bytes((tmp_path / "m.npz").read_bytes()[:300])
    assert "cannot be read" in refusal(tmp_path / "m.npz")


# -- damaged and hostile files ----------------------------------------------------------------------------------------


def npy(header: str, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    text = header.encode("latin-1")
    return b"\x93NUMPY" + version + len(text).to_bytes(2 if version == b"\x01\x00" else 4, "little") + text + data


@pytest.mark.parametrize(
    "content",
    [
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776, 2)}"),
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2)}"),
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999, 2)}"),
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2"),
        npy("{'descr': [('a', '<f8')] * 9, 'fortran_order': False, 'shape': (1, 2)}"),
        npy("(" * 9000),
        npy("\\"),
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1L, 2L)}", bytes(15)),
        npy("{}", version=b"\x09\x00"),
        npy("x" * 50, version=b"\x02\x00")[:20],
        b"\x93NUMPY",
    ],
    ids=range(11),
)
def test_a_damaged_header_is_one_sentence(content: bytes, tmp_path: Path, capfd: Any) -> None:
    (tmp_path / "m.npy").write_bytes(content)
    assert "m.npy: cannot be read: " in refusal(tmp_path / "m.npy")
    assert capfd.readouterr().err == ""


def test_damage_anywhere_in_an_archive_is_one_sentence(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    np.savez_compressed(tmp_path / "m.npz", X=draw.normal(size=(20, 3)), y=draw.integers(0, 2, 20))
    content = (tmp_path / "m.npz").read_bytes()
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1 << int(draw.integers(8))
        (tmp_path / "m.npz").write_bytes(changed)
        with contextlib.suppress(DataError):
            rosenblatt.read(tmp_path / "m.npz", format="npz")


def test_of_an_archive_only_the_arrays_that_are_used_are_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rosenblatt.available_memory.memory_size", lambda: 1 << 27)
    monkeypatch.setattr("rosenblatt.available_memory._SMALL", 0)
    zeros = np.zeros(1 << 28, dtype=np.uint8)
    np.savez_compressed(tmp_path / "m.npz", X=np.eye(2), y=[0, 1], photographs=zeros)
    assert rosenblatt.read(tmp_path / "m.npz").X.tolist() == [[1, 0], [0, 1]]
    np.savez_compressed(tmp_path / "m.npz", X=zeros.reshape(-1, 2), y=[0, 1])
    assert "its array 'X.npy' needs 0.2 GB, and there are 0.1 GB of memory" in refusal(tmp_path / "m.npz")


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_file_that_shrinks_while_it_is_read_is_refused(order: Any, tmp_path: Path) -> None:
    """A mapped one would end the process by a signal."""
    matrix = np.zeros((200_000, 3), order=order)
    matrix[:, 2] = np.arange(200_000) % 2
    np.save(tmp_path / "m.npy", matrix)
    blocks = rosenblatt.stream(tmp_path / "m.npy")
    next(blocks)
    os.truncate(tmp_path / "m.npy", 1000)
    with pytest.raises(DataError, match="became shorter while it was read"):
        list(blocks)


@pytest.mark.parametrize("labels", [np.zeros((3, 2)), np.zeros(3, complex), np.zeros(3, "M8[s]"), np.zeros(3, "V4")])
def test_labels_that_are_neither_numbers_nor_words_are_refused(labels: Any, tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", X=np.eye(3), kind=labels)
    assert "expected one number or word for each row" in refusal(tmp_path / "m.npz", label="kind")
