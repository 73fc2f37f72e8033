"""partial_fit exists only where the options allow it: like scikit-learn's `available_if`, but its error says why."""

from collections.abc import Callable
from types import MethodType
from typing import Any, TypeVar, cast

from rosenblatt.errors import ParameterError, option

Method = TypeVar("Method", bound=Callable[..., Any])


class NotStreamableError(ParameterError, AttributeError):
    """Also an AttributeError, so that `hasattr(model, "partial_fit")` is False."""


class _StreamingMethod:
    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __get__(self, model: Any, owner: Any = None) -> Any:
        if model is None:
            return self._method
        _check_streamable(model)
        return MethodType(self._method, model)


def only_if_streamable(method: Method) -> Method:
    """Hide a method of models whose options need all the examples at once."""
    return cast(Method, _StreamingMethod(method))


def _check_streamable(model: Any) -> None:
    if getattr(model, "keep", None) == "pocket":
        raise NotStreamableError(
            f"{option('keep', 'pocket')} counts errors over all the examples: use fit, or {option('keep', 'average')}."
        )
    if getattr(model, "kernel", None) == "precomputed":
        raise NotStreamableError(
            f"{option('kernel', 'precomputed')} needs all the examples at once: use fit, or another kernel."
        )
