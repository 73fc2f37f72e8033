"""svmlight: the native parser against its slow twin and scikit-learn, block by block, thread by thread."""

import gzip
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from rosenblatt import native
from rosenblatt.errors import DataError
from rosenblatt.readers.formats import line_source
from rosenblatt.readers.formats.line_source import Parsed
from rosenblatt.readers.labels import MAX_LABELS
from rosenblatt.readers.open import open_source
from rosenblatt.readers.read import read
from rosenblatt.readers.source import ReadOptions, RereadError
from rosenblatt.records import Csr, FeatureSpace, SourceBlock
from tests import child
from tests.slow_twins.readers import readers as reference_read

SVM = ReadOptions(format="svmlight")


def parsed(text: bytes, **options: Any) -> Parsed:
    chosen = {"base": 0, "guess_base": False, "limit": 2**31, "skip": True} | options
    return Parsed(*native.parse_svmlight(text, 0, len(text), **chosen))


def rows_of(parsed_text: Parsed) -> list[tuple[bytes | None, list[tuple[int, str]]]]:
    """Each example as its label and its features, values to the last bit."""
    codes = [None if code < 0 else parsed_text.tokens[code] for code in parsed_text.labels]
    pairs = [(int(i), v.hex()) for i, v in zip(parsed_text.indices, parsed_text.values.tolist(), strict=True)]
    return [(codes[i], pairs[parsed_text.indptr[i] : parsed_text.indptr[i + 1]]) for i in range(len(codes))]


def as_its_twin(text: bytes) -> Parsed:
    """The rows of a text, after checking that the slow twin reads the same."""
    native_rows = parsed(text)
    rows, bad = reference_read.svmlight(text.decode())
    assert native_rows.bad_count == len(bad)
    assert rows_of(native_rows) == [
        (None if row.label is None else row.label.encode(), [(int(i), v.hex()) for i, v in row.features])
        for row in rows
    ]
    return native_rows


DIGITS = st.text("0123456789", min_size=1, max_size=25)
SIGNS = st.sampled_from(["", "", "-", "+"])
NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.builds("{}{}".format, SIGNS, DIGITS),
    st.builds("{}{}.{}".format, SIGNS, st.text("0123456789", max_size=20), DIGITS),
    st.builds("{}{}.{}e{}{}".format, SIGNS, DIGITS, DIGITS, SIGNS, st.integers(0, 330)),
    st.sampled_from(["1.", ".5", "-0", "1e5", "1E-5", "0.1", "9007199254740993", "0.30000000000000004"]),
)
ODD = st.sampled_from(
    ["", ".", "-", "e5", "1e", "nan", "inf", "0x1", "1_0", "1:2", "1,5", "1e999", "--1", "1.2.3", "é"]
)
INDICES = st.one_of(st.integers(0, 2**31 - 1).map(str), st.sampled_from(["007", "qid", "-3", "2147483648", "x", ""]))
FEATURES = st.one_of(
    st.builds("{}:{}".format, INDICES, NUMBERS),
    st.builds("{}:{}".format, st.integers(0, 99), NUMBERS),
    st.builds("{}:{}".format, st.integers(0, 99), ODD),
    st.sampled_from(["7", "#", "#a b:c", "3:1#x", "é:1", ":", "a"]),
)
SPACES = st.sampled_from([" ", " ", " ", "  ", "\t", " \r"])
LABELS = st.sampled_from(["1", "-1", "+1", "0.5", "spam", "a-much-longer-label", "1,2", "é", "#", "1#", ""])
LINES = st.builds(
    lambda label, words: label + "".join(space + word for space, word in words),
    LABELS,
    st.lists(st.tuples(SPACES, FEATURES), max_size=6),
)
FILES = st.builds(
    lambda lines, ends, last: "".join(a + b for a, b in zip(lines, ends, strict=False)) + last,
    st.lists(LINES, max_size=8),
    st.lists(st.sampled_from(["\n", "\r\n", "\n\n", " \n"]), min_size=8, max_size=8),
    st.one_of(st.just(""), LINES),
)


@given(FILES)
def test_every_file_is_read_as_its_slow_twin_reads_it(text: str) -> None:
    native_rows = as_its_twin(text.encode())
    assert native_rows.lines == text.count("\n") + (not text.endswith("\n") and text != "")


