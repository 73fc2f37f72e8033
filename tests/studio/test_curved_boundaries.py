"""Runs with curved boundaries: what is played and drawn is what the estimators decide."""

import base64
import contextlib
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rosenblatt import KernelPerceptron, Perceptron, certify, load, losses
from rosenblatt.errors import ParameterError
from rosenblatt.learn.polynomial import expand
from rosenblatt.studio import request
from rosenblatt.studio.playback.linear_run import LinearRun
from rosenblatt.studio.playback.recent_runs import run_of
from rosenblatt.studio.questions.download import download
from rosenblatt.studio.questions.reproduce import reproduce
from rosenblatt.studio.questions.run.learn import learn, visits
from rosenblatt.studio.questions.run.loss_history import loss_history
from rosenblatt.studio.questions.run.regions import fixed_curves, regions
from rosenblatt.studio.questions.run.relatives import relatives
from rosenblatt.studio.questions.run.verdict import lowest_degree, verdict
from tests.studio import requests
from tests.studio.requests import inside

PICTURE: dict[str, Any] = {"box": [-4.0, 8.0, -3.0, 6.0], "size": [640, 480]}
CURVED: list[dict[str, Any]] = [
    {"degree": 2},
    {"degree": 4, "order": "shuffle", "random_state": 3, "keep": "last"},
    {"degree": 2, "loss": "logistic", "batch": 5},
    {"kernel": "rbf", "gamma": 0.7},
    {"kernel": "poly", "degree": 2, "order": "sample", "keep": "last", "random_state": 5},
    {"kernel": "linear", "fit_intercept": False},
]


def cloud(n_points: int, n_classes: int = 2, seed: int = 0, **options: Any) -> dict[str, Any]:
    return requests.cloud(n_points, n_classes, seed) | PICTURE | {"options": {"max_iter": 6} | options}


def shown(name: str, **options: Any) -> dict[str, Any]:
    return requests.example_points(name) | PICTURE | {"options": options}


def fitted(body: dict[str, Any], **changes: Any) -> Any:
    """The estimator itself, with the options of the page and its defaults, which are those of the lectures."""
    points = request.read_points(body)
    learner, chosen = request.read_options(body, len(points.X))
    if learner == "kernel":
        return KernelPerceptron(**chosen | changes).fit(points.X, points.y)
    defaults = {name: option.default for name, option in request.LEARNER_OPTIONS[learner].items()}
    return type(run_of(body).model)(**defaults | chosen | changes).fit(points.X, points.y)


# -- the run ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", CURVED, ids=str)
@pytest.mark.parametrize("classes", [2, 3])
def test_the_run_is_the_estimators(chosen: dict[str, Any], classes: int) -> None:
    body = cloud(60, classes, **chosen)
    run, played = learn(body), run_of(body)
    model = fitted(body, keep="last")
    assert (run["n_mistakes"], run["n_iter"], run["t"]) == (model.n_mistakes_, model.n_iter_, model.t_)
    assert run["mistakes"] == model.mistakes_
    last = next(iter(played.scores([run["t"]])))
    expected = model._unit_scores(played.points.X).T
    assert last == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert run["epochs"][-1]["errors"] == int(np.sum(model.predict(played.points.X) != played.points.y))
    estimator = fitted(body)
    assert run["kept"]["errors"] == int(np.sum(estimator.predict(played.points.X) != played.points.y))


@pytest.mark.parametrize("order", ["given", "shuffle", "sample"])
def test_a_kernel_visit_has_the_score_of_that_time(order: str) -> None:
    body = cloud(30, kernel="rbf", order=order, random_state=2)
    points, moments = request.read_points(body), visits(body | {"since": 20})["visits"]
    assert [visit["t"] for visit in moments] == list(range(20, 84))
    assert len(learn(body)["mistakes"]) > 2
    K = np.exp(-0.5 * np.square(points.X[:, None] - points.X[None]).sum(axis=2)) + 1
    played = run_of(body)
    for visit in moments:
        earlier = played.update_visits < visit["t"]
        signs = np.where(points.index == 1, 1, -1)
        score = float((signs[played.update_rows[earlier]] * K[played.update_rows[earlier], visit["row"]]).sum())
        assert visit["steps"][0]["score"] == pytest.approx(score)
        assert visit["steps"][0]["mistake"] == (signs[visit["row"]] * visit["steps"][0]["score"] <= 0)


def test_rings_xor_and_moons_become_separable() -> None:
    for body in (shown("XOR", degree=2), shown("rings", degree=2), shown("rings", kernel="poly", degree=2)):
        assert learn(body)["status"] == "separated"
    assert learn(shown("moons", kernel="rbf"))["status"] == "separated"
    assert learn(shown("moons"))["status"] == "budget"


