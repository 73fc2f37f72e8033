"""Text -> expression. Errors point at the character."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from rosenblatt.errors import ExpressionError
from rosenblatt.logic.expression import Expression, Variable, at_least, constant
from rosenblatt.logic.gates import MAJORITY, NAND, NOR, GateName

_TOKEN = re.compile(
    r"\s*(?:(?P<word>[^\W\d]\w*)|(?P<number>\d+)|(?P<sign><->|<=>|->|=>|==|&&|\|\||[~!¬&∧|\u2228^⊕→↔(),]))"
)
_SAME = {
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
# From loose to tight, as in Python; NAND and NOR between two operands bind like AND and OR.
_LEVELS: tuple[dict[str, Callable[[Expression, Expression], Expression]], ...] = (
    {"<->": lambda p, q: p.iff(q)},
    {"->": lambda p, q: p.implies(q)},
    {"|": lambda p, q: p | q, "nor": NOR},
    {"^": lambda p, q: p ^ q},
    {"&": lambda p, q: p & q, "nand": NAND},
)
_GATES: dict[str, GateName] = {"majority": MAJORITY, "nand": NAND, "nor": NOR}
_DEEPEST = 100


@dataclass(frozen=True)
class _Token:
    sign: str  # the operator it stands for, 'name', 'number' or 'end'
    text: str
    start: int


def parse(text: str) -> Expression:
    """Read an expression: ~ & ^ | -> <-> from tight to loose, or the words not, and, xor, or, implies, iff.

    >>> f = parse("x1 AND NOT x2")
    >>> f(x1=1, x2=0)
    True
    >>> parse("at_least(2, a, b, c) -> ~d")
    at_least(2, a, b, c) -> ~d
    """
    if not isinstance(text, str):
        raise ExpressionError(f"parse takes text such as 'a & ~b'. Got {text!r} instead.", "", 0)
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.at = 0
        self.depth = 0
        self.variables: dict[str, Variable] = {}

    @property
    def token(self) -> _Token:
        return self.tokens[self.at]

    def take(self) -> _Token:
        token = self.token
        self.at += 1
        return token

    def fail(self, wanted: str) -> ExpressionError:
        token = self.token
        found = "the text ends here" if token.sign == "end" else f"found {token.text!r}"
        return ExpressionError(
            f"Expected {wanted} at character {token.start + 1}, but {found}.", self.text, token.start
        )

    def expect(self, sign: str, wanted: str) -> None:
        if self.token.sign != sign:
            raise self.fail(wanted)
        self.at += 1

    def whole(self) -> Expression:
        found = self.level(0)
        if self.token.sign != "end":
            raise self.fail("an operator such as & or |")
        return found

    def level(self, k: int) -> Expression:
        """Operands of one strength, joined from the left; -> from the right."""
        if k == len(_LEVELS):
            return self.negated()
        operands, operators = [self.level(k + 1)], []
        while self.token.sign in _LEVELS[k]:
            operators.append(_LEVELS[k][self.take().sign])
            operands.append(self.level(k + 1))
        if "->" in _LEVELS[k]:
            found = operands.pop()
            while operands:
                found = operands.pop().implies(found)
            return found
        found = operands[0]
        for join, operand in zip(operators, operands[1:], strict=True):
            found = join(found, operand)
        return found

    def negated(self) -> Expression:
        times = 0
        while self.token.sign == "~":
            self.at += 1
            times += 1
        found = self.atom()
        for _ in range(times):
            found = ~found
        return found

    def atom(self) -> Expression:
        token = self.token
        if token.sign == "name":
            self.at += 1
            return self.variables.setdefault(token.text, Variable(token.text))
        if token.sign in ("0", "1"):
            self.at += 1
            return constant(token.sign == "1")
        if token.sign == "(":
            return self.arguments()[0]
        if token.sign in _GATES:
            self.at += 1
            gate: Expression = _GATES[token.sign](*self.arguments(many=True))
            return gate
        if token.sign == "at_least":
            return self.counted()
        raise self.fail("a variable, ~ or (")

    def arguments(self, *, many: bool = False, count: bool = False) -> list[Expression]:
        """What stands in brackets: one expression, or with many a list of them."""
        if self.depth == _DEEPEST:
            raise ExpressionError(
                f"More than {_DEEPEST} brackets are open at character {self.token.start + 1}: "
                "build parts of the expression with variables and operators instead.",
                self.text,
                self.token.start,
            )
        if not count:
            self.expect("(", "(")
        self.depth += 1
        found = [self.level(0)]
        while many and self.token.sign == ",":
            self.at += 1
            found.append(self.level(0))
        self.expect(")", ", or )" if many else "an operator or )")
        self.depth -= 1
        return found

    def counted(self) -> Expression:
        self.at += 1
        self.expect("(", "(")
        if self.token.sign not in ("number", "0", "1"):
            raise self.fail("how many must be true, a whole number,")
        k = int(self.take().text)
        self.expect(",", ", after the number")
        return at_least(k, *self.arguments(many=True, count=True))


def _tokens(text: str) -> list[_Token]:
    tokens, at = [], 0
    end = len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            raise ExpressionError(f"The character {text[at]!r} at {at + 1} has no meaning here.", text, at)
        group = match.lastgroup or ""
        shown = match[group]
        plain = "name" if group == "word" else group
        tokens.append(_Token(_SAME.get(shown.lower(), plain), shown, match.start(group)))
        at = match.end()
    return [*tokens, _Token("end", "", end)]
