"""The class, the parameters and the labels of an estimator <-> plain JSON values."""

from collections.abc import Collection, Iterable, Mapping
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


def name_and_parameters(estimator: Any, known: Iterable[type]) -> dict[str, Any]:
    """What a file holds of an estimator of one of the known classes; a subclass raises ModelError."""
    name, names = type(estimator).__name__, [cls.__name__ for cls in known]
    if type(estimator) not in known:
        one = f"a {names[0]}" if len(names) == 1 else f"one of {', '.join(names)}"
        raise ModelError(f"A {name} cannot be saved, because a file does not hold its code: save {one}.")
    parameters = estimator.get_params(deep=False).items()
    return {"name": name, "parameters": {key: to_json(key, value) for key, value in parameters}}


def saved_parameters(saved: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of an estimator, as a file has them."""
    return {name: from_json(value) for name, value in saved["parameters"].items()}


def reading_parameters(provenance: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """How the command line read the file of a model, as parameters of an estimator."""
    reading = {name: value for name, value in provenance.get("reading", {}).items() if name in known}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in reading.items()}


def label_array(labels: tuple[Label, ...], dtype: object) -> NDArray[Any]:
    """The labels as an array of the dtype they had; only plain dtypes are allowed."""
    if not isinstance(dtype, str) or np.dtype(dtype).kind not in "biufUO":
        raise ModelError(f"{dtype!r} is not a dtype of labels")
    array = np.array(labels, dtype=dtype)
    if array.tolist() != list(labels):
        raise ModelError(f"its labels do not fit their dtype, {dtype}")
    return array
