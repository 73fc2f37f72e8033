"""Rows whose hulls have a common point, by a linear program in floats: HiGHS finds a vertex, and so few rows.

The program: find weights of at least 0, with sum 1, so that sum weight * y * (x, 1) = 0. Wolfe's algorithm comes close
to such weights, but where the hulls barely overlap it may stall before it has the last of the rows.
"""

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificates.points.points import Points, to_floats
from rosenblatt.certificates.search.hull_search import SearchMonitor
from rosenblatt.records import Csr

_WITHOUT_WEIGHT = 1e-12
_LONGEST = 600.0  # seconds


def rows_with_common_point(points: Points, rows: NDArray[np.intp], monitor: SearchMonitor) -> NDArray[np.intp]:
    """Some of these rows, which in exact arithmetic may prove that the classes touch; no rows where floats fail."""
    from scipy import sparse
    from scipy.optimize import linprog

    values, signs = points.take(rows), points.signs[rows].astype(np.float64)
    if isinstance(values, Csr):
        matrix = sparse.csr_array((to_floats(values.values), values.indices, values.indptr), shape=values.shape)
    else:
        matrix = sparse.csr_array(to_floats(values))
    matrix = matrix[:, np.unique(matrix.indices)]
    largest = abs(matrix).max(axis=0).toarray().reshape(-1)
    with np.errstate(all="ignore"):
        matrix.data /= largest[matrix.indices]
    if not np.isfinite(matrix.data).all():
        return rows[:0]
    balance = matrix.multiply(signs[:, None]).T
    conditions = sparse.vstack([balance, sparse.csr_array(np.stack([signs, np.ones(len(rows))]))], format="csc")
    sums = np.zeros(conditions.shape[0])
    sums[-1] = 1.0
    seconds = min(_LONGEST, monitor.seconds_left)
    program = linprog(
        np.zeros(len(rows)), A_eq=conditions, b_eq=sums, method="highs-ds", options={"time_limit": seconds}
    )
    return rows[:0] if program.x is None else rows[program.x > _WITHOUT_WEIGHT]
