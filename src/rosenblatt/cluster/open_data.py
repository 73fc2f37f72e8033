"""The user's data, files or a data frame that an engine holds, as a source that the workers of the engine read."""

from __future__ import annotations

from typing import Any

from rosenblatt.cluster.engine import Engine
from rosenblatt.cluster.engines.choose_engine import is_frame
from rosenblatt.cluster.frames import open_frame
from rosenblatt.cluster.source import open_on
from rosenblatt.errors import ParameterError, option
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.source import ReadOptions, SourceWrapper
from rosenblatt.records import FeatureSpace


def open_data(
    data: Paths | Any, reading: ReadOptions, engine: Engine, space: FeatureSpace | None = None
) -> SourceWrapper:
    """With the `space` of a model, the examples are read into that space."""
    if reading.name_rows:
        raise ParameterError(
            f"{option('reasons')} reads examples one by one, and an engine reads many at once: leave one of them out."
        )
    if is_frame(data):
        return open_frame(data, reading, engine, space)
    return open_on(data, reading, engine, space)
