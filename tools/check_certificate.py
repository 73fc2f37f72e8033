"""Check a certificate with nothing but Python's fractions: python tools/check_certificate.py PROOF.json DATA [LABEL]

It shares no code with the package. DATA is svmlight, or a CSV file with a header, numbers, and a LABEL column (the last
one by default). Rows of other classes than the two of the proof are left out; "rest" stands for every other class. In a
proof about an exact fit, labels are numbers.
"""

import csv
import json
import math
import sys
from fractions import Fraction
from typing import Any, TypeAlias

Vector: TypeAlias = dict[Any, Fraction]  # the nonzero numbers by column
Point: TypeAlias = tuple[Vector, int]  # a row and its sign


class RefutedError(Exception):
    """The proof does not prove what it claims."""


def check(proof: dict[str, Any], rows: list[dict[int, Any]], labels: list[Any]) -> None:
    """Raise RefutedError unless every claim of the proof holds."""
    if proof["kind"] in ("exact fit", "no exact fit"):
        check_fit(proof, [({j: Fraction(x) for j, x in row.items()}, 1) for row in rows], list(map(exact, labels)))
        return
    signs = [sign_of(label, *proof["labels"]) for label in labels]
    points = [({j: Fraction(x) for j, x in row.items()}, y) for row, y in zip(rows, signs, strict=True) if y]
    require(len(points) == proof["n_rows"], f"it is about {proof['n_rows']} rows, and there are {len(points)}")
    if proof["kind"] == "inseparable":  # sum weight * y * (x, 1) = 0: no (w, b) has y (w, b).(x, 1) > 0 in each row
        weights = [number(weight) for weight in proof["weights"]]
        require(bool(weights) and min(weights) > 0, "a weight is not above 0")
        require(not any(weighted_sum(points, proof["rows"], weights).values()), "the two averages differ")
    elif proof["kind"] == "separable":
        radius, bound, width = (number(x) for x in (proof["radius"], min(proof["mistake_bound"], 1e308), 0))
        require(all(square(x) + 1 <= radius**2 for x, _ in points), "a row is longer than the radius")
        for name, bias in (("geometric", 0), ("augmented", 1)):
            width = check_hyperplane(proof[name], points, bias)
        is_bound = proof["mistake_bound"] == math.inf or bound * width**2 * (1 + Fraction(1, 10**9)) >= radius**2
        require(is_bound, "the bound on mistakes is below (radius / margin)^2")
    else:
        check_upper(points, proof["hardest"], proof["shares"], proof["bracket"][1], 0)


def check_fit(proof: dict[str, Any], points: list[Point], targets: list[Fraction]) -> None:
    """A function that meets every target; or sum weight * (x, 1) = 0 and sum weight * y != 0, so that none does."""
    require(len(points) == proof["n_rows"], f"it is about {proof['n_rows']} rows, and there are {len(points)}")
    if proof["kind"] == "exact fit":
        w, b = weights_by_column(proof["w"]), number(proof["b"])
        pairs = zip(points, targets, strict=True)
        require(are_independent([points[i][0] | {"1": Fraction(1)} for i in proof["rows"]]), "its rows are dependent")
        require(
            all(sum((w[j] * x for j, x in row.items() if x), b) == y for (row, _), y in pairs), "a target is missed"
        )
        return
    weights = [number(weight) for weight in proof["weights"]]
    require(not any(weighted_sum(points, proof["rows"], weights).values()), "the weighted rows do not add up to 0")
    mismatch = sum(weight * targets[i] for i, weight in zip(proof["rows"], weights, strict=True))
    require(bool(mismatch), "the weighted targets add up to 0")


def are_independent(rows: list[Vector]) -> bool:
    """Gauss's elimination leaves something of each row."""
    reduced: list[tuple[Any, Vector]] = []  # the column that leads, and a row whose number there is 1
    for row in rows:
        rest = dict(row)
        for column, other in reduced:
            factor = rest.get(column, Fraction(0))
            rest = {j: rest.get(j, Fraction(0)) - factor * other.get(j, Fraction(0)) for j in {*rest, *other}}
        lead = next((j for j, x in rest.items() if x), None)
        if lead is None:
            return False
        reduced.append((lead, {j: x / rest[lead] for j, x in rest.items() if x}))
    return True


