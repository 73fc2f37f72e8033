"""What is drawn is what is so: the artists' numbers against the model's, the trace's and the certificate's."""

import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas
import pytest
import scipy.sparse as sp
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from rosenblatt import Perceptron, errors, figures, losses, trace
from rosenblatt.certify import certify
from rosenblatt.report.figures.plane import clipped, view_of
from rosenblatt.report.figures.style import DARK, LIGHT, number, vector

CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
AND, XOR = np.array([-1, -1, -1, 1]), np.array([-1, 1, 1, -1])


@pytest.fixture(scope="module")
def told() -> Any:
    return trace(CORNERS, AND)


@pytest.fixture(scope="module")
def unit() -> Any:
    return Perceptron(order="given", keep="last").fit(CORNERS, AND)


def line(figure: Figure, label: str, axes: int = 0) -> Any:
    """The points of the one line of this name."""
    (found,) = [one for one in figure.axes[axes].lines if one.get_label() == label]
    return np.column_stack(found.get_data())


def scattered(figure: Figure, label: str, axes: int = 0) -> Any:
    (found,) = [one for one in figure.axes[axes].collections if one.get_label() == label]
    return np.asarray(found.get_offsets())


def words(figure: Figure) -> str:
    """Every word on the figure: titles, legends, labels."""
    legends = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    titles = [part.get_text() for ax in figure.axes for part in (ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts)]
    top = figure.get_suptitle()
    return "\n".join([*legends, *titles, top])


def arrows(figure: Figure, axes: int = 0) -> list[Any]:
    """(start, end) of each arrow."""
    drawn = [a for a in figure.axes[axes].texts if getattr(a, "arrow_patch", None) is not None]
    return [(np.array(a.get_position()), np.array(a.xy)) for a in drawn]


# ------------------------------------------------------------------------------------------------------- regions


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
    other = [one for one in figure.axes[0].lines if one.get_label().startswith("_")]
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
        whole = np.repeat(X.mean(axis=0)[None], 2, axis=0)
        whole[:, [3, 0]] = line(figure, "boundary")
        assert model.decision_function(whole) == pytest.approx([0, 0], abs=1e-9)
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


# ------------------------------------------------------------------------------------------------------ learning


def test_boundaries_after_each_epoch_of_and(told: Any) -> None:
    figure = figures.plot_boundaries(told)
    ends = {"1": [0, 1, 1], "2": [-1, 2, 1], "4": [-2, 2, 2], "7": [-3, 3, 3], "8–9": [-4, 3, 2]}
    for epoch, (b, *w) in ends.items():
        assert b + line(figure, f"epoch {epoch}") @ w == pytest.approx([0, 0], abs=1e-12)
    assert "separated after 9 epochs" in words(figure)


def test_a_long_run_shows_eight_boundaries_and_the_last(told: Any) -> None:
    draw = np.random.default_rng(0)
    X = draw.normal(size=(60, 2))
    noisy = trace(X, draw.random(60) < 0.5, max_iter=30)
    figure = figures.plot_boundaries(noisy)
    shown = [one for one in figure.axes[0].lines if one.get_label().startswith("epoch")]
    assert len(shown) <= 8
    last = np.column_stack(shown[-1].get_data())
    b, *w = noisy.replay()
    assert b + last @ w == pytest.approx([0, 0], abs=1e-9)
    assert "all 30 epochs spent" in words(figure)


def test_frames_draw_the_update_head_to_tail(told: Any) -> None:
    """Update 18 of AND: row 2, (0, 1), is a mistake at w = (3, 3), and w becomes (3, 2)."""
    figure = figures.plot_frames(told, updates=[3, 5, 12, 18])
    assert len([ax for ax in figure.axes if ax.get_visible()]) == 4
    assert "update 18 · epoch 8 · row 2\n[−3, 3, 3] → [−4, 3, 2]" in words(figure)
    (start, old), (again, new), (tail, head) = arrows(figure, 3)
    scale = np.linalg.norm(new - start) / np.hypot(3, 2)
    assert (old - start) / scale == pytest.approx([3, 3])
    assert (new - again) / scale == pytest.approx([3, 2])
    assert (head - tail) / scale == pytest.approx([0, -1])  # eta y x
    assert tail == pytest.approx(old)
    assert -3 + line(figure, "boundary before", 3) @ [3, 3] == pytest.approx([0, 0], abs=1e-12)
    assert -4 + line(figure, "boundary after", 3) @ [3, 2] == pytest.approx([0, 0], abs=1e-12)
    assert scattered(figure, "mistake", 3).tolist() == [[0, 1]]


def test_frames_say_when_only_the_bias_moves(told: Any) -> None:
    assert "only the bias moves" in words(figures.plot_frames(told, updates=[1]))
    with pytest.raises(errors.ParameterError, match="no update 19"):
        figures.plot_frames(told, updates=[19])
    with pytest.raises(errors.ParameterError, match="no unit 1"):
        figures.plot_frames(told, unit=1)


