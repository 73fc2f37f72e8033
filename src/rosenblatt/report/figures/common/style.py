"""The style of every figure: a light and a dark palette, markers and dashes for readers without colour, 600 px wide."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosenblatt.errors import ParameterError
from rosenblatt.extras import require
from rosenblatt.records import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure
else:  # for annotations; matplotlib is imported only when something is drawn
    Axes, Figure = "Axes", "Figure"

DPI = 100  # six inches are 600 px
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p", "<", ">")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.2, 1.6)), (0, (6, 2, 1.2, 2)), (0, (2.5, 1.5)))


@dataclass(frozen=True)
class Palette:
    """Colours after Okabe and Ito (2008), which people with any colour vision can tell apart; lighter ones on dark."""

    paper: str
    ink: str
    muted: str
    grid: str
    classes: tuple[str, ...]
    accent: str  # for updates
    alarm: str  # for mistakes and inseparable pairs

    def tint(self, color: str, share: float = 0.2) -> tuple[float, float, float]:
        """The colour mixed with the paper, for areas on which text and points stay legible."""
        from matplotlib.colors import to_rgb

        over, under = to_rgb(color), to_rgb(self.paper)
        return tuple(share * a + (1 - share) * b for a, b in zip(over, under, strict=True))  # type: ignore[return-value]

    def of_class(self, index: int) -> str:
        return self.classes[index % len(self.classes)]


LIGHT = Palette(
    paper="#ffffff",
    ink="#1a1d21",
    muted="#5c6670",
    grid="#e3e6e9",
    classes=(
        "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#5b3a9b", "#7a7a7a", "#a3402a", "#3a7d44",
    ),
    accent="#007a59",
    alarm="#c23b00",
)  # fmt: skip
DARK = Palette(
    paper="#14181d",
    ink="#eceff1",
    muted="#a3adb6",
    grid="#2b323a",
    classes=(
        "#56b4e9", "#e69f00", "#2fc79a", "#e79cc6", "#f0e442", "#8fa8ff", "#ff7f50", "#b5b5b5", "#c8a2ff", "#9bd770",
    ),
    accent="#2fc79a",
    alarm="#ff8552",
)  # fmt: skip
# For the studio on a projector, which washes out colours: darker ones, and text with a contrast of at least 7.
PROJECTOR = Palette(
    paper="#ffffff",
    ink="#000000",
    muted="#3d4349",
    grid="#c9ced3",
    classes=(
        "#004f9e", "#b34700", "#00694b", "#a3337a", "#5e4a00", "#1273b5", "#43207f", "#505050", "#7d2412", "#1d5a28",
    ),
    accent="#005c43",
    alarm="#a02c00",
)  # fmt: skip
THEMES = {"light": LIGHT, "dark": DARK}


def palette(theme: str) -> Palette:
    if theme not in THEMES:
        raise ParameterError(f"The 'theme' of a figure must be 'light' or 'dark'. Got {theme!r} instead.")
    return THEMES[theme]


def panels(
    ax: Any, theme: str, rows: int = 1, columns: int = 1, size: tuple[float, float] = (6.0, 4.5)
) -> tuple[Figure, list[Axes], Palette]:
    """The axes to draw on: those of the caller, or new ones on a new figure."""
    require("figures")
    from matplotlib.figure import Figure

    look = palette(theme)
    if ax is None:
        figure = Figure(figsize=size, dpi=DPI, layout="constrained", facecolor=look.paper)
        axes = list(figure.subplots(rows, columns, squeeze=False).ravel())
    else:
        axes = list(ax.ravel()) if hasattr(ax, "ravel") else [ax]
        figure = axes[0].figure
    for panel in axes:
        style_axes(panel, look)
    return figure, axes, look


def style_axes(ax: Axes, look: Palette) -> None:
    ax.set_facecolor(look.paper)
    for name, spine in ax.spines.items():
        spine.set_color(look.muted)
        spine.set_visible(name in ("left", "bottom"))
    ax.tick_params(colors=look.muted, labelcolor=look.ink, labelsize=9.5)
    for text in (ax.title, ax.xaxis.label, ax.yaxis.label):
        text.set_color(look.ink)
        text.set_fontsize(10.5)
    ax.title.set_fontsize(11.5)


def add_grid(ax: Axes, look: Palette) -> None:
    """Draw faint lines behind the curves, to read values by."""
    ax.grid(color=look.grid, linewidth=0.8)
    ax.set_axisbelow(True)


def legend(figure: Figure, axes: Sequence[Axes], look: Palette, columns: int = 3, own: bool = True) -> None:
    """Add a legend with each name once: below the panels of our `own` figure, inside the caller's axes otherwise."""
    from matplotlib.collections import PathCollection

    entries = {label: handle for ax in axes for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    if not entries:
        return
    handles, labels = list(entries.values()), [shortened(label) for label in entries]
    style: dict[str, Any] = {"fontsize": 9.5, "labelcolor": look.ink, "frameon": False, "labelspacing": 0.75}
    if own:
        style |= {"loc": "outside lower center", "ncols": legend_columns(labels, figure.get_figwidth(), columns)}
        box = figure.legend(handles, labels, **style)
    else:
        style |= {"frameon": True, "facecolor": look.paper, "framealpha": 0.85}
        box = axes[0].legend(handles, labels, **style)
    as_written(box.get_texts())
    for handle in box.legend_handles:
        if isinstance(handle, PathCollection) and float(handle.get_sizes()[0]) < 36:
            handle.set_sizes([36.0])
    if own and any(ax.get_aspect() != "auto" for ax in axes):
        figure.draw_without_rendering()  # the first layout ignores the shape of the panels, and cuts off the title


def legend_columns(labels: Sequence[str], inches: float, most: int) -> int:
    """How many columns of a legend with these labels fit beside each other, `most` at the most."""
    fitting = int(inches * DPI // (7.0 * max(map(len, labels)) + 48))
    return max(1, min(most, fitting, len(labels)))


def as_written(texts: Iterable[Any]) -> None:
    """Show these texts literally: matplotlib would take what users write between two $ for a formula."""
    for text in texts:
        text.set_parse_math(False)


def shortened(text: str, most: int = 34) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def name(label: Any) -> str:
    """A label as its user would write it: 1, not 1.0 or np.int64(1)."""
    plain = label.item() if hasattr(label, "item") else label
    return str(int(plain)) if isinstance(plain, float) and plain.is_integer() else str(plain)


def number(value: float, digits: int = 3) -> str:
    """A number for people: 18, 0.447, 1.2e-9, with a minus sign as wide as a plus sign."""
    if value == int(value) and abs(value) < 1e6:
        return f"{int(value):,}".replace("-", "\N{MINUS SIGN}")
    return f"{value:.{digits}g}".replace("-", "\N{MINUS SIGN}")


def vector(values: Sequence[float] | Floats, digits: int = 3) -> str:
    """A short vector in brackets; of a long one the first numbers."""
    first = [number(v, digits) for v in values[:6]]
    return "[" + ", ".join(first) + (", …]" if len(values) > 6 else "]")
