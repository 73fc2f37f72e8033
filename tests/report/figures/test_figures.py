"""Figures are correct: the coordinates drawn equal those of the model, the trace and the certificate."""

import sys
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from rosenblatt import Perceptron, errors, figures, losses, trace
from rosenblatt.certificates.certify import certify
from rosenblatt.report.figures.common.plane import arrow
from rosenblatt.report.figures.common.style import DARK, LIGHT, number, vector
from tests import child
from tests.report.figures.drawn import AND, CORNERS, XOR, arrows, line, scattered, words


@pytest.fixture(scope="module")
def and_run() -> Any:
    return trace(CORNERS, AND)


@pytest.fixture(scope="module")
def unit() -> Any:
    return Perceptron(order="given", keep="last").fit(CORNERS, AND)


# ------------------------------------------------------------------------------------------------------ learning


def test_boundaries_after_each_epoch_of_and(and_run: Any) -> None:
    figure = figures.plot_boundaries(and_run)
    ends = {"1": [0, 1, 1], "2": [-1, 2, 1], "4": [-2, 2, 2], "7": [-3, 3, 3], "8–9": [-4, 3, 2]}
    for epoch, (b, *w) in ends.items():
        assert b + line(figure, f"epoch {epoch}") @ w == pytest.approx([0, 0], abs=1e-12)
    assert "separated after 9 epochs" in words(figure)


def test_a_long_run_shows_eight_boundaries_and_the_last(and_run: Any) -> None:
    draw = np.random.default_rng(0)
    X = draw.normal(size=(60, 2))
    noisy = trace(X, draw.random(60) < 0.5, max_iter=30)
    figure = figures.plot_boundaries(noisy)
    boundaries = [artist for artist in figure.axes[0].lines if artist.get_label().startswith("epoch")]
    assert len(boundaries) <= 8
    last = np.column_stack(boundaries[-1].get_data())
    b, *w = noisy.replay()
    assert b + last @ w == pytest.approx([0, 0], abs=1e-9)
    assert "all 30 epochs spent" in words(figure)


def test_names_are_no_formulas(and_run: Any, tmp_path: Path) -> None:
    """What is between two $ is a formula for matplotlib, and half of one an error."""
    names, y = ["price in $ a $_{", "weight"], np.array(["pear $x_{$", "plum"])[(np.array(AND) > 0).astype(int)]
    figure = certify(CORNERS, y).plot(CORNERS, y, names=names)
    figure.savefig(tmp_path / "proof.png")
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == tuple(names)
    assert "pear $x_{$" in [text.get_text() for text in figure.legends[0].get_texts()]
    kinds = np.array([[None, "separable"], ["separable", None]], dtype=object)
    figures.plot_pairs(["pear $x_{$", "plum"], kinds).savefig(tmp_path / "pairs.png")
    frames = figures.plot_frames(and_run, updates=[3, 5], names=names)
    assert [ax.get_ylabel() for ax in frames.axes] == ["weight", "weight"]


def test_frames_draw_the_update_head_to_tail(and_run: Any) -> None:
    """Update 18 of AND: row 2, (0, 1), is a mistake at w = (3, 3), and w becomes (3, 2)."""
    figure = figures.plot_frames(and_run, updates=[3, 5, 12, 18])
    assert len([ax for ax in figure.axes if ax.get_visible()]) == 4
    assert "update 18 · epoch 8 · row 2\n[−3, 3, 3] → [−4, 3, 2]" in words(figure)
    (start, old), (start_after, new), (tail, head) = arrows(figure, 3)
    scale = np.linalg.norm(new - start) / np.hypot(3, 2)
    assert (old - start) / scale == pytest.approx([3, 3])
    assert (new - start_after) / scale == pytest.approx([3, 2])
    assert (head - tail) / scale == pytest.approx([0, -1])  # eta y x
    assert tail == pytest.approx(old)
    assert -3 + line(figure, "boundary before", 3) @ [3, 3] == pytest.approx([0, 0], abs=1e-12)
    assert -4 + line(figure, "boundary after", 3) @ [3, 2] == pytest.approx([0, 0], abs=1e-12)
    assert scattered(figure, "mistake", 3).tolist() == [[0, 1]]


