"""Kernel values between support examples and rows, a block of rows at a time.

They are computed in the type of the rows (float32 rows cost half) and summed in float64. Rows with many zeros use the
native products, which skip zeros and sum in one fixed order; rows with few use BLAS.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from rosenblatt import native
from rosenblatt.available_cores import core_count
from rosenblatt.errors import DataError, LearningOverflowError
from rosenblatt.lazy import NDArray, np
from rosenblatt.readers.block_rows import take_rows
from rosenblatt.records import Csr, Values

THREADS = core_count()
_NARROW = 4096  # sparse rows with no more features than this are made dense


@dataclass(frozen=True)
class Kernel:
    """k(x, z): x.z (linear), (gamma x.z + coef0)^degree (poly), exp(-gamma |x - z|^2) (rbf), a function, or a table."""

    name: str
    degree: int = 1
    gamma: float = 1.0
    coef0: float = 0.0
    function: Callable[[Any, Any], Any] | None = None
    skips_zeros: bool = False

    def suited_to(self, values: Values) -> Kernel:
        """The same kernel, its products chosen by how many of the values are zero."""
        if self.name not in ("linear", "poly", "rbf") or (values.shape[1] > _NARROW and isinstance(values, Csr)):
            return self
        stored = values.indptr[-1] - values.indptr[0] if isinstance(values, Csr) else np.count_nonzero(values)
        return replace(self, skips_zeros=bool(2 * stored < values.shape[0] * values.shape[1]))

    def refuse_large(self, values: Values) -> None:
        """No kernel value can be larger than the largest k(x, x) (Cauchy and Schwarz), so only these are checked."""
        if self.name not in ("linear", "poly"):
            return
        gamma, coef0, degree = self.power if self.name == "poly" else (1.0, 0.0, 1)
        stored = values.values if isinstance(values, Csr) else values
        bits = 120 if stored.dtype == np.float32 else 960

        def too_large(square: float) -> bool:
            return degree * math.log2(max(gamma * square + coef0, 1.0)) > bits

        top = max(float(stored.max(initial=0.0)), -float(stored.min(initial=0.0)))
        if top < 2.0**400 and not too_large(values.shape[1] * top * top):  # nearly always, and a quick check
            return
        squares = _squares(values, np.float64)
        row = int(np.argmax(squares))
        if too_large(float(squares[row])):
            raise overflow_error(row)

    def take(self, values: Values, rows: NDArray[np.intp]) -> Values:
        """Some rows, in the layout in which they are compared."""
        selected = take_rows(values, rows)
        if isinstance(selected, Csr) and selected.features <= _NARROW and self.function is None:
            return np.ascontiguousarray(_plain(selected).toarray())
        return selected if isinstance(selected, Csr) else np.ascontiguousarray(selected)

    def support(self, values: Values, rows: NDArray[np.intp]) -> Values:
        """What must be stored of some rows to compare others with them; of a precomputed kernel, the columns."""
        return rows if self.name == "precomputed" else self.take(values, rows)

    @property
    def power(self) -> tuple[float, float, int]:
        """What the native products apply to an inner product: gamma, coef0 and degree; degree 0 leaves it unchanged."""
        return (self.gamma, self.coef0, self.degree) if self.name == "poly" else (1.0, 0.0, 0)

    def among(self, values: Values) -> NDArray[Any]:
        """The kernel values of some rows with each other."""
        if not self.skips_zeros:
            return self.between(values, values)
        assert not isinstance(values, Csr)
        panel = new_panel(values)
        panel.extend(values)
        return self.through(panel, values, lambda: values)

    def through(self, panel: Any, values: NDArray[Any], support: Callable[[], Values]) -> NDArray[Any]:
        """One line for each support example in the panel, one column for each row."""
        products: NDArray[Any] = panel.products(values, 0, *self.power, THREADS)
        return self._rbf_of_products(products, support(), values) if self.name == "rbf" else products

    def between(self, support: Values, values: Values) -> NDArray[Any]:
        """The same where the support examples are plain rows."""
        if self.name == "precomputed":
            assert not isinstance(values, Csr)
            assert not isinstance(support, Csr)
            return np.ascontiguousarray(values[:, support].T)
        if self.function is not None:
            return self._call_function(support, values)
        products = _inner(support, values)
        if self.name == "rbf":
            return self._rbf_of_products(products, support, values)
        if self.name == "poly":
            products *= self.gamma
            products += self.coef0
            return _power(products, self.degree)
        return products

    def _rbf_of_products(self, products: NDArray[Any], support: Values, values: Values) -> NDArray[Any]:
        """|x - z|^2 = |x|^2 + |z|^2 - 2 x.z, which rounding can make a little less than 0."""
        products *= -2
        products += _squares(support)[:, None]
        products += _squares(values)
        np.maximum(products, 0, out=products)
        products *= -self.gamma
        with np.errstate(under="ignore"):
            np.exp(products, out=products)
        return products

    def _call_function(self, support: Values, values: Values) -> NDArray[Any]:
        assert self.function is not None
        name = getattr(self.function, "__name__", "function")
        result = np.asarray(self.function(_plain(values), _plain(support)))
        expected = (values.shape[0], support.shape[0])
        if result.shape != expected or result.dtype.kind not in "biuf":
            shown = f"the shape {result.shape}" if result.dtype.kind in "biuf" else f"values of type {result.dtype}"
            raise DataError(
                f"The kernel {name} returned {shown} for {expected[0]} and {expected[1]} rows: "
                f"kernel(X, Z) must return numbers in the shape (rows of X, rows of Z), here {expected}."
            )
        if result.dtype.kind == "f" and not np.isfinite(result).all():
            row, column = np.argwhere(~np.isfinite(result))[0]
            raise DataError(
                f"The kernel {name} returned {result[row, column]} between row {row} and row {column} of its "
                "arguments: every kernel value must be finite."
            )
        return np.ascontiguousarray(result.T, dtype=np.float32 if result.dtype == np.float32 else np.float64)


def overflow_error(row: int) -> LearningOverflowError:
    return LearningOverflowError(
        f"The kernel values of row {row} of X overflow: scale the features, or lower degree, gamma or coef0."
    )


def new_panel(values: NDArray[Any]) -> Any:
    """An empty store of support examples for the native products, in the type of these rows."""
    panel = native.SinglePanel if values.dtype == np.float32 else native.Panel
    return panel(values.shape[1])


def _power(base: NDArray[Any], exponent: int) -> NDArray[Any]:
    """base^exponent by squaring, in place: exact where the powers are whole numbers that a float can hold."""
    result: NDArray[Any] | None = None
    with np.errstate(over="ignore", under="ignore"):  # overflow is reported when the scores are computed
        while True:
            if exponent & 1:
                if exponent == 1:
                    return base if result is None else np.multiply(result, base, out=result)
                result = base.copy() if result is None else np.multiply(result, base, out=result)
            exponent >>= 1
            base *= base


def _inner(support: Values, values: Values) -> NDArray[Any]:
    if isinstance(support, Csr) or isinstance(values, Csr):
        products = _plain(support) @ _plain(values).T
        return np.ascontiguousarray(products if isinstance(products, np.ndarray) else products.toarray())
    product: NDArray[Any] = support @ values.T
    return product


def _squares(values: Values, dtype: Any = None) -> NDArray[Any]:
    if isinstance(values, Csr):
        matrix = _plain(values).astype(dtype or values.values.dtype)
        return np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
    with np.errstate(over="ignore"):
        squares: NDArray[Any] = np.einsum("ij,ij->i", values, values, dtype=dtype)
    return squares


def _plain(values: Values) -> Any:
    """The rows as a numpy array or a scipy matrix."""
    if not isinstance(values, Csr):
        return values
    from scipy.sparse import csr_array

    return csr_array((values.values, values.indices, values.indptr), shape=values.shape)
