"""The named rules as settings, what 'auto' tries, and how many of them fit in memory."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType

from rosenblatt import native, options, rules
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.lazy import np
from rosenblatt.learn.polynomial import squared_length
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Csr, Values

RULES: Mapping[str, Settings] = MappingProxyType(
    {name: Settings(order="given", **{"keep": "last", **values}) for name, values in rules.RULES.items()}
)
# The rules that 'auto' tries. Of errors that chance cannot tell apart the earlier rule is kept. A bold arow trusts each
# column at its own scale, so columns in different units do not harm it; the others do better where features are alike.
PORTFOLIO: Sequence[str] = ("logistic", "arow", "arow-bold", "logistic-bold", "hinge", "perceptron")
_ROWS_MEASURED = 1000  # for the length of the examples
_PORTFOLIO_BYTES = 420 << 20  # of weights that a portfolio may take
_MEMORY_LIMIT = "/sys/fs/cgroup/memory.max"  # of a container


def scaled_to_length(settings: Settings, values: Values) -> Settings:
    """A rule for examples of length 1, scaled to the length of these: on examples k times as long it learns the same.

    The length is rounded to a power of 2, so that nothing else of the first rows decides a bit.
    """
    parameter = settings.rate.length_parameter
    if parameter is None:
        return settings
    length = _length(values, settings.degree)
    return replace(settings, **{parameter: getattr(settings, parameter) * length**settings.rate.length_power})


def _length(values: Values, degree: int) -> float:
    rows = min(values.shape[0], _ROWS_MEASURED)
    if isinstance(values, Csr):
        starts, _, numbers = values.buffers
        total = native.sum_of_squares(numbers, int(starts[rows]))
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            total = float(squared_length(values[:rows], degree).sum())
    square = total / max(rows, 1)
    return 2.0 ** min(max(round(math.log2(square) / 2), -100), 100) if 0 < square < math.inf else 1.0


def candidates(rule: str | Settings) -> dict[str, Settings]:
    """The settings to try, by name, best guess first."""
    if isinstance(rule, Settings):
        return {"own": replace(rule, order="given")}
    if rule == "auto":
        return {name: RULES[name] for name in PORTFOLIO}
    if rule not in RULES:
        options.rule.check(rule, "fit")
        raise ParameterError(f"There is no rule called {rule!r}.")
    return {rule: RULES[rule]}


def affordable(tried: Mapping[str, Settings], features: int, classes: int) -> dict[str, Settings]:
    """The first of the candidates that fit in memory together; always the first one."""
    chosen: dict[str, Settings] = {}
    left = _PORTFOLIO_BYTES
    for name, settings in tried.items():
        left -= weight_bytes(settings, features, classes)
        if chosen and left < 0:
            break
        chosen[name] = settings
    return chosen


def weight_bytes(settings: Settings, features: int, classes: int) -> int:
    """Bytes of the weights of one run."""
    units = settings.n_units(classes)
    parts = 1 + settings.rate.per_feature + (settings.keep == "average")
    return 8 * parts * features * (units if units == 1 else -(-units // 4) * 4)


def check_memory(name: str, runs: Iterable[Settings], features: int, classes: int) -> None:
    """DataError where the weights of all runs together would not fit in memory; else the system kills the process."""
    needed, available = sum(weight_bytes(settings, features, classes) for settings in runs), memory_size()
    if available is not None and needed > available:
        raise DataError(
            f"{name}: has {features:,} features, whose weights need {needed / 2**30:,.1f} GB, and there are "
            f"{available / 2**30:,.1f} GB of memory; number the features without large gaps.",
            file=name,
        )


def memory_size() -> int | None:
    """Bytes of memory that this process may use; None where the system does not say."""
    sizes = []
    with suppress(OSError, ValueError, AttributeError):
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError), open(_MEMORY_LIMIT) as limit:
        sizes.append(int(limit.read()))
    return min(sizes, default=None)
