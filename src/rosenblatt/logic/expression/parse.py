"""The function `parse`: text -> expression. Errors point at the character."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from rosenblatt.errors import ExpressionError
from rosenblatt.logic.expression.expression import Expression, Variable, at_least, constant
from rosenblatt.logic.expression.gates import MAJORITY, NAND, NOR, GateFunction

_TOKEN = re.compile(
    r"\s*(?:(?P<word>[^\W\d]\w*)|(?P<number>\d+)|(?P<sign><->|<=>|->|=>|==|&&|\|\||[~!¬&∧|\u2228^⊕→↔(),]))"
)
_SYNONYMS = {
    **dict.fromkeys(["~", "!", "¬", "not"], "~"),
    **dict.fromkeys(["&", "&&", "∧", "and"], "&"),
    **dict.fromkeys(["|", "||", "\u2228", "or"], "|"),
    **dict.fromkeys(["^", "⊕", "xor"], "^"),
    **dict.fromkeys(["->", "=>", "→", "implies"], "->"),
    **dict.fromkeys(["<->", "<=>", "↔", "==", "iff"], "<->"),
    **{word: word for word in ("nand", "nor", "majority", "at_least", "(", ")", ",")},
    **dict.fromkeys(["true", "1"], "1"),
    **dict.fromkeys(["false", "0"], "0"),
}
# From the lowest precedence to the highest, as in Python; infix NAND and NOR have that of AND and OR.
_LEVELS: tuple[dict[str, Callable[[Expression, Expression], Expression]], ...] = (
    {"<->": lambda p, q: p.iff(q)},
    {"->": lambda p, q: p.implies(q)},
    {"|": lambda p, q: p | q, "nor": NOR},
    {"^": lambda p, q: p ^ q},
    {"&": lambda p, q: p & q, "nand": NAND},
)
_GATES: dict[str, GateFunction] = {"majority": MAJORITY, "nand": NAND, "nor": NOR}
_MAX_DEPTH = 100


@dataclass(frozen=True)
class _Token:
    sign: str  # its operator in canonical form, 'name', 'number' or 'end'
    text: str
    start: int


def parse(text: str) -> Expression:
    """Parse an expression of ~ & ^ | -> <->, from high to low precedence, or of not, and, xor, or, implies, iff.

    Parameters
    ----------
    text : str
        Such as ``"~(a & b) & (a | b)"``.

    Returns
    -------
    logic.Expression
        Its variables are in the order in which the text names them.

    Examples
    --------
    >>> f = parse("x1 AND NOT x2")
    >>> f(x1=1, x2=0)
    True
    >>> parse("at_least(2, a, b, c) -> ~d")
    at_least(2, a, b, c) -> ~d
    """
    if not isinstance(text, str):
        raise ExpressionError(f"parse takes text such as 'a & ~b'. Got {text!r} instead.", "", 0)
    return _Parser(text).parse()


class _Parser:
    """A recursive-descent parser; `position` is that of the next token."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.position = 0
        self.depth = 0
        self.variables: dict[str, Variable] = {}

    @property
    def token(self) -> _Token:
        return self.tokens[self.position]

    def take(self) -> _Token:
        token = self.token
        self.position += 1
        return token

    def error(self, expected: str) -> ExpressionError:
        token = self.token
        actual = "the text ends here" if token.sign == "end" else f"found {token.text!r}"
        return ExpressionError(
            f"Expected {expected} at character {token.start + 1}, but {actual}.", self.text, token.start
        )

    def expect(self, sign: str, expected: str) -> None:
        if self.token.sign != sign:
            raise self.error(expected)
        self.position += 1

    def parse(self) -> Expression:
        expression = self.level(0)
        if self.token.sign != "end":
            raise self.error("an operator such as & or |")
        return expression

    def level(self, k: int) -> Expression:
        """The operands of one precedence, grouped from the left; those of -> from the right."""
        if k == len(_LEVELS):
            return self.negation()
        operands, operators = [self.level(k + 1)], []
        while self.token.sign in _LEVELS[k]:
            operators.append(_LEVELS[k][self.take().sign])
            operands.append(self.level(k + 1))
        if "->" in _LEVELS[k]:
            expression = operands.pop()
            while operands:
                expression = operands.pop().implies(expression)
            return expression
        expression = operands[0]
        for operator, operand in zip(operators, operands[1:], strict=True):
            expression = operator(expression, operand)
        return expression

    def negation(self) -> Expression:
        count = 0
        while self.token.sign == "~":
            self.position += 1
            count += 1
        expression = self.atom()
        for _ in range(count):
            expression = ~expression
        return expression

    def atom(self) -> Expression:
        token = self.token
        if token.sign == "name":
            self.position += 1
            return self.variables.setdefault(token.text, Variable(token.text))
        if token.sign in ("0", "1"):
            self.position += 1
            return constant(token.sign == "1")
        if token.sign == "(":
            return self.arguments()[0]
        if token.sign in _GATES:
            self.position += 1
            gate: Expression = _GATES[token.sign](*self.arguments(many=True))
            return gate
        if token.sign == "at_least":
            return self.at_least()
        raise self.error("a variable, ~ or (")

    def arguments(self, *, many: bool = False, is_open: bool = False) -> list[Expression]:
        """One expression in brackets, or with `many` a list of them; `is_open` if the bracket has been read."""
        if self.depth == _MAX_DEPTH:
            raise ExpressionError(
                f"More than {_MAX_DEPTH} brackets are open at character {self.token.start + 1}: "
                "build parts of the expression with variables and operators instead.",
                self.text,
                self.token.start,
            )
        if not is_open:
            self.expect("(", "(")
        self.depth += 1
        arguments = [self.level(0)]
        while many and self.token.sign == ",":
            self.position += 1
            arguments.append(self.level(0))
        self.expect(")", ", or )" if many else "an operator or )")
        self.depth -= 1
        return arguments

    def at_least(self) -> Expression:
        self.position += 1
        self.expect("(", "(")
        if self.token.sign not in ("number", "0", "1"):
            raise self.error("how many must be true, an integer,")
        k = int(self.take().text)
        self.expect(",", ", after the number")
        return at_least(k, *self.arguments(many=True, is_open=True))


def _tokens(text: str) -> list[_Token]:
    tokens, position = [], 0
    end = len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            position += len(text[position:]) - len(text[position:].lstrip())
            raise ExpressionError(
                f"The character {text[position]!r} at {position + 1} has no meaning here.", text, position
            )
        group = match.lastgroup or ""
        token = match[group]
        default = "name" if group == "word" else group
        tokens.append(_Token(_SYNONYMS.get(token.lower(), default), token, match.start(group)))
        position = match.end()
    return [*tokens, _Token("end", "", end)]
