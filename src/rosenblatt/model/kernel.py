"""A kernel perceptron out of a model file, for those who predict and judge: scikit-learn is not needed for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rosenblatt.errors import ModelError
from rosenblatt.lazy import np
from rosenblatt.learn.files.predictor import as_wide, refuse_overflow, space_of
from rosenblatt.learn.final_weights import decide, majority
from rosenblatt.learn.kernel.run import KernelRun
from rosenblatt.learn.kernel.state import unpack_kernel_run
from rosenblatt.readers.feature_space import unpack_classes
from rosenblatt.records import FeatureSpace, Floats, Label, Values
from rosenblatt.storage.header import Header
from rosenblatt.storage.tensors import Tensors

if TYPE_CHECKING:
    from numpy.typing import NDArray

KIND = "kernel model"


@dataclass(frozen=True)
class KernelModel:
    """A dual run, the labels of its classes, and what its columns mean."""

    classes: tuple[Label, ...]
    space: FeatureSpace
    features: int
    run: KernelRun = field(repr=False)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    loss: str = "perceptron"

    @property
    def scheme(self) -> str:
        return self.run.scheme

    def scores(self, values: Values) -> Floats:
        """One score per row and unit."""
        return refuse_overflow(self.run.scores(as_wide(values, self.features)))

    scored = scores

    def class_scores(self, unit_scores: Floats) -> Floats:
        """Scores as `decision_function` gives them: one column for two classes, else one per class."""
        return majority(unit_scores, len(self.classes)) if self.scheme == "ovo" else unit_scores

    def decide(self, unit_scores: Floats) -> NDArray[np.intp]:
        """The position in `classes` of each row's predicted class."""
        return decide(self.scheme, unit_scores, len(self.classes))


def unpack_kernel_model(header: Header, tensors: Tensors) -> KernelModel:
    """The kernel perceptron that header and tensors hold; one of a precomputed kernel has no rows to compare with."""
    classes = unpack_classes(header.section("classes"))
    names, features = tuple(map(str, header.items("names"))), header.count("n_features", 2**32)
    run = unpack_kernel_run(header.section("run"), tensors, len(classes))
    if run.kernel.name == "precomputed":
        raise ModelError(
            "it holds a kernel perceptron of a precomputed kernel, which decides about kernel values and not about "
            "examples: load it in Python with rosenblatt.load"
        )
    if len(run.support) and run.support.rows.values.shape[1] != features:
        raise ModelError("its support has other features than its estimator")
    return KernelModel(classes, space_of(names, features), features, run, dict(header.section("provenance").values))
