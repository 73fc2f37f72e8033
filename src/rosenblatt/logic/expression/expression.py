"""Boolean expressions. Every operator is a threshold unit, so an expression is a network of units."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.logic.network.network import Network, WiredUnit, build_network, check_bits
from rosenblatt.logic.truth_table import TruthTable
from rosenblatt.logic.unit import Unit

RESERVED_WORDS = frozenset(
    {"and", "or", "not", "xor", "nand", "nor", "implies", "iff", "true", "false", "majority", "at_least"}
)
_MAX_TEXT = 100_000


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
        return _join("AND", self, other)

    def __or__(self, other: Any) -> "Expression":
        return _join("OR", self, other)

    def __xor__(self, other: Any) -> "Expression":
        right = to_expression(other)
        # x + y - 2 (x and y) is 1 if exactly one is true: two units
        return Gate("XOR", Unit([1, 1, -2], threshold=0.5), (self, right, at_least(2, self, right)))

    def __invert__(self) -> "Expression":
        return Gate("NOT", Unit([-1], threshold=-0.5), (self,))

    def __rand__(self, other: Any) -> "Expression":
        return to_expression(other) & self

    def __ror__(self, other: Any) -> "Expression":
        return to_expression(other) | self

    def __rxor__(self, other: Any) -> "Expression":
        return to_expression(other) ^ self

    def implies(self, other: Any) -> "Expression":
        """False only where this is true and the other is not; one unit."""
        return Gate("IMPLIES", Unit([-1, 1], threshold=-0.5), (self, to_expression(other)))

    def iff(self, other: Any) -> "Expression":
        """True where both are equal; two units."""
        right = to_expression(other)
        return Gate("IFF", Unit([-1, -1, 2], threshold=-0.5), (self, right, at_least(2, self, right)))

    def __bool__(self) -> bool:
        raise TypeError("An expression is neither true nor false by itself: use &, | and ~, not and, or, not and ==.")

    # -- evaluating -------------------------------------------------------------------------------------------------

    def __call__(self, **values: Any) -> Any:
        """The truth value for these values of the variables: a bool, or an array where an array was given."""
        for name in values.keys() - set(self.variables):
            raise ParameterError(f"The expression has no variable {name!r}; its variables are {self._variable_list}.")
        for name in self.variables:
            if name not in values:
                raise ParameterError(
                    f"The variable {name!r} has no value: call the expression with {self._variable_list}."
                )
        columns = [check_bits(values[name], name) for name in self.variables]
        try:
            broadcast = np.broadcast_arrays(*columns)
        except ValueError:
            shapes = ", ".join(f"{name} {value.shape}" for name, value in zip(self.variables, columns, strict=True))
            raise DataError(f"The values of the variables do not fit together: their shapes are {shapes}.") from None
        shape = broadcast[0].shape if broadcast else ()
        values_of_rows = self.network.signals([np.ravel(column) for column in broadcast])[0].reshape(shape)
        return bool(values_of_rows) if shape == () else values_of_rows

    def evaluate(self, X: Any) -> NDArray[np.bool_]:
        """The truth value of each row of a matrix with one column for each of `variables`, in their order."""
        return self.network(X)

    def truth_table(self) -> TruthTable:
        """The value on every row; up to 20 variables."""
        return self.network.truth_table()

    # -- looking inside ---------------------------------------------------------------------------------------------

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The names of its variables, in order of first appearance."""
        return tuple(dict.fromkeys(node.name for node in self._nodes() if isinstance(node, Variable)))

    @property
    def _variable_list(self) -> str:
        return ", ".join(self.variables) or "none"

    def _nodes(self) -> Iterator["Expression"]:
        """Every part once, each after its sources; without recursion, because expressions may be deep."""
        visited: set[int] = set()
        stack: list[tuple[Expression, bool]] = [(self, False)]
        while stack:
            node, sources_visited = stack.pop()
            if id(node) in visited:
                continue
            if sources_visited:
                visited.add(id(node))
                yield node
            else:
                stack.append((node, True))
                stack.extend((source, False) for source in reversed(node.sources) if id(source) not in visited)

    @cached_property
    def network(self) -> Network:
        """The units that compute it; equal parts share their units."""
        source_of: dict[int, str | int] = {}  # the variable or the position of the unit that computes each node
        units: list[tuple[str, Unit, Sequence[str | int]]] = []
        position_of: dict[Any, int] = {}
        for node in self._nodes():
            if not isinstance(node, Gate):
                source_of[id(node)] = node.text
                continue
            wired = _join_wires(node.unit, [source_of[id(source)] for source in node.sources])
            if wired not in position_of:
                position_of[wired] = len(units)
                units.append((node.kind, *wired))
            source_of[id(node)] = position_of[wired]
        if not units:
            units.append(("COPY", Unit([1], threshold=0.5), self.variables))
        last = source_of[id(self)]
        return build_network(self.variables, units, [last if isinstance(last, int) else -1])

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
        """For each unit, the weighted sum above which it fires."""
        return self.network.thresholds

    @cached_property
    def text(self) -> str:
        """The expression as text that `parse` reads back."""
        texts: dict[int, tuple[str, int]] = {}
        for node in self._nodes():
            text, precedence = node._text([texts[id(source)] for source in node.sources])
            texts[id(node)] = (text, precedence) if len(text) <= _MAX_TEXT else ("...", _ATOM)
        return texts[id(self)][0]

    def _text(self, sources: Sequence[tuple[str, int]]) -> tuple[str, int]:
        """The text and its precedence, from those of the sources."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.text

    def __str__(self) -> str:
        return f"{self.text}\n{self.network}"


class Variable(Expression):
    """A variable with a name."""

    def __init__(self, name: str) -> None:
        if not re.fullmatch(r"[^\W\d]\w*", name) or name.lower() in RESERVED_WORDS:
            raise ParameterError(
                f"The name of a variable must be made of letters, digits and _, and not be one of "
                f"{', '.join(sorted(RESERVED_WORDS))}. Got {name!r} instead."
            )
        self.name = name

    def _text(self, sources: Sequence[tuple[str, int]]) -> tuple[str, int]:
        return self.name, _ATOM


class Gate(Expression):
    """A unit wired to other expressions."""

    def __init__(self, kind: str, unit: Unit, sources: Sequence[Expression]) -> None:
        if len(unit.weights) != len(sources):
            raise ParameterError(f"A unit with {len(unit.weights)} weights cannot be wired to {len(sources)} sources.")
        if unit.activation != "step":
            raise ParameterError("Only a unit with a hard step gives a truth value: use activation='step'.")
        self.kind, self.unit, self.sources = kind, unit, tuple(sources)

    def _text(self, sources: Sequence[tuple[str, int]]) -> tuple[str, int]:
        if self.kind == "NOT":
            return "~" + _in_brackets(*sources[0], _PRECEDENCE["NOT"]), _PRECEDENCE["NOT"]
        if self.kind in ("TRUE", "FALSE"):
            return self.kind.lower(), _ATOM
        texts = [text for text, _ in sources]
        if self.kind in _INFIX and len(sources) > 1:
            first, *rest = sources[:2] if self.kind in ("XOR", "IFF") else sources
            precedence = _PRECEDENCE[self.kind]
            # Brackets on the right, so that a -> (b -> c) and a ^ (b ^ c) are read back as they were built.
            left = _in_brackets(*first, precedence + (self.kind in ("IMPLIES", "AND", "OR")))
            operands = [left, *(_in_brackets(*part, precedence + 1) for part in rest)]
            return _INFIX[self.kind].join(operands), precedence
        if self.kind.startswith("AT_LEAST"):
            return f"at_least({self.kind.split()[1]}, {', '.join(texts)})", _ATOM
        if self.kind == "unit":
            return f"[{self.unit.formula([_in_brackets(*source, _ATOM) for source in sources])}]", _ATOM
        return f"{self.kind}({', '.join(texts)})", _ATOM


_INFIX = {"AND": " & ", "XOR": " ^ ", "OR": " | ", "IMPLIES": " -> ", "IFF": " <-> "}
_PRECEDENCE = {"IFF": 0, "IMPLIES": 1, "OR": 2, "XOR": 3, "AND": 4, "NOT": 5}
_ATOM = 6


def _in_brackets(text: str, precedence: int, required: int) -> str:
    """The text, in brackets if its precedence is below the required one."""
    return text if precedence >= required else f"({text})"


def _join(kind: str, left: Expression, other: Any) -> Expression:
    """a & b & c is one unit of three inputs, not two of two."""
    right = to_expression(other)
    parts: list[Expression] = []
    for side in (left, right):
        parts.extend(side.sources if isinstance(side, Gate) and side.kind == kind else [side])
    return at_least(len(parts) if kind == "AND" else 1, *parts)


def at_least(k: int, *sources: Any) -> Expression:
    """True where at least k of the sources are true: one unit whose weights are all 1.

    Parameters
    ----------
    k : int
        How many sources must be true.
    *sources : logic.Expression or bool
        Variables, expressions, constants.

    Returns
    -------
    logic.Expression
        One unit.

    Examples
    --------
    >>> a, b, c = variables("a b c")
    >>> at_least(2, a, b, c)(a=1, b=0, c=1)
    True
    """
    if isinstance(k, bool) or not isinstance(k, int | np.integer):
        raise ParameterError(
            f"The first argument of at_least must be an int, how many must be true. Got {k!r} instead."
        )
    parts = tuple(to_expression(source) for source in sources)
    if not parts:
        raise ParameterError("at_least needs sources to count: at_least(2, a, b, c).")
    kind = {1: "OR", len(parts): "AND"}.get(int(k), f"AT_LEAST {k}") if len(parts) > 1 else f"AT_LEAST {k}"
    return Gate(kind, Unit([1] * len(parts), threshold=int(k) - 0.5), parts)


def constant(value: Any) -> Expression:
    """True or False as an expression: a unit without inputs."""
    return Gate("TRUE" if value else "FALSE", Unit([], threshold=-0.5 if value else 0.5), ())


def to_expression(operand: Any) -> Expression:
    """An expression itself, or the constant of a truth value."""
    if isinstance(operand, Expression):
        return operand
    if isinstance(operand, bool | np.bool_) or (isinstance(operand, int | np.integer) and operand in (0, 1)):
        return constant(operand)
    raise ParameterError(f"An expression is built from variables, expressions, 0 and 1. Got {operand!r} instead.")


def variables(names: str | Sequence[str]) -> tuple[Expression, ...]:
    """The variables with these names: a list, or text separated by spaces or commas.

    Parameters
    ----------
    names : str or sequence of str
        Such as ``"a b"``.

    Returns
    -------
    tuple of logic.Expression
        One for each name.

    Examples
    --------
    >>> a, b = variables("a b")
    """
    split = re.split(r"[,\s]+", names.strip()) if isinstance(names, str) else list(names)
    for name in split:
        if not isinstance(name, str):
            raise ParameterError(f"The name of a variable must be text. Got {name!r} instead.")
    if len(set(split)) < len(split):
        repeated = next(name for name in split if split.count(name) > 1)
        raise ParameterError(f"The variable {repeated!r} is named twice.")
    return tuple(Variable(name) for name in split)


def _join_wires(unit: Unit, sources: Sequence[str | int]) -> tuple[Unit, tuple[str | int, ...]]:
    """The unit with one wire from each source; wires from the same source are joined, their weights added."""
    if len(set(sources)) == len(sources):
        return unit, tuple(sources)
    weights: dict[str | int, float] = {}
    for source, weight in zip(sources, unit.weights, strict=True):
        weights[source] = weights.get(source, 0) + weight
    return Unit(tuple(weights.values()), unit.bias), tuple(weights)
