"""A parameter: its default, its bounds, its choices and its help text."""

from __future__ import annotations

import math
import reprlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from rosenblatt.errors import ParameterError
from rosenblatt.options.values.character_range import LONGEST, range_of
from rosenblatt.options.values.duration import duration_of
from rosenblatt.options.values.file_size import size_of
from rosenblatt.options.values.quantile_levels import levels_of

T = TypeVar("T")
Kind: TypeAlias = Literal[
    "int",
    "float",
    "bool",
    "array",
    "class weights",
    "seed",
    "str",
    "strs",
    "path",
    "function",
    "threshold",
    "range",
    "size",
    "duration",
    "levels",
]


class Option(NamedTuple, Generic[T]):
    """One parameter: a value is accepted if it is a choice, None (if allowed), or of the kind and within the bounds.

    The bounds of a number: `low` is included, `above` and `below` are excluded.
    """

    name: str
    default: T
    help: str
    choices: tuple[str, ...] = ()
    none_allowed: bool = False
    kind: Kind | None = None
    low: float | None = None
    above: float | None = None
    below: float | None = None
    zero_allowed: bool = True

    def but(self, **changes: Any) -> Option[T]:
        """A copy with some fields changed, for an estimator that differs."""
        return self._replace(**changes)

    def accepts(self, value: object) -> bool:
        if value is None:
            return self.none_allowed
        if isinstance(value, str):
            return value in self.choices or (self.kind is not None and _TEXTS.get(self.kind, _no_text)(value))
        if self.kind is None or not _IS[self.kind](value):
            return False
        return not isinstance(value, Real) or self.kind in ("bool", "seed") or self._in_bounds(float(value))

    def check(self, value: object, owner: str) -> None:
        """Raise ParameterError unless the value is accepted; `owner` is the class the user called."""
        if not self.accepts(value):
            raise ParameterError(
                f"The {self.name!r} parameter of {owner} must be {self.expected}. Got {_shown(value)} instead."
            )

    @property
    def expected(self) -> str:
        """The accepted values in words, for error messages and the documentation."""
        accepted = ["None"] if self.none_allowed else []
        accepted += [repr(choice) for choice in self.choices]
        if self.kind is not None:
            accepted.append(" ".join([_WORDS[self.kind], self._bounds]).rstrip())
        return accepted[0] if len(accepted) == 1 else ", ".join(accepted[:-1]) + " or " + accepted[-1]

    def _in_bounds(self, value: float) -> bool:
        return (
            (self.low is None or value >= self.low)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
            and (self.zero_allowed or value != 0)
        )

    @property
    def _bounds(self) -> str:
        bounds = [
            "" if self.low is None else f"of at least {self.low}",
            "" if self.above is None else f"greater than {self.above}",
            "" if self.below is None else f"less than {self.below}",
            "" if self.zero_allowed else "other than 0",
        ]
        return " and ".join(filter(None, bounds))


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 60


def _shown(value: object) -> str:
    """The value as the user wrote it, on one short line; for a number also whether it is infinite or too large."""
    text = " ".join(_SHORT.repr(value).split())
    if isinstance(value, Real) and not _is_bool(value):
        if not _is_finite(value):
            return f"{text} (not finite)"
        if isinstance(value, Integral) and not _is_int(value):
            return f"{text} (more than 64 bits)"
    return text


def _is_bool(value: object) -> bool:
    # A numpy bool can only exist once numpy is loaded; loading it here would slow down every command line.
    numpy = sys.modules.get("numpy")
    return isinstance(value, bool if numpy is None else (bool, numpy.bool_))


def _is_int(value: object) -> bool:
    return isinstance(value, Integral) and not _is_bool(value) and -(2**63) <= int(value) < 2**63


def _is_finite(value: Real) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an int beyond the largest float
        return False


def _is_float(value: object) -> bool:
    return isinstance(value, Real) and not _is_bool(value) and _is_finite(value)


def _is_array(value: object) -> bool:
    # Single numpy numbers have __array__ too; an array's shape is checked where the number of features is known.
    return not isinstance(value, Real | bytes) and (isinstance(value, Sequence) or hasattr(value, "__array__"))


def _is_class_weights(value: object) -> bool:
    return isinstance(value, Mapping) and all(_is_float(weight) and weight >= 0 for weight in value.values())


def _is_seed(value: object) -> bool:
    if isinstance(value, Integral):
        return not _is_bool(value)
    return hasattr(value, "randint") or hasattr(value, "integers")  # numpy's RandomState, numpy's Generator


def _is_strs(value: object) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(word, str) and word for word in value)


def _is_levels(value: object) -> bool:
    if not isinstance(value, tuple | list) or not all(_is_float(level) and 0 < level < 1 for level in value):
        return False
    return all(level < above for level, above in pairwise(value))


def _is_threshold(value: object) -> bool:
    from rosenblatt.options.values.threshold_criterion import criterion_of  # most runs have none

    return criterion_of(value) is not None


def _is_path(value: object) -> bool:
    return hasattr(value, "__fspath__")


_IS: Mapping[Kind, Callable[[object], bool]] = {
    "int": _is_int,
    "float": _is_float,
    "bool": _is_bool,
    "array": _is_array,
    "class weights": _is_class_weights,
    "seed": _is_seed,
    "str": lambda value: False,  # a str is accepted before the kinds are looked up
    "strs": _is_strs,
    "path": _is_path,
    "function": callable,
    "threshold": _is_threshold,
    "range": lambda value: range_of(value) is not None,
    "size": lambda value: size_of(value) is not None,
    "duration": lambda value: duration_of(value) is not None,
    "levels": _is_levels,
}


def _no_text(value: str) -> bool:
    return False


_TEXTS: Mapping[Kind, Callable[[str], bool]] = {
    "str": bool,
    "path": bool,
    "threshold": _IS["threshold"],
    "range": _IS["range"],
    "size": _IS["size"],
    "duration": _IS["duration"],
    "levels": lambda value: levels_of(value) is not None,
}
_WORDS: Mapping[Kind, str] = {
    "int": "an int",
    "float": "a float",
    "bool": "a bool",
    "array": "an array of weights",
    "class weights": "a dict that gives each class a finite weight of at least 0",
    "seed": "an int or a numpy RandomState or Generator",
    "str": "a word",
    "strs": "a tuple or list of words",
    "path": "a path",
    "function": "a function",
    "threshold": "a probability between 0 and 1, 'f1', 'cost:fp=1,fn=20', 'precision>=0.95' or 'recall>=0.9'",
    "range": f"a length from 1 to {LONGEST}, or the shortest and the longest of several, such as '3-5'",
    "size": "a number of bytes of at least 1, with or without kB, MB or GB, such as '5MB'",
    "duration": "a duration with a unit, s, m, h, d or w, such as '30d'",
    "levels": "different numbers between 0 and 1 in ascending order, such as '0.1,0.5,0.9'",
}


def by_name(options: Iterable[Option[Any]]) -> Mapping[str, Option[Any]]:
    """A table of options for `check`."""
    return MappingProxyType({option.name: option for option in options})


def check(owner: str, values: Mapping[str, object], table: Mapping[str, Option[Any]]) -> None:
    """Check each value by its option in the table; the first that is refused raises ParameterError."""
    for name, value in values.items():
        if name not in table:
            raise ParameterError(f"{owner} has no parameter {name!r}; its parameters are {', '.join(table)}.")
        table[name].check(value, owner)
