"""Forgetting: what was learned of an example counts half after a half-life, as the oracle does it, in every layout."""

import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rosenblatt
from rosenblatt.errors import ParameterError
from rosenblatt.learn.files.rule_choice.portfolio import RULES
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.state.run_state import pack_run, unpack_run
from rosenblatt.model.model_file import load_linear_model, save_model
from rosenblatt.native import rows_of
from rosenblatt.records import Block, Csr
from rosenblatt.storage.checked_header import Header
from tests.agree import bits, real_numbers
from tests.model.fit.test_learn_on import same_model, same_probabilities
from tests.reference import Reference

SCHEMES = ("ovr", "ovo", "joint")


def csr(X: Any) -> Csr:
    rows, columns = np.nonzero(X)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(X)))])
    return Csr(starts.astype(np.int64), columns.astype(np.int32), X[rows, columns], X.shape[1])


def learned(rule: Settings, X: Any, y: Any, *, dense: bool, cuts: tuple[int, ...] = (), saved: bool = False) -> Run:
    """One pass, in parts, each by a run that may have been saved and opened again."""
    n_classes = int(y.max()) + 1
    run = Run(rule, X.shape[1], [1.0] * n_classes, 0, dense=dense)
    run.begin_pass()
    for start, stop in zip((0, *cuts), (*cuts, len(X)), strict=True):
        block = Block(X[start:stop] if dense else csr(X[start:stop]), y[start:stop].astype(np.int32))
        run.visit(block, rows_of(block.values), None)
        if saved:
            tensors: dict[str, Any] = {}
            section = pack_run(run, tensors, "run.")
            buffers = {name: memoryview(np.ascontiguousarray(tensor)) for name, tensor in tensors.items()}
            run = unpack_run(Header(section), buffers, "run.", n_classes)
    run.end_pass()
    return run


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(RULES)),
    st.sampled_from(SCHEMES),
    st.sampled_from([1.0, 3.7, 40.0, 1e6]),
    st.sampled_from([2, 2, 3, 5]),
    st.integers(1, 20),
    st.integers(0, 10**6),
)
def test_every_rule_forgets_as_the_oracle_does(
    name: str, scheme: str, half_life: float, n_classes: int, n_features: int, seed: int
) -> None:
    rule = RULES[name]._replace(multi_class=scheme, forget=half_life)
    X, y = real_numbers(60, n_features, n_classes, seed)
    values = {key: value for key, value in rule._asdict().items() if key in Reference.__dataclass_fields__}
    oracle = Reference(**values).partial_fit(X.tolist(), y.tolist(), list(range(n_classes)))
    answer = np.array(oracle.answer())
    for dense in (True, False):
        run = learned(rule, X, y, dense=dense)
        assert bits(run.final_weights.coef) == bits(answer[:, :-1])
        assert bits(run.final_weights.intercept) == bits(answer[:, -1])
        assert run.learner.mistakes == oracle.n_mistakes
        scores = np.asarray(run.scorer().scores(rows_of(csr(X))))
        np.testing.assert_array_equal(scores, run.final_weights.scores(rows_of(X)))
        parts = learned(rule, X, y, dense=dense, cuts=(1, 17, 40), saved=True)
        assert bits(parts.final_weights.coef) == bits(answer[:, :-1])


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_unit_that_has_become_too_small_is_taken_back(name: str) -> None:
    """After 512 half-lives, and after 1024: the weights stay finite, and the oracle's."""
    X, y = real_numbers(1300, 9, 2, 4)
    X[600:, 3] = 0.0  # a feature that is seen no longer
    rule = RULES[name]._replace(forget=1.0)
    values = {key: value for key, value in rule._asdict().items() if key in Reference.__dataclass_fields__}
    oracle = Reference(**values).partial_fit(X.tolist(), y.tolist(), [0, 1])
    run = learned(rule, X, y, dense=True)
    assert bits(run.final_weights.coef) == bits(np.array(oracle.answer())[:, :-1])
    assert np.isfinite(run.final_weights.coef).all()
    if rule.learning_rate == "constant":
        assert run.final_weights.coef[0, 3] == pytest.approx(0.0, abs=1e-100)
    assert 2.0**-512 <= run.learner.counters()["unit"] <= 1.0


