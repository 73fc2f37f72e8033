"""A kernel perceptron with all that is needed to predict and to continue learning, and its model file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from rosenblatt.learn.kernel.run import KernelRun
from rosenblatt.learn.kernel.run_state import pack_kernel_run, unpack_kernel_run
from rosenblatt.model.model import Model, check_finite, check_width, space_of_columns, unpack_provenance
from rosenblatt.readers.stored_feature_space import pack_classes, unpack_classes
from rosenblatt.records import FeatureSpace, Floats, Label, Values
from rosenblatt.storage.checked_header import Header, damaged
from rosenblatt.storage.tensors import Tensors

_ESTIMATOR = ("parameters", "class_weight", "dtype")


@dataclass(frozen=True, eq=False)
class KernelModel(Model):
    """A kernel run, the labels of its classes, and what its columns mean.

    `estimator` holds the values that restore the estimator it was saved from; they are not checked yet.
    """

    kind: ClassVar[str] = "kernel model"
    what_it_is: ClassVar[str] = "a kernel perceptron, which compares with examples and has no weight for each feature"
    loss: ClassVar[str] = "perceptron"

    classes: tuple[Label, ...]
    space: FeatureSpace
    features: int
    run: KernelRun = field(repr=False)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    estimator: Mapping[str, Any] = field(default_factory=dict)

    @property
    def scheme(self) -> str:
        return self.run.scheme

    @property
    def scores_rows(self) -> bool:
        return self.run.kernel.name != "precomputed"

    def unit_scores(self, values: Values) -> Floats:
        return check_finite(self.run.scores(check_width(values, self.features)))

    def pack(self, tensors: Tensors) -> dict[str, Any]:
        """The header of its file; its arrays are added to the tensors."""
        return {
            "kind": self.kind,
            "classes": pack_classes(self.classes),
            "run": pack_kernel_run(self.run, tensors),
            "n_features": self.features,
            "names": list(self.space.columns),
            "provenance": dict(self.provenance),
            **self.estimator,
        }


def unpack_kernel_model(header: Header, tensors: Tensors) -> KernelModel:
    classes = unpack_classes(header.section("classes"))
    names, features = tuple(map(str, header.items("names"))), header.count("n_features", 2**32)
    run = unpack_kernel_run(header.section("run"), tensors, len(classes))
    if len(run.support) and run.kernel.name != "precomputed" and run.support.rows.values.shape[1] != features:
        raise damaged(f"its support examples do not have its {features} features")
    return KernelModel(
        classes,
        space_of_columns(names, features),
        features,
        run,
        provenance=unpack_provenance(header),
        estimator={key: header.values.get(key) for key in _ESTIMATOR},
    )
