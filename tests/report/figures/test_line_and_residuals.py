"""Figures of predicted numbers: the coordinates drawn are those of the model and of the examples."""

from types import SimpleNamespace

import numpy as np
import pytest

from rosenblatt import errors, figures, losses
from tests.report.figures.drawn import line, scattered, words

X = np.array([0.0, 1.0, 2.0, 4.0])
Y = np.array([1.0, 4.0, 4.0, 9.0])
MODEL = SimpleNamespace(predict=lambda x: 1.0 + 2.0 * np.asarray(x)[:, 0])


def test_the_line_is_the_models_and_the_segments_are_the_residuals() -> None:
    figure = figures.plot_line(MODEL, X, Y, names=("rooms", "price in $ a $_{"))
    x, y = line(figure, "prediction").T
    assert y == pytest.approx(1 + 2 * x)
    assert x[0] < 0 < 4 < x[1]
    (segments,) = [c for c in figure.axes[0].collections if c.get_label() == "residual"]
    drawn = np.array(list(segments.get_segments()))
    np.testing.assert_allclose(drawn[:, 0], np.column_stack([X, Y]))
    np.testing.assert_allclose(drawn[:, 1], np.column_stack([X, 1 + 2 * X]))
    assert "mean squared error 0.5" in words(figure)
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("rooms", "price in $ a $_{")


def test_residuals_are_target_less_prediction() -> None:
    random = np.random.default_rng(0)
    y, predicted = random.normal(size=(2, 100))
    figure = figures.plot_residuals(y, predicted, name="price")
    np.testing.assert_allclose(scattered(figure, "examples"), np.column_stack([predicted, y - predicted]))
    means = line(figure, "mean of neighbours")
    lowest = np.argsort(predicted)[:10]
    assert means[0] == pytest.approx([predicted[lowest].mean(), (y - predicted)[lowest].mean()])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_losses_of_a_number_are_those_of_the_module(theme: str) -> None:
    figure = figures.plot_number_losses(level=0.75, width=2, theme=theme)
    for name, loss in (
        ("squared error", losses.squared_error),
        ("absolute", losses.absolute),
        ("quantile 0.75", losses.quantile(0.75)),
        ("Huber 2", losses.huber(2)),
    ):
        d, value = line(figure, name).T
        np.testing.assert_array_equal(value, loss(d))


def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(errors.ParameterError, match="plot_line draws one column"):
        figures.plot_line(MODEL, np.ones((4, 2)), Y)
    with pytest.raises(errors.ParameterError, match="one prediction for each target"):
        figures.plot_residuals([1, 2], [1])
    with pytest.raises(errors.ParameterError, match="y must be a finite number"):
        figures.plot_residuals([1, np.nan], [1, 2])
