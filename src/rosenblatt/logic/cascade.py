"""A network as matrices: every unit hears all inputs, and some of the units before it. For rows of any numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rosenblatt import kernels
from rosenblatt.logic.network import Network, network_of
from rosenblatt.logic.unit import Unit
from rosenblatt.logic.upstart import Node
from rosenblatt.records import Floats

_BLOCK_SCORES = 1 << 20  # scores held at a time


@dataclass(frozen=True)
class Cascade:
    """Unit i scores coef[i].x + intercept[i] + the links (i, j, weight) of the units j < i that fire."""

    coef: Floats
    intercept: Floats
    links: tuple[tuple[tuple[int, float], ...], ...]
    outputs: tuple[int, ...]

    def scores(self, rows: kernels.Rows) -> Floats:
        """The score of each output unit on each row; it fires above 0."""
        found: Floats = np.empty((rows.count, len(self.outputs)))
        size = max(1, _BLOCK_SCORES // max(1, len(self.coef)))
        for start in range(0, rows.count, size):
            block = np.arange(start, min(start + size, rows.count), dtype=np.uint32)
            found[start : start + size] = self._resolve(kernels.scores(rows, block, self.coef, self.intercept))
        return found

    def _resolve(self, scores: Floats) -> Floats:
        columns = scores.T.copy()
        for unit, heard in enumerate(self.links):
            for source, weight in heard:
                columns[unit][columns[source] > 0] += weight
        resolved: Floats = columns[list(self.outputs)].T
        return resolved

    @property
    def layers(self) -> NDArray[np.intp]:
        """How deep each unit lies: 1 where it hears inputs only."""
        depth = np.ones(len(self.coef), dtype=np.intp)
        for unit, heard in enumerate(self.links):
            depth[unit] = 1 + max((depth[source] for source, _ in heard), default=0)
        return depth

    def network(self, names: Sequence[str], kinds: Sequence[str] | None = None) -> Network:
        """The units with their wiring, without the wires of weight 0."""
        units: list[tuple[str, Unit, list[str | int]]] = []
        for i, heard in enumerate(self.links):
            used = np.flatnonzero(self.coef[i]).tolist()
            weights = [*self.coef[i, used].tolist(), *(weight for _, weight in heard)]
            sources: list[str | int] = [*(names[j] for j in used), *(source for source, _ in heard)]
            units.append((kinds[i] if kinds else "unit", Unit(weights, float(self.intercept[i])), sources))
        return network_of(names, units, self.outputs)

    @classmethod
    def of(cls, network: Network) -> "Cascade":
        """The matrices of a network."""
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
        return cls(coef, intercept, tuple(links), tuple(position[name] for name in network.outputs))

    @classmethod
    def grown(cls, trees: Sequence[Sequence[Node]]) -> "Cascade":
        """The trees of Upstart, one output for each; a mother comes after her daughters, so a tree is turned round."""
        order = [node for tree in trees for node in reversed(tree)]
        position = {id(node): i for i, node in enumerate(order)}
        links = tuple(tuple((position[id(child)], weight) for weight, child in node.links) for node in order)
        return cls(
            np.array([node.coef for node in order]),
            np.array([node.intercept for node in order]),
            links,
            tuple(position[id(tree[0])] for tree in trees),
        )
