"""The sentences about rows that cannot be read, one for each fault that the native parsers report."""

from enum import IntEnum
from typing import NamedTuple

from rosenblatt.errors import DataError, option


class Kind(IntEnum):
    """The faults, numbered as in cpp/parse/parsed_lines.hpp."""

    NO_COLON = 0
    NO_INDEX = 1
    NEGATIVE_INDEX = 2
    INDEX_BEYOND = 3
    INDEX_ZERO = 4
    NO_NUMBER = 5
    NOT_FINITE = 6
    TOO_LARGE = 7
    SEVERAL_LABELS = 8
    ODD_BYTE = 9
    NO_BAR = 10
    NO_LABEL = 11
    BAD_WEIGHT = 12
    NO_TAB = 13
    EMPTY_LABEL = 14
    BASE_GIVEN = 15
    PRODUCT_TOO_LARGE = 16
    MANY_PRODUCTS = 17
    LONG_LABEL = 18
    NO_MARKED_LABEL = 100  # found by the reader of fastText's lines, not by a native parser


_SENTENCES = {
    Kind.NO_COLON: "expected ':' after feature index {about}",
    Kind.NO_INDEX: "expected a feature index, found {token!r}",
    Kind.NEGATIVE_INDEX: "feature index {token} is negative",
    Kind.INDEX_BEYOND: "feature index {token} is beyond 2147483647; number the features without large gaps",
    Kind.INDEX_ZERO: "feature index 0 in a file whose indices begin at 1",
    Kind.NO_NUMBER: "expected a number as the value of feature {about}, found {token!r}",
    Kind.NOT_FINITE: "the value of feature {about} is {token}; every value must be finite, leave missing ones out",
    Kind.TOO_LARGE: "the value of feature {about} is {token}, beyond the largest float",
    Kind.SEVERAL_LABELS: "the label {token!r} names several classes; each example must have one",
    Kind.ODD_BYTE: "unexpected byte 0x{byte:02x}; this does not look like a text file",
    Kind.NO_BAR: "expected '|' before the features, found {token!r}",
    Kind.NO_LABEL: "expected a label, a weight and a tag before the first '|', found {token!r}",
    Kind.BAD_WEIGHT: "the importance {token} is not a finite number of at least 0",
    Kind.NO_TAB: "expected a label, a tab and a text, found no tab in {token!r}",
    Kind.EMPTY_LABEL: "expected a label before the tab, found none",
    Kind.BASE_GIVEN: "the third number before '|', {token}, would be an initial prediction, which is not supported; "
    "leave it out",
    Kind.PRODUCT_TOO_LARGE: "the product of feature {about} and {token!r}, which are crossed, is beyond the largest "
    "float",
    Kind.MANY_PRODUCTS: "namespaces {about} and {token!r} are crossed, and this line would give more than 1,048,576 "
    "products; cross smaller namespaces",
    Kind.NO_MARKED_LABEL: "expected a word that begins with __label__, found {token!r}",
    Kind.LONG_LABEL: "the label that begins with {token!r} has more than 1,000 bytes",
}
_ADVICE = {
    Kind.SEVERAL_LABELS: f"to learn all of them, use {option('multi_label')}",
    Kind.INDEX_ZERO: f"if they begin at 0, use {option('index_base', 0)}",
    Kind.LONG_LABEL: f"if the file has another format, name it with {option('format')}",
}


class Fault(NamedTuple):
    """A row that cannot be read, as a native parser reports it; its line is counted from the start of its block."""

    kind: int
    line: int
    column: int
    token: bytes
    about: bytes

    def sentence(self, file: str, lines_before: int) -> str:
        """`file:line:column: what is wrong`."""
        token, about = (part.decode("utf-8", errors="replace") for part in (self.token, self.about))
        sentence = _SENTENCES[Kind(self.kind)]
        if self.kind == Kind.NO_LABEL and ":" in token:
            sentence = "the label {token!r} holds costs or probabilities, which are not learned; give one label"
        elif self.kind == Kind.NO_NUMBER and token in ("", "?"):
            sentence += "; leave missing values out"
        what = sentence.format(token=token, about=about, byte=(self.token or b"\0")[0])
        return f"{file}:{lines_before + self.line}:{self.column}: {what}"

    def error(self, file: str, lines_before: int, error: type[DataError] = DataError, why: str = "") -> DataError:
        """The sentence as an error, followed by what to do about it, and `why` where that needs a reason."""
        advice = _ADVICE.get(Kind(self.kind))
        sentence = self.sentence(file, lines_before) + (f"; {advice}" if advice else "") + why
        return error(f"{sentence}.", file=file, line=lines_before + self.line, column=self.column)
