"""Text files: labels, words, names, a second file with the labels, and error messages."""

import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt
from rosenblatt import native
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.model_file import load_model, save_model
from rosenblatt.readers.formats import line_source
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions
from tests.slow_twins.readers import words as slow


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def make(text: str | bytes, name: str = "mail.tsv") -> str:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return str(path)

    return make


def blocks_of(path: str, threads: int = 1, space: Any = None, **reading: Any) -> tuple[Any, list[Any]]:
    source = open_source(path, ReadOptions(**{"format": "text", "bits": 18, **reading}), space)
    return source, list(source.blocks(threads))


def rows_of(blocks: list[Any]) -> list[dict[int, float]]:
    return [
        dict(zip(c.values.indices[a:b].tolist(), c.values.values[a:b].tolist(), strict=True))
        for c in blocks
        for a, b in zip(c.values.indptr[:-1], c.values.indptr[1:], strict=True)
    ]


def test_labels_and_words(write: Any) -> None:
    source, blocks = blocks_of(write("spam\tBuy NOW, buy\nham\tsee you\r\n\nspam\t\n"))
    assert source.labels == ["spam", "ham"]
    assert np.concatenate([block.labels for block in blocks]).tolist() == [0, 1, 0]
    expected = [slow.features(text, 18, 2, "sqrt", True) for text in (b"buy now buy", b"see you", b"")]
    assert rows_of(blocks) == expected
    assert source.space.kind == "hashed"
    assert (source.space.bits, source.space.ngrams) == (18, 2)
    assert sorted(source.space.names.values()) == sorted(["buy", "now", "see", "you", "buy now", "now buy", "see you"])
    assert source.space.settings["collisions"]["names"] == 7


def test_numbers_as_labels_compare_as_numbers(write: Any) -> None:
    source, blocks = blocks_of(write("+1\ta b c d\n-1\te f g h\n1.0\ti\n"))
    assert source.labels == [1, -1]
    assert blocks[0].labels.tolist() == [0, 1, 0]


def test_a_header_and_a_byte_order_mark_are_no_examples(write: Any) -> None:
    source, blocks = blocks_of(write(b"\xef\xbb\xbfLabel\tText\nham\tone\nspam\ttwo\n"))
    assert source.labels == ["ham", "spam"]
    assert len(rows_of(blocks)) == 2
    source, blocks = blocks_of(write("label\ttext\nham\tone\n"), header=False)
    assert source.labels == ["label", "ham"]


def test_a_header_is_not_learned(write: Any) -> None:
    lines = "ham\tone two\nspam\ttwo three\nham\tone\nspam\tthree\n"
    texts, reading = (lines, "label\ttext\n" + lines), ReadOptions(format="text")
    plain, headed = (fit_file(write(text), rule="perceptron", reading=reading).model for text in texts)
    assert plain.run.final_weights.coef.tobytes() == headed.run.final_weights.coef.tobytes()
    assert plain.run.counts() == headed.run.counts()


@pytest.mark.parametrize("packed", [False, True])
def test_threads_and_packing_change_nothing(write: Any, monkeypatch: pytest.MonkeyPatch, packed: bool) -> None:
    monkeypatch.setattr(line_source, "BLOCK_BYTES", 4096)
    random = np.random.default_rng(3)
    vocabulary = [f"word{i}é" for i in range(900)]
    text = "".join(
        f"{'ham' if random.random() < 0.5 else 'spam'}\t{' '.join(random.choice(vocabulary, random.integers(0, 60)))}\n"
        for _ in range(400)
    ).encode()
    source, first = blocks_of(write(text))
    path = write(gzip.compress(text), "mail.tsv.gz") if packed else write(text)
    many, second = blocks_of(path, threads=4)
    assert len(first) > 10
    assert [len(block.labels) for block in first] == [len(block.labels) for block in second]
    assert rows_of(first) == rows_of(second)
    assert source.labels == many.labels
    assert dict(source.space.names) == dict(many.space.names)
    assert source.space.settings == many.space.settings


def test_a_line_without_a_tab_is_refused_with_its_place(write: Any) -> None:
    path = write("ham\tone\nspam two\n")
    with pytest.raises(DataError) as refused:
        blocks_of(path)
    assert str(refused.value) == f"{path}:2:9: expected a label, a tab and a text, found no tab in 'spam two'."
    path = write("ham\tone\n \tdos\n")
    with pytest.raises(DataError) as refused:
        blocks_of(path)
    assert str(refused.value) == f"{path}:2:1: expected a label before the tab, found none."


