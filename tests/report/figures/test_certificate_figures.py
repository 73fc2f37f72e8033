"""Figures of real results of the certifier: runs, tables and certificates, not substitutes for them."""

from typing import Any

import numpy as np
import pytest

from rosenblatt import certify, certify_classes, errors, figures, theorem_run, trace
from rosenblatt.report.figures.common.plane import clipped, view_of, widened_view

CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
AND, XOR = [0, 0, 0, 1], [0, 1, 1, 0]
THEMES = pytest.mark.parametrize("theme", ["light", "dark"])


def lines(axes: Any) -> dict[str, Any]:
    return {str(artist.get_label()): np.column_stack(artist.get_data()) for artist in axes.lines}


@THEMES
def test_the_inequalities_of_a_real_run(theme: str) -> None:
    run = theorem_run(CORNERS, AND, order="given")
    figure = run.plot(theme=theme)
    left, right = (lines(axes) for axes in figure.axes)
    assert (left["w·w*"][:, 1] == run.progress).all()
    assert (right["‖w‖²"][:, 1] == run.norm_squared).all()
    assert "18 mistakes, at most (R/γ)² = 51" in figure.get_suptitle()


@THEMES
def test_the_map_of_a_real_table(theme: str) -> None:
    X, y = [[0], [1], [2], [1]], ["a", "b", "c", "c"]
    figure = certify_classes(X, y).plot(theme=theme)
    cells = {text.get_position(): text.get_text() for text in figure.axes[0].texts}
    assert cells[1, 0] == cells[0, 1] == "0.5"
    assert cells[1, 2] == cells[2, 1] == "✗"
    assert "2 separable, 1 inseparable" in figure.axes[0].get_title()


def test_a_certificate_of_many_columns_is_drawn_in_two_of_them() -> None:
    X = np.column_stack([CORNERS, np.arange(4.0)])
    answer = certify(X, AND)
    with pytest.raises(errors.DataError, match="columns="):
        answer.plot(X, AND)
    axes = answer.plot(X, AND, columns=(0, 2), theme="dark").axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x1", "x3")
    proof = certify(np.column_stack([CORNERS, np.ones(4)]), XOR)
    figure = proof.plot(np.column_stack([CORNERS, np.ones(4)]), XOR, columns=(0, 1))
    assert "nothing flat" in figure.axes[0].get_title()


def test_a_band_that_is_thinner_than_its_line_is_left_out() -> None:
    wide, thin = CORNERS * [1, 1], np.array([[0.0, 0.0], [0.0, 9.0], [1e-4, 0.0], [1e-4, 9.0]])
    y = [0, 0, 1, 1]
    assert len(certify(wide, y).plot(wide, y).axes[0].lines) > len(certify(thin, y).plot(thin, y).axes[0].lines)


def test_every_boundary_of_the_four_frames_is_in_the_picture() -> None:
    """The seventh update of AND gives the line x1 = 3, which is outside the rectangle of the rows."""
    figure = figures.plot_frames(trace(CORNERS, AND, order="given"))
    assert "boundary after" in lines(figure.axes[1])
    assert lines(figure.axes[1])["boundary after"][:, 0].tolist() == [3.0, 3.0]
    assert figure.axes[1].get_xlim()[1] > 3.0


def test_a_boundary_far_away_is_mentioned_and_the_view_stays() -> None:
    view = view_of(CORNERS, None, "test")
    near, far = np.array([-3.0, 1.0, 0.0]), np.array([-300.0, 1.0, 0.0])
    assert clipped(view, near) is None
    assert clipped(widened_view(view, [near]), near) is not None
    assert np.allclose([widened_view(view, [far]).low, widened_view(view, [far]).high], [view.low, view.high])
    run = trace(CORNERS * 0.01, AND, order="given", init=[-300.0, 1.0, 0.0], max_iter=2)
    texts = [text.get_text() for axes in figures.plot_frames(run).axes for text in axes.texts]
    assert any("outside the picture" in words for words in texts)
