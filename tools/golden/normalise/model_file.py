"""A model file, without what may differ: the checksum, the program's version, the name and size of the data."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

from tools.golden.normalise.digest import rounded

_NEWER = ("keep", "as_")  # options that old models do not have
# What came after the hashes were taken: parts of the header, and the tensors whose names begin with them.
_NEW_PARTS = ("calibration", "threshold", "reference", "final_reference", "sample")


def content(path: str | Path) -> list[Any]:
    """The header in its own order, and the arrays in theirs."""
    stored = Path(path).read_bytes()
    length = struct.unpack("<Q", stored[:8])[0]
    layout = json.loads(stored[8 : 8 + length])
    header = json.loads(layout.pop("__metadata__")["rosenblatt"])
    start = 8 + length
    arrays = []
    for name, about in sorted(layout.items()):
        if name.partition(".")[0] in _NEW_PARTS:
            continue
        first, last = about["data_offsets"]
        arrays.append([name, about["dtype"], about["shape"], stored[start + first : start + last]])
    return [json.dumps(_steady(header)), arrays]


def _steady(header: dict[str, Any]) -> dict[str, Any]:
    for name in ("checksum", *_NEW_PARTS):
        header.pop(name, None)
    provenance = header.get("provenance", {})
    provenance.pop("version", None)
    provenance.pop("class_counts", None)
    for name in ("name", "bytes"):
        provenance.get("data", {}).pop(name, None)
    for name in ("labels_from", *_NEWER):
        provenance.get("reading", {}).pop(name, None)
    if provenance.get("reading", {}).get("scale") is False:
        provenance["reading"].pop("scale")
    header.get("space", {}).get("settings", {}).pop("columns", None)
    _without_regularisation(header.get("estimator") or {})
    return {name: _losses(value) for name, value in header.items()}


def _without_regularisation(estimator: dict[str, Any]) -> None:
    """Without alpha and l1, which came after the hashes were taken, where they are 0."""
    parameters = estimator.get("parameters", {})
    if parameters.get("alpha") == parameters.get("l1") == 0:
        del parameters["alpha"], parameters["l1"], estimator["chosen"][-2:]


def _losses(value: Any) -> Any:
    """Losses are logarithms, which the machine's library computes: they are rounded."""
    if isinstance(value, dict):
        return {
            name: rounded(entry) if name == "loss" and isinstance(entry, list) else _losses(entry)
            for name, entry in value.items()
        }
    if isinstance(value, list):
        return [_losses(entry) for entry in value]
    return value
