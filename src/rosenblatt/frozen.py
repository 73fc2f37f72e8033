"""Frozen dataclasses that take next to no time to declare.

`dataclasses` compiles the methods of every class, and loads `inspect`, `ast` and `tokenize` to do so: half of what it
takes a command to begin. A `record` shares its methods with all the others; for whoever asks (`dataclasses.fields`,
`asdict`, `replace`, `inspect.signature`) it is a frozen dataclass like any other.
"""

from __future__ import annotations

from rosenblatt.later import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import asdict as asdict
    from dataclasses import field as field
    from dataclasses import replace as replace
    from typing import Any, TypeVar, dataclass_transform

    T = TypeVar("T")
_NONE: Any = object()  # no default


class Field:
    """What a record knows of one of its fields."""

    def __init__(
        self, *, default: Any = _NONE, default_factory: Any = _NONE, repr: bool = True, compare: bool = True
    ) -> None:
        self.default, self.default_factory, self.repr, self.compare = default, default_factory, repr, compare

    @property
    def required(self) -> bool:
        return self.default is _NONE and self.default_factory is _NONE

    def filled(self) -> Any:
        """The value of who was given none."""
        return self.default if self.default_factory is _NONE else self.default_factory()


if not TYPE_CHECKING:  # the checker knows more of those of `dataclasses`, and the last one is for it alone
    field = Field

    def replace(of, /, **changes):
        """The same record with some fields changed."""
        return type(of)(**{name: getattr(of, name) for name in of.__record__} | changes)

    def asdict(of):
        """The fields by name; records in them, and in lists, tuples and dicts of them, likewise."""
        if hasattr(type(of), "__record__"):
            return {name: asdict(getattr(of, name)) for name in of.__record__}
        if isinstance(of, list | tuple):
            return type(of)(map(asdict, of))
        return {asdict(key): asdict(value) for key, value in of.items()} if isinstance(of, dict) else of

    def dataclass_transform(**_):
        return lambda record: record


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """`dataclass(frozen=True)`."""
    fields: dict[str, Field] = {}
    for base in reversed(cls.__mro__[1:]):
        fields |= vars(base).get("__record__", {})
    for name in cls.__annotations__:  # its own; not in its dict, from Python 3.14 on
        said = vars(cls).get(name, _NONE)
        if isinstance(said, list | dict | set):
            raise ValueError(f"mutable default {type(said)} for field {name} is not allowed: use default_factory")
        fields[name] = said if isinstance(said, Field) else Field(default=said)
        if said is fields[name]:
            delattr(cls, name)
    made: Any = cls
    made.__record__, made.__replace__ = fields, replace
    for name, of_twin in _TWIN.items():
        setattr(cls, name, _Asked(of_twin))
    for method in (_init, _repr, _eq, _hash, _setattr, _delattr):
        name = f"_{method.__name__}__"
        if name not in vars(cls):
            setattr(cls, name, method)
    return cls


def names(cls: Any) -> tuple[str, ...]:
    """What the fields of a record are called."""
    return tuple(cls.__record__)


class _Asked:
    """An attribute of a class that is found on its twin when somebody asks for it."""

    def __init__(self, found: Callable[[Any], Any]) -> None:
        self.found = found

    def __get__(self, of: object, cls: type) -> Any:
        return self.found(_twin(cls))


def _twin(cls: Any) -> Any:
    """A frozen dataclass with the same fields."""
    import dataclasses

    listed = []
    for name, of in cls.__record__.items():
        said = {what: kept for what, kept in vars(of).items() if kept is not _NONE}
        listed.append((name, _annotation(cls, name), dataclasses.field(**said)))
    return dataclasses.make_dataclass(cls.__name__, listed, frozen=True)


def _signature(twin: Any) -> Any:
    import inspect

    return inspect.signature(twin)


_TWIN: dict[str, Callable[[Any], Any]] = {
    "__dataclass_fields__": lambda twin: twin.__dataclass_fields__,
    "__dataclass_params__": lambda twin: twin.__dataclass_params__,
    "__match_args__": lambda twin: twin.__match_args__,
    "__signature__": _signature,
}


def _annotation(cls: Any, name: str) -> Any:
    said = (getattr(base, "__annotations__", {}) for base in cls.__mro__)
    return next(annotations[name] for annotations in said if name in annotations)


def _init(self: Any, *values: Any, **given: Any) -> None:
    fields, put = self.__record__, vars(self)
    if len(values) > len(fields):
        raise TypeError(f"{type(self).__name__}() takes {len(fields)} values, and was given {len(values)}")
    put.update(zip(fields, values, strict=False))
    for name, value in given.items():
        if name not in fields or name in put:
            what = "two values for" if name in fields else "a value for the unknown"
            raise TypeError(f"{type(self).__name__}() was given {what} {name!r}")
        put[name] = value
    if len(put) < len(fields):
        missing = [name for name, of in fields.items() if name not in put and of.required]
        if missing:
            raise TypeError(f"{type(self).__name__}() needs a value for {', '.join(map(repr, missing))}")
        put.update({name: of.filled() for name, of in fields.items() if name not in put})


def _repr(self: Any) -> str:
    shown = (f"{name}={getattr(self, name)!r}" for name, of in self.__record__.items() if of.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _eq(self: Any, other: object) -> bool:
    return _compared(self) == _compared(other) if type(self) is type(other) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _setattr(self: Any, name: str, value: Any) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(self: Any, name: str) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _compared(of: Any) -> tuple[Any, ...]:
    return tuple(getattr(of, name) for name, field in of.__record__.items() if field.compare)
