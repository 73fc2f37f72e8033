"""A network of threshold units as a picture: inputs on the left, a layer to the right of those that feed it."""

from typing import Any, TypeAlias

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.logic import Network, WiredUnit
from rosenblatt.report.figures.common.style import Axes, Figure, Palette, legend, number, panels

Place: TypeAlias = tuple[float, float]
Places: TypeAlias = dict[str, Place]

_MAX_LABELS = 48  # wires labelled with their weights; more could not be read
_MAX_UNITS = 150
_RADIUS = 0.19
_SHARES = (0.74, 0.62, 0.68, 0.8, 0.56, 0.5, 0.44, 0.38, 0.32, 0.26)  # of a wire, where its label may be


def plot_network(network: Any, ax: Any = None, *, theme: str = "light") -> Figure:
    """Draw every unit with its threshold, and every wire with its weight: dashed where it is negative.

    Takes a logic.Network, an expression, or a fitted ThresholdNetwork.

    Parameters
    ----------
    network : logic.Network, expression or ThresholdNetwork
        What to draw.
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
    >>> from rosenblatt import figures, logic
    >>> a, b = logic.variables("a b")
    >>> figures.plot_network(~(a & b) & (a | b)).axes[0].get_title()
    '4 threshold units in 3 layers'
    """
    drawn = _network(network)
    places = _places(drawn)
    xs, ys = zip(*places.values(), strict=True)
    size = (max(6.0, 0.95 * (max(xs) + 1.6)), min(max(3.0, 0.95 * (max(ys) - min(ys) + 1) + 1.1), 16.0))
    figure, (panel, *_), look = panels(ax, theme, size=size)
    panel.set_axis_off()
    panel.set_aspect("equal")
    wires = sum(len(unit.sources) for unit in drawn.units)
    occupied = [places[unit.name] for unit in drawn.units] if wires <= _MAX_LABELS else None
    for unit in drawn.units:
        for source, weight in zip(unit.sources, unit.weights, strict=True):
            _wire(panel, places, unit, source, weight, look, occupied)
    for name in drawn.inputs:
        x, y = places[name]
        panel.plot([x + _RADIUS / 2], [y], marker="s", ms=9, color=look.muted, linestyle="none", zorder=4)
        short = name if len(name) <= 14 else name[:13] + "…"
        panel.text(x - 0.08, y, short, color=look.ink, fontsize=10.5, ha="right", va="center")
    for unit in drawn.units:
        _unit(panel, *places[unit.name], unit, unit.name in drawn.outputs, look)
    panel.set_xlim(min(xs) - 0.5, max(xs) + 0.75)
    panel.set_ylim(min(ys) - 0.55, max(ys) + 0.55)
    count = len(drawn.units)
    panel.set_title(f"{count} threshold unit{'s' if count != 1 else ''} in {len(drawn.layers)} "
                    f"layer{'s' if len(drawn.layers) != 1 else ''}")  # fmt: skip
    legend(figure, [panel], look, own=ax is None)
    return figure


def _network(model: Any) -> Network:
    """The network itself, of an expression its synthesis, of an estimator what it learned."""
    network = model if isinstance(model, Network) else getattr(model, "network", getattr(model, "network_", None))
    if not isinstance(network, Network):
        raise ParameterError(
            f"plot_network draws a Network, an expression or a ThresholdNetwork. Got {model!r} instead."
        )
    if len(network.units) > _MAX_UNITS or len(network.inputs) > _MAX_UNITS:
        raise DataError(
            f"The network has {len(network.inputs)} inputs and {len(network.units)} units, and at most {_MAX_UNITS} "
            "of either can be drawn: print it instead."
        )
    return network


def _places(network: Network) -> Places:
    """A column for each layer; within it units are ordered by the mean height of their sources."""
    places: Places = {name: (0.0, -float(k)) for k, name in enumerate(network.inputs)}
    middle = -(len(network.inputs) - 1) / 2
    apart = max(2.0, len(network.inputs) / 3)
    for x, layer in enumerate(network.layers, start=1):
        heights = {u.name: _mean([places[s][1] for s in u.sources], middle) for u in layer}
        names = sorted(heights, key=lambda name: -heights[name])
        step = max(1.0, 0.6 * len(network.inputs) / len(names))
        # a lone unit stands a little off the middle, so that wires that skip its layer do not run behind it
        top = middle + step * (len(names) - 1) / 2 + (0.28 if x % 2 and len(names) == 1 < len(network.layers) else 0)
        for k, name in enumerate(names):
            places[name] = (apart * x, top - step * k)
    return places


