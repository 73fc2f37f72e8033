"""Plot the error against the degree of a polynomial, to see overfitting."""

from typing import Any

from rosenblatt.errors import ParameterError
from rosenblatt.report.figures.common.style import Figure, add_grid, legend, panels


def plot_degrees(report: Any, ax: Any = None, *, theme: str = "light") -> Figure:
    """Training and held-out error of each degree of a `degree_report`, the held-out ones with their 95% intervals.

    Parameters
    ----------
    report : DegreeReport
        What `degree_report` returned.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    theme : 'light' or 'dark', default='light'
        The colours.

    Returns
    -------
    matplotlib.figure.Figure
        Save it with `savefig`; no window is opened.

    Examples
    --------
    >>> from rosenblatt import degree_report, figures
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 5, [0, 1, 1, 0] * 5
    >>> figures.plot_degrees(degree_report(X, y, degrees=(1, 2), folds=2)).axes[0].get_xlabel()
    'degree of the polynomial'
    """
    from matplotlib.ticker import PercentFormatter

    if not hasattr(report, "degrees") or not hasattr(report, "best"):
        raise ParameterError(f"plot_degrees draws what degree_report gives. Got {report!r} instead.")
    figure, (panel, *_), look = panels(ax, theme, size=(6.0, 4.4))
    degrees = sorted(report.degrees, key=lambda row: row.degree)
    places = [row.degree for row in degrees]
    errors = [row.held_out_error for row in degrees]
    values = [error.value for error in errors]
    below, above = ([error.value - error.low for error in errors], [error.high - error.value for error in errors])
    panel.errorbar(
        places, values, yerr=[below, above], color=look.of_class(1), lw=2.3, marker="s", ms=6, capsize=4,
        label="held out, with its 95% interval",
    )  # fmt: skip
    training = [row.training_error for row in degrees]
    dashed: dict[str, Any] = {"linestyle": (0, (5, 2)), "marker": "o", "ms": 6}
    panel.plot(places, training, color=look.of_class(0), lw=2.3, label="training", **dashed)
    best = report.best
    panel.plot(
        [best.degree], [best.held_out_error.value], marker="o", ms=15, mfc="none", mec=look.ink, mew=1.6,
        linestyle="none", label=f"lowest held-out error: degree {best.degree}",
    )  # fmt: skip
    panel.set_xticks(places)
    panel.set_xlabel("degree of the polynomial")
    panel.set_ylabel("error")
    panel.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=None))
    panel.set_ylim(bottom=min(0.0, -0.04 * max(error.high for error in errors)))
    panel.set_title(f"error against the degree, {report.rows:,} rows in {report.folds} folds")
    add_grid(panel, look)
    legend(figure, [panel], look, columns=2, own=ax is None)
    return figure
