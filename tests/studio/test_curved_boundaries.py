"""The studio where boundaries are curved: what is played and drawn is what the learners decide."""

import base64
import contextlib
import io
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import KernelPerceptron, Perceptron, certify, load, losses
from rosenblatt.errors import ParameterError
from rosenblatt.learn.polynomial import expand
from rosenblatt.studio import request
from rosenblatt.studio.playback.run import Primal, learned
from rosenblatt.studio.questions.download import file
from rosenblatt.studio.questions.learn import costs, learn, visits
from rosenblatt.studio.questions.regions import still_curves, surfaces
from rosenblatt.studio.questions.relatives import relatives
from rosenblatt.studio.questions.reproduce import takeaway
from rosenblatt.studio.questions.tables import example
from rosenblatt.studio.questions.verdict import lowest, verdict

PICTURE: dict[str, Any] = {"box": [-4.0, 8.0, -3.0, 6.0], "size": [640, 480]}
CURVED: list[dict[str, Any]] = [
    {"degree": 2},
    {"degree": 4, "order": "shuffle", "random_state": 3, "keep": "last"},
    {"degree": 2, "loss": "logistic", "batch": 5},
    {"kernel": "rbf", "gamma": 0.7},
    {"kernel": "poly", "degree": 2, "order": "sample", "keep": "last", "random_state": 5},
    {"kernel": "linear", "fit_intercept": False},
]


def cloud(rows: int, classes: int = 2, seed: int = 0, **options: Any) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(classes), rng.integers(0, classes, rows - classes)])
    centres = np.array([[0, 0], [2, 2], [0, 4], [4, 0], [4, 4]])[labels]
    points = centres + rng.normal(size=(rows, 2))
    asked = {"points": points.tolist(), "labels": labels.tolist(), "classes": list("ABCDE")[:classes]}
    return asked | PICTURE | {"options": {"max_iter": 6} | options}


def shown(name: str, **options: Any) -> dict[str, Any]:
    table = example({"name": name})
    asked = {"points": table["rows"], "labels": table["labels"], "classes": table["classes"]}
    return asked | PICTURE | {"options": options}


def fitted(asked: dict[str, Any], **changes: Any) -> Any:
    """The estimator itself, with the options of the page."""
    plane = request.plane_of(asked)
    name, chosen = request.chosen_of(asked, len(plane.X))
    if name == "kernel":
        return KernelPerceptron(**chosen | changes).fit(plane.X, plane.y)
    return type(learned(asked).model)(**chosen | changes).fit(plane.X, plane.y)


# -- the run ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", CURVED, ids=str)
@pytest.mark.parametrize("classes", [2, 3])
def test_the_run_is_the_estimators(chosen: dict[str, Any], classes: int) -> None:
    asked = cloud(60, classes, **chosen)
    run, held = learn(asked), learned(asked)
    model = fitted(asked, keep="last")
    assert (run["n_mistakes"], run["n_iter"], run["t"]) == (model.n_mistakes_, model.n_iter_, model.t_)
    assert run["mistakes"] == model.mistakes_
    last = next(iter(held.scores([run["t"]])))
    expected = model._scores(held.plane.X).T
    assert last == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert run["epochs"][-1]["errors"] == int(np.sum(model.predict(held.plane.X) != held.plane.y))
    kept = fitted(asked)
    assert run["kept"]["errors"] == int(np.sum(kept.predict(held.plane.X) != held.plane.y))