def test_bad_rows_can_be_left_out(write: Any) -> None:
    path = write("ham\tone\nspam two\nspam\tthree\n\tfour\n")
    source, blocks = blocks_of(path, on_bad_row="skip")
    assert blocks[0].labels.tolist() == [0, 1]
    assert source.skipped == 2
    assert [row.row for row in source.bad_rows] == [2, 4]


def test_a_model_reads_new_text_as_its_own_and_labels_may_lack(write: Any) -> None:
    source, learned = blocks_of(write("ham\tone two\nspam\tthree\n"), bits=12, ngrams=1, value="count", unit=False)
    new, blocks = blocks_of(
        write("one two, three\nham\tone two\n\n", "new.txt"), space=source.space, format=None, bits=None
    )
    assert new.format == "text"
    assert blocks[0].labels.tolist() == [-1, 0, -1]
    assert rows_of(blocks)[1] == rows_of(learned)[0]
    assert new.space.settings == source.space.settings
    assert blocks[0].values.features == 4096


def test_raw_text_with_labels_in_a_second_file(write: Any) -> None:
    path, labels = write("one\ttab\n\nthree\n", "texts.txt"), write("a\n b\r\na", "labels.txt")
    source, blocks = blocks_of(path, labels_from=labels)
    assert source.labels == ["a", "b"]
    assert blocks[0].labels.tolist() == [0, 1, 0]
    assert rows_of(blocks)[0] == slow.features(b"one tab", 18, 2, "sqrt", True)


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (
            "a\nb\n",
            "{labels}: ends after 2 labels, and line 3 of {path} has none; give one label for each line.",
        ),
        (
            "a\nb\na\nb\n",
            "{labels}: has more than 3 labels, and {path} ends with line 3; give one label for each line.",
        ),
        ("a\n\nb\n", "{labels}:2:1: expected a label, found an empty line."),
    ],
)
def test_labels_that_do_not_fit_are_refused(write: Any, labels: str, sentence: str) -> None:
    path, second = write("one\ntwo\nthree\n", "texts.txt"), write(labels, "labels.txt")
    with pytest.raises(DataError) as refused:
        blocks_of(path, labels_from=second)
    assert str(refused.value) == sentence.format(labels=second, path=path)


