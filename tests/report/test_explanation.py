"""One example explained: in every form that a file may have, with the score of predict and its own words."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.cli import main
from rosenblatt.errors import DataError
from rosenblatt.learn.settings import Settings
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model_file import load_linear_model
from rosenblatt.report.explanation import explain_example
from rosenblatt.report.summary import status_words

RANDOM = np.random.default_rng(2)
CITIES = ["New York, NY", 'the "Hague"', "Bern"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("explain")
    age = RANDOM.normal(40, 9, 200).round(1).tolist()
    cells = [RANDOM.choice(CITIES).replace('"', '""') for _ in age]
    rows = [
        f'{a if i % 8 else ""},"{city}",{i % 3},{"yes" if a > 40 else "no"}\n'
        for i, (a, city) in enumerate(zip(age, cells, strict=True))
    ]
    (folder / "people.csv").write_text("age,home city,a=b,label\n" + "".join(rows))
    texts = ["yes\tgood and fine\n", "no\tbad and poor\n"] * 30
    (folder / "text.tsv").write_text("".join(texts))
    assert main(["fit", str(folder / "people.csv"), "-o", str(folder / "people.model"), "-q"]) == 0
    assert main(["fit", str(folder / "text.tsv"), "--bits", "3", "-o", str(folder / "text.model"), "-q"]) == 0
    return folder


@pytest.fixture
def people(folder: Path) -> LinearModel:
    return load_linear_model(folder / "people.model")


def test_every_row_has_the_label_and_the_score_of_predict(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, data = str(folder / "people.model"), str(folder / "people.csv")
    assert main(["predict", model, data, "--scores"]) == 0
    predicted = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert {label for label, _ in predicted} == {"yes", "no"}
    for row in (1, 2, 9, 200):
        assert main(["explain", model, data, "--row", str(row), "--json"]) == 0
        record = json.loads(capsys.readouterr().out)
        assert [record["label"], repr(record["score"])] == predicted[row - 1]
        total = record["bias"] + sum(part["contribution"] for part in record["contributions"])
        assert total == pytest.approx(record["score"])


@pytest.mark.parametrize(
    "example",
    [
        '{"age": 51.5, "home city": "New York, NY", "a=b": 2}',
        '{"age": "51.5", "home city": "New York, NY", "a=b": 2, "label": null}',
        'age=51.5, home city="New York, NY", a=b=2',
        '  a=b = 2 ,"home city"= "New York, NY",age=51.5 ',
        '51.5,"New York, NY",2,yes',
        '51.5;"New York, NY";2',
    ],
)
def test_an_example_of_a_table_may_have_any_form(people: LinearModel, example: str) -> None:
    assert explain_example(people, example) == explain_example(people, 'age=51.5, home city="New York, NY", a=b=2')


def test_a_quote_within_a_cell(people: LinearModel) -> None:
    features = [part.feature for part in explain_example(people, 'home city="the ""Hague"""')["contributions"]]
    assert 'home city=the "Hague"' in features


def test_columns_that_are_left_out_count_as_missing(people: LinearModel) -> None:
    assert explain_example(people, "home city=Bern") == explain_example(people, ',Bern,""')


@pytest.mark.parametrize(
    ("example", "sentence"),
    [
        ("aeg=3", "has a column 'aeg', which the model does not know; its columns are 'age', 'a=b', 'home city'"),
        ("age=old", "cannot be read: expected a number in column 'age', found 'old'; correct it."),
        ("age=3, Bern", "at character 7: expected column=value, found 'Bern'"),
        ("1,2", "as a row of the table: .* and the example has 2 cells"),
        ("{age: 3}", "begins like a JSON object and is not one"),
    ],
)
def test_what_is_wrong_with_an_example(people: LinearModel, example: str, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence) as error:
        explain_example(people, example)
    assert "tmp" not in str(error.value)


def test_a_row_that_is_not_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, data = str(folder / "people.model"), str(folder / "people.csv")
    assert main(["explain", model, data, "--row", "201"]) == 3
    assert "has 200 rows, and there is no row 201" in capsys.readouterr().err
    assert main(["explain", model, data]) == 2
    assert main(["explain", model, "--row", "3"]) == 2


def test_no_word_is_named_that_is_not_in_the_example(folder: Path) -> None:
    """With eight columns for all words, nearly every one of them shares a column with a word of the training data."""
    model = load_linear_model(folder / "text.model")
    words = ["alpha", "beta", "gamma", "delta", "good"]
    explanation = explain_example(model, " ".join(words))
    phrases = {*words, *(f"{a} {b}" for a, b in pairwise(words))}
    assert {part.feature for part in explanation["contributions"]} <= phrases


@pytest.mark.parametrize(
    ("loss", "words"),
    [("perceptron", "all passes were made, and mistakes remain"), ("logistic", "all passes were made")],
)
def test_a_loss_that_goes_on_without_mistakes_says_nothing_about_them(loss: str, words: str) -> None:
    assert status_words("budget", Settings(loss=loss)) == words
    assert status_words("separated", Settings(loss=loss)) == "a whole pass without a mistake"
