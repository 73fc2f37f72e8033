"""Tables: csv, tsv, parquet and arrow; types of columns, missing values, error messages."""

import datetime
import gzip
import io
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

import rosenblatt
from rosenblatt.cli import main
from rosenblatt.errors import DataError, ModelError
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions

PEOPLE = "age,city,income,label\n30,Paris,1.5,yes\n?,Rome,2,no\n41, Paris ,,yes\n"


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def make(text: str | bytes, name: str = "people.csv") -> str:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return str(path)

    return make


@pytest.fixture
def write_table(tmp_path: Path) -> Any:
    def make(table: pa.Table, name: str = "people.parquet") -> str:
        path = tmp_path / name
        if name.endswith("parquet"):
            parquet.write_table(table, path, row_group_size=2)
        else:
            with ipc.new_file(str(path), table.schema) as file:
                file.write_table(table, max_chunksize=2)
        return str(path)

    return make


def refusal(path: str, **reading: Any) -> str:
    with pytest.raises((DataError, ModelError)) as refused:
        rosenblatt.read(path, **reading)
    return str(refused.value)


def test_numbers_words_and_what_is_missing(write: Any) -> None:
    examples = rosenblatt.read(write(PEOPLE))
    assert examples.space.columns == ("age", "income", "city=Paris", "city=Rome", "age=missing", "income=missing")
    assert examples.y.tolist() == ["yes", "no", "yes"]
    assert examples.X.toarray().tolist() == [
        [30, 1.5, 1, 0, 0, 0],
        [0, 2, 0, 1, 1, 0],
        [41, 0, 1, 0, 0, 1],
    ]


def test_a_table_of_numbers_is_dense_and_the_same_as_from_pandas(write: Any) -> None:
    random = np.random.default_rng(2)
    frame = pd.DataFrame(random.standard_normal((300, 4)), columns=list("abcd")).assign(target=np.arange(300) % 2)
    path = write(frame.to_csv(index=False))
    X, y = rosenblatt.read(path)
    assert isinstance(X, np.ndarray)
    values = frame[list("abcd")].to_numpy()
    assert X.tobytes() == np.ascontiguousarray(values).tobytes()
    ours = rosenblatt.Perceptron(max_iter=2, order="given").fit(X, y)
    theirs = rosenblatt.Perceptron(max_iter=2, order="given").fit(values, frame["target"])
    assert ours.coef_.tobytes() == theirs.coef_.tobytes()


def test_a_number_missing_late_widens_a_dense_table(write: Any) -> None:
    rows = "".join(f"{i},{i % 7},{i % 2}\n" for i in range(30_000))
    source = open_source(write("a,b,y\n" + rows * 20 + "5,,1\n"), ReadOptions())
    widths = [(type(block.values).__name__, block.values.shape[1]) for block in source.blocks()]
    assert widths[0] == ("ndarray", 2)
    assert widths[-1] == ("Csr", 3)
    assert source.space.columns == ("a", "b", "b=missing")


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("age,city\n3,Rome\n4,Paris\n", True),
        ("3,Rome\n4,Paris\n", False),
        ("colour,size\nred,big\nblue,small\n", True),
        ("red,big\nblue,small\nred,small\n", False),
        ("only,1\n", False),
        (",age,city\n0,3,Rome\n1,4,Paris\n", True),  # with an index written by pandas
        ("?,Rome\n4,Paris\n", False),
        ("a,a\nx,y\n", False),
    ],
)
def test_a_header_is_found(write: Any, text: str, header: bool) -> None:
    source = open_source(write(text), ReadOptions())
    list(source.blocks())
    assert source.space.settings["header"] is header


@pytest.mark.parametrize(
    ("chosen", "label"),
    [(None, "y"), ("b", "b"), (0, "a"), ("0", "a"), (-1, "c"), ("-2", "y")],
)
def test_the_label_by_name_by_position_and_by_habit(write: Any, chosen: Any, label: str) -> None:
    source = open_source(write("a,b,y,c\n1,2,3,4\n5,6,7,8\n"), ReadOptions(label=chosen))
    list(source.blocks())
    assert source.space.settings["label"] == label
    assert label not in source.space.columns


