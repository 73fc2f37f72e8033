"""Learning from a stream: the same bits as in memory, for any chunks, threads, passes and interruptions."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.errors import DataError, LearningOverflowError
from rosenblatt.learn.files import shuffle as shuffling
from rosenblatt.learn.files.holdout import held_out
from rosenblatt.learn.files.plan import Plan
from rosenblatt.learn.files.rule_choice.portfolio import PORTFOLIO, RULES, affordable, candidates, scaled_to_length
from rosenblatt.learn.files.shuffle import Shuffled
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.model.fit_file import fit_file, fit_source
from rosenblatt.options import RULE_NAMES
from rosenblatt.readers.block_rows import join_blocks
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import Block
from tests.slow_twins.learn.files import Arrays, narrow_csr, progressive_error


def make(classes: int = 2, n: int = 90, d: int = 23, seed: int = 0) -> tuple[Any, Any]:
    draw = np.random.default_rng(seed)
    X = (draw.normal(size=(n, d)) * (draw.random((n, d)) < 0.4)).round(3)
    X[:30, d // 2 :] = 0.0  # features that come late
    plane = draw.normal(size=(d, classes))
    y = (X @ plane).argmax(axis=1)
    wrong = draw.random(n) < 0.1
    y[wrong] = draw.integers(0, classes, wrong.sum())
    y[:classes] = np.arange(classes)
    return X, y


def in_memory(settings: Settings, X: Any, y: Any, passes: int, *, sparse: bool = True, weights: Any = None) -> Run:
    values = replace(narrow_csr(X), features=X.shape[1]) if sparse else X
    run = Run(settings, X.shape[1], np.ones(len(np.unique(y))), 0, dense=not sparse)
    run.fit(Block(values, y.astype(np.int32), weights), passes)
    return run


def same_run(first: Run, second: Run) -> bool:
    a, b = first.state(), second.state()
    parts = all(
        np.array_equal(left, right)
        for name in a["parts"]
        if a["parts"][name] is not None
        for left, right in zip(a["parts"][name], b["parts"][name], strict=True)
    )
    counts = [key for key in a["counters"] if key not in ("wrong", "weighed", "bound")]
    return (
        parts
        and first.final_weights.coef.tobytes() == second.final_weights.coef.tobytes()
        and all(a["counters"][key] == b["counters"][key] for key in counts)
        and (first.mistakes, first.loss, first.status) == (second.mistakes, second.loss, second.status)
    )


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("classes", [2, 3, 10])
@pytest.mark.parametrize("rule", RULES)
def test_a_stream_gives_the_bits_of_memory(rule: str, classes: int, sparse: bool) -> None:
    X, y = make(classes)
    for passes, step in ((1, 7), (3, 64)):
        fitted = fit_source(Arrays(X, y.tolist(), step=step, sparse=sparse), Plan(candidates(rule), passes))
        memory = in_memory(RULES[rule], X, y, passes, sparse=sparse)
        assert same_run(fitted.model.run, memory)
        assert (fitted.chosen, fitted.rows, fitted.features) == (rule, len(X), X.shape[1])


@pytest.mark.parametrize("scheme", ["ovr", "ovo", "joint"])
@pytest.mark.parametrize("rule", ["perceptron", "arow", "logistic", "hinge", "pa1"])
@pytest.mark.parametrize("classes", [2, 3, 10])
@pytest.mark.parametrize("sparse", [True, False])
def test_progressive_error_is_predict_then_learn(rule: str, scheme: str, classes: int, sparse: bool) -> None:
    X, y = make(classes, n=60)
    settings = RULES[rule]._replace(multi_class=scheme)
    fitted = fit_source(Arrays(X, y.tolist(), sparse=sparse), Plan({"own": settings}))
    assert fitted.progressive_error == progressive_error(settings, X, y.astype(np.int32), classes)
    weights = np.random.default_rng(2).integers(0, 4, len(X)).astype(float)
    weighed = fit_source(Arrays(X, y.tolist(), sparse=sparse, weights=weights), Plan({"own": settings}))
    assert weighed.progressive_error == progressive_error(settings, X, y.astype(np.int32), classes, weights)
    assert weighed.progressive_error != fitted.progressive_error


def test_the_average_of_a_long_stream_is_judged_by_some_of_its_rows() -> None:
    """Beyond 2**15 rows every fourth row counts four times: unbiased, so the error is close to that of all rows."""
    draw = np.random.default_rng(0)
    X = draw.normal(size=(90_000, 2))
    y = (X[:, 0] + draw.normal(size=len(X)) > 0).astype(np.int32)
    fitted = fit_source(Arrays(X, y.tolist(), step=9000, sparse=False), Plan(candidates("perceptron")))
    last = fit_source(Arrays(X, y.tolist(), step=9000, sparse=False), Plan(candidates("last")))
    best = float(np.mean((X[:, 0] > 0) != y))
    assert abs(fitted.progressive_error - best) < 0.01 < last.progressive_error - best


def test_weights_of_rows_count() -> None:
    X, y = make()
    weights = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    fitted = fit_source(Arrays(X, y.tolist(), weights=weights), Plan(candidates("arow"), 2))
    assert same_run(fitted.model.run, in_memory(RULES["arow"], X, y, 2, weights=weights))


def test_the_portfolio_keeps_the_best_and_shows_all() -> None:
    X, y = make(n=300)
    plan = Plan(candidates("auto"), passes=2)
    fitted = fit_source(Arrays(X, y.tolist()), plan)
    errors = {candidate.rule: candidate.progressive_error for candidate in fitted.candidates}
    assert list(errors) == list(PORTFOLIO)
    assert len(set(errors.values())) > 1
    least = min(errors.values())
    near = [name for name in PORTFOLIO if errors[name] <= least + (least * (1 - least) / len(X)) ** 0.5]
    assert fitted.chosen == near[0]
    assert fitted.progressive_error == errors[near[0]]
    assert len(near) > 1
    dense = fit_source(Arrays(X, y.tolist(), sparse=False), plan)
    assert dense.progressive_error == min(candidate.progressive_error for candidate in dense.candidates)
    assert same_run(fitted.model.run, in_memory(RULES[fitted.chosen], X, y, 2))


def test_of_equal_errors_the_earlier_rule_is_kept() -> None:
    X, y = make()
    twins = {"a": RULES["arow"], "b": RULES["arow"]}
    assert fit_source(Arrays(X, y.tolist()), Plan(twins)).chosen == "a"


def test_held_out_rows_are_not_learned_and_judge() -> None:
    X, y = make(3, n=200)
    in_holdout = held_out(0, len(X), 0.1, 0)
    fitted = fit_source(Arrays(X, y.tolist()), Plan(candidates("auto"), passes=3, holdout=0.1))
    errors = {}
    for name in PORTFOLIO:
        run = in_memory(RULES[name], X[~in_holdout], y[~in_holdout], 3)
        model = replace(fitted.model, run=run)
        errors[name] = float(np.mean(model.predicted_classes(model.scores(X[in_holdout])) != y[in_holdout]))
    assert {candidate.rule: candidate.holdout_error for candidate in fitted.candidates} == errors
    assert fitted.holdout_error == min(errors.values())
    assert same_run(fitted.model.run, in_memory(RULES[fitted.chosen], X[~in_holdout], y[~in_holdout], 3))
    assert (fitted.rows, fitted.holdout_rows) == (180, 20)


@pytest.mark.parametrize("share", [0.05, 0.1, 1 / 3, 0.5, 0.7, 0.99])
def test_rows_are_held_out_by_chance_and_evenly(share: float) -> None:
    rows = 3000
    out = held_out(0, rows, share, 0)
    assert abs(out.sum() - rows * share) <= 1
    # every part of the file has its share, and a chunk gives the same rows as the whole file
    assert all(abs(out[at : at + 300].sum() - 300 * share) <= 2 for at in range(0, rows, 300))
    assert np.concatenate([held_out(at, 100, share, 0) for at in range(0, rows, 100)]).tolist() == out.tolist()
    assert held_out(0, rows, share, 1).tolist() != out.tolist()


@pytest.mark.parametrize("period", [2, 3, 5, 10])
def test_labels_that_take_turns_are_held_out_alike(period: int) -> None:
    phases = np.flatnonzero(held_out(0, 20_000, 0.1, 0)) % period
    assert np.bincount(phases, minlength=period).min() > 0.8 * len(phases) / period


def test_patience_keeps_the_best_pass() -> None:
    X, y = make(3, n=200)
    in_holdout = held_out(0, len(X), 0.2, 0)
    plan = Plan(candidates("perceptron"), passes=40, holdout=0.2, patience=3)
    fitted = fit_source(Arrays(X, y.tolist()), plan)
    errors = []
    for passes in range(1, 41):
        model = replace(fitted.model, run=in_memory(RULES["perceptron"], X[~in_holdout], y[~in_holdout], passes))
        errors.append(float(np.mean(model.predicted_classes(model.scores(X[in_holdout])) != y[in_holdout])))
        if len(errors) - int(np.argmin(errors)) > 3:
            break
    assert fitted.status == "validated"
    assert fitted.passes == int(np.argmin(errors)) + 1 < 40
    assert fitted.holdout_error == min(errors)


def test_a_clean_pass_ends_a_run() -> None:
    X, y = np.eye(4), [0, 1, 0, 1]
    fitted = fit_source(Arrays(X, y), Plan(candidates("perceptron"), passes=50))
    assert (fitted.status, fitted.mistakes[-1]) == ("separated", 0)
    assert fitted.passes == len(fitted.mistakes) < 50
    assert fit_source(Arrays(X, y), Plan(candidates("logistic"), passes=5)).status == "budget"


# -- labels -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("late", [15, 89])
def test_a_label_met_late_starts_again_with_all_classes(late: int) -> None:
    X, y = make(2)
    labels: list[Any] = ["no" if label == 0 else "yes" for label in y]
    labels[late] = "maybe"
    source = Arrays(X, labels)
    fitted = fit_source(source, Plan(candidates("auto"), 2))
    codes = np.array([("maybe", "no", "yes").index(label) for label in labels])
    assert fitted.model.classes == ("maybe", "no", "yes")
    assert same_run(fitted.model.run, in_memory(RULES[fitted.chosen], X, codes, 2))


def test_a_pipe_is_read_once_and_must_name_late_classes() -> None:
    X, y = make(2)
    ordered = np.sort(y).tolist()  # only one label in the first chunks
    fitted = fit_source(Arrays(X, ordered, rewindable=False), Plan(candidates("perceptron")))
    assert same_run(fitted.model.run, in_memory(RULES["perceptron"], X, np.array(ordered), 1))
    labels = [*y[:-1].tolist(), 7]
    with pytest.raises(DataError, match="label 7, which is not among the classes 0, 1: name all"):
        fit_source(Arrays(X, labels, rewindable=False), Plan(candidates("auto")))
    named = ReadOptions(classes=(0, 1, 7))
    fitted = fit_source(Arrays(X, labels, rewindable=False), Plan(candidates("auto"), reading=named))
    assert fitted.model.classes == (0, 1, 7)


def test_numbers_are_sorted_as_numbers() -> None:
    X, _ = make(2)
    labels = [(10, 9, 2.5)[i % 3] for i in range(len(X))]
    assert fit_source(Arrays(X, labels), Plan(candidates("perceptron"))).model.classes == (2.5, 9.0, 10.0)


def test_one_class_and_no_rows_are_refused() -> None:
    X, _ = make(2)
    with pytest.raises(DataError, match="one class only, 'ham'"):
        fit_source(Arrays(X, ["ham"] * len(X)), Plan(candidates("auto")))
    with pytest.raises(DataError, match="no labelled example"):
        fit_source(Arrays(X[:0], []), Plan(candidates("auto")))
    with pytest.raises(DataError, match="one class only"):
        fit_source(Arrays(X, ["ham"] * len(X), rewindable=False), Plan(candidates("auto")))


def test_rows_without_a_label_are_refused_or_left_out() -> None:
    X, y = make(2)
    labels = [None if i % 4 == 1 else int(label) for i, label in enumerate(y)]
    with pytest.raises(DataError, match="example 2 has no label"):
        fit_source(Arrays(X, labels), Plan(candidates("auto")))
    labelled = np.array([label is not None for label in labels])
    fitted = fit_source(Arrays(X, labels), Plan(candidates("perceptron"), 2, reading=ReadOptions(on_bad_row="skip")))
    assert same_run(fitted.model.run, in_memory(RULES["perceptron"], X[labelled], y[labelled], 2))


# -- bounds -----------------------------------------------------------------------------------------------------------


def test_a_rule_that_overflows_leaves_the_others_alone() -> None:
    X, y = make(2)
    wild = Settings(loss="squared", eta0=1e150, order="given", keep="last")
    fitted = fit_source(Arrays(X, y.tolist()), Plan({"wild": wild, "perceptron": RULES["perceptron"]}))
    assert fitted.chosen == "perceptron"
    assert [candidate.failed for candidate in fitted.candidates] == [True, False]
    assert same_run(fitted.model.run, in_memory(RULES["perceptron"], X, y, 1))
    with pytest.raises(LearningOverflowError, match="wild overflowed at example"):
        fit_source(Arrays(X, y.tolist()), Plan({"wild": wild}))


def test_a_portfolio_is_cut_to_the_memory_there_is() -> None:
    portfolio = candidates("auto")
    assert list(affordable(portfolio, 50_000, 2)) == list(portfolio)
    assert list(affordable(portfolio, 2**22, 2)) == list(portfolio)
    assert 1 <= len(affordable(portfolio, 2**22, 20)) < len(portfolio)


def test_the_names_of_the_rules_are_their_options() -> None:
    assert tuple(RULES) == RULE_NAMES


def test_progress_is_reported() -> None:
    X, y = make()
    reports = []
    fit_source(Arrays(X, y.tolist()), Plan(candidates("auto"), 2, on_progress=reports.append))
    assert [progress.pass_ for progress in reports][-1] == 2
    assert reports[-1].bytes_done == reports[-1].bytes_total == len(X)
    assert 0 <= reports[-1].progressive_error <= 1


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_adapted_to_the_length_of_the_examples(rule: str, sparse: bool) -> None:
    X, y = make()
    X *= 4 / np.sqrt(np.square(X).sum(axis=1).mean())  # their mean square is 16, their length 4
    adapted = {"arow": ("r", 16.0), "adagrad": ("eta0", 1 / 4), "pa1": ("eta0", 1 / 16), "pa2": ("eta0", 1 / 16)}
    settings = RULES[rule]
    if rule.startswith("logistic-average"):
        settings = settings._replace(eta0=settings.eta0 / 16)
    elif settings.learning_rate in adapted:
        name, factor = adapted[settings.learning_rate]
        settings = settings._replace(**{name: getattr(settings, name) * factor})
    fitted = fit_source(Arrays(X, y.tolist(), step=90, sparse=sparse), Plan(candidates(rule), scale_to_length=True))
    assert fitted.candidates[0].settings == settings
    assert same_run(fitted.model.run, in_memory(settings, X, y, 1, sparse=sparse))


def test_examples_without_a_length_leave_a_rule_as_it_is() -> None:
    assert scaled_to_length(RULES["arow"], np.zeros((3, 2))) == RULES["arow"]
    assert scaled_to_length(RULES["arow"], np.full((1, 2), 1e200)) == RULES["arow"]


def test_examples_grouped_are_shuffled_by_auto_alone() -> None:
    X, y = make(3, n=400)
    by_label = np.argsort(y, kind="stable")
    X, y = X[by_label], y[by_label]
    auto = fit_source(Arrays(X, y.tolist()), Plan(candidates("auto"), order="auto"))
    unshuffled = fit_source(Arrays(X, y.tolist()), Plan(candidates("auto")))
    shuffled = fit_source(Arrays(X, y.tolist()), Plan(candidates("auto"), order="shuffle"))
    assert (auto.order, unshuffled.order, shuffled.order) == ("shuffle", "given", "shuffle")
    assert auto.grouped
    assert unshuffled.grouped
    assert same_run(auto.model.run, shuffled.model.run)
    mixing = np.random.default_rng(1).permutation(400)
    mixed = fit_source(Arrays(X[mixing], y[mixing].tolist()), Plan(candidates("auto"), order="auto"))
    assert (mixed.order, mixed.grouped) == ("given", False)


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("limit", [1 << 20, 3000])  # in memory, or in buckets
def test_shuffled_rows_are_all_there_once_and_in_a_new_order_each_pass(
    sparse: bool, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shuffling, "_IN_MEMORY", limit)
    X, y = make(n=500)
    X[:, 0] = np.arange(500) + 1
    weights = np.arange(500.0)
    store, orders = Shuffled(None, "rows", seed=3), []
    with store:
        for a in range(0, 500, 37):
            values = narrow_csr(X[a : a + 37]) if sparse else X[a : a + 37]
            store.append(Block(values, y[a : a + 37].astype(np.int32), weights[a : a + 37]))
        for pass_ in (0, 0, 1):
            joined = join_blocks(list(store.blocks(pass_)))
            order = weights_of(joined).astype(int)
            assert sorted(order.tolist()) == list(range(500))
            assert np.array_equal(dense_of(joined.values, X.shape[1]), X[order])
            assert np.array_equal(joined.labels, y[order])
            orders.append(order.tolist())
    assert orders[0] == orders[1] != orders[2]
    assert orders[0] != sorted(orders[0])
    assert abs(np.corrcoef(orders[0], range(500))[0, 1]) < 0.2


def weights_of(block: Block) -> Any:
    assert block.weights is not None
    return block.weights


def dense_of(values: Any, features: int) -> Any:
    if isinstance(values, np.ndarray):
        return values
    dense = np.zeros((len(values.indptr) - 1, features))
    for i in range(len(dense)):
        entries = slice(values.indptr[i], values.indptr[i + 1])
        dense[i, values.indices[entries]] = values.values[entries]
    return dense


def test_words_of_a_table_take_memory_only_where_they_occur(tmp_path: Path) -> None:
    """They are hashed into millions of columns, each of which has a weight for every class."""
    path = tmp_path / "notes.csv"
    rows = [f"{i % 7},the word{i % 31} goes on so{i % 53},{'abc'[i % 3]}" for i in range(300)]
    path.write_text("\n".join(["size,note,label", *rows]) + "\n")
    for rule in ("logistic", "auto"):
        assert fit_file(path, rule=rule, passes=1).model.run.learner.is_compact
