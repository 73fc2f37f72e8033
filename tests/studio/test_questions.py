"""The answers to the page's questions: the same numbers, and the same errors, as in Python."""

import base64
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from rosenblatt import Perceptron, certify, load, options, read, trace
from rosenblatt.cli import main
from rosenblatt.errors import DataError, ParameterError, RosenblattError
from rosenblatt.studio import request
from rosenblatt.studio.playback import run as played_run
from rosenblatt.studio.playback.linear_run import LinearRun
from rosenblatt.studio.playback.recent_runs import run_of
from rosenblatt.studio.questions import example_tables, user_tables
from rosenblatt.studio.questions.controls import controls
from rosenblatt.studio.questions.download import download
from rosenblatt.studio.questions.lessons.mail import mail, message
from rosenblatt.studio.questions.network import network, network_regions
from rosenblatt.studio.questions.reproduce import reproduce
from rosenblatt.studio.questions.run import learn as learning
from rosenblatt.studio.questions.run import verdict as verdicts
from rosenblatt.studio.questions.run.relatives import relatives
from tests import child
from tests.studio.requests import AND, XOR, cloud, example_points, inside

# -- learning ---------------------------------------------------------------------------------------------------------


def test_and_is_the_run_of_the_lectures() -> None:
    run = learning.learn(AND)
    assert [end["after"][0] for end in run["epochs"]][1:] == [
        *([-1, 2, 1], [-2, 2, 1], [-2, 2, 2], [-2, 3, 2]),
        *([-3, 3, 2], [-3, 3, 3], [-4, 3, 2], [-4, 3, 2]),
    ]
    assert (run["n_mistakes"], run["n_iter"], run["t"], run["status"]) == (18, 9, 36, "separated")
    assert run["moments"][-1]["errors"] == 0
    assert [visit["steps"][0]["mistake"] for visit in learning.visits(AND | {"since": 0})["visits"][:4]] == [1, 0, 0, 1]


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
    body = cloud(40, classes) | {"options": chosen | {"max_iter": 4}}
    run = learning.learn(body)
    points = request.read_points(body)
    full = trace(points.X, points.y, **chosen, max_iter=4)
    bias = chosen.get("fit_intercept", True)
    for moment in [run["moments"][k] for k in (0, len(run["moments"]) // 2, -1)]:
        expected = np.atleast_2d(full.replay(None if moment["k"] == len(full) else moment["k"]))
        assert np.array(moment["after"])[:, 0 if bias else 1 :].tolist() == expected.tolist()
    visits = learning.visits(body | {"since": 40})["visits"]
    assert visits[0]["before"] == run["epochs"][0]["after"]
    assert [visit["t"] for visit in visits] == list(range(40, 104))
    assert visits[39]["after"] == run["epochs"][1]["after"]


@pytest.mark.parametrize(
    "chosen", [*CHOSEN, {"keep": "pocket"}, {"multi_class": "ovo"}, {"multi_class": "joint"}], ids=str
)
@pytest.mark.parametrize("classes", [2, 4])
def test_a_unit_is_its_estimator_bit_for_bit(chosen: dict[str, Any], classes: int) -> None:
    run = run_of(cloud(60, classes, seed=5) | {"options": chosen})
    assert isinstance(run, LinearRun)
    model, final = run.model, run.run.final_weights
    assert (
        np.column_stack([final.intercept, final.coef]).tolist()
        == np.column_stack([model.intercept_, model.coef_]).tolist()
    )
    assert run.errors() == int(np.sum(model.predict(run.points.X) != run.points.y))
    assert (list(run.summary.mistakes), run.summary.status) == (model.mistakes_, model.status_)


def test_the_first_picture_does_not_wait_for_scikit_learn() -> None:
    script = f"""
import sys
from rosenblatt.studio.questions.registry import QUESTIONS
for question in ("controls", "learn", "verdict", "loss_history"):
    QUESTIONS[question]({AND!r})
QUESTIONS["example"]({{"name": "AND"}})
print(sorted({{"sklearn", "scipy", "pandas", "matplotlib", "rich", "pyarrow"}} & set(sys.modules)))
"""
    assert child.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("classes", [2, 4])
def test_moments_of_a_long_log_are_samples_and_still_exact(monkeypatch: pytest.MonkeyPatch, classes: int) -> None:
    monkeypatch.setattr(played_run, "MAX_MOMENTS", 7)
    body = cloud(60, classes, seed=5)
    run = learning.learn(body)
    points = request.read_points(body)
    full = trace(points.X, points.y)
    assert len(run["moments"]) == 7
    assert not run["complete"]
    following = learning.visits(body | {"since": 3, "updates_only": True})["visits"]
    assert [visit["t"] for visit in following] == [t for t in np.unique(full.t).tolist() if t >= 3][:64]
    for visit in following[::9]:
        assert visit["after"] == np.atleast_2d(full.replay(visit["k"])).tolist()
    assert run["n_updates"] == len(full) > 50
    for moment in run["moments"]:
        assert moment["after"] == np.atleast_2d(full.replay(moment["k"])).tolist()
        step = next(iter(full.updates([moment["k"] - 1])))
        assert (moment["t"], moment["row"]) == (step.t, step.row)


def test_errors_and_margin_are_those_of_the_line() -> None:
    body = cloud(50, seed=2)
    points = request.read_points(body)
    for moment in learning.learn(body)["moments"]:
        b, *w = moment["after"][0]
        predicted = np.where(points.X @ np.array(w) + b > 0, "B", "A")
        assert moment["errors"] == int(np.sum(predicted != points.y))
        if moment["margin"] is not None and moment["margin"] > 0:
            assert moment["errors"] == 0


@pytest.mark.parametrize("chosen", [{}, {"degree": 2}, {"kernel": "rbf"}, {"multi_class": "ovo"}], ids=str)
def test_errors_on_rows_kept_aside_are_the_models(chosen: dict[str, Any]) -> None:
    body = cloud(60, 3, seed=8)
    learned = {"points": body["points"][:40], "labels": body["labels"][:40], "classes": body["classes"]}
    aside = {"test_points": body["points"][40:], "test_labels": body["labels"][40:]}
    options = {"options": chosen | {"max_iter": 3, "keep": "last"}}
    run, model = learning.learn(learned | aside | options), run_of(learned | options).model
    names = np.array(body["classes"])[aside["test_labels"]]
    wrong = int(np.sum(model.predict(aside["test_points"]) != names))
    assert run["epochs"][-1]["test_errors"] == wrong
    assert [end["after"] for end in run["epochs"]] == [
        end["after"] for end in learning.learn(learned | options)["epochs"]
    ]
    assert "test_errors" in learning.visits(learned | aside | options | {"since": 5})["visits"][0]
    with pytest.raises(DataError, match="20 points and 1 labels"):
        learning.learn(learned | aside | {"test_labels": [0]})


def test_a_run_in_the_order_of_the_classes_says_what_that_does() -> None:
    iris = example_points("iris: versicolor, virginica")
    advice = "The rows are sorted by class, so the boundary leans towards virginica: shuffle them."
    assert learning.learn(iris)["advice"] == advice
    assert learning.learn(iris | {"options": {"order": "shuffle"}})["advice"] is None
    assert learning.learn(example_points("iris: setosa, versicolor"))["advice"] is None, "it has ended"
    assert learning.learn(example_points("moons"))["advice"] is None, "the classes alternate"
    assert learning.learn(XOR)["advice"] is None


def test_the_verdict_names_the_rows_of_the_table() -> None:
    """Rows 2 and 4 of the table are kept aside, so that the points are its rows 1, 3, 5, 6."""
    aside = {"learned_rows": [0, 2, 4, 5]}
    answer = verdicts.verdict(XOR | aside)
    assert answer["rows"] == [0, 1, 2, 3], "the page itself counts the points"
    assert [f"row {row} (" in answer["explanation"] for row in (1, 3, 5, 6)] == [True] * 4
    assert "row 2 (" not in answer["explanation"]
    line = {"points": [[0, 0], [0, 1], [4, 0], [4, 1]], "labels": [0, 0, 1, 1], "classes": ["A", "B"]}
    rows = {row + 1 for row in np.array(aside["learned_rows"])[verdicts.verdict(line)["support"]]}
    listed = verdicts.verdict(line | aside)["explanation"].partition("that limit: ")[2].partition(" (counted")[0]
    assert set(map(int, listed.replace(" and ", ", ").split(", "))) == rows
    same = {"points": [[0, 0], [1, 1], [1, 1]], "labels": [0, 0, 1], "classes": ["A", "B"]}
    twice = verdicts.verdict(same | {"learned_rows": [0, 5, 7], "options": {"kernel": "rbf"}})
    assert twice["explanation"].startswith("No: rows 6 and 8 are the same point")


@pytest.mark.parametrize("rows", [[0, 1, 2], [0, 1, 2, -1], [0, 1, 2, 2.5], "0123", None, [0, 1, 2, True]], ids=str)
def test_row_numbers_that_are_none_are_refused(rows: Any) -> None:
    with pytest.raises(DataError, match="learned_rows must be a list with the row number of each point"):
        verdicts.verdict(XOR | {"learned_rows": rows})


def test_what_is_kept_is_what_the_learner_keeps() -> None:
    body = cloud(50, seed=2)
    points = request.read_points(body)
    model = Perceptron(order="given").fit(points.X, points.y)
    answer = learning.learn(body)["kept"]
    assert answer["weights"] == [[model.intercept_[0], *model.coef_[0]]]
    assert answer["errors"] == int(np.sum(model.predict(points.X) != points.y))


# -- verdicts ---------------------------------------------------------------------------------------------------------


def test_a_separable_verdict_is_the_certificate_and_the_theorem() -> None:
    certificate, answer = certify(AND["points"], [-1, -1, -1, 1]), verdicts.verdict(AND)
    assert (answer["kind"], answer["explanation"]) == ("separable", certificate.explain(count_from=1))
    assert answer["theorem"]["mistakes"] == 18 <= answer["mistake_bound"]
    assert answer["theorem"]["holds"]


@pytest.mark.parametrize("order", ["given", "shuffle", "sample"])
def test_the_theorem_is_about_the_run_that_is_played(order: str) -> None:
    body = AND | {"options": {"order": order, "random_state": 4}}
    theorem, run = verdicts.verdict(body)["theorem"], learning.learn(body)
    assert theorem["mistakes"] == run["n_mistakes"]
    norms = [0.0] + [float(np.square(moment["after"][0]).sum()) for moment in run["moments"]]
    assert theorem["norm_squared"] == pytest.approx(norms)


def test_there_is_no_theorem_for_other_rules() -> None:
    for chosen in ({"eta0": 0.5}, {"margin": 1}, {"loss": "squared"}, {"init": "random"}, {"fit_intercept": False}):
        assert verdicts.verdict(AND | {"options": chosen})["theorem"] is None


def test_the_proof_meets_in_the_point_that_is_drawn() -> None:
    body = cloud(80, seed=9)
    answer = verdicts.verdict(body)
    assert answer["kind"] == "inseparable"
    assert sorted(row for rows in answer["hulls"] for row in rows) == sorted(answer["rows"])
    assert verdicts.verdict(XOR)["meeting_point"] == [0.5, 0.5]


def test_more_classes_are_judged_pair_by_pair() -> None:
    answer = verdicts.verdict(cloud(30, 3))
    assert [(pair["first"], pair["second"]) for pair in answer["pairs"]] == [("A", "B"), ("A", "C"), ("B", "C")]
    assert relatives(cloud(30, 3))["lines"] == []


def test_the_relatives_are_the_estimators() -> None:
    lines = {line["name"]: line for line in relatives(AND)["lines"]}
    widest = certify(AND["points"], [-1, -1, -1, 1])
    drawn = np.array(lines["maximum margin"]["weights"])
    assert drawn[1:] / np.linalg.norm(drawn[1:]) == pytest.approx(widest.w / np.linalg.norm(widest.w), rel=1e-5)
    assert len(lines) == 5


# -- tables and take-away ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(example_tables.EXAMPLES))
def test_every_example_can_be_shown(name: str) -> None:
    table = example_tables.example({"name": name})
    kind = verdicts.verdict(example_points(name))["kind"]
    separable = name in ("AND", "OR", "two blobs", "hair's breadth", "iris: setosa, versicolor")
    several = len(table["classes"]) > 2
    assert kind == ("pairs" if several else "separable" if separable else "inseparable")
    assert table["description"].endswith(".")


def test_a_pasted_table_is_read_as_a_file_is() -> None:
    table = user_tables.table({"text": "height,width,kind\n1,2,b\n3,4,a\n"})
    assert table["rows"] == [[1, 2], [3, 4]]
    assert (table["labels"], table["classes"], table["columns"]) == ([1, 0], ["a", "b"], ["height", "width"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "nothing to read"),
        ("x", "the table: has only one column"),
        ("a,b\n1,2,3\n", "the table:2: expected 2 columns, found 3"),
        ("a,b,c\n1,2,x\n2,1,\n", "the table:3: the label, column 'c', is empty; fill it in"),
        ("a;b;c\n1,5;2;x\n2;1;y\n", "column 'a' holds numbers with a decimal comma, such as '1,5'; write them with"),
        ("x,y\n" + "\n".join(f"{k},c{k}" for k in range(11)), "up to 10 classes"),
    ],
)
def test_a_bad_table_is_refused_in_one_sentence(text: str, words: str) -> None:
    with pytest.raises(DataError) as caught:
        user_tables.table({"text": text})
    assert words in str(caught.value)
    assert "/tmp" not in str(caught.value)
    assert "--" not in str(caught.value)  # the page has no command-line options


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
    body = cloud(rows) | {"options": chosen | {"max_iter": 3}}
    answer, run = reproduce(body), learning.learn(body)
    Path("studio.csv").write_text(answer["csv"], encoding="utf-8")
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(answer["python"], names)
    first = 0 if chosen.get("fit_intercept", True) else 1
    assert names["run"].replay().tolist() == run["epochs"][-1]["after"][0][first:]
    capsys.readouterr()
    assert main([*answer["command"].split()[1:], "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["n_mistakes"] == run["n_mistakes"]


def test_the_model_file_decides_as_the_run_does(tmp_path: Path) -> None:
    body = cloud(50, 3)
    model_file = download(body | {"kind": "model"})
    path = tmp_path / model_file["name"]
    path.write_bytes(base64.b64decode(model_file["content"]))
    points = request.read_points(body)
    wrong = int(np.sum(load(path).predict(points.X) != points.y))
    assert wrong == learning.learn(body)["kept"]["errors"]
    with pytest.raises(ParameterError, match="one of page, gif, model"):
        download(body | {"kind": "../x"})


@pytest.mark.parametrize("chosen", [{}, {"degree": 2}, {"kernel": "rbf"}], ids=str)
def test_the_model_and_the_table_that_are_taken_away_fit(
    chosen: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = cloud(40, 3) | {"options": chosen}
    model, table = tmp_path / "studio.model", tmp_path / "studio.csv"
    model.write_bytes(base64.b64decode(download(body | {"kind": "model"})["content"]))
    table.write_text(reproduce(body)["csv"], encoding="utf-8")
    assert main(["evaluate", str(model), str(table), "--json"]) == 0
    wrong = 40 * (1 - json.loads(capsys.readouterr().out)["accuracy"])
    assert round(wrong) == learning.learn(body)["kept"]["errors"]


@pytest.mark.parametrize(
    "columns",
    [["petal length", "petal width"], ['a,b"', "id"], ["class", "y"], ["0", "1"], ["label", "x"], ["a", 7], None],
)
def test_the_names_of_the_columns_head_the_table_that_is_taken_away(columns: Any, tmp_path: Path) -> None:
    body = cloud(12) | {"columns": columns}
    table = tmp_path / "studio.csv"
    table.write_text(reproduce(body)["csv"], encoding="utf-8")
    examples = read(table)
    X, y = examples
    points = request.read_points(body)
    assert (X.tolist(), y.tolist()) == (points.X.tolist(), points.y.tolist())
    named = columns in (["petal length", "petal width"], ['a,b"', "id"], ["class", "y"])
    assert list(examples.space.columns) == (columns if named else ["x1", "x2"])


@pytest.mark.parametrize("chosen", [{}, {"degree": 2}], ids=str)
def test_the_axes_and_marks_of_a_gif_are_named(chosen: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    axes: list[Any] = []
    monkeypatch.setattr("matplotlib.backends.backend_agg.FigureCanvasAgg.draw", lambda c: axes.extend(c.figure.axes))
    monkeypatch.setattr("rosenblatt.report.animation.gif._picture", lambda *_: Image.new("RGB", (4, 4)))
    download(
        AND | {"columns": ["cost in $", "weight in $"], "classes": ["$no$", "yes"], "options": chosen, "kind": "gif"}
    )
    (ax,) = axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("cost in $", "weight in $")
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {"$no$", "yes", "mistake"} <= set(names)
    assert any(name.startswith("boundary") for name in names)
    assert not any(text.get_parse_math() for text in (ax.xaxis.label, ax.yaxis.label, *ax.get_legend().get_texts()))


EVERYDAY = ["hello lunch tomorrow?", "thanks for your help", "see you at the meeting", "happy birthday!"]


def test_everyday_sentences_are_no_spam() -> None:
    assert [message({"text": text})["label"] for text in EVERYDAY] == ["ham"] * 4
    spam = message({"text": "Click here to claim your free money now, absolutely no cost!"})
    assert (spam["label"], spam["score"] > spam["threshold"] > 0) == ("spam", True)


@pytest.mark.parametrize("text", [EVERYDAY[0], "Click here to claim your free money now"])
def test_the_score_of_a_message_is_that_of_spam_and_the_sum_of_its_words(text: str) -> None:
    answer = message({"text": text})
    total = answer["bias"] + sum(word["contribution"] for word in answer["words"])
    assert answer["score"] == pytest.approx(total)
    assert (answer["label"] == "spam") == (answer["score"] > answer["threshold"])


def test_the_mail_says_what_it_costs_to_lose_few_letters() -> None:
    answer = mail({})
    zero = answer["at_zero"]
    assert 0.92 < answer["accuracy"] < zero["accuracy"]
    assert answer["lost"] < zero["lost"]
    assert answer["through"] > zero["through"]
    for decided in (answer, zero):
        wrong = decided["lost"] + decided["through"]
        assert decided["accuracy"] == pytest.approx(1 - wrong / decided["examples"])
        assert decided["letters"] + decided["spams"] == decided["examples"]
    assert all("\ufffd" not in word["feature"] for words in answer["top"].values() for word in words)


def test_there_is_no_command_for_what_the_command_line_cannot_do() -> None:
    assert reproduce(AND | {"options": {"init": "random"}})["command"] is None


def test_the_controls_are_the_options() -> None:
    answer = controls({})
    assert answer["learners"]["perceptron"]["margin"]["help"] == options.margin.help
    assert answer["learners"]["squared"]["eta0"]["default"] == options.smooth_eta0.default
    assert answer["learners"]["logistic"]["eta0"]["default"] == options.eta0.default  # as in the lectures
    assert "margin" not in answer["learners"]["logistic"]
    for learner, table in answer["learners"].items():
        defaults = {name: control["default"] for name, control in table.items()}
        choice = {"kernel": "poly"} if learner == "kernel" else {"loss": learner}
        request.read_options({"options": {**choice, **defaults}}, 10)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"points": None}, "points, labels and classes"),
    ({"labels": [0]}, "4 points and 1 labels"),
    ({"labels": [0, 0, 0, 0]}, "at least two classes"),
    ({"labels": [0, 0, 0, 2]}, "label of point 4"),
    ({"labels": [0, 0, 0, True]}, "label of point 4"),
    ({"points": [[0, 0], [0, 1], [1, 0], [1]]}, "Point 4 is not a pair"),
    ({"points": [[0, 0], [0, 1], [1, 0], [1, 1e300]]}, "Point 4 is not a pair"),
    ({"points": [[0, 0], [0, 1], [1, 0], [1, float("nan")]]}, "Point 4 is not a pair"),
    ({"points": [[0, 0], [0, 1], [1, 0], [1, 10**400]]}, "Point 4 is not a pair"),
    ({"points": [[0, 0]] * 10_001}, "up to 10,000 points"),
    ({"classes": [1, -1]}, "must be sorted"),
    ({"classes": ["a", 1]}, "short words, or all whole numbers"),
    ({"classes": list(range(11))}, "1 to 10 classes"),
    ({"options": {"eta0": -1}}, "'eta0' parameter of the studio must be a float greater than 0"),
    ({"options": {"n_jobs": 2}}, "no control 'n_jobs'"),
    ({"options": {"loss": "hinge"}}, "must be one of perceptron, squared, logistic"),
    ({"options": {"loss": ["x"]}}, "must be one of"),
    ({"options": {"max_iter": 10**9}}, "up to 1,000 epochs"),
    ({"options": {"degree": 9}}, "degrees up to 8"),
    ({"options": {"kernel": "precomputed"}}, "'kernel' parameter of the studio must be"),
    ({"options": {"kernel": "rbf", "gamma": 0}}, "greater than 0"),
    ({"options": {"kernel": "rbf", "loss": "squared"}}, "A kernel needs the perceptron loss"),
    ({"options": {"kernel": "rbf", "eta0": 2}}, "no parameter 'eta0'"),
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


def test_a_remembered_run_does_not_answer_a_bad_request() -> None:
    learning.learn(AND)
    with pytest.raises(ParameterError, match="names and values"):
        learning.learn(AND | {"options": []})


def test_a_visit_that_is_not_there() -> None:
    for since in (-1, 36, None, "1", True):
        with pytest.raises(ParameterError, match="visits 0 to 35"):
            learning.visits(AND | {"since": since})


# -- logic ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("build", ["written", "smallest", "learned"])
@pytest.mark.parametrize("text", ["a xor b", "(a & b) | ~c", "0110", "01101001", "a"])
def test_a_network_computes_its_table(text: str, build: str) -> None:
    answer = network({"text": text, "build": build})
    assert [row[answer["output"]] for row in answer["signals"]] == answer["outputs"]
    for row in answer["signals"]:
        for unit in answer["units"]:
            total = sum(w * row[source] for w, source in zip(unit["weights"], unit["sources"], strict=True))
            assert row[unit["name"]] == int(total > unit["threshold"])
    assert bool(answer["stages"]) == (build == "learned")


@pytest.mark.parametrize("build", ["written", "smallest", "learned"])
def test_the_regions_of_a_network_have_its_rows_on_the_right_side(build: str) -> None:
    body = {"text": "0111", "build": build, "box": [-1.1, 2, -1.1, 2], "size": [310, 310]}
    negative, positive = network_regions(body)["regions"]
    for (a, b), output in zip([(0, 0), (0, 1), (1, 0), (1, 1)], [0, 1, 1, 1], strict=True):
        place = (110 + 100 * a, 310 - (110 + 100 * b))
        assert (inside(negative, place), inside(positive, place)) == (output == 0, output == 1)
    with pytest.raises(ParameterError, match="the steps 0 to"):
        network_regions(body | {"stage": 9})
    with pytest.raises(DataError, match="two inputs"):
        network_regions(body | {"text": "01101001"})


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"text": ""}, "Write an expression"),
        ({"text": "a &"}, "^"),
        ({"text": "011"}, "truth"),
        ({"text": " & ".join("abcdefg")}, "up to 6 variables, and this has 7"),
        ({"text": "01" * 64}, "up to 6 variables, and this has 7"),
        ({"text": "a", "build": "guessed"}, "written, smallest, learned"),
        ({"text": "a | ~a", "build": "learned"}, "same value everywhere"),
        ({"text": "(" * 400}, "^"),
        ({"text": "~" * 400 + "a", "build": "written"}, "up to 60 units"),
    ],
    ids=str,
)
def test_bad_logic_is_refused(body: dict[str, Any], words: str) -> None:
    with pytest.raises(RosenblattError) as caught:
        network(body)
    assert words in str(caught.value)