SHORT = st.one_of(
    st.integers(-999, 99_999).map(str), st.builds("{}{}.{:04d}".format, SIGNS, st.integers(0, 99), st.integers(0, 9999))
)
USUAL = st.builds("{}:{}".format, st.integers(0, 10**9), SHORT)


@given(
    st.lists(st.lists(USUAL, max_size=30), max_size=3), st.lists(st.tuples(st.integers(0, 60), FEATURES), max_size=2)
)
def test_odd_features_among_many_usual_ones(lines: list[list[str]], odd: list[tuple[int, str]]) -> None:
    for line in lines:
        for place, feature in odd:
            line.insert(place, feature)
    as_its_twin("".join(" ".join(["1", *line]) + "\n" for line in lines).encode())


@given(st.lists(NUMBERS, min_size=1, max_size=5))
def test_values_are_the_floats_of_python(numbers: list[str]) -> None:
    finite = [text for text in numbers if abs(float(text)) != float("inf")]
    native_rows = parsed(("1 " + " ".join(f"{i}:{text}" for i, text in enumerate(finite)) + "\n").encode())
    assert [v.hex() for v in native_rows.values.tolist()] == [float(text).hex() for text in finite]


@pytest.mark.parametrize("places", range(20))
def test_values_of_every_length_are_the_floats_of_python(places: int) -> None:
    random = np.random.default_rng(places)
    numbers = [f"{value:.{places}f}" for value in random.standard_normal(300) * 10.0 ** random.integers(-3, 9, 300)]
    native_rows = parsed(("1 " + " ".join(f"{i}:{text}" for i, text in enumerate(numbers)) + "\n").encode())
    assert [v.hex() for v in native_rows.values.tolist()] == [float(text).hex() for text in numbers]


def matrix_of(blocks: Sequence[SourceBlock], features: int) -> sp.csr_matrix:
    parts = []
    for block in blocks:
        assert isinstance(block.values, Csr)
        arrays = block.values.values, block.values.indices, block.values.indptr
        parts.append(sp.csr_matrix(arrays, shape=(len(block.labels), features)))
    return sp.vstack(parts).tocsr()


@pytest.mark.parametrize("zero_based", [True, False])
def test_files_of_scikit_learn_come_back(tmp_path: Path, zero_based: bool) -> None:
    random = np.random.default_rng(0)
    X = sp.random(500, 80, density=0.2, random_state=0, format="csr")
    y = random.integers(-1, 3, 500)
    path = str(tmp_path / "data.svm")
    dump_svmlight_file(X, y, path, zero_based=zero_based, comment="one\nand two", query_id=np.arange(500))
    source = open_source(path, ReadOptions())
    blocks = list(source.blocks())
    theirs, labels = load_svmlight_file(path)
    ours = matrix_of(blocks, 80)
    assert source.space.index_base == (not zero_based)
    assert np.array_equal(ours.indices, theirs.indices)
    assert ours.data.tobytes() == theirs.data.tobytes()
    assert [source.labels[code] for block in blocks for code in block.labels] == labels.tolist()


def write(folder: Path, text: str | bytes, name: str = "data.svm") -> str:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


def some_lines(count: int) -> str:
    random = np.random.default_rng(1)
    return "".join(
        f"{'spam' if i % 3 else 'ham'} "
        + " ".join(f"{j}:{random.random():.{i % 9}f}" for j in range(1, 2 + i % 40))
        + "\n"
        for i in range(count)
    )


def content_of(block: SourceBlock) -> tuple[Any, ...]:
    assert isinstance(block.values, Csr)
    arrays = block.values.indptr, block.values.indices, block.values.values, block.labels
    return (*(array.tobytes() for array in arrays), block.values.features, block.first_row, block.bytes_read)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_source, "BLOCK_BYTES", 5000)


