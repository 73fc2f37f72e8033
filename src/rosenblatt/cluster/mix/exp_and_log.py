"""exp and log by additions and multiplications alone: the last bits of numpy's own differ between processors."""

from __future__ import annotations

import math

from rosenblatt.lazy import np
from rosenblatt.records import Floats

_LN2_HIGH = 6.93147180369123816490e-01  # its last 21 bits are 0, so that its multiples by whole numbers are exact
_LN2_LOW = 1.90821492927058770002e-10
_EXP_TERMS = [1.0 / math.factorial(k) for k in range(13, -1, -1)]
_ATANH_TERMS = [1.0 / k for k in range(41, 0, -2)]


def exp_of_negative(x: Floats) -> Floats:
    """exp(x) for x <= 0, exact to about the last bit.

    >>> bool(np.allclose(exp_of_negative(np.array([0.0, -1e-9, -0.3, -7.7, -900.0])),
    ...                  np.exp([0.0, -1e-9, -0.3, -7.7, -900.0]), rtol=4e-16, atol=1e-300))
    True
    """
    clipped = np.maximum(x, -700.0)
    k = np.rint(clipped * (1 / math.log(2)))
    rest = (clipped - k * _LN2_HIGH) - k * _LN2_LOW
    power = np.full_like(rest, _EXP_TERMS[0])
    for term in _EXP_TERMS[1:]:
        power = power * rest + term
    return np.ldexp(power, k.astype(np.int32))


def log_1_plus(x: Floats) -> Floats:
    """log(1 + x) for x between 0 and 1, as 2 atanh(x / (2 + x)).

    >>> bool(np.allclose(log_1_plus(np.array([0.0, 1e-12, 0.5, 1.0])), np.log1p([0.0, 1e-12, 0.5, 1.0]), rtol=4e-16))
    True
    """
    z = x / (2.0 + x)
    square = z * z
    series = np.full_like(z, _ATANH_TERMS[0])
    for term in _ATANH_TERMS[1:]:
        series = series * square + term
    return 2.0 * z * series


def log_of_sum(x: Floats) -> Floats:
    """log(x) for x >= 1: with x = 2**k m it is k log(2) + log(m)."""
    mantissa, power = np.frexp(x)
    return (power - 1) * math.log(2) + log_1_plus(2 * mantissa - 1)
