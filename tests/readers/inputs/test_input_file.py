"""Opening files: plain, compressed and piped bytes, error messages, and format detection from name and content."""

import bz2
import gzip
import io
import lzma
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from pyarrow import ipc, parquet

from rosenblatt.errors import DataError
from rosenblatt.readers.formats import line_source
from rosenblatt.readers.formats.detect import format_of
from rosenblatt.readers.inputs.input_file import InputFile
from rosenblatt.readers.open import open_source
from rosenblatt.readers.read import read
from rosenblatt.readers.source import ReadOptions
from tests import child

LINES = b"".join(b"%d 1:0.5 %d:-2\n" % (i % 2, i + 2) for i in range(20_000))
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: bytes(pyarrow.compress(data, codec="zstd", asbytes=True)),
}


def write(folder: Path, name: str, content: bytes) -> str:
    path = folder / name
    path.write_bytes(content)
    return str(path)


def test_a_plain_file_is_read_as_often_as_needed(tmp_path: Path) -> None:
    opened = InputFile(write(tmp_path, "plain", LINES))
    assert (opened.plain, opened.rewindable, opened.compression, opened.size) == (True, True, None, len(LINES))
    assert opened.head == LINES[: 1 << 16]
    for _ in range(2):
        with opened.stream() as stream:
            assert stream.read() == LINES
            assert stream.bytes_read == len(LINES)


@pytest.mark.parametrize("packing", PACKED)
def test_compressed_files_are_known_by_their_content(tmp_path: Path, packing: str) -> None:
    data = PACKED[packing](LINES[:100_000]) + PACKED[packing](LINES[100_000:])  # two members in a row
    opened = InputFile(write(tmp_path, "no-suffix", data))
    assert (opened.plain, opened.rewindable, opened.compression, opened.size) == (False, True, packing, len(data))
    assert opened.head == LINES[: 1 << 16]
    with opened.stream() as stream:
        assert stream.read() == LINES
        assert stream.bytes_read == len(data)


@pytest.mark.parametrize("packing", PACKED)
def test_a_truncated_compressed_file_is_refused(tmp_path: Path, packing: str) -> None:
    path = write(tmp_path, "short", PACKED[packing](LINES)[:-9])
    with pytest.raises(DataError) as refused, InputFile(path).stream() as stream:
        stream.read()
    expected = f"{path}: ends in the middle of its {packing} data: it is truncated; copy or compress it again."
    assert str(refused.value) == expected


@pytest.mark.parametrize("packing", ["gzip", "bzip2", "xz"])
def test_a_damaged_compressed_file_is_refused(tmp_path: Path, packing: str) -> None:
    data = bytearray(PACKED[packing](os.urandom(100_000)))
    data[20_000:20_100] = bytes(100)
    path = write(tmp_path, "damaged", bytes(data))
    with pytest.raises(DataError) as refused, InputFile(path).stream() as stream:
        stream.read()
    assert str(refused.value) == f"{path}: its {packing} data are damaged; copy or compress the file again."


def test_a_damaged_block_of_zstd_is_refused(tmp_path: Path) -> None:
    data = bytearray(PACKED["zstd"](LINES))
    data[8:24] = bytes([255] * 16)
    path = write(tmp_path, "damaged", bytes(data))
    with pytest.raises(DataError) as refused, InputFile(path).stream() as stream:
        stream.read()
    assert str(refused.value) == f"{path}: its zstd data are damaged; copy or compress the file again."


def test_what_cannot_be_opened_is_a_sentence(tmp_path: Path) -> None:
    missing, empty = str(tmp_path / "missing"), write(tmp_path, "empty", b"")
    refusals = {
        str(tmp_path): f"{tmp_path}: is a directory; give the file in it that holds the examples.",
        missing: f"{missing}: no such file; check the path.",
        empty: f"{empty}: is empty: there are no examples in it.",
        "/dev/null": "/dev/null: is empty: there are no examples in it.",
    }
    for path, sentence in refusals.items():
        with pytest.raises(DataError) as refused:
            InputFile(path)
        assert str(refused.value) == sentence


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_a_sentence(tmp_path: Path) -> None:
    path = write(tmp_path, "closed", LINES)
    os.chmod(path, 0)
    with pytest.raises(DataError, match="permission denied"):
        InputFile(path)


