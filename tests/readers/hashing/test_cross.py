"""Crossed columns and namespaces: equal to their slow twins, the same bits however read, every command and export."""

import gzip
import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Perceptron, certify, read
from rosenblatt.cli import main
from rosenblatt.errors import ModelError
from rosenblatt.model.export.export import export_model
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model_file import load_linear_model, save_model
from rosenblatt.model.predict import predict_file
from rosenblatt.readers.formats import line_source, vw
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import Csr, FeatureSpace
from rosenblatt.report.explanation import explain_example
from tests.learn.files.test_fit_file import same_run
from tests.model.test_export import selected
from tests.slow_twins.readers.crossing import table_row, vw_features

COLUMNS = ["day", "shop", "n", "m"]
CROSS = ("day:shop", "n:day", "n:m")
PAIRS = [("day", "shop"), ("n", "day"), ("n", "m")]
BITS = 14


def rows(count: int = 300, seed: int = 0) -> list[list[str]]:
    """Days, shops and numbers, some missing, and whether the shop is open, which depends on day and shop together."""
    rng = np.random.default_rng(seed)
    examples = []
    for _ in range(count):
        day, shop = rng.choice(["sun", "mon", "tue"]), rng.choice(["bakery", "bank", "bar", ""], p=[0.4, 0.3, 0.2, 0.1])
        n, m = str(rng.integers(-3, 4)), rng.choice(["1.5", "-2", "0", ""])
        examples.append([day, shop, n, m, "yes" if (day == "sun") == (shop == "bakery") else "no"])
    return examples


def table(path: Path, examples: list[list[str]]) -> Path:
    path.write_text("".join(",".join(row) + "\n" for row in [[*COLUMNS, "open"], *examples]))
    return path


