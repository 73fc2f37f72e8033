"""What every model can do: read examples, score them, predict their classes. Its kinds are in `model.kinds`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from sys import float_info
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from rosenblatt import native, options
from rosenblatt.errors import DataError, ModelError, option
from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.multiclass_schemes import class_scores
from rosenblatt.records import Csr, FeatureSpace, Floats, Label, Values
from rosenblatt.storage.checked_header import Header, damaged
from rosenblatt.storage.tensors import Tensors

if TYPE_CHECKING:
    from rosenblatt.model.probabilities.calibration import Calibration

T = TypeVar("T", bound=Any)


class Model(ABC):
    """Classes, what the columns mean, and how scores become predictions; it does not need scikit-learn."""

    kind: ClassVar[str]  # as in its file
    what_it_is: ClassVar[str]  # for errors of commands that need another kind

    classes: tuple[Label, ...]  # sorted; the last of two is the positive one
    space: FeatureSpace
    provenance: Mapping[str, Any]

    @property
    @abstractmethod
    def scheme(self) -> str:
        """How its units decide between the classes."""

    @property
    @abstractmethod
    def loss(self) -> str: ...

    @abstractmethod
    def unit_scores(self, values: Values) -> Any:
        """One score per row and unit, as memory; linear models do this without importing numpy."""

    @abstractmethod
    def pack(self, tensors: Tensors) -> dict[str, Any]:
        """The header of its file; its arrays are added to the tensors."""

    def unknown_entries(self, values: Csr) -> int | None:
        """How many entries of the rows have a column without weights; None if every column has them."""
        return None

    @property
    def scores_rows(self) -> bool:
        """Whether it can score the rows of a file."""
        return True

    @property
    def probability_map(self) -> Calibration | None:
        """The map from scores to probabilities, if there is one."""
        return None

    @property
    def gives_probabilities(self) -> bool:
        return self.probability_map is not None

    def probabilities(self, unit_scores: Any) -> memoryview:
        """One row per example, one column per class; raises ModelError if the model gives no probabilities."""
        if self.probability_map is None:
            raise ModelError(
                "This model gives no probabilities: learn it from a file with rosenblatt fit, or by a loss that models "
                f"them, {option('loss', 'logistic')}."
            )
        return self.probability_map.probabilities(class_scores(self.scheme, unit_scores, len(self.classes)))

    def scores(self, values: Values) -> Floats:
        """`unit_scores` as an array."""
        return np.asarray(self.unit_scores(values))

    def class_scores(self, unit_scores: Floats) -> Floats:
        """Scores as `decision_function` gives them: one column for two classes, else one per class."""
        return np.asarray(class_scores(self.scheme, unit_scores, len(self.classes)))

    @property
    def decides_above(self) -> float:
        """The score above which the positive of two classes is decided."""
        return 0.0

    @property
    def has_boundary(self) -> bool:
        """Whether a score can lie on either side of the threshold, so that both of two classes are decided."""
        return abs(self.decides_above) < float_info.max

    @property
    def boundary(self) -> float:
        """The score that lies between two classes; 0 where one of them is always decided."""
        return self.decides_above if self.has_boundary else 0.0

    @property
    def weighs_errors(self) -> bool:
        """Whether class weights or a threshold accept more errors of one kind for fewer of another."""
        return "class_weight" in self.provenance

    def decided(self, unit_scores: Any) -> memoryview:
        """The position in `classes` of each row's predicted class, as memory."""
        scores = class_scores(self.scheme, unit_scores, len(self.classes))
        return native.argmax_rows(scores, self.decides_above)

    def predicted_classes(self, unit_scores: Floats) -> NDArray[np.intp]:
        """`decided` as an array."""
        return np.asarray(self.decided(unit_scores))


def check_width(values: Values, n_features: int) -> Values:
    """The rows with this many columns: sparse rows may lack zeros at their end; a matrix must have every column."""
    if isinstance(values, Csr):
        return replace(values, features=n_features)
    if values.shape[1] != n_features:
        raise DataError(
            f"The examples have {values.shape[1]} columns, and the model was learned from {n_features}: give it the "
            "same columns in the same order."
        )
    return values


def check_finite(scores: T) -> T:
    """The scores, if all of them are finite."""
    position = native.first_outside(scores, -float_info.max, float_info.max)
    if position >= 0:
        raise DataError(f"The score of row {position // scores.shape[1]} overflows: scale its values down.")
    return scores


def space_of_columns(names: tuple[str, ...], n_features: int) -> FeatureSpace:
    """Columns by name if they have names; else by number, where files may count from 0 or from 1."""
    if names:
        return FeatureSpace("columns", columns=names)
    return FeatureSpace("index", settings={"features": n_features, "index_base": "any"})


def unpack_provenance(header: Header) -> dict[str, Any]:
    """The provenance of a model in a file; the types of the values that are used are checked."""
    provenance = header.section("provenance")
    for name in ("version", "rule"):
        if name in provenance:
            provenance.text(name)
    for name in ("data", "reading"):
        section = provenance.section(name) if name in provenance else Header({})
        if "format" in section and section.text("format") not in options.FORMATS:
            raise damaged(f"{section.text('format')!r} of {section.place} is not a format")
        if "header" in section:
            section.flag("header")
    return {name: value for name, value in provenance.values.items() if value is not None}
