"""Kernel values between rows and support examples, a block at a time, as one matrix product.

The product is made in the type of the rows: float32 rows give float32 kernel values at twice the speed. Sums of kernel
values are float64 in every case.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import DataError
from rosenblatt.learn.votes import take
from rosenblatt.records import Csr, Values


@dataclass(frozen=True)
class Kernel:
    """k(x, z): x.z (linear), (gamma x.z + coef0)^degree (poly), exp(-gamma |x - z|^2) (rbf), a function, or a table."""

    name: str
    degree: int = 1
    gamma: float = 1.0
    coef0: float = 0.0
    function: Callable[[Any, Any], Any] | None = None

    def support(self, values: Values, rows: NDArray[np.intp]) -> Values:
        """What must be kept of some rows so that others can be compared with them; of a table, which columns."""
        return rows if self.name == "precomputed" else take(values, rows)

    def between(self, support: Values, values: Values) -> NDArray[Any]:
        """One line for each support example, one column for each row."""
        if self.name == "precomputed":
            assert not isinstance(values, Csr)
            return np.ascontiguousarray(values[:, support].T)
        if self.function is not None:
            return self._called(support, values)
        found = _inner(support, values)
        if self.name == "poly":
            if self.gamma != 1:
                found *= self.gamma
            found += self.coef0
            return _power(found, self.degree)
        if self.name == "rbf":
            # |x - z|^2 = |x|^2 + |z|^2 - 2 x.z, which rounding can make a little less than 0
            found *= -2
            found += _squares(support)[:, None]
            found += _squares(values)
            np.maximum(found, 0, out=found)
            found *= -self.gamma
            np.exp(found, out=found)
        return found

    def _called(self, support: Values, values: Values) -> NDArray[Any]:
        assert self.function is not None
        name = getattr(self.function, "__name__", "function")
        found = np.asarray(self.function(_plain(values), _plain(support)))
        wanted = (values.shape[0], support.shape[0])
        if found.shape != wanted or found.dtype.kind not in "biuf":
            shown = f"the shape {found.shape}" if found.dtype.kind in "biuf" else f"values of type {found.dtype}"
            raise DataError(
                f"The kernel {name} returned {shown} for {wanted[0]} and {wanted[1]} rows: "
                f"kernel(X, Z) must return numbers in the shape (rows of X, rows of Z), here {wanted}."
            )
        if found.dtype.kind == "f" and not np.isfinite(found).all():
            row, column = np.argwhere(~np.isfinite(found))[0]
            raise DataError(
                f"The kernel {name} returned {found[row, column]} between row {row} and row {column} of what it was "
                "given: every kernel value must be finite."
            )
        return np.ascontiguousarray(found.T, dtype=np.float32 if found.dtype == np.float32 else np.float64)


def _power(base: NDArray[Any], exponent: int) -> NDArray[Any]:
    """base^exponent by squaring, in place: exact where the powers are whole numbers that a float can hold."""
    result: NDArray[Any] | None = None
    while True:
        if exponent & 1:
            if exponent == 1:
                return base if result is None else np.multiply(result, base, out=result)
            result = base.copy() if result is None else np.multiply(result, base, out=result)
        exponent >>= 1
        with np.errstate(over="ignore"):  # what overflows is refused where the scores are made
            base *= base


def _inner(support: Values, values: Values) -> NDArray[Any]:
    if isinstance(support, Csr) or isinstance(values, Csr):
        found = _plain(support) @ _plain(values).T
        return np.ascontiguousarray(found if isinstance(found, np.ndarray) else found.toarray())
    product: NDArray[Any] = support @ values.T
    return product


def _squares(values: Values) -> NDArray[Any]:
    if isinstance(values, Csr):
        matrix = _plain(values)
        return np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
    squares: NDArray[Any] = np.einsum("ij,ij->i", values, values)
    return squares


def _plain(values: Values) -> Any:
    """As numpy or scipy know it."""
    if not isinstance(values, Csr):
        return values
    from scipy.sparse import csr_array

    return csr_array((values.values, values.indices, values.indptr), shape=values.shape)