def test_frames_say_when_only_the_bias_moves(and_run: Any) -> None:
    assert "only the bias moves" in words(figures.plot_frames(and_run, updates=[1]))
    with pytest.raises(errors.ParameterError, match="no update 19"):
        figures.plot_frames(and_run, updates=[19])
    with pytest.raises(errors.ParameterError, match="no unit 1"):
        figures.plot_frames(and_run, unit=1)


def test_frames_without_a_bias_and_of_one_unit_of_many() -> None:
    draw, y = np.random.default_rng(0), np.arange(30) % 3
    X = np.array([[0, 3], [3, -2], [-3, -2]])[y] + draw.normal(size=(30, 2))
    many = trace(X, y, fit_intercept=False, max_iter=5)
    figure = figures.plot_boundaries(many, unit=2)
    assert scattered(figure, "2").tolist() == X[y == 2].tolist()
    assert scattered(figure, "the rest").tolist() == X[y != 2].tolist()
    last = [artist for artist in figure.axes[0].lines if artist.get_label().startswith("epoch")][-1]
    assert np.column_stack(last.get_data()) @ many.replay()[2] == pytest.approx([0, 0], abs=1e-9)


# -------------------------------------------------------------------------------------------------------- curves


def test_every_loss_is_drawn_as_it_is() -> None:
    figure = figures.plot_losses()
    curves = {curve.get_label().split(":")[0]: curve for curve in figure.axes[0].lines if ":" in curve.get_label()}
    assert set(curves) == {"zero-one", "perceptron", "hinge", "logistic", "squared"}
    for name, curve in curves.items():
        m, value = (np.asarray(part, dtype=float) for part in curve.get_data())
        inside = (m != 0) & np.isfinite(value)
        assert value[inside] == pytest.approx(losses.LOSSES[name.replace("-", "_")](m[inside]))
    styles = {(curve.get_linestyle(), curve.get_color()) for curve in curves.values()}
    assert len(styles) == 5


def test_step_and_sigmoid() -> None:
    figure = figures.plot_activations()
    hard, soft = figure.axes
    (curve,) = [artist for artist in soft.lines if len(artist.get_xdata()) > 10]
    s, p = curve.get_data()
    assert p == pytest.approx(1 / (1 + np.exp(-np.asarray(s))))
    levels = {tuple(artist.get_ydata()) for artist in hard.lines if len(artist.get_xdata()) == 2}
    assert {(-1.0, -1.0), (1.0, 1.0)} <= levels


# ------------------------------------------------------------------------------------------------------- theorem


def proof(and_run: Any) -> SimpleNamespace:
    """The proof's numbers along the run on AND, with w* = (-3, 2, 2)/sqrt(17)."""
    star = np.array([-3, 2, 2]) / np.sqrt(17)
    weights = np.array([and_run.replay(k) for k in range(len(and_run) + 1)])
    k, gamma, radius = np.arange(len(weights)), 1 / np.sqrt(17), np.sqrt(3)
    return SimpleNamespace(
        k=k, progress=weights @ star, progress_bound=k * gamma, norm_squared=(weights**2).sum(axis=1),
        norm_bound=k * radius**2, radius=radius, margin=gamma, mistakes=18, mistake_bound=51.0,
    )  # fmt: skip


def test_both_inequalities_hold_on_the_figure(and_run: Any) -> None:
    record = proof(and_run)
    figure = figures.plot_inequalities(record)
    progress, least = line(figure, "w·w*"), line(figure, "kγ,  γ = 0.243")
    assert progress[:, 1] == pytest.approx(record.progress)
    assert (progress[:, 1] >= least[:, 1] - 1e-12).all()
    grown, most = line(figure, "‖w‖²", 1), line(figure, "kR²,  R = 1.73", 1)
    assert grown[-1].tolist() == [18, 29]  # |(-4, 3, 2)|²
    assert (grown[:, 1] <= most[:, 1] + 1e-12).all()
    assert "18 mistakes, at most (R/γ)² = 51" in words(figure)


