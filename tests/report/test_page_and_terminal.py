"""The page and the terminal text: complete, safe to open anywhere, and readable."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import LogisticUnit, Perceptron
from rosenblatt.evaluate.scores import Tally, evaluate
from rosenblatt.model.fit.fitted import Candidate, Fitted
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.readers.source import BadRow
from rosenblatt.records import Csr, FeatureSpace
from rosenblatt.report.json_records import fit_record, model_record, scores_record
from rosenblatt.report.page import charts
from rosenblatt.report.page.report_page import evaluation_page, fit_page
from rosenblatt.report.summary import Evaluation, EvaluationSummary, FitSummary
from rosenblatt.report.text.evaluation.scores import score_lines
from rosenblatt.report.text.explanation import weight_lines
from rosenblatt.report.text.fit import fit_lines
from rosenblatt.report.weights import (
    ClassWeights,
    _distinctive,
    bias,
    contributions,
    direction,
    telling_features,
    top_features,
)

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(300, 6))
NAMES = ("<b>bold</b>", "free & easy", '"quoted"', "plain", "ü", "a" * 60)
VOID = {"meta", "line", "rect", "circle", "polyline", "br"}


def summary(classes: int = 2, rule: str = "perceptron", mistakes: tuple[int, ...] = (40, 20, 9)) -> FitSummary:
    """A run on random rows, tested on the same kind of rows."""
    labels = np.array([f"<{k}>" for k in range(classes)])
    truth = np.clip(((X[:, 0] + 2) * classes / 4).astype(int), 0, classes - 1)
    estimator = (LogisticUnit if rule == "logistic" else Perceptron)(max_iter=3).fit(X, labels[truth])
    model = LinearModel(
        tuple(labels.tolist()), FeatureSpace("columns", columns=NAMES), estimator._run, {"version": "9.9"}
    )
    tally = Tally(model.classes)
    scores = model.scores(X)
    probabilities = None if model.probability_map is None else np.asarray(model.probabilities(scores))
    tally.add(model.class_scores(scores), model.predicted_classes(scores), truth, None, probabilities)
    candidates = (Candidate("perceptron", model.settings, 0.2, 0.1), Candidate("logistic", model.settings, 0.3, None))
    fitted = Fitted(
        model=model,
        rows=300,
        features=6,
        passes=len(mistakes),
        status="budget",
        seconds=0.5,
        n_mistakes=sum(mistakes),
        mistakes=mistakes,
        progressive_error=0.2,
        holdout_error=0.1,
        holdout_rows=30,
        test_error=None,
        test_rows=0,
        candidates=candidates,
        chosen="perceptron",
        skipped=1,
        bad_rows=(BadRow(7, "a<b>.svm:7:1: a bad row"),),
        class_counts=tuple(np.bincount(truth, minlength=classes).tolist()),
    )
    return FitSummary(
        "a<b>.svm", fitted, Evaluation("test.svm", tally, tally.scores()), "m.model", "rosenblatt fit 'a<b>.svm'"
    )


class WellFormed(HTMLParser):
    """Checks that every element is closed, in order, and collects the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
        for name, value in attrs:
            assert not name.startswith("on")
            assert name not in {"src", "href", "xlink:href", "action"}
            assert "url(" not in (value or "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("rule", ["perceptron", "logistic"])
def test_the_page_is_well_formed_and_loads_nothing_from_the_network(classes: int, rule: str) -> None:
    html = fit_page(summary(classes, rule))
    parsed = WellFormed()
    parsed.feed(html)
    assert parsed.open == []
    assert not re.search(r"https?://|@import|url\(", html)
    for words in ("ROC", "Mistakes per pass", "How clearly", "Rules tried", "rosenblatt fit 'a<b>.svm'", "<b>bold</b>"):
        assert words in parsed.text
    assert ("log loss" in parsed.text) == (rule == "logistic")
    assert html.count("<svg") == (5 if rule == "logistic" else 4)


@pytest.mark.parametrize("classes", [2, 7])
def test_the_page_of_an_evaluation_is_the_same_page_as_far_as_it_goes(classes: int) -> None:
    fit_summary = summary(classes)
    assert fit_summary.evaluation is not None
    html = evaluation_page(
        EvaluationSummary(
            "<m>.model", fit_summary.fitted.model, fit_summary.evaluation, "rosenblatt evaluate '<m>.model'"
        )
    )
    parsed = WellFormed()
    parsed.feed(html)
    assert parsed.open == []
    for words in ("ROC", "How good it is, on test.svm", "for <0>", "rosenblatt evaluate '<m>.model'", "<b>bold</b>"):
        assert words in parsed.text
    assert "Mistakes per pass" not in html
    assert html.count("<svg") == 3
    shared = set(re.findall(r"<section.*?</section>", fit_page(fit_summary), re.S)) & set(
        re.findall(r"<section.*?</section>", html, re.S)
    )
    assert len(shared) == html.count("<section") - 1  # all but the command


def test_the_page_of_an_untested_run_has_what_there_is() -> None:
    html = fit_page(replace(summary(), evaluation=None))
    assert html.count("<svg") == 1
    assert "Mistakes per pass" in html
    assert "10.00%" in html


def test_scores_on_what_was_learned_say_so() -> None:
    tested = summary()
    assert isinstance(tested.evaluation, Evaluation)
    learned = replace(tested, evaluation=replace(tested.evaluation, data=tested.data))
    caution = "300 examples, which the model learned: expect more errors on others"
    for each, says_so in ((tested, False), (learned, True)):
        assert (caution in fit_page(each)) == says_so
        assert (caution in " ".join(fit_lines(each, 5))) == says_so


def test_the_mistakes_of_a_single_pass_are_no_chart() -> None:
    html = fit_page(replace(summary(mistakes=(40,)), evaluation=None))
    assert "Mistakes per pass" not in html
    assert html.count("<svg") == 0


@pytest.mark.parametrize("passes", [1, 2, 12, 50, 300])
def test_mistakes_are_drawn_for_any_number_of_passes(passes: int) -> None:
    svg = charts.mistakes_per_pass(tuple(range(passes, 0, -1)))
    assert ("<polyline" in svg) == (passes > 60)
    assert "nan" not in svg


@pytest.mark.parametrize(
    "values", [[1.0], [0.0, 0.0], [-1.0, -2.0], [1e300, -1e300], [3.0, 3.0, 3.0]], ids=lambda values: str(values)
)
def test_margins_are_drawn_for_any_values(values: list[float]) -> None:
    svg = charts.margins(np.array(values))
    assert "nan" not in svg
    assert "inf" not in svg
    assert sum(int(n.replace(",", "")) for n in re.findall(r"<title>([\d,]+) examples", svg)) == len(values)


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("classes", [2, 3, 14])
def test_terminal_lines_fit_the_terminal(width: int, classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = "\n".join(fit_lines(summary(classes), 10)).splitlines()
    plain = [re.sub(r"\033\[\d+m", "", line) for line in lines]
    words = [line for line in plain if line.startswith("  ") and re.match(r"  (\w[\w ]{9}|\s{10})\S", line)]
    assert max(map(len, words)) <= max(width, 60)
    assert any(line.startswith("  status    budget: ") for line in plain)


def test_no_control_character_reaches_the_terminal() -> None:
    text = "\n".join(weight_lines([("a\033[2Jb", [])]))
    assert "\033[2J" not in text


def test_the_weights_of_a_class_speak_for_it() -> None:
    two = summary(2).fitted.model
    np.testing.assert_array_equal(direction(two, 0), -direction(two, 1))
    assert bias(two, 0) == -bias(two, 1)
    best = top_features(two, 1, 3)
    assert [entry.weight for entry in best] == sorted((entry.weight for entry in best), reverse=True)
    assert best[0].weight == two.coef.max()
    assert top_features(two, 1, 0) == []
    three = summary(3).fitted.model
    np.testing.assert_array_equal(direction(three, 2), three.coef[2])


def test_words_of_a_column_speak_for_a_class_compared_with_each_other(tmp_path: Path) -> None:
    """Every row has one of them, so that their common part says nothing: it belongs to the bias."""
    rows = [f"{'left' if k % 3 else 'right'},{k % 5},{'yes' if k % 3 or k % 4 else 'no'}\n" for k in range(120)]
    (tmp_path / "t.csv").write_text("side,n,y\n" + "".join(rows))
    model = fit_file(tmp_path / "t.csv", rule="perceptron", passes=5).model
    weights = dict(zip(model.space.columns, model.coef[0].tolist(), strict=True))
    spread = (weights["side=left"] - weights["side=right"]) / 2
    assert spread > 0
    for k, side in ((1, "side=left"), (0, "side=right")):
        named = {entry.feature: entry.weight for entry in telling_features(model, k, 10)}
        assert named[side] == pytest.approx(spread)
        assert "side=left" not in named or "side=right" not in named
        assert named.get("n", abs(weights["n"])) == pytest.approx(abs(weights["n"]))


def test_a_matrix_that_is_too_wide_becomes_a_line_for_each_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    names = [f"a class with a long name {k}" for k in range(4)]
    long, short = (
        evaluate(np.eye(4)[[0, 1, 2, 3]], np.arange(4), np.arange(4), tuple(classes)) for classes in (names, "abcd")
    )
    assert any("examples  precision" in line for line in score_lines(long))
    assert not any("examples  precision" in line for line in score_lines(short))
    assert max(len(re.sub(r"\033\[\d+m", "", line)) for line in score_lines(long)) <= 80


def test_one_vs_one_directions_are_the_sums_that_break_ties() -> None:
    truth = np.clip((X[:, 0] + 2).astype(int), 0, 2)
    estimator = Perceptron(max_iter=2, multi_class="ovo").fit(X, truth)
    model = LinearModel((0, 1, 2), FeatureSpace("columns", columns=NAMES), estimator._run)
    units = X @ model.coef.T + model.intercept  # the pairs (0, 1), (0, 2), (1, 2)
    sums = np.column_stack([-units[:, 0] - units[:, 1], units[:, 0] - units[:, 2], units[:, 1] + units[:, 2]])
    scores = np.column_stack([X @ direction(model, k) + bias(model, k) for k in range(3)])
    np.testing.assert_allclose(scores, sums)


@pytest.mark.parametrize("sparse", [False, True])
def test_contributions_and_bias_add_up_to_the_score(sparse: bool) -> None:
    model = summary(2).fitted.model
    rows = Csr(np.array([0, 6, 12]), np.tile(np.arange(6, dtype=np.int32), 2), X[:2].ravel(), 6) if sparse else X[:2]
    for row in range(2):
        parts = contributions(model, rows, row, ClassWeights(model, 1))
        total = sum(part.contribution for part in parts) + bias(model, 1)
        assert total == pytest.approx(model.scores(X[row : row + 1])[0, 0])
        assert [abs(part.contribution) for part in parts] == sorted((abs(p.contribution) for p in parts), reverse=True)


# -- the keys of --json are stable: docs/json.md lists them ------------------------------------------------------------

SCORES = {
    *("examples", "classes", "accuracy", "error", "precision", "recall", "f1", "roc_auc", "average_precision"),
    *("log_loss", "intervals", "per_class", "confusion", "ranked", "baseline_error", "unknown"),
    *("brier", "calibration_error", "reliability"),
}
FIT = {
    *("data", "rows", "features", "classes", "rule", "passes", "status", "seconds", "n_mistakes", "mistakes"),
    *("accuracy", "error", "error_of", "progressive_error", "holdout_error", "candidates", "test"),
    *("skipped", "skipped_by_file", "order", "grouped", "columns", "chosen_by", "fold_error", "other_readings"),
    *("bad_rows", "cache", "top", "model", "report", "command", "baseline_error", "warnings"),
    *("class_counts", "class_weight", "threshold"),
}
MODEL = {
    *("classes", "scheme", "features", "feature_kind", "settings", "status", "n_iter", "n_mistakes", "t"),
    *("provenance", "top", "threshold"),
}


def test_the_keys_of_json_are_pinned() -> None:
    fit_summary = summary()
    record = fit_record(fit_summary, "r.html", 3)
    assert set(record) == FIT
    assert set(record["test"]) == SCORES | {"data"}
    tried = {"rule", "progressive_error", "holdout_error", "given_up", "best_then", "fold_error"}
    assert set(record["candidates"][0]) == tried
    assert set(record["top"][0]) == {"class", "bias", "weights"}
    assert set(model_record(fit_summary.fitted.model, 3)) == MODEL
    assert fit_summary.evaluation is not None
    scores = scores_record(fit_summary.evaluation.scores)
    assert set(scores["per_class"][0]) == {"label", "support", "precision", "recall", "f1", "intervals"}
    assert set(scores["intervals"]) == {
        *("accuracy", "error", "precision", "recall", "f1", "roc_auc", "average_precision", "log_loss"),
        *("brier", "calibration_error"),
    }


@pytest.mark.parametrize(
    ("judged", "held_out", "expected"), [(True, True, "test"), (False, True, "holdout"), (False, False, "progressive")]
)
def test_the_error_is_the_most_reliable_one(judged: bool, held_out: bool, expected: str) -> None:
    fit_summary = summary()
    fitted = fit_summary.fitted if held_out else fit_summary.fitted._replace(holdout_error=None)
    record = fit_record(
        replace(fit_summary, fitted=fitted, evaluation=fit_summary.evaluation if judged else None), None, 0
    )
    assert record["error_of"] == expected
    assert record["accuracy"] == pytest.approx(1 - record["error"])


def test_a_sorted_file_is_called_sorted() -> None:
    fit_summary = summary()
    sorted_one = replace(fit_summary, fitted=fit_summary.fitted._replace(grouped=True))
    assert any("sorted by label" in line for line in "\n".join(fit_lines(sorted_one, 0)).splitlines())
    assert "sorted by label" in fit_page(sorted_one)
    assert "sorted by label" not in fit_page(fit_summary)


def test_what_tells_is_strong_and_not_rare() -> None:
    model = summary(2).fitted.model
    order = np.argsort(-direction(model, 1))
    totals = np.ones(model.features)
    assert _distinctive(model, totals, 1, 1) == [NAMES[order[0]]]
    totals[order[0]] = 0.0  # never occurred
    assert _distinctive(model, totals, 1, 1) == [NAMES[order[1]]]


@pytest.mark.parametrize(("classes", "rule"), [(2, "logistic"), (2, "perceptron"), (3, "logistic")])
def test_the_page_shows_what_probabilities_are_worth_where_there_are_any(classes: int, rule: str) -> None:
    page = fit_page(summary(classes, rule))
    assert "Found and right" in page
    assert ("Reliability of the probabilities" in page) == (rule == "logistic")
    assert ("Other thresholds" in page) == (rule == "logistic" and classes == 2)


def test_the_marked_threshold_is_the_models_own() -> None:
    fit_summary = summary(2, "logistic")
    assert fit_summary.evaluation is not None
    page = fit_page(fit_summary)
    row = page[page.index("Other thresholds") :].partition("class=chosen")[2].partition("</tr>")[0]
    scores = fit_summary.evaluation.scores
    assert ">0.5<" in row
    assert f"{scores.recall:.1%}" in row
    assert f"{scores.precision:.1%}" in row
