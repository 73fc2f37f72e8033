"""The verdict for the page: a certificate with the parts of it to draw, and the theorem along the run."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import options
from rosenblatt.certificates.certificate import Certificate, Inseparable, Separable
from rosenblatt.certificates.certify import certify
from rosenblatt.certificates.certify_classes import certify_classes
from rosenblatt.certificates.sentences import boundary
from rosenblatt.certificates.theorem import theorem_run
from rosenblatt.input_checks import plain_label
from rosenblatt.records import Floats
from rosenblatt.studio.cancellation import raise_if_cancelled
from rosenblatt.studio.request import (
    Points,
    feature_degree,
    features_of,
    read_options,
    read_points,
    read_row_numbers,
    read_table,
)

TIME_LIMIT = 5.0  # seconds for one search; then the answer is "undecided"
_DEGREE_TIME_LIMIT = 1.0
_CURVE_POINTS = 300
_MAX_OFFERED_DEGREE = 3  # curves of higher degree fit noise


def verdict(request: Mapping[str, Any]) -> dict[str, Any]:
    """Can a line separate the classes? With two classes the proof, to be drawn; with more, every pair.

    >>> XOR = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 1, 1, 0], "classes": [-1, 1]}
    >>> answer = verdict(XOR)
    >>> answer["kind"], answer["rows"], answer["weights"], answer["meeting_point"]
    ('inseparable', [0, 1, 2, 3], ['1/2', '1/2', '1/2', '1/2'], [0.5, 0.5])
    """
    points = read_points(request)
    learner, chosen = read_options(request, len(points.X))
    row_numbers = read_row_numbers(request, len(points.X))
    if chosen.get("kernel") == "rbf":
        return _rbf_verdict(points, row_numbers)
    degree, features = feature_degree(learner, chosen), features_of(points.X, learner, chosen)
    if len(points.present) > 2:
        return _pairs_verdict(points, features, degree)
    certificate = certify(features, points.y, time_limit=TIME_LIMIT, on_progress=raise_if_cancelled)
    explanation = _with_row_numbers(certificate, row_numbers).explain(count_from=1)
    if degree > 1:
        explanation = explanation.replace(boundary(features.shape[1]), f"a curve of degree {degree}")
    answer: dict[str, Any] = {
        "kind": certificate.kind,
        "verified": certificate.verified,
        "degree": degree,
        "explanation": explanation,
        "note": _note(degree, features.shape[1], chosen),
    }
    if isinstance(certificate, Separable):
        return answer | _separable(certificate) | {"theorem": _theorem(learner, chosen, points, features, certificate)}
    return answer | (_inseparable(certificate, points, degree) if isinstance(certificate, Inseparable) else {})


def _with_row_numbers(certificate: Certificate, row_numbers: NDArray[np.intp]) -> Certificate:
    """The certificate with the row numbers of the page's table, only for its sentences."""
    if isinstance(certificate, Separable):
        plane = certificate.geometric
        return replace(certificate, geometric=replace(plane, rows=row_numbers[plane.rows]))
    if isinstance(certificate, Inseparable):
        return replace(certificate, rows=row_numbers[certificate.rows])
    return certificate


def _note(degree: int, n_features: int, chosen: Mapping[str, Any]) -> str | None:
    """A note on what is separated, unless it is a straight line in the plane as drawn."""
    if degree > 1:
        conic = " (an ellipse, a parabola, a hyperbola or two lines)" if degree == 2 else ""
        return (
            f"This is about the {n_features} products of up to {degree} coordinates: a flat boundary among them is a "
            f"curve of degree {degree} in the plane{conic}. Distances are measured among the products."
        )
    return "This is about straight lines." if "kernel" in chosen and chosen["kernel"] != "linear" else None


def _rbf_verdict(points: Points, row_numbers: NDArray[np.intp]) -> dict[str, Any]:
    """The rbf kernel is strictly positive definite: any labels of distinct points have a boundary (Micchelli 1986)."""
    first_row: dict[tuple[float, ...], int] = {}
    for row, place in enumerate(map(tuple, points.X.tolist())):
        first = first_row.setdefault(place, row)
        if points.index[first] != points.index[row]:
            numbers = [row_numbers[first] + 1, row_numbers[row] + 1]
            explanation = (
                f"No: rows {numbers[0]} and {numbers[1]} are the same point with different classes.\n"
                "Any boundary, with any kernel, gives both the same score."
            )
            return {"kind": "kernel", "degree": 1, "explanation": explanation, "rows": [first, row]}
    explanation = (
        "Yes: the rbf kernel can separate the classes without an error.\n"
        "It can do so for any labels, as long as no point has two of them. That says nothing about new points."
    )
    return {"kind": "kernel", "degree": 1, "explanation": explanation, "rows": []}


def _separable(certificate: Separable) -> dict[str, Any]:
    return {
        "weights": [float(certificate.b), *(float(w) for w in certificate.w)],
        "margin": certificate.margin,
        "support": certificate.support.tolist(),
        "radius": certificate.radius,
        "augmented_margin": certificate.augmented_margin,
        "mistake_bound": certificate.mistake_bound if np.isfinite(certificate.mistake_bound) else None,
    }


