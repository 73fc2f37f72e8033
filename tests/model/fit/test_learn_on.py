"""`fit --from`: a model learns on as if the new examples had come after the old ones in one run."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt
from rosenblatt.cli import main
from rosenblatt.errors import DataError, ModelError, ParameterError
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model_file import load_linear_model, save_model


def svmlight(start: int, count: int, *, classes: int = 2, features: int = 60) -> str:
    random_ = random.Random(7)
    weights = [[random_.gauss(0, 1) for _ in range(features)] for _ in range(classes)]
    random_ = random.Random(start)
    lines = []
    for _ in range(count):
        row = {random_.randrange(features): round(random_.gauss(0, 1), 3) for _ in range(8)}
        scores = [sum(w[j] * x for j, x in row.items()) + random_.gauss(0, 0.5) for w in weights]
        lines.append(f"{scores.index(max(scores))} " + " ".join(f"{j + 1}:{x}" for j, x in sorted(row.items())))
    return "\n".join(lines) + "\n"


def texts(start: int, count: int) -> str:
    random_ = random.Random(start)
    good, bad = ["good", "fine", "bright", "kind"], ["bad", "poor", "dull", "rude"]
    lines = []
    for i in range(count):
        label, words = ("yes", good) if random_.random() < 0.5 else ("no", bad)
        lines.append(f"{label}\t{random_.choice(words)} thing number {start + i} of {random_.choice(good + bad)}")
    return "\n".join(lines) + "\n"


def table(start: int, count: int, header: bool = True) -> str:
    random_ = random.Random(start)
    lines = ["x,y,city,label"] * header
    for _ in range(count):
        x, city = random_.gauss(0, 1), random_.choice(["Bonn", "Paris", "Rome"])
        y = "" if random_.random() < 0.05 else f"{random_.gauss(50, 9):.2f}"
        lines.append(f"{x:.4f},{y},{city},{'yes' if x + (city == 'Rome') > 0.4 else 'no'}")
    return "\n".join(lines) + "\n"


def known_rules() -> list[str]:
    from rosenblatt.rules import RULES

    return list(RULES)


def same_model(one: Any, other: Any) -> None:
    """The same bits in all that predicts and in all that decides how the run goes on."""
    left, right = ({**model.state, "counters": dict(model.state["counters"])} for model in (one, other))
    for state in (left, right):
        del state["counters"]["bound"]  # of the quick score that is tried first: it decides nothing
    for name in left.keys() - {"parts", "loss"}:
        assert left[name] == right[name], name
    np.testing.assert_allclose(left["loss"], right["loss"], rtol=1e-12)
    for name, part in left["parts"].items():
        if part is not None:
            assert [np.asarray(array).tobytes() for array in part] == [
                np.asarray(array).tobytes() for array in right["parts"][name]
            ], name
    assert one.coef.tobytes() == other.coef.tobytes()


def same_probabilities(one: LinearModel, other: LinearModel) -> None:
    """The same map from scores to probabilities, and the same threshold."""
    left, right = one.calibration, other.calibration
    assert left is not None
    assert right is not None
    assert (left.kind, left.examples) == (right.kind, right.examples)
    assert left.parameters.tolist() == right.parameters.tolist()
    assert one.threshold == other.threshold
    assert one.reference == other.reference


def test_probabilities_are_those_of_old_and_new_examples(tmp_path: Path) -> None:
    """Of a model that was learned in several passes, the sample of old scores is joined by the new ones."""
    first, second = tmp_path / "1.svm", tmp_path / "2.svm"
    first.write_text(svmlight(1, 3000))
    flipped = svmlight(2, 1000).replace("\n0 ", "\n9 ").replace("\n1 ", "\n0 ").replace("\n9 ", "\n1 ")
    second.write_text(flipped)  # all that the model has learned is wrong
    fitted = rosenblatt.fit_file(first, threshold="f1")
    save_model(fitted.model, tmp_path / "m.model")
    model = load_linear_model(tmp_path / "m.model")
    assert model.sample is not None
    assert (model.sample.kind, model.sample.examples) == ("out-of-fold", 3000)
    after = rosenblatt.fit_file(second, from_=tmp_path / "m.model").model
    assert after.sample is not None
    assert after.sample.examples == 4000
    assert after.calibration is not None
    assert after.calibration.examples == len(after.sample.truth) == 4000
    assert after.threshold is not None
    assert after.threshold.criterion == "f1"
    assert after.threshold.examples == 4000
    surest = [np.asarray(m.probabilities(np.array([[9.0]])))[0, 1] for m in (model, after)]
    assert surest[1] < surest[0] - 0.1
    save_model(after, tmp_path / "m.model")
    few = tmp_path / "3.svm"
    few.write_text(svmlight(3, 5))
    third = rosenblatt.fit_file(few, from_=tmp_path / "m.model").model
    assert third.calibration is not None
    assert third.calibration.examples == 4005


def test_long_streams_keep_a_bounded_sample(tmp_path: Path) -> None:
    parts = [tmp_path / f"{day}.svm" for day in range(3)]
    for day, path in enumerate(parts):
        path.write_text("".join(f"{k % 2} {k % 7 + 1}:1 {(k * k + day) % 13 + 8}:1\n" for k in range(12_000)))
    at_once = rosenblatt.fit_file(parts, rule="logistic", passes=1).model
    model = tmp_path / "m.model"
    save_model(rosenblatt.fit_file(parts[0], rule="logistic", passes=1).model, model)
    for path in parts[1:]:
        save_model(rosenblatt.fit_file(path, from_=model).model, model)
    after = load_linear_model(model)
    same_probabilities(at_once, after)
    assert after.sample is not None
    assert at_once.sample is not None
    assert (after.sample.stride, len(after.sample.truth)) == (4, 9000)
    assert np.asarray(after.sample.scores).tobytes() == np.asarray(at_once.sample.scores).tobytes()


@pytest.mark.parametrize("rule", known_rules())
@pytest.mark.parametrize("classes", [2, 4])
def test_one_pass_of_one_rule_is_one_run(rule: str, classes: int, tmp_path: Path) -> None:
    days = [svmlight(1, 1500, classes=classes), svmlight(2, 900, classes=classes), svmlight(3, 5, classes=classes)]
    paths = [tmp_path / f"day{i}.svm" for i in range(3)]
    for path, day in zip(paths, days, strict=True):
        path.write_text(day)
    at_once = rosenblatt.fit_file(paths, rule=rule, passes=1)
    model = tmp_path / "m.model"
    save_model(rosenblatt.fit_file(paths[0], rule=rule, passes=1).model, model)
    for path in paths[1:]:
        fitted = rosenblatt.fit_file(path, from_=model)
        save_model(fitted.model, model)
    same_model(at_once.model, load_linear_model(model))
    same_probabilities(at_once.model, load_linear_model(model))
    assert fitted.progressive_error == at_once.progressive_error
    assert [entry["rows"] for entry in fitted.model.provenance["history"]] == [1500, 900, 5]


def test_texts_and_tables_learn_on(tmp_path: Path) -> None:
    for name, make in (("a.tsv", texts), ("a.csv", table)):
        first, second = tmp_path / f"1{name}", tmp_path / f"2{name}"
        first.write_text(make(1, 4000))
        second.write_text(make(2, 1200))
        reading = rosenblatt.readers.source.ReadOptions(scale=False) if name == "a.csv" else None
        at_once = rosenblatt.fit_file([first, second], rule="arow", passes=1, reading=reading)
        first_half = rosenblatt.fit_file(first, rule="arow", passes=1, reading=reading)
        save_model(first_half.model, tmp_path / "m.model")
        fitted = rosenblatt.fit_file(second, from_=tmp_path / "m.model")
        same_model(at_once.model, fitted.model)
        assert fitted.model.space.columns == at_once.model.space.columns
        assert set(fitted.model.space.names.values()) == set(at_once.model.space.names.values())


def log(day: int, count: int) -> str:
    """A day of a log, with a weekday and paths that no other day has."""
    random_ = random.Random(day)
    lines = ["time,status,path,agent,verdict"]
    for i in range(count):
        status = "" if random_.random() < 0.02 * day else random_.choice(["200", "404", "500"])
        path = random_.choice(["/", "/admin", f"/new-{day}-{random_.randrange(40)}"])
        agent = random_.choice(["curl", "bot", f"agent {random_.randrange(2 + day)}"])
        verdict = "attack" if (path == "/admin") + (agent == "curl") + random_.random() > 1.3 else "ok"
        lines.append(f"2026-11-{day + 8:02} {i * 24 // count:02}:10:00,{status},{path},{agent},{verdict}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "options", [{}, {"cross": ("path:agent", "status:path")}, {"as_": ("date:time", "number:status")}], ids=str
)
def test_days_with_words_of_their_own_are_one_run(options: dict[str, Any], tmp_path: Path) -> None:
    days = [tmp_path / f"{day}.csv" for day in range(1, 5)]
    for day, path in enumerate(days, 1):
        path.write_text(log(day, 700 + 90 * day))
    reading = rosenblatt.readers.source.ReadOptions(scale=False, **options)
    at_once = rosenblatt.fit_file(days, rule="arow", passes=1, reading=reading).model
    model = tmp_path / "m.model"
    save_model(rosenblatt.fit_file(days[0], rule="arow", passes=1, reading=reading).model, model)
    for path in days[1:]:
        save_model(rosenblatt.fit_file(path, from_=model).model, model)
    after = load_linear_model(model)
    assert "time weekday=Thursday" in after.space.columns
    assert after.space.columns == at_once.space.columns
    same_model(at_once, after)
    same_probabilities(at_once, after)


def test_new_words_and_features_are_taken_in(tmp_path: Path) -> None:
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    first.write_text(table(1, 3000))
    second.write_text(table(2, 3000).replace("Rome", "Oslo"))
    save_model(rosenblatt.fit_file(first, passes=1).model, tmp_path / "m.model")
    fitted = rosenblatt.fit_file(second, from_=tmp_path / "m.model")
    assert {"city=Rome", "city=Oslo"} <= set(fitted.model.space.columns)
    columns = fitted.model.space.columns
    assert fitted.model.coef[0, columns.index("city=Oslo")] > fitted.model.coef[0, columns.index("city=Bonn")]
    assert len(fitted.model.space.scale) == len(columns) == fitted.model.features
    save_model(fitted.model, tmp_path / "after.model")
    assert main(["evaluate", str(tmp_path / "after.model"), str(second)]) == 0
    (tmp_path / "1.svm").write_text("1 1:1\n0 2:1\n" * 600)
    (tmp_path / "2.svm").write_text("1 7:1\n0 2:1\n" * 600)
    save_model(rosenblatt.fit_file(tmp_path / "1.svm", rule="perceptron", passes=1).model, tmp_path / "m.model")
    fitted = rosenblatt.fit_file(tmp_path / "2.svm", from_=tmp_path / "m.model")
    assert fitted.model.coef.shape == (1, 7)
    assert fitted.model.coef[0, 6] > 0


def test_a_model_of_several_passes_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, model = tmp_path / "1.svm", tmp_path / "2.svm", str(tmp_path / "m.model")
    first.write_text(svmlight(1, 800))
    second.write_text(svmlight(2, 400))
    assert main(["fit", str(first), "--rule", "perceptron", "--passes", "3", "-o", model, "-q"]) == 0
    assert main(["fit", "--from", model, str(second), "-o", model]) == 0
    assert "learned its first examples in 3 passes, but the new ones in one" in capsys.readouterr().err
    assert main(["explain", model]) == 0
    out = capsys.readouterr().out
    assert "1.svm (800 examples), then" in out
    assert "2.svm (400 examples)" in out


def test_what_cannot_go_on_is_refused_and_the_model_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, model = tmp_path / "1.csv", tmp_path / "m.model"
    first.write_text(table(1, 2000))
    save_model(rosenblatt.fit_file(first, passes=1).model, model)
    content = model.read_bytes()

    def refused(text: str, name: str = "2.csv", **options: Any) -> str:
        path = tmp_path / name
        path.write_text(text)
        with pytest.raises((DataError, ModelError, ParameterError)) as error:
            rosenblatt.fit_file(path, from_=model, **options)
        assert main(["fit", "--from", str(model), str(path), "-o", str(model)]) in ((0, 2) if options else (3, 4))
        assert options or model.read_bytes() == content
        return str(error.value)

    assert "the label 'maybe', which is not among the classes" in refused(table(2, 99).replace("yes", "maybe"))
    assert "a column 'x', which is missing here; its columns are 'a', 'b'" in refused("a,b,label\n1,2,yes\n")
    assert "a column 'city', which is missing here; rename 'City'" in refused("x,y,City,label\n1,2,Bonn,yes\n")
    assert "has no column 'label', which holds the label" in refused("x,y,city,kind\n1,2,Bonn,yes\n")
    assert "is read as svmlight, and this model reads" in refused(svmlight(1, 50), "2.svm")
    assert "expected a number in column 'x', found 'one'" in refused(table(2, 50) + "one,2,Bonn,yes\n")
    with pytest.raises(ParameterError, match="leave rule out"):
        rosenblatt.fit_file(first, from_=model, rule="arow")
    kernel = rosenblatt.KernelPerceptron().fit([[0.0], [1.0]], [0, 1])
    rosenblatt.save(kernel, tmp_path / "kernel.model")
    with pytest.raises(ModelError, match="so it cannot be used to continue learning"):
        rosenblatt.fit_file(first, from_=tmp_path / "kernel.model")
