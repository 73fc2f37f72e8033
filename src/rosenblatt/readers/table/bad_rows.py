"""Which line of a file each row of a table is on."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class BadLine:
    """A line that is no row, and what is wrong with it."""

    file: str
    line: int
    what: str


@dataclass(frozen=True)
class LinesOfRows:
    """Which line of a file each row is on, where lines before it are none of the rows."""

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
