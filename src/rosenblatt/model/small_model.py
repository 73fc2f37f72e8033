"""Small models: the weights that matter least are left out, the others are stored in two bytes each.

How much a weight matters is |w| times how often its feature has occurred, as far as the run knows: adagrad sums the
squares of a feature's gradients, arow knows its variance 1 / (1 + sum of x^2 / r); the root of the largest sum of all
units stands for how often. Other rules keep no such numbers, and |w| alone decides. A small model predicts, explains
and exports like any other. It lacks what continuing to learn needs: averages, variances, the scores for calibration.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.errors import ModelError, ParameterError, option
from rosenblatt.learn.state.run_state import pack_settings
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model_file import unpack_model
from rosenblatt.options.values.file_size import shown_size
from rosenblatt.readers.stored_feature_space import pack_space
from rosenblatt.records import Floats
from rosenblatt.storage.checked_header import Header
from rosenblatt.storage.container import SMALL_VERSION, canonical, container_bytes
from rosenblatt.storage.tensors import Tensors, contiguous_buffer, put_small

_FOR_NAMES = 0.2  # share of the space for names, which people see for the heaviest columns
_PLACES = 2**32  # that an index can address
_BYTES_PER_TENSOR = 110  # at most, in the table of tensors of a model file
_LEFT_OUT = ("run.", "sample.", "space.names")


@dataclass(frozen=True, eq=False)
class SmallModel:
    """A small model, compared with the large one."""

    model: LinearModel
    bytes_before: int
    bytes: int
    weights_before: int
    weights: int
    error_before: float | None = None  # None: there was nothing to measure it on
    error: float | None = None
    rows: int = 0
    measured_on: str = ""

    def with_model(self, model: LinearModel) -> SmallModel:
        """The result with another small model, such as one with other probabilities."""
        tensors: Tensors = {}
        header = model.pack(tensors)
        return replace(self, model=model, bytes=len(container_bytes(header, tensors)))

    def measured(self, wrong_before: float, wrong: float, rows: int, on: str) -> SmallModel:
        """The result with the errors of the large and of the small model on `rows` rows."""
        if not rows:
            return self
        return replace(self, error_before=wrong_before / rows, error=wrong / rows, rows=rows, measured_on=on)

    @property
    def sentence(self) -> str:
        """One line for a person."""
        smaller = f"{shown_size(self.bytes)} instead of {shown_size(self.bytes_before)}"
        share = f"{self.weights:,} of {self.weights_before:,} weights kept"
        if self.error is None or self.error_before is None:
            return f"{smaller}; {share}; what that costs was not measured"
        errors = f"error {self.error_before:.2%} -> {self.error:.2%}"
        return f"{smaller}; {errors} on {self.rows:,} {self.measured_on}; {share}"

    def as_json(self) -> dict[str, Any]:
        names = ("bytes", "bytes_before", "weights", "weights_before", "error", "error_before", "rows", "measured_on")
        return {name: getattr(self, name) for name in names}


def shrink(model: LinearModel, size: int) -> SmallModel:
    """The model in a file of at most `size` bytes; raises ParameterError if that is impossible."""
    _refuse(model)
    packed = _Packed(model)
    best_first = _best_first(model)
    least = packed.size(best_first[:0], ())
    if least > size:
        raise ParameterError(
            f"{option('size', shown_size(size))} is too small: what the model knows of its columns and classes takes "
            f"{shown_size(least)} without a single weight."
        )
    room = size - least
    if packed.size(best_first, tuple(model.space.names)) <= size:
        names, n_kept = tuple(model.space.names), len(best_first)
    else:
        names = _heaviest_names(model, best_first, int(_FOR_NAMES * room))
        n_kept = _how_many(len(best_first), lambda n: packed.size(best_first[:n], names) <= size)
    header, tensors = packed.small(best_first[:n_kept], names)
    content = container_bytes(header, tensors)
    small = unpack_model(Header(header), {name: contiguous_buffer(tensors[name]) for name in tensors})
    assert isinstance(small, LinearModel)
    return SmallModel(small, packed.bytes_before, len(content), len(best_first), n_kept)


def _how_many(most: int, fits: Callable[[int], bool]) -> int:
    """The largest number that fits, up to a thousandth; 0 always fits."""
    low, high = 0, most
    while high - low > high // 1000:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _refuse(model: LinearModel) -> None:
    if model.run.votes is not None:
        raise ModelError(
            "A voted answer is all the hyperplanes of its run, which cannot be made small: learn it with "
            f"{option('keep', 'average')}."
        )
    if model.coef.size > _PLACES:
        raise ModelError(
            f"The model has {model.coef.size:,} weights, more than can be made small: learn it with fewer bits."
        )


def _best_first(model: LinearModel) -> Any:
    """The positions of all nonzero weights, those that matter most first."""
    effect = np.abs(model.coef)
    occurred = _occurred(model)
    if occurred is not None:
        effect *= np.sqrt(occurred)
    flat = effect.ravel()
    positions = np.flatnonzero(model.coef)
    return positions[np.argsort(-flat[positions], kind="stable")]


def _occurred(model: LinearModel) -> Floats | None:
    """How often each feature has occurred, as far as the run knows; None if it does not know."""
    part = model.run.learner.get("scale")
    if part is None:
        return None
    scale = np.asarray(part[0]).reshape(model.coef.shape)
    per_unit = 1.0 / np.maximum(scale, 1e-300) - 1.0 if model.settings.learning_rate == "arow" else scale
    occurred: Floats = np.maximum(per_unit.max(axis=0), np.finfo(float).tiny)
    return occurred


def _heaviest_names(model: LinearModel, best_first: Any, room: int) -> tuple[int, ...]:
    """The hashed columns whose names are kept: those with the weights that matter most, as many as fit in `room`."""
    names, chosen, features = model.space.names, [], model.coef.shape[1]
    if not names:
        return ()
    columns = dict.fromkeys((best_first[: room // 10] % features).tolist())
    for column in columns:
        name = names.get(column)
        if name is None:
            continue
        room -= 16 + len(name.encode())
        if room < 0:
            break
        chosen.append(column)
    return tuple(chosen)


class _Packed:
    """The parts of the file of a small model that do not depend on which weights are kept."""

    def __init__(self, model: LinearModel) -> None:
        tensors: Tensors = {}
        self._model = model
        header = model.pack(tensors)
        self.bytes_before = sum(contiguous_buffer(tensor).nbytes for tensor in tensors.values()) + len(
            canonical(header)
        )
        run, provenance = header["run"], header["provenance"]
        last = model.settings._replace(learning_rate="constant", keep="last", batch=1, record=False, alpha=0.0, l1=0.0)
        run |= {"settings": pack_settings(last), "batch_before_epoch": False}
        run["counters"] |= {"in_batch": 0}
        self._header = header | {
            "run": run,
            "provenance": provenance | {"small": {"bytes_before": self.bytes_before}},
            "version": SMALL_VERSION,
        }
        self._header.pop("sample", None)
        self._tensors = {name: tensor for name, tensor in tensors.items() if not name.startswith(_LEFT_OUT)}
        self._tensors["run.class_weight"] = tensors["run.class_weight"]
        self._tensors["run.weights.bias"] = np.ascontiguousarray(model.intercept)
        self._weights = model.coef.ravel()

    def small(self, places: Any, names: tuple[int, ...]) -> tuple[dict[str, Any], Tensors]:
        """Header and tensors with these weights, by their positions, and the names of these hashed columns."""
        space, tensors = self._model.space, dict(self._tensors)
        section = pack_space(replace(space, names={column: space.names[column] for column in names}), tensors)
        positions = np.sort(places).astype(np.uint32)
        part = put_small(tensors, "run.weights", self._model.coef.shape, positions, self._weights[positions])
        run = _not_fading(self._header["run"]) | {"parts": {"weights": part}}
        return self._header | {"space": section, "run": run}, tensors

    def size(self, places: Any, names: tuple[int, ...]) -> int:
        """An upper bound of the bytes of the file."""
        header, tensors = self.small(places, names)
        table = len(tensors) * _BYTES_PER_TENSOR
        escaped = len(json.dumps(canonical(header)))  # as it is stored in the header of the container
        return sum(contiguous_buffer(tensor).nbytes for tensor in tensors.values()) + escaped + table


def _not_fading(run: dict[str, Any]) -> dict[str, Any]:
    """The run without `forget`: its final weights, unlike those it would continue from, are not scaled by a unit."""
    settings = {name: value for name, value in run["settings"].items() if name != "forget"}
    counters = {name: value for name, value in run["counters"].items() if name not in ("unit", "recent")}
    return run | {"settings": settings, "counters": counters}