# -- what is drawn ----------------------------------------------------------------------------------------------------


def pixel(point: Any) -> tuple[float, float]:
    left, right, low, high = PICTURE["box"]
    return 640 * (point[0] - left) / (right - left), 480 * (high - point[1]) / (high - low)


@pytest.mark.parametrize("scheme", ["ovr", "ovo", "joint"])
@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("chosen", [{}, {"degree": 2}, {"kernel": "rbf"}], ids=str)
def test_a_region_is_where_its_class_is_decided(chosen: dict[str, Any], classes: int, scheme: str) -> None:
    body = cloud(50, classes, multi_class=scheme, **chosen)
    t = learn(body)["t"]
    (picture,) = regions(body | {"times": [t]})["pictures"]
    model = fitted(body, keep="last")
    rng = np.random.default_rng(1)
    places = rng.uniform([-4, -3], [8, 6], (60, 2))
    decided = np.searchsorted(list("ABCDE"), model.predict(places))
    near = np.concatenate([places + step for step in ([0.15, 0], [-0.15, 0], [0, 0.15], [0, -0.15])])
    around = model.predict(near).reshape(4, -1) == model.predict(places)
    checked = 0
    for place, label in zip(places[around.all(axis=0)], decided[around.all(axis=0)], strict=True):
        containing = [k for k, path in picture["regions"].items() if inside(path, pixel(place))]
        assert containing == [str(label)], place
        checked += 1
    assert checked > 30


