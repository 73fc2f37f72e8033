"""Which separator to choose when many exist: the widest."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from rosenblatt import native, options
from rosenblatt.certificates.certificate import Inseparable, Separable, Undecided
from rosenblatt.certificates.error_bracket import hyperplane_with_few_errors
from rosenblatt.certificates.hull_search import SearchMonitor
from rosenblatt.certificates.points import Points
from rosenblatt.certificates.search import certify_points
from rosenblatt.errors import DataError
from rosenblatt.estimators import validation
from rosenblatt.learn.schemes import predicted_classes, scheme_of
from rosenblatt.records import Floats

_SEARCHED_ROWS = 200_000  # about as many rows are visited in all searches for fewer errors


class MaxMargin(ClassifierMixin, BaseEstimator):
    """The hyperplane with the widest margin, and how near to the widest it is proven to be.

    Three or more classes are learned each against the rest. Where no hyperplane separates, there is no margin: a
    warning says so, `status_` is 'inseparable', and the hyperplane with the fewest errors found is kept.

    >>> unit = MaxMargin().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> unit.status_, round(unit.margin_, 6), unit.gap_ < 1e-6
    ('separable', 0.353553, True)

    Parameters
    ----------
    gap : float, default=1e-06
        How far the margin may be from the widest there is, relative to the widest.
    time_limit : None or float, default=None
        Seconds after which the search stops with what it has.

    Attributes
    ----------
    coef_, intercept_
        The hyperplane of each unit; y (w.x + b) is 1 on the nearest rows where the classes are separable.
    margin_, augmented_margin_
        The least over the units of the proven distance of the nearest row, in space and in the space of (x, 1).
    gap_
        The largest of the units' relative duality gaps; infinite where a unit is not separable.
    status_
        'separable', 'inseparable' or 'undecided'.
    certificates_
        The proof of each unit.
    """

    def __init__(
        self, *, gap: float = options.gap.default, time_limit: float | None = options.time_limit.default
    ) -> None:
        self.gap = gap
        self.time_limit = time_limit

    def fit(self, X: Any, y: Any) -> Self:
        """Find the widest hyperplane between the classes."""
        options.check("MaxMargin", {"gap": self.gap, "time_limit": self.time_limit}, options.MAX_MARGIN)
        values = validation.check_values(self, X, reset=True)
        native.rows_of(values)
        labels = validation.check_labels(y, values.shape[0])
        classes, index = validation.coded(labels)
        validation.check_classes(classes)
        targets = [1] if len(classes) == 2 else range(len(classes))
        signs = [np.where(index == target, 1, -1).astype(np.int8) for target in targets]
        names = [("rest" if len(classes) > 2 else classes[0], classes[target]) for target in targets]
        points = [Points(values, sign, name) for sign, name in zip(signs, names, strict=True)]
        units = [self._unit(one) for one in points]
        self.classes_ = classes
        self.coef_: Floats = np.stack([w for w, _, _ in units])
        self.intercept_: Floats = np.array([b for _, b, _ in units])
        self.certificates_ = [certificate for _, _, certificate in units]
        self._tell()
        return self

    def _unit(self, points: Points) -> tuple[Floats, float, Separable | Inseparable | Undecided]:
        monitor = SearchMonitor.start(self.time_limit)
        certificate = certify_points(points, monitor, gap=self.gap)
        if isinstance(certificate, Separable):
            return np.asarray(certificate.w, dtype=np.float64), float(certificate.b), certificate
        # Readmitting a row searches all rows again: with few rows all wrong ones are tried, with many only the nearest.
        plane = hyperplane_with_few_errors(points, monitor, max_readmitted=_SEARCHED_ROWS // points.n_rows)
        return np.asarray(plane.w, dtype=np.float64), float(plane.b), certificate

    def _tell(self) -> None:
        kinds = {certificate.kind for certificate in self.certificates_}
        self.status_ = next(kind for kind in ("inseparable", "undecided", "separable") if kind in kinds)
        separable = [one for one in self.certificates_ if isinstance(one, Separable)]
        whole = len(separable) == len(self.certificates_)
        self.margin_ = min(one.margin for one in separable) if whole else 0.0
        self.augmented_margin_ = min(one.augmented_margin for one in separable) if whole else 0.0
        self.gap_ = max(one.gap for one in separable) if whole else float("inf")
        if not whole:
            warnings.warn(
                f"MaxMargin found no hyperplane without errors ({self.status_}), so there is no margin: it keeps the "
                "one with the fewest errors it found. The proof is in certificates_.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def decision_function(self, X: Any) -> Floats:
        """Signed scores: one per row for two classes, one per row and class for more."""
        check_is_fitted(self)
        values = validation.check_values(self, X, reset=False)
        found = native.scores(native.rows_of(values), None, self.coef_, self.intercept_)
        if not np.isfinite(found).all():
            raise DataError(f"The score of row {int(np.argmin(np.isfinite(found).all(axis=1)))} of X overflows.")
        return found[:, 0] if len(self.classes_) == 2 else found

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: the positive one where the score is above 0, or the one with the highest score."""
        scores = self.decision_function(X)
        scheme = scheme_of("ovr", len(self.classes_))
        found: NDArray[Any] = self.classes_[
            predicted_classes(scheme, scores.reshape(len(scores), -1), len(self.classes_))
        ]
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
