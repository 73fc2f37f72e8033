"""Parameters and labels of an estimator <-> plain JSON values."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import ModelError
from rosenblatt.records import Label


def to_json(name: str, value: Any) -> Any:
    """A parameter as a JSON value. A random generator becomes None: its seed is in the run."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {"weights": [[to_json(name, label), to_json(name, weight)] for label, weight in value.items()]}
    if name == "random_state":
        return None
    if isinstance(value, tuple | list) and all(isinstance(word, str) for word in value):
        return {"words": list(value)}
    try:
        return {"array": np.asarray(value, dtype=np.float64).tolist()}
    except (TypeError, ValueError):
        raise ModelError(f"The parameter {name}={value!r} cannot be saved: use a number, text or an array.") from None


def from_json(value: Any) -> Any:
    """The inverse of `to_json`."""
    if isinstance(value, Mapping) and "words" in value:
        return tuple(value["words"])
    if isinstance(value, Mapping):
        return dict(map(tuple, value["weights"])) if "weights" in value else np.array(value["array"], dtype=np.float64)
    return value


def label_array(labels: tuple[Label, ...], dtype: object) -> NDArray[Any]:
    """The labels as an array of the dtype they had; only plain dtypes are allowed."""
    if not isinstance(dtype, str) or np.dtype(dtype).kind not in "biufUO":
        raise ModelError(f"{dtype!r} is not a dtype of labels")
    array = np.array(labels, dtype=dtype)
    if array.tolist() != list(labels):
        raise ModelError(f"its labels do not fit their dtype, {dtype}")
    return array