def test_an_example_counts_half_after_the_half_life() -> None:
    """One mistake, then examples that change nothing: the plain rule shows what is left of it."""
    X = np.array([[1.0, 0.0]] + [[0.0, 0.0]] * 100)
    y = np.array([1] + [0] * 100)
    rule = Settings(order="given", keep="last", fit_intercept=False, forget=50.0, margin=0.0)
    weights = learned(rule, X, y, dense=False).final_weights.coef
    assert weights[0, 0] == pytest.approx(2.0 ** (-101 / 50), rel=1e-12)


def test_an_endless_half_life_forgets_nothing() -> None:
    X, y = real_numbers(200, 12, 3, 1)
    for name, rule in RULES.items():
        all_learned, forgot = (learned(rule._replace(forget=h), X, y, dense=False) for h in (0.0, 1e12))
        np.testing.assert_allclose(forgot.final_weights.coef, all_learned.final_weights.coef, rtol=1e-6, err_msg=name)


def drifting(path: Path, n_rows: int, turn: int, seed: int = 3) -> Path:
    """Examples whose labels follow a direction that turns all the time: after `turn` examples it is another one."""
    random_ = random.Random(seed)
    weights = [random_.gauss(0, 1) for _ in range(30)]
    lines = []
    for row in range(n_rows):
        if row % 20 == 0:
            share = (20 / turn) ** 0.5
            weights = [(1 - share * share) ** 0.5 * w + share * random_.gauss(0, 1) for w in weights]
        x = {j: round(random_.gauss(0, 1), 3) for j in sorted(random_.sample(range(30), 8))}
        label = int(sum(weights[j] * v for j, v in x.items()) + random_.gauss(0, 0.3) > 0)
        lines.append(f"{label} " + " ".join(f"{j + 1}:{v}" for j, v in x.items()))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("rule", ["auto", "perceptron", "arow", "logistic", "hinge", "pa2", "logistic-average"])
def test_forgetting_helps_where_the_stream_drifts(rule: str, tmp_path: Path) -> None:
    path = drifting(tmp_path / "stream.svm", 12_000, 1000)
    all_learned = rosenblatt.fit_file(path, rule=rule, passes=1)
    forgot = rosenblatt.fit_file(path, rule=rule, forget=200)
    assert forgot.progressive_error < 0.85 * all_learned.progressive_error
    assert forgot.passes == 1
    assert forgot.order == "given"


