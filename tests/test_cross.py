"""Crossed columns and namespaces: as their slow twins say, to the same bits however read, through every door."""

import gzip
import json
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Perceptron, certify, read
from rosenblatt.cli import main
from rosenblatt.errors import DataError, ModelError, ParameterError
from rosenblatt.learn import Model, fit_file, load_model, predict_file, save_model
from rosenblatt.read import Reading, lines, open_source, vw
from rosenblatt.read.crossing import pairs_of
from rosenblatt.records import Csr, FeatureSpace
from rosenblatt.report.example import explained
from rosenblatt.report.export import exported
from tests.reference_cross import table_row, vw_features
from tests.test_export import selected
from tests.test_stream import same

COLUMNS = ["day", "shop", "n", "m"]
CROSS = ("day:shop", "n:day", "n:m")
PAIRS = [("day", "shop"), ("n", "day"), ("n", "m")]
BITS = 14


def rows(count: int = 300, seed: int = 0) -> list[list[str]]:
    """Days, shops and numbers, some missing, and whether the shop is open: what only day and shop together say."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        day, shop = rng.choice(["sun", "mon", "tue"]), rng.choice(["bakery", "bank", "bar", ""], p=[0.4, 0.3, 0.2, 0.1])
        n, m = str(rng.integers(-3, 4)), rng.choice(["1.5", "-2", "0", ""])
        found.append([day, shop, n, m, "yes" if (day == "sun") == (shop == "bakery") else "no"])
    return found


def table(path: Path, given: list[list[str]]) -> Path:
    path.write_text("".join(",".join(row) + "\n" for row in [[*COLUMNS, "open"], *given]))
    return path


def lines_of(given: list[list[str]]) -> str:
    return "".join(
        f"{1 if label == 'yes' else -1} |day {day}:2 |shop:0.5 {shop} some |n n:{n} |day again\n"
        for day, shop, n, _, label in given
    )


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    return table(tmp_path / "shops.csv", rows())


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "shops.vw"
    path.write_text(lines_of(rows()))
    return path


# -- what is learned on ---------------------------------------------------------------------------------------------


def test_a_table_has_the_products_of_its_slow_twin(csv: Path) -> None:
    found = read(csv, cross=CROSS)
    dense = found.X.toarray()
    for cells_, row in zip(rows(), dense, strict=True):
        cells = dict(zip(COLUMNS, cells_, strict=False))
        named = {name: value for name, value in zip(found.space.columns, row, strict=True) if value != 0}
        assert named == table_row(cells, ["n", "m"], PAIRS)
    assert len(set(found.space.columns)) == len(found.space.columns)


def test_a_table_of_numbers_stays_a_matrix(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"
    path.write_text("a,b,c,y\n" + "".join(f"{i},{i * i},{-i},{i % 2}\n" for i in range(50)))
    found = read(path, cross=["a:c", "b:c"])
    assert isinstance(found.X, np.ndarray)
    assert found.space.columns == ("a", "b", "c", "a ^ c", "b ^ c")
    np.testing.assert_array_equal(
        found.X[:, 3:], np.column_stack([found.X[:, 0] * found.X[:, 2], found.X[:, 1] * found.X[:, 2]])
    )


def test_scaled_numbers_are_multiplied_as_they_are_learned(csv: Path) -> None:
    found = read(csv, cross="n:m", scale=True)
    of = {name: found.X[:, [j]].toarray().ravel() for j, name in enumerate(found.space.columns)}
    np.testing.assert_array_equal(of["n ^ m"], of["n"] * of["m"])
    assert abs(of["n"].mean()) < 1e-12


names = st.text(alphabet="abc", min_size=1, max_size=2)
values = st.sampled_from(["", ":2", ":-0.5", ":0"])
spaces = st.tuples(st.sampled_from(["|a", "|b", "|c:3", "|"]), st.lists(st.tuples(names, values), max_size=4))


@given(st.lists(st.lists(spaces, min_size=1, max_size=4), min_size=1, max_size=4))
def test_vw_has_the_products_of_its_slow_twin(given: list[list[Any]]) -> None:
    text = ["1 " + " ".join(f"{bar} {' '.join(a + b for a, b in words)}" for bar, words in row) for row in given]
    pairs = [("a", "b"), ("c", "a")]
    from rosenblatt import kernels

    known = kernels.Names(BITS, 1000)
    data = "\n".join(text).encode()
    parsed, unknown = kernels.parse_vw(
        data, 0, len(data), bits=BITS, names=known, skip=False, crossing=kernels.Crossing(pairs)
    )
    known.merge(unknown)
    starts, indices, found = parsed[:3]
    every: dict[int, set[str]] = {}
    for i, line in enumerate(text):
        twin, twin_names = vw_features(line, pairs, BITS)
        part = slice(starts[i], starts[i + 1])
        assert indices[part].tolist() == sorted(twin)
        assert found[part].tolist() == pytest.approx([twin[column] for column in sorted(twin)], abs=1e-12)
        for column, called in twin_names.items():
            every.setdefault(column, set()).update(called)
    kept = list(zip(known.columns.tolist(), known.ends.tolist(), strict=True))
    begin = 0
    for column, end in kept:
        assert known.text[begin:end].decode() in every[column]
        begin = end
    assert {column for column, _ in kept} == set(every)


# -- the same bits --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["csv", "vw"])
def test_the_same_bits_for_any_threads_chunks_and_packing(
    kind: str, csv: Path, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = csv if kind == "csv" else text
    reading = Reading(cross=("day:shop", "n:day"), bits=None if kind == "csv" else BITS)
    plain = fit_file(path, reading=reading, passes=3, threads=1, rule="arow")
    packed = tmp_path / f"packed.{kind}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    monkeypatch.setattr(vw, "_CROSSED", 1000)
    monkeypatch.setattr(lines, "CHUNK", 1000)
    for other in (path, packed):
        found = fit_file(other, reading=reading, passes=3, threads=4, rule="arow")
        assert same(found.model.running, plain.model.running)
        assert found.model.space.columns == plain.model.space.columns
        assert dict(found.model.space.names) == dict(plain.model.space.names)
    assert plain.progressive_error < 0.1  # which the columns alone cannot reach
    assert fit_file(path, rule="arow", passes=3).progressive_error > 0.2


def test_parquet_is_read_as_csv_is(csv: Path, tmp_path: Path) -> None:
    from pyarrow import csv as arrow_csv
    from pyarrow import parquet

    path = tmp_path / "shops.parquet"
    parquet.write_table(arrow_csv.read_csv(csv), path)
    ours, other = read(csv, cross=CROSS), read(path, cross=CROSS)
    assert sorted(ours.space.columns) == sorted(other.space.columns)
    order = [other.space.columns.index(name) for name in ours.space.columns]
    np.testing.assert_array_equal(ours.X.toarray(), other.X.toarray()[:, order])


@pytest.fixture
def heard() -> Iterator[None]:
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old)


@pytest.mark.usefixtures("heard")
def test_a_broken_fit_goes_on_to_the_same_bits(text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rosenblatt.learn import fitting

    monkeypatch.setattr(fitting, "_TURN", 50)
    monkeypatch.setattr(fitting, "_TELL_EVERY", 0.0)
    monkeypatch.setattr(vw, "_CROSSED", 1000)
    asked: dict[str, Any] = {"reading": Reading(cross=("day:shop",), bits=BITS), "passes": 2, "rule": "arow"}
    checkpoint = str(tmp_path / "a.checkpoint")

    def stop(progress: Any) -> None:
        if progress.rows > 100:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_file(text, checkpoint=checkpoint, on_progress=stop, **asked)
    other = {**asked, "reading": Reading(cross=("day:n",), bits=BITS)}
    with pytest.raises(ModelError, match=r"another fit, its cross was \[\['day', 'shop'\]\]: fit without resume"):
        fit_file(text, checkpoint=checkpoint, resume=True, **other)
    resumed = fit_file(text, checkpoint=checkpoint, resume=True, **asked)
    assert resumed.resumed
    assert same(resumed.model.running, fit_file(text, **asked).model.running)


# -- the model and its doors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["csv", "vw"])
def test_a_model_file_reads_new_rows_as_its_own_were_read(kind: str, csv: Path, text: Path, tmp_path: Path) -> None:
    path = csv if kind == "csv" else text
    fitted = fit_file(path, reading=Reading(cross=("day:shop",)), passes=5)
    save_model(fitted.model, tmp_path / "a.model")
    model = load_model(tmp_path / "a.model")
    assert model.space.settings["cross"] == [["day", "shop"]]
    new = [["sun", "zoo", "1", "1", "yes"], ["fri", "bank", "1", "1", "no"], *rows(50, seed=1)]
    other = table(tmp_path / "new.csv", new) if kind == "csv" else tmp_path / "new.vw"
    if kind == "vw":
        other.write_text(lines_of(new))
    (found,) = predict_file(model, other)
    assert (found.decided == found.truth)[2:].mean() > 0.9
    again = open_source(other, Reading(cross=("n:m",)), model.space)  # the model says what is crossed, not the reader
    np.testing.assert_array_equal(model.scores(next(iter(again.chunks())).values), found.scores)


def test_the_command_line(csv: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, said = str(tmp_path / "a.model"), []
    for arguments in (
        ["fit", str(csv), "-o", model, "--passes", "5", "--cross", "day:shop,n:m", "--cross", "n:day", "--json"],
        ["evaluate", model, str(csv), "--json"],
        ["explain", model],
        ["explain", model, "--example", "day=sun, shop=bakery, n=1, m=2"],
        ["certify", str(csv), "--cross", "day:shop", "--quiet"],
    ):
        assert main(arguments) == 0
        said.append(capsys.readouterr().out)
    assert json.loads(said[1])["accuracy"] > 0.95
    assert "day=sun ^ shop=bakery" in said[2]
    assert "day=sun ^ shop=bakery" in said[3]
    assert main(["certify", str(csv), "--quiet"]) == 1  # without the pair no hyperplane can


def exact_model(csv: Path, **reading: Any) -> tuple[Model, Any]:
    fitted = fit_file(csv, reading=Reading(cross=CROSS, **reading), passes=3)
    source = open_source(csv, Reading(), fitted.model.space)
    return fitted.model, next(iter(source.chunks())).values


@pytest.mark.parametrize("scale", [False, True])
def test_every_export_decides_as_the_model_does(csv: Path, scale: bool) -> None:
    model, chunk = exact_model(csv, scale=scale)
    scores, labels = model.scores(chunk)[:, 0], np.array(model.classes)[model.decide(model.scores(chunk))]
    columns = [*COLUMNS, "open"]
    cells = [
        [None if not cell else float(cell) if c in "nm" else cell for c, cell in zip(columns, row, strict=True)]
        for row in rows()
    ]
    database = selected(exported(model, "sql", "t"), "t", columns, cells)
    assert [row[-1] for row in database] == labels.tolist()
    np.testing.assert_allclose([row[-2] for row in database], scores, rtol=1e-9, atol=1e-9)
    _compare_onnx(model, scores)
    _compare_json(model, scores)


def _plain(model: Model) -> tuple[list[str], np.ndarray]:
    """The columns before any are multiplied, and the rows in them, not yet scaled."""
    names = [model.own_name(j) for j in model.given]
    assert not any(" ^ " in name for name in names)
    given = np.zeros((len(rows()), len(names)))
    for i, row in enumerate(rows()):
        for name, value in table_row(dict(zip(COLUMNS, row, strict=False)), ["n", "m"], []).items():
            given[i, names.index(name)] = value
    for j, name in enumerate(names):  # a missing number counts as the mean
        if f"{name}=missing" in names and model.space.shift is not None:
            given[given[:, names.index(f"{name}=missing")] == 1, j] = model.space.shift[j]
    return names, given


def _compare_onnx(model: Model, scores: np.ndarray) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(exported(model, "onnx", "t"))
    names, given = _plain(model)
    assert json.loads(session.get_modelmeta().custom_metadata_map["features"]) == names
    (found,) = session.run(["scores"], {"x": given})
    np.testing.assert_allclose(found, scores, rtol=1e-9, atol=1e-9)


def _compare_json(model: Model, scores: np.ndarray) -> None:
    unit = json.loads(exported(model, "json", "t"))["units"][0]
    names, given = _plain(model)
    total = np.full(len(given), unit["intercept"])
    for one in unit["weights"]:
        product = np.full(len(given), one["weight"])
        for factor in one.get("product_of", [one]):
            product *= (given[:, names.index(factor["feature"])] - factor.get("shift", 0)) * factor.get("scale", 1)
        total += product
    np.testing.assert_allclose(total, scores, rtol=1e-9, atol=1e-9)


def test_products_of_a_degree_leave_with_their_columns() -> None:
    X = np.random.default_rng(0).integers(-3, 4, (100, 3)).astype(float)
    unit = Perceptron(degree=3, keep="last", max_iter=5).fit(X, X[:, 0] * X[:, 1] > X[:, 2])
    space = FeatureSpace("columns", columns=("a", "b", "c"), shift=np.array([1.0, 0, 2]), scale=np.array([0.5, 1, 2]))
    model = Model(tuple(unit.classes_.tolist()), space, unit._run)
    raw = X / space.scale + space.shift
    wanted = unit.decision_function(X)
    found = selected(exported(model, "sql", "t"), "t", space.columns, raw.tolist())
    np.testing.assert_allclose([row[-2] for row in found], wanted, rtol=1e-9, atol=1e-9)
    onnxruntime = pytest.importorskip("onnxruntime")
    (scores,) = onnxruntime.InferenceSession(exported(model, "onnx", "t")).run(["scores"], {"x": raw})
    np.testing.assert_allclose(scores, wanted, rtol=1e-9, atol=1e-9)


def test_an_example_is_explained_by_its_products(tmp_path: Path) -> None:
    path = tmp_path / "ellipse.csv"
    X = np.random.default_rng(0).integers(-3, 4, (200, 2))
    path.write_text("a,b,y\n" + "".join(f"{a},{b},{int(a * a + 2 * b * b > 8)}\n" for a, b in X))
    model = fit_file(path, features="poly2", passes=5).model
    told = explained(model, "a=2, b=-3")
    assert {one.feature: one.value for one in told["contributions"]} == {"a": 2, "b": -3, "a^2": 4, "a b": -6, "b^2": 9}
    assert told["bias"] + sum(one.contribution for one in told["contributions"]) == pytest.approx(told["score"])


def test_beside_running_text_the_pairs_are_hashed_with_the_words(tmp_path: Path) -> None:
    path = tmp_path / "mail.csv"
    path.write_text(
        "day,shop,note,open\n" + "".join(f"{d},{s},so it goes on {i},{y}\n" for i, (d, s, *_, y) in enumerate(rows()))
    )
    fitted = fit_file(path, reading=Reading(cross=("day:shop",), text=("note",), bits=BITS), passes=3)
    assert "day=sun ^ shop=bakery" in dict(fitted.model.space.names).values()
    assert fitted.progressive_error < 0.25
    (found,) = predict_file(fitted.model, path)
    assert (found.decided == found.truth).mean() > 0.95


def test_certify_sees_the_crossed_columns(csv: Path) -> None:
    X, y = read(csv, cross="day:shop")
    assert type(certify(X.toarray(), y)).__name__ == "Separable"


# -- bad input ------------------------------------------------------------------------------------------------------

REFUSED = {
    "day": (ParameterError, "--cross 'day' is no pair: write the names of two columns or two namespaces with a colon"),
    "day:": (ParameterError, "is no pair"),
    ":": (ParameterError, "is no pair"),
    "day:day": (ParameterError, "pairs 'day' with itself: name two that differ"),
    "day:zoo": (DataError, "there is no column 'zoo' to cross; its columns are 'day', 'shop', 'n', 'm', 'open'"),
    "day:open": (DataError, "column 'open' is the label"),
}


@pytest.mark.parametrize("asked", REFUSED)
def test_a_pair_that_is_none_is_refused(asked: str, csv: Path) -> None:
    kind, sentence = REFUSED[asked]
    with pytest.raises(kind) as caught:
        read(csv, cross=asked)
    assert sentence in str(caught.value)


def test_an_unknown_namespace_is_refused_with_those_there_are(text: Path) -> None:
    with pytest.raises(DataError, match="no namespace 'zoo' to cross; its namespaces are 'day', 'shop', 'n'"):
        fit_file(text, reading=Reading(cross=("day:zoo",), bits=BITS))
    with pytest.raises(ParameterError, match="is no pair"):
        fit_file(text, reading=Reading(cross=("day:shop:n",), bits=BITS))


def test_running_text_cannot_be_crossed(tmp_path: Path) -> None:
    path = tmp_path / "notes.csv"
    path.write_text("day,note,y\n" + "".join(f"sun,it goes on and on {i},{i % 2}\n" for i in range(20)))
    with pytest.raises(DataError, match=r"column 'note' holds running text, which cannot be crossed; .* --words note"):
        read(path, cross="day:note")


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.svm", "1 1:1 2:1\n-1 2:1\n", "the features of svmlight have numbers only"),
        ("a.txt", "spam\tbuy now\nham\tsee you\n", "a text has none; --ngrams 2"),
    ],
)
def test_formats_without_names_say_what_can_be_crossed(name: str, content: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match="--cross pairs columns of a table or namespaces of VW text") as caught:
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
    with pytest.raises(ParameterError, match="The 'cross' parameter of read must be words"):
        pairs_of([""])


def test_without_a_pair_nothing_changes(text: Path) -> None:
    source = open_source(text, replace(Reading(), bits=BITS))
    values = next(iter(source.chunks())).values
    assert isinstance(values, Csr)
    assert "cross" not in source.space.settings
