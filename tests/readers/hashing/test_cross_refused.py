"""Pairs that cannot be crossed: each is an error that says what can be crossed."""

from pathlib import Path

import pytest

from rosenblatt import read
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.model.fit_file import fit_file
from rosenblatt.readers.hashing.cross import pairs_of
from rosenblatt.readers.source import ReadOptions
from tests.readers.hashing.test_cross import BITS, csv, text

__all__ = ["csv", "text"]  # fixtures

REFUSED = {
    "day": (ParameterError, "cross='day' is not a pair: write the names of two columns or two namespaces with a colon"),
    "day:": (ParameterError, "is not a pair"),
    ":": (ParameterError, "is not a pair"),
    "day:day": (ParameterError, "pairs 'day' with itself: name two that differ"),
    "day:zoo": (DataError, "there is no column 'zoo' to cross; its columns are 'day', 'shop', 'n', 'm', 'open'"),
    "day:open": (DataError, "column 'open' is the label"),
}


@pytest.mark.parametrize("cross", REFUSED)
def test_an_invalid_pair_is_refused(cross: str, csv: Path) -> None:
    kind, sentence = REFUSED[cross]
    with pytest.raises(kind) as caught:
        read(csv, cross=cross)
    assert sentence in str(caught.value)


def test_an_unknown_namespace_is_refused_with_those_there_are(text: Path) -> None:
    with pytest.raises(DataError, match="no namespace 'zoo' to cross; its namespaces are 'day', 'shop', 'n'"):
        fit_file(text, reading=ReadOptions(cross=("day:zoo",), bits=BITS))
    with pytest.raises(ParameterError, match="is not a pair"):
        fit_file(text, reading=ReadOptions(cross=("day:shop:n",), bits=BITS))


def test_running_text_cannot_be_crossed(tmp_path: Path) -> None:
    path = tmp_path / "notes.csv"
    path.write_text("day,note,y\n" + "".join(f"sun,it goes on and on {i},{i % 2}\n" for i in range(20)))
    with pytest.raises(DataError, match=r"column 'note' holds running text, which cannot be crossed; .* words='note'"):
        read(path, cross="day:note")


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.svm", "1 1:1 2:1\n-1 2:1\n", "features of svmlight have numbers only"),
        ("a.txt", "spam\tbuy now\nham\tsee you\n", "a text has neither; ngrams=2"),
    ],
)
def test_formats_without_names_say_what_can_be_crossed(name: str, content: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match="cross pairs columns of a table or namespaces of VW text") as caught:
        read(tmp_path / name, cross="1:2", format="text" if name == "a.txt" else None)
    assert sentence in str(caught.value)


def test_products_beyond_the_largest_float_are_bad_rows(tmp_path: Path) -> None:
    table_ = tmp_path / "a.csv"
    table_.write_text("a,b,y\n1,2,0\n1e200,1e200,1\n2,1,1\n")
    with pytest.raises(DataError, match=r"a.csv:3: the product of columns 'a' and 'b', which are crossed, is beyond"):
        read(table_, cross="a:b")
    assert len(read(table_, cross="a:b", on_bad_row="skip").X) == 2
    text = tmp_path / "a.vw"
    text.write_text("1 |a x |b y\n-1 |a x:1e200 |b y:1e200\n")
    with pytest.raises(DataError, match=r"a.vw:2:18: the product of feature x and 'y', which are crossed, is beyond"):
        read(text, cross="a:b")


def test_a_line_with_too_many_products_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "a.vw"
    words = " ".join(map(str, range(1025)))
    text.write_text(f"1 |a x |b y\n-1 |a {words} |b {words}\n")
    with pytest.raises(
        DataError, match=r"a.vw:2.* namespaces a and 'b' are crossed, and this line would give more than"
    ):
        read(text, cross="a:b")


def test_pairs() -> None:
    assert pairs_of(["a:b", "b:a", "a:b"]) == (("a", "b"),)
    assert pairs_of(["a:b:c"], ["a", "b:c"]) == (("a", "b:c"),)
    with pytest.raises(ParameterError, match="The 'cross' parameter of read must be a tuple or list of words"):
        pairs_of([""])
