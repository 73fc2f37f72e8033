"""`fit --from` on a table with columns that the model has not met, or without some that it has."""

import csv
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import rosenblatt
from rosenblatt.cli import main
from rosenblatt.errors import DataError, ModelError
from rosenblatt.learn.state.grown_run import with_hashed_columns, with_inserted_columns
from rosenblatt.model.export.export import export_model
from rosenblatt.model.fit.fitted import Fitted
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model_file import load_linear_model, save_model
from rosenblatt.model.predict import predict_file
from rosenblatt.readers.hashing.settings import hashed_column
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import Csr

OLD, NEW = ("x", "city"), ("amount", "plan", "when", "id", "note")


def rows(seed: int, count: int, *columns: str) -> list[dict[str, Any]]:
    """Examples with these columns; where the amount is among them, it decides more than all others."""
    random_ = random.Random(seed)
    examples = []
    for i in range(count):
        row = {
            "x": round(random_.gauss(0, 1), 4),
            "city": random_.choice(["Bonn", "Paris", "Rome"]),
            "amount": round(random_.gauss(100, 20), 2) if random_.random() > 0.1 else None,
            "plan": random_.choice(["gold", "free"]),
            "when": f"2024-0{random_.randrange(1, 9)}-1{random_.randrange(9)}",
            "id": 7000 + i,
            "note": " ".join(random_.choice(["so", "it", "goes", "on", "then"]) for _ in range(6)),
        }
        amount = ((row["amount"] or 100) - 100) / 5 if "amount" in columns else 0
        label = "yes" if row["x"] + (row["city"] == "Rome") + amount > 0.4 else "no"
        examples.append({column: row[column] for column in columns} | {"label": label})
    return examples


def write(path: Path, examples: list[dict[str, Any]]) -> Path:
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in examples))
        return path
    lines = [",".join(examples[0])]
    lines += [",".join("" if cell is None else str(cell) for cell in row.values()) for row in examples]
    path.write_text("\n".join(lines) + "\n")
    return path


def learn_on(tmp_path: Path, first: Path, second: Any, **options: Any) -> Fitted:
    save_model(rosenblatt.fit_file(first, rule="arow", passes=1).model, tmp_path / "m.model")
    return rosenblatt.fit_file(second, from_=tmp_path / "m.model", **options)


