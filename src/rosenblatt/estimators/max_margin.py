"""The separator with the widest margin, and the proof that it is the widest."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from rosenblatt import native, options
from rosenblatt.certificates.certificate import Inseparable, Separable, Undecided
from rosenblatt.certificates.certify import certify_points
from rosenblatt.certificates.error_bracket import hyperplane_with_few_errors
from rosenblatt.certificates.points.points import Points
from rosenblatt.certificates.search.hull_search import SearchMonitor
from rosenblatt.estimators.common import check_input
from rosenblatt.estimators.common.base import Estimator
from rosenblatt.learn.multiclass_schemes import predicted_classes, scheme_of
from rosenblatt.model.model import check_finite
from rosenblatt.records import Floats

_SEARCHED_ROWS = 200_000  # visited by all searches for fewer errors together, approximately


class MaxMargin(Estimator):
    """The hyperplane with the widest margin, and how near to the widest it is proven to be.

    Three or more classes are learned each against the rest. Where no hyperplane separates the classes, there is no
    margin: a warning says so, `status_` is 'inseparable', and the best hyperplane found, with few errors, is kept.

    >>> unit = MaxMargin().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> unit.status_, round(unit.margin_, 6), unit.gap_ < 1e-6
    ('separable', 0.353553, True)
    """

    _options = options.MAX_MARGIN
    _attributes: ClassVar[dict[str, str]] = {
        "coef_, intercept_": "The hyperplane of each unit; y (w.x + b) is 1 on the nearest rows if they are separable.",
        "margin_, augmented_margin_": "The proven distance of the nearest row, the least of all units; in the space of "
        "x, and of (x, 1).",
        "gap_": "The relative duality gap, the largest of all units; infinite if a unit is not separable.",
        "status_": "'separable', 'inseparable' or 'undecided'.",
        "certificates_": "The certificate of each unit.",
    }

    def __init__(
        self, *, gap: float = options.gap.default, time_limit: float | None = options.time_limit.default
    ) -> None:
        self.gap = gap
        self.time_limit = time_limit

    def fit(self, X: Any, y: Any) -> Self:
        """Find the widest hyperplane between the classes.

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
        options.check("MaxMargin", self.get_params(deep=False), self._options)
        values = check_input.check_values(self, X, reset=True)
        native.rows_of(values)  # checks every value
        labels = check_input.check_labels(y, values.shape[0])
        classes, encoded = check_input.encode(labels)
        check_input.check_two_classes(classes)
        units = []
        for k in [1] if len(classes) == 2 else range(len(classes)):
            signs = np.where(encoded == k, 1, -1).astype(np.int8)
            units.append(self._unit(Points(values, signs, ("rest" if len(classes) > 2 else classes[0], classes[k]))))
        self.classes_ = classes
        self.coef_: Floats = np.stack([w for w, _, _ in units])
        self.intercept_: Floats = np.array([b for _, b, _ in units])
        self.certificates_ = [certificate for _, _, certificate in units]
        self._summarise()
        return self

    def _unit(self, points: Points) -> tuple[Floats, float, Separable | Inseparable | Undecided]:
        monitor = SearchMonitor.start(self.time_limit)
        certificate = certify_points(points, monitor, gap=self.gap)
        if isinstance(certificate, Separable):
            return np.asarray(certificate.w, dtype=np.float64), float(certificate.b), certificate
        # Readmitting a row searches all rows again: with few rows all wrong ones are tried, with many only the nearest.
        plane = hyperplane_with_few_errors(points, monitor, max_readmitted=_SEARCHED_ROWS // points.n_rows)
        return np.asarray(plane.w, dtype=np.float64), float(plane.b), certificate

    def _summarise(self) -> None:
        """Set the margin, gap and status of all units together; warn if they are not all separable."""
        kinds = {certificate.kind for certificate in self.certificates_}
        self.status_ = next(kind for kind in ("inseparable", "undecided", "separable") if kind in kinds)
        separable = [certificate for certificate in self.certificates_ if isinstance(certificate, Separable)]
        all_separable = len(separable) == len(self.certificates_)
        self.margin_ = min(unit.margin for unit in separable) if all_separable else 0.0
        self.augmented_margin_ = min(unit.augmented_margin for unit in separable) if all_separable else 0.0
        self.gap_ = max(unit.gap for unit in separable) if all_separable else float("inf")
        if not all_separable:
            warnings.warn(
                f"MaxMargin found no hyperplane without errors ({self.status_}), so there is no margin: it keeps the "
                "best one it found. The proof is in certificates_.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def decision_function(self, X: Any) -> Floats:
        """Signed scores: one per row for two classes, one per row and class for more.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_classes)
            Above 0 the positive class is predicted.
        """
        check_is_fitted(self)
        rows = native.rows_of(check_input.check_values(self, X, reset=False))
        scores = check_finite(native.scores(rows, None, self.coef_, self.intercept_))
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: the positive one where the score is above 0, or the one with the highest score.

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
        n_classes = len(self.classes_)
        predicted = predicted_classes(scheme_of("ovr", n_classes), scores.reshape(len(scores), -1), n_classes)
        labels: NDArray[Any] = self.classes_[predicted]
        return labels