def test_a_named_pipe_is_read_once(tmp_path: Path) -> None:
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: Path(path).write_bytes(gzip.compress(LINES)))
    writer.start()
    opened = InputFile(path)
    assert (opened.rewindable, opened.size, opened.compression) == (False, None, "gzip")
    with opened.stream() as stream:
        assert stream.read() == LINES
    writer.join()
    with pytest.raises(DataError, match="can be read only once; save it to a file"):
        opened.stream()


def test_standard_input_that_is_no_file_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LINES)))
    opened = InputFile("-")
    assert opened.head == LINES[: 1 << 16]
    assert opened.stream().read() == LINES


STDIN = (
    "from rosenblatt.readers.inputs.input_file import InputFile; file = InputFile('-')\n"
    "print(file.rewindable, file.size, len(file.stream().read()))"
)


def test_standard_input_is_a_file_when_a_file_is_given(tmp_path: Path) -> None:
    with Path(write(tmp_path, "data", LINES)).open("rb") as file:
        process = child.run([sys.executable, "-c", STDIN], stdin=file, capture_output=True, text=True, timeout=60)
    assert process.stdout.split() == ["True", str(len(LINES)), str(len(LINES))], process.stderr
    process = child.run([sys.executable, "-c", STDIN], input=LINES, capture_output=True, timeout=60)
    assert process.stdout.split() == [b"False", b"None", str(len(LINES)).encode()], process.stderr


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="the system has no names for descriptors")
@pytest.mark.parametrize("suffix", ["parquet", "arrow", "arrows", "npy", "npz"])
def test_a_format_that_is_no_stream_is_read_from_standard_input_where_that_is_a_file(
    tmp_path: Path, suffix: str
) -> None:
    path, numbers = tmp_path / f"t.{suffix}", np.arange(120.0).reshape(40, 3)
    numbers[:, 2] %= 2
    table = pyarrow.table({"a": numbers[:, 0], "b": numbers[:, 1], "label": numbers[:, 2]})
    if suffix == "parquet":
        parquet.write_table(table, path)
    elif suffix in ("arrow", "arrows"):
        with (ipc.new_file if suffix == "arrow" else ipc.new_stream)(str(path), table.schema) as writer:
            writer.write_table(table)
    elif suffix == "npy":
        np.save(path, numbers)
    else:
        np.savez(path, X=numbers[:, :2], y=numbers[:, 2])
    program = "import rosenblatt; X, y = rosenblatt.read('-'); print(X.tobytes().hex(), y.tolist())"
    X, y = read(path)
    with path.open("rb") as file:
        process = child.run([sys.executable, "-c", program], stdin=file, capture_output=True, text=True, timeout=60)
    assert process.stdout == f"{X.tobytes().hex()} {y.tolist()}\n", process.stderr


TEXT = b"ham\tdinner at seven, or a bit later\nspam\tyou won a prize, call now\nham\tsee you there tomorrow\n"
FOUND = {
    "svmlight": [b"+1 1:0.5 3:1\n-1 \n-1 2:1e-3 # so\n", b"# made by us\nspam qid:3 7:1\n", b"1,2 3:1 4:1\n3 4:1\n"],
    "vw": [
        b"1 0.5 'first |a x:2 y\n-1 'second |a z\n",
        b"1 |f a b:2\n-1 2.0 'tag|f c\n",
        b"| a b\n| c\n",
        b"1 0.5 x|ns:2 a\n",
        b"|a x |b y\n",
    ],
    "text": [TEXT, b"Category\tText\n" + TEXT],
    "csv": [b"a,b,c\n1,2,3\n4,5,6\n", b'1,"x, y",2\n2,z,3\n', b"73, Private, 0\n38, Not in universe, 1\n"],
    "tsv": [b"1\t2\t3\n4\t5\t6\n", b"x\ty\n1\t2\n"],
    "parquet": [b"PAR1...."],
    "arrow": [b"ARROW1\x00\x00"],
    "npy": [b"\x93NUMPY\x01\x00"],
    "npz": [b"PK\x03\x04\x14\x00" + bytes(24) + b"X.npy"],
}


