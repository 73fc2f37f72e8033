"""What users pass -> what the learner takes, or one sentence that says what is wrong and where."""

import math
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from rosenblatt import native
from rosenblatt.checks import check_labels_complete, first_missing, label_text
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.learn.run import Validation
from rosenblatt.records import Csr, Floats, Values


def check_values(estimator: Any, X: Any, *, reset: bool) -> Values:
    """X as float rows, in place where its type and layout allow; its features must be those of the model."""
    if not reset and _is_plain(estimator, X):
        return X  # type: ignore[no-any-return]
    try:
        X = validate_data(
            estimator, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False
        )
    except (ValueError, OverflowError) as error:
        place = _first_text(X)
        if place is not None:
            row, column, value = place
            raise DataError(f"X contains text at row {row}, column {column}: {value!r} is not a number.") from error
        if isinstance(error, OverflowError):
            raise DataError(f"X contains a number that no float can hold: {error}.") from error
        raise
    if not issparse(X):
        return X  # type: ignore[no-any-return]
    if len(X.indptr) != X.shape[0] + 1:
        raise DataError(f"The sparse X has {X.shape[0]} rows, but its indptr is for {len(X.indptr) - 1}.")
    return Csr(X.indptr, X.indices, X.data, X.shape[1])


def _is_plain(estimator: Any, X: Any) -> bool:
    """A float array of the known width needs no further look; nearly all calls of an online learner are so."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in (np.float64, np.float32)
        and X.shape[1] == getattr(estimator, "n_features_in_", -1)
        and len(X) > 0
        and not hasattr(estimator, "feature_names_in_")
    )


def _first_text(X: Any) -> tuple[int, int, Any] | None:
    if issparse(X):
        return None
    table = np.asarray(X)
    if table.ndim != 2 or table.dtype.kind not in "OUS":
        return None
    for (row, column), value in np.ndenumerate(table):
        if isinstance(value, str | bytes):
            try:
                float(value)
            except ValueError:
                return row, column, value
    return None


def check_labels(y: Any, rows: int) -> NDArray[Any]:
    """y as one label per row, none of them missing."""
    labels: NDArray[Any] = y if type(y) is np.ndarray and y.ndim == 1 else column_or_1d(y, warn=True)
    check_labels_complete(labels, rows)
    if labels.dtype.kind not in "biuUS" and _ranked(labels) is None:
        check_classification_targets(labels)
    return labels


def encode(classes: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.int32]:
    """The index of each label's class; a label that is no class raises DataError."""
    index: NDArray[np.int32]
    if len(classes) == 2:
        index = (labels == classes[1]).astype(np.int32)
    else:
        index = np.searchsorted(classes, labels).astype(np.int32)
        index[index == len(classes)] = 0
    wrong = classes[index] != labels
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataError(
            f"y has the label {label_text(labels[row])} at row {row}, which is not among the classes "
            f"{classes.tolist()}."
        )
    return index


def coded(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The classes, sorted, and the index of each label's class. Whole numbers close together need not be sorted."""
    ranked = _ranked(labels)
    if ranked is not None:
        return np.array(ranked[0]).astype(labels.dtype), ranked[1]
    classes = np.unique(labels)
    return classes, encode(classes, labels)


def _ranked(labels: NDArray[Any]) -> tuple[list[int], NDArray[np.int32]] | None:
    """The same where all labels are whole numbers whose range is short beside their number, else None."""
    wanted = np.int64 if np.can_cast(labels.dtype, np.int64) else np.float64
    if labels.dtype.kind not in "biuf" or not np.can_cast(labels.dtype, wanted) or not len(labels):
        return None
    least, most = labels.min().item(), labels.max().item()
    if most - least >= min(len(labels) // 2, 1024) or abs(least) > 2**52:
        return None
    return native.ranked(np.ascontiguousarray(labels, dtype=wanted), int(least), int(most))


def check_classes(classes: NDArray[Any], name: str = "y") -> None:
    if len(classes) < 2:
        held = f"one class only, {label_text(classes[0])}" if len(classes) else "no class at all"
        raise DataError(f"{name} has {held}: a separator needs at least two classes.")


def given_classes(classes: Any) -> NDArray[Any]:
    """The classes named at the first call of partial_fit, sorted."""
    if classes is None:
        raise DataError("The first call of partial_fit must be given classes, the list of all labels to come.")
    try:
        named = np.atleast_1d(np.asarray(classes))
        missing = first_missing(named)
        if missing is not None:
            raise DataError(
                f"classes has a missing label at position {missing}: {label_text(named[missing])} is no class."
            )
        known = np.unique(named)
    except TypeError as error:
        raise DataError(f"The labels in classes cannot be sorted: {error}.") from None
    return known


def check_weights(sample_weight: Any, rows: int) -> Floats | None:
    """One finite weight of at least 0 per row, or none at all."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Real):
        sample_weight = np.full(rows, sample_weight)
    try:
        weights: Floats = np.ascontiguousarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"sample_weight must hold numbers only: {error}.") from None
    if weights.ndim != 1:
        raise DataError(f"Sample weights must be 1D array or scalar: one per row. Got the shape {weights.shape}.")
    if len(weights) != rows:
        raise DataError(
            f"X has {rows} rows but sample_weight has {len(weights)} weights: they must be the same number."
        )
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataError(f"sample_weight is {weights[row]} at row {row}: a weight must be finite and at least 0.")
    return weights


def class_weights(option: Any, classes: NDArray[Any], labels: NDArray[np.int32] | None) -> Floats:
    """One weight per class. 'balanced' gives every class the same total weight, as scikit-learn does."""
    if option is None:
        return np.ones(len(classes))
    if option == "balanced" and labels is not None:
        counts = np.bincount(labels, minlength=len(classes))
        return len(labels) / (len(classes) * counts)
    unknown = [label for label in option if label not in classes]
    if unknown:
        raise ParameterError(f"class_weight names {label_text(unknown[0])}, which is none of {classes.tolist()}.")
    return np.array([float(option.get(label, 1.0)) for label in classes.tolist()])


def seed_of(random_state: Any) -> int:
    """An int seeds the run as it is; anything else is asked for one."""
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        return int(random_state)
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**63))
    return int(check_random_state(random_state).randint(2**31 - 1))


def split(
    counted: NDArray[np.bool_], labels: NDArray[np.int32], seed: int, fraction: float, patience: int
) -> Validation:
    """Hold out this fraction of every class, at random; rows without weight and lone examples stay in training."""
    order, _ = native.order(seed, len(labels), False)
    held_out = np.zeros(len(labels), dtype=bool)
    for c in range(int(labels.max()) + 1):
        members = order[(labels[order] == c) & counted[order]]
        wanted = min(math.ceil(fraction * len(members)), len(members) - 1)
        held_out[members[: max(wanted, 0)]] = True
    if not held_out.any():
        raise DataError("early_stopping has no example to hold out: every class has one only.")
    return Validation(np.flatnonzero(~held_out).astype(np.uint32), np.flatnonzero(held_out).astype(np.uint32), patience)
