"""What `fit` decides about the columns of a table, and how each decision is overruled."""

import datetime
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

import rosenblatt
from rosenblatt.errors import DataError, ModelError, ParameterError
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.model_file import load_linear_model, save_model
from rosenblatt.model.predict import predict_file
from rosenblatt.readers.source import ReadOptions
from rosenblatt.readers.table import equal_batches as batches
from rosenblatt.readers.table.columns.left_out import numbers_left_out
from rosenblatt.readers.table.scale import log_scale
from tests.slow_twins.readers import readers as slow

N = 300


def customers(n: int = N, seed: int = 0) -> pd.DataFrame:
    """An id, a name, a hash, a date, a constant, a copy, missing numbers: what ordinary tables have."""
    random = np.random.default_rng(seed)
    age = random.normal(45, 14, n).round(1)
    return pd.DataFrame(
        {
            "row": random.permutation(n) + 1000,
            "hash": [f"{value:016x}" for value in random.integers(0, 2**60, n)],
            "age": age,
            "price": random.permutation(n * 50)[:n],  # different in every row, and a measurement
            "city": random.choice(["Rome", "Oslo", "Lima"], n),
            "signup": pd.to_datetime("2020-01-01") + pd.to_timedelta(random.integers(0, 900, n), "D"),
            "seen": pd.to_datetime("2022-05-01") + pd.to_timedelta(random.integers(0, 90_000, n), "min"),
            "active": random.random(n) < 0.5,
            "years": age,
            "shop": "main",
            "income": np.where(random.random(n) < 0.2, np.nan, random.lognormal(10, 1, n).round()),
            "label": np.where(age + random.normal(0, 5, n) > 45, "yes", "no"),
        }
    )


def write(frame: pd.DataFrame, path: Path) -> str:
    """The table in the format that the name of the file says."""
    if path.suffix in (".csv", ".tsv"):
        frame.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
        return str(path)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    if path.suffix == ".parquet":
        parquet.write_table(table, path, row_group_size=70)
    else:
        with ipc.new_file(str(path), table.schema) as file:
            file.write_table(table, max_chunksize=37)
    return str(path)


def left_out(examples: Any) -> dict[str, str]:
    reasons: dict[str, str] = examples.space.settings["columns"]["left_out"]
    return reasons


def test_ids_constants_and_copies_are_left_out_and_measurements_are_not(tmp_path: Path) -> None:
    examples = rosenblatt.read(write(customers(), tmp_path / "c.csv"), decide=True)
    assert left_out(examples) == {
        "hash": "differs in every row",
        "row": "counts the rows",
        "years": "the same as age",
        "shop": "always the same",
    }
    assert examples.space.settings["numbers"] == ["age", "price", "signup", "seen", "active", "income"]
    plain = rosenblatt.read(write(customers(), tmp_path / "c.csv"))
    assert "columns" not in plain.space.settings
    assert plain.space.settings["numbers"] == ["row", "age", "price", "years", "income"]


@pytest.mark.parametrize(
    ("values", "name", "why"),
    [
        (np.arange(100.0), "line", "counts the rows"),
        (np.arange(100.0)[::-1] * 2 + 7, "line", "counts the rows"),
        (np.arange(100.0) ** 2, "sorted", ""),
        (np.random.default_rng(0).integers(0, 10**9, 100).astype(float), "amount", ""),
        (np.random.default_rng(0).integers(0, 10**9, 100).astype(float), "userId", "differs in every row"),
        (np.random.default_rng(0).integers(0, 10**9, 100).astype(float), "user_id", "differs in every row"),
        (np.r_[np.arange(95.0) * 1e6, np.zeros(5)], "Id", "an id by its name"),
        (np.arange(100.0) % 50, "id", ""),
        (np.random.default_rng(0).normal(size=100), "id", ""),
        (np.arange(10.0), "id", ""),
        (np.full(100, 3.5), "bias", "always the same"),
        (np.full(100, np.nan), "gap", "empty"),
    ],
)
def test_which_numbers_are_ids(values: Any, name: str, why: str) -> None:
    parts = [part[:, None] for part in np.array_split(values, 3)]
    assert numbers_left_out([name], parts, complete=True).get(name, "") == why
    assert name not in numbers_left_out([name], parts, dates=[name], complete=False)


