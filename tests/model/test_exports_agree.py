"""Every export decides as predict does, on a thousand random rows of each kind of model: run by SQLite, DuckDB,
onnxruntime, a reader of the JSON, and a Python without our packages."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
import onnxruntime
import pytest

from rosenblatt.errors import ModelError
from rosenblatt.model.export.export import export_model
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.multi_label import MultiLabelModel
from rosenblatt.model.model_file import save_model
from rosenblatt.model.predict import predict_file
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import Csr
from tests import child

ROWS = 1000
RANDOM = np.random.default_rng(23)
CITIES = ["Köln", "it's", "New York, NY", "a=b", " Bern"]
WORDS = ["free", "money", "Straße", "日本", "patch", "hello", "win", "ŁÓDŹ", "x_1", "👍"]


@dataclass(frozen=True)
class Case:
    """A kind of model: what is learned, and how."""

    classes: int = 2
    texts: int = 0
    dates: bool = False
    in_order: bool = False  # the times of a log
    reading: dict[str, Any] = field(default_factory=dict)
    fit: dict[str, Any] = field(default_factory=dict)
    grown: bool = False  # its dates are first met by a model that learns on
    several: bool = False  # labels an example, or none


CASES = {
    "scaled, missing, logs, flags, words": Case(),
    "dates": Case(dates=True),
    "dates in the order of the rows": Case(dates=True, in_order=True),
    "three classes with dates": Case(classes=3, dates=True),
    "not scaled": Case(reading={"scale": False}, fit={"rule": "perceptron"}),
    "threshold": Case(fit={"threshold": "recall>=0.9"}),
    "crossed": Case(reading={"cross": ("city:age", "city:plan")}),
    "text": Case(texts=1),
    "two texts of three classes": Case(texts=2, classes=3),
    "new columns": Case(dates=True, grown=True),
    "new columns beside a text": Case(texts=1, dates=True, grown=True),
    "several labels with dates": Case(classes=3, dates=True, several=True),
    "several labels, each with a threshold": Case(classes=9, several=True, fit={"threshold": "f1"}),
    "several labels of a text": Case(classes=3, texts=1, several=True),
}


def write_table(path: Path, case: Case, n_rows: int, random: np.random.Generator, *, new: bool) -> None:
    """Raw cells as a file has them; `new` rows also hold words and gaps that no row had before."""
    size = random.lognormal(3, 2, n_rows)
    age = random.normal(40, 12, n_rows)
    plan = random.choice(["pro", "free"], n_rows)
    label = (age / 12 + np.log(size) / 2 + (plan == "pro") + random.normal(0, 1, n_rows)).argsort().argsort()
    labels = [f"class {k}" for k in (label * case.classes // n_rows).tolist()]
    cities = [*CITIES, *(["Oslo"] if new else [])]
    columns: dict[str, list[str]] = {
        "age": [f"{x:.2f}" if random.random() > 0.1 else random.choice(["", "NA"]) for x in age],
        "score": [f"{x:.5g}" for x in size],
        "active": random.choice(["true", "False", ""], n_rows, p=[0.5, 0.4, 0.1]).tolist(),
        "city": random.choice(cities, n_rows).tolist(),
        "plan": plan.tolist(),
        "seats": [str(x) if random.random() > 0.2 * new else "?" for x in random.poisson(3, n_rows)],
    }
    if case.dates:
        days = np.datetime64("1890-02-27") + random.integers(0, 60_000, n_rows)
        columns["born"] = [str(day) if random.random() > 0.1 else "" for day in days]
        days = np.datetime64("2023-12-20") + random.integers(0, 400, n_rows)
        days = np.sort(days) if case.in_order else days
        parts = [str(day).split("-") for day in days]
        columns["paid"] = [f"{year}-{int(month)}-{int(day)}" for year, month, day in parts]
        seconds = random.integers(0, 86_400, n_rows).tolist()
        columns["seen"] = [
            f"{day} {s // 3600:02}:{s // 60 % 60:02}:{s % 60:02}.{s % 7}" if s % 9 else ""
            for day, s in zip(days, seconds, strict=True)
        ]
    for k in range(case.texts):
        columns[f"text{k}"] = [
            " ".join(random.choice(WORDS[int(y[-1]) :], random.integers(3, 9))) + "!" for y in labels
        ]
    columns["kind"] = [_with_another(label, random) for label in labels] if case.several else labels
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    path.write_text(table.getvalue(), encoding="utf-8")


def _with_another(label: str, random: np.random.Generator) -> str:
    """None, one or two labels."""
    return str(random.choice(["", label, f"{label};it's"], p=[0.2, 0.3, 0.5]))


class Learned(NamedTuple):
    model: LinearModel
    path: Path  # the new rows
    labels: list[Any]
    scores: np.ndarray
    probabilities: np.ndarray | None


_MODELS: dict[str, Learned] = {}


@pytest.fixture
def learned(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Learned:
    """A model of the case, and what it predicts for new rows; learned once."""
    name = request.param
    if name not in _MODELS:
        case, folder = CASES[name], tmp_path_factory.mktemp("export")
        first = replace(case, dates=case.dates and not case.grown)
        random = np.random.default_rng([23, list(CASES).index(name)])
        write_table(folder / "train.csv", first, 600, random, new=False)
        write_table(folder / "new.csv", case, ROWS, random, new=True)
        reading = ReadOptions(label="kind", decide=True, multi_label=case.several, **case.reading)
        model = fit_file(folder / "train.csv", reading=reading, **case.fit).model
        if case.grown:
            save_model(model, folder / "first.model")
            write_table(folder / "more.csv", case, 600, random, new=False)
            model = fit_file(folder / "more.csv", from_=folder / "first.model").model
        _MODELS[name] = predicted(model, folder / "new.csv")
    return _MODELS[name]


def predicted(model: LinearModel, path: Path) -> Learned:
    blocks = list(predict_file(model, path, ReadOptions()))
    units = np.concatenate([block.scores for block in blocks])
    decided = np.concatenate([block.decided for block in blocks]).tolist()
    chances = np.asarray(model.probabilities(units)) if model.gives_probabilities else None
    if isinstance(model, MultiLabelModel):
        labels = [model.separator.join(map(str, model.labels_of(row))) for row in decided]
        assert len(set(labels)) > 3
        return Learned(model, path, labels, units, chances)
    return Learned(model, path, [model.classes[k] for k in decided], model.class_scores(units), chances)


def each(*names: str) -> Any:
    return pytest.mark.parametrize("learned", names or list(CASES), indirect=True, ids=lambda name: name.split(",")[0])


TABLES = [name for name, case in CASES.items() if not case.texts]


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


def check_sql(learned: Learned, rows: list[tuple[Any, ...]], names: list[str]) -> None:
    assert [row[names.index("label")] for row in rows] == learned.labels
    own = [f"score_{label}" for label in learned.model.classes] if learned.scores.shape[1] > 1 else ["predicted_score"]
    scores = np.array([[row[names.index(name)] for name in own] for row in rows])
    np.testing.assert_allclose(scores, learned.scores, rtol=1e-12, atol=1e-7)


@each(*TABLES)
@pytest.mark.parametrize("typed", [False, True], ids=["as text", "typed"])
def test_sqlite(learned: Learned, typed: bool) -> None:
    """As text: what `.import` makes of a CSV file, with '' for a missing value."""
    rows = rows_of(learned.path)
    numbers = ("age", "score", "seats") if typed else ()
    declared = ", ".join(f'"{column}" {"REAL" if column in numbers else "TEXT"}' for column in rows[0])
    missing = {"", "NA", "?"} if typed else set()
    cells = [[None if cell in missing else cell for cell in row.values()] for row in rows]
    with sqlite3.connect(":memory:") as database:
        database.execute(f"CREATE TABLE data ({declared})")
        database.executemany(f"INSERT INTO data VALUES ({', '.join('?' * len(rows[0]))})", cells)
        cursor = database.execute(export_model(learned.model, "sql", "data").decode())
        check_sql(learned, cursor.fetchall(), [column[0] for column in cursor.description])


@each(*TABLES)
@pytest.mark.parametrize("typed", [False, True], ids=["as text", "typed"])
def test_duckdb(learned: Learned, typed: bool) -> None:
    with duckdb.connect() as database:
        options = "nullstr=['', 'NA', '?'], sample_size=-1" if typed else "all_varchar=true"
        database.execute(f"CREATE TABLE data AS SELECT * FROM read_csv('{learned.path}', header=true, {options})")
        kinds = dict(database.execute("SELECT column_name, data_type FROM information_schema.columns").fetchall())
        assert (kinds["age"], kinds["active"]) == (("DOUBLE", "BOOLEAN") if typed else ("VARCHAR", "VARCHAR"))
        cursor = database.execute(export_model(learned.model, "sql", "data").decode())
        check_sql(learned, cursor.fetchall(), [column[0] for column in cursor.description])


def inputs_of(learned: Learned) -> np.ndarray:
    """The rows as ONNX takes them: numbers as they are, NaN where one is missing, 1 for each word."""
    space = learned.model.space
    source = open_source(str(learned.path), ReadOptions(), space)
    source._encoder.scaling = None  # type: ignore[attr-defined]
    values = [block.values for block in source.blocks()]
    assert all(isinstance(part, Csr) for part in values)
    X = np.zeros((ROWS, learned.model.features))
    row = 0
    for part in values:
        for i in range(part.shape[0]):
            entries = slice(int(part.indptr[i]), int(part.indptr[i + 1]))
            np.add.at(X[row], part.indices[entries], part.values[entries])
            row += 1
    for j, column in enumerate(space.settings["numbers"]):
        missing = np.array([cells[column].strip() in ("", "NA", "?") for cells in rows_of(learned.path)])
        X[missing, j] = np.nan
        if f"{column}=missing" in space.columns:
            X[:, space.columns.index(f"{column}=missing")] = 0.0  # the graph sets it
    return X[:, learned.model.input_columns]


@each(*TABLES)
def test_onnx(learned: Learned) -> None:
    session = onnxruntime.InferenceSession(export_model(learned.model, "onnx", "data"))
    names = [output.name for output in session.get_outputs()]
    outputs = dict(zip(names, session.run(names, {"x": inputs_of(learned)}), strict=True))
    labels = outputs["label"].tolist()
    if isinstance(model := learned.model, MultiLabelModel):
        labels = [model.separator.join(map(str, model.labels_of(row))) for row in labels]
    assert labels == learned.labels
    np.testing.assert_allclose(outputs["scores"].reshape(learned.scores.shape), learned.scores, rtol=1e-12, atol=1e-9)
    if learned.probabilities is not None:
        np.testing.assert_allclose(outputs["probabilities"], learned.probabilities, rtol=1e-12, atol=1e-9)


def test_onnx_of_a_text_beside_numbers(tmp_path: Path) -> None:
    """Hashed columns, which have no scale, after those that have one."""
    case = CASES["text"]
    write_table(tmp_path / "train.csv", case, 300, RANDOM, new=False)
    write_table(tmp_path / "new.csv", case, ROWS, RANDOM, new=True)
    reading = ReadOptions(label="kind", decide=True, bits=6)
    learned = predicted(fit_file(tmp_path / "train.csv", reading=reading).model, tmp_path / "new.csv")
    session = onnxruntime.InferenceSession(export_model(learned.model, "onnx", "data"))
    X = inputs_of(learned)
    for j, column in enumerate(learned.model.space.settings["numbers"]):
        unmarked = column not in learned.model.space.settings["columns"]["missing"]
        assert unmarked or np.isnan(X[:, j]).any()
    label, scores = session.run(["label", "scores"], {"x": X})
    assert label.tolist() == learned.labels
    np.testing.assert_allclose(scores.reshape(-1, 1), learned.scores, rtol=1e-12, atol=1e-9)


@each()
def test_python_gives_the_same_bits(learned: Learned, tmp_path: Path) -> None:
    """In a process without our packages (-I -S), and once as a module."""
    program = tmp_path / "model.py"
    program.write_bytes(export_model(learned.model, "python", "data"))
    with learned.path.open("rb") as rows:
        process = child.run([sys.executable, "-I", "-S", program], stdin=rows, capture_output=True, check=True)
    assert process.stdout.decode().splitlines() == learned.labels
    module: dict[str, Any] = {"__name__": "exported"}
    exec(compile(program.read_text(encoding="utf-8"), str(program), "exec"), module)
    rows = rows_of(learned.path)
    assert [module["scores"](row) for row in rows] == learned.scores.tolist()
    chances = [list(module["probabilities"](row).values()) for row in rows]
    np.testing.assert_allclose(chances, learned.probabilities, rtol=0, atol=1e-12)


def test_python_ends_quietly_where_nobody_reads_its_answers(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("yes\tgood fine\nno\tbad poor\n" * 50)
    model = fit_file(tmp_path / "a.txt", reading=ReadOptions(decide=True, format="text")).model
    (tmp_path / "model.py").write_bytes(export_model(model, "python", "data"))
    (tmp_path / "many.txt").write_text("good\n" * 20_000)
    line = f"{sys.executable} model.py < many.txt | head -1"
    process = child.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, check=True)
    assert (process.stdout.decode(), process.stderr.decode()) == ("yes\n", "")


LINES = {
    "a.svm": lambda y: f"{y} " + " ".join(f"{j}:{RANDOM.normal(y * (j % 3), 10.0**j):.4g}" for j in range(1, 6)),
    "a.vw": lambda y: f"{y or -1} |a:2 {RANDOM.choice(WORDS)}:{RANDOM.random():.3f} n{y} |b {RANDOM.choice(WORDS)} k:3",
    "a.txt": lambda y: f"{'no' if y else 'yes'}\t{' '.join(RANDOM.choice(WORDS[y * 3 :], 5))}",
}


@pytest.mark.parametrize(("name", "degree"), [*((name, 1) for name in LINES), ("a.svm", 2)])
def test_python_of_lines_gives_the_same_bits(name: str, degree: int, tmp_path: Path) -> None:
    for path, n_rows in ((tmp_path / name, 400), (tmp_path / f"new-{name}", ROWS)):
        path.write_text("".join(f"{LINES[name](i % 2)}\n" for i in range(n_rows)), encoding="utf-8")
    cross = ("a:b",) if name == "a.vw" else ()
    options: dict[str, Any] = {"features": "poly2", "rule": "perceptron"} if degree == 2 else {}
    model = fit_file(tmp_path / name, reading=ReadOptions(decide=True, cross=cross), **options).model
    learned = predicted(model, tmp_path / f"new-{name}")
    module: dict[str, Any] = {"__name__": "exported"}
    exec(compile(export_model(model, "python", "data"), "model", "exec"), module)
    lines = learned.path.read_text(encoding="utf-8").splitlines()
    examples = [line.partition("\t")[2] if name == "a.txt" else line for line in lines]
    assert [module["predict"](line) for line in examples] == learned.labels
    assert [module["scores"](line) for line in examples] == learned.scores.tolist()


@each("scaled, missing, logs, flags, words", "three classes with dates")
def test_json_says_all_that_is_needed(learned: Learned) -> None:
    """By a reader that knows docs/export.md and nothing else."""
    document = json.loads(export_model(learned.model, "json", "data"))
    X, names = inputs_of(learned), [learned.model.input_name(j) for j in learned.model.input_columns]
    missing = set(document["features"]["indicators"])
    for row, expected in zip(X[:200].tolist(), learned.scores[:200].tolist(), strict=True):
        values = dict(zip(names, row, strict=True))
        values |= {f"{column}=missing": float(np.isnan(values[column])) for column in missing}
        totals = []
        for unit in document["units"]:
            total = unit["intercept"]
            for entry in unit["weights"]:
                value = values[entry["feature"]]
                if np.isnan(value):
                    continue
                if "log" in entry:
                    distance = (value - entry["log"]["centre"]) / entry["log"]["width"]
                    e = int(np.floor(np.log2(1 + abs(distance))))
                    value = np.sign(distance) * (e + (1 + abs(distance)) / 2**e - 1)
                total += entry["weight"] * (value - entry["shift"]) * entry["scale"]
            totals.append(total)
        np.testing.assert_allclose(totals, expected, rtol=0, atol=1e-8)


def test_sql_refuses_columns_that_differ_only_in_case(tmp_path: Path) -> None:
    rows = "".join(f"{i % 7},{i % 5},{'yes' if i % 7 > 3 else 'no'}\n" for i in range(60))
    (tmp_path / "t.csv").write_text(f"Age,age,label\n{rows}")
    model = fit_file(tmp_path / "t.csv", rule="perceptron").model
    with pytest.raises(ModelError, match="SQL does not tell column 'age' from 'Age'"):
        export_model(model, "sql", "data")
