"""A proof as a picture: the widest margin between the classes, or the point in which their hulls meet."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.records import Floats
from rosenblatt.report.figures.common.plane import (
    View,
    draw_line,
    frame,
    names_of,
    ring,
    scatter,
    two_classes_of,
    view_of,
)
from rosenblatt.report.figures.common.style import Axes, Figure, Palette, legend, name, number, panels
from rosenblatt.report.figures.regions import draw_normal, fill_between_lines

_THIN = 0.006  # the share of the picture below which a band is no wider than the line in it


def plot_certificate(
    certificate: Any,
    X: Any,
    y: Any,
    ax: Any = None,
    *,
    columns: tuple[int, int] | None = None,
    names: Sequence[str] | None = None,
    theme: str = "light",
) -> Figure:
    """Draw what a certificate says about these examples.

    Separable: the widest band between the classes and the rows that carry it. Inseparable: the rows of the proof, the
    hull of each class's, and the point that lies in both, a mixture of either class with the weights of the proof; it
    stays a point of both hulls in any two columns.

    Parameters
    ----------
    certificate : Separable, Inseparable or Undecided
        What `certify` returned for these examples.
    X : array-like of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Their labels.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    columns : pair of int, optional
        The two columns to draw; needed where there are more.
    names : sequence of str, optional
        The names of the columns.
    theme : 'light' or 'dark', default='light'
        The colours.

    Returns
    -------
    matplotlib.figure.Figure
        Save it with `savefig`; no window is opened.

    Examples
    --------
    >>> from rosenblatt import certify, figures
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> figures.plot_certificate(certify(X, y), X, y).axes[0].get_title()
    'inseparable: the hulls meet, so no line can part them'
    """
    figure, (panel, *_), look = panels(ax, theme)
    view = view_of(X, columns, "plot_certificate")
    labels, index = two_classes_of(y, "plot_certificate")
    scatter(panel, view, index, labels.tolist(), look)
    if hasattr(certificate, "w"):
        _separable(panel, view, certificate, look)
    elif hasattr(certificate, "weights"):
        _inseparable(panel, view, certificate, index, labels, look)
    else:
        panel.set_title("undecided: no proof either way yet")
    frame(panel, view, names or names_of(X))
    legend(figure, [panel], look, columns=3, own=ax is None)
    return figure


def _separable(ax: Axes, view: View, certificate: Any, look: Palette) -> None:
    weights = np.concatenate([[float(certificate.b)], np.asarray(certificate.w, dtype=float).ravel()])
    line = view.line(weights)
    draw_line(ax, view, line, color=look.ink, lw=2.2, label="widest separator")
    draw_normal(ax, view, line, look)
    support = np.asarray(certificate.support, dtype=np.intp)
    half = float(certificate.margin) * float(np.linalg.norm(weights[1:]))
    if len(view.middle) == 2 and half > _THIN * float(np.abs(line[1:]) @ view.size):
        for sign in (1, -1):
            draw_line(ax, view, line - [sign * half, 0, 0], color=look.muted, lw=1.3, linestyle=(0, (4, 3)))
        fill_between_lines(ax, view, line, half, look)
    ring(ax, view.points[support], look.accent, f"the {len(support)} rows that carry it")
    ax.set_title(f"separable: margin {number(float(certificate.margin))} on either side")


def _inseparable(
    ax: Axes, view: View, certificate: Any, index: NDArray[np.intp], labels: NDArray[Any], look: Palette
) -> None:
    rows = np.asarray(certificate.rows, dtype=np.intp)
    for k, label in enumerate(labels.tolist()):
        points = view.points[rows[index[rows] == k]]
        _hull(ax, points, look.of_class(k), f"hull of {name(label)}'s proof rows")
    point = meeting_point(certificate, view.points, index)
    ring(ax, view.points[rows], look.ink, f"the {len(rows)} rows of the proof", area=210)
    ax.plot(
        [point[0]], [point[1]], marker="x", ms=13, color=look.ink, mew=2.6, linestyle="none",
        label="in both hulls", zorder=3,
    )  # fmt: skip
    parted = "no line can part them" if len(view.middle) == 2 else "nothing flat can part them"
    ax.set_title(f"inseparable: the hulls meet, so {parted}")


def meeting_point(certificate: Any, points: Floats, index: NDArray[np.intp]) -> Floats:
    """The mixture of the positive rows with the weights of the proof; that of the negative rows is the same point."""
    from fractions import Fraction

    positive = [
        (Fraction(weight), points[row])
        for row, weight in zip(certificate.rows, certificate.weights, strict=True)
        if index[row] == 1
    ]
    total = sum(weight for weight, _ in positive)
    return np.array([float(sum(w * Fraction(float(p[a])) for w, p in positive) / total) for a in (0, 1)])


def _hull(ax: Axes, points: Floats, color: str, label: str) -> None:
    """Draw a convex hull: a polygon, a segment, or a point. It lies below the points, so that it hides none."""
    corners = points[_hull_corners(points)]
    if len(corners) > 2:
        ax.fill(corners[:, 0], corners[:, 1], color=color, alpha=0.18, zorder=1)
    closed = np.vstack([corners, corners[:1]])
    ax.plot(closed[:, 0], closed[:, 1], color=color, lw=2.0, label=label, zorder=2)


def _hull_corners(points: Floats) -> list[int]:
    """Indices of the corners of the hull, in order (Andrew's monotone chain)."""
    order = sorted(range(len(points)), key=lambda i: (points[i][0], points[i][1]))

    def chain(indices: Sequence[int]) -> list[int]:
        corners: list[int] = []
        for i in indices:
            while len(corners) > 1 and _turn(points[corners[-2]], points[corners[-1]], points[i]) <= 0:
                corners.pop()
            corners.append(i)
        return corners

    if len(points) < 3:
        return order
    return chain(order)[:-1] + chain(order[::-1])[:-1]


def _turn(a: Floats, b: Floats, c: Floats) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
