"""X and y as the user passed them -> Equations w.x + b = y, with every number kept exactly."""

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificates.points.check_input import check_values
from rosenblatt.certificates.points.points import ExactNumber, Points, to_exact
from rosenblatt.errors import DataError
from rosenblatt.records import Csr


@dataclass(frozen=True)
class Equations(Points):
    """Rows with a number each; they belong to no class, so `signs` and `labels` are empty."""

    targets: NDArray[Any]

    def exact_target(self, row: int) -> ExactNumber:
        return to_exact(self.targets[row].item() if hasattr(self.targets[row], "item") else self.targets[row])

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the numbers in a sample of rows, and of all targets up to the rounding of a float."""
        digest = hashlib.sha256(Points(self.values, self.signs, ()).digest.encode())
        is_exact = self.targets.dtype.kind == "O"
        digest.update(repr(self.targets.tolist()).encode() if is_exact else self.targets.astype(np.float64).tobytes())
        return digest.hexdigest()


def check_equations(X: Any, y: Any) -> Equations:
    """Rows and targets, or DataError with what is wrong."""
    values = check_values(X)
    targets = y if isinstance(y, np.ndarray) else np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)
    is_list = isinstance(y, list | tuple) and targets.ndim == 1
    if targets.ndim == 2 and targets.shape[1] == 1:
        targets = targets[:, 0]
    if targets.ndim != 1:
        raise DataError(f"y must have one dimension, a number for each row. Got an array of shape {targets.shape}.")
    if len(targets) != values.shape[0]:
        raise DataError(f"X has {values.shape[0]} rows but y has {len(targets)} targets: they must be the same number.")
    if targets.dtype.kind in "OSUf":
        _refuse_unusable(targets)
    # numpy would round large ints in a list that also holds floats, so the list itself is used.
    numbers = check_values([[target] for target in y] if is_list else targets.reshape(-1, 1))
    assert not isinstance(numbers, Csr)
    return Equations(values, np.zeros(0, np.int8), (), numbers[:, 0])


def targets_of_file(labels: NDArray[Any]) -> NDArray[Any]:
    """The labels of a file as numbers; the file gives all of them as text if one cannot be a label, such as 1e300."""
    if labels.dtype.kind != "U" and not any(isinstance(label, str) for label in labels.tolist()):
        return labels
    numbers = np.empty(len(labels), dtype=object)
    for row, label in enumerate(labels.tolist()):
        try:
            numbers[row] = int(label) if str(label).lstrip("+-").isdecimal() else float(label)
        except ValueError:
            raise _unusable(row, label) from None
    return numbers


def _refuse_unusable(targets: NDArray[Any]) -> None:
    for row, target in enumerate(targets.tolist()):
        if isinstance(target, str | bytes) or not hasattr(target, "as_integer_ratio"):
            raise _unusable(row, target)
        if not isinstance(target, Rational) and not math.isfinite(target):
            raise _unusable(row, target)


def _unusable(row: int, target: Any) -> DataError:
    return DataError(f"The target of row {row} is {target!r}, and must be a finite number.")
