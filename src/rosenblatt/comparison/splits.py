"""The folds on which all methods are compared."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from rosenblatt.errors import DataError, option

Splits: TypeAlias = list[tuple[NDArray[np.intp], NDArray[np.intp]]]


def stratified_splits(X: Any, y: NDArray[Any], folds: int, seed: int) -> Splits:
    """The training and test rows of each fold; every class must have a row in each fold."""
    smallest = int(np.unique(y, return_counts=True)[1].min())
    if not 2 <= folds <= smallest:
        raise DataError(
            f"{option('folds', folds)} needs as many rows of every class, and the smallest class has {smallest}: "
            "choose fewer folds, or add rows."
        )
    return list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(X, y))
