"""Vowpal Wabbit's text format: the native parser against its slow twin and Vowpal Wabbit, names, error messages."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import native, options
from rosenblatt.errors import DataError, ModelError
from rosenblatt.readers.formats import line_source
from rosenblatt.readers.formats.line_source import Parsed
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import Csr, FeatureSpace
from tests.slow_twins.readers import readers as reference_read

BITS = 12
VW = ReadOptions(format="vw", bits=BITS)


def column(name: str) -> int:
    """The column of `namespace^name`, as cpp/parse/vw.cpp says."""
    space, _, name = name.rpartition("^")
    return native.hash_name(name.encode(), native.hash_name(space.encode(), 0)) >> (64 - BITS)


def parsed(text: bytes, names: native.NameDictionary | None = None, skip: bool = True) -> Parsed:
    native_rows, unknown = native.parse_vw(text, 0, len(text), bits=BITS, names=names, skip=skip)
    if names is not None:
        names.merge(unknown)
    return Parsed(*native_rows)


def rows_of(parsed_text: Parsed) -> list[tuple[Any, ...]]:
    weights = parsed_text.weights if parsed_text.weights is not None else np.ones(len(parsed_text.labels))
    rows = []
    for i, code in enumerate(parsed_text.labels):
        part = slice(parsed_text.indptr[i], parsed_text.indptr[i + 1])
        features = list(zip(parsed_text.indices[part].tolist(), parsed_text.values[part].tolist(), strict=True))
        rows.append((None if code < 0 else parsed_text.tokens[code].decode(), weights[i], features))
    return rows


def rows_of_reference(text: str) -> tuple[list[tuple[Any, ...]], int]:
    rows, bad = [], 0
    for line in text.split("\n"):
        try:
            row = reference_read.vw_row(line)
        except ValueError:
            bad += 1
            continue
        if row is not None:
            sums: defaultdict[int, float] = defaultdict(float)
            for name, value in row.features:
                sums[column(str(name))] += value
            rows.append((row.label, row.weight, sorted(sums.items())))
    return rows, bad


# Values are short binary fractions, so that sums of features that share a column are exact in any order.
VALUES = st.one_of(
    st.sampled_from(["1", "-0.5", "2.25", "+3", "1e1", ".5"]), st.sampled_from(["x", "", "nan", "1e999"])
)
NAMES = st.sampled_from(["a", "b", "price", "a-very-long-name-of-a-feature", "http://x", "9", "é", "x:y", ""])
WORDS = st.one_of(NAMES, st.builds("{}:{}".format, NAMES, VALUES), st.builds("{}:2".format, NAMES))
SPACES = st.builds(
    lambda name, words: "|" + name + "".join(" " + word for word in words),
    st.sampled_from(["", "", " ", "f", "user", "f:2", "g:x", "longer-than-eight:0.5"]),
    st.lists(WORDS, max_size=5),
)
HEADS = st.sampled_from(
    [
        "1 ",
        "-1 2.0 ",
        "3 0.5 0 ",
        "1 1 0.5 ",
        "",
        " ",
        "tag",
        "1 'tag ",
        "1 2 tag",
        "1 -1 ",
        "spam ",
        "1,2 ",
        "0:1 ",
        "1 2 3 4 ",
    ]
)
LINES = st.builds(lambda head, spaces: head + " ".join(spaces), HEADS, st.lists(SPACES, max_size=3))


@given(st.lists(LINES, max_size=6), st.sampled_from(["\n", "\r\n"]))
def test_every_file_is_read_as_its_slow_twin_reads_it(texts: list[str], end: str) -> None:
    text = end.join(texts)
    rows, bad = rows_of_reference(text)
    native_rows = parsed(text.encode())
    assert rows_of(native_rows) == rows
    assert native_rows.bad_count == bad


def test_the_parts_of_a_line() -> None:
    native_rows = parsed(b"1 2.5 'id|user:2 age:30 male |  x |item http://a.b:0.5\n| x\n\n-1 |f\n")
    labels, weights, features = zip(*rows_of(native_rows), strict=True)
    assert labels == ("1", None, "-1")
    assert weights == (2.5, 1.0, 1.0)
    expected = {"user^age": 60.0, "user^male": 2.0, "x": 1.0, "item^http://a.b": 0.5}
    assert dict(features[0]) == {column(name): value for name, value in expected.items()}
    assert features[1:] == ([(column("x"), 1.0)], [])


@pytest.mark.parametrize(
    ("line", "label", "weight", "features"),
    [
        # as Vowpal Wabbit 9 reads it, according to its --audit
        ("1 |f a b:2", 1, 1, {"f^a": 1, "f^b": 2}),
        ("1|f a", None, 1, {"f^a": 1}),
        ("-1 2.5 'tag|f a", -1, 2.5, {"f^a": 1}),
        ("1 'tag |f a", 1, 1, {"f^a": 1}),
        ("1 tag|f a", 1, 1, {"f^a": 1}),
        ("'t |f a", None, 1, {"f^a": 1}),
        ("1 |f:2 a b:3", 1, 1, {"f^a": 2, "f^b": 6}),
        ("1 |f a |g a:2 |f b", 1, 1, {"f^a": 1, "f^b": 1, "g^a": 2}),
        ("1 | a:1e-3 b:-.5 c:+2", 1, 1, {"a": 0.001, "b": -0.5, "c": 2}),
        ("1 |a b|c d", 1, 1, {"a^b": 1, "c^d": 1}),
        ("1 |  a   b  ", 1, 1, {"a": 1, "b": 1}),
        ("1 |f\ta b", 1, 1, {"f^a": 1, "f^b": 1}),
        ("  1 |f a", 1, 1, {"f^a": 1}),
        ("1 |f :3", 1, 1, {"f^": 3}),
        ("1 |f é:2 ü", 1, 1, {"f^é": 2, "f^ü": 1}),
        ("1 |12 a 13:1 14", 1, 1, {"12^a": 1, "12^13": 1, "12^14": 1}),
        ("1 0 |f a,b", 1, 0, {"f^a,b": 1}),
        ("+1 |f a\r", 1, 1, {"f^a": 1}),
        ("1 |", 1, 1, {}),
    ],
)
def test_a_line_means_what_it_means_to_vowpal_wabbit(
    line: str, label: int | None, weight: float, features: dict[str, float], tmp_path: Path
) -> None:
    path = tmp_path / "one.vw"
    path.write_bytes(f"{line}\n".encode())
    source = open_source(str(path), ReadOptions(format="vw"))
    (chunk,) = source.blocks()
    assert isinstance(chunk.values, Csr)
    assert (source.labels[chunk.labels[0]] if chunk.labels[0] >= 0 else None) == label
    assert (1 if chunk.weights is None else chunk.weights[0]) == weight
    names = source.space.names
    assert {
        names[int(at)]: value for at, value in zip(chunk.values.indices, chunk.values.values, strict=True)
    } == features


def test_the_names_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "data.vw"
    path.write_text("1 |user age:30 |item age\n0 | age\n")
    source = open_source(str(path), VW)
    list(source.blocks())
    names = {name: column(name) for name in ("user^age", "item^age", "age")}
    assert {name: source.space.names[place] for name, place in names.items()} == {name: name for name in names}
    assert (source.space.kind, source.space.bits) == ("hashed", BITS)


def test_the_same_names_and_rows_for_any_number_of_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_source, "BLOCK_BYTES", 3000)
    random = np.random.default_rng(0)
    path = tmp_path / "data.vw"
    path.write_text(
        "".join(f"{i % 2} |f " + " ".join(map(str, random.integers(0, 500, 9))) + "\n" for i in range(2000))
    )
    results = []
    for threads in (1, 2, 4):
        source = open_source(str(path), VW)
        rows = [block.values.indices.tolist() for block in source.blocks(threads) if isinstance(block.values, Csr)]
        results.append((rows, dict(source.space.names), source.labels))
    assert results[0] == results[1] == results[2]
    assert len(results[0][1]) > 400


def test_a_model_reads_with_its_own_bits(tmp_path: Path) -> None:
    path = tmp_path / "data.vw"
    path.write_text("1 |f a b\n")
    space = FeatureSpace(kind="hashed", bits=5, settings={"names": "vw"})
    source = open_source(str(path), ReadOptions(), space)
    (block,) = source.blocks()
    assert isinstance(block.values, Csr)
    assert block.values.features == 32
    assert block.values.indices.max() < 32
    assert source.space is space
    with pytest.raises(ModelError, match="is read as vw, and this model reads svmlight or npy or npz"):
        open_source(str(path), ReadOptions(), FeatureSpace(kind="index", index_base=1))


def test_the_usual_number_of_bits(tmp_path: Path) -> None:
    path = tmp_path / "data.vw"
    path.write_text("1 |f a b\n")
    (block,) = open_source(str(path), ReadOptions()).blocks()
    assert block.values.shape == (1, 1 << options.VW_BITS)


REFUSED = {
    "1 a b": "1:1: expected '|' before the features, found '1 a b'",
    "1 2 3 4 |f a": "1:1: expected a label, a weight and a tag before the first '|', found '1 2 3 4'",
    "1:0.5 2:1 |f a": "1:1: the label '1:0.5 2:1' holds costs or probabilities, which are not learned; give one label",
    "1,2 |f a": "1:1: the label '1,2' names several classes; each example must have one; "
    "to learn all of them, use multi_label",
    "1 -2 |f a": "1:3: the importance -2 is not a finite number of at least 0",
    "1 1 0.5 |f a": "1:5: the third number before '|', 0.5, would be an initial prediction, which is not "
    "supported; leave it out",
    "1 |f:x a": "1:6: expected a number as the value of feature f, found 'x'",
    "1 |f a:1 b:x": "1:12: expected a number as the value of feature b, found 'x'",
    "1 |f a:nan": "1:8: the value of feature a is nan; every value must be finite, leave missing ones out",
    "1 |f a:1e999": "1:8: the value of feature a is 1e999, beyond the largest float",
    "1 |f a\x02b": "1:7: unexpected byte 0x02; this does not look like a text file",
}


@pytest.mark.parametrize("text", REFUSED)
def test_every_refusal_names_line_and_column(tmp_path: Path, text: str) -> None:
    path = tmp_path / "data.vw"
    path.write_text(text + "\n1 |f a\n")
    with pytest.raises(DataError) as refused:
        list(open_source(str(path), VW).blocks())
    assert str(refused.value) == f"{path}:{REFUSED[text]}."
