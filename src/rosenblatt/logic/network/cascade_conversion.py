"""Networks and the trees of Upstart <-> cascades (model/kinds/cascade.py): matrices that score rows of any numbers."""

from collections.abc import Sequence

import numpy as np

from rosenblatt.logic.network.network import Network, build_network
from rosenblatt.logic.network.upstart import Node
from rosenblatt.logic.unit import Unit
from rosenblatt.model.kinds.cascade import Cascade


def network_from_cascade(cascade: Cascade, names: Sequence[str], kinds: Sequence[str] | None = None) -> Network:
    """The network of a cascade, without wires of weight 0."""
    units: list[tuple[str, Unit, list[str | int]]] = []
    for i, links in enumerate(cascade.links):
        columns = np.flatnonzero(cascade.coef[i]).tolist()
        weights = [*cascade.coef[i, columns].tolist(), *(weight for _, weight in links)]
        sources: list[str | int] = [*(names[j] for j in columns), *(source for source, _ in links)]
        units.append((kinds[i] if kinds else "unit", Unit(weights, float(cascade.intercept[i])), sources))
    return build_network(names, units, cascade.outputs)


def cascade_from_network(network: Network) -> Cascade:
    """The cascade of a network."""
    column = {name: j for j, name in enumerate(network.inputs)}
    position = {unit.name: i for i, unit in enumerate(network.units)}
    coef = np.zeros((len(network.units), len(column)))
    links = []
    for i, wired in enumerate(network.units):
        pairs = list(zip(wired.sources, wired.weights, strict=True))
        for name, weight in pairs:
            if name in column:
                coef[i, column[name]] = weight
        links.append(tuple((position[name], float(weight)) for name, weight in pairs if name in position))
    intercept = np.array([unit.unit.bias for unit in network.units], dtype=np.float64)
    return Cascade(coef, intercept, tuple(links), tuple(position[name] for name in network.outputs))


def cascade_from_trees(trees: Sequence[Sequence[Node]]) -> Cascade:
    """The cascade of the trees of Upstart, one output each; mothers come after daughters, so a tree is reversed."""
    order = [node for tree in trees for node in reversed(tree)]
    position = {id(node): i for i, node in enumerate(order)}
    return Cascade(
        np.array([node.coef for node in order]),
        np.array([node.intercept for node in order]),
        tuple(tuple((position[id(child)], weight) for weight, child in node.links) for node in order),
        tuple(position[id(tree[0])] for tree in trees),
    )
