"""Regions, boundaries and margins as drawn, against the model."""

from typing import Any

import numpy as np
import pandas
import pytest
import scipy.sparse as sp
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from rosenblatt import Perceptron, errors, figures
from rosenblatt.report.figures.common.plane import clipped, view_of
from rosenblatt.report.figures.common.style import DARK, LIGHT
from tests.report.figures.drawn import AND, CORNERS, XOR, arrows, line, scattered, words


@pytest.fixture(scope="module")
def unit() -> Any:
    return Perceptron(order="given", keep="last").fit(CORNERS, AND)


def test_the_boundary_is_where_the_score_is_zero(unit: Any) -> None:
    figure = figures.plot_regions(unit, CORNERS, AND)
    ends = line(figure, "boundary")
    assert ends.shape == (2, 2)
    assert -4 + ends @ [3, 2] == pytest.approx([0, 0], abs=1e-12)
    low, high = figure.axes[0].get_xlim(), figure.axes[0].get_ylim()
    for x, y in ends:  # from edge to edge
        assert min(abs(x - low[0]), abs(x - low[1]), abs(y - high[0]), abs(y - high[1])) < 1e-9


def test_the_margin_band_touches_the_closest_row(unit: Any) -> None:
    """w = (3, 2), b = -4: the closest rows score ±1, so the margin is 1/sqrt(13)."""
    figure = figures.plot_regions(unit, CORNERS, AND)
    assert "margin 0.277" in words(figure)
    assert -4 + line(figure, "margin 0.277") @ [3, 2] == pytest.approx([1, 1])
    other = [artist for artist in figure.axes[0].lines if artist.get_label().startswith("_")]
    assert -4 + np.column_stack(other[0].get_data()) @ [3, 2] == pytest.approx([-1, -1])


def test_the_normal_stands_on_the_boundary_at_right_angles(unit: Any) -> None:
    figure = figures.plot_regions(unit, CORNERS, AND)
    ((foot, tip),) = arrows(figure)
    along = np.diff(line(figure, "boundary"), axis=0)[0]
    assert -4 + foot @ [3, 2] == pytest.approx(0, abs=1e-12)
    assert (tip - foot) @ along == pytest.approx(0, abs=1e-12)
    assert -4 + tip @ [3, 2] > 0
    assert figure.axes[0].get_aspect() == 1


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_regions_are_coloured_by_what_is_predicted(unit: Any, theme: str) -> None:
    figure = figures.plot_regions(unit, CORNERS, AND, theme=theme)
    (image,) = figure.axes[0].images
    left, right, low, high = image.get_extent()
    cells, look = np.asarray(image.get_array()), {"light": LIGHT, "dark": DARK}[theme]
    for x, y in np.random.default_rng(0).uniform([left, low], [right, high], (50, 2)):
        if abs(-4 + 3 * x + 2 * y) > 0.05:
            cell = cells[int((y - low) / (high - low) * len(cells)), int((x - left) / (right - left) * len(cells[0]))]
            index = int(unit.predict([[x, y]])[0] == 1)
            assert cell[:3] == pytest.approx(look.tint(look.classes[index]))
    assert to_rgb(figure.get_facecolor()) == to_rgb(look.paper)


def test_points_keep_their_place_and_class(unit: Any) -> None:
    figure = figures.plot_regions(unit, CORNERS, AND)
    assert scattered(figure, "-1").tolist() == CORNERS[:3].tolist()
    assert scattered(figure, "1").tolist() == CORNERS[3:].tolist()


def test_wrong_rows_are_ringed_and_leave_no_margin() -> None:
    model = Perceptron(order="given", keep="last", max_iter=5).fit(CORNERS, XOR)
    wrong = model.predict(CORNERS) != XOR
    figure = figures.plot_regions(model, CORNERS, XOR)
    assert scattered(figure, f"wrong ({wrong.sum()} of 4)").tolist() == CORNERS[wrong].tolist()
    assert "margin" not in words(figure)


def test_a_curved_boundary_follows_the_pipelines_score() -> None:
    X = np.random.default_rng(1).normal(size=(80, 2))
    y = (X**2).sum(axis=1) < 1
    model = make_pipeline(PolynomialFeatures(2), Perceptron(max_iter=100)).fit(X, y)
    figure = figures.plot_regions(model, X, y)
    contour = [c for c in figure.axes[0].collections if hasattr(c, "levels")]
    points = np.concatenate([path.vertices for c in contour for path in c.get_paths()])
    assert len(points) > 50
    scores, scale = model.decision_function(points), np.abs(model.decision_function(X)).max()
    assert np.abs(scores).max() < 0.01 * scale
    assert len(np.unique(np.sign(points), axis=0)) >= 4  # it goes round


