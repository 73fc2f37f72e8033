"""The Upstart algorithm: a network that grows, unit by unit, until it is right on every example.

M. Frean, "The Upstart algorithm: a method for constructing and training feedforward neural networks", Neural
Computation 2 (1990). A unit learns with the pocket rule. Where it fires but should not, a daughter learns to hold it
back; where it should fire but does not, another learns to push it; each daughter may have daughters of its own.

Why it ends: a daughter must fire on the wrong rows W of one kind and be silent where that would do harm. If it makes
fewer errors than silence would, which makes |W|, then fewer errors are left than before; what it still gets wrong its
own daughters must mend, and when nothing is left the network is right. The pocket may fail to be better than silence;
then the daughter singles out some row of W instead: one unit can at a corner of a box (Boolean rows), two parallel
ones can for any rows. So every step lowers the errors left by at least one.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rosenblatt import native
from rosenblatt.errors import DataError, LearningOverflowError
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.logic.single_out import between_planes, corner
from rosenblatt.records import Block, Csr, Floats, Values

_POCKET = Settings(keep="pocket", order="shuffle")


@dataclass(eq=False)
class Node:
    """A unit of the growing tree: its weights on the inputs, why it was added, and the links from its daughters."""

    coef: Floats
    intercept: float
    role: str  # "root", "inhibits" or "excites"
    mother: "Node | None"
    reach: float = 0.0  # no row within the box of the rows brings its score further from 0, before it has daughters
    errors_left: int = 0
    links: list[tuple[float, "Node"]] = field(default_factory=list)


@dataclass(eq=False)
class _Task:
    """A node, the rows on which it must be right, what it should say there, and what it says by itself."""

    node: Node
    cares: NDArray[np.bool_]
    target: NDArray[np.bool_]
    says: NDArray[np.bool_]

    @property
    def errors(self) -> int:
        return int((self.cares & (self.says != self.target)).sum())

    def daughter(self, role: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The rows that a daughter must care about, and where among them it must fire.

        An inhibiting daughter outweighs an exciting one. So it must be silent wherever the answer is yes, while the
        exciting one need not care where its mother fires.
        """
        if role == "inhibits":
            return self.cares & (self.says | self.target), self.cares & self.says & ~self.target
        return self.cares & ~self.says, self.cares & ~self.says & self.target


