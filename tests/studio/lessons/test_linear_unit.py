"""The lesson about a predicted number: its line, its error and its steps, against fractions."""

from fractions import Fraction

import numpy as np
import pytest

from rosenblatt.studio.questions.lessons.linear_unit import POINTS, linear_unit
from tests.slow_twins.learn import line_through_points as twin

EXACT = [(Fraction(x), Fraction(str(y))) for x, y in POINTS]
LINES = [(0, 0), (6, 0.75), (-2.5, 1.5), (1e6, -1e6)]


@pytest.mark.parametrize("line", LINES)
def test_the_error_is_half_the_area_of_the_squares(line: tuple[float, float]) -> None:
    answer = linear_unit({"weights": list(line)})
    exact = (Fraction(line[0]), Fraction(line[1]))
    assert answer["error"] == pytest.approx(float(twin.squared_error(exact, EXACT)), rel=1e-14)
    assert answer["weights"] == list(line)
    assert answer["step"] is None
    assert sum(d * d / 2 for d in answer["differences"]) == pytest.approx(answer["error"], rel=1e-14)
    upward = twin.after_step(exact, Fraction(1), EXACT)
    slope = [float(start - end) for start, end in zip(exact, upward, strict=True)]
    assert answer["slope"] == pytest.approx(slope, rel=1e-13)


def test_no_line_is_below_the_least_error() -> None:
    best = twin.best_line(EXACT)
    least = linear_unit({"weights": [0, 0]})["least"]
    assert least == pytest.approx(float(twin.squared_error(best, EXACT)), rel=1e-12)
    rng = np.random.default_rng(0)
    for bias, weight in rng.normal([float(best[0]), float(best[1])], 0.3, size=(200, 2)):
        assert linear_unit({"weights": [bias, weight]})["error"] > least


@pytest.mark.parametrize("rate", [0.005, 0.02, 0.05])
@pytest.mark.parametrize("row", [None, 0, 3, 7])
def test_the_steps_are_those_of_the_delta_rule(rate: float, row: int | None) -> None:
    line, points = (Fraction(4), Fraction(0)), EXACT if row is None else [EXACT[row]]
    path = [line]
    for _ in range(10):
        path.append(twin.after_step(path[-1], Fraction(rate), points))
    answer = linear_unit({"weights": [4, 0], "rate": rate, "steps": 10, "row": row})
    assert answer["weights"] == pytest.approx([float(weight) for weight in path[-1]], rel=1e-10)
    assert answer["errors"] == pytest.approx([float(twin.squared_error(line, EXACT)) for line in path], rel=1e-10)
    assert answer["step"]["before"] == pytest.approx([float(weight) for weight in path[-2]], rel=1e-10)
    moved = np.array(answer["step"]["before"]) - rate * np.array(answer["step"]["slope"])
    assert answer["weights"] == pytest.approx(moved.tolist(), rel=1e-13)


def test_the_lesson_is_true() -> None:
    """One rate of the page comes within a hundredth of the least, one is too large for all rows at once."""
    at_zero = {"weights": [0, 0], "steps": 50}
    good, large = (linear_unit({**at_zero, "rate": rate}) for rate in (0.02, 0.05))
    assert good["errors"] == sorted(good["errors"], reverse=True)
    assert good["error"] <= 1.01 * good["least"]
    assert large["errors"][1:] == sorted(large["errors"][1:])
    assert np.isfinite(large["error"])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"weights": None}, "two numbers"),
        ({"weights": [1]}, "two numbers"),
        ({"weights": [1, "2"]}, "two numbers"),
        ({"weights": [1, True]}, "two numbers"),
        ({"weights": [1, 2e6]}, "from -1e6 to 1e6"),
        ({"weights": [1, float("nan")]}, "from -1e6 to 1e6"),
        ({"rate": -0.1}, "from 0 to 1 here"),
        ({"rate": 10**400}, "from 0 to 1 here"),
        ({"rate": "fast"}, "from 0 to 1 here"),
        ({"row": 8}, "one of 0 to 7"),
        ({"row": -1}, "one of 0 to 7"),
        ({"row": 1.5}, "one of 0 to 7"),
        ({"steps": 51}, "must be 0 to 50"),
        ({"steps": 1e9}, "must be 0 to 50"),
    ],
)
def test_wrong_questions_are_refused(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        linear_unit({"weights": [0, 0]} | wrong)