@pytest.mark.parametrize("source", ["trace", "estimator", "list"])
def test_mistakes_per_epoch(and_run: Any, source: str) -> None:
    fitted = Perceptron(order="given").fit(CORNERS, AND)
    argument = {"trace": and_run, "estimator": fitted, "list": [2, 3, 3, 2, 2, 3, 2, 1, 0]}[source]
    figure = figures.plot_mistakes(argument, bound=51)
    assert [bar.get_height() for bar in figure.axes[0].patches] == [2, 3, 3, 2, 2, 3, 2, 1, 0]
    assert line(figure, "made so far: 18", 1)[:, 1].tolist() == [2, 5, 8, 10, 12, 15, 17, 18, 18]
    assert set(line(figure, "bound (R/γ)²: 51", 1)[:, 1]) == {51}
    assert figure.axes[1].get_ylim()[1] > 51
    assert figures.plot_mistakes(argument, bound=1e6).axes[1].get_yscale() == "log"


def test_no_mistakes_at_all_are_not_drawn() -> None:
    with pytest.raises(errors.DataError, match="nothing to draw"):
        figures.plot_mistakes([])
    with pytest.raises(errors.DataError, match="nothing to draw"):
        figures.plot_inequalities(SimpleNamespace(k=[]))


# --------------------------------------------------------------------------------------------------- certificates


def test_the_widest_margin_of_and() -> None:
    certificate = SimpleNamespace(w=np.array([2.0, 2.0]), b=-3.0, margin=1 / np.sqrt(8), support=[1, 2, 3])
    figure = figures.plot_certificate(certificate, CORNERS, AND)
    assert -3 + line(figure, "widest separator") @ [2, 2] == pytest.approx([0, 0], abs=1e-12)
    parallels = [
        np.column_stack(artist.get_data()) for artist in figure.axes[0].lines if artist.get_label().startswith("_")
    ]
    distances = sorted(float((-3 + ends @ [2, 2])[0] / np.sqrt(8)) for ends in parallels)
    assert distances == pytest.approx([-1 / np.sqrt(8), 1 / np.sqrt(8)])
    assert scattered(figure, "the 3 rows that carry it").tolist() == CORNERS[1:].tolist()
    assert "margin 0.354" in words(figure)


def test_the_hulls_of_xor_meet_in_the_middle() -> None:
    certificate = SimpleNamespace(rows=[0, 1, 2, 3], weights=[Fraction(1)] * 4)
    figure = figures.plot_certificate(certificate, CORNERS, XOR)
    assert line(figure, "in both hulls").tolist() == [[0.5, 0.5]]
    assert {tuple(p) for p in line(figure, "hull of 1's proof rows")} == {(0, 1), (1, 0)}
    assert {tuple(p) for p in line(figure, "hull of -1's proof rows")} == {(0, 0), (1, 1)}
    assert len(scattered(figure, "the 4 rows of the proof")) == 4


def test_a_point_inside_a_hull_and_a_hull_without_its_inner_points() -> None:
    X = np.array([[0.0, 0], [4, 0], [0, 4], [1, 1], [4, 4], [9, 9]])
    y = np.array(["out", "out", "out", "in", "out", "out"])
    weights = [Fraction(2), Fraction(1), Fraction(1), Fraction(4)]  # (2·(0,0) + (4,0) + (0,4))/4 = (1, 1)
    figure = figures.plot_certificate(SimpleNamespace(rows=[0, 1, 2, 3], weights=weights), X, y)
    assert line(figure, "in both hulls").tolist() == [[1, 1]]
    assert {tuple(p) for p in line(figure, "hull of out's proof rows")} == {(0, 0), (4, 0), (0, 4)}
    assert line(figure, "hull of in's proof rows").tolist() == [[1, 1], [1, 1]]


def test_the_certificates_that_certify_gives() -> None:
    separable, meeting = certify(CORNERS, AND), certify(CORNERS, XOR)
    ends = line(separable.plot(CORNERS, AND), "widest separator")
    assert float(separable.b) + ends @ np.asarray(separable.w, dtype=float) == pytest.approx([0, 0], abs=1e-9)
    assert ends @ [1, 1] == pytest.approx([1.5, 1.5])  # halfway between (1, 1) and the line through (0, 1) and (1, 0)
    assert line(meeting.plot(CORNERS, XOR), "in both hulls").tolist() == [[0.5, 0.5]]


def test_certificates_of_other_kinds() -> None:
    assert "undecided" in words(figures.plot_certificate(SimpleNamespace(bracket=(0, 1)), CORNERS, AND))
    with pytest.raises(errors.DataError, match="y has 3"):
        figures.plot_certificate(SimpleNamespace(), CORNERS, [0, 1, 2, 0])


