"""What predicting and judging ask of a model, whatever it is made of: a hyperplane, a kernel sum, a network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from sys import float_info
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from rosenblatt import native
from rosenblatt.errors import DataError
from rosenblatt.lazy import np
from rosenblatt.records import Csr, FeatureSpace, Floats, Label, Values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    T = TypeVar("T", bound=Any)


class Model(Protocol):
    """Classes, what its columns mean, and scores that become decisions."""

    @property
    def classes(self) -> tuple[Label, ...]: ...
    @property
    def space(self) -> FeatureSpace: ...
    @property
    def provenance(self) -> Mapping[str, Any]: ...
    @property
    def scheme(self) -> str: ...
    @property
    def loss(self) -> str: ...
    def scores(self, values: Values) -> Floats: ...
    def scored(self, values: Values) -> Any: ...
    def class_scores(self, unit_scores: Floats) -> Floats: ...
    def decide(self, unit_scores: Floats) -> NDArray[np.intp]: ...


def as_wide(values: Values, features: int) -> Values:
    """The rows with so many columns: sparse rows lack only zeros at their end; a matrix must have them all."""
    if isinstance(values, Csr):
        return replace(values, features=features)
    if values.shape[1] != features:
        raise DataError(f"The examples have {values.shape[1]} columns, and the model was learned from {features}.")
    return values


def refuse_overflow(scores: T) -> T:
    """The scores as they are, if all of them are numbers."""
    found = native.outside(scores, -float_info.max, float_info.max)
    if found >= 0:
        raise DataError(f"The score of row {found // scores.shape[1]} overflows: scale its values down.")
    return scores


def space_of(names: tuple[str, ...], features: int) -> FeatureSpace:
    """Columns by name where they had names; else by number, and a file may begin to count at 0 or at 1."""
    if names:
        return FeatureSpace("columns", columns=names)
    return FeatureSpace("index", settings={"features": features, "index_base": "any"})
