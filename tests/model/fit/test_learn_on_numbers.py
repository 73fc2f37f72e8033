"""`fit --from` of a model that predicts a number: its intervals are by old and new examples."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.errors import DataError, ModelError, ParameterError
from rosenblatt.learn.files import passes
from rosenblatt.model.fit.fitted import Fitted
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.model.model_file import load_model, save_model
from rosenblatt.readers.formats import line_source
from rosenblatt.readers.source import ReadOptions
from rosenblatt.storage.container import write_container
from tests.model.fit.test_learn_on import same_model

PRICE = ReadOptions(label="price", decide=True)
FORMS = ("csv", "txt", "vw")


def write(path: Path, seed: int, count: int, *, new: bool = False) -> Path:
    """Examples in the format of the suffix; `new` rows of a table have a column that no row had before."""
    draw = random.Random(seed)
    rows = []
    for _ in range(count):
        age, rooms, city = draw.gauss(40, 12), draw.randrange(1, 7), draw.choice(["Bonn", "Paris", "Rome"])
        price = 300 - 2 * age + 25 * rooms + 40 * (city == "Rome") + draw.gauss(0, 10)
        rows.append((f"{age:.2f}", str(rooms), city, f"{price:.2f}"))
    if path.suffix == ".csv":
        header = "age,rooms,city,price" + ",garden" * new
        cells = (",".join(row) + draw.choice([",big", ",none"]) * new for row in rows)
        path.write_text("\n".join([header, *cells]) + "\n")
    elif path.suffix == ".txt":
        path.write_text("".join(f"{y} 1:{float(a) / 40:.4f} 2:{r}\n" for a, r, _, y in rows))
    else:
        path.write_text("".join(f"{y} | {city} age:{float(a) / 40:.4f} rooms:{r}\n" for a, r, city, y in rows))
    return path


def three_days(folder: Path, form: str = "csv") -> list[Path]:
    return [write(folder / f"{k}.{form}", k, 700) for k in range(3)]


def fitted(*args: Any, **options: Any) -> Fitted:
    result = fit_file(*args, **options)
    assert isinstance(result.model, NumberModel)
    assert result.number is not None
    return result


def day_by_day(days: list[Path], model: Path, reading: ReadOptions, **options: Any) -> Fitted:
    result = fitted(days[0], reading=reading, **options)
    for day in days[1:]:
        save_model(result.model, model)
        result = fitted(day, from_=model)
    return result


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "options",
    [
        {"rule": "number-adagrad"},
        {"rule": "number-average"},
        {"rule": "number-invariant", "error": "absolute"},
        {"rule": "number-adagrad", "quantiles": "0.1,0.5,0.9"},
        {"rule": "number-adagrad", "forget": 300.0},
    ],
    ids=lambda options: "-".join(map(str, options.values())),
)
def test_day_by_day_is_all_at_once(form: str, options: dict[str, Any], tmp_path: Path) -> None:
    days = three_days(tmp_path, form)
    reading = PRICE if form == "csv" else ReadOptions(decide=True, task="number")
    if form == "csv":
        reading = reading._replace(scale=False)
        options = {**options, "features": None}
        if "average" in options["rule"]:  # whose steps are too long for columns in different units
            reading = reading._replace(drop=("age",))
    once = fitted(days, reading=reading, passes=1, **options)
    daily = day_by_day(days, tmp_path / "m.model", reading, passes=1, **options)
    same_model(once.model, daily.model)
    assert once.number is not None
    assert daily.number is not None
    assert once.number.interval == daily.number.interval
    assert once.progressive_error == pytest.approx(daily.progressive_error, rel=1e-12)
    assert [day["rows"] for day in daily.model.provenance["history"]] == [700, 700, 700]


def test_new_examples_and_columns_make_a_better_model(tmp_path: Path) -> None:
    """By folds, which give the model it starts from, and then learned once; with a column that comes later."""
    first = fitted(write(tmp_path / "a.csv", 1, 60), reading=PRICE)
    save_model(first.model, tmp_path / "m.model")
    test = write(tmp_path / "test.csv", 9, 1000, new=True)
    after = fitted(write(tmp_path / "b.csv", 2, 3000, new=True), from_=tmp_path / "m.model", test=test)
    before = fitted(write(tmp_path / "c.csv", 3, 20), from_=tmp_path / "m.model", test=test)
    assert after.test_error is not None
    assert before.test_error is not None
    assert after.test_error < 10.5 < before.test_error + 0.5
    assert any("'garden' (words)" in str(caution) for caution in after.warnings)
    assert after.new_error is not None
    assert after.new_error == pytest.approx(10, rel=0.15)
    assert after.number is not None
    assert after.number.is_certain
    interval = after.number.interval
    assert interval is not None
    assert interval.half_width == pytest.approx(16.4, rel=0.1)  # 1.645 standard deviations


def test_a_target_that_has_moved_is_followed(tmp_path: Path) -> None:
    days = three_days(tmp_path, "txt")
    first = fitted(days[0], reading=ReadOptions(task="number"), rule="number-invariant")
    assert first.choice is not None
    moved = tmp_path / "moved.txt"
    lines = (line.split(" ", 1) for line in days[1].read_text().splitlines() * 8)
    moved.write_text("".join(f"{float(target) + 500} {rest}\n" for target, rest in lines))
    save_model(first.model, tmp_path / "m.model")
    save_model(fitted(moved, from_=tmp_path / "m.model", forget=500.0).model, tmp_path / "m.model")
    again = fitted(moved, from_=tmp_path / "m.model")
    assert again.new_error is not None
    assert again.new_error < 0.2 * 500


def test_examples_with_one_target_are_learned(tmp_path: Path) -> None:
    first = fitted(
        three_days(tmp_path, "txt")[0], reading=ReadOptions(task="number"), rule="number-invariant", passes=1
    )
    save_model(first.model, tmp_path / "m.model")
    (tmp_path / "one.txt").write_text("70 1:1 2:5\n")
    after = fitted(tmp_path / "one.txt", from_=tmp_path / "m.model").model
    assert bytes(np.asarray(after.coef)) != bytes(np.asarray(first.model.coef))
    assert np.isfinite(np.asarray(after.coef)).all()


def test_an_interrupted_fit_resumes_to_the_same_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    days, checkpoint = three_days(tmp_path, "txt"), str(tmp_path / "checkpoint")
    monkeypatch.setattr(line_source, "BLOCK_BYTES", 1500)
    save_model(fitted(days[0], reading=ReadOptions(task="number"), rule="number-adagrad").model, tmp_path / "m.model")
    expected = fitted(days[1], from_=tmp_path / "m.model")
    count = 0
    learn = passes.Fitting._learn

    def interrupted(fitting: Any, batch: Any) -> None:
        nonlocal count
        count += 1
        if count == 4:
            raise KeyboardInterrupt
        learn(fitting, batch)

    with monkeypatch.context() as patch:
        patch.setattr(passes.Fitting, "_learn", interrupted)
        with pytest.raises(KeyboardInterrupt):
            fit_file(days[1], from_=tmp_path / "m.model", checkpoint=checkpoint)
    resumed = fitted(days[1], from_=tmp_path / "m.model", checkpoint=checkpoint, resume=True)
    assert resumed.resumed
    same_model(expected.model, resumed.model)
    assert resumed.number == expected.number
    assert resumed.new_error == expected.new_error


def test_few_examples_do_not_replace_the_interval_of_a_model_without_its_scores(tmp_path: Path) -> None:
    """As an older version has written it."""
    days = three_days(tmp_path)
    model = fitted(days[0], reading=PRICE).model
    save_model(replace(model, sample=None), tmp_path / "m.model")
    after = fitted(write(tmp_path / "few.csv", 5, 30), from_=tmp_path / "m.model").model
    assert isinstance(model, NumberModel)
    assert isinstance(after, NumberModel)
    assert after.interval == model.interval


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"new_labels": True}, "predicts a number, which has no classes: leave new_labels out"),
        ({"reading": ReadOptions(task="classes")}, "predicts a number: leave task='classes' out"),
        ({"error": "absolute"}, "continues with the settings of .*: leave error out"),
        ({"quantiles": "0.5"}, "continues with the settings of .*: leave quantiles out"),
        ({"class_weight": "balanced"}, "a number is predicted, and class_weight is for classes"),
        ({"threshold": 0.5}, "a number is predicted, and threshold is for classes"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_options_that_do_not_fit_are_refused(options: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    days = three_days(tmp_path)
    save_model(fitted(days[0], reading=PRICE).model, tmp_path / "m.model")
    before = (tmp_path / "m.model").read_bytes()
    with pytest.raises(ParameterError, match=sentence):
        fit_file(days[1], from_=tmp_path / "m.model", **options)
    (tmp_path / "words.csv").write_text("age,rooms,city,price\n40,2,Rome,dear\n")
    with pytest.raises(DataError, match="expected a number in column 'price', found 'dear'"):
        fit_file(tmp_path / "words.csv", from_=tmp_path / "m.model")
    assert (tmp_path / "m.model").read_bytes() == before


def test_scores_that_are_not_of_numbers_are_damage(tmp_path: Path) -> None:
    model = fitted(three_days(tmp_path)[0], reading=PRICE).model
    tensors: dict[str, Any] = {}
    header = model.pack(tensors)
    tensors["sample.truth"] = np.asarray(tensors["sample.truth"]).copy()
    tensors["sample.truth"][3] = np.nan
    write_container(tmp_path / "m.model", header, tensors)
    with pytest.raises(ModelError, match="scores that it was calibrated by"):
        load_model(tmp_path / "m.model")