@pytest.mark.parametrize(
    ("form", "content"), [(form, content) for form, contents in FOUND.items() for content in contents]
)
def test_the_format_is_found_from_the_content(tmp_path: Path, form: str, content: bytes) -> None:
    assert format_of(InputFile(write(tmp_path, "data", content))) == form
    assert format_of(InputFile(write(tmp_path, "data.gz", gzip.compress(content)))) == form


def test_the_name_decides_where_the_content_does_not(tmp_path: Path) -> None:
    names = {"a.svm": "svmlight", "a.libsvm.gz": "svmlight", "a.vw": "vw", "A.CSV": "csv"}
    for name, form in names.items():
        assert format_of(InputFile(write(tmp_path, name, b"1\n2\n"))) == form


def test_what_is_in_no_known_format_is_refused(tmp_path: Path) -> None:
    every = "svmlight, vw, csv, tsv, jsonl, parquet, arrow, npy, npz, text, fasttext"
    binary = "a format that cannot be read; convert it to one of " + every + "."
    refusals = {
        b"\x00\x00\x08\x03\x00\x00": "is an IDX file, " + binary,
        b"some\x00thing": "is a binary file, " + binary,
        b"\xff\xfea\x00": "is text in UTF-16, " + binary,
        b"just words\nof prose\n": "cannot tell its format from its name or from its first lines ('just words'); "
        f"name it with format: {every}.",
    }
    for content, sentence in refusals.items():
        path = write(tmp_path, "data", content)
        with pytest.raises(DataError) as refused:
            open_source(path, ReadOptions())
        assert str(refused.value) == f"{path}: {sentence}"
    path = write(tmp_path, "data.parquet", b"a,b\n1,2\n")
    with pytest.raises(DataError, match="is named like a parquet file and does not begin like one"):
        open_source(path, ReadOptions())


LONG = b"x" * 200_000
GIANT_LABELS = {  # format: the rows around one with such a label, and the place that the error names
    "svmlight": (b"# labels\n1 1:1\n-1 2:1\n", b"  " + LONG + b" 1:3 2:4\n", b"1 5:1\n", "4:3"),
    "vw": (b"1 0.5 |f a\n\n-1 |f b\n", b" " + LONG + b" 2 |f a b c\n", b"1 |f c d\n", "4:2"),
    "text": (b"ham\thello\nspam\tfree money\n", LONG + b"\tfree\n", b"ham\thello\n", "3:1"),
    "csv": (b"a,label\n1,ham\n2,spam\n", b"3," + LONG + b"\n", b"1,ham\n", "4"),
}


@pytest.mark.parametrize("form", GIANT_LABELS)
def test_a_label_without_end_is_a_bad_row(tmp_path: Path, form: str) -> None:
    before, bad, after, where = GIANT_LABELS[form]
    path = write(tmp_path, "long", before + bad + after)
    with pytest.raises(DataError, match=r"has more than 1,000 bytes") as refused:
        list(open_source(path, ReadOptions(format=form)).blocks())
    assert str(refused.value).startswith(f"{path}:{where}: "), str(refused.value)[:200]
    skipped = read(path, format=form, on_bad_row="skip")
    without = read(write(tmp_path, "fine", before + after), format=form)
    assert np.array_equal(skipped.y, without.y)
    assert skipped.X.shape[0] == 3
    assert abs(skipped.X - without.X).sum() == 0
    assert np.array_equal(skipped.weights, without.weights)


