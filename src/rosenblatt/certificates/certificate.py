"""The three answers, each with its evidence: Separable, Inseparable, Undecided.

Certificate
├── Separable      a hyperplane, and how wide the gap is that it stands in
├── Inseparable    a few rows with weights whose two averages are one point
└── Undecided      what is known so far
"""

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificates import drawing, verify
from rosenblatt.certificates import sentences as words
from rosenblatt.certificates.points import Points, points_of
from rosenblatt.errors import DataError
from rosenblatt.records import Floats

Verified: TypeAlias = Literal["exact", "numerical"]


@dataclass(frozen=True, eq=False)
class Subject:
    """The data a certificate is about, as far as needed to know them again: labels of -1 and +1, size, fingerprint."""

    labels: tuple[Any, Any]
    n_rows: int
    n_features: int
    digest: str = field(repr=False)

    @classmethod
    def of(cls, points: Points) -> Self:
        return cls(points.labels, points.count, points.features, points.digest)

    def refuse_others(self, points: Points) -> None:
        if (points.count, points.features) != (self.n_rows, self.n_features):
            raise DataError(
                f"This certificate is about {self.n_rows} rows of {self.n_features} columns, but the data has "
                f"{points.count} of {points.features}: check it against the data it was made for."
            )
        if points.digest != self.digest:
            raise DataError(
                "This certificate was made for other data: the size is the same, but numbers, labels or the order of "
                "rows differ. Check it against the data it was made for."
            )
        if all(_is_same(*pair) for pair in zip(points.labels, self.labels[::-1], strict=True)):
            raise DataError("This certificate has the names of the two classes the wrong way round.")


def _is_same(label: Any, told: Any) -> bool:
    """Do the data and the certificate mean the same label, though a file may hold 1 as '1' or 1.0?"""
    try:
        return bool(str(label) == str(told) or float(label) == float(told))
    except (TypeError, ValueError):
        return False


@dataclass(frozen=True, eq=False)
class Widest:
    """A hyperplane w.x + b = 0, the margin it has, and rows with weights that prove how much wider one could be."""

    w: NDArray[Any] = field(repr=False)  # floats; Fractions where no floats separate the rows
    b: Any
    margin: float  # proven: every row is at least this far from the hyperplane
    upper: float  # proven: no hyperplane has a wider margin
    rows: NDArray[np.intp] = field(repr=False)
    weights: Floats = field(repr=False)

    @property
    def gap(self) -> float:
        """How far the margin may be from the widest, relative to the widest."""
        return max(0.0, 1.0 - self.margin / self.upper) if self.upper > 0 else 0.0


def _proves(points: Points, rows: NDArray[np.intp], weights: Floats, upper: float, *, augmented: bool = False) -> bool:
    """Do these rows show that no margin exceeds `upper`?"""
    if not verify.are_shares(points, rows, weights):
        return False
    with np.errstate(all="ignore"):
        return verify.margin_above(points, rows, weights, augmented=augmented) <= upper * (1 + 1e-12)


