"""The gates by their names: each is one threshold unit, on expressions or on truth values."""

from typing import Any

from rosenblatt.errors import ParameterError
from rosenblatt.logic.expression import Expression, Gate, Variable, at_least, expression
from rosenblatt.logic.unit import Unit


class GateName:
    """A gate of any number of inputs: the weight that each input has, and how many must be true for it to turn."""

    def __init__(self, name: str, least: int, meaning: str, *, negated: bool = False, share: int = 1) -> None:
        self.name, self._least, self._negated, self._share = name, least, negated, share
        self.__doc__ = meaning

    def unit(self, inputs: int = 2) -> Unit:
        """The unit for this many inputs.

        >>> print(AND.unit(3))
        fires when x1 + x2 + x3 > 2.5
        """
        if isinstance(inputs, bool) or not isinstance(inputs, int) or inputs < 1 or (self.name == "NOT" and inputs > 1):
            most = "exactly one input" if self.name == "NOT" else "one or more inputs"
            raise ParameterError(f"{self.name} takes {most}. Got {inputs!r} instead.")
        turn = self._least or inputs // self._share + (self._share > 1)
        sign = -1 if self._negated else 1
        return Unit([sign] * inputs, threshold=sign * (turn - 0.5))

    def __call__(self, *sources: Any) -> Any:
        """An expression of expressions; a truth value, or an array of them, of truth values."""
        unit = self.unit(len(sources))
        if any(isinstance(source, Expression) for source in sources):
            return Gate(self.name, unit, [expression(source) for source in sources])
        inputs = [Variable(f"input{k + 1}") for k in range(len(sources))]
        values = {variable.name: source for variable, source in zip(inputs, sources, strict=True)}
        return Gate(self.name, unit, inputs)(**values)

    def __repr__(self) -> str:
        return f"logic.{self.name}"


AND = GateName("AND", 0, "True where all inputs are.")
OR = GateName("OR", 1, "True where at least one input is.")
NOT = GateName("NOT", 1, "True where its one input is not.", negated=True)
NAND = GateName("NAND", 0, "True unless all inputs are.", negated=True)
NOR = GateName("NOR", 1, "True where no input is.", negated=True)
MAJORITY = GateName("MAJORITY", 0, "True where more than half of the inputs are.", share=2)


def XOR(first: Any, second: Any) -> Any:  # noqa: N802  (a gate, as the lectures write it)
    """True where exactly one of two is. No single unit can: it is a network of two."""
    if isinstance(first, Expression) or isinstance(second, Expression):
        return expression(first) ^ second
    left, right = Variable("first"), Variable("second")
    return (left ^ right)(first=first, second=second)


__all__ = ["AND", "MAJORITY", "NAND", "NOR", "NOT", "OR", "XOR", "GateName", "at_least"]
