"""Expressions of Boolean variables. Every operator is a threshold unit, so an expression is a network of them."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.logic.network import Network, WiredUnit, check_bits, network_of
from rosenblatt.logic.truth_table import TruthTable
from rosenblatt.logic.unit import Unit

WORDS = frozenset({"and", "or", "not", "xor", "nand", "nor", "implies", "iff", "true", "false", "majority", "at_least"})
_LONGEST_TEXT = 100_000


class Expression:
    """A Boolean function built from variables with & (and), | (or), ~ (not), ^ (xor).

    >>> a, b = variables("a b")
    >>> xor = ~(a & b) & (a | b)
    >>> xor(a=1, b=0), xor(a=1, b=1)
    (True, False)
    >>> print(xor)
    ~(a & b) & (a | b)
    unit  kind  fires when
    u1    AND   a + b > 1.5
    u2    NOT   -u1 > -0.5
    u3    OR    a + b > 0.5
    u4    AND   u2 + u3 > 1.5
    output: u4
    """

    sources: tuple["Expression", ...] = ()

    # -- building ---------------------------------------------------------------------------------------------------

    def __and__(self, other: Any) -> "Expression":
        return _joined("AND", self, other)

    def __or__(self, other: Any) -> "Expression":
        return _joined("OR", self, other)

    def __xor__(self, other: Any) -> "Expression":
        right = expression(other)
        # x + y - 2 (x and y) counts an odd one only: two units
        return Gate("XOR", Unit([1, 1, -2], threshold=0.5), (self, right, at_least(2, self, right)))

    def __invert__(self) -> "Expression":
        return Gate("NOT", Unit([-1], threshold=-0.5), (self,))

    def __rand__(self, other: Any) -> "Expression":
        return expression(other) & self

    def __ror__(self, other: Any) -> "Expression":
        return expression(other) | self

    def __rxor__(self, other: Any) -> "Expression":
        return expression(other) ^ self

    def implies(self, other: Any) -> "Expression":
        """False only where this holds and the other does not; one unit."""
        return Gate("IMPLIES", Unit([-1, 1], threshold=-0.5), (self, expression(other)))

    def iff(self, other: Any) -> "Expression":
        """True where both are the same; two units."""
        right = expression(other)
        return Gate("IFF", Unit([-1, -1, 2], threshold=-0.5), (self, right, at_least(2, self, right)))

    def __bool__(self) -> bool:
        raise TypeError("An expression is neither true nor false by itself: use &, | and ~, not and, or, not and ==.")

    # -- evaluating -------------------------------------------------------------------------------------------------

    def __call__(self, **values: Any) -> Any:
        """The truth value for these values of the variables: a bool, or an array where an array was given."""
        known = set(self.variables)
        for name in values.keys() - known:
            raise ParameterError(f"The expression has no variable {name!r}; its variables are {self._listed}.")
        for name in self.variables:
            if name not in values:
                raise ParameterError(f"The variable {name!r} has no value: call the expression with {self._listed}.")
        given = [check_bits(values[name], name) for name in self.variables]
        try:
            shaped = np.broadcast_arrays(*given)
        except ValueError:
            shapes = ", ".join(f"{name} {value.shape}" for name, value in zip(self.variables, given, strict=True))
            raise DataError(f"The values of the variables do not fit together: their shapes are {shapes}.") from None
        shape = shaped[0].shape if shaped else ()
        found = self.network.signals([np.ravel(column) for column in shaped])[0].reshape(shape)
        return bool(found) if shape == () else found

    def evaluate(self, X: Any) -> NDArray[np.bool_]:
        """The truth value of each row of a matrix with one column for each of `variables`, in their order."""
        return self.network(X)

    def truth_table(self) -> TruthTable:
        """What it says on every row; up to 20 variables."""
        return self.network.truth_table()

    # -- looking inside ---------------------------------------------------------------------------------------------

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The names of its variables, in the order in which they appear."""
        return tuple(dict.fromkeys(node.name for node in self._nodes() if isinstance(node, Variable)))

    @property
    def _listed(self) -> str:
        return ", ".join(self.variables) or "none"

    def _nodes(self) -> Iterator["Expression"]:
        """Every part once, each after its sources, without recursion: expressions may be deep."""
        done: set[int] = set()
        waiting: list[tuple[Expression, bool]] = [(self, False)]
        while waiting:
            node, ready = waiting.pop()
            if id(node) in done:
                continue
            if ready:
                done.add(id(node))
                yield node
            else:
                waiting.append((node, True))
                waiting.extend((source, False) for source in reversed(node.sources) if id(source) not in done)

    @cached_property
    def network(self) -> Network:
        """The units that compute it; parts that are the same are computed once."""
        places: dict[int, str | int] = {}
        units: list[tuple[str, Unit, Sequence[str | int]]] = []
        numbered: dict[Any, int] = {}
        for node in self._nodes():
            if not isinstance(node, Gate):
                places[id(node)] = node.text
                continue
            wired = _wire(node.unit, [places[id(source)] for source in node.sources])
            if wired not in numbered:
                numbered[wired] = len(units)
                units.append((node.kind, *wired))
            places[id(node)] = numbered[wired]
        if not units:
            units.append(("COPY", Unit([1], threshold=0.5), self.variables))
        last = places[id(self)]
        return network_of(self.variables, units, [last if isinstance(last, int) else -1])

    @property
    def units(self) -> tuple[WiredUnit, ...]:
        """Every unit with its weights, threshold and wiring."""
        return self.network.units

    @property
    def weights(self) -> dict[str, dict[str, float]]:
        """For each unit, the weight of each of its sources."""
        return self.network.weights

    @property
    def thresholds(self) -> dict[str, float]:
        """For each unit, the sum that it must exceed to fire."""
        return self.network.thresholds

    @cached_property
    def text(self) -> str:
        """The expression as one would type it; `parse` reads it back."""
        texts: dict[int, tuple[str, int]] = {}
        for node in self._nodes():
            shown, strength = node._written([texts[id(source)] for source in node.sources])
            texts[id(node)] = (shown, strength) if len(shown) <= _LONGEST_TEXT else ("...", _ATOM)
        return texts[id(self)][0]

    def _written(self, sources: Sequence[tuple[str, int]]) -> tuple[str, int]:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.text

    def __str__(self) -> str:
        return f"{self.text}\n{self.network}"


