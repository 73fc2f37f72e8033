"""Save a figure to a file."""

from typing import Any

from rosenblatt.errors import ParameterError, option


def save_figure(figure: Any, path: str) -> None:
    """Write a figure with its own background colour; the suffix of the path is the format: .png, .svg or .pdf."""
    try:
        figure.savefig(path, facecolor=figure.get_facecolor())
    except ValueError as error:  # matplotlib's, for an ending it does not know
        raise ParameterError(f"{option('plot', path)}: {error}.") from None
