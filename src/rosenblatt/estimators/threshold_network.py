"""Networks of threshold units: from an expression, from a truth table, or grown until every example is right."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from rosenblatt import native, options
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators.common import check_input
from rosenblatt.estimators.common.base import Estimator, draft_of
from rosenblatt.logic import Expression, Network, parse, smallest_network
from rosenblatt.logic.network.cascade_conversion import cascade_from_network, cascade_from_trees, network_from_cascade
from rosenblatt.logic.network.upstart import Upstart
from rosenblatt.model.kinds.cascade import Cascade
from rosenblatt.model.kinds.network import Growth
from rosenblatt.model.model import check_finite
from rosenblatt.records import Csr, Floats, Status, Values


class ThresholdNetwork(Estimator):
    """A network of threshold units, learned by the Upstart algorithm (Frean 1990) with the pocket rule.

    On consistent Boolean examples it grows until it makes no error on them: each new unit corrects at least one
    error, in the worst case by singling out one corner of the cube. Rows of other numbers are learned to zero error
    too, as long as a projection separates them in floating point. The status is 'separated' when no error is left, and
    'budget' when max_units were spent before. Three or more classes have one network each.

    Equal rows with different labels cannot both be right. If the rows are Boolean, fit raises DataError; otherwise the
    rows with the rarer labels are left out, `contradictions_` lists them, and the status is 'budget'.

    `from_expression` and `from_truth_table` build networks without learning.

    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> network = ThresholdNetwork().fit(X, y)
    >>> network.predict(X).tolist(), network.n_units_, network.status_
    ([0, 1, 1, 0], 2, 'separated')
    >>> ThresholdNetwork.from_expression("~(a & b) & (a | b)").predict(X).tolist()
    [0, 1, 1, 0]
    """

    _options = options.THRESHOLD_NETWORK
    _attributes: ClassVar[dict[str, str]] = {
        "growth_": "How it grew: a record for each unit added, with its layer, its role and the errors left.",
        "status_": "'separated' when no error is left, else 'budget'.",
        "contradictions_": "The rows left out because equal rows have another label more often.",
        "n_iter_": "The most epochs that a unit learned.",
    }

    def __init__(
        self,
        *,
        max_units: int | None = options.max_units.default,
        max_iter: int = options.network_max_iter.default,
        random_state: Any = options.random_state.default,
    ) -> None:
        self.max_units = max_units
        self.max_iter = max_iter
        self.random_state = random_state

    # -- building ----------------------------------------------------------------------------------------------------

    @classmethod
    def from_expression(cls, expression: Any) -> Self:
        """The network of an expression, or of its text.

        Negations are absorbed into the weights of the units they feed.

        Parameters
        ----------
        expression : str or logic.Expression
            Such as ``"~(a & b) & (a | b)"``; its variables are the features, in their order.

        Returns
        -------
        ThresholdNetwork
            It computes the expression; nothing is learned.
        """
        parsed = parse(expression) if isinstance(expression, str) else expression
        if not isinstance(parsed, Expression):
            raise ParameterError(f"from_expression takes an expression or its text. Got {expression!r} instead.")
        if not parsed.variables:
            raise ParameterError(
                f"The expression {parsed.text!r} has no variables, so the network would have no inputs."
            )
        return cls()._from_network(parsed.network.compact())

    @classmethod
    def from_truth_table(cls, table: Any) -> Self:
        """A small network for a truth table.

        Parameters
        ----------
        table : logic.TruthTable, logic.Expression or str
            Or the outputs alone, such as ``"0110"``.

        Returns
        -------
        ThresholdNetwork
            One unit if one is enough, else the smallest of several constructions (see `logic.smallest_network`).
        """
        return cls()._from_network(smallest_network(table))

    def _from_network(self, network: Network) -> Self:
        self._cascade = cascade_from_network(network)
        self._names, self._kinds = network.inputs, [unit.kind for unit in network.units]
        self.classes_ = np.array([0, 1])
        self.n_features_in_ = len(network.inputs)
        self.status_: Status = "separated"
        self.growth_: list[Growth] = []
        self.contradictions_ = np.flatnonzero([])
        self.n_iter_ = 0
        return self

    # -- learning ----------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any) -> Self:
        """Grow networks until every example is right, or max_units are spent.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            The label of each row.

        Returns
        -------
        self
            This estimator, which has learned.
        """
        options.check(type(self).__name__, self.get_params(deep=False), self._options)
        with draft_of(self) as draft:
            values = check_input.check_values(draft, X, reset=True)
            labels = check_input.check_labels(y, values.shape[0])
            draft.classes_, encoded = check_input.encode(labels)
            check_input.check_two_classes(draft.classes_)
            draft._grow(values, encoded, draft._consistent_rows(values, encoded))
        return self

    def _consistent_rows(self, values: Values, labels: NDArray[np.int32]) -> NDArray[np.bool_]:
        """The rows to learn from: of equal rows with different labels, only those with the commonest label."""
        consistent = np.ones(len(labels), dtype=bool)
        for rows in _groups_of_equal_rows(values):
            differs = labels[rows] != labels[rows[0]]
            if differs.any():
                if _is_boolean(values):
                    self._refuse_contradiction(rows[0], rows[int(np.argmax(differs))], labels)
                consistent[rows] = labels[rows] == np.argmax(np.bincount(labels[rows]))
        return consistent

    def _refuse_contradiction(self, row: int, other: int, labels: NDArray[np.int32]) -> None:
        label, other_label = self.classes_[labels[[row, other]]].tolist()
        raise DataError(
            f"Rows {row} and {other} of X are equal, but their labels are {label!r} and {other_label!r}: "
            "no network can be right on both; drop one of them."
        )

    def _grow(self, values: Values, labels: NDArray[np.int32], consistent: NDArray[np.bool_]) -> None:
        seed, growers, errors_left = check_input.seed_from(self.random_state), [], 0
        positive_classes = range(len(self.classes_)) if len(self.classes_) > 2 else [1]
        for k in positive_classes:
            grower = Upstart(values, max_units=self.max_units, max_iter=self.max_iter, seed=seed + k)
            errors_left += grower.grow(labels == k, consistent)
            growers.append(grower)
        self._cascade = cascade_from_trees([grower.nodes for grower in growers])
        self._names = tuple(getattr(self, "feature_names_in_", (f"x{i}" for i in range(values.shape[1]))))
        self._kinds = [node.role for grower in growers for node in reversed(grower.nodes)]
        self.status_ = "separated" if errors_left == 0 and consistent.all() else "budget"
        self.contradictions_ = np.flatnonzero(~consistent)
        self.n_iter_ = max(grower.n_iter for grower in growers)
        self.growth_ = self._growth(growers)

    def _growth(self, growers: list[Upstart]) -> list[Growth]:
        """One record for each unit, in the order in which they were added."""
        layers, names = self._cascade.layers, [unit.name for unit in self.network_.units]
        steps, offset = [], 0
        for grower in growers:
            last = offset + len(grower.nodes) - 1
            position = {id(node): last - k for k, node in enumerate(grower.nodes)}  # a cascade reverses a tree
            for node in grower.nodes:
                k = position[id(node)]
                role = "root" if node.mother is None else f"{node.role} {names[position[id(node.mother)]]}"
                steps.append(Growth(names[k], int(layers[k]), role, node.errors_left))
            offset = last + 1
        return steps

    # -- predicting -------------------------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Floats:
        """The scores of the output units: one per row for two classes, one per row and class for more.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_classes)
            Above 0 the positive class is predicted.
        """
        cascade = self._fitted_cascade()
        scores = check_finite(cascade.scores(native.rows_of(check_input.check_values(self, X, reset=False))))
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The positive class where the output unit fires; of three or more, the class whose unit scores highest.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        array of shape (n_samples,)
            Labels as they were in y.
        """
        scores = self.decision_function(X)
        predicted = (scores > 0).astype(np.intp) if scores.ndim == 1 else np.argmax(scores, axis=1)
        labels: NDArray[Any] = self.classes_[predicted]
        return labels

    # -- what it is made of -----------------------------------------------------------------------------------------

    def _fitted_cascade(self) -> Cascade:
        if "_cascade" not in self.__dict__:
            raise NotFittedError(
                "This ThresholdNetwork has no units yet: call fit, from_expression or from_truth_table."
            )
        cascade: Cascade = self._cascade
        return cascade

    def __sklearn_is_fitted__(self) -> bool:
        return "_cascade" in self.__dict__

    @property
    def network_(self) -> Network:
        """Every unit with its weights, threshold and wiring; print it to see them."""
        return network_from_cascade(self._fitted_cascade(), self._names, self._kinds)

    @property
    def n_units_(self) -> int:
        """How many units the network has."""
        return len(self._fitted_cascade().coef)

    @property
    def layers_(self) -> list[list[str]]:
        """The names of the units, layer by layer; the sources of a unit are inputs and units of earlier layers."""
        return [[unit.name for unit in layer] for layer in self.network_.layers]


def _groups_of_equal_rows(values: Values) -> list[list[int]]:
    """The rows that occur more than once, grouped by their content."""
    groups: dict[bytes, list[int]] = {}
    for row in range(values.shape[0]):
        groups.setdefault(_row_content(values, row), []).append(row)
    return [rows for rows in groups.values() if len(rows) > 1]


def _is_boolean(values: Values) -> bool:
    """Are all values 0 and 1, or all -1 and 1?"""
    if isinstance(values, Csr):
        return bool(np.isin(values.values, (0, 1)).all())
    return any(bool(np.isin(values, pair).all()) for pair in ((0, 1), (-1, 1)))


def _row_content(values: Values, row: int) -> bytes:
    """The same bytes for equal rows, and only for them."""
    if not isinstance(values, Csr):
        return bytes((values[row] + 0.0).data)  # + 0.0: -0.0 equals 0.0
    entries = slice(int(values.indptr[row]), int(values.indptr[row + 1]))
    row_values = dict(zip(values.indices[entries].tolist(), values.values[entries].tolist(), strict=True))
    return repr(sorted(entry for entry in row_values.items() if entry[1])).encode()