def test_pairs_as_a_heat_map() -> None:
    answers = [[None, "separable", "inseparable"], ["separable", None, "separable"], ["inseparable", "separable", None]]
    margins = [[np.nan, 0.1, np.nan], [0.1, np.nan, 0.5], [np.nan, 0.5, np.nan]]
    figure = figures.plot_pairs(["a", "b", "c"], answers, margins)
    cell_texts = {tuple(map(round, text.get_position())): text.get_text() for text in figure.axes[0].texts}
    assert cell_texts == {(1, 0): "0.1", (0, 1): "0.1", (2, 0): "✗", (0, 2): "✗", (2, 1): "0.5", (1, 2): "0.5"}
    cells = np.asarray(figure.axes[0].images[0].get_array())
    assert cells[2, 1, :3] == pytest.approx(LIGHT.tint(LIGHT.classes[0], 0.65))  # the widest is the strongest
    assert cells[1, 0, :3] == pytest.approx(LIGHT.tint(LIGHT.classes[0], 0.18))
    assert cells[2, 0, :3] == pytest.approx(LIGHT.tint(LIGHT.classes[1], 0.55))
    assert figure.axes[0].get_title() == "pairs of classes: 2 separable, 1 inseparable"
    with pytest.raises(errors.DataError, match="must be 2 by 2"):
        figures.plot_pairs(["a", "b"], answers)


# ---------------------------------------------------------------------------------------------------------- style


def contrast(first: str, second: str) -> float:
    """The contrast ratio of two colours by WCAG 2, 1 to 21."""

    def light(color: str) -> float:
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
        return float(np.dot(parts, [0.2126, 0.7152, 0.0722]))

    high, low = sorted([light(first), light(second)], reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_can_be_seen(look: Any) -> None:
    assert contrast(look.ink, look.paper) > 12
    assert contrast(look.muted, look.paper) > 4.5
    for color in (look.accent, look.alarm, *look.classes[:2]):
        assert contrast(color, look.paper) > 3


@pytest.mark.parametrize(
    "kind", ["regions", "boundaries", "frames", "losses", "activations", "inequalities", "mistakes"]
)
def test_no_text_is_clipped_at_600_pixels(kind: str, and_run: Any, unit: Any) -> None:
    arguments = {
        "regions": (unit, CORNERS, AND),
        "boundaries": (and_run,),
        "frames": (and_run,),
        "inequalities": (proof(and_run),),
        "mistakes": (and_run, 51),
    }
    figure = getattr(figures, f"plot_{kind}")(*arguments.get(kind, ()))
    figure.draw_without_rendering()
    width, height = figure.get_size_inches()
    box = figure.get_tightbbox()
    assert width * figure.dpi == 600
    assert min(box.x0, box.y0) >= -0.01
    assert box.x1 <= width + 0.01
    assert box.y1 <= height + 0.01


def test_numbers_as_people_write_them() -> None:
    assert [number(v) for v in (18, -4.0, 0.4472, 1234567, 1e-9)] == ["18", "−4", "0.447", "1.23e+06", "1e−09"]
    assert vector([1, -2.5]) == "[1, −2.5]"
    assert vector(range(9)) == "[0, 1, 2, 3, 4, 5, …]"


def test_pyplot_is_never_loaded(tmp_path: Path) -> None:
    code = (
        "import sys; from rosenblatt import figures; "
        f"figures.plot_losses().savefig({str(tmp_path / 'losses.svg')!r}); "
        "print('matplotlib.pyplot' in sys.modules)"
    )
    run = child.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert run.stdout.strip() == "False"


def test_an_arrow_that_begins_outside_the_picture_does_not_cross_its_numbers() -> None:
    figure = Figure(figsize=(4, 4))
    canvas, axes = FigureCanvasAgg(figure), figure.add_axes((0.3, 0.3, 0.4, 0.4))
    axes.axis("off")
    arrow(axes, np.array([-0.4, 0.5]), np.array([0.5, 0.5]), "#ff0000")
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba()).astype(int)
    red = (pixels[..., 0] > 200) & (pixels[..., 1] < 120)
    inside = red[:, int(0.29 * red.shape[1]) :].sum()
    assert inside > 100
    assert red.sum() == inside
