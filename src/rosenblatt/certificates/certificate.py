"""The three answers, each with its evidence: Separable, Inseparable, Undecided.

Certificate
├── Separable      a hyperplane, its margin, and a proof that no margin is much wider
├── Inseparable    a few rows with weights, whose averages in the two classes are the same point
└── Undecided      the bounds on the margin when time ran out
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificates import figures_hook, sentences, verify
from rosenblatt.certificates.points.check_input import check_points
from rosenblatt.certificates.points.points import Points
from rosenblatt.errors import DataError
from rosenblatt.records import Floats

Verified: TypeAlias = Literal["exact", "numerical"]


@dataclass(frozen=True, eq=False)
class DataFingerprint:
    """What identifies the data of a certificate: the labels of signs -1 and +1, the size, and a digest.

    Rows with numbers as targets have no labels.
    """

    labels: tuple[Any, ...]
    n_rows: int
    n_features: int
    digest: str = field(repr=False)

    @classmethod
    def from_points(cls, points: Points) -> Self:
        return cls(points.labels, points.n_rows, points.n_features, points.digest)

    def check_same_data(self, points: Points) -> None:
        """Raise DataError unless these are the points that the certificate was made for."""
        if (points.n_rows, points.n_features) != (self.n_rows, self.n_features):
            raise DataError(
                f"This certificate is about {self.n_rows} rows of {self.n_features} columns, but the data has "
                f"{points.n_rows} of {points.n_features}: check it against the data it was made for."
            )
        if points.digest != self.digest:
            raise DataError(
                "This certificate was made for other data: the size is the same, but numbers, labels or the order of "
                "rows differ. Check it against the data it was made for."
            )
        if self.labels and all(_is_same_label(*pair) for pair in zip(points.labels, self.labels[::-1], strict=True)):
            raise DataError(
                "This certificate has the labels of the two classes swapped. Check it against the data it was made for."
            )


def _is_same_label(label: Any, saved: Any) -> bool:
    """Whether two labels are equal up to their type: a file may hold the label 1 as '1' or 1.0."""
    try:
        return bool(str(label) == str(saved) or float(label) == float(saved))
    except (TypeError, ValueError):
        return False


@dataclass(frozen=True, eq=False)
class CertifiedHyperplane:
    """A hyperplane w.x + b = 0, its proven margin, and weighted rows that prove an upper bound on every margin."""

    w: NDArray[Any] = field(repr=False)  # floats, or Fractions where no floats separate the rows
    b: Any
    margin: float  # proven: every row is at least this far from the hyperplane
    upper: float  # proven: no hyperplane has a wider margin
    rows: NDArray[np.intp] = field(repr=False)
    weights: Floats = field(repr=False)

    @property
    def gap(self) -> float:
        """How much wider the widest margin may be than this one, relative to the widest."""
        return max(0.0, 1.0 - self.margin / self.upper) if self.upper > 0 else 0.0


def _prove_upper_bound(
    points: Points, rows: NDArray[np.intp], weights: Floats, upper: float, *, augmented: bool = False
) -> bool:
    """Whether the weighted rows prove that no margin exceeds `upper`."""
    if not verify.are_valid_weights(points, rows, weights):
        return False
    with np.errstate(all="ignore"):
        return verify.margin_above(points, rows, weights, augmented=augmented) <= upper * (1 + 1e-12)


@dataclass(frozen=True, eq=False)
class Certificate:
    """An answer about one data set, with its proof. `verified` says how the proof was checked: exactly or in floats."""

    kind: ClassVar[str] = ""
    subject: DataFingerprint

    def verify(self, X: Any, y: Any) -> bool:
        """Check every claim on the data again, without trusting the search that made it."""
        points = check_points(X, y)
        try:
            self.check(points)
        except DataError:
            return False
        return True

    def check(self, points: Points) -> None:
        """Raise DataError, with the reason, unless every claim holds on these points."""
        raise NotImplementedError

    def explain(self, count_from: int = 0) -> str:
        """The answer and its proof in plain English; rows are counted from 0, as in Python, unless asked otherwise."""
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
        """Draw the proof in the plane of two columns; `columns` chooses them where the data has more.

        `names` are those of all columns, for the axes; a DataFrame has its own.
        """
        return figures_hook.load_figures().plot_certificate(
            self, X, y, ax=ax, columns=columns, names=names, theme=theme
        )

    def to_dict(self) -> dict[str, Any]:
        """The certificate as numbers, lists and strings: the content of its JSON file."""
        from rosenblatt.certificates.certificate_file import as_dict

        return as_dict(self)

    def save(self, path: str | Path) -> None:
        """Write the certificate to a JSON file, atomically; `load_certificate` reads it back."""
        from rosenblatt.certificates.certificate_file import save

        save(self, path)


@dataclass(frozen=True, eq=False)
class Separable(Certificate):
    """A hyperplane has every row strictly on its own side; its margin is the widest, up to `gap`.

    w.x + b is above 0 for the class of the larger label. `margin` is the distance of the nearest row, `support` the
    rows whose weighted averages prove that no margin is much wider. In the space of (x, 1), where the perceptron learns
    its bias, `radius` is the length of the longest row, `augmented_margin` the widest margin, and a perceptron started
    from zero makes at most `mistake_bound` mistakes.
    """

    kind: ClassVar[str] = "separable"
    geometric: CertifiedHyperplane
    augmented: CertifiedHyperplane
    radius: float
    verified: Verified = "exact"

    @property
    def w(self) -> NDArray[Any]:
        return self.geometric.w

    @property
    def b(self) -> Any:
        return self.geometric.b

    @property
    def margin(self) -> float:
        return self.geometric.margin

    @property
    def gap(self) -> float:
        """The relative duality gap: the widest margin is at most margin / (1 - gap)."""
        return self.geometric.gap

    @property
    def support(self) -> NDArray[np.intp]:
        return self.geometric.rows

    @property
    def augmented_margin(self) -> float:
        return self.augmented.margin

    @property
    def mistake_bound(self) -> float:
        """(R / margin)^2 in the space of (x, 1)."""
        ratio = self.radius / self.augmented.margin if self.augmented.margin > 0 else float("inf")
        return ratio * ratio  # ratio ** 2 raises OverflowError where this is inf

    def check(self, points: Points) -> None:
        self.subject.check_same_data(points)
        # Comparisons are negated so that a claim of NaN fails.
        for name, plane, augmented in (("", self.geometric, False), ("augmented ", self.augmented, True)):
            if not verify.is_finite_hyperplane(points, plane.w, plane.b):
                raise DataError(f"The {name}hyperplane needs a finite weight for each column, and a finite bias.")
            margin = verify.margin_below(points, plane.w, plane.b, augmented=augmented)
            if margin is None:
                row = verify.separation(points, plane.w, plane.b).wrong[0]
                raise DataError(f"Row {row} is not strictly on its side of the {name}hyperplane.")
            if not margin >= plane.margin * (1 - 1e-12):
                raise DataError(f"The {name}margin is smaller than the certificate says.")
            if not _prove_upper_bound(points, plane.rows, plane.weights, plane.upper, augmented=augmented):
                raise DataError(f"The rows of the certificate do not prove its upper bound on the {name}margin.")
        if not verify.radius_above(points) <= self.radius * (1 + 1e-12):
            raise DataError("A row is longer than the radius in the certificate.")

    def explain(self, count_from: int = 0) -> str:
        return sentences.separable(self, count_from)

    def __repr__(self) -> str:
        return (
            f"Separable(margin={self.margin:.6g}, gap={self.gap:.1e}, support={len(self.support)} rows, "
            f"radius={self.radius:.6g}, mistake_bound={self.mistake_bound:.6g}, verified={self.verified!r})"
        )


@dataclass(frozen=True, eq=False)
class Inseparable(Certificate):
    """No hyperplane separates the classes: sum weight * y * (x, 1) = 0 over `rows`, every weight above 0.

    y is +1 for the larger label. The weights of each class sum to 1, so the weighted averages of the two classes are
    the same point. `residual` is the distance between them, 0 where the check was exact.
    """

    kind: ClassVar[str] = "inseparable"
    rows: NDArray[np.intp]
    weights: tuple[Fraction, ...]
    signs: tuple[int, ...]
    residual: float = 0.0
    verified: Verified = "exact"

    def check(self, points: Points) -> None:
        self.subject.check_same_data(points)
        if self.verified == "exact":
            if not verify.averages_coincide(points, self.rows.tolist(), self.weights):
                raise DataError("The weighted rows of the two classes do not have the same average.")
        elif not self._averages_are_near(points):
            raise DataError("The weighted averages of the two classes are further apart than the certificate says.")
        if self.signs != tuple(points.signs[self.rows].tolist()):
            raise DataError("The certificate assigns rows to the wrong class.")

    def _averages_are_near(self, points: Points) -> bool:
        weights = verify.as_floats(np.array(self.weights, dtype=object))
        with np.errstate(all="ignore"):
            return verify.are_valid_weights(points, self.rows, weights) and (
                verify.residual(points, self.rows, weights) <= self.residual * (1 + 1e-9)
            )

    def explain(self, count_from: int = 0) -> str:
        return sentences.inseparable(self, count_from)

    def __repr__(self) -> str:
        shown = ", ".join(str(i) for i in self.rows[:6].tolist()) + (", ..." if len(self.rows) > 6 else "")
        return f"Inseparable({len(self.rows)} rows: [{shown}], verified={self.verified!r})"


@dataclass(frozen=True, eq=False)
class Undecided(Certificate):
    """Time ran out: the widest margin lies in `bracket`, where 0 means that no hyperplane separates the classes.

    The `hardest` rows, weighted by `shares`, prove the upper end: no margin is wider than half the distance between
    the weighted averages of the two classes.
    """

    kind: ClassVar[str] = "undecided"
    bracket: tuple[float, float]
    hardest: NDArray[np.intp] = field(repr=False)
    shares: Floats = field(repr=False)
    verified: Verified = "numerical"

    def check(self, points: Points) -> None:
        self.subject.check_same_data(points)
        if not _prove_upper_bound(points, self.hardest, self.shares, self.bracket[1]):
            raise DataError("The rows of the certificate do not prove the upper end of its bracket.")

    def explain(self, count_from: int = 0) -> str:
        return sentences.undecided(self)

    def __repr__(self) -> str:
        return f"Undecided(bracket={self.bracket})"
