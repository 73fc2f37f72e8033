"""A network of threshold units with all that is needed to read examples and decide about them, and its model file."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import native
from rosenblatt.learn.files.predictor import as_wide, refuse_overflow
from rosenblatt.learn.final_weights import decide
from rosenblatt.model.cascade import Cascade
from rosenblatt.readers.feature_space import pack_classes, pack_space, unpack_classes, unpack_space
from rosenblatt.records import FeatureSpace, Floats, Label, Values
from rosenblatt.storage.header import Header, damaged
from rosenblatt.storage.tensors import Tensors, put_texts, read_array, read_texts

KIND = "network"
_STATUS = ("separated", "budget")
_MOST = 2**32


@dataclass(frozen=True)
class Growth:
    """One step of the growth: the unit added, its layer, what for, and how many errors were left after it.

    The errors left are those that the units of this network (for three or more classes: of this class's network)
    still make and daughters to come must mend. The network itself makes no more than that, and none when it is 0.
    """

    unit: str
    layer: int
    role: str
    errors: int


@dataclass(frozen=True)
class NetworkModel:
    """The units, the labels of the classes, what the columns mean, and how the network came to be."""

    classes: tuple[Label, ...]
    space: FeatureSpace
    cascade: Cascade = field(repr=False)
    names: tuple[str, ...] = field(repr=False)  # of the inputs
    kinds: tuple[str, ...] = field(repr=False)  # of the units
    status: str = "separated"
    growth: tuple[Growth, ...] = field(default=(), repr=False)
    n_iter: int = 0
    provenance: Mapping[str, Any] = field(default_factory=dict)
    loss: str = "zero-one"

    @property
    def scheme(self) -> str:
        return "binary" if len(self.classes) == 2 else "ovr"

    def scores(self, values: Values) -> Floats:
        """The score of each output unit on each row."""
        rows = native.rows_of(as_wide(values, len(self.names)))
        return refuse_overflow(self.cascade.scores(rows))

    scored = scores

    def class_scores(self, unit_scores: Floats) -> Floats:
        return unit_scores

    def decide(self, unit_scores: Floats) -> NDArray[np.intp]:
        """The positive class where the output unit fires; of three or more, the class whose unit scores highest."""
        return decide(self.scheme, unit_scores, len(self.classes))


# -- the model file ---------------------------------------------------------------------------------------------------


def pack_network(model: NetworkModel, tensors: Tensors) -> dict[str, Any]:
    """The header of a network; its arrays go into the tensors."""
    cascade = model.cascade
    wires = [(unit, source, weight) for unit, heard in enumerate(cascade.links) for source, weight in heard]
    tensors["coef"], tensors["intercept"] = cascade.coef, cascade.intercept
    tensors["wire.unit"] = np.array([unit for unit, _, _ in wires], dtype=np.int64)
    tensors["wire.source"] = np.array([source for _, source, _ in wires], dtype=np.int64)
    tensors["wire.weight"] = np.array([weight for _, _, weight in wires], dtype=np.float64)
    put_texts(tensors, "names", model.names)
    return {
        "kind": KIND,
        "classes": pack_classes(model.classes),
        "space": pack_space(model.space, tensors),
        "units": len(cascade.coef),
        "features": len(model.names),
        "wires": len(wires),
        "outputs": [int(output) for output in cascade.outputs],
        "kinds": list(model.kinds),
        "status": model.status,
        "growth": [asdict(step) for step in model.growth],
        "n_iter": int(model.n_iter),
        "provenance": dict(model.provenance),
    }


def unpack_network(header: Header, tensors: Tensors) -> NetworkModel:
    """The network that was saved; whatever does not fit together raises ModelError."""
    classes = unpack_classes(header.section("classes"))
    features, status = header.count("features", _MOST), header.text("status")
    names = tuple(read_texts(tensors, "names", features))
    kinds = header.items("kinds")
    cascade = _cascade(header, tensors, features, 1 if len(classes) == 2 else len(classes))
    if status not in _STATUS:
        raise damaged(f"{status!r} is no status of a network")
    if len(kinds) != len(cascade.coef) or not all(isinstance(kind, str) for kind in kinds):
        raise damaged("the kinds of its units are not one text a unit")
    if len(set(names)) != len(names):
        raise damaged("two of its inputs have one name")
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
        dict(header.section("provenance").values),
    )


def _cascade(header: Header, tensors: Tensors, features: int, outputs: int) -> Cascade:
    units, wires = header.count("units", _MOST), header.count("wires", _MOST)
    coef = read_array(tensors, "coef", np.float64, (units, features))
    intercept = read_array(tensors, "intercept", np.float64, (units,))
    hearing, source = (read_array(tensors, f"wire.{end}", np.int64, (wires,)) for end in ("unit", "source"))
    weight = read_array(tensors, "wire.weight", np.float64, (wires,))
    if not all(np.isfinite(numbers).all() for numbers in (coef, intercept, weight)):
        raise damaged("a weight of its units is not finite")
    if ((source < 0) | (source >= hearing) | (hearing >= units)).any() or (np.diff(hearing) < 0).any():
        raise damaged("a unit hears one that is not before it")
    ends = header.counts("outputs", outputs)
    if not all(end < units for end in ends):
        raise damaged("an output is a unit that is not there")
    links: list[list[tuple[int, float]]] = [[] for _ in range(units)]
    for unit, heard, strength in zip(hearing.tolist(), source.tolist(), weight.tolist(), strict=True):
        links[unit].append((heard, strength))
    return Cascade(np.array(coef), np.array(intercept), tuple(map(tuple, links)), tuple(ends))
