"""The verdict for the page: a certificate with what is drawn of it, and the theorem along a run."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt import options
from rosenblatt.certificates.certificate import Inseparable, Separable
from rosenblatt.certificates.classes import certify_classes
from rosenblatt.certificates.search import certify
from rosenblatt.certificates.sentences import boundary
from rosenblatt.certificates.theorem import theorem_run
from rosenblatt.records import Floats
from rosenblatt.studio.cancelled import still_there
from rosenblatt.studio.request import Plane, chosen_of, feature_degree, mapped, plane_of, table_rows

SECONDS = 5.0  # that a search may take before it says that it does not know
_CURVE = 300  # points of a curve
_HIGHEST = 3  # degree that is offered: curves of higher ones fit what is only noise


def verdict(request: Mapping[str, Any]) -> dict[str, Any]:
    """Can a line tell the classes apart? With two classes the proof, to be drawn; with more, every pair.

    >>> XOR = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 1, 1, 0], "classes": [-1, 1]}
    >>> answer = verdict(XOR)
    >>> answer["kind"], answer["rows"], answer["weights"], answer["meets"]
    ('inseparable', [0, 1, 2, 3], ['1/2', '1/2', '1/2', '1/2'], [0.5, 0.5])
    """
    plane = plane_of(request)
    name, chosen = chosen_of(request, len(plane.X))
    if chosen.get("kernel") == "rbf":
        return _of_rbf(plane)
    degree, values = feature_degree(name, chosen), mapped(plane.X, name, chosen)
    if len(plane.present) > 2:
        return _pairs(plane, values, degree)
    answer = certify(values, plane.y, time_limit=SECONDS, on_progress=still_there)
    told: dict[str, Any] = {"kind": answer.kind, "verified": answer.verified, "degree": degree}
    told |= {"words": _words(answer.explain(), degree, values.shape[1]), "note": _note(degree, values.shape[1], chosen)}
    if isinstance(answer, Separable):
        return told | _separable(answer) | {"theorem": _theorem(name, chosen, plane, values, answer)}
    return told | (_inseparable(answer, plane, degree) if isinstance(answer, Inseparable) else {})


def _words(explained: str, degree: int, features: int) -> str:
    return explained if degree == 1 else explained.replace(boundary(features), f"a curve of degree {degree}")


def _note(degree: int, features: int, chosen: Mapping[str, Any]) -> str | None:
    """What the answer is about, where that is not the plane as it is drawn."""
    if degree > 1:
        conic = " (an ellipse, a parabola, a hyperbola or two lines)" if degree == 2 else ""
        return (
            f"Asked of the {features} products of up to {degree} coordinates: a flat boundary among them is a curve of "
            f"degree {degree} in the plane{conic}. Distances are measured among the products."
        )
    return "Asked of straight lines." if "kernel" in chosen and chosen["kernel"] != "linear" else None


def _of_rbf(plane: Plane) -> dict[str, Any]:
    """The rbf kernel is strictly positive definite: any labels of distinct points have a boundary (Micchelli 1986)."""
    met: dict[tuple[float, ...], int] = {}
    for row, place in enumerate(map(tuple, plane.X.tolist())):
        first = met.setdefault(place, row)
        if plane.index[first] != plane.index[row]:
            words = (
                f"No: rows {first} and {row} lie in the same place and are of different classes.\n"
                "Whatever the kernel, a boundary gives them the same score."
            )
            return {"kind": "kernel", "degree": 1, "words": words, "rows": [first, row]}
    words = (
        "Yes: the rbf kernel can tell the classes apart, without a single error.\n"
        "It can do so for any points, however they are labelled, as long as no two of different classes lie in the "
        "same place. That says nothing about points that are still to come."
    )
    return {"kind": "kernel", "degree": 1, "words": words, "rows": []}


def lowest(request: Mapping[str, Any]) -> dict[str, Any]:
    """The lowest degree, above the one that is chosen, at which a curve tells the two classes apart; None up to 3.

    >>> XOR = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 1, 1, 0], "classes": [-1, 1]}
    >>> lowest(XOR)
    {'degree': 2}
    """
    plane = plane_of(request)
    name, chosen = chosen_of(request, len(plane.X))
    if len(plane.present) == 2 and name != "kernel":
        for degree in range(int(chosen.get("degree", 1)) + 1, _HIGHEST + 1):
            values = mapped(plane.X, name, {"degree": degree})
            if certify(values, plane.y, time_limit=1.0, on_progress=still_there).kind == "separable":
                return {"degree": degree}
    return {"degree": None}


def _separable(answer: Separable) -> dict[str, Any]:
    return {
        "weights": [float(answer.b), *(float(w) for w in answer.w)],
        "margin": answer.margin,
        "support": answer.support.tolist(),
        "radius": answer.radius,
        "augmented_margin": answer.augmented_margin,
        "mistake_bound": answer.mistake_bound if np.isfinite(answer.mistake_bound) else None,
    }


def _inseparable(answer: Inseparable, plane: Plane, degree: int) -> dict[str, Any]:
    """The rows and their weights; the point in which the hulls meet can be drawn where the features are the plane."""
    told = {"rows": answer.rows.tolist(), "weights": _shown(answer)}
    return told if degree > 1 else told | _meeting(answer, plane)


def _shown(answer: Inseparable) -> list[str]:
    return [str(weight) if len(str(weight)) <= 24 else f"{float(weight):.6g}" for weight in answer.weights]


def _meeting(answer: Inseparable, plane: Plane) -> dict[str, Any]:
    positive = [at for at, sign in enumerate(answer.signs) if sign > 0]
    meets = sum(float(answer.weights[at]) * plane.X[int(answer.rows[at])] for at in positive)
    rows = [(int(row), sign) for row, sign in zip(answer.rows, answer.signs, strict=True)]
    hulls = [_hull(plane, [row for row, sign in rows if sign == side]) for side in (-1, 1)]
    return {"meets": np.asarray(meets).tolist(), "hulls": hulls}


def _hull(plane: Plane, rows: list[int]) -> list[int]:
    """The rows of the proof in order round their middle: at most three in the plane, so any order is a polygon."""
    middle = plane.X[rows].mean(axis=0)
    return sorted(rows, key=lambda row: float(np.arctan2(*(plane.X[row] - middle)[::-1])))


def whole(request: Mapping[str, Any]) -> dict[str, Any]:
    """What all the columns of a wider table can do that the two which are drawn cannot: `rows` beside the labels.

    >>> whole({"rows": [[0, 0, 0], [0, 0, 1]], "labels": [0, 1], "classes": ["A", "B"]})
    {'words': "With all 3 columns: Yes: a flat plane tells 'A' and 'B' apart, without a single error on the 2 rows."}
    """
    X, y = table_rows(request)
    if len(set(y.tolist())) == 2:
        answer = certify(X, y, time_limit=SECONDS, on_progress=still_there)
        told = answer.explain().split("\n")[0]
    else:
        table = certify_classes(X, y, scheme="ovo", time_limit=SECONDS)
        found = [row["answer"] for row in table.to_rows()]
        told = f"{boundary(X.shape[1])} tells {found.count('separable')} of the {len(found)} pairs of classes apart."
    return {"words": f"With all {X.shape[1]} columns: {told}"}


def _pairs(plane: Plane, values: Floats, degree: int) -> dict[str, Any]:
    table = certify_classes(values, plane.y, scheme="ovo", time_limit=SECONDS)
    pairs = [{name: row[name] for name in ("first", "second", "answer")} for row in table.to_rows()]
    apart = sum(pair["answer"] == "separable" for pair in pairs)
    name = "A straight line" if degree == 1 else f"A curve of degree {degree}"
    words = f"{name} tells {apart} of the {len(pairs)} pairs of classes apart without an error."
    return {"kind": "pairs", "words": words, "pairs": [{k: _plain(v) for k, v in pair.items()} for pair in pairs]}


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


# -- the theorem ------------------------------------------------------------------------------------------------------


def _theorem(
    name: str, chosen: Mapping[str, Any], plane: Plane, values: Floats, answer: Separable
) -> dict[str, Any] | None:
    """The two inequalities along Rosenblatt's rule with this order and seed; None where the rule is another one."""
    if not is_rosenblatts(name, chosen):
        return None
    seed = chosen.get("random_state", options.random_state.default)
    epochs = chosen.get("max_iter", options.max_iter.default)
    run = theorem_run(
        values, plane.y, order=chosen["order"], max_iter=epochs, random_state=seed or 0, certificate=answer
    )
    at = np.unique(np.linspace(0, run.mistakes, min(_CURVE, run.mistakes + 1)).round().astype(np.intp))
    curves = {name: getattr(run, name)[at].tolist() for name in _CURVES}
    return {"k": at.tolist(), **curves, "mistakes": run.mistakes, "holds": run.holds, "margin": run.margin}


_CURVES = ("progress", "progress_bound", "norm_squared", "norm_bound")
# The theorem's rule: every mistake adds y x, from zero, one example at a time. A constant rate scales all weights.
_ROSENBLATT = {"learning_rate": "constant", "margin": 0.0, "batch": 1, "init": "zeros", "fit_intercept": True}


def is_rosenblatts(loss: str, chosen: Mapping[str, Any]) -> bool:
    """Is this the rule that the convergence theorem speaks of, with the rate that its figures are drawn for?"""
    asked = {name: chosen.get(name, options.PERCEPTRON[name].default) for name in (*_ROSENBLATT, "eta0")}
    return loss == "perceptron" and asked == {**_ROSENBLATT, "eta0": 1.0}
