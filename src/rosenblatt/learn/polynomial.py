"""Products of columns: how many there are, what they are called, and the refusal of too many.

The products themselves are made in the core, a few rows at a time, whenever a row is read: `native.rows_of` with a
degree reads a matrix as if all products of up to so many columns stood in it, in the order of scikit-learn's
`PolynomialFeatures(degree, include_bias=False)`, and the expanded matrix is never written out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, groupby
from math import comb
from typing import TYPE_CHECKING

from rosenblatt import native
from rosenblatt.errors import ParameterError
from rosenblatt.lazy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST = 2**26  # weights of one unit: half a gigabyte


def count(columns: int, degree: int) -> int:
    """How many products of 1 to `degree` columns there are.

    >>> count(2, 2), count(784, 2), count(30, 50)
    (5, 308504, 8871412534840453463007)
    """
    return comb(columns + degree, degree) - 1


def checked_count(columns: int, degree: int) -> int:
    """The same, where so many can be learned; ParameterError names the number where they cannot."""
    found = count(columns, degree)
    if found > MOST and degree > 1:
        raise ParameterError(
            f"degree={degree} makes {found:,} features of {columns:,}; at most {MOST:,} can be learned: lower the "
            f"degree, or use KernelPerceptron(kernel='poly', degree={degree}), which never makes them."
        )
    return found


def columns_of(features: int, degree: int) -> int:
    """The number of columns whose products are so many.

    >>> columns_of(308504, 2)
    784
    """
    low, high = 0, features
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if count(middle, degree) < features else (low, middle)
    return low


def names(columns: Sequence[str], degree: int) -> Iterator[str]:
    """What each product is called, in the order of the columns.

    >>> list(names(["a", "b"], 2))
    ['a', 'b', 'a^2', 'a b', 'b^2']
    """
    for k in range(1, degree + 1):
        for product in combinations_with_replacement(columns, k):
            yield called(product)


def called(product: Sequence[str]) -> str:
    """
    >>> called(["a", "a", "b"])
    'a^2 b'
    """
    parts = ((name, len(list(times))) for name, times in groupby(product))
    return " ".join(name if power == 1 else f"{name}^{power}" for name, power in parts)


def product_at(place: int, columns: int, degree: int) -> tuple[int, ...]:
    """The columns whose product stands at this place; the inverse of the order above.

    >>> [product_at(place, 2, 2) for place in range(5)]
    [(0,), (1,), (0, 0), (0, 1), (1, 1)]
    """
    factors = 1
    while factors < degree and place >= comb(columns + factors - 1, factors):
        place -= comb(columns + factors - 1, factors)
        factors += 1
    found, first = [], 0
    for left in range(factors, 0, -1):
        while place >= (beginning := comb(columns - first + left - 2, left - 1)):
            place -= beginning
            first += 1
        found.append(first)
    return tuple(found)


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
    """The products written out as the core makes them, for looking at them.

    >>> expand(np.array([[2.0, 3.0]]), 2).tolist()
    [[2.0, 3.0, 4.0, 6.0, 9.0]]
    """
    features = checked_count(values.shape[1], degree)
    rows = native.rows_of(values, degree=degree)
    return native.scores(rows, None, np.eye(features), np.zeros(features))


def products_of(row: NDArray[np.floating], degree: int) -> NDArray[np.float64]:
    """The products of one row, however many: a matrix as wide as they are is not needed for them.

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
