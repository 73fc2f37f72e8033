"""Saves and loads models of every kind. docs/model-file.md describes each key of a file.

A new kind of model is a file in kinds/ with a subclass of Model, and a line in `_KINDS`.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress

from rosenblatt.errors import ModelError, option
from rosenblatt.model.kinds.linear import LinearModel, unpack_linear_model
from rosenblatt.model.model import Model
from rosenblatt.storage.checked_header import Header
from rosenblatt.storage.container import read_container, write_container
from rosenblatt.storage.tensors import Tensors


def _kernel_model(header: Header, tensors: Tensors) -> Model:
    from rosenblatt.model.kinds.kernel import unpack_kernel_model

    return unpack_kernel_model(header, tensors)


def _network(header: Header, tensors: Tensors) -> Model:
    from rosenblatt.model.kinds.network import unpack_network

    return unpack_network(header, tensors)


def _multi_label_model(header: Header, tensors: Tensors) -> Model:
    from rosenblatt.model.kinds.multi_label import unpack_multi_label_model

    return unpack_multi_label_model(header, tensors)


def _number_model(header: Header, tensors: Tensors) -> Model:
    from rosenblatt.model.kinds.number import unpack_number_model

    return unpack_number_model(header, tensors)


# The others are imported when a file needs them: a linear model loads without numpy.
_KINDS: Mapping[str, Callable[[Header, Tensors], Model]] = {
    "model": unpack_linear_model,
    "multi-label model": _multi_label_model,
    "number model": _number_model,
    "kernel model": _kernel_model,
    "network": _network,
}


def save_model(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model; an older file of this name is replaced when the new one is complete and on the disk."""
    tensors: Tensors = {}
    header = model.pack(tensors)
    write_container(path, header, tensors)


def load_model(path: str | os.PathLike[str]) -> Model:
    """The model in a file. A damaged, foreign or newer file raises ModelError; no code in the file is run."""
    return read_container(path, unpack_model)


def unpack_model(header: Header, tensors: Tensors) -> Model:
    kind = header.text("kind")
    if kind not in _KINDS:
        from rosenblatt.learn.files.checkpoint import KIND as CHECKPOINT

        advice = f"continue the fit with {option('resume', True)}" if kind == CHECKPOINT else "upgrade Rosenblatt"
        raise ModelError(f"it holds a {kind}, not a model: {advice}")
    return _KINDS[kind](header, tensors)


def load_scorer(path: str | os.PathLike[str]) -> Model:
    """A model that can score the rows of a file; one with a precomputed kernel has no rows to compare them with."""
    model = load_model(path)
    if not model.scores_rows:
        raise ModelError(
            f"{os.fspath(path)}: it holds a kernel perceptron of a precomputed kernel, which decides about kernel "
            "values and not about examples: load it in Python with rosenblatt.load."
        )
    return model


def load_linear_model(path: str | os.PathLike[str], action: str = "loaded as a linear model") -> LinearModel:
    """A model with one weight per feature; the error for another kind says what that can do."""
    return with_weights(load_scorer(path), path, action)


def with_weights(model: Model, path: str | os.PathLike[str], action: str) -> LinearModel:
    """The model, if it has one weight per feature."""
    if not isinstance(model, LinearModel):
        raise ModelError(
            f"{os.fspath(path)}: is {model.what_it_is}, so it cannot be {action}; "
            "rosenblatt predict and evaluate can use it."
        )
    return model


def with_classes(model: Model, path: str | os.PathLike[str], action: str) -> LinearModel:
    """The model, if it has one weight per feature and decides between classes."""
    linear = with_weights(model, path, action)
    if linear.settings.predicts_number:
        raise ModelError(
            f"{os.fspath(path)}: predicts a number, so it cannot be {action}; rosenblatt predict and evaluate can use "
            f"it, and rosenblatt fit {option('from_')} can continue from it."
        )
    return linear


def require_probabilities(model: Model, path: str | os.PathLike[str]) -> None:
    """Raises ModelError, with the file, if the model gives no probabilities."""
    if not model.gives_probabilities:
        raise ModelError(
            f"{os.fspath(path)}: gives no probabilities: an older version of Rosenblatt learned it, or it was not "
            "learned from a file; learn it again with rosenblatt fit."
        )


def require_confidence(model: Model, path: str | os.PathLike[str]) -> LinearModel:
    """The model, if it gives a confidence; else raises ModelError, with its file."""
    linear = with_weights(model, path, "asked for a confidence")
    reason = linear.why_no_confidence
    if reason is not None:
        raise ModelError(
            f"{os.fspath(path)}: {reason}: use {option('proba')}, or for a confidence learn it with "
            f"{option('rule', 'arow')}."
        )
    return linear


def is_model_file(path: str | os.PathLike[str]) -> bool:
    """Whether the file begins like a model file."""
    with suppress(OSError), open(path, "rb") as file:
        return b'"rosenblatt"' in file.read(64)
    return False
