"""The Upstart algorithm: a network that grows, unit by unit, until it is right on every example.

M. Frean, "The Upstart algorithm: a method for constructing and training feedforward neural networks", Neural
Computation 2 (1990). A unit learns with the pocket rule. Where it fires but should not, a daughter learns to inhibit
it; where it should fire but does not, another learns to excite it; each daughter may have daughters too.

Why it ends: a daughter must fire on the wrong rows W of one kind and be silent where firing would do harm. Silence
would make |W| errors. If the daughter makes fewer, fewer errors are left than before; its own daughters correct those,
and when none is left the network is right. If the pocket rule finds nothing better than silence, the daughter isolates
some row of W instead: one unit can do that at a corner of a box (Boolean rows), two parallel ones for any rows. So
every step leaves at least one error fewer.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rosenblatt import native
from rosenblatt.errors import DataError, LearningOverflowError
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.logic.network.isolate_rows import isolate_between_planes, isolate_corner
from rosenblatt.readers.block_rows import take_rows
from rosenblatt.records import Block, Csr, Floats, Values

_POCKET = Settings(keep="pocket", order="shuffle")


@dataclass(eq=False)
class Node:
    """A unit of the growing tree: its weights on the inputs, why it was added, and the links from its daughters."""

    coef: Floats
    intercept: float
    role: str  # "root", "inhibits" or "excites"
    mother: "Node | None"
    reach: float = 0.0  # a bound on its absolute score on all rows, without its daughters
    errors_left: int = 0
    links: list[tuple[float, "Node"]] = field(default_factory=list)


@dataclass(eq=False)
class _Task:
    """A node that still makes errors: the rows it must be right on, its target there, and its own output."""

    node: Node
    relevant: NDArray[np.bool_]
    target: NDArray[np.bool_]
    fires: NDArray[np.bool_]

    @property
    def errors(self) -> int:
        return int((self.relevant & (self.fires != self.target)).sum())

    def daughter(self, role: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The rows that are relevant to a daughter, and those among them on which it must fire.

        An inhibiting daughter outweighs an exciting one. So it must be silent wherever the target is true, while the
        rows on which the mother fires are irrelevant to the exciting one.
        """
        if role == "inhibits":
            return self.relevant & (self.fires | self.target), self.relevant & self.fires & ~self.target
        return self.relevant & ~self.fires, self.relevant & ~self.fires & self.target