@pytest.mark.usefixtures("small_blocks")
def test_the_same_blocks_for_any_number_of_threads_plain_or_packed(tmp_path: Path) -> None:
    text = some_lines(2000)
    path = write(tmp_path, text)
    expected = [content_of(block) for block in open_source(path, SVM).blocks(1)]
    assert len(expected) > 50
    for threads in (2, 4):
        source = open_source(path, SVM)
        assert [content_of(block) for block in source.blocks(threads)] == expected
        second_pass = [block.values.shape for block in source.blocks(threads)]  # a second pass, now with known width
        assert [rows for rows, _ in second_pass] == [len(row[3]) // 4 for row in expected]
        assert {width for _, width in second_pass} == {40}
    packed = write(tmp_path, gzip.compress(text.encode()), "data.gz")
    for threads in (1, 2):
        assert [content_of(block)[:-1] for block in open_source(packed, SVM).blocks(threads)] == [
            row[:-1] for row in expected
        ]


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("end", ["\n", ""])
def test_lines_longer_than_blocks_and_pieces(tmp_path: Path, end: str) -> None:
    wide = "1 " + " ".join(f"{j}:{j % 7}" for j in range(1, 60_001))
    path = write(tmp_path, f"1 1:1\n{wide}\n\n-1 2:1\n{wide}\n0 5:1\n{wide}{end}")
    for threads in (1, 3):
        counts = [np.diff(block.values.indptr) for block in open_source(path, SVM).blocks(threads)]  # type: ignore[union-attr]
        assert np.concatenate(counts).tolist() == [1, 60_000, 1, 60_000, 1, 60_000]


@pytest.mark.usefixtures("small_blocks")
def test_every_place_of_a_cut_gives_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(f"{i} {i + 1}:1" for i in range(30)) + "\n\n# a comment\n-5 1:2"
    path = write(tmp_path, text)
    for size in range(1, 60):
        monkeypatch.setattr(line_source, "BLOCK_BYTES", size)
        source = open_source(path, SVM)
        labels = [source.labels[code] for block in source.blocks(2) for code in block.labels]
        assert labels == [*range(30), -5]
        blocks = list(line_source.whole_lines(source.file.stream(), size))  # type: ignore[attr-defined]
        assert b"".join(blocks) == text.encode()
        assert all(block.endswith(b"\n") for block in blocks[:-1])


def test_a_byte_order_mark_is_no_label(tmp_path: Path) -> None:
    for name, data in {"a.svm": b"\xef\xbb\xbf+1 1:1\n", "a.gz": gzip.compress(b"\xef\xbb\xbf+1 1:1\n")}.items():
        source = open_source(write(tmp_path, data, name), SVM)
        assert len(list(source.blocks())) == 1
        assert source.labels == [1]


def test_numbers_are_one_label_and_a_word_makes_words_of_all(tmp_path: Path) -> None:
    source = open_source(write(tmp_path, "+1 1:1\n1.0 1:1\n-1 1:1\n0.5 1:1\n1 1:1\n"), SVM)
    assert [block.labels.tolist() for block in source.blocks()] == [[0, 0, 1, 2, 0]]
    assert source.labels == [1, -1, 0.5]
    source = open_source(write(tmp_path, "+1 1:1\nspam 1:1\n-1 1:1\n"), SVM)
    list(source.blocks())
    assert source.labels == ["+1", "spam", "-1"]


def test_known_classes_come_first(tmp_path: Path) -> None:
    source = open_source(write(tmp_path, "b 1:1\nc 1:1\n"), ReadOptions(format="svmlight", classes=("a", "b", "c")))
    assert [block.labels.tolist() for block in source.blocks()] == [[1, 2]]
    assert source.labels == ["a", "b", "c"]


def test_a_line_without_a_label_has_none(tmp_path: Path) -> None:
    source = open_source(write(tmp_path, "1:1 2:1\n3 1:1\n"), SVM)
    assert [block.labels.tolist() for block in source.blocks()] == [[-1, 0]]


def test_labels_that_hardly_repeat_are_read_as_they_are() -> None:
    numbers = [f"{k / 7:.3f}" for k in range(1500)]
    words = [f"a-long-label-{k % 3}" for k in range(500)]
    labels = [label for pair in zip(words + numbers, numbers + words, strict=True) for label in pair]
    as_its_twin("".join(f"{label} 1:{k}\n" for k, label in enumerate(labels)).encode())


def test_labels_of_regression_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "".join(f"{i / 7:.4f} 1:1\n" for i in range(MAX_LABELS + 1)))
    with pytest.raises(DataError, match="this looks like regression: predict them with task='number'"):
        list(open_source(path, SVM).blocks())