def _mean(values: list[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _wire(
    ax: Axes, places: Places, unit: WiredUnit, source: str, weight: float, look: Palette, occupied: list[Place] | None
) -> None:
    """Draw a wire, and its weight at a place that is not in `taken`; if that is None, without the weight."""
    from matplotlib.patches import FancyArrowPatch

    (x0, y0), (x1, y1) = places[source], places[unit.name]
    positive = weight > 0
    color = look.of_class(0) if positive else look.alarm
    skips = x1 - x0 > 1.5 * x1 / unit.layer
    begin, end = (x0 + _RADIUS, y0), (x1 - _RADIUS, y1)
    bend = _bend(begin, end, [place for name, place in places.items() if name != source]) if skips else 0.0
    ax.add_patch(
        FancyArrowPatch(
            begin,
            end,
            connectionstyle=f"arc3,rad={bend}",
            arrowstyle="-",
            color=color,
            lw=1.8,
            linestyle="-" if positive else (0, (4, 2)),
            zorder=1,
            shrinkA=0,
            shrinkB=0,
        )
    )
    label = "positive weight" if positive else "negative weight"
    ax.plot([], [], color=color, lw=1.8, linestyle="-" if positive else (0, (4, 2)), label=label)
    if occupied is not None:
        place = _free_place(begin, end, bend, occupied)
        occupied.append(place)
        ax.text(
            *place, number(weight), color=color, fontsize=9, ha="center", va="center", zorder=3,
            bbox={"boxstyle": "round,pad=0.12", "facecolor": look.paper, "edgecolor": "none"},
        )  # fmt: skip


def _on_wire(begin: Place, end: Place, bend: float, share: float) -> Place:
    """A point of a wire. A bent one is a parabola: matplotlib's arc3 puts its middle point beside the straight one."""
    (x0, y0), (x1, y1) = begin, end
    middle = ((x0 + x1) / 2 + bend * (y1 - y0), (y0 + y1) / 2 - bend * (x1 - x0))
    first, second, third = (1 - share) ** 2, 2 * share * (1 - share), share**2
    return first * x0 + second * middle[0] + third * x1, first * y0 + second * middle[1] + third * y1


def _bend(begin: Place, end: Place, others: list[Place]) -> float:
    """How far a wire that skips a layer is bent, outwards, to stay clear of the units there and of their names."""
    outwards = 1 if begin[1] <= end[1] else -1
    bends = [outwards * size for size in (0.22, 0.27, 0.32, 0.37, 0.42, 0.47, 0.15)]

    def room(bend: float) -> float:
        points = [_on_wire(begin, end, bend, k / 20) for k in range(3, 18)]
        return min((_distance(point, other) for point in points for other in others), default=1.0)

    return next((bend for bend in bends if room(bend) >= 0), max(bends, key=room))


def _distance(point: Place, unit: Place) -> float:
    """How far a point is from a unit with its name, which is above it; below 0 inside."""
    x, y = abs(point[0] - unit[0]), point[1] - unit[1]
    return max(x - 0.4, -y - _RADIUS * 1.35, y - 0.54)


def _free_place(begin: Place, end: Place, bend: float, occupied: list[Place]) -> Place:
    """A point on the wire, preferably near its unit, that no label or unit covers, or the one with the most room."""
    points = [_on_wire(begin, end, bend, share) for share in _SHARES]

    def room(point: Any) -> float:
        return min(float(max(abs(point[0] - x) / 0.3, abs(point[1] - y) / 0.2)) for x, y in occupied)

    best: Any = next((point for point in points if room(point) >= 1), max(points, key=room))
    return float(best[0]), float(best[1])


def _unit(ax: Axes, x: float, y: float, unit: WiredUnit, output: bool, look: Palette) -> None:
    from matplotlib.patches import Circle

    ax.add_patch(
        Circle((x, y), _RADIUS * 1.35, facecolor=look.tint(look.ink, 0.08), edgecolor=look.ink, lw=1.6, zorder=4)
    )
    limit = number(unit.threshold)
    ax.text(
        x, y, f"> {limit}", color=look.ink, fontsize=9 if len(limit) < 5 else 7.5, ha="center", va="center", zorder=5
    )
    kind = "" if unit.kind == "unit" else f" {unit.kind}"
    ax.text(
        x, y + 0.36, f"{unit.name}{kind}", color=look.muted, fontsize=9, ha="center", va="center", zorder=5,
        bbox={"boxstyle": "round,pad=0.08", "facecolor": look.paper, "edgecolor": "none"},
    )  # fmt: skip
    if output:
        ax.plot([x + _RADIUS * 1.35, x + 0.6], [y, y], color=look.ink, lw=1.8, zorder=1)
        ax.plot([x + 0.6], [y], marker=">", ms=7, color=look.ink, linestyle="none", zorder=2)
