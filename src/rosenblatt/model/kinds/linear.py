"""A linear model: a run, with all that is needed to read new examples, predict their classes and continue learning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from rosenblatt import native
from rosenblatt.learn.polynomial import columns_of, product_at, product_name
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.state.run_state import pack_run, unpack_run
from rosenblatt.model.model import Model, check_finite, unpack_provenance
from rosenblatt.model.probabilities.calibration import Calibration, own_probabilities, unpack_calibration
from rosenblatt.model.probabilities.honest_sample import HonestSample, unpack_sample
from rosenblatt.model.probabilities.reference_scores import Reference, unpack_reference
from rosenblatt.readers.stored_feature_space import pack_classes, pack_space, unpack_classes, unpack_space
from rosenblatt.records import Csr, FeatureSpace, Floats, Label, RunSummary, Values
from rosenblatt.storage.checked_header import Header
from rosenblatt.storage.container import SMALL_VERSION
from rosenblatt.storage.tensors import Tensors

if TYPE_CHECKING:
    from rosenblatt.model.probabilities.choose_threshold import Threshold


@dataclass(frozen=True, eq=False)
class LinearModel(Model):
    """A run, the labels of its classes, and what its columns mean.

    `estimator` names the estimator it was saved from, with its parameters as plain values; None if a file was fitted.
    """

    kind: ClassVar[str] = "model"
    what_it_is: ClassVar[str] = "a linear model"

    classes: tuple[Label, ...]
    space: FeatureSpace
    run: Run = field(repr=False)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    estimator: Mapping[str, Any] | None = None
    calibration: Calibration | None = None  # from scores to probabilities; only of models learned from files
    threshold: Threshold | None = None  # if one was chosen
    sample: HonestSample | None = None  # the scores that it was calibrated with
    reference: Reference | None = None  # the scores to compare new ones with; only of models learned from files
    final_reference: Reference | None = None  # and those of its last examples by the final weights

    @property
    def settings(self) -> Settings:
        return self.run.settings

    @property
    def is_small(self) -> bool:
        """Whether it was made small (small_model.py), and so lost what it would need to continue learning."""
        return "small" in self.provenance

    @property
    def features(self) -> int:
        return self.run.learner.features

    @property
    def coef(self) -> Floats:
        """The final weights, one row per unit."""
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
        """Everything that affects how the run continues."""
        return self.run.state()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_scorer"}  # native: it cannot be pickled

    @cached_property
    def _scorer(self) -> native.Learner:
        return self.run.scorer()

    def unit_scores(self, values: Values) -> Any:
        """One score per row and unit, as memory; features that the model does not know add nothing."""
        rows = native.rows_of(values, degree=self.settings.degree)
        votes = self.run.votes
        return check_finite(self._scorer.scores(rows)) if votes is None else votes.scores(rows)

    @property
    def why_no_confidence(self) -> str | None:
        """Why `confidences` has no answer; None if it has one."""
        if self.is_small:
            return "was made small, without the variances of its weights"
        if self.settings.learning_rate != "arow":
            return f"was learned by {self.provenance.get('rule', 'another rule')}, which keeps no variances"
        if self.scheme == "ovo" or self.run.votes is not None:
            return "decides by votes, which have no variance"
        return None

    def confidences(self, values: Values, unit_scores: Any) -> memoryview:
        """How many standard deviations the score of each row is from a decision for another class.

        In arow a weight is normally distributed, with variance s^2, and so is a score, with variance sum(x^2 s^2). With
        two classes the score is compared with the threshold, with more classes the highest score with the next.
        """
        rows = native.rows_of(values, degree=self.settings.degree)
        return native.confidences(unit_scores, self.run.learner.score_variances(rows), self.decides_above)

    def unknown_entries(self, values: Csr) -> int | None:
        rows = native.rows_of(values)
        if not self._scorer.is_compact or self.is_small:  # a small model has dropped weights of words that it learned
            return None
        if rows.left_out is None:
            self._scorer.scores(rows)
        return rows.left_out

    def pack(self, tensors: Tensors) -> dict[str, Any]:
        """The header of its file; its arrays are added to the tensors."""
        header: dict[str, Any] = {
            "kind": self.kind,
            "classes": pack_classes(self.classes),
            "space": pack_space(self.space, tensors),
            "run": pack_run(self.run, tensors, "run.", small=self.is_small),
            "estimator": self.estimator,
            "provenance": dict(self.provenance),
        }
        if self.is_small:
            header["version"] = SMALL_VERSION
        if self.calibration is not None:
            header["calibration"] = self.calibration.pack(tensors)
        if self.sample is not None:
            header["sample"] = self.sample.pack(tensors)
        if self.threshold is not None:
            header["threshold"] = self.threshold.pack()
        if self.reference is not None:
            header["reference"] = self.reference.pack()
        if self.final_reference is not None:
            header["final_reference"] = self.final_reference.pack()
        return header

    @property
    def decides_above(self) -> float:
        return 0.0 if self.threshold is None else self.threshold.score

    @property
    def weighs_errors(self) -> bool:
        return super().weighs_errors or (self.threshold is not None and not self.threshold.is_even)

    @property
    def probability_map(self) -> Calibration | None:
        return self.calibration or own_probabilities(self.loss, self.scheme, len(self.classes))

    # -- its columns ------------------------------------------------------------------------------------------------

    def name(self, column: int) -> str:
        """The name of a column: its header, word or number; for a product, the names of its factors."""
        degree = self.settings.degree
        if degree > 1:
            return product_name([self.input_name(part) for part in product_at(column, self._columns, degree)])
        return self.input_name(column)

    def factors(self, column: int) -> tuple[int, ...]:
        """The columns of the examples whose product this column is; the column itself if it is no product."""
        degree = self.settings.degree
        parts = product_at(column, self._columns, degree) if degree > 1 else (column,)
        return tuple(factor for part in parts for factor in self._crossed.get(part, (part,)))

    @property
    def input_columns(self) -> list[int]:
        """The columns of an example before products are added."""
        return [j for j in range(self._columns) if j not in self._crossed]

    @cached_property
    def _crossed(self) -> dict[int, tuple[int, int]]:
        from rosenblatt.readers.hashing.cross import parents  # few models have any

        return parents(self.space)

    @cached_property
    def _columns(self) -> int:
        return columns_of(self.features, self.settings.degree)

    def input_name(self, column: int) -> str:
        """The name of a column of the examples, before products are added."""
        space = self.space
        if space.kind == "index":
            return str(column + space.index_base)
        if column < len(space.columns):
            return space.columns[column]
        return space.names.get(column, f"#{column}")


def unpack_linear_model(header: Header, tensors: Tensors) -> LinearModel:
    from rosenblatt.model.probabilities.choose_threshold import (
        unpack_threshold,  # a model that was just learned seldom has one
    )

    classes = unpack_classes(header.section("classes"))
    space = unpack_space(header.section("space"), tensors)
    run = unpack_run(header.section("run"), tensors, "run.", len(classes), compact=bool(space.bits))
    n_units = run.learner.units
    return LinearModel(
        classes=classes,
        space=space,
        run=run,
        provenance=unpack_provenance(header),
        estimator=dict(header.section("estimator").values) if "estimator" in header else None,
        calibration=(
            unpack_calibration(header.section("calibration"), tensors, len(classes))
            if "calibration" in header
            else None
        ),
        sample=unpack_sample(header.section("sample"), tensors, n_units, len(classes)) if "sample" in header else None,
        threshold=unpack_threshold(header.section("threshold"), len(classes)) if "threshold" in header else None,
        **{
            name: unpack_reference(header.section(name), len(classes))
            for name in ("reference", "final_reference")
            if name in header
        },
    )
