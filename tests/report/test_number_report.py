"""Predicted numbers as text, JSON and page: complete, in the unit of the target, and safe to open anywhere."""

import json
import re

import numpy as np
import pytest

from rosenblatt.evaluate.number_scores import NumberTally
from rosenblatt.report.json_records import scores_record
from rosenblatt.report.page.number_sections import number_figures, number_sections
from rosenblatt.report.summary import NumberEvaluation
from rosenblatt.report.text.evaluation.evaluation import evaluation_lines


def evaluation(unit: float = 1.0, count: int = 400, target: str = "price") -> NumberEvaluation:
    random = np.random.default_rng(0)
    truth = random.normal(50, 10, count) * unit
    predicted = truth + random.normal(0, 3, count) * unit
    tally = NumberTally((0.1, 0.9), 0.8)
    quantiles = np.stack([predicted - 4 * unit, predicted + 4 * unit], axis=1)
    tally.add(truth, predicted, None, quantiles, (predicted - 4 * unit, predicted + 4 * unit))
    return NumberEvaluation("house.csv", tally, tally.scores(), target)


def plain(lines: object) -> str:
    return re.sub(r"\033\[\d*m", "", "\n".join(lines))  # type: ignore[call-overload]


def test_the_text_has_every_score_with_its_interval_and_both_baselines() -> None:
    of = evaluation()
    text = plain(evaluation_lines(of))
    for name, estimate in (("RMSE", of.scores.rmse), ("MAE", of.scores.mae), ("mean error", of.scores.mean_error)):
        line = re.escape(f"{estimate.value:.4f}") + r" +" + re.escape(f"{estimate.low:.4f} to {estimate.high:.4f}")
        assert re.search(rf"^  {name} +{line}", text, re.MULTILINE)
    assert re.search(rf"baseline RMSE +{of.scores.baseline_rmse:.4f} +by always guessing the mean", text)
    assert re.search(rf"baseline MAE +{of.scores.baseline_mae:.4f} +by always guessing the median", text)
    assert re.search(r"below 0.1 .* 0.1 is best", text)
    assert re.search(r"coverage .* 0.8 promised", text)
    assert re.search(r"interval width +8.0000", text)


@pytest.mark.parametrize(
    ("unit", "shown"), [(1e-4, r" 0\.000[23]\d{4} "), (1e4, r" (29|30|31),\d{3} "), (1e200, r"e\+200 ")]
)
def test_numbers_are_shown_with_the_digits_that_count(unit: float, shown: str) -> None:
    (line,) = [line for line in plain(evaluation_lines(evaluation(unit))).split("\n") if line.startswith("  RMSE")]
    assert re.search(shown, line)
    assert not re.search(r"\d{9}", line)


def test_json_has_every_score_and_interval() -> None:
    of = evaluation()
    record = json.loads(json.dumps(scores_record(of.scores)))
    assert record["rmse"] == of.scores.rmse.value
    assert record["intervals"]["r2"] == [of.scores.r2.low, of.scores.r2.high] if of.scores.r2 else None
    assert [entry["level"] for entry in record["quantiles"]] == [0.1, 0.9]
    assert record["quantiles"][0]["intervals"]["below"][0] < record["quantiles"][0]["below"]
    assert (record["confidence"], record["coverage"]) == (0.8, of.scores.coverage.value if of.scores.coverage else None)
    assert record["baseline_rmse"] == of.scores.baseline_rmse


def test_the_page_has_a_point_for_each_example_and_escapes_names() -> None:
    sections = list(number_sections(evaluation(target="<b>$</b>")))
    assert [re.findall("<h2>(.+?)</h2>", part)[0].split(":")[0] for part in sections] == [
        "How good it is, on house.csv", "Target against prediction", "Residuals", "Quantiles",
        "Targets within their intervals",
    ]  # fmt: skip
    assert sections[1].count('class="point"') == sections[2].count('class="point"') == 400
    assert "<b>$" not in "".join(sections)
    assert sections[3].count('class="dot"') == 2
    assert sections[4].count('class="dot"') == 10
    assert number_figures(evaluation())[3] == ("400", "examples")


def test_very_many_examples_make_no_larger_page() -> None:
    assert sum(map(len, number_sections(evaluation(count=200_000)))) < 150_000


def test_points_far_out_are_counted_and_not_drawn() -> None:
    of = evaluation()
    of.tally.add(
        np.array([1e6]), np.array([50.0]), None, np.array([[49.0, 51.0]]), (np.array([49.0]), np.array([51.0]))
    )
    sections = list(number_sections(NumberEvaluation("house.csv", of.tally, of.tally.scores())))
    assert "1 far out are not drawn" in sections[1]
    assert sections[1].count('class="point"') == 400


@pytest.mark.parametrize("count", [1, 2, 5])
def test_few_or_equal_numbers_have_a_page(count: int) -> None:
    tally = NumberTally()
    tally.add(np.full(count, 7.0), np.full(count, 7.0))
    of = NumberEvaluation("x.csv", tally, tally.scores())
    assert re.search("baseline RMSE +0 +by always guessing the mean, 7$", plain(evaluation_lines(of)), re.MULTILINE)
    assert len(list(number_sections(of))) == 3
