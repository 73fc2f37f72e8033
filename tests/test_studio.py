"""The studio's answers and its server: the engine's numbers, the same errors, and nothing for strangers."""

import contextlib
import io
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import httpx
import numpy as np
import pytest

from rosenblatt import Perceptron, certify, options, trace
from rosenblatt.cli import main
from rosenblatt.errors import DataError, ParameterError, RosenblattError
from rosenblatt.report.figures.style import DARK, LIGHT
from rosenblatt.studio import examples, learning, request, server, verdicts
from rosenblatt.studio.answers import ANSWERS, controls
from rosenblatt.studio.takeaway import takeaway

AND: dict[str, Any] = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 0, 0, 1], "classes": [-1, 1]}
XOR = AND | {"labels": [0, 1, 1, 0]}
TOKEN, PORT = "a-token", 8000


def cloud(rows: int, classes: int = 2, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(classes), rng.integers(0, classes, rows - classes)])
    centres = np.array([[0, 0], [2, 2], [0, 4], [4, 0], [4, 4]])[labels]
    points = centres + rng.normal(size=(rows, 2))
    return {"points": points.tolist(), "labels": labels.tolist(), "classes": list("ABCDE")[:classes]}


# -- learning ---------------------------------------------------------------------------------------------------------


def test_and_is_the_run_of_the_lectures() -> None:
    run = learning.learn(AND)
    assert [end["after"][0] for end in run["epochs"]][1:] == [
        *([-1, 2, 1], [-2, 2, 1], [-2, 2, 2], [-2, 3, 2]),
        *([-3, 3, 2], [-3, 3, 3], [-4, 3, 2], [-4, 3, 2]),
    ]
    assert (run["n_mistakes"], run["n_iter"], run["t"], run["status"]) == (18, 9, 36, "separated")
    assert run["moments"][-1]["errors"] == 0
    assert [visit["moved"][0]["mistake"] for visit in learning.visits(AND | {"epoch": 1})["visits"]] == [1, 0, 0, 1]


CHOSEN: list[dict[str, Any]] = [
    {},
    {"order": "shuffle", "random_state": 3, "eta0": 0.3},
    {"fit_intercept": False, "learning_rate": "arow", "keep": "vote"},
    {"learning_rate": "adagrad", "margin": 0.5, "init": "random"},
    {"loss": "squared", "batch": "full"},
    {"loss": "logistic", "batch": 7},
]


