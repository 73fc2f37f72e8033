"""A linear model <-> the header and tensors of its file; docs/model-file.md says what each key is."""

from __future__ import annotations

import os
from typing import Any

from rosenblatt.errors import ModelError
from rosenblatt.learn.run_state import pack_run, unpack_run
from rosenblatt.model.linear import LinearModel
from rosenblatt.readers.feature_space import pack_classes, pack_space, unpack_classes, unpack_space
from rosenblatt.storage.container import read_container, write_container
from rosenblatt.storage.header import Header
from rosenblatt.storage.tensors import Tensors


def save_model(model: LinearModel, path: str | os.PathLike[str]) -> None:
    """Write a model; the file of that name is replaced when the new one is complete and on the disk."""
    tensors: Tensors = {}
    header = model_header(model, tensors)
    write_container(path, header, tensors)


def load_model(path: str | os.PathLike[str]) -> LinearModel:
    """Read a model; a file that is damaged, foreign, newer, or not a model raises ModelError with one sentence."""
    return read_container(path, unpack_model)


def model_header(model: LinearModel, tensors: Tensors) -> dict[str, Any]:
    return {
        "kind": "model",
        "classes": pack_classes(model.classes),
        "space": pack_space(model.space, tensors),
        "run": pack_run(model.run, tensors, "run."),
        "estimator": model.estimator,
        "provenance": dict(model.provenance),
    }


def unpack_model(header: Header, tensors: Tensors) -> LinearModel:
    """The model that header and tensors hold."""
    kind = header.text("kind")
    if kind != "model":
        what = "continue it with resume" if kind == "checkpoint" else "open it with rosenblatt.load"
        raise ModelError(f"it holds a {kind}, not a model: {what}")
    classes = unpack_classes(header.section("classes"))
    return LinearModel(
        classes=classes,
        space=unpack_space(header.section("space"), tensors),
        run=unpack_run(header.section("run"), tensors, "run.", len(classes)),
        provenance=dict(header.section("provenance").values),
        estimator=dict(header.section("estimator").values) if "estimator" in header else None,
    )
