"""The rules a stream can be learned by, each under one name; 'auto' runs several side by side and keeps the best."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from rosenblatt import native, options, rules
from rosenblatt.errors import ParameterError
from rosenblatt.lazy import np
from rosenblatt.learn.polynomial import squared_length
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Csr, Values

RULES: Mapping[str, Settings] = MappingProxyType(
    {name: Settings(order="given", **{"keep": "last", **values}) for name, values in rules.RULES.items()}
)
_LOOKED_AT = 1000  # rows from which the length of the examples is found


def fitted_to(settings: Settings, values: Values) -> Settings:
    """A rule in the units of the data: it then does the same on examples that are all k times as long.

    The length is rounded to a power of 2, so that it says nothing else of the first rows.
    """
    parameter = settings.rate.length_parameter
    if parameter is None:
        return settings
    length = _length(values, settings.degree)
    return replace(settings, **{parameter: getattr(settings, parameter) * length**settings.rate.length_power})


def _length(values: Values, degree: int) -> float:
    rows = min(values.shape[0], _LOOKED_AT)
    if isinstance(values, Csr):
        starts, _, numbers = values.buffers
        total = native.squares(numbers, int(starts[rows]))
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            total = float(squared_length(values[:rows], degree).sum())
    square = total / max(rows, 1)
    return 2.0 ** min(max(round(math.log2(square) / 2), -100), 100) if 0 < square < math.inf else 1.0


_ROOM = 420 << 20  # bytes of weights that a portfolio may hold


def candidates(rule: str | Settings) -> dict[str, Settings]:
    """The settings to try, by name, best guess first."""
    if isinstance(rule, Settings):
        return {"own": replace(rule, order="given")}
    if rule == "auto":
        return {name: RULES[name] for name in rules.PORTFOLIO}
    if rule not in RULES:
        options.rule.check(rule, "fit")
        raise ParameterError(f"There is no rule called {rule!r}.")
    return {rule: RULES[rule]}


def affordable(tried: Mapping[str, Settings], features: int, classes: int) -> dict[str, Settings]:
    """The first of the candidates that fit in memory together; always the first one."""
    kept: dict[str, Settings] = {}
    room = _ROOM
    for name, settings in tried.items():
        room -= footprint(settings, features, classes)
        if kept and room < 0:
            break
        kept[name] = settings
    return kept


def footprint(settings: Settings, features: int, classes: int) -> int:
    """Bytes of the weights of one run."""
    units = settings.n_units(classes)
    parts = 1 + settings.rate.per_feature + (settings.keep == "average")
    return 8 * parts * features * (units if units == 1 else -(-units // 4) * 4)