@pytest.mark.parametrize("chosen", CHOSEN, ids=str)
@pytest.mark.parametrize("classes", [2, 3])
def test_every_moment_has_the_weights_of_the_trace(chosen: dict[str, Any], classes: int) -> None:
    asked = cloud(40, classes) | {"options": chosen | {"max_iter": 4}}
    run = learning.learn(asked)
    held = request.plane_of(asked)
    whole = trace(held.X, held.y, **chosen, max_iter=4)
    bias = chosen.get("fit_intercept", True)
    for moment in [run["moments"][k] for k in (0, len(run["moments"]) // 2, -1)]:
        expected = np.atleast_2d(whole.replay(None if moment["k"] == len(whole) else moment["k"]))
        assert np.array(moment["after"])[:, 0 if bias else 1 :].tolist() == expected.tolist()
    visits = learning.visits(asked | {"epoch": 2})["visits"]
    assert visits[0]["before"] == run["epochs"][0]["after"]
    assert visits[-1]["after"] == run["epochs"][1]["after"]


@pytest.mark.parametrize("classes", [2, 4])
def test_of_a_long_log_moments_are_spread_and_still_exact(monkeypatch: pytest.MonkeyPatch, classes: int) -> None:
    monkeypatch.setattr(learning, "MOST_MOMENTS", 7)
    asked = cloud(60, classes, seed=5)
    run = learning.learn(asked)
    held = request.plane_of(asked)
    whole = trace(held.X, held.y)
    assert len(run["moments"]) == 7
    assert run["n_updates"] == len(whole) > 50
    for moment in run["moments"]:
        assert moment["after"] == np.atleast_2d(whole.replay(moment["k"])).tolist()
        step = next(iter(whole.updates([moment["k"] - 1])))
        assert (moment["t"], moment["row"]) == (step.t, step.row)


def test_errors_and_margin_are_those_of_the_line() -> None:
    asked = cloud(50, seed=2)
    held = request.plane_of(asked)
    for moment in learning.learn(asked)["moments"]:
        b, *w = moment["after"][0]
        said = np.where(held.X @ np.array(w) + b > 0, "B", "A")
        assert moment["errors"] == int(np.sum(said != held.y))
        if moment["margin"] is not None and moment["margin"] > 0:
            assert moment["errors"] == 0


def test_what_is_kept_is_what_the_learner_keeps() -> None:
    asked = cloud(50, seed=2)
    held = request.plane_of(asked)
    model = Perceptron(order="given").fit(held.X, held.y)
    kept = learning.learn(asked)["kept"]
    assert kept["weights"] == [[model.intercept_[0], *model.coef_[0]]]
    assert kept["errors"] == int(np.sum(model.predict(held.X) != held.y))


# -- verdicts ---------------------------------------------------------------------------------------------------------


def test_a_separable_verdict_is_the_certificate_and_the_theorem() -> None:
    found, answer = certify(AND["points"], [-1, -1, -1, 1]), verdicts.verdict(AND)
    assert (answer["kind"], answer["words"]) == ("separable", found.explain())
    assert answer["theorem"]["mistakes"] == 18 <= answer["mistake_bound"]
    assert answer["theorem"]["holds"]


@pytest.mark.parametrize("order", ["given", "shuffle", "sample"])
def test_the_theorem_is_told_of_the_run_that_is_played(order: str) -> None:
    asked = AND | {"options": {"order": order, "random_state": 4}}
    theorem, run = verdicts.verdict(asked)["theorem"], learning.learn(asked)
    assert theorem["mistakes"] == run["n_mistakes"]
    played = [0.0] + [float(np.square(moment["after"][0]).sum()) for moment in run["moments"]]
    assert theorem["norm_squared"] == pytest.approx(played)


def test_the_theorem_is_silent_about_other_rules() -> None:
    for chosen in ({"eta0": 0.5}, {"margin": 1}, {"loss": "squared"}, {"init": "random"}, {"fit_intercept": False}):
        assert verdicts.verdict(AND | {"options": chosen})["theorem"] is None


def test_the_proof_meets_in_the_point_that_is_drawn() -> None:
    asked = cloud(80, seed=9)
    answer = verdicts.verdict(asked)
    assert answer["kind"] == "inseparable"
    assert sorted(row for rows in answer["hulls"] for row in rows) == sorted(answer["rows"])
    assert verdicts.verdict(XOR)["meets"] == [0.5, 0.5]


def test_more_classes_are_judged_pair_by_pair() -> None:
    answer = verdicts.verdict(cloud(30, 3))
    assert [(pair["first"], pair["second"]) for pair in answer["pairs"]] == [("A", "B"), ("A", "C"), ("B", "C")]
    assert verdicts.relatives(cloud(30, 3))["lines"] == []


def test_the_relatives_are_the_estimators() -> None:
    lines = {line["name"]: line for line in verdicts.relatives(AND)["lines"]}
    widest = certify(AND["points"], [-1, -1, -1, 1])
    drawn = np.array(lines["maximum margin"]["weights"])
    assert drawn[1:] / np.linalg.norm(drawn[1:]) == pytest.approx(widest.w / np.linalg.norm(widest.w), rel=1e-5)
    assert len(lines) == 5


# -- tables and take-away ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(examples.EXAMPLES))
def test_every_example_can_be_shown(name: str) -> None:
    table = examples.example({"name": name})
    across, up = table.get("axes", [0, 1])
    points = [[row[across], row[up]] for row in table["rows"]]
    asked = {"points": points, "labels": table["labels"], "classes": table["classes"]}
    kind = verdicts.verdict(asked)["kind"]
    separable = name in ("AND", "OR", "two blobs", "hair's breadth", "iris: setosa, versicolor")
    assert kind == ("separable" if separable else "inseparable")
    assert table["words"].endswith(".")


def test_a_pasted_table_is_read_as_a_file_is() -> None:
    found = examples.table({"text": "height,width,kind\n1,2,b\n3,4,a\n"})
    assert found["rows"] == [[1, 2], [3, 4]]
    assert (found["labels"], found["classes"], found["columns"]) == ([1, 0], ["a", "b"], ["height", "width"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "nothing to read"),
        ("x", "needs rows of numbers and a class"),
        ("a,b\n1,2,3\n", "the table:2: 3 cells, and the table has 2 columns"),
        ("x,y\n" + "\n".join(f"{k},c{k}" for k in range(11)), "up to 10 classes"),
    ],
)
def test_a_bad_table_is_refused_in_one_sentence(text: str, words: str) -> None:
    with pytest.raises(DataError) as caught:
        examples.table({"text": text})
    assert words in str(caught.value)
    assert "/tmp" not in str(caught.value)


@pytest.mark.parametrize("chosen", [c for c in CHOSEN if c.get("init") != "random"], ids=str)
@pytest.mark.parametrize("rows", [12, 60])
def test_the_code_and_the_command_give_the_same_run(
    chosen: dict[str, Any],
    rows: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = cloud(rows) | {"options": chosen | {"max_iter": 3}}
    made, run = takeaway(asked), learning.learn(asked)
    Path("studio.csv").write_text(made["csv"], encoding="utf-8")
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(made["python"], names)
    first = 0 if chosen.get("fit_intercept", True) else 1
    assert names["run"].replay().tolist() == run["epochs"][-1]["after"][0][first:]
    capsys.readouterr()
    assert main([*made["command"].split()[1:], "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["n_mistakes"] == run["n_mistakes"]


def test_what_the_command_line_cannot_do_is_not_said() -> None:
    assert takeaway(AND | {"options": {"init": "random"}})["command"] is None


def test_the_controls_are_the_options() -> None:
    told = controls({})
    assert told["losses"]["perceptron"]["margin"]["help"] == options.margin.help
    assert told["losses"]["squared"]["eta0"]["default"] == options.adaline_eta0.default
    assert "margin" not in told["losses"]["logistic"]
    for loss, listed in told["losses"].items():
        defaults = {name: control["default"] for name, control in listed.items()}
        request.chosen_of({"options": {"loss": loss, **defaults}}, 10)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"points": None}, "points, labels and classes"),
    ({"labels": [0]}, "4 points and 1 labels"),
    ({"labels": [0, 0, 0, 0]}, "at least two classes"),
    ({"labels": [0, 0, 0, 2]}, "label of point 3"),
    ({"labels": [0, 0, 0, True]}, "label of point 3"),
    ({"points": [[0, 0], [0, 1], [1, 0], [1]]}, "Point 3 is not a pair"),
    ({"points": [[0, 0], [0, 1], [1, 0], [1, 1e300]]}, "Point 3 is not a pair"),
    ({"points": [[0, 0], [0, 1], [1, 0], [1, float("nan")]]}, "Point 3 is not a pair"),
    ({"points": [[0, 0], [0, 1], [1, 0], [1, 10**400]]}, "Point 3 is not a pair"),
    ({"points": [[0, 0]] * 10_001}, "up to 10,000 points"),
    ({"classes": [1, -1]}, "must be sorted"),
    ({"classes": ["a", 1]}, "short words, or all by numbers"),
    ({"classes": list(range(11))}, "1 to 10 classes"),
    ({"options": {"eta0": -1}}, "'eta0' parameter of the studio must be a float greater than 0"),
    ({"options": {"n_jobs": 2}}, "no control 'n_jobs'"),
    ({"options": {"loss": "hinge"}}, "must be one of perceptron, squared, logistic"),
    ({"options": {"loss": ["x"]}}, "must be one of"),
    ({"options": {"max_iter": 10**9}}, "up to 1,000 epochs"),
    ({"options": {"keep": "vote", "batch": 2}}, "cannot use"),
    ({"options": {"init": [[1e308, 1, 1]] * 9}}, "init"),
    ({"options": []}, "names and values"),
]


@pytest.mark.parametrize(("change", "words"), BAD, ids=[words for _, words in BAD])
def test_a_bad_request_is_refused_in_one_sentence(change: dict[str, Any], words: str) -> None:
    with pytest.raises(RosenblattError) as caught:
        learning.learn(AND | change)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_epoch_that_is_not_there() -> None:
    for epoch in (0, 10, None, "1", True):
        with pytest.raises(ParameterError, match="epochs 1 to 9"):
            learning.visits(AND | {"epoch": epoch})


# -- the server -------------------------------------------------------------------------------------------------------


class Client:
    """Asks the application itself, without a socket."""

    def __init__(self, app: Any) -> None:
        self.transport = httpx.ASGITransport(app, raise_app_exceptions=False)

    def request(self, method: str, path: str, **told: Any) -> httpx.Response:
        async def answer() -> httpx.Response:
            async with httpx.AsyncClient(transport=self.transport, base_url=f"http://127.0.0.1:{PORT}") as client:
                return await client.request(method, path, **told)

        return anyio.run(answer)

    def get(self, path: str, **told: Any) -> httpx.Response:
        return self.request("GET", path, **told)

    def post(self, path: str, **told: Any) -> httpx.Response:
        return self.request("POST", path, **told)


@pytest.fixture
def client() -> Client:
    return Client(server.app_of(TOKEN, PORT, {"rows": [[1, 2]]}))


def ask(client: Client, question: str, body: Any = None, **headers: str) -> Any:
    return client.post(f"/{TOKEN}/api/{question}", json={} if body is None else body, headers=headers)


def test_the_page_and_every_question_are_answered(client: Client) -> None:
    page = client.get(f"/{TOKEN}/")
    assert page.status_code == 200
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert "http" not in page.text.replace("http-equiv", "")
    for name in ("main.js", "style.css", "palette.css", "icon.svg"):
        assert client.get(f"/{TOKEN}/{name}").status_code == 200
    for question in ANSWERS:
        body = AND | {"epoch": 1, "name": "AND", "text": "1,2,a\n2,3,b\n"}
        assert ask(client, question, body).status_code == 200, question
    assert ask(client, "given").json() == {"rows": [[1, 2]]}


def test_the_colours_are_those_of_the_figures(client: Client) -> None:
    css = client.get(f"/{TOKEN}/palette.css").text
    for colour in (*LIGHT.classes, *DARK.classes, LIGHT.alarm, DARK.paper):
        assert colour in css


@pytest.mark.parametrize("path", ["/", "/wrong/", "/wrong/api/learn", f"/{TOKEN}x/", "//", "/%00/"])
def test_without_the_token_nothing_is_told(client: Client, path: str) -> None:
    for method in ("GET", "POST", "OPTIONS"):
        answer = client.request(method, path)
        assert answer.status_code == 403
        assert list(answer.json()) == ["error"]


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": f"evil.example:{PORT}"},
        {"host": "127.0.0.1:1"},
        {"host": f"127.0.0.1:{PORT}.evil.example"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"http://127.0.0.1:{PORT + 1}"},
        {"origin": f"https://127.0.0.1:{PORT}"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
    ids=str,
)
def test_other_sites_and_other_names_are_refused(client: Client, headers: dict[str, str]) -> None:
    assert ask(client, "controls", **headers).status_code == 403
    assert client.get(f"/{TOKEN}/main.js", headers=headers).status_code == 403


def test_a_page_of_this_address_is_let_in(client: Client) -> None:
    for host in ("127.0.0.1", "localhost"):
        told = {"host": f"{host}:{PORT}", "origin": f"http://{host}:{PORT}", "sec-fetch-site": "same-origin"}
        assert ask(client, "controls", **told).status_code == 200
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client.get(f"/{TOKEN}/", headers=link).status_code == 200


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{}", "text/plain", 415),
        (b"{}", "application/x-www-form-urlencoded", 415),
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b" " * 4_000_001, "application/json", 413),
        (b'{"points": [[NaN, 0]]}', "application/json", 400),
        (b'{"points": 3}', "application/json", 422),
    ],
)
def test_bad_bodies_get_a_status_and_a_sentence(client: Client, content: bytes, kind: str, status: int) -> None:
    answer = client.post(f"/{TOKEN}/api/learn", content=content, headers={"content-type": kind})
    assert answer.status_code == status
    assert answer.json()["error"].endswith(".")


