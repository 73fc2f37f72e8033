"""Checks of the arrays that users pass, shared by estimators, certificates and the native rows."""

from __future__ import annotations

from typing import Any

from rosenblatt.available_cores import core_count
from rosenblatt.errors import DataError
from rosenblatt.lazy import NDArray, np


def not_finite(name: str, kind: str, row: int, column: int) -> DataError:
    """The error for a value that is 'NaN' or 'infinity'."""
    advice = "Fill in or drop missing values first." if kind == "NaN" else "Every value must be finite."
    return DataError(f"Input {name} contains {kind} at row {row}, column {column}. {advice}")


def all_weights_zero(kind: str) -> DataError:
    """The error for weights of which none counts, 'Sample' or 'Class' weights."""
    return DataError(f"{kind} weights must not all be zero: there would be nothing to learn from.")


def check_labels_complete(labels: NDArray[Any], n_rows: int) -> None:
    """Raise DataError unless every row has a label."""
    if len(labels) != n_rows:
        raise DataError(f"X has {n_rows} rows but y has {len(labels)} labels: they must be the same number.")
    row = first_missing(labels)
    if row is not None:
        raise DataError(
            f"Input y contains a missing label at row {row}: {label_text(labels[row])} is not a class. "
            "Drop the rows without a label, or give them one."
        )


def first_missing(labels: NDArray[Any]) -> int | None:
    """The position of the first label that is None, NaN, infinite or NaT."""
    if labels.dtype.kind == "f":
        missing = ~np.isfinite(labels)
    elif labels.dtype.kind == "O":
        missing = np.array([_is_missing(label) for label in labels], dtype=bool)
    elif labels.dtype.kind in "mM":
        missing = np.isnat(labels)
    else:
        return None
    return int(np.argmax(missing)) if missing.any() else None


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)
    except TypeError:  # comparing pandas' NA gives NA, which has no truth value
        return True


def label_text(label: Any) -> str:
    """A label as its user would write it: 2, not np.int64(2)."""
    return repr(plain_label(label))


def plain_label(label: Any) -> Any:
    """A label as a Python object instead of a numpy scalar."""
    return label.item() if hasattr(label, "item") else label


def json_label(label: Any) -> str | int | float:
    """A label as JSON can hold it."""
    plain = plain_label(label)
    return plain if isinstance(plain, str | int | float) else str(plain)


def thread_count(n_jobs: int | None) -> int:
    """How many threads n_jobs means: None and -1 all cores, -2 all but one; None in a worker of joblib is one."""
    if n_jobs is None:
        return 1 if _is_joblib_worker() else core_count()
    return int(n_jobs) if n_jobs > 0 else max(1, core_count() + 1 + int(n_jobs))


def _is_joblib_worker() -> bool:
    """Whether joblib runs this beside others, as in a grid search: then the cores are taken already."""
    try:
        from joblib.parallel import get_active_backend
    except ImportError:
        return False
    return bool(get_active_backend()[0].nesting_level)