def lines_of(examples: list[list[str]]) -> str:
    return "".join(
        f"{1 if label == 'yes' else -1} |day {day}:2 |shop:0.5 {shop} some |n n:{n} |day again\n"
        for day, shop, n, _, label in examples
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
    examples = read(csv, cross=CROSS)
    dense = examples.X.toarray()
    for cells_, row in zip(rows(), dense, strict=True):
        cells = dict(zip(COLUMNS, cells_, strict=False))
        named = {name: value for name, value in zip(examples.space.columns, row, strict=True) if value != 0}
        assert named == table_row(cells, ["n", "m"], PAIRS)
    assert len(set(examples.space.columns)) == len(examples.space.columns)


def test_a_table_of_numbers_stays_a_matrix(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"
    path.write_text("a,b,c,y\n" + "".join(f"{i},{i * i},{-i},{i % 2}\n" for i in range(50)))
    examples = read(path, cross=["a:c", "b:c"])
    assert isinstance(examples.X, np.ndarray)
    assert examples.space.columns == ("a", "b", "c", "a ^ c", "b ^ c")
    np.testing.assert_array_equal(
        examples.X[:, 3:], np.column_stack([examples.X[:, 0] * examples.X[:, 2], examples.X[:, 1] * examples.X[:, 2]])
    )


def test_scaled_numbers_are_multiplied_as_they_are_learned(csv: Path) -> None:
    examples = read(csv, cross="n:m", scale=True)
    columns = {name: examples.X[:, [j]].toarray().ravel() for j, name in enumerate(examples.space.columns)}
    np.testing.assert_array_equal(columns["n ^ m"], columns["n"] * columns["m"])
    assert abs(columns["n"].mean()) < 1e-12


names = st.text(alphabet="abc", min_size=1, max_size=2)
values = st.sampled_from(["", ":2", ":-0.5", ":0"])
spaces = st.tuples(st.sampled_from(["|a", "|b", "|c:3", "|"]), st.lists(st.tuples(names, values), max_size=4))


@given(st.lists(st.lists(spaces, min_size=1, max_size=4), min_size=1, max_size=4))
def test_vw_has_the_products_of_its_slow_twin(drawn_rows: list[list[Any]]) -> None:
    text = ["1 " + " ".join(f"{bar} {' '.join(a + b for a, b in words)}" for bar, words in row) for row in drawn_rows]
    pairs = [("a", "b"), ("c", "a")]
    from rosenblatt import native

    names = native.NameDictionary(BITS, 1000)
    data = "\n".join(text).encode()
    parsed, unknown = native.parse_vw(
        data, 0, len(data), bits=BITS, names=names, skip=False, crossing=native.Crossing(pairs)
    )
    names.merge(unknown)
    starts, indices, values = parsed[:3]
    every: dict[int, set[str]] = {}
    for i, line in enumerate(text):
        twin, twin_names = vw_features(line, pairs, BITS)
        part = slice(starts[i], starts[i + 1])
        assert indices[part].tolist() == sorted(twin)
        assert values[part].tolist() == pytest.approx([twin[column] for column in sorted(twin)], abs=1e-12)
        for column, called in twin_names.items():
            every.setdefault(column, set()).update(called)
    named_columns = list(zip(names.columns.tolist(), names.ends.tolist(), strict=True))
    begin = 0
    for column, end in named_columns:
        assert names.text[begin:end].decode() in every[column]
        begin = end
    assert {column for column, _ in named_columns} == set(every)


# -- the same bits --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["csv", "vw"])
def test_the_same_bits_for_any_threads_blocks_and_packing(
    kind: str, csv: Path, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = csv if kind == "csv" else text
    reading = ReadOptions(cross=("day:shop", "n:day"), bits=None if kind == "csv" else BITS)
    plain = fit_file(path, reading=reading, passes=3, threads=1, rule="arow")
    packed = tmp_path / f"packed.{kind}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    monkeypatch.setattr(vw, "_CROSSED_BLOCK_BYTES", 1000)
    monkeypatch.setattr(line_source, "BLOCK_BYTES", 1000)
    for other in (path, packed):
        fitted = fit_file(other, reading=reading, passes=3, threads=4, rule="arow")
        assert same_run(fitted.model.run, plain.model.run)
        assert fitted.model.space.columns == plain.model.space.columns
        assert dict(fitted.model.space.names) == dict(plain.model.space.names)
    assert plain.progressive_error < 0.1  # impossible with the columns alone
    assert fit_file(path, rule="arow", passes=3).progressive_error > 0.2


@pytest.mark.parametrize("kind", ["csv", "vw"])
def test_a_kept_cache_is_of_its_pairs(kind: str, csv: Path, text: Path, tmp_path: Path) -> None:
    path, bits = (csv, None) if kind == "csv" else (text, BITS)
    options: dict[str, Any] = {"rule": "arow", "passes": 2}
    caching = {**options, "keep_cache": True, "cache": str(tmp_path / "kept")}
    (tmp_path / "kept").mkdir()
    crossed, other = (ReadOptions(cross=(pair,), bits=bits) for pair in ("day:shop", "n:day"))
    first, second = (fit_file(path, reading=crossed, **caching) for _ in range(2))
    plain = fit_file(path, reading=crossed, **options)
    assert same_run(first.model.run, plain.model.run)
    assert same_run(second.model.run, plain.model.run)
    assert second.model.space.settings["cross"] == [["day", "shop"]]
    changed = fit_file(path, reading=other, **caching)
    assert same_run(changed.model.run, fit_file(path, reading=other, **options).model.run)


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
def ctrl_c_is_heard() -> Iterator[None]:
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old)


@pytest.mark.usefixtures("ctrl_c_is_heard")
def test_a_broken_fit_goes_on_to_the_same_bits(text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rosenblatt.learn.files import passes as fitting

    monkeypatch.setattr(fitting, "_BATCH", 50)
    monkeypatch.setattr(fitting, "_REPORT_EVERY", 0.0)
    monkeypatch.setattr(vw, "_CROSSED_BLOCK_BYTES", 1000)
    options: dict[str, Any] = {"reading": ReadOptions(cross=("day:shop",), bits=BITS), "passes": 2, "rule": "arow"}
    checkpoint = str(tmp_path / "a.checkpoint")

    def stop(progress: Any) -> None:
        if progress.rows > 100:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_file(text, checkpoint=checkpoint, on_progress=stop, **options)
    other = {**options, "reading": ReadOptions(cross=("day:n",), bits=BITS)}
    with pytest.raises(ModelError, match=r"another fit, its cross was \[\['day', 'shop'\]\]: fit without resume"):
        fit_file(text, checkpoint=checkpoint, resume=True, **other)
    resumed = fit_file(text, checkpoint=checkpoint, resume=True, **options)
    assert resumed.resumed
    assert same_run(resumed.model.run, fit_file(text, **options).model.run)


# -- the model, commands and exports ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["csv", "vw"])
def test_a_model_file_reads_new_rows_as_its_own_were_read(kind: str, csv: Path, text: Path, tmp_path: Path) -> None:
    path = csv if kind == "csv" else text
    fitted = fit_file(path, reading=ReadOptions(cross=("day:shop",)), passes=5)
    save_model(fitted.model, tmp_path / "a.model")
    model = load_linear_model(tmp_path / "a.model")
    assert model.space.settings["cross"] == [["day", "shop"]]
    new = [["sun", "zoo", "1", "1", "yes"], ["fri", "bank", "1", "1", "no"], *rows(50, seed=1)]
    other = table(tmp_path / "new.csv", new) if kind == "csv" else tmp_path / "new.vw"
    if kind == "vw":
        other.write_text(lines_of(new))
    (predicted,) = predict_file(model, other)
    assert (predicted.decided == predicted.truth)[2:].mean() > 0.9
    source = open_source(
        other, ReadOptions(cross=("n:m",)), model.space
    )  # the model determines what is crossed, not the options
    np.testing.assert_array_equal(model.scores(next(iter(source.blocks())).values), predicted.scores)


def test_the_command_line(csv: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, outputs = str(tmp_path / "a.model"), []
    for arguments in (
        ["fit", str(csv), "-o", model, "--passes", "5", "--cross", "day:shop,n:m", "--cross", "n:day", "--json"],
        ["evaluate", model, str(csv), "--json"],
        ["explain", model],
        ["explain", model, "--example", "day=sun, shop=bakery, n=1, m=2"],
        ["certify", str(csv), "--cross", "day:shop", "--quiet"],
    ):
        assert main(arguments) == 0
        outputs.append(capsys.readouterr().out)
    assert json.loads(outputs[1])["accuracy"] > 0.95
    assert "day=sun ^ shop=bakery" in outputs[2]
    assert "day=sun ^ shop=bakery" in outputs[3]
    assert main(["certify", str(csv), "--quiet"]) == 1  # not separable without the pair


def exact_model(csv: Path, **reading: Any) -> tuple[LinearModel, Any]:
    fitted = fit_file(csv, reading=ReadOptions(cross=CROSS, **reading), passes=3)
    source = open_source(csv, ReadOptions(), fitted.model.space)
    return fitted.model, next(iter(source.blocks())).values


@pytest.mark.parametrize("scale", [False, True])
def test_every_export_decides_as_the_model_does(csv: Path, scale: bool) -> None:
    model, block = exact_model(csv, scale=scale)
    scores, labels = model.scores(block)[:, 0], np.array(model.classes)[model.predicted_classes(model.scores(block))]
    columns = [*COLUMNS, "open"]
    cells = [
        [None if not cell else float(cell) if c in "nm" else cell for c, cell in zip(columns, row, strict=True)]
        for row in rows()
    ]
    database = selected(export_model(model, "sql", "t"), "t", columns, cells)
    assert [row[-1] for row in database] == labels.tolist()
    np.testing.assert_allclose([row[-2] for row in database], scores, rtol=1e-9, atol=1e-9)
    _compare_onnx(model, scores)
    _compare_json(model, scores)


def _plain(model: LinearModel) -> tuple[list[str], np.ndarray]:
    """The column names before products, and the rows in these columns, unscaled."""
    names = [model.input_name(j) for j in model.input_columns]
    assert not any(" ^ " in name for name in names)
    matrix = np.zeros((len(rows()), len(names)))
    for i, row in enumerate(rows()):
        for name, value in table_row(dict(zip(COLUMNS, row, strict=False)), ["n", "m"], []).items():
            matrix[i, names.index(name)] = value
    for j, name in enumerate(names):  # a missing number counts as the mean
        if f"{name}=missing" in names and model.space.shift is not None:
            matrix[matrix[:, names.index(f"{name}=missing")] == 1, j] = model.space.shift[j]
    return names, matrix


def _compare_onnx(model: LinearModel, scores: np.ndarray) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(export_model(model, "onnx", "t"))
    names, matrix = _plain(model)
    assert json.loads(session.get_modelmeta().custom_metadata_map["features"]) == names
    (onnx_scores,) = session.run(["scores"], {"x": matrix})
    np.testing.assert_allclose(onnx_scores, scores, rtol=1e-9, atol=1e-9)


def _compare_json(model: LinearModel, scores: np.ndarray) -> None:
    unit = json.loads(export_model(model, "json", "t"))["units"][0]
    names, matrix = _plain(model)
    total = np.full(len(matrix), unit["intercept"])
    for weight in unit["weights"]:
        product = np.full(len(matrix), weight["weight"])
        for factor in weight.get("product_of", [weight]):
            product *= (matrix[:, names.index(factor["feature"])] - factor.get("shift", 0)) * factor.get("scale", 1)
        total += product
    np.testing.assert_allclose(total, scores, rtol=1e-9, atol=1e-9)


def test_products_of_a_degree_leave_with_their_columns() -> None:
    X = np.random.default_rng(0).integers(-3, 4, (100, 3)).astype(float)
    unit = Perceptron(degree=3, keep="last", max_iter=5).fit(X, X[:, 0] * X[:, 1] > X[:, 2])
    space = FeatureSpace("columns", columns=("a", "b", "c"), shift=np.array([1.0, 0, 2]), scale=np.array([0.5, 1, 2]))
    model = LinearModel(tuple(unit.classes_.tolist()), space, unit._run)
    raw = X / space.scale + space.shift
    expected = unit.decision_function(X)
    selected_rows = selected(export_model(model, "sql", "t"), "t", space.columns, raw.tolist())
    np.testing.assert_allclose([row[-2] for row in selected_rows], expected, rtol=1e-9, atol=1e-9)
    onnxruntime = pytest.importorskip("onnxruntime")
    (scores,) = onnxruntime.InferenceSession(export_model(model, "onnx", "t")).run(["scores"], {"x": raw})
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-9)


def test_an_example_is_explained_by_its_products(tmp_path: Path) -> None:
    path = tmp_path / "ellipse.csv"
    X = np.random.default_rng(0).integers(-3, 4, (200, 2))
    path.write_text("a,b,y\n" + "".join(f"{a},{b},{int(a * a + 2 * b * b > 8)}\n" for a, b in X))
    model = fit_file(path, features="poly2", passes=5, reading=ReadOptions(scale=False)).model
    explanation = explain_example(model, "a=2, b=-3")
    assert {part.feature: part.value for part in explanation["contributions"]} == {
        "a": 2,
        "b": -3,
        "a^2": 4,
        "a b": -6,
        "b^2": 9,
    }
    assert explanation["bias"] + sum(part.contribution for part in explanation["contributions"]) == pytest.approx(
        explanation["score"]
    )


def test_beside_running_text_the_pairs_are_hashed_with_the_words(tmp_path: Path) -> None:
    path = tmp_path / "mail.csv"
    path.write_text(
        "day,shop,note,open\n" + "".join(f"{d},{s},so it goes on {i},{y}\n" for i, (d, s, *_, y) in enumerate(rows()))
    )
    fitted = fit_file(path, reading=ReadOptions(cross=("day:shop",), text=("note",), bits=BITS), passes=3)
    assert "day=sun ^ shop=bakery" in dict(fitted.model.space.names).values()
    assert fitted.progressive_error < 0.25
    (predicted,) = predict_file(fitted.model, path)
    assert (predicted.decided == predicted.truth).mean() > 0.95


def test_certify_sees_the_crossed_columns(csv: Path) -> None:
    X, y = read(csv, cross="day:shop")
    assert type(certify(X.toarray(), y)).__name__ == "Separable"


def test_without_a_pair_nothing_changes(text: Path) -> None:
    source = open_source(text, ReadOptions(bits=BITS))
    values = next(iter(source.blocks())).values
    assert isinstance(values, Csr)
    assert "cross" not in source.space.settings


def test_every_word_of_a_list_is_crossed(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"t": ["a", "b"], "x": 2, "label": 0}\n{"t": ["b"], "x": 3, "label": 1}\n{"t": [], "x": 4, "label": 1}\n'
    )
    examples = read(path, cross=["t:x"])
    assert examples.space.columns == ("x", "t=a", "t=b", "t=a ^ x", "t=b ^ x")
    assert examples.X.toarray().tolist() == [[2, 1, 1, 2, 2], [3, 0, 1, 0, 3], [4, 0, 0, 0, 0]]
