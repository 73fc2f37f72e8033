"""The MODEL argument of a command that also reads DATA."""

import click

from rosenblatt.errors import ModelError
from rosenblatt.model.model import Model
from rosenblatt.model.model_file import is_model_file, load_scorer


def load_model(path: str, data: str) -> Model:
    """Load MODEL; if MODEL and DATA were swapped, the error says so."""
    try:
        return load_scorer(path)
    except ModelError:
        if is_model_file(data):
            raise click.UsageError(f"The model comes first, then the data: {data} {path}.") from None
        raise