class Variable(Expression):
    """A variable, by its name."""

    def __init__(self, name: str) -> None:
        if not re.fullmatch(r"[^\W\d]\w*", name) or name.lower() in WORDS:
            raise ParameterError(
                f"A variable must be named by a word of letters, digits and _ that is none of "
                f"{', '.join(sorted(WORDS))}. Got {name!r} instead."
            )
        self.name = name

    def _written(self, sources: Sequence[tuple[str, int]]) -> tuple[str, int]:
        return self.name, _ATOM


class Gate(Expression):
    """A unit wired to other expressions."""

    def __init__(self, kind: str, unit: Unit, sources: Sequence[Expression]) -> None:
        if len(unit.weights) != len(sources):
            raise ParameterError(f"A unit with {len(unit.weights)} weights cannot be wired to {len(sources)} sources.")
        if unit.activation != "step":
            raise ParameterError("Only a unit with a hard step is a truth value: use activation='step'.")
        self.kind, self.unit, self.sources = kind, unit, tuple(sources)

    def _written(self, sources: Sequence[tuple[str, int]]) -> tuple[str, int]:
        if self.kind == "NOT":
            return "~" + _bracketed(*sources[0], _STRENGTH["NOT"]), _STRENGTH["NOT"]
        if self.kind in ("TRUE", "FALSE"):
            return self.kind.lower(), _ATOM
        texts = [text for text, _ in sources]
        if self.kind in _INFIX and len(sources) > 1:
            parts = sources[:2] if self.kind in ("XOR", "IFF") else sources
            strength = _STRENGTH[self.kind]
            # one stronger on the right: a -> (b -> c) and a ^ (b ^ c) are read back as they were built
            first, *rest = parts
            shown = [_bracketed(*first, strength + (self.kind in ("IMPLIES", "AND", "OR")))]
            return _INFIX[self.kind].join(shown + [_bracketed(*part, strength + 1) for part in rest]), strength
        if self.kind.startswith("AT_LEAST"):
            return f"at_least({self.kind.split()[1]}, {', '.join(texts)})", _ATOM
        if self.kind == "unit":
            return f"[{self.unit.formula([_bracketed(*source, _ATOM) for source in sources])}]", _ATOM
        return f"{self.kind}({', '.join(texts)})", _ATOM


