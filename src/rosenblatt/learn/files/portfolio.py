"""The rules a stream can be learned by, each under one name; 'auto' runs several side by side and keeps the best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from rosenblatt import native, options
from rosenblatt.errors import ParameterError
from rosenblatt.lazy import np
from rosenblatt.learn.polynomial import squared_length
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Csr, Values

_GIVEN = Settings(order="given", keep="last")


def _arow(r: float) -> Settings:
    return replace(_GIVEN, learning_rate="arow", r=r)


def _adagrad(loss: str, eta0: float) -> Settings:
    multi_class = "joint" if loss == "logistic" else _GIVEN.multi_class
    return replace(_GIVEN, loss=loss, learning_rate="adagrad", eta0=eta0, multi_class=multi_class)


# For examples of length 1; `fitted_to` adapts them to the data at hand.
RULES: Mapping[str, Settings] = MappingProxyType(
    {
        "perceptron": replace(_GIVEN, keep="average"),
        "arow": _arow(0.1),
        "arow-bold": _arow(1e-5),
        "logistic": _adagrad("logistic", 0.5),
        "logistic-bold": _adagrad("logistic", 1.5),
        "hinge": _adagrad("hinge", 1.0),
        "pa1": replace(_GIVEN, learning_rate="pa1", eta0=0.1, keep="average"),
        "pa2": replace(_GIVEN, learning_rate="pa2", eta0=0.1, keep="average"),
        "last": _GIVEN,
    }
)
# What 'auto' tries: of errors that chance cannot tell apart the earlier one is kept. A bold arow trusts each column at
# its own scale, so it does not mind columns in unlike units; the others do better where all the features are alike.
PORTFOLIO: Sequence[str] = ("logistic", "arow", "arow-bold", "logistic-bold", "hinge", "perceptron")
_LOOKED_AT = 1000  # rows from which the length of the examples is found


def fitted_to(settings: Settings, values: Values) -> Settings:
    """A rule in the units of the data: it then does the same on examples that are all k times as long.

    A step of adagrad moves a score by eta0 times the length of the example; r of arow and C of pa1 and pa2 stand
    beside its square. The length is rounded to a power of 2, so that it says nothing else of the first rows.
    """
    if settings.learning_rate not in ("arow", "adagrad", "pa1", "pa2"):
        return settings
    length = _length(values, settings.degree)
    if settings.learning_rate == "arow":
        return replace(settings, r=settings.r * length**2)
    if settings.learning_rate == "adagrad":
        return replace(settings, eta0=settings.eta0 / length)
    return replace(settings, eta0=settings.eta0 / length**2)


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
        return {name: RULES[name] for name in PORTFOLIO}
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
    scheme = settings.scheme(classes)
    units = 1 if scheme == "binary" else classes * (classes - 1) // 2 if scheme == "ovo" else classes
    parts = 1 + (settings.learning_rate in ("arow", "adagrad")) + (settings.keep == "average")
    return 8 * parts * features * (units if units == 1 else -(-units // 4) * 4)
