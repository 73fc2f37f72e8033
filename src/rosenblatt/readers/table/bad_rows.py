"""Rows of a table that cannot be read: the line that each is on, what is wrong with it in a sentence, and the error."""

from dataclasses import dataclass, field

from rosenblatt.errors import DataError, option

# Rows of a batch that cannot be read, and what is wrong with each.
BadCells = list[tuple[int, str]]


@dataclass(frozen=True)
class BadLine:
    """A line that is not a row, and what is wrong with it."""

    file: str
    line: int
    what: str


@dataclass(frozen=True)
class LinesOfRows:
    """Which line of a file each row is on: not every line is a row."""

    file: str
    first_line: int  # lines before the first row
    left_out: list[int] = field(default_factory=list)  # lines that were left out

    def line(self, row: int) -> int:
        """The line of a row, from 1.

        >>> LinesOfRows("a.csv", 1, [3]).line(0), LinesOfRows("a.csv", 1, [3]).line(1)
        (2, 4)
        """
        line = row + 1 + self.first_line
        for left_out in sorted(self.left_out):
            line += left_out <= line
        return line


def wrong_width(n_cells: int, n_columns: int) -> str:
    return f"expected {n_columns} columns, found {n_cells}; correct the row"


def not_a_number(column: str, cell: str) -> str:
    return f"expected a number in column {column!r}, found {cell[:40]!r}; correct it"


def not_a_date(column: str, form: str, cell: str) -> str:
    return f"expected a date ({form}) in column {column!r}, found {cell[:40]!r}; correct it"


def number_too_large(column: str) -> str:
    return f"column {column!r} holds a number beyond the largest float; correct it"


def product_too_large(first: str, second: str) -> str:
    return (
        f"the product of columns {first!r} and {second!r}, which are crossed, is beyond the largest float; scale them"
    )


def label_missing(column: str | None) -> str:
    return f"the label, column {column!r}, is empty; fill it in"


def label_too_long(column: str | None, most: int) -> str:
    return f"the label, column {column!r}, has more than {most:,} bytes; shorten it"


def bad_row_error(file: str, line: int, sentence: str) -> DataError:
    """The error about a row; the sentence already names file and line."""
    advice = f"or skip such rows with {option('on_bad_row', 'skip')}"
    return DataError(f"{sentence}, {advice}.", file=file, line=line)
