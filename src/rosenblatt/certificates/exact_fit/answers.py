"""The two answers, each with its evidence: ExactFit and NoExactFit."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificates import sentences
from rosenblatt.certificates.certificate import Certificate, Verified
from rosenblatt.certificates.exact_fit import verify_fit
from rosenblatt.certificates.exact_fit.equations import Equations, check_equations
from rosenblatt.certificates.points.points import Points
from rosenblatt.errors import DataError, ParameterError, plural
from rosenblatt.records import Floats


@dataclass(frozen=True, eq=False)
class FitCertificate(Certificate):
    """An answer about rows with a number as their target."""

    def verify(self, X: Any, y: Any) -> bool:
        """Check every claim on the data again, without trusting the search that made it."""
        equations = check_equations(X, y)
        try:
            self.check(equations)
        except DataError:
            return False
        return True

    def check(self, points: Points) -> None:
        if not isinstance(points, Equations):
            raise DataError("This certificate is about numbers as targets, not about classes.")
        self.subject.check_same_data(points)
        self.check_equations(points)

    def check_equations(self, equations: Equations) -> None:
        """Raise DataError, with the reason, unless every claim holds on these equations."""
        raise NotImplementedError

    def plot(
        self,
        X: Any,
        y: Any,
        ax: Any = None,
        *,
        columns: tuple[int, int] | None = None,
        names: Sequence[str] | None = None,
        theme: str = "light",
    ) -> Any:
        """Raise ParameterError: such a certificate has no picture."""
        raise ParameterError("A certificate about numbers as targets has no picture: use figures.plot_line.")


@dataclass(frozen=True, eq=False)
class ExactFit(FitCertificate):
    """w.x + b is the target of every row, exactly.

    `rows` are independent with a 1 appended to each. If there are as many as unknowns, they determine w and b, and no
    other linear function fits.
    """

    kind: ClassVar[str] = "exact fit"
    w: NDArray[Any] = field(repr=False)  # Fractions
    b: Fraction
    rows: NDArray[np.intp] = field(repr=False)
    verified: Verified = "exact"

    @property
    def is_unique(self) -> bool:
        """Is it proven that no other linear function meets every target?"""
        return len(self.rows) == self.subject.n_features + 1

    def predict(self, X: Any) -> Floats:
        """w.x + b of other rows, rounded to floats."""
        return np.asarray(X, dtype=np.float64) @ self.w.astype(np.float64) + float(self.b)

    def check_equations(self, equations: Equations) -> None:
        if self.w.shape != (equations.n_features,):
            raise DataError("The linear function needs a weight for each column.")
        if not verify_fit.are_independent(equations, self.rows.tolist()):
            raise DataError("The rows that should determine the linear function depend on each other.")
        missed = verify_fit.missed_row(equations, self.w.tolist(), self.b)
        if missed is not None:
            raise DataError(f"The linear function does not meet the target of row {missed}.")

    def explain(self, count_from: int = 0) -> str:
        return sentences.exact_fit(self)

    def __repr__(self) -> str:
        return f"ExactFit({plural(self.subject.n_rows, 'row')}, unique={self.is_unique}, verified={self.verified!r})"


@dataclass(frozen=True, eq=False)
class NoExactFit(FitCertificate):
    """No linear function meets every target: over `rows`, sum weight * (x, 1) = 0, and sum weight * y = `mismatch`.

    The weights are integers without a common divisor, as Fractions; if any of these rows is left out, some function
    meets the targets of the others.
    """

    kind: ClassVar[str] = "no exact fit"
    rows: NDArray[np.intp]
    weights: tuple[Fraction, ...]
    targets: tuple[Fraction, ...]  # of these rows
    verified: Verified = "exact"

    @property
    def mismatch(self) -> Fraction:
        return sum((w * y for w, y in zip(self.weights, self.targets, strict=True)), Fraction(0))

    def check_equations(self, equations: Equations) -> None:
        if verify_fit.refutes(equations, self.rows.tolist(), self.weights) is None:
            raise DataError("The weighted rows do not add up to 0, or their weighted targets do.")
        if tuple(equations.exact_target(i) for i in self.rows.tolist()) != self.targets:
            raise DataError("The certificate gives rows other targets than they have.")

    def explain(self, count_from: int = 0) -> str:
        return sentences.no_exact_fit(self, count_from)

    def __repr__(self) -> str:
        shown = ", ".join(str(i) for i in self.rows[:6].tolist()) + (", ..." if len(self.rows) > 6 else "")
        return f"NoExactFit({len(self.rows)} rows: [{shown}], verified={self.verified!r})"