def test_frames_without_a_bias_and_of_one_unit_of_many() -> None:
    draw, y = np.random.default_rng(0), np.arange(30) % 3
    X = np.array([[0, 3], [3, -2], [-3, -2]])[y] + draw.normal(size=(30, 2))
    many = trace(X, y, fit_intercept=False, max_iter=5)
    figure = figures.plot_boundaries(many, unit=2)
    assert scattered(figure, "2").tolist() == X[y == 2].tolist()
    assert scattered(figure, "the rest").tolist() == X[y != 2].tolist()
    last = [one for one in figure.axes[0].lines if one.get_label().startswith("epoch")][-1]
    assert np.column_stack(last.get_data()) @ many.replay()[2] == pytest.approx([0, 0], abs=1e-9)


# -------------------------------------------------------------------------------------------------------- curves


def test_every_loss_is_drawn_as_it_is() -> None:
    figure = figures.plot_losses()
    drawn = {one.get_label().split(":")[0]: one for one in figure.axes[0].lines if ":" in one.get_label()}
    assert set(drawn) == {"zero-one", "perceptron", "hinge", "logistic", "squared"}
    for name, one in drawn.items():
        m, value = (np.asarray(part, dtype=float) for part in one.get_data())
        inside = (m != 0) & np.isfinite(value)
        assert value[inside] == pytest.approx(losses.LOSSES[name.replace("-", "_")](m[inside]))
    styles = {(one.get_linestyle(), one.get_color()) for one in drawn.values()}
    assert len(styles) == 5


def test_step_and_sigmoid() -> None:
    figure = figures.plot_activations()
    hard, soft = figure.axes
    (curve,) = [one for one in soft.lines if len(one.get_xdata()) > 10]
    s, p = curve.get_data()
    assert p == pytest.approx(1 / (1 + np.exp(-np.asarray(s))))
    levels = {tuple(one.get_ydata()) for one in hard.lines if len(one.get_xdata()) == 2}
    assert {(-1.0, -1.0), (1.0, 1.0)} <= levels


# ------------------------------------------------------------------------------------------------------- theorem


def proof(told: Any) -> SimpleNamespace:
    """The proof's numbers along the run on AND, with w* = (-3, 2, 2)/sqrt(17)."""
    star = np.array([-3, 2, 2]) / np.sqrt(17)
    weights = np.array([told.replay(k) for k in range(len(told) + 1)])
    k, gamma, radius = np.arange(len(weights)), 1 / np.sqrt(17), np.sqrt(3)
    return SimpleNamespace(
        k=k, progress=weights @ star, progress_bound=k * gamma, norm_squared=(weights**2).sum(axis=1),
        norm_bound=k * radius**2, radius=radius, margin=gamma, mistakes=18, mistake_bound=51.0,
    )  # fmt: skip


def test_both_inequalities_hold_on_the_figure(told: Any) -> None:
    record = proof(told)
    figure = figures.plot_inequalities(record)
    made, least = line(figure, "w·w*"), line(figure, "kγ,  γ = 0.243")
    assert made[:, 1] == pytest.approx(record.progress)
    assert (made[:, 1] >= least[:, 1] - 1e-12).all()
    grown, most = line(figure, "‖w‖²", 1), line(figure, "kR²,  R = 1.73", 1)
    assert grown[-1].tolist() == [18, 29]  # |(-4, 3, 2)|²
    assert (grown[:, 1] <= most[:, 1] + 1e-12).all()
    assert "18 mistakes, at most (R/γ)² = 51" in words(figure)


@pytest.mark.parametrize("source", ["trace", "estimator", "list"])
def test_mistakes_per_epoch(told: Any, source: str) -> None:
    fitted = Perceptron(order="given").fit(CORNERS, AND)
    given = {"trace": told, "estimator": fitted, "list": [2, 3, 3, 2, 2, 3, 2, 1, 0]}[source]
    figure = figures.plot_mistakes(given, bound=51)
    assert [bar.get_height() for bar in figure.axes[0].patches] == [2, 3, 3, 2, 2, 3, 2, 1, 0]
    assert line(figure, "made so far: 18", 1)[:, 1].tolist() == [2, 5, 8, 10, 12, 15, 17, 18, 18]
    assert set(line(figure, "bound (R/γ)²: 51", 1)[:, 1]) == {51}
    assert figure.axes[1].get_ylim()[1] > 51
    assert figures.plot_mistakes(given, bound=1e6).axes[1].get_yscale() == "log"


def test_no_mistakes_at_all_are_not_drawn() -> None:
    with pytest.raises(errors.DataError, match="nothing to draw"):
        figures.plot_mistakes([])
    with pytest.raises(errors.DataError, match="nothing to draw"):
        figures.plot_inequalities(SimpleNamespace(k=[]))


# --------------------------------------------------------------------------------------------------- certificates