def exact(label: Any) -> Fraction:
    return Fraction(float(label)) if isinstance(label, str) else Fraction(label)


def weights_by_column(w: Any) -> Vector:
    pairs = zip(w["columns"], w["numbers"], strict=True) if isinstance(w, dict) else enumerate(w)
    vector = {j: number(x) for j, x in pairs}
    return vector if isinstance(w, list) else {j: vector.get(j, Fraction(0)) for j in range(w["size"])}


def check_hyperplane(plane: dict[str, Any], points: list[Point], bias: int) -> Fraction:
    """The margin, if no row is nearer and no hyperplane has a wider one; `bias` is 1 in the space of (x, 1)."""
    normal, b, margin = weights_by_column(plane["w"]), number(plane["b"]), number(plane["margin"])
    nearest = min(y * (sum((normal[j] * x for j, x in row.items() if x), b)) for row, y in points)
    require(nearest > 0, "a row is not on its side of the hyperplane")
    require(margin**2 * (square(normal) + bias * b * b) <= nearest**2, "a row is nearer than the margin")
    check_upper(points, plane["rows"], plane["weights"], plane["upper"], bias)
    return margin


def check_upper(points: list[Point], rows: list[int], weights: list[float], upper: float, bias: int) -> None:
    """No margin exceeds half the distance between two means, one of each class; for (x, 1): the mean of y (x, 1)."""
    shares = [number(weight) for weight in weights]
    require(min(shares) >= 0, "a weight is below 0")
    total = {y: sum(s for i, s in zip(rows, shares, strict=True) if bias or points[i][1] == y) for y in (1, -1)}
    require(all(total.values()), "a class has no weight")
    mean = weighted_sum(points, rows, [s / total[points[i][1]] for i, s in zip(rows, shares, strict=True)])
    require(square(mean) <= (number(upper) * (1 if bias else 2)) ** 2, "the weights do not prove the upper bound")


def weighted_sum(points: list[Point], rows: list[int], weights: list[Fraction]) -> Vector:
    """The sum of weight * y * (x, 1) over different rows, by column."""
    require(len(set(rows)) == len(rows) and set(rows) <= set(range(len(points))), "a row occurs twice, or is not there")
    total: Vector = {}
    for i, weight in zip(rows, weights, strict=True):
        for j, x in (*points[i][0].items(), ("1", Fraction(1))):
            total[j] = total.get(j, Fraction(0)) + points[i][1] * weight * x
    return total


def square(vector: Vector) -> Fraction:
    return sum((x * x for x in vector.values()), Fraction(0))


def require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise RefutedError(otherwise)


def number(content: Any) -> Fraction:
    """A float stands for exactly itself, "p/q" for a fraction."""
    parts = content.split("/") if isinstance(content, str) else None
    return Fraction(content) if parts is None else Fraction(*(int(part, 0) for part in parts))


def sign_of(label: Any, negative: Any, positive: Any) -> int:
    return 1 if is_same(label, positive) else -1 if is_same(label, negative) or negative == "rest" else 0


def is_same(label: Any, other: Any) -> bool:
    try:
        return str(label) == str(other) or float(label) == float(other)
    except ValueError:
        return False


def read(path: str, label: str | None = None) -> tuple[list[dict[int, Any]], list[str]]:
    """The rows and labels of a file; its numbers are floats."""
    with open(path, newline="") as file:
        if path.endswith((".csv", ".tsv")):
            header, *table = csv.reader(file, delimiter="\t" if path.endswith(".tsv") else ",")
            k = header.index(label) if label else len(header) - 1
            return [dict(enumerate(map(float, row[:k] + row[k + 1 :]))) for row in table], [row[k] for row in table]
        lines = [line.partition("#")[0].split() for line in file]
    pairs = [[pair.split(":") for pair in line[1:]] for line in lines if line]
    first = min(1, *(int(j) for row in pairs for j, _ in row))
    return [{int(j) - first: float(x) for j, x in row} for row in pairs], [line[0] for line in lines if line]


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        proof = json.load(file)
    try:
        check(proof, *read(*sys.argv[2:4]))
    except RefutedError as reason:
        sys.exit(f"{sys.argv[1]}: the proof does not hold: {reason}.")
    print(f"{sys.argv[1]}: the proof holds: {proof['kind']}.")
