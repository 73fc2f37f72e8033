"""Lines, bars and axes as inline SVG, with colours from the style sheet of the page."""

import math
from collections.abc import Sequence
from html import escape

WIDTH, HEIGHT = 440, 260
LEFT, RIGHT, TOP, BOTTOM = 62, 12, 12, 40


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers from low to high, about `most` of them.

    >>> ticks(0, 187)
    [0.0, 50.0, 100.0, 150.0]
    """
    if not high > low:
        return [low]
    step = 10.0 ** math.floor(math.log10((high - low) / most))
    step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (step * factor) <= most)
    first = math.ceil(low / step - 1e-9)
    return [step * k for k in range(first, math.floor(high / step + 1e-9) + 1)]


def short(value: float) -> str:
    """A number for an axis.

    >>> [short(v) for v in (0, 0.25, 1500, 2_000_000, -3)]
    ['0', '0.25', '1,500', '2M', '-3']
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{value / (1e3 if letter == 'k' else size):g}{letter}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


class Plot:
    """A frame with two axes; its methods draw in the units of the data."""

    def __init__(self, x: tuple[float, float], y: tuple[float, float], description: str) -> None:
        self.x_range = x if x[1] > x[0] else (x[0], x[0] + 1)
        self.y_range = y if y[1] > y[0] else (y[0], y[0] + 1)
        self.description = description  # for screen readers
        self.parts: list[str] = []

    def x(self, value: float) -> float:
        low, high = self.x_range
        return round(LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT), 2)

    def y(self, value: float) -> float:
        low, high = self.y_range
        return round(HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM), 2)

    def axes(self, x_name: str, y_name: str, x_ticks: Sequence[float], y_ticks: Sequence[float]) -> None:
        for value in y_ticks:
            y = self.y(value)
            self.parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>')
            self.text(LEFT - 8, y + 4, short(value), "end")
        for value in x_ticks:
            self.text(self.x(value), HEIGHT - BOTTOM + 17, short(value), "middle")
        self.parts.append(
            f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{HEIGHT - BOTTOM}" y2="{HEIGHT - BOTTOM}"/>'
        )
        self.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 5, x_name, "middle")
        middle = (TOP + HEIGHT - BOTTOM) / 2
        self.parts.append(
            f'<text transform="translate(12 {middle}) rotate(-90)" text-anchor="middle">{escape(y_name)}</text>'
        )

    def text(self, x: float, y: float, text: str, anchor: str) -> None:
        self.parts.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>')

    def bar(self, low: float, high: float, value: float, kind: str, tooltip: str) -> None:
        """Draw a bar over [low, high] from 0 to a value, half a pixel narrower on either side."""
        left, right = self.x(low) + 0.5, self.x(high) - 0.5
        top, bottom = self.y(value), self.y(max(self.y_range[0], 0))
        self.parts.append(
            f'<rect class="{kind}" x="{left:.2f}" y="{top}" width="{max(right - left, 0.5):.2f}" '
            f'height="{max(bottom - top, 0):.2f}"><title>{escape(tooltip)}</title></rect>'
        )

    def line(self, xs: Sequence[float], ys: Sequence[float], kind: str, tooltip: str = "") -> None:
        points = " ".join(f"{self.x(a)},{self.y(b)}" for a, b in zip(xs, ys, strict=True))
        title = f"<title>{escape(tooltip)}</title>" if tooltip else ""
        self.parts.append(f'<polyline class="{kind}" points="{points}">{title}</polyline>')

    def dot(self, x: float, y: float, tooltip: str) -> None:
        self.parts.append(
            f'<circle class="dot" cx="{self.x(x)}" cy="{self.y(y)}" r="3.5"><title>{escape(tooltip)}</title></circle>'
        )

    def point(self, x: float, y: float) -> None:
        """Draw a small point without a tooltip."""
        self.parts.append(f'<circle class="point" cx="{self.x(x)}" cy="{self.y(y)}" r="2.2"/>')

    def svg(self) -> str:
        return (
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(self.description, quote=True)}">'
            + "".join(self.parts)
            + "</svg>"
        )
