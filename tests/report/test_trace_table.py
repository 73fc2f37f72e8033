"""The table of the lectures, character by character."""

import io
import re

import numpy as np
import pytest
from rich.console import Console

from rosenblatt import trace
from rosenblatt.report.text.trace_table import trace_table, trace_text
from tests.learn.replay.test_trace import AND, CORNERS, XOR

TWO_EPOCHS = """\
epoch  row  x        target  score  mistake  w before   w after
─────────────────────────────────────────────────────────────────
    1    1  [1 0 0]      -1      0  yes      [0 0 0]    [-1 0 0]
    1    2  [1 0 1]      -1     -1           [-1 0 0]   [-1 0 0]
    1    3  [1 1 0]      -1     -1           [-1 0 0]   [-1 0 0]
    1    4  [1 1 1]      +1     -1  yes      [-1 0 0]   [0 1 1]

    2    1  [1 0 0]      -1      0  yes      [0 1 1]    [-1 1 1]
    2    2  [1 0 1]      -1      0  yes      [-1 1 1]   [-2 1 0]
    2    3  [1 1 0]      -1     -1           [-2 1 0]   [-2 1 0]
    2    4  [1 1 1]      +1     -1  yes      [-2 1 0]   [-1 2 1]
"""
LAST_EPOCH = """\
    9    1  [1 0 0]      -1     -4           [-4 3 2]   [-4 3 2]
    9    2  [1 0 1]      -1     -2           [-4 3 2]   [-4 3 2]
    9    3  [1 1 0]      -1     -1           [-4 3 2]   [-4 3 2]
    9    4  [1 1 1]      +1      1           [-4 3 2]   [-4 3 2]
separated: epoch 9 was clean; 18 mistakes in 36 visits"""


def squeezed(text: str) -> list[str]:
    """The lines with runs of spaces collapsed, without the rule under the heading."""
    lines = [re.sub(" +", " ", line).strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith("─")]


def test_and_as_in_the_lectures() -> None:
    lines = squeezed(trace_text(trace(CORNERS, AND)))
    assert lines[:9] == squeezed(TWO_EPOCHS)
    assert lines[-5:] == squeezed(LAST_EPOCH)
    assert len(lines) == 1 + 36 + 1


def test_columns_line_up() -> None:
    lines = [line for line in trace_text(trace(CORNERS, AND)).splitlines()[:-1] if line and line[0] != "─"]
    for name in ("x", "w before", "w after"):
        at = re.search(rf"(?<= ){name}(?= |$)", lines[0])
        assert at is not None
        assert all(line[at.start()] == "[" for line in lines[1:])


def test_a_limit_says_that_there_is_more() -> None:
    run = trace(CORNERS, AND)
    assert "…" in trace_text(run, limit=35)
    assert "…" not in trace_text(run, limit=36)
    assert "…" not in trace_text(run, mistakes_only=True, limit=18)
    assert len(squeezed(trace_text(run, mistakes_only=True))) == 1 + 18 + 1


def test_totals_have_their_own_columns() -> None:
    heading, *lines = squeezed(trace_text(trace(CORNERS, AND), totals=True, limit=4))
    assert heading.endswith("w after loss errors")
    assert lines[2].endswith("[-1 0 0] [-1 0 0] 1 1")
    assert lines[3].endswith("[-1 0 0] [0 1 1] 2 3")  # the total went up


@pytest.mark.parametrize(
    ("max_iter", "words"), [(1, "all 1 epoch spent"), (3, "all 3 epochs spent, none of them clean")]
)
def test_a_spent_budget_is_reported(max_iter: int, words: str) -> None:
    assert words in trace_text(trace(CORNERS, XOR, max_iter=max_iter))


def test_epochs_without_a_mistake_are_counted_where_the_run_goes_on() -> None:
    run = trace(CORNERS, AND, loss="logistic", max_iter=50)
    n_clean = run.run.mistakes.count(0)
    assert 0 < n_clean < 50
    assert f"all 50 epochs spent, {n_clean} of them without a mistake" in trace_text(run)


def test_units_are_named_and_wide_rows_shortened() -> None:
    draw = np.random.default_rng(0)
    text = trace_text(trace(draw.normal(size=(6, 20)), ["[a]", "b", "c"] * 2, max_iter=1))
    assert "unit" in text.splitlines()[0]
    assert "[a]" in text
    assert "… 13 more]" in text


def test_of_very_wide_rows_the_counts_are_shown() -> None:
    X = np.zeros((2, 60))
    X[1, [3, 5]] = [3.0, 4.0]
    lines = squeezed(trace_text(trace(X, [0, 1], max_iter=1)))
    assert lines[1] == "1 1 1 of 61 not 0 -1 0 yes 0 not 0, length 0 1 not 0, length 1"
    assert lines[2] == "1 2 3 of 61 not 0 +1 -1 yes 1 not 0, length 1 2 not 0, length 5"  # b = 0, w = (3, 4)


def test_a_narrow_terminal_folds_vectors_and_keeps_numbers() -> None:
    out = io.StringIO()
    Console(width=66, file=out, color_system=None).print(trace_table(trace(CORNERS, AND), limit=4))
    text = out.getvalue()
    assert "mistake" in text
    assert all(len(line) <= 66 for line in text.splitlines())
