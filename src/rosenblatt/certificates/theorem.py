"""The convergence theorem (Novikoff 1962) on the user's data: the bound on the mistakes, and both halves of its proof.

With w* the unit normal of the widest margin g in the space of (x, 1), and R the longest (x, 1): after k mistakes from
w = 0, w_k.w* >= k g because each mistake adds at least g, and |w_k|^2 <= k R^2 because each adds at most R^2.
So k g <= |w_k| <= sqrt(k) R, and k <= (R / g)^2.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import options
from rosenblatt.certificates import figures_hook
from rosenblatt.certificates.certificate import Separable
from rosenblatt.certificates.certify import certify_points
from rosenblatt.certificates.points.check_input import check_points
from rosenblatt.certificates.points.points import Points
from rosenblatt.certificates.search.hull_search import SearchMonitor
from rosenblatt.certificates.verify import as_floats
from rosenblatt.errors import DataError
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Block, Csr, Floats


@dataclass(frozen=True, eq=False)
class TheoremRun:
    """A run and the bounds of the proof after each mistake; `status` says how the run ended."""

    k: NDArray[np.intp]
    progress: Floats  # w_k . w*
    progress_bound: Floats  # k g
    norm_squared: Floats  # |w_k|^2
    norm_bound: Floats  # k R^2
    radius: float
    margin: float
    mistake_bound: float
    mistakes: int
    status: str

    @property
    def holds(self) -> bool:
        """Whether both inequalities hold at every step, up to rounding, and so does the bound on the mistakes."""
        slack = 1e-9 * (1 + np.abs(self.progress_bound)), 1e-9 * (1 + self.norm_bound)
        return bool(
            (self.progress >= self.progress_bound - slack[0]).all()
            and (self.norm_squared <= self.norm_bound + slack[1]).all()
            and self.mistakes <= self.mistake_bound
        )

    def plot(self, ax: Any = None, *, theme: str = "light") -> Any:
        """Draw both inequalities along the run."""
        return figures_hook.load_figures().plot_inequalities(self, ax, theme=theme)


@options.described_by({"order": options.order, "max_iter": options.max_iter})
def theorem_run(
    X: Any,
    y: Any,
    *,
    order: str = options.order.default,
    max_iter: int = 1000,
    random_state: int = 0,
    certificate: Separable | None = None,
) -> TheoremRun:
    """Run Rosenblatt's rule on separable examples, and compare every step with the two inequalities of the proof.

    Parameters
    ----------
    X : array or sparse matrix
        The examples, a row each.
    y : array
        Their labels, of two classes.
    random_state : int, default=0
        The seed of a shuffled order.
    certificate : Separable, optional
        The answer of `certify(X, y)`, where it is known already.

    Returns
    -------
    TheoremRun
        The mistakes, their bound (R/γ)², and both sides of each inequality after each mistake.

    Examples
    --------
    >>> run = theorem_run([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1], order="given")
    >>> run.mistakes, round(run.mistake_bound), run.status, run.holds
    (18, 51, 'separated', True)
    """
    options.check("theorem_run", {"order": order, "max_iter": max_iter}, options.LEARNER)
    points = check_points(X, y)
    answer = certify_points(points, SearchMonitor()) if certificate is None else certificate
    if not isinstance(answer, Separable):
        raise DataError(
            "No hyperplane separates the classes, so there is no margin and no bound on the mistakes: "
            "certify(X, y) gives the proof."
        )
    values = _float_values(points)
    run = Run(Settings(order=order, keep="last", record=True), points.n_features, np.ones(2), random_state)
    run.fit(Block(values, (points.signs > 0).astype(np.int32)), max_iter)
    trace = run.summary.mistake_log
    assert trace is not None
    return _compare_with_bounds(points, answer, trace.row.astype(np.intp), run.status)


def _float_values(points: Points) -> NDArray[Any] | Csr:
    values = points.values
    if isinstance(values, Csr):
        return Csr(values.indptr, values.indices, as_floats(values.values), values.features)
    return values if values.dtype == np.float32 else as_floats(values)


def _compare_with_bounds(points: Points, answer: Separable, rows: NDArray[np.intp], status: str) -> TheoremRun:
    """The weights after each update, recomputed from the rows of the mistakes, beside the bounds."""
    w_star = as_floats(np.append(answer.augmented.w, answer.augmented.b))
    w_star /= np.linalg.norm(w_star)
    k, steps = np.arange(len(rows) + 1), np.arange(len(rows) + 1, dtype=np.float64)
    w = np.zeros(points.n_features + 1)
    progress, norms = np.zeros(len(k)), np.zeros(len(k))
    for step, row in enumerate(rows.tolist(), start=1):
        columns, numbers = _augmented_row(points, row)
        update = points.signs[row] * numbers
        progress[step] = progress[step - 1] + update @ w_star[columns]
        norms[step] = norms[step - 1] + update @ (2 * w[columns] + update)
        w[columns] += update
    margin, radius = answer.augmented.margin, answer.radius
    return TheoremRun(
        k, progress, steps * margin, norms, steps * radius**2, radius, margin, answer.mistake_bound, len(rows), status
    )


def _augmented_row(points: Points, row: int) -> tuple[Any, Floats]:
    """The columns and numbers of (x, 1)."""
    if isinstance(points.values, Csr):
        part = slice(int(points.values.indptr[row]), int(points.values.indptr[row + 1]))
        columns = np.append(points.values.indices[part], points.n_features)
        return columns, np.append(as_floats(points.values.values[part]), 1.0)
    return slice(None), np.append(as_floats(points.values[row]), 1.0)
