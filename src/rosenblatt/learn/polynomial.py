"""Products of columns: how many there are, their names, and an error for too many.

The products themselves are computed in the native core, a few rows at a time, whenever a row is read. With a degree,
`native.rows_of` reads a matrix as if it had all products of up to that many columns, in the order of scikit-learn's
`PolynomialFeatures(degree, include_bias=False)`, and the expanded matrix is never stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, groupby
from math import comb

from rosenblatt import native
from rosenblatt.errors import DataError, ParameterError, listed, option
from rosenblatt.lazy import NDArray, np
from rosenblatt.records import FeatureSpace

MAX_PRODUCTS = 2**26  # weights of one unit: half a gigabyte


def count(columns: int, degree: int) -> int:
    """How many products of 1 to `degree` columns there are.

    >>> count(2, 2), count(784, 2), count(30, 50)
    (5, 308504, 8871412534840453463007)
    """
    return comb(columns + degree, degree) - 1


def checked_count(columns: int, degree: int) -> int:
    """The same; ParameterError where there are too many to learn."""
    products = count(columns, degree)
    if products > MAX_PRODUCTS and degree > 1:
        raise ParameterError(
            f"degree={degree} makes {products:,} features of {columns:,}; at most {MAX_PRODUCTS:,} can be learned: "
            f"lower the degree, or use KernelPerceptron(kernel='poly', degree={degree}), which never makes them."
        )
    return products


def refuse_sparse(file: str, space: FeatureSpace, degree: int) -> None:
    """A DataError where the rows of a file are sparse: products are made of columns of numbers."""
    features = option("features", f"poly{degree}")
    words = [column for kind in ("words", "texts") for column in space.settings.get(kind, ())]
    if words:
        problem = f"{features} makes products of columns of numbers, and {listed(words)} hold words"
        remedy = (
            f"leave them out with {option('drop', ','.join(words))}, or name pairs of columns with {option('cross')}"
        )
    else:
        problem = f"{features} makes products of the columns of a table of numbers, and these rows are sparse"
        kernel = f"KernelPerceptron(kernel='poly', degree={degree})"
        remedy = f"leave {option('features')} out, or learn them in Python with {kernel}"
    raise DataError(f"{file}: {problem}: {remedy}.", file=file)


def columns_of(features: int, degree: int) -> int:
    """The number of columns that have this many products.

    >>> columns_of(308504, 2)
    784
    """
    low, high = 0, features
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if count(middle, degree) < features else (low, middle)
    return low


def names(columns: Sequence[str], degree: int) -> Iterator[str]:
    """The name of each product, in the order of the columns of the expanded matrix.

    >>> list(names(["a", "b"], 2))
    ['a', 'b', 'a^2', 'a b', 'b^2']
    """
    for k in range(1, degree + 1):
        for product in combinations_with_replacement(columns, k):
            yield product_name(product)


def product_name(product: Sequence[str]) -> str:
    """
    >>> product_name(["a", "a", "b"])
    'a^2 b'
    """
    parts = ((name, len(list(times))) for name, times in groupby(product))
    return " ".join(name if power == 1 else f"{name}^{power}" for name, power in parts)


def product_at(place: int, columns: int, degree: int) -> tuple[int, ...]:
    """The columns whose product is at this position: the inverse of the order above.

    >>> [product_at(place, 2, 2) for place in range(5)]
    [(0,), (1,), (0, 0), (0, 1), (1, 1)]
    """
    factors = 1
    while factors < degree and place >= comb(columns + factors - 1, factors):
        place -= comb(columns + factors - 1, factors)
        factors += 1
    product, first = [], 0
    for left in range(factors, 0, -1):
        while place >= (beginning := comb(columns - first + left - 2, left - 1)):
            place -= beginning
            first += 1
        product.append(first)
    return tuple(product)


def squared_length(values: NDArray[np.floating], degree: int) -> NDArray[np.float64]:
    """Of each row's products: the sum of their squares, which is that of the symmetric polynomials h_1 to h_degree of
    the squares; by Newton's identity k h_k = sum over i of p_i h_(k-i), p_i being the sum of the i-th powers.

    >>> squared_length(np.array([[2.0, 3.0]]), 2).tolist()  # 4 + 9 + 16 + 36 + 81
    [146.0]
    """
    squares = np.square(values, dtype=np.float64)
    powers = [np.power(squares, i).sum(axis=1) for i in range(1, degree + 1)]
    h = [np.ones(len(values))]
    for k in range(1, degree + 1):
        h.append(sum((powers[i - 1] * h[k - i] for i in range(1, k + 1)), np.zeros(len(values))) / k)
    total: NDArray[np.float64] = np.sum(h[1:], axis=0)
    return total


def expand(values: NDArray[np.floating], degree: int) -> NDArray[np.float64]:
    """The expanded matrix, as the native core computes it.

    >>> expand(np.array([[2.0, 3.0]]), 2).tolist()
    [[2.0, 3.0, 4.0, 6.0, 9.0]]
    """
    features = checked_count(values.shape[1], degree)
    rows = native.rows_of(values, degree=degree)
    return native.scores(rows, None, np.eye(features), np.zeros(features))


def products_of(row: NDArray[np.floating], degree: int) -> NDArray[np.float64]:
    """The products of one row, without an expanded matrix.

    >>> products_of(np.array([2.0, 3.0]), 2).tolist()
    [2.0, 3.0, 4.0, 6.0, 9.0]
    """
    columns = len(row)
    checked_count(columns, degree)
    levels = [np.asarray(row, dtype=np.float64)]
    for factors in range(2, degree + 1):
        # column i times the products of one factor less that begin with it or with a later one
        tails = [comb(columns - i + factors - 2, factors - 1) for i in range(columns)]
        before = levels[-1]
        levels.append(np.concatenate([row[i] * before[len(before) - tails[i] :] for i in range(columns)]))
    return np.concatenate(levels)