@pytest.mark.parametrize("rule", ["perceptron", "arow", "logistic"])
def test_a_model_that_forgets_goes_on_forgetting(rule: str, tmp_path: Path) -> None:
    days = [drifting(tmp_path / f"{day}.svm", 700, 400, seed=day) for day in range(3)]
    whole = rosenblatt.fit_file(days, rule=rule, forget=150).model
    model = tmp_path / "m.model"
    save_model(rosenblatt.fit_file(days[0], rule=rule, forget=150).model, model)
    for day in days[1:]:
        save_model(rosenblatt.fit_file(day, from_=model).model, model)
    after = load_linear_model(model)
    assert after.settings.forget == 150
    same_model(whole, after)
    same_probabilities(whole, after)
    # One that did not begins with all it knows, and half of that is left after the half-life.
    save_model(rosenblatt.fit_file(days[0], rule=rule, passes=1).model, model)
    forgetting = rosenblatt.fit_file(days[1], from_=model, forget=150).model
    all_learned = rosenblatt.fit_file(days[1], from_=model).model
    assert forgetting.settings.forget == 150
    assert forgetting.coef.tobytes() != all_learned.coef.tobytes()
    assert rosenblatt.fit_file(days[2], rule=rule, forget=150, threads=1).model.coef.tobytes() == (
        rosenblatt.fit_file(days[2], rule=rule, forget=150, threads=4).model.coef.tobytes()
    )


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"forget": 0.5}, "a half-life is at least 1 example"),
        ({"forget": -1.0}, "must be a float of at least 0"),
        ({"forget": 10, "passes": 3}, "learns a stream once, in its order: leave passes out"),
        ({"forget": 10, "order": "shuffle"}, "learns a stream once, in its order: leave order out"),
        ({"forget": 10, "rule": "arow", "keep": "average"}, "an average would lag behind; use keep='last'"),
        ({"forget": 10, "rule": Settings(learning_rate="invsqrt")}, "a rate that falls to 0 does not follow"),
        ({"forget": 10, "rule": Settings(batch=8)}, "examples are forgotten one by one"),
        ({"forget": 10, "rule": Settings(alpha=0.1)}, "to forget is to regularise"),
    ],
    ids=str,
)
def test_what_cannot_forget_is_refused(options: dict[str, Any], what: str, tmp_path: Path) -> None:
    path = tmp_path / "a.svm"
    path.write_text("0 1:1\n1 2:1\n" * 20)
    with pytest.raises(ParameterError) as error:
        rosenblatt.fit_file(path, **options)
    assert what in str(error.value)


def test_the_estimator_forgets_as_the_file_does(tmp_path: Path) -> None:
    path = drifting(tmp_path / "stream.svm", 600, 200)
    of_file = rosenblatt.fit_file(path, rule="arow", forget=100).model
    examples = rosenblatt.read(path)
    separator = rosenblatt.LinearSeparator(rule="arow", forget=100).fit(examples.X, examples.y)
    assert separator.coef_.tobytes() == of_file.coef.tobytes()


@pytest.mark.parametrize("name", ["perceptron", "arow", "logistic", "pa1"])
def test_one_example_at_a_time(name: str) -> None:
    X, y = real_numbers(80, 11, 2, 8)
    rule = RULES[name]._replace(forget=7.0)
    run = learned(rule, X, y, dense=True)
    names = ("loss", "learning_rate", "eta0", "margin", "r", "keep", "forget", "fit_intercept")
    learner = rosenblatt.Learner(11, **{name: getattr(rule, name) for name in names})
    for k, (x, label) in enumerate(zip(X, y, strict=True)):
        learner.learn(x, int(label))
        if k == 40:
            learner = pickle.loads(pickle.dumps(learner))
    assert bits(learner.coef) == bits(run.final_weights.coef[0])
    scores = run.final_weights.scores(rows_of(X))[:, 0]
    np.testing.assert_allclose([learner.score(x) for x in X], scores, rtol=1e-12)


def test_probabilities_are_those_of_recent_examples(tmp_path: Path) -> None:
    path = drifting(tmp_path / "stream.svm", 6000, 500)
    forgot = rosenblatt.fit_file(path, rule="arow", forget=20)
    assert forgot.honest_scores is not None
    assert len(forgot.honest_scores) == 1000
    assert len(rosenblatt.fit_file(path, rule="arow", passes=1).honest_scores or ()) == 4500


@pytest.mark.parametrize("rule", ["perceptron", "arow"])
def test_a_small_model_of_what_is_left_gives_the_same_probabilities(rule: str, tmp_path: Path) -> None:
    path = drifting(tmp_path / "stream.svm", 2000, 500)
    fitted = rosenblatt.fit_file(path, rule=rule, forget=100, holdout=0.1)
    small = rosenblatt.fit_file(path, rule=rule, forget=100, size="20KB", holdout=0.1)
    save_model(small.model, tmp_path / "small.model")
    loaded = load_linear_model(tmp_path / "small.model")
    X = rosenblatt.read(path).X.toarray()
    for model in (small.model, loaded):
        np.testing.assert_allclose(model.scores(X), fitted.model.scores(X), rtol=1e-2, atol=1e-2)
