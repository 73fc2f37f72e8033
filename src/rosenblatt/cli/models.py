"""The model in a file, whatever it is made of: a hyperplane, a kernel sum, a network of threshold units."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from rosenblatt.cli.invocation import UsageError

if TYPE_CHECKING:
    from rosenblatt.learn.files.predictor import Model
    from rosenblatt.model.linear import LinearModel
    from rosenblatt.storage.header import Header
    from rosenblatt.storage.tensors import Tensors


def load_decider(path: str, data: str | None = None) -> Model:
    """For commands that read examples and decide about them; MODEL and DATA may have changed places."""
    from rosenblatt.errors import ModelError
    from rosenblatt.storage.container import read_container

    try:
        return read_container(path, _unpacked)
    except ModelError:
        if data is not None and _is_model(data):
            raise UsageError(f"The model comes first, then the data: {data} {path}.") from None
        raise


def _is_model(path: str) -> bool:
    with suppress(OSError), open(path, "rb") as file:
        return b'"rosenblatt"' in file.read(64)
    return False


def linear(found: Model, path: str, action: str) -> LinearModel:
    """For commands that need one weight a feature; others are refused with what can be done with them."""
    from rosenblatt.errors import ModelError
    from rosenblatt.model.linear import LinearModel

    if isinstance(found, LinearModel):
        return found
    what = _CANNOT[type(found).__name__]
    raise ModelError(f"{path}: {what}, so it cannot be {action}; rosenblatt predict and evaluate can use it.")


_CANNOT = {
    "KernelModel": "is a kernel perceptron, which compares with examples and has no weight for each feature",
    "NetworkModel": "is a network of threshold units, whose decision is no single sum of weights",
}


def _unpacked(header: Header, tensors: Tensors) -> Model:
    kind = header.text("kind")
    if kind == "kernel model":
        from rosenblatt.model.kernel import unpack_kernel_model

        return unpack_kernel_model(header, tensors)
    if kind == "network":
        from rosenblatt.model.network import unpack_network

        return unpack_network(header, tensors)
    from rosenblatt.model.file.linear import unpack_model

    return unpack_model(header, tensors)