@pytest.mark.parametrize("order", ["given", "shuffle", "sample"])
def test_a_kernel_visit_is_told_with_the_score_it_had(order: str) -> None:
    asked = cloud(30, kernel="rbf", order=order, random_state=2)
    plane, found = request.plane_of(asked), visits(asked | {"since": 20})["visits"]
    assert [visit["t"] for visit in found] == list(range(20, 84))
    assert len(learn(asked)["mistakes"]) > 2
    K = np.exp(-0.5 * np.square(plane.X[:, None] - plane.X[None]).sum(axis=2)) + 1
    held = learned(asked)
    for visit in found:
        made = held.times < visit["t"]
        signs = np.where(plane.index == 1, 1, -1)
        score = float((signs[held.rows[made]] * K[held.rows[made], visit["row"]]).sum())
        assert visit["moved"][0]["score"] == pytest.approx(score)
        assert visit["moved"][0]["mistake"] == (signs[visit["row"]] * visit["moved"][0]["score"] <= 0)


def test_rings_xor_and_moons_become_separable() -> None:
    for asked in (shown("XOR", degree=2), shown("rings", degree=2), shown("rings", kernel="poly", degree=2)):
        assert learn(asked)["status"] == "separated"
    assert learn(shown("moons", kernel="rbf"))["status"] == "separated"
    assert learn(shown("moons"))["status"] == "budget"


# -- what is drawn ----------------------------------------------------------------------------------------------------


def inside(path: str, place: tuple[float, float]) -> bool:
    """Is the place of the picture within a path, by the even-odd rule?"""
    crossings = 0
    for ring in filter(None, re.split("[MZ]", path)):
        corners = [tuple(map(float, corner.split())) for corner in ring.split("L")]
        for (x1, y1), (x2, y2) in pairwise([*corners, corners[0]]):
            if (y1 > place[1]) != (y2 > place[1]):
                crossings += x1 + (place[1] - y1) / (y2 - y1) * (x2 - x1) > place[0]
    return crossings % 2 == 1


def pixel(point: Any) -> tuple[float, float]:
    left, right, low, high = PICTURE["box"]
    return 640 * (point[0] - left) / (right - left), 480 * (high - point[1]) / (high - low)


@pytest.mark.parametrize("scheme", ["ovr", "ovo", "joint"])
@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("chosen", [{}, {"degree": 2}, {"kernel": "rbf"}], ids=str)
def test_a_region_is_where_its_class_is_decided(chosen: dict[str, Any], classes: int, scheme: str) -> None:
    asked = cloud(50, classes, multi_class=scheme, **chosen)
    t = learn(asked)["t"]
    (surface,) = surfaces(asked | {"at": [t]})["surfaces"]
    model = fitted(asked, keep="last")
    rng = np.random.default_rng(1)
    places = rng.uniform([-4, -3], [8, 6], (60, 2))
    decided = np.searchsorted(list("ABCDE"), model.predict(places))
    near = np.concatenate([places + step for step in ([0.15, 0], [-0.15, 0], [0, 0.15], [0, -0.15])])
    around = model.predict(near).reshape(4, -1) == model.predict(places)
    checked = 0
    for place, label in zip(places[around.all(axis=0)], decided[around.all(axis=0)], strict=True):
        said = [k for k, path in surface["regions"].items() if inside(path, pixel(place))]
        assert said == [str(label)], place
        checked += 1
    assert checked > 30


def test_the_edge_of_a_region_that_votes_decide_is_no_staircase() -> None:
    asked = cloud(50, 5, multi_class="ovo")
    (surface,) = surfaces(asked | {"at": [learn(asked)["t"]]})["surfaces"]
    model = fitted(asked, keep="last")
    left, right, low, high = PICTURE["box"]
    off = tried = 0
    for label, path in surface["regions"].items():
        corners = np.array([corner.split() for corner in re.split("[MLZ]", path) if corner], dtype=float)
        u, v = corners[((corners > 0) & (corners < [640, 480])).all(axis=1)].T
        beside = [(u + a, v + b) for a, b in ((0.4, 0), (-0.4, 0), (0, 0.4), (0, -0.4))]
        places = [np.column_stack([left + x / 640 * (right - left), high - y / 480 * (high - low)]) for x, y in beside]
        own = np.array([model.predict(place) == "ABCDE"[int(label)] for place in places])
        off, tried = off + int(np.sum(own.all(axis=0) | ~own.any(axis=0))), tried + len(u)
    assert tried > 100
    assert off < tried / 20, "but for corners, the edge is within half a pixel of where the votes change"


