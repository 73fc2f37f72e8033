"""The options --plot and --columns: which two columns to draw, and the file of the figure."""

from collections.abc import Sequence
from typing import Any

import click

from rosenblatt.cli.output import check_output, say
from rosenblatt.extras import require


def two_columns(text: str | None, names: Sequence[str], n_columns: int) -> tuple[int, int] | None:
    """The positions of the two columns in --columns, each given by its position or its name."""
    if not text:
        return None
    parts = [part.strip() for part in text.split(",")]
    positions = [names.index(part) if part in names else int(part) if part.isdecimal() else -1 for part in parts]
    if len(positions) != 2 or -1 in positions:
        known = f" The columns are {', '.join(names)}." if names else ""
        raise click.UsageError(f"--columns takes two columns, as in 0,1. Got {text!r}.{known}")
    if max(positions) >= n_columns or positions[0] == positions[1]:
        raise click.UsageError(f"--columns takes two different columns of 0 to {n_columns - 1}. Got {text!r}.")
    return positions[0], positions[1]


def column_names(names: Sequence[str], n_columns: int) -> tuple[str, ...] | None:
    """The names of the columns for the axes; None if a column became several features, or has no name."""
    return tuple(names) if len(names) == n_columns else None


def check_two_columns(columns: tuple[int, int] | None, n_columns: int) -> None:
    """Refuse --plot, before any work, unless DATA has two columns or --columns chooses two."""
    if columns is None and n_columns != 2:
        raise click.UsageError(f"--plot draws two columns, and DATA has {n_columns:,}: choose with --columns I,J.")


def check_picture(path: str | None, *inputs: str | None) -> None:
    """Refuse, before any work, a picture that could not be drawn or written."""
    check_output(path, *inputs)
    if path is not None and not path.lower().endswith(".html"):
        require("figures")


def save_plot(figure: Any, path: str) -> None:
    from rosenblatt.report.figures.common.save_figure import save_figure

    save_figure(figure, path)
    say(f"figure: {path}")