def error_on(model: LinearModel, path: Path) -> float:
    blocks = list(predict_file(model, path))
    return float(np.mean(np.concatenate([np.asarray(block.decided) != np.asarray(block.truth) for block in blocks])))


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_new_columns_are_taken_in(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = write(tmp_path / f"1.{form}", rows(1, 3000, *OLD))
    second = write(tmp_path / f"2.{form}", rows(2, 3000, *OLD, *NEW))
    fitted = learn_on(tmp_path, first, second)
    space = fitted.model.space
    assert space.settings["numbers"] == ["x", "amount", "when"]
    assert space.columns[:3] == ("x", "amount", "when")
    assert {"plan=gold", "when weekday=Monday", "amount=missing", "goes"} <= set(space.names.values())
    assert len(space.columns) == len(space.scale) == 3
    sentences = [str(caution) for caution in fitted.warnings]
    taken = [line for line in sentences if "new columns are taken in" in line]
    assert len(taken) == 1
    assert taken[0].endswith(
        "4 new columns are taken in: 'amount' (numbers), 'when' (dates), 'plan' (words), 'note' (text)."
    )
    left_out = [line for line in sentences if "1 new column is left out" in line]
    assert "'id' (counts the rows)" in left_out[0]
    assert space.scale[1] == pytest.approx(1 / 20, rel=0.1)  # by the head of the new table
    assert space.shift[1] == pytest.approx(100, abs=2)
    assert fitted.model.coef[0, 1] > fitted.model.coef[0, 0] > 0
    save_model(fitted.model, tmp_path / "after.model")
    after = load_linear_model(tmp_path / "after.model")
    fresh_new = write(tmp_path / f"3.{form}", rows(3, 800, *OLD, *NEW))
    assert error_on(after, fresh_new) < 0.08
    old_rows = write(tmp_path / f"4.{form}", rows(4, 800, *OLD))
    assert error_on(after, old_rows) < 0.1
    assert main(["predict", str(tmp_path / "after.model"), str(old_rows)]) == 0
    # And once more: nothing is new any longer.
    again = rosenblatt.fit_file(fresh_new, from_=tmp_path / "after.model")
    assert not [caution for caution in again.warnings if "new column" in str(caution)]
    assert again.model.space.columns == space.columns


def test_options_decide_about_new_columns_only(tmp_path: Path) -> None:
    first = write(tmp_path / "1.csv", rows(1, 400, *OLD))
    second = write(tmp_path / "2.csv", rows(2, 400, *OLD, *NEW))
    reading = ReadOptions(drop=("plan",), keep=("id",), as_=("word:when",))
    space = learn_on(tmp_path, first, second, reading=reading).model.space
    assert space.settings["numbers"] == ["x", "amount", "id"]
    assert space.settings["words"] == ["city", "when"]
    with pytest.raises(DataError, match="there is no column 'x'; its columns are 'amount'"):
        learn_on(tmp_path, first, second, reading=ReadOptions(drop=("x",)))


def test_products_of_columns_take_none_in(tmp_path: Path) -> None:
    first = write(tmp_path / "1.csv", rows(1, 300, "x"))
    second = write(tmp_path / "2.csv", rows(2, 300, "x", "plan"))
    model = tmp_path / "m.model"
    save_model(rosenblatt.fit_file(first, rule="arow", passes=1, features="poly2").model, model)
    with pytest.raises(DataError, match=r"new column 'plan', and the model learns products .* with drop='plan'"):
        rosenblatt.fit_file(second, from_=model)
    fitted = rosenblatt.fit_file(second, from_=model, reading=ReadOptions(drop=("plan",)))
    assert fitted.model.features == load_linear_model(model).features


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_column_that_has_vanished_is_empty_in_every_row(form: str, tmp_path: Path) -> None:
    first = write(tmp_path / f"1.{form}", rows(1, 2000, "x", "city", "amount", "when"))
    second = write(tmp_path / f"2.{form}", rows(2, 2000, "x", "city"))
    fitted = learn_on(tmp_path, first, second)
    (sentence,) = [str(caution) for caution in fitted.warnings if "of the model" in str(caution)]
    assert sentence.endswith("2 columns of the model ('amount', 'when') are missing: they count as empty in every row.")
    assert fitted.model.space.columns[:3] == ("x", "amount", "when")
    save_model(fitted.model, tmp_path / "after.model")
    after = load_linear_model(tmp_path / "after.model")
    assert error_on(after, second) < 0.1
    assert error_on(after, first) < 0.2
    other = write(tmp_path / f"3.{form}", rows(3, 100, "plan", "note"))
    with pytest.raises(ModelError, match=r"is missing here|has none of the columns"):
        rosenblatt.fit_file(other, from_=tmp_path / "after.model")


def test_a_table_in_memory_brings_new_columns(tmp_path: Path) -> None:
    first = write(tmp_path / "1.csv", rows(1, 600, *OLD))
    table = pa.Table.from_pylist(rows(2, 600, *OLD, *NEW))
    fitted = learn_on(tmp_path, first, table)
    of_file = learn_on(tmp_path, first, write(tmp_path / "2.csv", rows(2, 600, *OLD, *NEW)))
    assert fitted.model.space.columns == of_file.model.space.columns
    assert fitted.model.coef.tobytes() == of_file.model.coef.tobytes()


@pytest.mark.parametrize("rule", ["perceptron", "arow", "logistic", "pa1"])
@pytest.mark.parametrize("compact", [True, False])
def test_inserted_columns_change_no_score(rule: str, compact: bool, tmp_path: Path) -> None:
    columns = ("x", "city", "note") if compact else ("x", "city")
    path = write(tmp_path / "1.csv", rows(1, 500, *columns))
    reading = ReadOptions(text=("note",) if compact else (), bits=18 if compact else None)
    save_model(rosenblatt.fit_file(path, rule=rule, passes=1, reading=reading).model, tmp_path / "m.model")
    run = load_linear_model(tmp_path / "m.model").run
    assert run.learner.is_compact == compact
    grown = with_inserted_columns(run, 1, 2)
    assert grown.learner.is_compact == run.learner.is_compact
    before, after = run.final_weights, grown.final_weights
    assert np.delete(after.coef, [1, 2], axis=1).tobytes() == before.coef.tobytes()
    assert not after.coef[:, 1:3].any()
    assert after.intercept.tobytes() == before.intercept.tobytes()
    assert grown.learner.counters() == run.learner.counters()
    for name in ("drift", "scale"):
        part, moved = run.part(name), grown.part(name)
        assert (part is None) == (moved is None)
        if part is not None and moved is not None:
            assert np.delete(moved[0], [1, 2], axis=1).tobytes() == part[0].tobytes()
            assert set(moved[0][:, 1:3].ravel()) == {1.0 if rule == "arow" else 0.0}


def test_a_text_beside_new_numbers_keeps_its_words(tmp_path: Path) -> None:
    first = write(tmp_path / "1.csv", rows(1, 1500, "x", "note"))
    second = write(tmp_path / "2.csv", rows(2, 40, "x", "note", "amount"))
    model = rosenblatt.fit_file(first, rule="arow", passes=1, reading=ReadOptions(text=("note",))).model
    save_model(model, tmp_path / "m.model")
    after = rosenblatt.fit_file(second, from_=tmp_path / "m.model").model
    words = {name: column for column, name in model.space.names.items()}
    moved = {name: column for column, name in after.space.names.items() if name in words}
    assert words.keys() == moved.keys()
    assert all(moved[name] == column + 1 for name, column in words.items())
    block = next(iter(predict_file(after, second))).block
    assert isinstance(block.values, Csr)
    assert after.name(1) == "amount"


@pytest.mark.parametrize("rule", ["perceptron", "arow", "logistic"])
@pytest.mark.parametrize("columns", [("x",), ("x", "city"), ("x", "amount", "when", "city")], ids=len)
def test_a_first_text_moves_words_and_changes_no_score(rule: str, columns: tuple[str, ...], tmp_path: Path) -> None:
    """Of rows whose text is empty; sums are made in another order."""
    first = write(tmp_path / "1.csv", rows(1, 1500, *columns))
    save_model(rosenblatt.fit_file(first, rule=rule, passes=1).model, tmp_path / "m.model")
    before = load_linear_model(tmp_path / "m.model")
    after = rosenblatt.fit_file(
        write(tmp_path / "2.csv", rows(2, 30, *columns, "note")), from_=tmp_path / "m.model"
    ).model
    assert after.space.settings["texts"] == ["note"]
    place = [*range(len(before.space.settings["numbers"]))]
    n_numbers = len(place)
    place += [hashed_column(name, 22, n_numbers) for name in before.space.columns[n_numbers:]]
    moved = with_hashed_columns(before.run, place, n_numbers + 2**22)
    assert moved.learner.is_compact
    assert not moved.dense
    assert moved.learner.counters() == before.run.learner.counters()
    old, new = before.run.final_weights, moved.final_weights
    np.testing.assert_array_equal(new.coef[:, place], old.coef)
    assert np.count_nonzero(new.coef) == np.count_nonzero(old.coef)
    assert new.intercept.tobytes() == old.intercept.tobytes()


def test_columns_that_share_a_place_are_added(tmp_path: Path) -> None:
    path = write(tmp_path / "1.csv", rows(1, 600, "x", "city"))
    run = rosenblatt.fit_file(path, rule="arow", passes=1).model.run
    moved = with_hashed_columns(run, [0, *[7] * (run.learner.features - 1)], 1 + 2**22)
    np.testing.assert_allclose(moved.final_weights.coef[0, 7], run.final_weights.coef[0, 1:].sum(), rtol=1e-12)
    before, after = run.part("scale"), moved.part("scale")
    assert before is not None
    assert after is not None
    assert after[0][0, 7] == before[0][0, 1:].min()


@pytest.mark.parametrize("columns", [("x",), ("x", "city"), ("x", "note")], ids=["numbers", "words", "a text"])
def test_a_new_text_is_learned_saved_and_exported(columns: tuple[str, ...], tmp_path: Path) -> None:
    def examples(seed: int, count: int) -> list[dict[str, Any]]:
        """The new text decides."""
        random_ = random.Random(seed)
        table = []
        for row in rows(seed, count, *columns):
            comment = [random_.choice(["plain", "grey", "usual", "slow"]) for _ in range(5)]
            yes = random_.random() < 0.5
            comment[random_.randrange(5)] = "splendid" if yes else "dreadful"
            table.append({**row, "comment": " ".join(comment), "label": "yes" if yes else "no"})
        return table

    first = write(tmp_path / "1.csv", rows(1, 600, *columns))
    model = rosenblatt.fit_file(first, rule="arow", passes=1).model
    assert model.space.settings["texts"] == (["note"] if "note" in columns else [])
    save_model(model, tmp_path / "m.model")
    fitted = rosenblatt.fit_file(write(tmp_path / "2.csv", examples(2, 800)), from_=tmp_path / "m.model")
    save_model(fitted.model, tmp_path / "m.model")
    after = load_linear_model(tmp_path / "m.model")
    assert after.space.settings["texts"][-1] == "comment"
    assert "splendid" in after.space.names.values()
    third = write(tmp_path / "3.csv", examples(3, 300))
    assert error_on(after, third) < 0.1
    module: dict[str, Any] = {"__name__": "exported"}
    exec(compile(export_model(after, "python", "data"), "model", "exec"), module)
    scores = np.concatenate([block.scores for block in predict_file(after, third)])
    with third.open() as file:
        assert [module["scores"](row) for row in csv.DictReader(file)] == scores.tolist()
    again = rosenblatt.fit_file(third, from_=tmp_path / "m.model")
    assert not [caution for caution in again.warnings if "new column" in str(caution)]


def test_test_data_may_have_columns_that_nobody_learned(tmp_path: Path) -> None:
    first = write(tmp_path / "1.csv", rows(1, 300, *OLD))
    test = write(tmp_path / "test.csv", rows(3, 200, *OLD, *NEW))
    assert learn_on(tmp_path, first, first, test=test).test_rows == 200


@pytest.mark.parametrize("several", [False, True])
def test_classes_that_were_there_before_are_not_few(several: bool, tmp_path: Path) -> None:
    first = write(tmp_path / "1.csv", rows(1, 300, *OLD))
    second = write(tmp_path / "2.csv", rows(2, 6, *OLD, *NEW))
    reading = ReadOptions(multi_label=several, decide=True)
    save_model(rosenblatt.fit_file(first, rule="arow", passes=1, reading=reading).model, tmp_path / "m.model")
    kinds = [caution.kind for caution in rosenblatt.fit_file(second, from_=tmp_path / "m.model").warnings]
    assert "few examples" not in kinds
    assert "cells" in kinds  # the new columns