def test_standard_input_is_read(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(b"ham\tone\nspam\ttwo\n")

    monkeypatch.setattr("sys.stdin", Stdin)
    source, blocks = blocks_of("-")
    assert source.labels == ["ham", "spam"]
    assert len(rows_of(blocks)) == 2


def test_read_gives_matrix_labels_and_space(write: Any) -> None:
    path = write("spam\tbuy now\nham\tsee you at noon\nspam\tnow or never\n")
    examples = rosenblatt.read(path, format="text", bits=10)
    X, y = examples
    assert X.shape == (3, 1024)
    assert y.tolist() == ["spam", "ham", "spam"]
    second = rosenblatt.read(path, like=examples.space)
    assert (second.X != X).nnz == 0
    assert [part.y.tolist() for part in rosenblatt.stream(path, format="text", bits=10)] == [y.tolist()]
    assert rosenblatt.read(write("just text\n", "new.txt"), like=examples.space).y is None


def test_read_refuses_what_it_does_not_know(write: Any) -> None:
    path = write("spam\tbuy now\n")
    with pytest.raises(ParameterError, match="read has no parameter 'colour'; its parameters are format, label"):
        rosenblatt.read(path, colour="red")
    with pytest.raises(ParameterError, match="The 'like' parameter of read must be a LinearSep"):
        rosenblatt.read(path, like="mail")
    with pytest.raises(ParameterError, match="The 'bits' parameter of read must be"):
        rosenblatt.read(path, format="text", bits=29)
    mixed = write("spam\tbuy now\nwithout\n", "mixed.txt")
    with pytest.raises(DataError, match=r"example 1 \(from 0\) has no label"):
        rosenblatt.read(mixed, like=rosenblatt.read(path, format="text").space)


def test_the_file_gives_the_same_model_as_the_matrix(write: Any) -> None:
    random = np.random.default_rng(1)
    text = "".join(f"{i % 2}\t{' '.join(f'w{j}' for j in random.integers(0, 50, 20))}\n" for i in range(60))
    X, y = rosenblatt.read(write(text), format="text", bits=12)
    batch = rosenblatt.Perceptron(max_iter=1, order="given").fit(X, y)
    parts = rosenblatt.Perceptron(order="given")
    for part, labels in rosenblatt.stream(write(text), format="text", bits=12):
        parts.partial_fit(part, labels, classes=[0, 1])
    assert batch.coef_.tobytes() == parts.coef_.tobytes()


@pytest.mark.parametrize(("classes", "bits"), [(2, 22), (3, 20), (8, 19), (40, 18)])
def test_many_classes_share_the_room_for_weights(tmp_path: Path, classes: int, bits: int) -> None:
    file = tmp_path / "many.tsv"
    file.write_text("".join(f"class{i % classes}\tword{i} some more\n" for i in range(3 * classes)))
    assert fit_file(file, rule="perceptron").model.space.bits == bits
    assert fit_file(file, rule="perceptron", reading=ReadOptions(bits=21)).model.space.bits == 21


@pytest.mark.parametrize("ending", ["tsv", "vw", "csv"])
def test_a_reading_that_was_broken_off_costs_no_names(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"names.{ending}"
    between = {"tsv": "\t", "vw": " |f ", "csv": ","}[ending]
    words = np.random.default_rng(0).integers(0, 40_000, (12_000, 30))
    first = "y,text\n" if ending == "csv" else ""
    file.write_text(
        first + "".join(f"{i % 2}{between}{' '.join(f'w{w}' for w in row)}\n" for i, row in enumerate(words))
    )
    complete = open_source(file, ReadOptions())
    for _ in complete.blocks(2):
        pass
    peeked = open_source(file, ReadOptions())
    for _ in range(3):
        blocks = peeked.blocks(1)
        next(blocks)
        blocks.close()  # type: ignore[attr-defined]
    for _ in range(2):
        for _ in peeked.blocks(2):
            pass
        assert dict(peeked.space.names) == dict(complete.space.names)
        assert peeked.space.settings["collisions"] == complete.space.settings["collisions"]


@pytest.mark.filterwarnings("ignore::rosenblatt.errors.DoubtfulDataWarning")  # one word gives the label away
@pytest.mark.parametrize("ending", ["tsv", "vw", "csv", "memory"])
def test_a_column_of_large_weight_is_named_by_its_most_common_word(tmp_path: Path, ending: str) -> None:
    """Of two words that share a column by their hashes the rare one comes first, in a part of the file by itself."""
    bits, namespace = 10, "f^" if ending == "vw" else ""
    seed = native.hash_name(b"f", 0) if namespace else 0
    places: dict[int, str] = {}
    for k in range(10_000):
        common, place = f"w{k}", native.hash_name(f"w{k}".encode(), seed) >> (64 - bits)
        if place in places:
            rare = places[place]
            break
        places[place] = common
    rows = [("b", f"x{k % 9} y{k % 8} z{k % 7}") for k in range(40)] * 2
    rows[1] = ("b", f"{rare} {rows[1][1]}")
    rows += [("a", f"{common} {text}") for _, text in rows[:60]]
    reading = ReadOptions(bits=bits, ngrams=None if ending == "vw" else 1)
    if ending == "memory":
        separator = rosenblatt.LinearSeparator(bits=bits, ngrams=1).fit(
            [text for _, text in rows], [y for y, _ in rows]
        )
        model = separator.model_
    else:
        file = tmp_path / f"rare.{ending}"
        between, first = {"tsv": ("\t", ""), "vw": (" |f ", ""), "csv": (",", "y,text\n")}[ending]
        as_written = {"a": "-1", "b": "1"} if ending == "vw" else {"a": "a", "b": "b"}
        file.write_text(first + "".join(f"{as_written[label]}{between}{text}\n" for label, text in rows))
        if ending == "csv":
            reading = ReadOptions(bits=bits, ngrams=1, text=("text",), label="y")
        model = fit_file(file, reading=reading).model
    assert model.space.settings["collisions"]["names_shared"] > 0
    heaviest = int(np.argmin(model.coef[0]))
    assert model.name(heaviest) == namespace + common
    save_model(model, tmp_path / "m.model")
    assert load_model(tmp_path / "m.model").name(heaviest) == namespace + common
