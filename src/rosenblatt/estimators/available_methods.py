"""A method that is there only where the options allow it, like scikit-learn's `available_if`, with our sentence."""

from collections.abc import Callable
from types import MethodType
from typing import Any, TypeVar, cast

from rosenblatt.errors import ParameterError

Method = TypeVar("Method", bound=Callable[..., Any])


class NotStreamedError(ParameterError, AttributeError):
    """Also an AttributeError, so that `hasattr(model, "partial_fit")` is False."""


class _Streamed:
    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __get__(self, model: Any, owner: Any = None) -> Any:
        if model is None:
            return self._method
        refuse_all_at_once(model)
        return MethodType(self._method, model)


def streamed(method: Method) -> Method:
    """Hide a method from models that need all their examples at once."""
    return cast(Method, _Streamed(method))


def refuse_all_at_once(model: Any) -> None:
    if getattr(model, "keep", None) == "pocket":
        raise NotStreamedError("keep='pocket' counts errors over all the examples: use fit, or keep='average'.")
    if getattr(model, "kernel", None) == "precomputed":
        raise NotStreamedError("kernel='precomputed' needs all the examples at once: use fit, or another kernel.")
