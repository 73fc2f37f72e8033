"""The picture of a network: wires that skip a layer stay clear of the units there and of their names."""

from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import FancyArrowPatch

from rosenblatt import ThresholdNetwork, figures, logic

a, b, c = logic.variables("a b c")
NETWORKS = {
    "xor, grown": ThresholdNetwork().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]),
    "xor": ~(a & b) & (a | b),
    "choice": (a & b) | (~a & c),
    **{f"parity of {n}": logic.parity(n).network for n in (2, 3, 4, 5)},
}


def wires(panel: Any) -> list[Any]:
    """The points of every wire, in pixels, along the curve that is drawn."""
    drawn = [patch for patch in panel.patches if isinstance(patch, FancyArrowPatch)]
    paths = [panel.transData.transform_path(patch.get_path()).interpolated(1) for patch in drawn]
    return [np.vstack([path.to_polygons(closed_only=False)[0]]) for path in paths]


@pytest.mark.parametrize("name", NETWORKS)
def test_no_wire_runs_through_the_name_of_a_unit(name: str) -> None:
    figure = figures.plot_network(NETWORKS[name])
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    [panel] = figure.axes
    names = [text for text in panel.texts if text.get_text().startswith("u")]
    assert names
    for text in names:
        box = text.get_window_extent(canvas.get_renderer())
        for wire in wires(panel):
            steps = np.linspace(wire[:-1], wire[1:], 20).reshape(-1, 2)
            inside = (steps[:, 0] > box.x0) & (steps[:, 0] < box.x1) & (steps[:, 1] > box.y0) & (steps[:, 1] < box.y1)
            assert not inside.any(), text.get_text()