@pytest.mark.parametrize("column", ["row", "hash", "years", "shop"])
def test_keep_brings_a_column_back_and_drop_takes_one_out(tmp_path: Path, column: str) -> None:
    path = write(customers(), tmp_path / "c.csv")
    examples, with_column = rosenblatt.read(path, decide=True), rosenblatt.read(path, decide=True, keep=column)
    assert set(left_out(examples)) - set(left_out(with_column)) == {column}
    assert any(name == column or name.startswith(f"{column}=") for name in with_column.space.columns)
    assert not left_out(rosenblatt.read(path, decide=True, keep="*"))
    dropped = rosenblatt.read(path, decide=True, drop=("age", "city"))
    names = {name.partition("=")[0] for name in examples.space.columns}
    assert names - {name.partition("=")[0] for name in dropped.space.columns} == {"age", "city"}
    assert "years" in dropped.space.columns  # no copy any more


def test_scale_and_kinds_can_be_overruled(tmp_path: Path) -> None:
    path = write(customers(), tmp_path / "c.csv")
    scaled, raw = rosenblatt.read(path, decide=True), rosenblatt.read(path, decide=True, scale=False)
    assert scaled.space.columns == raw.space.columns
    number = scaled.space.columns.index("age")
    ages = customers()["age"].to_numpy()
    assert raw.X.toarray()[:, number].tolist() == ages.tolist()
    assert scaled.X.toarray()[:, number] == pytest.approx((ages - ages.mean()) / ages.std())
    words = rosenblatt.read(path, decide=True, as_="word:signup")
    assert "signup" in words.space.settings["words"]
    assert not any(name.startswith("signup weekday") for name in words.space.columns)
    texts = rosenblatt.read(path, decide=True, as_=("text:city", "number:row"), bits=8)
    assert texts.space.settings["texts"] == ["city"]
    assert "row" in texts.space.settings["numbers"]


def log_of_a_day(day: int, n: int = 600, *, order: str = "time") -> pd.DataFrame:
    """Lines of a log with the time of each, in words and in seconds; errors become alerts, whatever the day."""
    random = np.random.default_rng(day)
    level = random.choice(["info", "warn", "error"], n)
    seconds = 1_772_409_600 + day * 86_400 + np.arange(n) * 140
    label = np.where((level == "error") != (random.random(n) < 0.1), "alert", "ok")
    frame = pd.DataFrame({"ts": pd.to_datetime(seconds, unit="s"), "clock": seconds, "level": level, "label": label})
    return frame if order == "time" else frame.sample(frac=1, random_state=1)


@pytest.mark.parametrize("order", ["time", "random"])
@pytest.mark.parametrize("rule", ["arow", "logistic", "auto"])
def test_the_log_of_today_is_learned_for_tomorrow(tmp_path: Path, rule: Any, order: str) -> None:
    """A weight for the day itself would grow from day to day until it alone decides."""
    model = fit_file(write(log_of_a_day(0, order=order).drop(columns="clock"), tmp_path / "a.csv"), rule=rule).model
    for day in (1, 20):
        tomorrow = log_of_a_day(day)
        path = write(tomorrow, tmp_path / "b.csv")
        scores = np.concatenate([block.decided for block in predict_file(model, path, ReadOptions())])
        assert (np.asarray(model.classes)[scores] == tomorrow["label"]).mean() > 0.8


