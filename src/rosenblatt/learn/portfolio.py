"""The rules a stream can be learned by, each under one name; 'auto' runs several side by side and keeps the best."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from rosenblatt import options
from rosenblatt.errors import ParameterError
from rosenblatt.learn.settings import Settings

_GIVEN = Settings(order="given", keep="last")


def _arow(r: float) -> Settings:
    return replace(_GIVEN, learning_rate="arow", r=r)


RULES: Mapping[str, Settings] = MappingProxyType(
    {
        "perceptron": replace(_GIVEN, keep="average"),
        "arow-0.1": _arow(0.1),
        "arow-1": _arow(1.0),
        "arow-10": _arow(10.0),
        "logistic": replace(_GIVEN, loss="logistic", learning_rate="adagrad", eta0=0.5, multi_class="joint"),
        "hinge": replace(_GIVEN, loss="hinge", learning_rate="adagrad", eta0=0.5),
        "pa1": replace(_GIVEN, learning_rate="pa1", eta0=0.1, keep="average"),
        "pa2": replace(_GIVEN, learning_rate="pa2", eta0=0.1, keep="average"),
        "last": _GIVEN,
    }
)
# What 'auto' tries. Of equal errors the earlier one is kept.
PORTFOLIO: Sequence[str] = ("arow-1", "arow-10", "arow-0.1", "logistic", "hinge", "perceptron")

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