def test_what_is_not_there(client: Client) -> None:
    assert ask(client, "nothing").status_code == 404
    for path in ("server.py", "..%2fserver.py", "%2e%2e/server.py", "api", "api/../index.html/x"):
        assert client.get(f"/{TOKEN}/{path}").status_code in (403, 404), path
    assert client.get(f"/{TOKEN}/api/learn").status_code == 405
    assert client.request("DELETE", f"/{TOKEN}/").status_code == 405


def test_a_fault_of_ours_shows_no_traceback(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(asked: Any) -> dict[str, Any]:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(server, "ANSWERS", {"learn": broken})
    answer = ask(client, "learn")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "fault of ours" in answer.json()["error"]


# -- the command ------------------------------------------------------------------------------------------------------


def test_the_command_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    Path(tmp_path, "fruit.csv").write_text("weight,size,kind\n7,2,cherry\n150,8,apple\n", encoding="utf-8")
    command = [sys.executable, "-m", "rosenblatt", "studio", "fruit.csv", "--no-browser", "--json"]
    path = os.pathsep.join(filter(None, sys.path))
    with subprocess.Popen(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        url = json.loads(running.stdout.readline())["url"]
        assert url.startswith("http://127.0.0.1:")
        given = httpx.post(f"{url}api/given", json={}).json()
        assert given["columns"] == ["weight", "size"]
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=20)
    assert running.returncode == 0, said
    assert said.endswith(b"ended.\n")


def test_a_port_that_is_taken_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        assert main(["studio", "--no-browser", "--port", str(held.getsockname()[1])]) == 2
    assert "is in use" in capsys.readouterr().err


def test_without_its_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "rosenblatt.studio.server", raising=False)
    monkeypatch.delattr("rosenblatt.studio.server", raising=False)
    monkeypatch.setitem(sys.modules, "starlette.applications", None)
    assert main(["studio", "--no-browser"]) == 2
    assert "rosenblatt[studio]" in capsys.readouterr().err