@pytest.mark.usefixtures("small_blocks")
def test_an_index_0_that_comes_late_starts_again(tmp_path: Path) -> None:
    text = some_lines(2000) + "ham 0:1 7:1\n"
    source = open_source(write(tmp_path, text), SVM)
    with pytest.raises(RereadError):
        list(source.blocks(2))
    blocks = list(source.blocks(2))
    assert source.space.index_base == 0
    assert isinstance(blocks[-1].values, Csr)
    assert blocks[-1].values.indices[-2:].tolist() == [0, 7]


def test_an_index_0_in_a_pipe_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    text = some_lines(3000).encode() + b"ham 0:1\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    expected = (
        "-:3001:5: feature index 0 in a file whose indices begin at 1; if they begin at 0, use index_base=0, "
        "because a stream cannot be read again from its beginning."
    )
    with pytest.raises(DataError) as refused:
        list(open_source("-", SVM).blocks())
    assert str(refused.value) == expected


def test_a_space_of_a_model_leaves_out_what_it_does_not_have(tmp_path: Path) -> None:
    space = FeatureSpace(kind="index", index_base=1, settings={"features": 3})
    source = open_source(write(tmp_path, "1 1:1 3:5 4:1 2000000000:1\n-1 9:9\n"), SVM, space)
    (block,) = source.blocks()
    assert isinstance(block.values, Csr)
    assert block.values.indices.tolist() == [0, 2]
    assert block.values.indptr.tolist() == [0, 2, 2]
    assert source.space is space


REFUSED = {
    "1 1093": "1:7: expected ':' after feature index 1093",
    "1 1:1 1093 5:1": "1:11: expected ':' after feature index 1093",
    "1 abc:1": "1:3: expected a feature index, found 'abc'",
    "1 :1": "1:3: expected a feature index, found ''",
    "é -4:1": "1:3: feature index -4 is negative",
    "1 2147483649:1": "1:3: feature index 2147483649 is beyond 2147483647; number the features without large gaps",
    "1 3:": "1:5: expected a number as the value of feature 3, found ''; leave missing values out",
    "1 3:x5": "1:5: expected a number as the value of feature 3, found 'x5'",
    "1 3:1:2": "1:5: expected a number as the value of feature 3, found '1:'",
    "\n\n1 3:nan": "3:5: the value of feature 3 is nan; every value must be finite, leave missing ones out",
    "1 3:-inf": "1:5: the value of feature 3 is -inf; every value must be finite, leave missing ones out",
    "1 3:1e999": "1:5: the value of feature 3 is 1e999, beyond the largest float",
    "1,2 3:1": "1:1: the label '1,2' names several classes; each example must have one; "
    "to learn all of them, use multi_label",
    "1 3:1 \x01": "1:7: unexpected byte 0x01; this does not look like a text file",
}


@pytest.mark.parametrize("text", REFUSED)
@pytest.mark.parametrize("isolated", [True, False])
def test_every_refusal_names_line_and_column(tmp_path: Path, text: str, isolated: bool) -> None:
    before = "" if isolated else some_lines(1000)
    path = write(tmp_path, before + text + "\n1 1:1\n")
    line, rest = REFUSED[text].split(":", 1)
    with pytest.raises(DataError) as refused:
        list(open_source(path, SVM).blocks(2))
    assert str(refused.value) == f"{path}:{int(line) + 1000 * (not isolated)}:{rest}."


def test_index_0_where_indices_begin_at_1(tmp_path: Path) -> None:
    path = write(tmp_path, "1 4:1 0:1\n")
    with pytest.raises(DataError) as refused:
        list(open_source(path, ReadOptions(index_base=1)).blocks())
    expected = "feature index 0 in a file whose indices begin at 1; if they begin at 0, use index_base=0."
    assert str(refused.value) == f"{path}:1:7: {expected}"


