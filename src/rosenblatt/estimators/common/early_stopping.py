"""Which rows early stopping holds out of training."""

import math

import numpy as np
from numpy.typing import NDArray

from rosenblatt import native
from rosenblatt.errors import DataError
from rosenblatt.learn.run import Validation


def hold_out(
    has_weight: NDArray[np.bool_], labels: NDArray[np.int32], seed: int, fraction: float, patience: int
) -> Validation:
    """Hold out this fraction of every class at random, but no row of weight 0 and not the only row of a class."""
    order, _ = native.random_order(seed, len(labels), False)
    held_out = np.zeros(len(labels), dtype=bool)
    for c in range(int(labels.max()) + 1):
        members = order[(labels[order] == c) & has_weight[order]]
        n_held_out = min(math.ceil(fraction * len(members)), len(members) - 1)
        held_out[members[: max(n_held_out, 0)]] = True
    if not held_out.any():
        reason = "every class has only one" if labels.any() else "there is only one"
        raise DataError(
            f"early_stopping has no example to hold out, because {reason}: add examples, or set early_stopping=False."
        )
    return Validation(np.flatnonzero(~held_out).astype(np.uint32), np.flatnonzero(held_out).astype(np.uint32), patience)
