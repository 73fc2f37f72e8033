"""Truth tables: the value of a Boolean function on all 2^n rows, in counting order, the first variable in front."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import DataError, ParameterError

MAX_VARIABLES = 20
_MAX_PRINTED_ROWS = 64


@dataclass(frozen=True, eq=False)
class TruthTable:
    """One bool for each of the 2^n rows; row r holds the bits of r, the first variable the most significant.

    >>> print(TruthTable(("a", "b"), "0110"))
    a b |
    0 0 | 0
    0 1 | 1
    1 0 | 1
    1 1 | 0
    """

    variables: tuple[str, ...]
    outputs: NDArray[np.bool_]

    def __init__(self, variables: Sequence[str], outputs: Any) -> None:
        check_table_size(len(variables))
        values = _check_outputs(outputs)
        if len(values) != 2 ** len(variables):
            raise DataError(
                f"A truth table of {len(variables)} variables has {2 ** len(variables):,} rows, but it got "
                f"{len(values):,} outputs."
            )
        values.setflags(write=False)
        object.__setattr__(self, "variables", tuple(variables))
        object.__setattr__(self, "outputs", values)

    @property
    def inputs(self) -> NDArray[np.uint8]:
        """The rows, one column for each variable."""
        return all_rows(len(self.variables))

    def __len__(self) -> int:
        return len(self.outputs)

    def __iter__(self) -> Iterator[tuple[tuple[int, ...], bool]]:
        """Each row with its output."""
        for row, output in zip(self.inputs, self.outputs, strict=True):
            yield tuple(row.tolist()), bool(output)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TruthTable):
            return NotImplemented
        return self.variables == other.variables and bool(np.array_equal(self.outputs, other.outputs))

    def __hash__(self) -> int:
        return hash((self.variables, self.outputs.tobytes()))

    def text(self, max_rows: int | None = None) -> str:
        """The table as text; only the first `max_rows` rows, and how many more there are."""
        n_printed = len(self) if max_rows is None else min(max_rows, len(self))
        widths = [len(name) for name in self.variables]
        lines = [" ".join([*self.variables, "|"])]
        for r in range(n_printed):
            bits = [str(bit).rjust(width) for bit, width in zip(_bits(r, len(widths)), widths, strict=True)]
            lines.append(" ".join([*bits, "|", str(int(self.outputs[r]))]))
        if n_printed < len(self):
            lines.append(f"... {len(self) - n_printed:,} more rows")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text(_MAX_PRINTED_ROWS)


def all_rows(n: int) -> NDArray[np.uint8]:
    """The 2^n rows of n bits, in counting order."""
    check_table_size(n)
    shifts = np.arange(n - 1, -1, -1, dtype=np.int64)
    return ((np.arange(2**n)[:, None] >> shifts) & 1).astype(np.uint8)


def check_table_size(n: int) -> None:
    """Raise DataError if a table of n variables would be too large."""
    if n > MAX_VARIABLES:
        raise DataError(
            f"A truth table of {n} variables has 2^{n} = {2**n:,} rows, and at most {2**MAX_VARIABLES:,} "
            f"({MAX_VARIABLES} variables) are written out: evaluate the expression on the rows you need instead."
        )


def as_table(source: Any) -> TruthTable:
    """The table of a table, of anything that has a truth_table(), or of outputs such as "0110" or [0, 1, 1, 0]."""
    if isinstance(source, TruthTable):
        return source
    if hasattr(source, "truth_table"):
        table: TruthTable = source.truth_table()
        return table
    values = _check_outputs(source)
    n = max(len(values).bit_length() - 1, 0)
    if len(values) != 2**n:
        raise DataError(f"A truth table has 2, 4, 8, ... rows, one for each input. Got {len(values)} outputs.")
    return TruthTable([f"x{i + 1}" for i in range(n)], values)


def _check_outputs(outputs: Any) -> NDArray[np.bool_]:
    try:
        values = np.array(list(outputs)) if not isinstance(outputs, np.ndarray) else outputs.copy()
    except TypeError:
        raise ParameterError(
            f"A truth table must be a TruthTable, an expression or its outputs such as '0110'. Got {outputs!r} instead."
        ) from None
    except ValueError:  # lists of different lengths
        raise DataError("The outputs of a truth table must be one list of 0 and 1.") from None
    if values.dtype.kind == "U":
        values = np.array([{"0": 0, "1": 1}.get(str(v), -1) for v in values])
    if values.ndim != 1 or values.dtype.kind not in "biuf":
        raise DataError("The outputs of a truth table must be one list of 0 and 1.")
    wrong = (values != 0) & (values != 1)
    if wrong.any():
        raise DataError(f"The output of row {int(np.argmax(wrong))} of the truth table is neither 0 nor 1.")
    return values.astype(bool)


def _bits(r: int, n: int) -> list[int]:
    return [(r >> shift) & 1 for shift in range(n - 1, -1, -1)]