class Upstart:
    """Grows one network for one yes-or-no question about the rows."""

    def __init__(self, values: Values, *, max_units: int | None, max_iter: int, seed: int) -> None:
        self.values, self.max_units, self.max_iter, self.seed = values, max_units, max_iter, seed
        self.rows = native.rows_of(values)
        self.largest = _largest(values)
        self.nodes: list[Node] = []
        self.n_iter = 0

    def grow(self, target: NDArray[np.bool_], cares: NDArray[np.bool_] | None = None) -> int:
        """Grow until every row (or each to care about) is right or max_units are spent; how many errors are left."""
        heeded = np.ones(len(target), dtype=bool) if cares is None else cares
        waiting: list[_Task] = []
        left = self._settle(self._pocket(heeded, target, "root", None), heeded, target, 0, waiting)
        while left and waiting:
            task = max(waiting, key=lambda t: t.errors)  # a budget is spent where it helps most
            waiting.remove(task)
            for role in ("inhibits", "excites"):
                concerned, wrong = task.daughter(role)
                if wrong.any():
                    grown = self._better_than_silence(concerned, wrong, role, task.node)
                    if grown is None or (self.max_units and len(self.nodes) + len(grown) > self.max_units):
                        return left
                    left = self._settle(grown, concerned, wrong, left - int(wrong.sum()), waiting)
        return left

    def _settle(
        self,
        grown: list[Node],
        cares: NDArray[np.bool_],
        target: NDArray[np.bool_],
        left: int,
        waiting: list[_Task],
    ) -> int:
        """Put new nodes into the tree, the first linked to its mother; what they get wrong is work to do."""
        task = _Task(grown[0], cares, target, self._fires(grown))
        for node in grown:
            node.reach = float(np.abs(node.coef) @ self.largest + abs(node.intercept))
            if not np.isfinite(16 * node.reach):
                raise DataError("The scores of the network overflow: scale the features down.")
            if node.mother is not None:
                node.mother.links.append((_loudness(node.role, node.mother), node))
            node.errors_left = left + task.errors
            self.nodes.append(node)
        if len(grown) == 2:  # the daughters to come must be heard above the plane behind as well
            grown[0].reach += abs(grown[0].links[0][0])
        if task.errors:
            waiting.append(task)
        return left + task.errors

    # -- one unit ---------------------------------------------------------------------------------------------------

    def _better_than_silence(
        self, cares: NDArray[np.bool_], wrong: NDArray[np.bool_], role: str, mother: Node
    ) -> list[Node] | None:
        """A daughter with fewer errors than rows to mend: the best of the pocket's, from two starts, and a corner."""
        tried = [self._pocket(cares, wrong, role, mother)]
        if self._errors(tried[0], cares, wrong):
            single = corner(self.values, cares, wrong)
            if single is not None:
                tried.append([Node(*single, role, mother)])
                tried.append(self._pocket(cares, wrong, role, mother, start=single))
        best = min(tried, key=lambda grown: self._errors(grown, cares, wrong))
        if self._errors(best, cares, wrong) < wrong.sum():
            return best
        planes = between_planes(self.values, cares, wrong, best[0].coef, self.seed + len(self.nodes))
        if planes is None:
            return None
        lower = Node(*planes[0], role, mother)
        return [lower, Node(*planes[1], "inhibits", lower)]

    def _pocket(
        self,
        cares: NDArray[np.bool_],
        target: NDArray[np.bool_],
        role: str,
        mother: Node | None,
        start: tuple[Floats, float] | None = None,
    ) -> list[Node]:
        """One unit, learned by the pocket rule on the rows it cares about."""
        features = self.values.shape[1]
        if target[cares].all():
            return [Node(np.zeros(features), 1.0, role, mother)]
        seed = self.seed + len(self.nodes)
        run = Run(_POCKET, features, np.ones(2), seed, dense=not isinstance(self.values, Csr))
        if start is not None:
            run.start_from(start[0][None, :], np.array([start[1]]))
        rows = np.flatnonzero(cares)
        try:
            run.fit(Block(_taken(self.values, rows), target[rows].astype(np.int32)), self.max_iter)
        except LearningOverflowError:
            raise LearningOverflowError("The weights overflowed while a unit learned: scale the features.") from None
        self.n_iter = max(self.n_iter, len(run.mistakes))
        return [Node(run.final_weights.coef[0], float(run.final_weights.intercept[0]), role, mother)]

    def _fires(self, grown: list[Node]) -> NDArray[np.bool_]:
        """Does the first node fire on each row, the second, if there is one, holding it back?"""
        coef = np.ascontiguousarray([node.coef for node in grown])
        scores = native.scores(self.rows, None, coef, np.array([node.intercept for node in grown]))
        fires: NDArray[np.bool_] = scores[:, 0] > 0
        return fires if len(grown) == 1 else fires & ~(scores[:, 1] > 0)

    def _errors(self, grown: list[Node], cares: NDArray[np.bool_], target: NDArray[np.bool_]) -> int:
        return int((cares & (self._fires(grown) != target)).sum())


def _loudness(role: str, mother: Node) -> float:
    """A link that outweighs whatever the mother hears otherwise; inhibition outweighs excitement too."""
    excited = 2 * mother.reach + 1
    return -2 * excited if role == "inhibits" else excited


def _taken(values: Values, rows: NDArray[np.intp]) -> Values:
    """These rows only; all of them are not copied."""
    if len(rows) == values.shape[0]:
        return values
    if not isinstance(values, Csr):
        return np.ascontiguousarray(values[rows])
    lengths = np.diff(values.indptr)[rows]
    ends = np.cumsum(lengths)
    entries = np.arange(ends[-1]) + np.repeat(values.indptr[rows] - (ends - lengths), lengths)
    indptr = np.concatenate([[0], ends]).astype(values.indptr.dtype)
    return Csr(indptr, values.indices[entries], values.values[entries], values.features)


def _largest(values: Values) -> Floats:
    """The largest size of each feature."""
    largest: Floats = np.zeros(values.shape[1])
    if isinstance(values, Csr):
        np.maximum.at(largest, values.indices, np.abs(values.values))
    else:
        np.max(np.abs(values), axis=0, out=largest)
    return largest
