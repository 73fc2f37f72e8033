"""X, y and the other arguments as users pass them -> what a learner takes; anything unusable raises DataError."""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from rosenblatt import native
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.input_checks import check_labels_complete, first_missing, label_text
from rosenblatt.readers.number_targets import LARGEST
from rosenblatt.records import Csr, Floats, Values


def check_values(estimator: Any, X: Any, *, reset: bool, any_number: bool = False) -> Values:
    """X as float rows, or as rows of `any_number`, without copying where possible; unless `reset`, its features must be
    those of the model."""
    if not reset and _needs_no_check(estimator, X):
        return X  # type: ignore[no-any-return]
    dtype = "numeric" if any_number else [np.float64, np.float32]
    try:
        X = validate_data(estimator, X, reset=reset, accept_sparse="csr", dtype=dtype, ensure_all_finite=False)
    except (ValueError, OverflowError) as error:
        text = _first_text(X)
        if text is not None:
            row, column, value = text
            raise DataError(
                f"X contains text at row {row}, column {column}: {value!r} is not a number. Encode words as numbers, "
                "or use LinearSeparator, which reads them."
            ) from error
        if isinstance(error, OverflowError):
            raise DataError(f"X contains a number too large for a float: {error}.") from error
        raise
    return _rows(X)


def check_features(X: Any) -> Values:
    """X as rows of numbers, not compared with the columns of any fitted estimator."""
    return _rows(check_array(X, accept_sparse="csr", dtype="numeric", ensure_all_finite=False))


def _rows(X: Any) -> Values:
    if not issparse(X):
        return X  # type: ignore[no-any-return]
    if len(X.indptr) != X.shape[0] + 1:
        raise DataError(f"The sparse X has {X.shape[0]} rows, but its indptr is for {len(X.indptr) - 1}.")
    return Csr(X.indptr, X.indices, X.data, X.shape[1])


def _needs_no_check(estimator: Any, X: Any) -> bool:
    """Whether X is a float array of the right width: a fast path, for most calls of an online learner."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in (np.float64, np.float32)
        and X.shape[1] == getattr(estimator, "n_features_in_", -1)
        and len(X) > 0
        and not hasattr(estimator, "feature_names_in_")
    )


def _first_text(X: Any) -> tuple[int, int, Any] | None:
    """The row, column and value of the first text that is not a number."""
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


def check_labels(y: Any, n_rows: int) -> NDArray[Any]:
    """y as one label per row, none of them missing."""
    labels: NDArray[Any] = y if type(y) is np.ndarray and y.ndim == 1 else column_or_1d(y, warn=True)
    check_labels_complete(labels, n_rows)
    if labels.dtype.kind not in "biuUS" and _encode_small_integers(labels) is None:
        check_classification_targets(labels)
    return labels


def check_targets(y: Any, n_rows: int) -> Floats:
    """y as one number per row, finite and small enough that its square is finite too."""
    column = y if type(y) is np.ndarray and y.ndim == 1 else column_or_1d(y, warn=True)
    if len(column) != n_rows:
        raise DataError(f"X has {n_rows} rows but y has {len(column)} targets: they must be the same number.")
    if column.dtype.kind not in "biuf":
        column = _numbers_in(column)
    targets: Floats = np.ascontiguousarray(column, dtype=np.float64)
    wrong = ~(np.abs(targets) <= LARGEST)
    if not wrong.any():
        return targets
    row = int(np.argmax(wrong))
    if np.isnan(targets[row]):
        raise DataError(f"Input y contains NaN at row {row}: drop the rows without a target, or give them one.")
    if np.isinf(targets[row]):
        raise DataError(f"Input y contains infinity at row {row}: every target must be finite.")
    raise DataError(
        f"y is {targets[row]:g} at row {row}, and a target must lie between -1e100 and 1e100: give it in a larger unit."
    )


def _numbers_in(column: NDArray[Any]) -> Floats:
    """A column of text or objects as floats; the first value that is not a number raises DataError."""
    if column.dtype.kind == "c":
        raise DataError("Complex data not supported: y must hold real numbers.")
    if column.dtype.kind in "mM":
        raise DataError("y holds dates or durations: subtract a date, and divide by a unit such as one day.")
    for row, value in enumerate(column.tolist()):
        try:
            float(value)
        except OverflowError:
            raise DataError(f"y is too large for a float at row {row}.") from None
        except (TypeError, ValueError):
            raise DataError(
                f"y is {value!r} at row {row}, which is not a number: drop the row, or use a classifier for labels."
            ) from None
    return column.astype(np.float64)


def encode_as(classes: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.int32]:
    """The index of each label in `classes`; a label that is not among them raises DataError."""
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
            f"{classes.tolist()} of this run: name all classes in the first call of partial_fit, or call fit."
        )
    return index


def encode(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The classes, sorted, and the index of each label among them."""
    encoded = _encode_small_integers(labels)
    if encoded is not None:
        return np.array(encoded[0]).astype(labels.dtype), encoded[1]
    classes = np.unique(labels)
    return classes, encode_as(classes, labels)