class Upstart:
    """Grows one network for one Boolean target."""

    def __init__(self, values: Values, *, max_units: int | None, max_iter: int, seed: int) -> None:
        self.values, self.max_units, self.max_iter, self.seed = values, max_units, max_iter, seed
        self.rows = native.rows_of(values)
        self.max_abs = _max_abs(values)
        self.nodes: list[Node] = []
        self.n_iter = 0

    def grow(self, target: NDArray[np.bool_], relevant: NDArray[np.bool_] | None = None) -> int:
        """Grow until every relevant row is right, or max_units are spent; returns the number of errors left."""
        relevant = np.ones(len(target), dtype=bool) if relevant is None else relevant
        tasks: list[_Task] = []
        errors_left = self._add(self._learn_pocket(relevant, target, "root", None), relevant, target, 0, tasks)
        while errors_left and tasks:
            task = max(tasks, key=lambda task: task.errors)  # spend the budget where it helps most
            tasks.remove(task)
            for role in ("inhibits", "excites"):
                rows, wrong = task.daughter(role)
                if wrong.any():
                    nodes = self._learn_daughter(rows, wrong, role, task.node)
                    if nodes is None or (self.max_units and len(self.nodes) + len(nodes) > self.max_units):
                        return errors_left
                    errors_left = self._add(nodes, rows, wrong, errors_left - int(wrong.sum()), tasks)
        return errors_left

    def _add(
        self,
        nodes: list[Node],
        relevant: NDArray[np.bool_],
        target: NDArray[np.bool_],
        errors_left: int,
        tasks: list[_Task],
    ) -> int:
        """Add new nodes to the tree, the first linked to its mother, and a task for the errors they make."""
        task = _Task(nodes[0], relevant, target, self._fires(nodes))
        for node in nodes:
            node.reach = float(np.abs(node.coef) @ self.max_abs + abs(node.intercept))
            if not np.isfinite(16 * node.reach):
                raise DataError("The scores of the network overflow: scale the features down.")
            if node.mother is not None:
                node.mother.links.append((_link_weight(node.role, node.mother), node))
            node.errors_left = errors_left + task.errors
            self.nodes.append(node)
        if len(nodes) == 2:  # later daughters must outweigh the second plane as well
            nodes[0].reach += abs(nodes[0].links[0][0])
        if task.errors:
            tasks.append(task)
        return errors_left + task.errors

    # -- one unit ---------------------------------------------------------------------------------------------------

    def _learn_daughter(
        self, relevant: NDArray[np.bool_], wrong: NDArray[np.bool_], role: str, mother: Node
    ) -> list[Node] | None:
        """A daughter that makes fewer errors than there are wrong rows: by the pocket rule, or by isolating a row."""
        candidates = [self._learn_pocket(relevant, wrong, role, mother)]
        if self._errors(candidates[0], relevant, wrong):
            corner = isolate_corner(self.values, relevant, wrong)
            if corner is not None:
                candidates.append([Node(*corner, role, mother)])
                candidates.append(self._learn_pocket(relevant, wrong, role, mother, start=corner))
        best = min(candidates, key=lambda nodes: self._errors(nodes, relevant, wrong))
        if self._errors(best, relevant, wrong) < wrong.sum():
            return best
        planes = isolate_between_planes(self.values, relevant, wrong, best[0].coef, self.seed + len(self.nodes))
        if planes is None:
            return None
        lower = Node(*planes[0], role, mother)
        return [lower, Node(*planes[1], "inhibits", lower)]

    def _learn_pocket(
        self,
        relevant: NDArray[np.bool_],
        target: NDArray[np.bool_],
        role: str,
        mother: Node | None,
        start: tuple[Floats, float] | None = None,
    ) -> list[Node]:
        """One unit, learned by the pocket rule on the relevant rows."""
        features = self.values.shape[1]
        if target[relevant].all():
            return [Node(np.zeros(features), 1.0, role, mother)]
        seed = self.seed + len(self.nodes)
        run = Run(_POCKET, features, np.ones(2), seed, dense=not isinstance(self.values, Csr))
        if start is not None:
            run.start_from(start[0][None, :], np.array([start[1]]))
        rows = np.flatnonzero(relevant)
        values = self.values if relevant.all() else take_rows(self.values, rows)
        try:
            run.fit(Block(values, target[rows].astype(np.int32)), self.max_iter)
        except LearningOverflowError:
            raise LearningOverflowError(
                "The weights of a unit overflowed while it learned: scale the features down."
            ) from None
        self.n_iter = max(self.n_iter, len(run.mistakes))
        return [Node(run.final_weights.coef[0], float(run.final_weights.intercept[0]), role, mother)]

    def _fires(self, nodes: list[Node]) -> NDArray[np.bool_]:
        """Whether the first node fires on each row; the second, if there is one, inhibits it."""
        coef = np.ascontiguousarray([node.coef for node in nodes])
        scores = native.scores(self.rows, None, coef, np.array([node.intercept for node in nodes]))
        fires: NDArray[np.bool_] = scores[:, 0] > 0
        return fires if len(nodes) == 1 else fires & ~(scores[:, 1] > 0)

    def _errors(self, nodes: list[Node], relevant: NDArray[np.bool_], target: NDArray[np.bool_]) -> int:
        return int((relevant & (self._fires(nodes) != target)).sum())


def _link_weight(role: str, mother: Node) -> float:
    """A weight that outweighs everything else that feeds the mother; inhibition also outweighs excitation."""
    exciting = 2 * mother.reach + 1
    return -2 * exciting if role == "inhibits" else exciting


def _max_abs(values: Values) -> Floats:
    """The largest absolute value of each feature."""
    largest: Floats = np.zeros(values.shape[1])
    if isinstance(values, Csr):
        np.maximum.at(largest, values.indices, np.abs(values.values))
    else:
        np.max(np.abs(values), axis=0, out=largest)
    return largest