@dataclass(frozen=True, eq=False)
class Certificate:
    """An answer about one data set. `verified` says how its claims were checked, never assumed."""

    kind: ClassVar[str] = ""
    subject: Subject

    def verify(self, X: Any, y: Any) -> bool:
        """Check every claim again on the data, without trusting how it was found."""
        points = points_of(X, y)
        try:
            self.check(points)
        except DataError:
            return False
        return True

    def check(self, points: Points) -> None:
        """Raise DataError, with the reason, unless every claim holds on these points."""
        raise NotImplementedError

    def explain(self) -> str:
        """The answer and its proof in plain words."""
        raise NotImplementedError

    def plot(
        self, X: Any, y: Any, ax: Any = None, *, columns: tuple[int, int] | None = None, theme: str = "light"
    ) -> Any:
        """Draw the proof in the plane; of data that has more than two columns, in the two that `columns` names."""
        return drawing.figures().plot_certificate(self, X, y, ax=ax, columns=columns, theme=theme)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, lists and strings: what the JSON file holds."""
        from rosenblatt.certificates.file import as_dict

        return as_dict(self)

    def save(self, path: str | Path) -> None:
        """Write the certificate as JSON, whole or not at all; `load_certificate` reads it back."""
        from rosenblatt.certificates.file import save

        save(self, path)


@dataclass(frozen=True, eq=False)
class Separable(Certificate):
    """Some hyperplane has every row strictly on its own side, and this is the widest, up to `gap`.

    w.x + b is above 0 on the class of the larger label. `margin` is the distance of the nearest row, `support` the rows
    that hold it. In the space of (x, 1), where the perceptron learns its bias, `radius` is the longest row,
    `augmented_margin` the widest margin, and a perceptron started from zero makes at most `mistake_bound` mistakes.
    """

    kind: ClassVar[str] = "separable"
    geometric: Widest
    augmented: Widest
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
        return ratio * ratio  # not ratio ** 2, which Python refuses where it exceeds all floats

    def check(self, points: Points) -> None:
        self.subject.refuse_others(points)
        for name, widest, augmented in (("", self.geometric, False), ("augmented ", self.augmented, True)):
            if not verify.is_plane(points, widest.w, widest.b):
                raise DataError(f"The {name}hyperplane needs a finite weight for each column, and a finite bias.")
            margin = verify.margin_below(points, widest.w, widest.b, augmented=augmented)
            if margin is None:
                row = verify.separation(points, widest.w, widest.b).wrong[0]
                raise DataError(f"Row {row} is not strictly on its side of the {name}hyperplane.")
            if not margin >= widest.margin * (1 - 1e-12):  # so said that a claim which is no number fails
                raise DataError(f"The {name}margin is smaller than the certificate says.")
            if not _proves(points, widest.rows, widest.weights, widest.upper, augmented=augmented):
                raise DataError(f"The rows of the certificate do not prove its upper bound on the {name}margin.")
        if not verify.radius_above(points) <= self.radius * (1 + 1e-12):
            raise DataError("A row is longer than the radius that the certificate gives.")

    def explain(self) -> str:
        return words.separable(self)

    def __repr__(self) -> str:
        return (
            f"Separable(margin={self.margin:.6g}, gap={self.gap:.1e}, support={len(self.support)} rows, "
            f"radius={self.radius:.6g}, mistake_bound={self.mistake_bound:.6g}, verified={self.verified!r})"
        )


@dataclass(frozen=True, eq=False)
class Inseparable(Certificate):
    """No hyperplane separates the classes: sum weight * y * (x, 1) = 0 over `rows`, every weight above 0.

    y is +1 for the larger label. The weights of each class sum to 1: the weighted averages of the two classes are one
    point. `residual` is how far apart they are, 0 where the check was exact.
    """

    kind: ClassVar[str] = "inseparable"
    rows: NDArray[np.intp]
    weights: tuple[Fraction, ...]
    signs: tuple[int, ...]
    residual: float = 0.0
    verified: Verified = "exact"

    def check(self, points: Points) -> None:
        self.subject.refuse_others(points)
        if self.verified == "exact":
            if not verify.meets(points, self.rows.tolist(), self.weights):
                raise DataError("The weighted rows of the two classes do not have the same average.")
        elif not self._is_near(points):
            raise DataError("The weighted averages of the two classes are further apart than the certificate says.")
        if self.signs != tuple(points.signs[self.rows].tolist()):
            raise DataError("The certificate gives rows to the wrong class.")

    def _is_near(self, points: Points) -> bool:
        weights = np.array(self.weights, dtype=float)
        return verify.are_shares(points, self.rows, weights) and (
            verify.residual(points, self.rows, weights) <= self.residual * (1 + 1e-9)
        )

    def explain(self) -> str:
        return words.inseparable(self)

    def __repr__(self) -> str:
        shown = ", ".join(str(i) for i in self.rows[:6].tolist()) + (", ..." if len(self.rows) > 6 else "")
        return f"Inseparable({len(self.rows)} rows: [{shown}], verified={self.verified!r})"


@dataclass(frozen=True, eq=False)
class Undecided(Certificate):
    """The time was up: the widest margin lies in `bracket`, where 0 stands for classes that cannot be separated.

    The `hardest` rows, weighted by `shares`, prove the upper end: the averages of the two classes are so near that no
    margin is wider.
    """

    kind: ClassVar[str] = "undecided"
    bracket: tuple[float, float]
    hardest: NDArray[np.intp] = field(repr=False)
    shares: Floats = field(repr=False)
    verified: Verified = "numerical"

    def check(self, points: Points) -> None:
        self.subject.refuse_others(points)
        if not _proves(points, self.hardest, self.shares, self.bracket[1]):
            raise DataError("The rows of the certificate do not prove the upper end of its bracket.")

    def explain(self) -> str:
        return words.undecided(self)

    def __repr__(self) -> str:
        return f"Undecided(bracket={self.bracket})"