def _encode_small_integers(labels: NDArray[Any]) -> tuple[list[int], NDArray[np.int32]] | None:
    """What `encode` returns, without sorting, if all labels are integers in a range much shorter than y; else None."""
    dtype = np.int64 if np.can_cast(labels.dtype, np.int64) else np.float64
    if labels.dtype.kind not in "biuf" or not np.can_cast(labels.dtype, dtype) or not len(labels):
        return None
    least, most = labels.min().item(), labels.max().item()
    if most - least >= min(len(labels) // 2, 1024) or abs(least) > 2**52:
        return None
    return native.number_labels(np.ascontiguousarray(labels, dtype=dtype), int(least), int(most))


def check_two_classes(classes: NDArray[Any], name: str = "y") -> None:
    """Raise DataError unless there are at least two classes."""
    if len(classes) < 2:
        content = f"one class only, {label_text(classes[0])}" if len(classes) else "no class at all"
        raise DataError(f"{name} has {content}: a separator needs at least two classes.")


def check_class_list(classes: Any) -> NDArray[Any]:
    """The argument `classes` of partial_fit as an array, sorted."""
    if classes is None:
        raise DataError("The first call of partial_fit needs classes=, the list of all labels to come.")
    try:
        labels = np.atleast_1d(np.asarray(classes))
        missing = first_missing(labels)
        if missing is not None:
            raise DataError(
                f"classes has a missing label at position {missing}: {label_text(labels[missing])} is not a class."
            )
        return np.unique(labels)
    except TypeError as error:
        raise DataError(f"The labels in classes cannot be sorted: {error}.") from None


def check_weights(sample_weight: Any, n_rows: int) -> Floats | None:
    """One finite weight of at least 0 per row; None means that all count the same."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n_rows, sample_weight)
    try:
        weights: Floats = np.ascontiguousarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"sample_weight must hold numbers only: {error}.") from None
    if weights.ndim != 1:
        raise DataError(f"Sample weights must be 1D array or scalar: one per row. Got the shape {weights.shape}.")
    if len(weights) != n_rows:
        raise DataError(
            f"X has {n_rows} rows but sample_weight has {len(weights)} weights: they must be the same number."
        )
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataError(f"sample_weight is {weights[row]} at row {row}: a weight must be finite and at least 0.")
    return weights


def class_weights(class_weight: Any, classes: NDArray[Any], encoded: NDArray[np.int32] | None) -> Floats:
    """One weight per class. 'balanced' gives every class the same total weight, as scikit-learn does."""
    if class_weight is None:
        return np.ones(len(classes))
    if class_weight == "balanced" and encoded is not None:
        counts = np.bincount(encoded, minlength=len(classes))
        return len(encoded) / (len(classes) * counts)
    unknown = [label for label in class_weight if label not in classes]
    if unknown:
        raise ParameterError(
            f"class_weight has the label {label_text(unknown[0])}, which is not one of the classes {classes.tolist()}."
        )
    return np.array([float(class_weight.get(label, 1.0)) for label in classes.tolist()])


def seed_from(random_state: Any) -> int:
    """The seed of a run: an int itself, or a number drawn from a generator."""
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        return int(random_state)
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**63))
    return int(check_random_state(random_state).randint(2**31 - 1))