def test_the_edge_of_a_region_that_votes_decide_is_no_staircase() -> None:
    body = cloud(50, 5, multi_class="ovo")
    (picture,) = regions(body | {"times": [learn(body)["t"]]})["pictures"]
    model = fitted(body, keep="last")
    left, right, low, high = PICTURE["box"]
    off = tried = 0
    for label, path in picture["regions"].items():
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
    body = cloud(40, **chosen)
    played = run_of(body)
    for picture in regions(body | {"times": [1, played.summary.t // 2, played.summary.t]})["pictures"]:
        if not picture["boundary"]:
            continue
        corners = np.array(re.findall(r"([-\d.]+) ([-\d.]+)", picture["boundary"]), dtype=float)
        points = np.column_stack([-4 + corners[:, 0] * 12 / 640, 6 - corners[:, 1] * 9 / 480])
        scores = (played.coefficients([picture["time"]])[0] @ played.basis(points))[0]
        around = (played.coefficients([picture["time"]])[0] @ played.basis(points + 0.1))[0]
        assert np.median(np.abs(scores)) < 0.2 * np.median(np.abs(around - scores)) + 1e-9


def test_before_anything_was_learned_nothing_is_drawn() -> None:
    body = shown("XOR", kernel="rbf")
    empty, bias_only = regions(body | {"times": [0, 1]})["pictures"]
    assert (empty["regions"], empty["boundary"]) == ({}, "")
    assert list(bias_only["regions"]) == ["0"], "the first mistake was of the first class"


def test_regions_are_computed_within_limits() -> None:
    body = shown("XOR", degree=2)
    for change, words in (
        ({"times": [10**6]}, "numbers of visits"),
        ({"times": "1"}, "numbers of visits"),
        ({"times": [0] * 41}, "up to 40"),
        ({"times": [0], "box": [1, 0, 0, 1]}, "left, right"),
        ({"times": [0], "box": [0, 1, 0, "1"]}, "must be 4 numbers"),
        ({"times": [0], "size": [1e9, 10]}, "two sides"),
    ):
        with pytest.raises(ParameterError, match=words):
            regions(body | change)
    with pytest.raises(ParameterError, match="must be 6 numbers"):
        fixed_curves(body | {"weights": [1, 2, 3]})


# -- what it costs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", [{}, {"degree": 2}, {"kernel": "rbf"}, {"loss": "squared"}], ids=str)
def test_each_loss_is_the_mean_over_the_points(chosen: dict[str, Any]) -> None:
    body = cloud(40, **chosen)
    history, played = loss_history(body), run_of(body)
    assert [loss["name"] for loss in history["losses"]] == list(losses.LOSSES)
    assert (history["times"][0], history["times"][-1]) == (0, played.summary.t)
    model = fitted(body, keep="last")
    margins = model.decision_function(played.points.X) * np.where(played.points.index == 1, 1, -1)
    for loss in history["losses"]:
        assert loss["values"][-1] == pytest.approx(float(np.mean(losses.LOSSES[loss["name"]](margins))), rel=1e-9)
    if "kernel" in chosen:
        a, K = (
            model.dual_coef_[0],
            np.exp(-0.5 * np.square(model.support_vectors_[:, None] - model.support_vectors_).sum(2)),
        )
        assert history["norm"][-1] ** 2 == pytest.approx(a @ (K + 1) @ a)
    else:
        assert history["norm"][-1] ** 2 == pytest.approx(model.intercept_[0] ** 2 + float(np.square(model.coef_).sum()))


# -- the verdict ------------------------------------------------------------------------------------------------------


def test_the_verdict_speaks_of_the_products() -> None:
    body = shown("rings", degree=2)
    points = request.read_points(body)
    certificate, answer = certify(expand(points.X, 2), points.y), verdict(body)
    assert (answer["kind"], answer["degree"], answer["margin"]) == ("separable", 2, certificate.margin)
    assert answer["explanation"].startswith("Yes: a curve of degree 2 tells 'A' and 'B' apart")
    assert answer["theorem"]["mistakes"] == learn(body)["n_mistakes"] <= answer["mistake_bound"]
    far = answer["margin"] * float(np.linalg.norm(answer["weights"][1:]))
    low, middle, high = fixed_curves(body | {"weights": answer["weights"], "levels": [-far, 0, far]})["levels"]
    assert len({low, middle, high}) == 3
    scores = expand(points.X, 2) @ answer["weights"][1:] + answer["weights"][0]
    assert np.abs(scores).min() == pytest.approx(far, rel=1e-6)


def test_the_verdict_of_a_kernel() -> None:
    assert verdict(shown("rings", kernel="poly", degree=2))["kind"] == "separable"
    assert verdict(shown("moons", kernel="rbf"))["explanation"].startswith("Yes: the rbf kernel can")
    twins = {"points": [[0, 0], [1, 1], [0, 0]], "labels": [0, 1, 1], "classes": [-1, 1]}
    answer = verdict(twins | {"options": {"kernel": "rbf"}})
    assert answer["explanation"].startswith("No: rows 1 and 3 are the same point")
    assert verdict(shown("moons", degree=2))["rows"]
    assert "hulls" not in verdict(shown("moons", degree=2))


def test_the_lowest_degree_that_can() -> None:
    assert [lowest_degree(shown(name))["degree"] for name in ("XOR", "rings", "moons")] == [2, 2, 3]
    assert lowest_degree(cloud(80, seed=9))["degree"] is None


def test_relatives_are_curved_too() -> None:
    body = shown("rings", degree=2)
    lines = {line["name"]: line for line in relatives(body)["lines"]}
    points = request.read_points(body)
    model = Perceptron(keep="last", degree=2).fit(points.X, points.y)
    assert lines["perceptron, last"]["weights"] == [model.intercept_[0], *model.coef_[0]]
    assert all(line["path"].startswith("M") for line in lines.values())


# -- to take away -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", CURVED, ids=str)
@pytest.mark.parametrize("rows", [12, 60])
def test_the_code_gives_the_same_run(
    chosen: dict[str, Any], rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    body = cloud(rows, **chosen)
    answer, played = reproduce(body), run_of(body)
    Path("studio.csv").write_text(answer["csv"], encoding="utf-8")
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(answer["python"], names)
    if "kernel" in chosen:
        log = names["model"].trace_
        assert log.row.tolist() == played.update_rows.tolist()
        assert log.t.tolist() == played.update_visits.tolist()
    else:
        assert names["run"].replay().tolist() == played.coefficients([played.summary.t])[0, 0].tolist()
    assert answer["command"] is None


@pytest.mark.parametrize("chosen", CURVED[:4], ids=str)
def test_the_model_file_takes_points_of_the_plane(chosen: dict[str, Any], tmp_path: Path) -> None:
    body = cloud(50, 3, **chosen)
    answer, played = download(body | {"kind": "model"}), run_of(body)
    path = tmp_path / answer["name"]
    path.write_bytes(base64.b64decode(answer["content"]))
    named = pd.DataFrame(played.points.X, columns=["x1", "x2"]) if "kernel" in chosen else played.points.X
    wrong = int(np.sum(load(path).predict(named) != played.points.y))
    assert wrong == learn(body)["kept"]["errors"]
    if "degree" in chosen and "kernel" not in chosen:
        assert isinstance(played, LinearRun)
        assert played.model.coef_.tolist() == played.run.final_weights.coef.tolist(), (
            "products made row by row, or written out"
        )


def test_a_curved_run_can_be_a_gif() -> None:
    body = shown("XOR", kernel="rbf")
    assert base64.b64decode(download(body | {"kind": "gif"})["content"])[:4] == b"GIF8"
