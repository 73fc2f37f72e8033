"""L-BFGS (Nocedal 1980), with sums whose order does not depend on the number of threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rosenblatt.lazy import np
from rosenblatt.records import Floats

_PAIRS = 8  # stored differences of points and gradients
_SUFFICIENT, _CURVATURE = 1e-4, 0.9
_TRIES = 12  # of step lengths

Evaluate = Callable[[Floats], tuple[float, Floats]]  # the value and the gradient


def minimise(evaluate: Evaluate, x: Floats, iterations: int) -> Iterator[Floats]:
    """Each better point in turn; ends early if no step makes the value smaller.

    >>> *_, x = minimise(lambda x: (float(((x - 3) ** 4).sum()), 4 * (x - 3) ** 3), np.zeros(2), 60)
    >>> bool(np.abs(x - 3).max() < 0.01)
    True
    """
    value, gradient = evaluate(x)
    pairs: list[tuple[Floats, Floats, float]] = []
    for _ in range(iterations):
        direction = -_inverse_hessian_times(gradient, pairs)
        slope = dot(gradient, direction)
        if not slope < 0:
            return
        length = 1.0 if pairs else 1.0 / max(dot(gradient, gradient) ** 0.5, 1e-300)
        step = _step(evaluate, x, value, slope, direction, length)
        if step is None:
            return
        length, value, after = step
        difference, change = length * direction, after - gradient
        curvature = dot(difference, change)
        if curvature > 1e-12 * dot(change, change):
            pairs = [*pairs, (difference, change, curvature)][-_PAIRS:]
        x, gradient = x + difference, after
        yield x


def _step(
    evaluate: Evaluate, x: Floats, value: float, slope: float, direction: Floats, length: float
) -> tuple[float, float, Floats] | None:
    """A step length that satisfies the Wolfe conditions, found by bisection, with its value and gradient; None if no
    step lowers the value."""
    low, high = 0.0, np.inf
    best: tuple[float, float, Floats] | None = None
    for _ in range(_TRIES):
        new, gradient = evaluate(x + length * direction)
        if not new <= value + _SUFFICIENT * length * slope:
            high = length
        else:
            best = length, new, gradient
            if dot(gradient, direction) >= _CURVATURE * slope:
                return best
            low = length
        length = (low + high) / 2 if high < np.inf else 2 * length
    return best


def _inverse_hessian_times(gradient: Floats, pairs: list[tuple[Floats, Floats, float]]) -> Floats:
    """The two-loop recursion of Nocedal."""
    direction, factors = gradient, []
    for difference, change, curvature in reversed(pairs):
        factors.append(dot(difference, direction) / curvature)
        direction = direction - factors[-1] * change
    if pairs:
        _, change, curvature = pairs[-1]
        direction = direction * (curvature / dot(change, change))
    for (difference, change, curvature), factor in zip(pairs, reversed(factors), strict=True):
        direction = direction + (factor - dot(change, direction) / curvature) * difference
    return direction


def dot(a: Floats, b: Floats) -> float:
    """Without BLAS, whose order of summation depends on its number of threads."""
    return float(np.add.reduce(a * b))