def test_days_are_left_out_of_a_log_and_brought_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from rosenblatt.cli import main

    def days_left_out(frame: pd.DataFrame, **reading: Any) -> Any:
        examples = rosenblatt.read(write(frame, tmp_path / "t.csv"), decide=True, **reading)
        days = examples.X.toarray()[:, examples.space.columns.index("ts")]
        reasons = examples.space.settings["columns"].get("days_left_out", {})
        assert ("ts" in reasons) == (not days.any())
        return reasons.get("ts")

    day, weeks = log_of_a_day(0), log_of_a_day(0, n=20_000)
    assert days_left_out(day) == days_left_out(log_of_a_day(0, order="random")) == "spans less than two weeks"
    late = weeks.iloc[np.argsort(np.arange(len(weeks)) + np.random.default_rng(0).integers(0, 500, len(weeks)))]
    for frame in (weeks, weeks[::-1], late):
        assert days_left_out(frame) == "follows the order of the rows"
    assert days_left_out(weeks.sample(frac=1, random_state=1)) is None
    assert days_left_out(customers().rename(columns={"signup": "ts"})) is None
    for reading in ({"as_": "date:ts"}, {"keep": "ts"}, {"keep": "*"}, {"scale": False}):
        assert days_left_out(day, **reading) is None
    assert main(["fit", write(day, tmp_path / "c.csv"), "-o", str(tmp_path / "m"), "--passes", "1"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    clause = "ts is used by weekday and hour alone (spans less than two weeks); --as date:ts to use the day as well;"
    assert clause in words
    assert "clock left out (follows the order of the rows); --keep clock to use it." in words
    clocks = rosenblatt.read(write(log_of_a_day(0, order="random"), tmp_path / "t.csv"), decide=True)
    assert "clock" in clocks.space.settings["numbers"]


def test_days_of_a_new_column_are_left_out_as_those_of_a_first_fit(tmp_path: Path) -> None:
    first, second = (write(log_of_a_day(day), tmp_path / f"{day}.csv") for day in (0, 1))
    write(log_of_a_day(0)[["level", "label"]], Path(first))
    save_model(fit_file(first).model, tmp_path / "m.model")
    model = fit_file(second, from_=tmp_path / "m.model").model
    save_model(model, tmp_path / "m.model")
    model = load_linear_model(tmp_path / "m.model")
    assert model.space.settings["columns"]["days_left_out"] == {"ts": "spans less than two weeks"}
    assert model.coef[:, model.space.columns.index("ts")].tolist() == [0.0]
    assert "ts weekday=Tuesday" in model.space.columns


def test_what_cannot_be_overruled_is_refused(tmp_path: Path) -> None:
    path = write(customers(), tmp_path / "c.csv")
    for reading, sentence in [
        ({"drop": "nothing"}, "there is no column 'nothing'"),
        ({"keep": "nothing"}, "there is no column 'nothing'"),
        ({"drop": "label"}, "column 'label' is the label, which cannot be left out"),
        ({"as_": "date:city"}, "column 'city' does not hold dates of one known form"),
        ({"as_": "number:city"}, "expected a number in column 'city'"),
    ]:
        with pytest.raises(DataError, match=sentence):
            rosenblatt.read(path, **reading)
    for text in ("signup", "day:signup", "date:"):
        with pytest.raises(ParameterError, match="is not a kind and a column"):
            rosenblatt.read(path, as_=text)


def slow_date(cell: datetime.datetime) -> tuple[float, str, str]:
    """Days since 1970, weekday and hour, by Python's own calendar."""
    since = cell - datetime.datetime(1970, 1, 1)
    return since / datetime.timedelta(days=1), f"{cell:%A}", f"{cell:%H}"


def test_dates_give_days_weekdays_and_hours(tmp_path: Path) -> None:
    frame = customers()
    examples = rosenblatt.read(write(frame, tmp_path / "c.csv"), decide=True, scale=False)
    rows = examples.X.toarray()
    columns = {name: j for j, name in enumerate(examples.space.columns)}
    for i in range(0, N, 7):
        for column, has_hours in (("signup", False), ("seen", True)):
            days, weekday, hour = slow_date(frame[column][i].to_pydatetime())
            assert rows[i, columns[column]] == days
            features = {name for name, j in columns.items() if name.startswith(f"{column} ") and rows[i, j]}
            assert features == {f"{column} weekday={weekday}", *([f"{column} hour={hour}"] if has_hours else [])}


@pytest.mark.parametrize(
    "form",
    [
        "%d.%m.%Y",
        "%d/%m/%Y",
        "%m/%d/%Y",
        "%Y/%m/%d",
        "%Y-%m-%dT%H:%M:%S",
        "%Y-%m-%d %H:%M",
        "%d-%b-%Y",
        "%d %B %Y",
        "%b %d, %Y",
        "%B %d %Y",
    ],
)
def test_the_usual_forms_of_dates_are_the_same(tmp_path: Path, form: str) -> None:
    frame = customers()[["signup", "label"]]
    expected = rosenblatt.read(write(frame, tmp_path / "iso.csv"), decide=True)
    written = frame.assign(signup=frame["signup"].dt.strftime(form))
    other = rosenblatt.read(write(written, tmp_path / "other.csv"), decide=True)
    assert other.space.columns == expected.space.columns
    assert (other.X != expected.X).nnz == 0


def test_dates_in_which_day_and_month_cannot_be_told_apart_are_words(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("day,label\n" + "".join(f"0{1 + i % 9}/0{1 + i % 4}/2020,{i % 2}\n" for i in range(40)))
    assert rosenblatt.read(path, decide=True).space.settings["words"] == ["day"]


def test_a_date_that_is_none_is_refused_or_skipped_with_its_row(tmp_path: Path) -> None:
    lines = [f"2020-01-{1 + i % 28:02},{i % 2}" for i in range(1500)]
    lines[1200] = "2020-02-30,1"
    path = tmp_path / "d.csv"
    path.write_text("day,label\n" + "\n".join(lines) + "\n")
    with pytest.raises(DataError) as refused:
        rosenblatt.read(path, decide=True)
    assert str(refused.value).startswith(
        f"{path}:1202: expected a date (year-month-day) in column 'day', found '2020-02-30'; correct it"
    )
    assert len(rosenblatt.read(path, decide=True, on_bad_row="skip").y) == 1499


@pytest.mark.parametrize("name", ["c.tsv", "c.parquet", "c.arrow"])
def test_every_format_gives_the_same_features_and_the_same_model(tmp_path: Path, name: str) -> None:
    frame = customers(3000).assign(flag="True", digits="7", day="2024-02-28")  # strings in Parquet, too
    frame.loc[::3, ["flag", "digits", "day"]] = "false", "1.5", "2024-02-29"
    paths = [write(frame, tmp_path / file) for file in ("c.csv", name)]
    csv, other = (rosenblatt.read(path, decide=True) for path in paths)
    assert csv.space.columns == other.space.columns
    assert csv.space.shift.tobytes() == other.space.shift.tobytes()
    for part in ("data", "indices", "indptr"):
        assert getattr(csv.X, part).tobytes() == getattr(other.X, part).tobytes()
    models = [fit_file(path, passes=2).model for path in paths]
    assert models[0].coef.tobytes() == models[1].coef.tobytes()
    predicted = [rosenblatt.read(path, like=models[1].space).X for path in paths]
    assert (predicted[0] != predicted[1]).nnz == 0


def test_a_pipe_and_a_long_file_give_the_same_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the head is a small part of the data."""
    monkeypatch.setattr(batches, "HEAD_BYTES", 1 << 14)
    monkeypatch.setattr(batches, "_MIN_ROWS", 100)
    monkeypatch.setattr(batches, "_BATCH_CELLS", 100)
    path = write(customers(2000).drop(columns=["shop"]), tmp_path / "c.csv")
    file = rosenblatt.read(path, decide=True, threads=3)
    assert file.space.settings["columns"]["head_rows"] == 200

    class Stdin:
        buffer = io.BytesIO(Path(path).read_bytes())

    monkeypatch.setattr("sys.stdin", Stdin)
    pipe = rosenblatt.read("-", decide=True)
    typed = rosenblatt.read(write(customers(2000).drop(columns=["shop"]), tmp_path / "c.parquet"), decide=True)
    for other in (pipe, typed):
        assert other.space.columns == file.space.columns
        assert (other.X != file.X).nnz == 0
    head = customers(2000)["age"].to_numpy()[:200]
    assert file.space.shift[file.space.columns.index("age")] == pytest.approx(head.mean())


def test_a_number_missing_only_after_the_head_is_the_mean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "HEAD_BYTES", 1)
    monkeypatch.setattr(batches, "_MAX_ROWS", 50)
    path = tmp_path / "m.csv"
    path.write_text(
        "a,b,label\n" + "".join(f"{'' if i == 3 else i * i},{'' if i == 80 else i % 7},{i % 2}\n" for i in range(99))
    )
    examples = rosenblatt.read(path, decide=True)
    assert examples.space.columns == ("a", "b", "a=missing")
    rows = examples.X.toarray()
    assert rows[3].tolist()[0::2] == [0, 1]
    assert rows[80, 1] == 0
    assert rows[:, 2].sum() == 1


def test_a_model_reads_rows_without_names_in_the_order_of_its_columns(tmp_path: Path) -> None:
    frame = customers()
    path = write(frame, tmp_path / "c.csv")
    model = fit_file(path).model
    expected = rosenblatt.read(path, like=model.space)
    for columns in (list(frame), [name for name in frame if name != "label"]):
        frame[columns].to_csv(tmp_path / "new.csv", index=False, header=False)
        new = rosenblatt.read(tmp_path / "new.csv", like=model.space, header=False)
        assert (new.X != expected.X).nnz == 0
        assert (new.y is None) == ("label" not in columns)
    frame[["age", "city"]].to_csv(tmp_path / "new.csv", index=False, header=False)
    with pytest.raises(ModelError, match="has 2 columns without names, and the model was learned from 12"):
        rosenblatt.read(tmp_path / "new.csv", like=model.space, header=False)


def test_columns_in_another_order_or_without_those_left_out_are_read_by_name(tmp_path: Path) -> None:
    frame = customers()
    model = fit_file(write(frame, tmp_path / "c.csv")).model
    expected = rosenblatt.read(tmp_path / "c.csv", like=model.space)
    shuffled = frame.drop(columns=["row", "hash", "shop", "years"]).iloc[:, ::-1]
    new = rosenblatt.read(write(shuffled, tmp_path / "new.csv"), like=model.space)
    assert (new.X != expected.X).nnz == 0
    with pytest.raises(ModelError, match="learned from a column 'age', which is missing here"):
        rosenblatt.read(write(frame.rename(columns={"age": "Age"}), tmp_path / "new.csv"), like=model.space)


def test_fit_says_what_it_decided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from rosenblatt.cli import main

    path = write(customers(), tmp_path / "c.csv")
    assert main(["fit", path, "-o", str(tmp_path / "m"), "--passes", "1"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    for clause in (
        "4 numbers, scaled; income by its logarithm (a few are far larger); 1 column of words (3 values);",
        "signup, seen are dates; income has missing values;",
        "row left out (counts the rows); hash left out (differs in every row); years left out (the same as age);",
        "shop left out (always the same); --keep row to use the first of them.",
    ):
        assert clause in words
    assert main(["fit", path, "-o", str(tmp_path / "m"), "--no-scale", "--drop", "row", "--keep", "*"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "5 numbers, not scaled; 3 columns of words (304 values);" in words
    assert "without row, as you said." in words
    assert "to use the first of them" not in words
    assert "to use it" not in words


def test_numbers_that_are_named_like_an_id_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A person's number that repeats may name the person: only who wrote the file knows."""
    from rosenblatt.cli import main

    path, model = tmp_path / "answers.csv", str(tmp_path / "m")
    lines = [f"{k * 7 % 30},{k % 11},{'yes' if k * 7 % 30 > 14 else 'no'}\n" for k in range(300)]
    path.write_text("person_id,paid,answer\n" + "".join(lines))
    assert main(["fit", str(path), "-o", model, "--passes", "1"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "2 numbers, scaled; person_id is an amount (--as word:person_id if it only names things)." in words
    assert main(["fit", str(path), "-o", model, "--as", "word:person_id"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "1 number, scaled; 1 column of words (30 values)." in words
    assert "error 0.00%" in words


def test_rows_without_a_label_are_left_out_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from rosenblatt.cli import main

    labelled = [f"{k % 7},{'yes' if k % 2 else 'no'}\n" for k in range(40)]
    some = [*labelled[:11], "3,\n", *labelled[11:], "5,NA\n"]
    model, paths = str(tmp_path / "m.model"), [tmp_path / "whole.csv", tmp_path / "some.csv"]
    for path, rows in zip(paths, (labelled, some), strict=True):
        path.write_text("a,y\n" + "".join(rows))
    fits = [rosenblatt.fit_file(path, reading=ReadOptions(scale=False)) for path in paths]
    assert fits[0].model.coef.tobytes() == fits[1].model.coef.tobytes()
    assert fits[1].rows == 40
    assert main(["fit", str(paths[1]), "-o", model, "--json"]) == 0
    left_out = f"{paths[1]}: 2 rows have no label in column 'y': left out."
    assert left_out in json.loads(capsys.readouterr().out)["warnings"]
    assert main(["evaluate", model, str(paths[1])]) == 0
    assert f"{paths[1]}: 2 of 42 rows have no label: they are not judged." in capsys.readouterr().err
    assert main(["certify", str(paths[1])]) == 3  # a proof is about every row
    assert "the label, column 'y', is empty; fill it in" in capsys.readouterr().err
    paths[0].write_text("a,y\n1,\n2,\n")
    assert main(["fit", str(paths[0]), "-o", model, "--label", "y"]) == 3
    assert "holds no examples: no row has a label in column 'y'" in capsys.readouterr().err


def test_keep_also_chooses_the_weights(tmp_path: Path) -> None:
    from rosenblatt.cli import main

    path = write(customers(), tmp_path / "c.csv")
    command = ["fit", path, "-q", "--rule", "perceptron", "--keep", "average", "--keep", "row"]
    assert main([*command, "-o", str(tmp_path / "m")]) == 0
    model = load_linear_model(tmp_path / "m")
    assert model.settings.keep == "average"
    assert "row" in model.space.columns
    reading = ReadOptions(keep=("row",))
    assert (
        fit_file(path, rule="perceptron", keep="average", reading=reading).model.coef.tobytes() == model.coef.tobytes()
    )


def test_the_fast_logarithm_is_the_slow_one() -> None:
    values = np.random.default_rng(0).standard_t(1, 500) * 10.0 ** np.arange(-3, 7).repeat(50)
    fast = log_scale(values, 0.25, 0.01)
    assert fast.tolist() == [slow.log_scale(value, 0.25, 0.01) for value in values.tolist()]
    assert (np.diff(log_scale(np.sort(values), 0.25, 0.01)) >= 0).all()


def test_heavy_tails_are_learned_by_their_logarithm_unless_overruled(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"normal": random.normal(size=N), "heavy": random.lognormal(0, 2, N), "rare": np.arange(N) % 40 == 0}
    )
    path = write(frame.assign(rare=frame["rare"].astype(int), label=np.arange(N) % 2), tmp_path / "t.csv")
    bent, plain = rosenblatt.read(path, decide=True), rosenblatt.read(path, decide=True, as_="number:heavy")
    assert list(bent.space.settings["columns"]["logs"]) == ["heavy"]  # two values have no tail
    assert "logs" not in plain.space.settings["columns"]
    assert "logs" not in rosenblatt.read(path, decide=True, scale=False).space.settings["columns"]
    assert np.abs(bent.X[:, 1]).max() < 4 < np.abs(plain.X[:, 1]).max()
    assert bent.X.mean(axis=0) == pytest.approx([0, 0, 0], abs=1e-12)
    assert bent.X.std(axis=0) == pytest.approx([1, 1, 1])
    again = rosenblatt.read(path, like=bent.space)
    assert again.X.toarray().tobytes() == bent.X.tobytes()


def test_short_texts_are_texts_and_names_that_all_differ_are_ids(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(300)])
    titles = [" ".join(random.choice(words, 3)) for _ in range(N)]
    names = [f"First{i % 20} Last{i}" for i in range(N)]
    jobs = random.choice(["head of sales", "head of design", "clerk of court"], N)
    frame = pd.DataFrame({"title": titles, "name": names, "job": jobs, "label": np.arange(N) % 2})
    path = write(frame, tmp_path / "t.csv")
    settings = rosenblatt.read(path, decide=True, bits=10).space.settings
    assert (settings["texts"], settings["words"]) == (["title"], ["job"])
    assert settings["columns"]["left_out"] == {"name": "differs in every row"}
    assert rosenblatt.read(path).space.settings["texts"] == []


def test_cells_that_the_model_knows_nothing_of_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from rosenblatt.cli import main

    frame, model = customers(), str(tmp_path / "m")
    assert main(["fit", write(frame, tmp_path / "c.csv"), "-o", model, "-q"]) == 0
    frame.loc[:4, "city"] = "Pune"
    frame.loc[7, "city"] = "37"
    frame.loc[[3, 9], "age"] = None
    for name in ("new.csv", "new.parquet"):
        path = write(frame, tmp_path / name)
        capsys.readouterr()
        expected = [
            f"warning: {path}: 6 cells of column 'city' hold what the model never saw, such as 'Pune': it adds "
            "nothing to the score.",
            f"warning: {path}: 2 numbers of column 'age' are missing, and none was in the rows that decided what to "
            "learn: each counts as the mean of the column.",
        ]
        assert main(["predict", model, path]) == 0
        assert capsys.readouterr().err.splitlines() == expected
        assert main(["evaluate", model, path, "--json"]) == 0
        output = capsys.readouterr()
        assert output.err.splitlines()[-2:] == expected
        assert json.loads(output.out)["warnings"][-2:] == [line.removeprefix("warning: ") for line in expected]
        assert main(["predict", model, path, "-q"]) == 0
        assert capsys.readouterr().err == ""
