"""What is said of the weights of a model that predicts a number: in its unit, without powers of ten."""

import re
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import LinearPredictor, fit_file
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.readers.source import ReadOptions
from rosenblatt.report.explanation import explain_example
from rosenblatt.report.number_weights import start_of
from rosenblatt.report.text.explanation import example_lines, model_lines

PLACES = {"coast": 310_000.0, "town": 90_000.0, "village": -40_000.0}


@pytest.fixture
def model(tmp_path: Path) -> NumberModel:
    random = np.random.default_rng(3)
    area, place = random.normal(100, 30, 400).round(1), random.choice(list(PLACES), 400, p=[0.1, 0.3, 0.6])
    price = 2_500 * area + np.array([PLACES[word] for word in place]) + 30_000 * random.normal(size=400)
    rows = [f"{a},{word},{value:.0f}\n" for a, word, value in zip(area, place, price, strict=True)]
    (tmp_path / "houses.csv").write_text("area,place,price\n" + "".join(rows))
    fitted = fit_file(tmp_path / "houses.csv", reading=ReadOptions(label="price"))
    assert isinstance(fitted.model, NumberModel)
    return fitted.model


def test_features_move_the_prediction_from_that_of_a_mean_row_with_an_average_word(model: NumberModel) -> None:
    predictor = LinearPredictor()
    predictor._restore(model)
    assert model.space.shift is not None
    mean_area = float(np.asarray(model.space.shift)[list(model.space.columns).index("area")])
    rows = [{"area": mean_area, "place": word} for word in PLACES]
    assert start_of(model) == pytest.approx(float(predictor.predict(rows).mean()), rel=1e-9)


def test_amounts_are_aligned_and_written_out(model: NumberModel) -> None:
    text = re.sub(r"\033\[\d*m", "", "\n".join(model_lines(model, "houses.model", 5)))
    assert re.search(r"place=coast +\+1\d\d,\d{3}", text)
    record = explain_example(model, "130.5,coast,0")
    lines = re.sub(r"\033\[\d*m", "", "\n".join(example_lines(record, (), 5))).splitlines()
    head, *rows = [line for line in lines if re.match(r"  (feature|area|place=|bias)", line)]
    ends = {row.rstrip(" █").__len__() for row in rows}
    assert ends == {len(head)}
    adds = [float(row.rstrip(" █").split()[-1].replace(",", "")) for row in rows]
    assert sum(adds) == pytest.approx(record["prediction"], abs=2)
    assert "e+0" not in text + "".join(lines)