@pytest.mark.parametrize("chosen", CURVED[:5], ids=str)
def test_the_boundary_is_where_the_score_is_zero(chosen: dict[str, Any]) -> None:
    asked = cloud(40, **chosen)
    held = learned(asked)
    for surface in surfaces(asked | {"at": [1, held.record.t // 2, held.record.t]})["surfaces"]:
        if not surface["boundary"]:
            continue
        corners = np.array(re.findall(r"([-\d.]+) ([-\d.]+)", surface["boundary"]), dtype=float)
        points = np.column_stack([-4 + corners[:, 0] * 12 / 640, 6 - corners[:, 1] * 9 / 480])
        scores = (held.coefficients([surface["at"]])[0] @ held.basis(points))[0]
        around = (held.coefficients([surface["at"]])[0] @ held.basis(points + 0.1))[0]
        assert np.median(np.abs(scores)) < 0.2 * np.median(np.abs(around - scores)) + 1e-9


def test_before_anything_was_learned_nothing_is_drawn() -> None:
    asked = shown("XOR", kernel="rbf")
    empty, bias_only = surfaces(asked | {"at": [0, 1]})["surfaces"]
    assert (empty["regions"], empty["boundary"]) == ({}, "")
    assert list(bias_only["regions"]) == ["0"], "the first mistake was of the first class"


def test_surfaces_are_asked_for_in_bounds() -> None:
    asked = shown("XOR", degree=2)
    for change, words in (
        ({"at": [10**6]}, "numbers of visits"),
        ({"at": "1"}, "numbers of visits"),
        ({"at": [0] * 41}, "up to 40"),
        ({"at": [0], "box": [1, 0, 0, 1]}, "left, right"),
        ({"at": [0], "box": [0, 1, 0, "1"]}, "must be 4 numbers"),
        ({"at": [0], "size": [1e9, 10]}, "two sides"),
    ):
        with pytest.raises(ParameterError, match=words):
            surfaces(asked | change)
    with pytest.raises(ParameterError, match="must be 6 numbers"):
        still_curves(asked | {"weights": [1, 2, 3]})


# -- what it costs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", [{}, {"degree": 2}, {"kernel": "rbf"}, {"loss": "squared"}], ids=str)
def test_each_loss_is_the_mean_over_the_points(chosen: dict[str, Any]) -> None:
    asked = cloud(40, **chosen)
    told, held = costs(asked), learned(asked)
    assert [loss["name"] for loss in told["losses"]] == list(losses.LOSSES)
    assert (told["t"][0], told["t"][-1]) == (0, held.record.t)
    model = fitted(asked, keep="last")
    margins = model.decision_function(held.plane.X) * np.where(held.plane.index == 1, 1, -1)
    for loss in told["losses"]:
        assert loss["values"][-1] == pytest.approx(float(np.mean(losses.LOSSES[loss["name"]](margins))), rel=1e-9)
    if "kernel" in chosen:
        a, K = (
            model.dual_coef_[0],
            np.exp(-0.5 * np.square(model.support_vectors_[:, None] - model.support_vectors_).sum(2)),
        )
        assert told["norm"][-1] ** 2 == pytest.approx(a @ (K + 1) @ a)
    else:
        assert told["norm"][-1] ** 2 == pytest.approx(model.intercept_[0] ** 2 + float(np.square(model.coef_).sum()))


# -- the verdict ------------------------------------------------------------------------------------------------------


def test_the_verdict_speaks_of_the_products() -> None:
    asked = shown("rings", degree=2)
    plane = request.plane_of(asked)
    found, answer = certify(expand(plane.X, 2), plane.y), verdict(asked)
    assert (answer["kind"], answer["degree"], answer["margin"]) == ("separable", 2, found.margin)
    assert answer["words"].startswith("Yes: a curve of degree 2 tells 'A' and 'B' apart")
    assert answer["theorem"]["mistakes"] == learn(asked)["n_mistakes"] <= answer["mistake_bound"]
    far = answer["margin"] * float(np.linalg.norm(answer["weights"][1:]))
    low, middle, high = still_curves(asked | {"weights": answer["weights"], "levels": [-far, 0, far]})["levels"]
    assert len({low, middle, high}) == 3
    scores = expand(plane.X, 2) @ answer["weights"][1:] + answer["weights"][0]
    assert np.abs(scores).min() == pytest.approx(far, rel=1e-6)


def test_the_verdict_of_a_kernel() -> None:
    assert verdict(shown("rings", kernel="poly", degree=2))["kind"] == "separable"
    assert verdict(shown("moons", kernel="rbf"))["words"].startswith("Yes: the rbf kernel can")
    twins = {"points": [[0, 0], [1, 1], [0, 0]], "labels": [0, 1, 1], "classes": [-1, 1]}
    answer = verdict(twins | {"options": {"kernel": "rbf"}})
    assert answer["words"].startswith("No: rows 0 and 2 lie in the same place")
    assert verdict(shown("moons", degree=2))["rows"]
    assert "hulls" not in verdict(shown("moons", degree=2))


def test_the_lowest_degree_that_can() -> None:
    assert [lowest(shown(name))["degree"] for name in ("XOR", "rings", "moons")] == [2, 2, 3]
    assert lowest(cloud(80, seed=9))["degree"] is None


def test_relatives_are_curved_too() -> None:
    asked = shown("rings", degree=2)
    lines = {line["name"]: line for line in relatives(asked)["lines"]}
    plane = request.plane_of(asked)
    model = Perceptron(keep="last", degree=2).fit(plane.X, plane.y)
    assert lines["perceptron, last"]["weights"] == [model.intercept_[0], *model.coef_[0]]
    assert all(line["path"].startswith("M") for line in lines.values())


# -- to take away -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", CURVED, ids=str)
@pytest.mark.parametrize("rows", [12, 60])
def test_the_code_gives_the_same_run(
    chosen: dict[str, Any], rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = cloud(rows, **chosen)
    made, held = takeaway(asked), learned(asked)
    Path("studio.csv").write_text(made["csv"], encoding="utf-8")
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(made["python"], names)
    if "kernel" in chosen:
        log = names["model"].trace_
        assert log.row.tolist() == held.rows.tolist()
        assert log.t.tolist() == held.times.tolist()
    else:
        assert names["run"].replay().tolist() == held.coefficients([held.record.t])[0, 0].tolist()
    assert made["command"] is None


@pytest.mark.parametrize("chosen", CURVED[:4], ids=str)
def test_the_model_file_takes_points_of_the_plane(chosen: dict[str, Any], tmp_path: Path) -> None:
    asked = cloud(50, 3, **chosen)
    made, held = file(asked | {"kind": "model"}), learned(asked)
    path = tmp_path / made["name"]
    path.write_bytes(base64.b64decode(made["content"]))
    wrong = int(np.sum(load(path).predict(held.plane.X) != held.plane.y))
    assert wrong == learn(asked)["kept"]["errors"]
    if "degree" in chosen and "kernel" not in chosen:
        assert isinstance(held, Primal)
        assert held.model.coef_.tolist() == held.learned.weights[:, 1:].tolist(), (
            "products made row by row, or written out"
        )


def test_a_curved_run_is_a_gif_and_says_why_it_is_no_page() -> None:
    asked = shown("XOR", kernel="rbf")
    assert base64.b64decode(file(asked | {"kind": "gif"})["content"])[:4] == b"GIF8"
    with pytest.raises(ParameterError, match="take the GIF"):
        file(asked | {"kind": "html"})
