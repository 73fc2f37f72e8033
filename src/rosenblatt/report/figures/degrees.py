"""Error against the degree of a polynomial: the warning of overfitting as a picture."""

from typing import TYPE_CHECKING, Any

from rosenblatt.errors import ParameterError
from rosenblatt.report.figures.style import legend, panels, ruled

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_degrees(report: Any, ax: Any = None, *, theme: str = "light") -> "Figure":
    """Training and held-out error of each degree of a `degree_report`, the held-out ones with their 95% intervals."""
    from matplotlib.ticker import PercentFormatter

    if not hasattr(report, "degrees") or not hasattr(report, "best"):
        raise ParameterError(f"plot_degrees draws what degree_report gives. Got {report!r} instead.")
    figure, (shown, *_), look = panels(ax, theme, size=(6.0, 4.4))
    degrees = sorted(report.degrees, key=lambda one: one.degree)
    places = [one.degree for one in degrees]
    held = [one.held_out_error for one in degrees]
    values = [error.value for error in held]
    below, above = ([error.value - error.low for error in held], [error.high - error.value for error in held])
    shown.errorbar(
        places, values, yerr=[below, above], color=look.of_class(1), lw=2.3, marker="s", ms=6, capsize=4,
        label="held out, with its 95% interval",
    )  # fmt: skip
    training = [one.training_error for one in degrees]
    dashed: dict[str, Any] = {"linestyle": (0, (5, 2)), "marker": "o", "ms": 6}
    shown.plot(places, training, color=look.of_class(0), lw=2.3, label="training", **dashed)
    best = report.best
    shown.plot(
        [best.degree], [best.held_out_error.value], marker="o", ms=15, mfc="none", mec=look.ink, mew=1.6,
        linestyle="none", label=f"least held out: degree {best.degree}",
    )  # fmt: skip
    shown.set_xticks(places)
    shown.set_xlabel("degree of the polynomial")
    shown.set_ylabel("error")
    shown.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=None))
    shown.set_ylim(bottom=min(0.0, -0.04 * max(error.high for error in held)))
    shown.set_title(f"error against the degree, {report.rows:,} rows in {report.folds} folds")
    ruled(shown, look)
    legend(figure, [shown], look, columns=2, own=ax is None)
    return figure
