"""Gates as functions of expressions or of truth values: AND, OR, NOT, NAND, NOR, MAJORITY, XOR."""

from typing import Any

from rosenblatt.errors import ParameterError
from rosenblatt.logic.expression.expression import Expression, Gate, Variable, to_expression
from rosenblatt.logic.unit import Unit


class GateFunction:
    """A gate of any number of inputs that is one unit: it turns on (negated: off) when enough inputs are true.

    Enough are `count` inputs, or if that is 0 all of them; with `half`, more than half of them.
    """

    def __init__(self, name: str, count: int, meaning: str, *, negated: bool = False, half: bool = False) -> None:
        self.name, self._count, self._negated, self._half = name, count, negated, half
        self.__doc__ = meaning

    def unit(self, inputs: int = 2) -> Unit:
        """The unit for this many inputs.

        >>> print(AND.unit(3))
        fires when x1 + x2 + x3 > 2.5
        """
        if isinstance(inputs, bool) or not isinstance(inputs, int) or inputs < 1 or (self.name == "NOT" and inputs > 1):
            expected = "exactly one input" if self.name == "NOT" else "one or more inputs"
            raise ParameterError(f"{self.name} takes {expected}. Got {inputs!r} instead.")
        enough = self._count or (inputs // 2 + 1 if self._half else inputs)
        sign = -1 if self._negated else 1
        return Unit([sign] * inputs, threshold=sign * (enough - 0.5))

    def __call__(self, *sources: Any) -> Any:
        """An expression if any source is one; else the truth value of truth values, or an array of them."""
        unit = self.unit(len(sources))
        if any(isinstance(source, Expression) for source in sources):
            return Gate(self.name, unit, [to_expression(source) for source in sources])
        inputs = [Variable(f"input{k + 1}") for k in range(len(sources))]
        values = {variable.name: source for variable, source in zip(inputs, sources, strict=True)}
        return Gate(self.name, unit, inputs)(**values)

    def __repr__(self) -> str:
        return f"logic.{self.name}"


AND = GateFunction("AND", 0, "True where all inputs are.")
OR = GateFunction("OR", 1, "True where at least one input is.")
NOT = GateFunction("NOT", 1, "True where its one input is not.", negated=True)
NAND = GateFunction("NAND", 0, "True unless all inputs are.", negated=True)
NOR = GateFunction("NOR", 1, "True where no input is.", negated=True)
MAJORITY = GateFunction("MAJORITY", 0, "True where more than half of the inputs are.", half=True)


def XOR(first: Any, second: Any) -> Any:  # noqa: N802  (a gate, as the lectures write it)
    """True where exactly one of two inputs is true: a network of two units, since no single one can do it.

    Parameters
    ----------
    first, second : logic.Expression or bool
        The two inputs.

    Returns
    -------
    logic.Expression or bool
        An expression if one of the inputs is one, else a truth value.

    Examples
    --------
    >>> from rosenblatt import logic
    >>> logic.XOR(True, False)
    True
    >>> a, b = logic.variables("a b")
    >>> logic.XOR(a, b).truth_table().outputs.tolist()
    [False, True, True, False]
    """
    if isinstance(first, Expression) or isinstance(second, Expression):
        return to_expression(first) ^ second
    left, right = Variable("first"), Variable("second")
    return (left ^ right)(first=first, second=second)