def test_regions_of_many_classes() -> None:
    draw, y = np.random.default_rng(0), np.arange(60) % 3
    X = np.array([[0, 6], [6, -4], [-6, -4]])[y] + draw.normal(size=(60, 2))
    model = Perceptron(multi_class="joint").fit(X, np.array(["a", "b", "c"])[y])
    figure = figures.plot_regions(model, X, np.array(["a", "b", "c"])[y])
    cells = np.asarray(figure.axes[0].images[0].get_array())
    assert len(np.unique(cells.reshape(-1, cells.shape[-1]), axis=0)) == 3
    assert scattered(figure, "c").tolist() == X[y == 2].tolist()


def test_two_columns_of_many_are_a_cut_at_the_means() -> None:
    draw = np.random.default_rng(3)
    X = draw.normal(size=(40, 5)) + 2
    y = X @ [1, 0, -1, 2, 0] > 4
    model = Perceptron(max_iter=20).fit(X, y)
    for rows in (X, sp.csr_array(X)):
        figure = figures.plot_regions(model, rows, y, columns=(3, 0))
        ends = np.repeat(X.mean(axis=0)[None], 2, axis=0)
        ends[:, [3, 0]] = line(figure, "boundary")
        assert model.decision_function(ends) == pytest.approx([0, 0], abs=1e-9)
        assert "the other 3 columns at their means" in words(figure)
        assert figure.axes[0].get_xlabel() == "x4"


@pytest.mark.parametrize(
    ("X", "columns", "sentence"),
    [
        (np.zeros((3, 5)), None, r"X has 5 columns: choose two of 0 to 4 with columns=\(i, j\)"),
        (np.zeros((3, 5)), (0, 9), "choose two of 0 to 4"),
        (np.zeros((3, 5)), (2, 2), "names one"),
        (np.zeros((3, 1)), None, "only one column: add a second feature"),
        (np.zeros(3), None, "needs rows of examples"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_a_sentence(X: Any, columns: Any, sentence: str) -> None:
    with pytest.raises(errors.DataError, match=sentence):
        view_of(X, columns, "plot_regions")


def test_a_given_axes_is_drawn_on(unit: Any) -> None:
    ax = Figure().subplots()
    assert figures.plot_regions(unit, CORNERS, AND, ax=ax) is ax.figure
    assert len(ax.images) == 1
    assert ax.get_legend() is not None


@pytest.mark.filterwarnings("error")
def test_a_frame_keeps_its_names() -> None:
    draw = np.random.default_rng(1)
    X = pandas.DataFrame(draw.normal(size=(60, 2)), columns=["height", "weight"])
    y = (X**2).sum(axis=1) < 1
    model = make_pipeline(PolynomialFeatures(2), Perceptron(max_iter=100)).fit(X, y)
    figure = figures.plot_regions(model, X, y)
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("height", "weight")


def test_an_unknown_theme_is_refused(unit: Any) -> None:
    with pytest.raises(errors.ParameterError, match="'light' or 'dark'"):
        figures.plot_losses(theme="sepia")


def test_lines_are_clipped_to_the_view() -> None:
    view = view_of(CORNERS, None, "test")
    draw = np.random.default_rng(0)
    for weights in [*draw.normal(size=(200, 3)), [0.5, -1, 0], [0.5, 0, -1], [0, 1, -1]]:
        ends = clipped(view, np.array(weights, dtype=float))
        corners = np.array([[x, y] for x in (view.low[0], view.high[0]) for y in (view.low[1], view.high[1])])
        sides = np.sign(weights[0] + corners @ np.array(weights[1:]))
        assert (ends is not None) == (len(set(sides)) > 1)
        if ends is not None:
            assert weights[0] + ends @ np.array(weights[1:]) == pytest.approx([0, 0], abs=1e-9)
            assert (ends >= view.low - 1e-9).all()
            assert (ends <= view.high + 1e-9).all()
    assert clipped(view, np.zeros(3)) is None
    assert clipped(view, np.array([1.0, 0.0, 0.0])) is None