def test_a_label_without_end_in_a_file_of_labels_is_refused_with_its_line(tmp_path: Path) -> None:
    texts = write(tmp_path, "texts", b"hello\nfree\n")
    labels = write(tmp_path, "labels", b"ham\n" + LONG + b"\n")
    with pytest.raises(DataError, match=f"{labels}:2:1: the label that begins with 'x{{20}}' has more than 1,000"):
        list(open_source(texts, ReadOptions(labels_from=labels)).blocks())


@pytest.mark.parametrize("name", ["plain.txt", "packed.gz"])
def test_a_file_that_shrinks_while_it_is_read_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    content = os.urandom(2_000_000)
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    with InputFile(path).stream() as stream:
        stream.read(1000)
        os.truncate(path, 1_000_000)
        with pytest.raises(DataError, match="became shorter while it was read"):
            stream.read()


MEMBERS: dict[str, bytes] = {
    "bzip2 in two members": bz2.compress(LINES[:999]) + bz2.compress(LINES[999:]),
    "xz in two members, padded": lzma.compress(LINES[:999]) + bytes(4) + lzma.compress(LINES[999:]) + bytes(8),
    "gzip, padded": gzip.compress(LINES) + bytes(20),
    "zstd after a skippable frame": b"\x50\x2a\x4d\x18\x05\x00\x00\x00hello" + PACKED["zstd"](LINES),
}


@pytest.mark.parametrize("packed", MEMBERS)
def test_members_and_padding_are_read(packed: str, tmp_path: Path) -> None:
    (tmp_path / "rows.svm").write_bytes(MEMBERS[packed])
    assert InputFile(tmp_path / "rows.svm").stream().read() == LINES


@pytest.mark.parametrize("compression", PACKED)
def test_garbage_after_the_last_member_is_refused(compression: str, tmp_path: Path) -> None:
    """Whatever is damaged there may have been rows."""
    (tmp_path / "rows.svm").write_bytes(PACKED[compression](LINES) + b"garbage")
    with pytest.raises(DataError, match=r"damaged|truncated"):
        InputFile(tmp_path / "rows.svm").stream().read()


@pytest.mark.parametrize("name", ["rows.vw.gz", "rows.vw"])
def test_an_endless_line_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_source, "LONGEST_LINE", 1 << 20)
    endless = b"1 | a b\n-1 | c\n1 | " + b"a " * ((1 << 20) if name.endswith("gz") else (135 << 20))
    (tmp_path / name).write_bytes(gzip.compress(endless, 1) if name.endswith("gz") else endless)
    with pytest.raises(DataError, match=rf"{name}: cannot be read: a line is longer than 256 MB"):
        read(tmp_path / name)


def test_an_endless_label_is_refused(tmp_path: Path) -> None:
    (tmp_path / "texts").write_text("one text\nand another\n")
    (tmp_path / "labels.gz").write_bytes(gzip.compress(b"a\n" + b"b" * (64 << 20)))
    with pytest.raises(DataError, match="has more than 1,000 bytes"):
        read(tmp_path / "texts", labels_from=str(tmp_path / "labels.gz"))


def test_an_empty_name_is_said_to_be_empty() -> None:
    with pytest.raises(DataError, match=r"^The name of the file is empty: name one"):
        InputFile("")


def test_a_line_that_is_being_written_is_read_whole(tmp_path: Path) -> None:
    """And no line after it: every pass reads the same."""
    path = Path(write(tmp_path, "growing", b"1,red\n2,gr"))
    opened = InputFile(str(path))
    with path.open("ab", buffering=0) as file:
        assert opened.stream().read(1000) == b"1,red\n2,gr"
        file.write(b"ee")
        thread = threading.Timer(0.03, lambda: file.write(b"n\n3,blue\n"))
        thread.start()
        for _ in range(2):
            with opened.stream() as stream:
                assert b"".join(iter(lambda: stream.read(1000), b"")) == b"1,red\n2,green\n"
            thread.join()
    path.write_bytes(b"1,red\n2,blue")
    with InputFile(str(path)).stream() as stream:
        assert b"".join(iter(lambda: stream.read(4), b"")) == b"1,red\n2,blue"