def test_a_label_that_is_not_there_is_refused_with_those_that_are(write: Any) -> None:
    path = write("a,b\n1,2\n")
    assert refusal(path, label="kind") == (
        f"{path}: there is no label column 'kind'; its columns are 'a', 'b'. "
        "Name one of them, or give its position from 0."
    )
    assert refusal(path, text=("c",)) == f"{path}: there is no column 'c'; its columns are 'a', 'b'."


def test_quotes_tabs_marks_and_bytes_that_are_not_utf8(write: Any) -> None:
    text = b'\xef\xbb\xbfwho\tsays\tlabel\n"An\tn"\t"one\ntwo"\t1\nBob\tcaf\xe9\t0\n'
    examples = rosenblatt.read(write(text, "people.tsv"), format="tsv")
    assert examples.space.columns == ("who=An\tn", "says=one\ntwo", "who=Bob", "says=caf\ufffd")
    assert examples.y.tolist() == [1, 0]


def test_packed_and_piped_tables_are_the_same(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = rosenblatt.read(write(PEOPLE))
    packed = rosenblatt.read(write(gzip.compress(PEOPLE.encode()), "people.csv.gz"))

    class Stdin:
        buffer = io.BytesIO(PEOPLE.encode())

    monkeypatch.setattr("sys.stdin", Stdin)
    piped = rosenblatt.read("-")
    for other in (packed, piped):
        assert (other.X != plain.X).nnz == 0
        assert other.space.columns == plain.space.columns


def test_threads_change_nothing(write: Any) -> None:
    random = np.random.default_rng(0)
    rows = "".join(
        f"{random.integers(100)},w{random.integers(5000)},{'?' if random.random() < 0.1 else 1.5},{i % 3}\n"
        for i in range(8_000)
    )
    path = write("n,word,gap,label\n" + rows * 60)
    single, parallel = rosenblatt.read(path), rosenblatt.read(path, threads=4)
    assert single.space.columns == parallel.space.columns
    for part in ("data", "indices", "indptr"):
        assert getattr(single.X, part).tobytes() == getattr(parallel.X, part).tobytes()


def test_a_word_among_numbers_is_refused_with_its_row(write: Any) -> None:
    rows = "".join(f"{i},{i % 2}\n" for i in range(20_000))
    path = write("age,label\n" + rows + "old,1\n")
    assert refusal(path) == (
        f"{path}:20002: expected a number in column 'age', found 'old'; correct it, "
        "or skip such rows with on_bad_row='skip'."
    )
    source = open_source(path, ReadOptions(on_bad_row="skip"))
    assert sum(len(block.labels) for block in source.blocks()) == 20_000
    assert source.skipped == 1
    assert source.bad_rows[0].row == 20_002
    assert len(rosenblatt.read(path, words="age").space.columns) == 20_001


def test_ragged_rows_and_empty_labels_are_refused_or_left_out(write: Any) -> None:
    path = write("a,b,label\n1,2,x\n3,4\n5,6,\n7,8,y\n")
    assert refusal(path) == (
        f"{path}:3: expected 3 columns, found 2; correct the row, or skip such rows with on_bad_row='skip'."
    )
    source = open_source(path, ReadOptions(on_bad_row="skip"))
    assert [block.values.tolist() for block in source.blocks()] == [[[1, 2], [7, 8]]]
    assert sorted(row.row for row in source.bad_rows) == [3, 4]
    assert source.labels == ["x", "y"]
    assert "is empty; fill it in" in refusal(write("a,label\n1,x\n2,\n"))


def test_numbers_beyond_floats_and_two_columns_of_one_name_are_refused(write: Any) -> None:
    path = write("a,label\n1,x\n1e999,y\n")
    assert refusal(path).startswith(f"{path}:3: column 'a' holds a number beyond the largest float")
    path = write("a,a,label\n1,2,x\n")
    assert refusal(path, header=True) == (f"{path}: two columns are named 'a'; give them different names.")


def test_scale_measures_and_is_kept(write: Any) -> None:
    path = write("a,b,colour,label\n1,5,red,0\n3,5,blue,1\n?,5,red,0\n")
    examples = rosenblatt.read(path, scale=True)
    assert examples.X.toarray()[:, :2].tolist() == [[-1, 0], [1, 0], [0, 0]]
    assert examples.space.shift.tolist() == [2, 5, 0, 0, 0]
    assert examples.space.scale.tolist() == [1, 1, 1, 1, 1]
    new = rosenblatt.read(write("a,b,colour\n5,6,red\n", "new.csv"), like=examples.space)
    assert new.X.toarray().tolist() == [[3, 1, 1, 0, 0]]


def test_a_stream_is_scaled_as_a_file_is(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(PEOPLE.encode())

    monkeypatch.setattr("sys.stdin", Stdin)
    piped, file = rosenblatt.read("-", scale=True), rosenblatt.read(write(PEOPLE), scale=True)
    assert piped.X.toarray().tobytes() == file.X.toarray().tobytes()
    assert piped.space.scale.tobytes() == file.space.scale.tobytes()


def test_text_columns_are_hashed_after_the_numbers_and_found_by_themselves(write: Any) -> None:
    text = "stars,shop,review,label\n5,a,it is a very good thing,1\n1,b,never again will I buy this,0\n"
    examples = rosenblatt.read(write(text), bits=14, ngrams=1)
    assert examples.space.columns == ("stars",)
    assert examples.space.settings["texts"] == ["review"]
    assert examples.X.shape == (2, 1 + 2**14)
    words = {examples.space.names[int(j)] for j in examples.X[[0]].indices if j > 0}
    assert words == {"shop=a", "it", "is", "a", "very", "good", "thing"}
    several = rosenblatt.read(write(text), bits=14, ngrams=1, text=("shop", "review"))
    assert several.space.settings["texts"] == ["shop", "review"]
    assert several.X[[0]].nnz == 1 + 1 + 6
    second = rosenblatt.read(write(text), like=examples.space)
    assert (second.X != examples.X).nnz == 0


def test_a_model_reads_its_columns_in_any_order_and_drops_the_unknown(write: Any) -> None:
    space = rosenblatt.read(write(PEOPLE)).space
    new = rosenblatt.read(write("city,extra,income,age\nOslo,1,2,3\nRome,1,2,3\n", "new.csv"), like=space)
    assert new.y is None
    assert new.X.toarray().tolist() == [[3, 2, 0, 0, 0, 0], [3, 2, 0, 1, 0, 0]]
    path = write("city,age\nOslo,1\n", "new.csv")
    assert refusal(path, like=space) == (
        f"{path}: the model was learned from a column 'income', which is missing here; its columns are 'city', 'age'."
    )


def test_a_model_without_names_reads_columns_by_position(write: Any) -> None:
    space = rosenblatt.read(write("1,yes,2\n3,no,4\n5,yes,6\n"), label=1).space
    assert space.columns == ("column0", "column2")
    unlabelled = rosenblatt.read(write("7,8\n", "new.csv"), like=space)
    labelled = rosenblatt.read(write("7,no,8\n", "new.csv"), like=space)
    assert unlabelled.X.tolist() == labelled.X.tolist() == [[7, 8]]
    assert unlabelled.y is None
    assert labelled.y.tolist() == ["no"]


@pytest.mark.parametrize("name", ["people.parquet", "people.arrow"])
def test_typed_tables(write_table: Any, name: str) -> None:
    table = pa.table(
        {
            "n": pa.array([1, None, 3], pa.int16()),
            "flag": pa.array([True, False, None]),
            "day": pa.array([datetime.date(1970, 1, 2), None, datetime.date(1970, 1, 4)]),
            "at": pa.array([datetime.datetime(1970, 1, 1, 12)] * 3),
            "price": pa.array([Decimal("1.50")] * 3),
            "city": pa.array(["Rome", "Paris", None]).dictionary_encode(),
            "label": pa.array([1, 0, 1]),
        }
    )
    examples = rosenblatt.read(write_table(table, name))
    assert examples.space.columns[:6] == ("n", "flag", "day", "at", "price", "city=Rome")
    rows = [dict(zip(examples.space.columns, row, strict=True)) for row in examples.X.toarray().tolist()]
    assert [row["day"] for row in rows] == [1, 0, 3]
    assert [row["at"] for row in rows] == [0.5, 0.5, 0.5]
    assert [row["flag=missing"] for row in rows] == [0, 0, 1]
    assert [row["n=missing"] for row in rows] == [0, 1, 0]
    assert [row["city=Rome"] for row in rows] == [1, 0, 0]
    assert examples.y.tolist() == [1, 0, 1]


def test_typed_tables_that_cannot_be_read(write_table: Any, write: Any) -> None:
    lists = pa.table({"x": pa.array([[1.0], [2.0]]), "label": pa.array([0, 1])})
    assert "column 'x' holds list<" in refusal(write_table(lists))
    assert "there are no rows in it" in refusal(write_table(lists.slice(0, 0)))
    path = write(b"PAR1 and then nothing of the kind", "broken.parquet")
    assert refusal(path).startswith(f"{path}: cannot be read as parquet: ")
    content = Path(write_table(pa.table({"x": [1.0, 2.0], "label": [0, 1]}))).read_bytes()
    packed = write(gzip.compress(content), "people.parquet.gz")
    assert "parquet is read from a plain file" in refusal(packed)


def test_a_table_without_rows_and_a_csv_that_is_empty_below_its_header(write: Any) -> None:
    path = write("a,b\n")
    assert refusal(path, header=True) == f"{path}: holds no examples, only the names of its columns."


def test_two_columns_of_one_name_above_numbers_are_refused_not_learned(write: Any) -> None:
    path = write("a,a,label\n1,2,p\n3,4,n\n")
    assert refusal(path) == f"{path}: two columns are named 'a'; give them different names."


@pytest.mark.parametrize("name", ["people.csv", "people.txt"])
def test_semicolons_separate_where_there_is_no_comma(write: Any, name: str) -> None:
    semicolons = rosenblatt.read(write(PEOPLE.replace(",", ";"), name))
    commas = rosenblatt.read(write(PEOPLE))
    assert semicolons.space.columns == commas.space.columns
    assert (semicolons.X != commas.X).sum() == 0


def test_a_quote_that_is_never_closed_is_reported_with_the_row_before(write: Any) -> None:
    path = write('a,label\n1,p\n2,"' + "n\n" * (5 << 20))
    message = refusal(path)
    assert (
        message == f"{path}: a row after row 1 cannot be read, or is longer than 2 MB; "
        "look for a quote that is opened and never closed."
    )


def test_an_arrow_stream_is_known_by_its_beginning(tmp_path: Path) -> None:
    table = pa.table({"x": [1.0, 2.0], "label": ["a", "b"]})
    with ipc.new_stream(str(tmp_path / "rows.arrow"), table.schema) as file:
        file.write_table(table)
    assert rosenblatt.read(tmp_path / "rows.arrow").space.columns == ("x",)


def test_a_table_of_labels_alone_is_refused(write: Any) -> None:
    path = write("label\np\nn\n")
    message = f"{path}: has only one column, 'label', and it is the label; there is nothing to learn from."
    assert refusal(path) == message


def test_the_y_of_points_with_labels_is_a_coordinate(tmp_path: Path) -> None:
    points = tmp_path / "points.csv"
    points.write_text("x,y,label\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n")
    X, y = rosenblatt.read(points)
    assert X.shape == (4, 2)
    assert y.tolist() == ["no", "yes", "yes", "no"]


def test_a_network_of_x_and_y_is_judged_by_the_label(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    points, model = tmp_path / "points.csv", tmp_path / "xor.model"
    points.write_text("x,y,label\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n")
    rosenblatt.save(rosenblatt.ThresholdNetwork.from_expression("x ^ y"), model)
    assert main(["evaluate", str(model), str(points)]) == 0
    assert "100.00%" in capsys.readouterr().out
