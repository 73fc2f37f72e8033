"""What takes up the space in a model file, and how small it could be."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rosenblatt.errors import ModelError
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model_file import load_model
from rosenblatt.storage.checked_header import Header
from rosenblatt.storage.container import read_container
from rosenblatt.storage.tensors import Tensors

# By the prefix of tensor names; the first match counts.
_PARTS = {
    "run.weights": "weights",
    "run.drift": "averages",
    "run.scale": "rates and variances",
    "run.log": "mistake log",
    "run.votes": "voters",
    "run.": "other state of learning",
    "space.names": "names of hashed words",
    "space.": "columns",
    "calibration.": "calibration",
    "sample.": "calibration",
}
_HEADER = "header"


@dataclass(frozen=True)
class Room:
    """The bytes of a model file by what they hold, the largest part first; and of the model made small, with all its
    weights."""

    bytes: int
    parts: Mapping[str, int]
    bytes_small: int | None  # None: it cannot be made small, or is small already

    def as_json(self) -> dict[str, Any]:
        return {"bytes": self.bytes, "parts": dict(self.parts), "bytes_small": self.bytes_small}


def room_in_file(path: str) -> Room:
    """The sizes of the parts of a model file; raises ModelError if it is not a model."""
    parts: dict[str, int] = {}

    def add(header: Header, tensors: Tensors) -> None:
        for name, tensor in tensors.items():
            part = next((part for start, part in _PARTS.items() if name.startswith(start)), "other arrays")
            parts[part] = parts.get(part, 0) + memoryview(tensor).nbytes

    model = load_model(path)
    read_container(path, add)
    size = os.path.getsize(path)
    parts[_HEADER] = size - sum(parts.values())
    largest_first = dict(sorted(parts.items(), key=lambda part: (-part[1], part[0])))
    return Room(size, {name: count for name, count in largest_first.items() if count}, _small(model, size))


def _small(model: Any, size: int) -> int | None:
    from rosenblatt.model.small_model import shrink

    if not isinstance(model, LinearModel) or model.is_small:
        return None
    try:
        small = shrink(model, 2**62)
    except ModelError:
        return None
    return small.bytes if small.bytes < size else None