def _inseparable(certificate: Inseparable, points: Points, degree: int) -> dict[str, Any]:
    """The rows of the proof and their weights; where the features are the plane, also the point in which hulls meet."""
    weights = [str(weight) if len(str(weight)) <= 24 else f"{float(weight):.6g}" for weight in certificate.weights]
    proof = {"rows": certificate.rows.tolist(), "weights": weights}
    return proof if degree > 1 else proof | _meeting_point(certificate, points)


def _meeting_point(certificate: Inseparable, points: Points) -> dict[str, Any]:
    rows = [int(row) for row in certificate.rows]
    weighted = zip(rows, certificate.signs, certificate.weights, strict=True)
    meeting_point = sum(float(weight) * points.X[row] for row, sign, weight in weighted if sign > 0)
    sides = [[row for row, sign in zip(rows, certificate.signs, strict=True) if sign == side] for side in (-1, 1)]
    return {"meeting_point": np.asarray(meeting_point).tolist(), "hulls": [_as_polygon(points, side) for side in sides]}


def _as_polygon(points: Points, rows: list[int]) -> list[int]:
    """The rows in order of their angle round their middle."""
    middle = points.X[rows].mean(axis=0)
    return sorted(rows, key=lambda row: float(np.arctan2(*(points.X[row] - middle)[::-1])))


def _pairs_verdict(points: Points, features: Floats, degree: int) -> dict[str, Any]:
    table = certify_classes(features, points.y, scheme="ovo", time_limit=TIME_LIMIT)
    pairs = [{name: plain_label(row[name]) for name in ("first", "second", "answer")} for row in table.to_rows()]
    n_separable = sum(pair["answer"] == "separable" for pair in pairs)
    shape = "A straight line" if degree == 1 else f"A curve of degree {degree}"
    explanation = f"{shape} separates {n_separable} of the {len(pairs)} pairs of classes without an error."
    return {"kind": "pairs", "explanation": explanation, "pairs": pairs}


# -- beyond two columns and a line ------------------------------------------------------------------------------------


def lowest_degree(request: Mapping[str, Any]) -> dict[str, Any]:
    """The lowest degree above the chosen one at which a curve separates the two classes; None if it is not 2 or 3.

    >>> XOR = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 1, 1, 0], "classes": [-1, 1]}
    >>> lowest_degree(XOR)
    {'degree': 2}
    """
    points = read_points(request)
    learner, chosen = read_options(request, len(points.X))
    if len(points.present) == 2 and learner != "kernel":
        for degree in range(int(chosen.get("degree", 1)) + 1, _MAX_OFFERED_DEGREE + 1):
            features = features_of(points.X, learner, {"degree": degree})
            answer = certify(features, points.y, time_limit=_DEGREE_TIME_LIMIT, on_progress=raise_if_cancelled)
            if answer.kind == "separable":
                return {"degree": degree}
    return {"degree": None}


def all_columns(request: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict on all columns of a wide table (`rows`), of which the page draws two.

    >>> all_columns({"rows": [[0, 0, 0], [0, 0, 1]], "labels": [0, 1], "classes": ["A", "B"]})["explanation"]
    "With all 3 columns: Yes: a flat plane tells 'A' and 'B' apart, without a single error on the 2 rows."
    """
    X, y = read_table(request)
    if len(set(y.tolist())) == 2:
        certificate = certify(X, y, time_limit=TIME_LIMIT, on_progress=raise_if_cancelled)
        answer = certificate.explain().split("\n")[0]
    else:
        table = certify_classes(X, y, scheme="ovo", time_limit=TIME_LIMIT)
        answers = [row["answer"] for row in table.to_rows()]
        n_separable = answers.count("separable")
        answer = f"{boundary(X.shape[1])} separates {n_separable} of the {len(answers)} pairs of classes."
    return {"explanation": f"With all {X.shape[1]} columns: {answer}"}


# -- the theorem ------------------------------------------------------------------------------------------------------

_CURVES = ("progress", "progress_bound", "norm_squared", "norm_bound")
# The theorem's rule: every mistake adds y x, from zero, one example at a time. A constant rate scales all weights.
_ROSENBLATTS_RULE = {
    "learning_rate": "constant",
    "margin": 0.0,
    "batch": 1,
    "init": "zeros",
    "fit_intercept": True,
    "eta0": 1.0,
}


def _theorem(
    learner: str, chosen: Mapping[str, Any], points: Points, features: Floats, certificate: Separable
) -> dict[str, Any] | None:
    """The two inequalities of the proof along Rosenblatt's rule with this order and seed; None for any other rule."""
    rule = {name: chosen.get(name, options.PERCEPTRON[name].default) for name in _ROSENBLATTS_RULE}
    if learner != "perceptron" or rule != _ROSENBLATTS_RULE:
        return None
    run = theorem_run(
        features,
        points.y,
        order=chosen["order"],
        max_iter=chosen.get("max_iter", options.max_iter.default),
        random_state=chosen.get("random_state", options.random_state.default) or 0,
        certificate=certificate,
    )
    k = np.unique(np.linspace(0, run.mistakes, min(_CURVE_POINTS, run.mistakes + 1)).round().astype(np.intp))
    curves = {name: getattr(run, name)[k].tolist() for name in _CURVES}
    return {"k": k.tolist(), **curves, "mistakes": run.mistakes, "holds": run.holds, "margin": run.margin}
