"""A network of threshold units, ready to read examples and predict their classes, and its model file."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import numpy as np

from rosenblatt import native
from rosenblatt.learn.multiclass_schemes import n_units, scheme_of
from rosenblatt.model.kinds.cascade import Cascade
from rosenblatt.model.model import Model, check_finite, check_width, unpack_provenance
from rosenblatt.readers.stored_feature_space import pack_classes, pack_space, unpack_classes, unpack_space
from rosenblatt.records import FeatureSpace, Floats, Label, Values
from rosenblatt.storage.checked_header import Header, damaged
from rosenblatt.storage.tensors import Tensors, put_texts, read_array, read_texts

_STATUSES = ("separated", "budget")
_MAX_COUNT = 2**32
_ESTIMATOR = ("parameters", "dtype", "named")


@dataclass(frozen=True)
class Growth:
    """One step of the growth: the unit added, its layer, its role, and how many errors were left after it.

    The errors left are mistakes of the units so far, which units added later must correct. (With three or more classes
    each class has its own network, and they are counted for that one.) They bound the errors of the network itself.
    """

    unit: str
    layer: int
    role: str
    errors: int


@dataclass(frozen=True, eq=False)
class NetworkModel(Model):
    """The units, the labels of the classes, what the columns mean, and how the network was grown.

    `estimator` holds what is needed to restore the estimator that was saved, as plain values that are not checked yet.
    """

    kind: ClassVar[str] = "network"
    what_it_is: ClassVar[str] = "a network of threshold units, whose decision is not a single weighted sum"
    loss: ClassVar[str] = "zero-one"

    classes: tuple[Label, ...]
    space: FeatureSpace
    cascade: Cascade = field(repr=False)
    names: tuple[str, ...] = field(repr=False)  # of the inputs
    kinds: tuple[str, ...] = field(repr=False)  # of the units
    status: str = "separated"
    growth: tuple[Growth, ...] = field(default=(), repr=False)
    n_iter: int = 0
    contradictions: Any = field(default=(), repr=False)  # rows that were left out, as memory
    provenance: Mapping[str, Any] = field(default_factory=dict)
    estimator: Mapping[str, Any] = field(default_factory=dict)

    @property
    def scheme(self) -> str:
        return scheme_of("ovr", len(self.classes))

    def unit_scores(self, values: Values) -> Floats:
        """The score of each output unit on each row."""
        rows = native.rows_of(check_width(values, len(self.names)))
        return check_finite(self.cascade.scores(rows))

    def pack(self, tensors: Tensors) -> dict[str, Any]:
        """The header of its file; its arrays are added to the tensors."""
        cascade = self.cascade
        wires = [(unit, source, weight) for unit, links in enumerate(cascade.links) for source, weight in links]
        tensors["coef"], tensors["intercept"] = cascade.coef, cascade.intercept
        tensors["wire.unit"] = np.array([unit for unit, _, _ in wires], dtype=np.int64)
        tensors["wire.source"] = np.array([source for _, source, _ in wires], dtype=np.int64)
        tensors["wire.weight"] = np.array([weight for _, _, weight in wires], dtype=np.float64)
        tensors["contradictions"] = np.asarray(self.contradictions, dtype=np.int64)
        put_texts(tensors, "names", self.names)
        return {
            "kind": self.kind,
            "classes": pack_classes(self.classes),
            "space": pack_space(self.space, tensors),
            "units": len(cascade.coef),
            "features": len(self.names),
            "wires": len(wires),
            "outputs": [int(output) for output in cascade.outputs],
            "kinds": list(self.kinds),
            "status": self.status,
            "growth": [asdict(step) for step in self.growth],
            "n_iter": int(self.n_iter),
            "provenance": dict(self.provenance),
            **self.estimator,
        }


def unpack_network(header: Header, tensors: Tensors) -> NetworkModel:
    classes = unpack_classes(header.section("classes"))
    features, status = header.count("features", _MAX_COUNT), header.text("status")
    names = tuple(read_texts(tensors, "names", features))
    kinds = header.items("kinds")
    cascade = _cascade(header, tensors, features, n_units(scheme_of("ovr", len(classes)), len(classes)))
    if status not in _STATUSES:
        raise damaged(f"{status!r} is not a status of a network")
    if len(kinds) != len(cascade.coef) or not all(isinstance(kind, str) for kind in kinds):
        raise damaged("the kinds of its units are not one text per unit")
    if len(set(names)) != len(names):
        raise damaged("two of its inputs have the same name")
    growth = tuple(
        Growth(step.text("unit"), step.count("layer"), step.text("role"), step.count("errors"))
        for step in header.sections("growth")
    )
    return NetworkModel(
        classes,
        unpack_space(header.section("space"), tensors),
        cascade,
        names,
        tuple(kinds),
        status,
        growth,
        header.count("n_iter"),
        tensors.get("contradictions", ()),
        provenance=unpack_provenance(header),
        estimator={key: header.values.get(key) for key in _ESTIMATOR},
    )


def _cascade(header: Header, tensors: Tensors, n_features: int, n_outputs: int) -> Cascade:
    unit_count, wire_count = header.count("units", _MAX_COUNT), header.count("wires", _MAX_COUNT)
    coef = read_array(tensors, "coef", np.float64, (unit_count, n_features))
    intercept = read_array(tensors, "intercept", np.float64, (unit_count,))
    unit, source = (read_array(tensors, f"wire.{end}", np.int64, (wire_count,)) for end in ("unit", "source"))
    weight = read_array(tensors, "wire.weight", np.float64, (wire_count,))
    if not all(np.isfinite(numbers).all() for numbers in (coef, intercept, weight)):
        raise damaged("a weight of its units is not finite")
    if ((source < 0) | (source >= unit) | (unit >= unit_count)).any() or (np.diff(unit) < 0).any():
        raise damaged("a unit has an input from a unit that does not come before it")
    outputs = header.counts("outputs", n_outputs)
    if not all(output < unit_count for output in outputs):
        raise damaged("an output names a unit that does not exist")
    links: list[list[tuple[int, float]]] = [[] for _ in range(unit_count)]
    for i, j, strength in zip(unit.tolist(), source.tolist(), weight.tolist(), strict=True):
        links[i].append((j, strength))
    return Cascade(np.array(coef), np.array(intercept), tuple(map(tuple, links)), tuple(outputs))
