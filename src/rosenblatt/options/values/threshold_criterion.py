"""The criteria for choosing a threshold: a probability, F1, the cost of errors, or a minimum precision or recall."""

import math
import re
from numbers import Real
from typing import Literal, NamedTuple

_COST = r"cost:(fp|fn)=([^,]+),(fp|fn)=([^,]+)"
_LEAST = r"(precision|recall)>=(.+)"


class Criterion(NamedTuple):
    """How to choose the score above which the positive class is decided."""

    kind: Literal["probability", "f1", "cost", "precision", "recall"]
    number: float = 0.0  # the probability; the minimum precision or recall; the cost of a false positive
    other: float = 0.0  # the cost of a false negative
    text: str = ""  # as it was written


def criterion_of(value: object) -> Criterion | None:
    """The criterion that a value gives; None if it is not a valid criterion.

    >>> criterion_of(0.3).kind, criterion_of("cost:fn=20,fp=1").other, criterion_of("recall>=0.9").number
    ('probability', 20.0, 0.9)
    >>> criterion_of("precision"), criterion_of(2), criterion_of("cost:fp=1,fp=2")
    (None, None, None)
    """
    text = str(value).replace(" ", "")
    if isinstance(value, bool) or not isinstance(value, str | Real):
        return None
    if text == "f1":
        return Criterion("f1", text=text)
    if match := re.fullmatch(_COST, text):
        costs = {match[1]: _number(match[2]), match[3]: _number(match[4])}
        if len(costs) == 2 and min(costs.values()) >= 0 and 0 < max(costs.values()) < math.inf:
            return Criterion("cost", costs["fp"], costs["fn"], text)
    elif match := re.fullmatch(_LEAST, text):
        if 0 < _number(match[2]) <= 1:
            return Criterion("precision" if match[1] == "precision" else "recall", _number(match[2]), text=text)
    elif 0 < _number(text) < 1:
        return Criterion("probability", _number(text), text=text)
    return None


def _number(word: str) -> float:
    """The number that a word gives; -1 if it is not a finite number."""
    try:
        number = float(word)
    except ValueError:
        return -1.0
    return number if math.isfinite(number) else -1.0
