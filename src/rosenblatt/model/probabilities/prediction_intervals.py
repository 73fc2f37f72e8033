"""How far from a predicted number the target may lie: split conformal prediction (Papadopoulos and others 2002).

Take n examples that the model predicted before it learned them, and a new one like them. When the n + 1 distances
between prediction and target are sorted, the new one is at each of the n + 1 places with the same probability. So its
distance is at most the k-th smallest of the others with probability k / (n + 1) or more, whatever the distribution. We
take k = ceil(confidence * (n + 1)); with too few examples it exceeds n, and no interval can be promised.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rosenblatt.errors import ParameterError
from rosenblatt.storage.checked_header import Header, damaged


class PredictionInterval(NamedTuple):
    """The interval of `half_width` on both sides of a prediction contains the target with probability `confidence`.

    It did for `covered` of the `examples`, each judged by a half-width from the other half of them.
    """

    confidence: float
    half_width: float  # infinite if there were too few examples
    examples: int
    covered: int
    measured_on: str = ""  # how they were predicted: out-of-fold, held-out or progressive

    @property
    def coverage(self) -> float:
        """The share that was covered."""
        return self.covered / self.examples if self.examples else 0.0

    def pack(self) -> dict[str, Any]:
        return self._asdict() | {"half_width": self.half_width if math.isfinite(self.half_width) else None}


def unpack_interval(header: Header) -> PredictionInterval:
    """The inverse of `pack`."""
    half_width = header.number("half_width") if "half_width" in header else math.inf
    examples, confidence = header.count("examples"), header.number("confidence")
    covered = header.count("covered", examples + 1)
    if not 0 < confidence < 1 or half_width < 0:
        raise damaged(f"{header.place} promises the confidence {confidence} within {half_width}")
    return PredictionInterval(confidence, half_width, examples, covered, header.text("measured_on"))


def prediction_interval(
    residuals: Sequence[float], confidence: float, measured_on: str = "", *, from_the_start: bool = True
) -> PredictionInterval:
    """The interval for a confidence, from the differences between targets and predictions made without knowing them.

    Of *progressive* predictions `from_the_start` only the second half counts, because the first ones come from a model
    that had learned little.

    >>> prediction_interval([0.5, -1.0, 2.0, 1.5, -0.1, 3.0, -2.5, 1.0, 0.2], 0.9).half_width
    3.0
    >>> prediction_interval([0.5, -1, 2], 0.9).half_width
    inf
    """
    if not 0 < confidence < 1:
        raise ParameterError(f"The confidence of an interval must be above 0 and below 1. Got {confidence!r} instead.")
    distances = [abs(residual) for residual in residuals]
    if measured_on == "progressive" and from_the_start:
        distances = distances[len(distances) // 2 :]
    even, odd = distances[::2], distances[1::2]
    covered = _count_within(odd, half_width(even, confidence)) + _count_within(even, half_width(odd, confidence))
    return PredictionInterval(confidence, half_width(distances, confidence), len(distances), covered, measured_on)


def half_width(distances: Iterable[float], confidence: float) -> float:
    """The k-th smallest distance, k = ceil(confidence * (n + 1)); infinite if k exceeds n."""
    ordered = sorted(distances)
    k = math.ceil(confidence * (len(ordered) + 1) - 1e-9)  # 0.95 * 20 is 19, even if the float is slightly more
    return ordered[max(k, 1) - 1] if k <= len(ordered) else math.inf


def _count_within(distances: Iterable[float], width: float) -> int:
    return sum(distance <= width for distance in distances)
