"""What has been learned, with all that is needed to read new examples, decide about them, and go on learning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rosenblatt import native
from rosenblatt.lazy import np
from rosenblatt.learn.files.predictor import refuse_overflow
from rosenblatt.learn.final_weights import decide, majority
from rosenblatt.learn.polynomial import called, columns_of, product_at
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.records import FeatureSpace, Floats, Label, RunSummary, Values

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class LinearModel:
    """A run, the labels of its classes, and what its columns mean; scikit-learn is not needed for it.

    `estimator` names the estimator it was saved from, with its parameters as plain values; None if a file was fitted.
    """

    classes: tuple[Label, ...]  # sorted; the last of two is the positive one
    space: FeatureSpace
    run: Run = field(repr=False)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    estimator: Mapping[str, Any] | None = None

    @property
    def settings(self) -> Settings:
        return self.run.settings

    @property
    def features(self) -> int:
        return self.run.learner.features

    @property
    def coef(self) -> Floats:
        """The weights that answer, one row per unit."""
        return self.run.final_weights.coef

    @property
    def intercept(self) -> Floats:
        return self.run.final_weights.intercept

    @property
    def loss(self) -> str:
        return self.settings.loss

    @property
    def scheme(self) -> str:
        return self.settings.scheme(len(self.classes))

    @property
    def summary(self) -> RunSummary:
        return self.run.summary

    @property
    def state(self) -> dict[str, Any]:
        """All that decides how the run goes on."""
        return self.run.state()

    @cached_property
    def _scorer(self) -> native.Learner:
        return self.run.scorer()

    def scores(self, values: Values) -> Floats:
        """One score per row and unit; what lies beyond the features of the model adds nothing."""
        return np.asarray(self.scored(values))

    def scored(self, values: Values) -> Any:
        """The same as memory, which needs no numpy."""
        rows = native.rows_of(values, degree=self.settings.degree)
        votes = self.run.votes
        return refuse_overflow(self._scorer.scores(rows)) if votes is None else votes.scores(rows)

    def class_scores(self, unit_scores: Floats) -> Floats:
        """Scores as `decision_function` gives them: one column for two classes, else one per class."""
        return majority(unit_scores, len(self.classes)) if self.scheme == "ovo" else unit_scores

    def decide(self, unit_scores: Floats) -> NDArray[np.intp]:
        """The position in `classes` of each row's predicted class."""
        return decide(self.scheme, unit_scores, len(self.classes))

    def name(self, column: int) -> str:
        """What a column is called: by its file, its header or its word, else by its number."""
        degree = self.settings.degree
        if degree > 1:
            return called([self.own_name(part) for part in product_at(column, self._columns, degree)])
        return self.own_name(column)

    def factors(self, column: int) -> tuple[int, ...]:
        """The columns of the examples whose product this one is; itself where it is none."""
        degree = self.settings.degree
        parts = product_at(column, self._columns, degree) if degree > 1 else (column,)
        return tuple(factor for part in parts for factor in self._crossed.get(part, (part,)))

    @property
    def given(self) -> list[int]:
        """The columns that an example has before any are multiplied."""
        return [j for j in range(self._columns) if j not in self._crossed]

    @cached_property
    def _crossed(self) -> dict[int, tuple[int, int]]:
        from rosenblatt.readers.hashing.cross import parents  # few models have any

        return parents(self.space)

    @cached_property
    def _columns(self) -> int:
        return columns_of(self.features, self.settings.degree)

    def own_name(self, column: int) -> str:
        """What a column of the examples is called, before any are multiplied."""
        space = self.space
        if space.kind == "index":
            return str(column + space.index_base)
        if column < len(space.columns):
            return space.columns[column]
        return space.names.get(column, f"#{column}")