_INFIX = {"AND": " & ", "XOR": " ^ ", "OR": " | ", "IMPLIES": " -> ", "IFF": " <-> "}
_STRENGTH = {"IFF": 0, "IMPLIES": 1, "OR": 2, "XOR": 3, "AND": 4, "NOT": 5}
_ATOM = 6


def _bracketed(text: str, strength: int, least: int) -> str:
    return text if strength >= least else f"({text})"


def _joined(kind: str, left: Expression, other: Any) -> Expression:
    """a & b & c is one unit of three inputs, not two of two."""
    right = expression(other)
    parts: list[Expression] = []
    for side in (left, right):
        parts.extend(side.sources if isinstance(side, Gate) and side.kind == kind else [side])
    return at_least(len(parts) if kind == "AND" else 1, *parts)


def at_least(k: int, *sources: Any) -> Expression:
    """True where at least k of the sources are: one unit whose weights are all 1.

    >>> a, b, c = variables("a b c")
    >>> at_least(2, a, b, c)(a=1, b=0, c=1)
    True
    """
    if isinstance(k, bool) or not isinstance(k, int | np.integer):
        raise ParameterError(f"at_least takes a whole number first, how many must be true. Got {k!r} instead.")
    parts = tuple(expression(source) for source in sources)
    if not parts:
        raise ParameterError("at_least needs sources to count: at_least(2, a, b, c).")
    kind = {1: "OR", len(parts): "AND"}.get(int(k), f"AT_LEAST {k}") if len(parts) > 1 else f"AT_LEAST {k}"
    return Gate(kind, Unit([1] * len(parts), threshold=int(k) - 0.5), parts)


def constant(value: Any) -> Expression:
    """True or False as an expression: a unit without inputs."""
    return Gate("TRUE" if value else "FALSE", Unit([], threshold=-0.5 if value else 0.5), ())


def expression(given: Any) -> Expression:
    """An expression as it is; a truth value as a constant."""
    if isinstance(given, Expression):
        return given
    if isinstance(given, bool | np.bool_) or (isinstance(given, int | np.integer) and given in (0, 1)):
        return constant(given)
    raise ParameterError(f"An expression is built from variables, expressions, 0 and 1. Got {given!r} instead.")


def variables(names: str | Sequence[str]) -> tuple[Expression, ...]:
    """Variables by their names, separated by blanks or commas, or in a list.

    >>> a, b = variables("a b")
    """
    listed = re.split(r"[,\s]+", names.strip()) if isinstance(names, str) else list(names)
    for name in listed:
        if not isinstance(name, str):
            raise ParameterError(f"The name of a variable must be text. Got {name!r} instead.")
    if len(set(listed)) < len(listed):
        twice = next(name for name in listed if listed.count(name) > 1)
        raise ParameterError(f"The variable {twice!r} is named twice.")
    return tuple(Variable(name) for name in listed)


def _wire(unit: Unit, places: Sequence[str | int]) -> tuple[Unit, tuple[str | int, ...]]:
    """A source that feeds a unit twice has one wire with the sum of both weights."""
    if len(set(places)) == len(places):
        return unit, tuple(places)
    weights: dict[str | int, float] = {}
    for place, weight in zip(places, unit.weights, strict=True):
        weights[place] = weights.get(place, 0) + weight
    return Unit(tuple(weights.values()), unit.bias), tuple(weights)