def test_the_widest_margin_of_and() -> None:
    found = SimpleNamespace(w=np.array([2.0, 2.0]), b=-3.0, margin=1 / np.sqrt(8), support=[1, 2, 3])
    figure = figures.plot_certificate(found, CORNERS, AND)
    assert -3 + line(figure, "widest separator") @ [2, 2] == pytest.approx([0, 0], abs=1e-12)
    parallels = [np.column_stack(one.get_data()) for one in figure.axes[0].lines if one.get_label().startswith("_")]
    distances = sorted(float((-3 + ends @ [2, 2])[0] / np.sqrt(8)) for ends in parallels)
    assert distances == pytest.approx([-1 / np.sqrt(8), 1 / np.sqrt(8)])
    assert scattered(figure, "the 3 rows that carry it").tolist() == CORNERS[1:].tolist()
    assert "margin 0.354" in words(figure)


def test_the_hulls_of_xor_meet_in_the_middle() -> None:
    found = SimpleNamespace(rows=[0, 1, 2, 3], weights=[Fraction(1)] * 4)
    figure = figures.plot_certificate(found, CORNERS, XOR)
    assert line(figure, "in both hulls").tolist() == [[0.5, 0.5]]
    assert {tuple(p) for p in line(figure, "hull of 1's rows in the proof")} == {(0, 1), (1, 0)}
    assert {tuple(p) for p in line(figure, "hull of -1's rows in the proof")} == {(0, 0), (1, 1)}
    assert len(scattered(figure, "the 4 rows of the proof")) == 4


def test_a_point_inside_a_hull_and_a_hull_without_its_inner_points() -> None:
    X = np.array([[0.0, 0], [4, 0], [0, 4], [1, 1], [4, 4], [9, 9]])
    y = np.array(["out", "out", "out", "in", "out", "out"])
    weights = [Fraction(2), Fraction(1), Fraction(1), Fraction(4)]  # (2·(0,0) + (4,0) + (0,4))/4 = (1, 1)
    figure = figures.plot_certificate(SimpleNamespace(rows=[0, 1, 2, 3], weights=weights), X, y)
    assert line(figure, "in both hulls").tolist() == [[1, 1]]
    assert {tuple(p) for p in line(figure, "hull of out's rows in the proof")} == {(0, 0), (4, 0), (0, 4)}
    assert line(figure, "hull of in's rows in the proof").tolist() == [[1, 1], [1, 1]]


def test_the_certificates_that_certify_gives() -> None:
    separable, meeting = certify(CORNERS, AND), certify(CORNERS, XOR)
    ends = line(separable.plot(CORNERS, AND), "widest separator")
    assert float(separable.b) + ends @ np.asarray(separable.w, dtype=float) == pytest.approx([0, 0], abs=1e-9)
    assert ends @ [1, 1] == pytest.approx([1.5, 1.5])  # half way between (1, 1) and the line through (0, 1) and (1, 0)
    assert line(meeting.plot(CORNERS, XOR), "in both hulls").tolist() == [[0.5, 0.5]]


def test_certificates_of_other_kinds() -> None:
    assert "undecided" in words(figures.plot_certificate(SimpleNamespace(bracket=(0, 1)), CORNERS, AND))
    with pytest.raises(errors.DataError, match="y has 3"):
        figures.plot_certificate(SimpleNamespace(), CORNERS, [0, 1, 2, 0])


def test_pairs_as_a_heat_map() -> None:
    answers = [[None, "separable", "inseparable"], ["separable", None, "separable"], ["inseparable", "separable", None]]
    margins = [[np.nan, 0.1, np.nan], [0.1, np.nan, 0.5], [np.nan, 0.5, np.nan]]
    figure = figures.plot_pairs(["a", "b", "c"], answers, margins)
    shown = {tuple(map(round, text.get_position())): text.get_text() for text in figure.axes[0].texts}
    assert shown == {(1, 0): "0.1", (0, 1): "0.1", (2, 0): "✗", (0, 2): "✗", (2, 1): "0.5", (1, 2): "0.5"}
    cells = np.asarray(figure.axes[0].images[0].get_array())
    assert cells[2, 1, :3] == pytest.approx(LIGHT.tint(LIGHT.classes[0], 0.65))  # the widest is the strongest
    assert cells[1, 0, :3] == pytest.approx(LIGHT.tint(LIGHT.classes[0], 0.18))
    assert cells[2, 0, :3] == pytest.approx(LIGHT.tint(LIGHT.classes[1], 0.55))
    assert figure.axes[0].get_title() == "pairs of classes: 2 separable, 1 inseparable"
    with pytest.raises(errors.DataError, match="must be 2 by 2"):
        figures.plot_pairs(["a", "b"], answers)


# ---------------------------------------------------------------------------------------------------------- style


def contrast(one: str, other: str) -> float:
    """WCAG 2: how far two colours are apart in lightness, 1 to 21."""

    def light(color: str) -> float:
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
        return float(np.dot(parts, [0.2126, 0.7152, 0.0722]))

    high, low = sorted([light(one), light(other)], reverse=True)
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
def test_no_text_is_clipped_at_600_pixels(kind: str, told: Any, unit: Any) -> None:
    given = {
        "regions": (unit, CORNERS, AND),
        "boundaries": (told,),
        "frames": (told,),
        "inequalities": (proof(told),),
        "mistakes": (told, 51),
    }
    figure = getattr(figures, f"plot_{kind}")(*given.get(kind, ()))
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
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert run.stdout.strip() == "False"