@pytest.mark.usefixtures("small_blocks")
def test_bad_rows_are_left_out_and_counted(tmp_path: Path) -> None:
    good = some_lines(500).splitlines()
    text = "\n".join(good[:250] + ["1 3:x"] * 12 + good[250:] + ["ham 5"])
    for threads in (1, 3):
        source = open_source(write(tmp_path, text), ReadOptions(format="svmlight", on_bad_row="skip"))
        blocks = list(source.blocks(threads))
        assert sum(len(block.labels) for block in blocks) == 500
        assert source.labels == ["ham", "spam"]
        assert source.skipped == 13
        assert [bad.row for bad in source.bad_rows] == list(range(251, 261))
        assert source.bad_rows[0].sentence.endswith(
            "data.svm:251:5: expected a number as the value of feature 3, found 'x'"
        )


@pytest.mark.usefixtures("small_blocks")
def test_the_earliest_bad_row_is_the_one_that_is_named(tmp_path: Path) -> None:
    good = some_lines(1000).splitlines()
    text = "\n".join([*good[:600], "1 x", *good[600:700], "1 y", *good[700:]])
    for threads in (1, 2, 4):
        source = open_source(write(tmp_path, text), SVM)
        with pytest.raises(DataError, match=r"data\.svm:601:3: expected a feature index, found 'x'"):
            list(source.blocks(threads))


def test_no_examples_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path, "\n# nothing\n  \n")
    with pytest.raises(DataError) as refused:
        list(open_source(path, SVM).blocks())
    assert str(refused.value) == f"{path}: holds no examples, only blank lines or comments."
    path = write(tmp_path, "1 x\n")
    with pytest.raises(DataError) as refused:
        list(open_source(path, ReadOptions(format="svmlight", on_bad_row="skip")).blocks())
    expected = f"holds no examples: all 1 rows are bad. The first: {path}:1:3: expected a feature index, found 'x'."
    assert str(refused.value) == f"{path}: {expected}"


def test_a_file_that_ends_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, some_lines(100))
    source = open_source(path, SVM)
    os.truncate(path, 200)
    with pytest.raises(DataError, match="the file became shorter while it was read"):
        list(source.blocks())


@pytest.mark.parametrize("zero_based", [True, False])
@pytest.mark.parametrize("comment", [None, "a comment\nof two lines: é"])
@pytest.mark.parametrize("query_id", [None, np.arange(12) // 4])
@pytest.mark.parametrize("sparse", [True, False])
def test_what_scikit_learn_writes_is_read_as_scikit_learn_reads_it(
    zero_based: bool, comment: str | None, query_id: Any, sparse: bool, tmp_path: Path
) -> None:
    path = str(tmp_path / "sk.svm")
    draw = np.random.default_rng(0)
    X = draw.normal(size=(12, 6)) * (draw.random((12, 6)) < 0.5)
    X[0, 0], X[3, 5] = 1.5, 2e-300
    y = draw.integers(0, 2, 12) * 2 - 1
    matrix = sp.csr_array(X) if sparse else X
    dump_svmlight_file(matrix, y, path, zero_based=zero_based, comment=comment, query_id=query_id)
    matrix_read, labels = read(path)
    assert np.array_equal(matrix_read.toarray(), load_svmlight_file(path)[0].toarray())
    assert labels.tolist() == y.tolist()


def test_several_labels_of_a_row_are_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "many.svm")
    dump_svmlight_file(np.eye(3), np.array([[1, 0], [1, 1], [0, 1]]), path, multilabel=True)
    with pytest.raises(DataError, match=r"many\.svm:2:1: the label '0,1' names several classes"):
        read(path)


ISAS = """
import hashlib, random
from rosenblatt import native
random.seed(5)
parts = ["1", "-1", " ", " ", "\\n", ":", "12", "0.5", "-0.25", "1e-5", "123456789", ".12345678901234567"]
parts += ["#", "é", "|", "\\r"]
every = hashlib.sha256()
for _ in range(3000):
    text = "".join(random.choices(parts, k=random.randrange(80))).encode()
    svm = native.parse_svmlight(text, 0, len(text), base=0, guess_base=False, limit=2**31, skip=True)
    vw, _ = native.parse_vw(text, 0, len(text), bits=9, names=None, skip=True)
    for found in (svm, vw):
        for part in (*found[:-1], found[-1].largest):
            every.update(part.tobytes() if hasattr(part, "tobytes") else repr(part).encode())
print(native.instruction_set(), every.hexdigest())
"""


def test_every_instruction_set_reads_the_same_bits() -> None:
    assert len(child.outputs_by_instruction_set(ISAS)) == 1
