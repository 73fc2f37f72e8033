"""Networks of threshold units: from an expression, from a truth table, or grown until every example is right."""

import inspect
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from rosenblatt import native, options
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators import validation
from rosenblatt.logic import Expression, Network, parse, smallest_network
from rosenblatt.logic.cascades import cascade_of_network, cascade_of_trees, network_of_cascade
from rosenblatt.logic.upstart import Upstart
from rosenblatt.model.cascade import Cascade
from rosenblatt.model.network import Growth
from rosenblatt.records import Csr, Floats, Status, Values


class ThresholdNetwork(ClassifierMixin, BaseEstimator):
    """A network of threshold units, learned by the Upstart algorithm (Frean 1990) with the pocket rule.

    On any consistent Boolean examples it grows until it makes no error on them: each new unit mends at least one
    error, by singling out a corner of the cube where learning finds nothing better. Rows of other numbers are learned
    to zero error too, as long as a projection tells them apart in floating point. The status is 'separated' when no
    error is left, and 'budget' when max_units were spent before. Three or more classes have one network each.

    Equal rows with different labels cannot both be right. Boolean ones are refused, with their places; among others
    the rarer labels are left out, `contradictions_` has their rows, and the status is 'budget'.

    `from_expression` and `from_truth_table` build networks without learning.

    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> network = ThresholdNetwork().fit(X, y)
    >>> network.predict(X).tolist(), network.n_units_, network.status_
    ([0, 1, 1, 0], 2, 'separated')
    >>> ThresholdNetwork.from_expression("~(a & b) & (a | b)").predict(X).tolist()
    [0, 1, 1, 0]
    """

    _options = options.THRESHOLD_NETWORK
    classes_: NDArray[Any]

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

    # -- built ------------------------------------------------------------------------------------------------------

    @classmethod
    def from_expression(cls, expression: Any) -> Self:
        """The network of an expression, or of its text; its features are the expression's variables, in their order.

        Negations are taken into the weights of the units that hear them.
        """
        parsed = parse(expression) if isinstance(expression, str) else expression
        if not isinstance(parsed, Expression):
            raise ParameterError(f"from_expression takes an expression or its text. Got {expression!r} instead.")
        if not parsed.variables:
            raise ParameterError(
                f"The expression {parsed.text!r} has no variables, so the network would have no inputs."
            )
        return cls()._built(parsed.network.compact())

    @classmethod
    def from_truth_table(cls, table: Any) -> Self:
        """A small network for a truth table: a TruthTable, an expression, or the outputs such as "0110".

        One unit where one can, else the smallest of several constructions (see `logic.smallest_network`).
        """
        return cls()._built(smallest_network(table))

    def _built(self, network: Network) -> Self:
        self._cascade = cascade_of_network(network)
        self._names, self._kinds = network.inputs, [unit.kind for unit in network.units]
        self.classes_ = np.array([0, 1])
        self.n_features_in_ = len(network.inputs)
        self.status_: Status = "separated"
        self.growth_: list[Growth] = []
        self.contradictions_ = np.flatnonzero([])
        self.n_iter_ = 0
        return self

    # -- learned ----------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any) -> Self:
        """Grow networks until every example is right, or max_units are spent."""
        options.check(type(self).__name__, self.get_params(deep=False), self._options)
        before = dict(vars(self))
        try:
            values = validation.check_values(self, X, reset=True)
            labels = validation.check_labels(y, values.shape[0])
            self.classes_, encoded = validation.coded(labels)
            validation.check_classes(self.classes_)
            heeded = self._without_contradictions(values, encoded)
            return self._grow(values, encoded, heeded)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _without_contradictions(self, values: Values, labels: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Equal rows with different labels: no function has both. Boolean ones are refused; of others the rarer go."""
        heeded = np.ones(len(labels), dtype=bool)
        for rows in _equal_rows(values):
            kinds = labels[rows]
            if (kinds != kinds[0]).any():
                if _is_boolean(values):
                    self._refuse(rows[0], rows[int(np.argmax(kinds != kinds[0]))], labels)
                heeded[rows] = kinds == np.argmax(np.bincount(kinds))
        return heeded

    def _refuse(self, row: int, other: int, labels: NDArray[np.int32]) -> None:
        one, two = self.classes_[labels[[row, other]]].tolist()
        raise DataError(
            f"Rows {row} and {other} of X are equal, but their labels are {one!r} and {two!r}: "
            "no network can be right on both; drop one of them."
        )

    def _grow(self, values: Values, labels: NDArray[np.int32], heeded: NDArray[np.bool_]) -> Self:
        seed, growers, left = validation.seed_of(self.random_state), [], 0
        positive = range(len(self.classes_)) if len(self.classes_) > 2 else [1]
        for k in positive:
            grower = Upstart(values, max_units=self.max_units, max_iter=self.max_iter, seed=seed + k)
            left += grower.grow(labels == k, heeded)
            growers.append(grower)
        self._cascade = cascade_of_trees([grower.nodes for grower in growers])
        given = getattr(self, "feature_names_in_", None)
        self._names = tuple(given) if given is not None else tuple(f"x{i}" for i in range(values.shape[1]))
        self._kinds = [node.role for grower in growers for node in reversed(grower.nodes)]
        self.status_ = "separated" if left == 0 and heeded.all() else "budget"
        self.contradictions_ = np.flatnonzero(~heeded)
        self.n_iter_ = max(grower.n_iter for grower in growers)
        self.growth_ = self._trace(growers)
        return self

    def _trace(self, growers: list[Upstart]) -> list[Growth]:
        layers, names = self._cascade.layers, [unit.name for unit in self.network_.units]
        steps, offset = [], 0
        for grower in growers:
            last = offset + len(grower.nodes) - 1
            place = {id(node): last - k for k, node in enumerate(grower.nodes)}
            for node in grower.nodes:
                at = place[id(node)]
                role = "root" if node.mother is None else f"{node.role} {names[place[id(node.mother)]]}"
                steps.append(Growth(names[at], int(layers[at]), role, node.errors_left))
            offset = last + 1
        return steps

    # -- deciding ---------------------------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Floats:
        """The scores of the output units: one per row for two classes, one per row and class for more."""
        cascade = self._fitted()
        scores = cascade.scores(native.rows_of(validation.check_values(self, X, reset=False)))
        finite = np.isfinite(scores).all(axis=1)
        if not finite.all():
            raise DataError(f"The score of row {int(np.argmin(finite))} of X overflows: scale its values down.")
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The positive class where the output unit fires; of three or more, the class whose unit scores highest."""
        scores = self.decision_function(X)
        chosen = (scores > 0).astype(np.intp) if scores.ndim == 1 else np.argmax(scores, axis=1)
        found: NDArray[Any] = self.classes_[chosen]
        return found

    # -- what it is made of -----------------------------------------------------------------------------------------

    def _fitted(self) -> Cascade:
        if "_cascade" not in self.__dict__:
            raise NotFittedError(
                "This ThresholdNetwork has no units yet: call fit, from_expression or from_truth_table."
            )
        cascade: Cascade = self._cascade
        return cascade

    def __sklearn_is_fitted__(self) -> bool:
        return "_cascade" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def network_(self) -> Network:
        """Every unit with its weights, threshold and wiring; print it to see them."""
        return network_of_cascade(self._fitted(), self._names, self._kinds)

    @property
    def n_units_(self) -> int:
        """How many units the network has."""
        return len(self._fitted().coef)

    @property
    def layers_(self) -> list[list[str]]:
        """The names of the units, layer by layer; a unit hears inputs and units of layers before its own."""
        return [[unit.name for unit in layer] for layer in self.network_.layers]


def _described(documented: type[ThresholdNetwork]) -> str:
    """The docstring with the parameters from where they are written, once."""
    parameters = [
        f"{name} : {option.expected}, default={option.default!r}\n    {option.help}"
        for name, option in documented._options.items()
    ]
    attributes = [
        f"{name}\n    {value.__doc__}" for name, value in vars(documented).items() if isinstance(value, property)
    ]
    attributes += [
        "growth_\n    How it grew: a record for each unit added, with its layer, its role and the errors left.",
        "status_\n    'separated' when no error is left, else 'budget'.",
        "contradictions_\n    The rows left out because equal rows have another label more often.",
        "n_iter_\n    The most epochs that a unit learned.",
    ]
    parts = (("Parameters", parameters), ("Attributes", ["classes_\n    The labels, sorted.", *attributes]))
    sections = "\n\n".join("\n".join([title, "-" * len(title), *lines]) for title, lines in parts)
    return f"{inspect.cleandoc(documented.__doc__ or '')}\n\n{sections}"


ThresholdNetwork.__doc__ = _described(ThresholdNetwork)


def _equal_rows(values: Values) -> list[list[int]]:
    """The rows that are there more than once, those that are equal together."""
    together: dict[bytes, list[int]] = {}
    for row in range(values.shape[0]):
        together.setdefault(_content(values, row), []).append(row)
    return [rows for rows in together.values() if len(rows) > 1]


def _is_boolean(values: Values) -> bool:
    """Are all values 0 and 1, or all -1 and 1?"""
    if isinstance(values, Csr):
        return bool(np.isin(values.values, (0, 1)).all())
    return any(bool(np.isin(values, pair).all()) for pair in ((0, 1), (-1, 1)))


def _content(values: Values, row: int) -> bytes:
    """What tells one row from another, whatever its layout."""
    if not isinstance(values, Csr):
        return bytes((values[row] + 0.0).data)  # + 0.0: -0.0 equals 0.0
    entries = slice(int(values.indptr[row]), int(values.indptr[row + 1]))
    held = dict(zip(values.indices[entries].tolist(), values.values[entries].tolist(), strict=True))
    return repr(sorted(entry for entry in held.items() if entry[1])).encode()
