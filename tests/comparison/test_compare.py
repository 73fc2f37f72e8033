"""`compare`: all methods on the same folds, honest reports of convergence, six questions answered by measurement."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_blobs, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import Perceptron, compare, degree_report
from rosenblatt.cli import main
from rosenblatt.comparison.compare import Comparison, record_of, training_margin
from rosenblatt.comparison.six_questions import answer_questions
from rosenblatt.comparison.standardise import Standardised
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.report.figures import plot_comparison, plot_degrees
from rosenblatt.report.text.comparison import comparison_text


def blobs(distance: float, seed: int = 0) -> tuple[Any, Any]:
    return make_blobs(90, centers=[[0, 0], [distance, distance]], cluster_std=1.0, random_state=seed)


@pytest.fixture(scope="module")
def easy() -> Comparison:
    return compare(*blobs(9.0), folds=3)


@pytest.fixture(scope="module")
def hard() -> Comparison:
    return compare(*blobs(1.5), folds=3)


def test_every_method_has_its_line(easy: Comparison) -> None:
    names = [method.name for method in easy.methods]
    assert names[:6] == [
        *(f"perceptron, {k}" for k in ("last", "average", "vote", "pocket")),
        "Adaline",
        "logistic unit",
    ]
    assert names[-2:] == ["LogisticRegression", "LinearSVC"]
    assert "maximum margin" in names


def test_errors_are_those_of_the_folds(hard: Comparison) -> None:
    X, y = blobs(1.5)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    wrong = np.mean(cross_val_predict(Perceptron(keep="average"), X, y, cv=folds) != y)
    error = hard.methods[1].error
    assert error.value == pytest.approx(wrong)
    assert error.low < wrong < error.high


def test_convergence_is_reported_honestly(easy: Comparison, hard: Comparison) -> None:
    assert all(method.converged for method in easy.methods[:4])
    assert "no mistake" in easy.methods[0].why
    assert not any(method.converged for method in hard.methods[:4])
    assert "mistakes in epoch 50" in hard.methods[0].why
    assert hard.methods[-2].converged


def test_margins_are_distances(easy: Comparison) -> None:
    X, y = blobs(9.0)
    model = easy.methods[0].model
    y01 = 2 * y - 1
    distances = y01 * (X @ model.coef_[0] + model.intercept_[0]) / np.linalg.norm(model.coef_)
    assert easy.methods[0].margin == pytest.approx(distances.min())
    assert distances.min() > 0
    assert easy.methods[2].margin is None  # votes have no one boundary


def test_the_margin_of_many_classes_is_the_smallest_over_all_pairs() -> None:
    X, y = make_blobs(60, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    model = Perceptron(keep="last", multi_class="joint", max_iter=200).fit(X, y)
    scores, w = model.decision_function(X), model.coef_
    expected = min(
        (scores[i, y[i]] - scores[i, k]) / np.linalg.norm(w[y[i]] - w[k])
        for i in range(60)
        for k in range(3)
        if k != y[i]
    )
    assert training_margin(model, X, y) == pytest.approx(expected)
    assert len(compare(X, y, folds=3).answers) == 6


@pytest.mark.parametrize("which", ["easy", "hard"])
def test_the_six_questions(which: str, request: pytest.FixtureRequest) -> None:
    answers = request.getfixturevalue(which).answers
    assert [answer.verdict for answer in answers] == [True, False, True, False, False, True]
    assert all(any(letter.isdigit() for letter in answer.measured) for answer in answers)
    assert answers[1].numbers["mistakes_in_last_epoch"] > 0
    assert answers[5].numbers["C=1e+06"] > answers[4].numbers["mean_share"]


def test_the_text_and_the_record_are_complete(hard: Comparison) -> None:
    text = comparison_text(hard, width=90)
    assert max(map(len, text.splitlines())) <= 100
    for method in hard.methods:
        assert method.name in text
    assert text.count("TRUE") == 3
    assert text.count("FALSE") == 3
    assert json.loads(json.dumps(record_of(hard)))["methods"][0]["name"] == "perceptron, last"


def test_the_boundaries_are_drawn(easy: Comparison) -> None:
    X, y = blobs(9.0)
    figure = plot_comparison(easy, X, y)
    assert len(figure.axes[0].lines) >= 6
    scaled = compare(X, y, folds=3, scale=True, questions=False)
    assert len(plot_comparison(scaled, X, y, theme="dark").axes[0].lines) >= 6
    with pytest.raises(DataError, match="two classes"):
        plot_comparison(easy, X, np.arange(len(y)) % 3)


def test_long_and_sparse_data() -> None:
    X, y = blobs(9.0)
    comparison = compare(sp.csr_array(X), y, folds=3, max_rows=60, questions=False)
    assert comparison.rows == 60
    assert "60 rows of 90" in comparison.notes[0]
    assert comparison.answers == ()


def test_bad_input_is_refused() -> None:
    X, y = blobs(9.0)
    with pytest.raises(ParameterError, match="an int of at least 2"):
        compare(X, y, folds=1)
    with pytest.raises(DataError, match="the smallest class has 1"):
        compare(X, np.append(np.zeros(89), 1))
    with pytest.raises(DataError, match="one class only"):
        compare(X, np.zeros(90))
    with pytest.raises(ParameterError, match="at least one degree"):
        degree_report(X, y, degrees=())
    with pytest.raises(ParameterError, match=r"as a list, such as \[1, 2, 3\]. Got 3"):
        degree_report(X, y, degrees=3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="'folds' parameter of degree_report"):
        degree_report(X, y, folds="three")  # type: ignore[arg-type]


def test_training_error_falls_with_the_degree_and_held_out_error_does_not() -> None:
    draw = np.random.default_rng(0)
    X = draw.normal(size=(150, 6))
    y = ((X[:, 0] + X[:, 1] > 0) ^ (draw.random(150) < 0.1)).astype(int)
    report = degree_report(X, y, degrees=(1, 2, 5), folds=3, max_iter=100)
    first, _, last = report.degrees
    assert last.training_error < first.training_error
    assert last.held_out_error.value > last.training_error + 0.1
    text = str(report)
    assert "held out" in text
    assert "best" in text
    moons = degree_report(*make_moons(100, noise=0.1, random_state=0), degrees=(1, 3), folds=3)
    assert moons.best.degree == 3


def test_the_maximum_margin_reports_how_it_ended(easy: Comparison, hard: Comparison) -> None:
    ends = [next(m for m in comparison.methods if m.name == "maximum margin") for comparison in (easy, hard)]
    assert ends[0].converged
    assert not ends[1].converged
    assert "no hyperplane" in ends[1].why
    assert all((method.margin or 0) <= ends[0].margin + 1e-6 for method in easy.methods)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_errors_are_drawn_against_the_degree(theme: str) -> None:
    report = degree_report(*make_moons(60, noise=0.1, random_state=0), degrees=(3, 1), folds=3, max_iter=20)
    (panel,) = plot_degrees(report, theme=theme).axes
    lines = {line.get_label(): line for line in panel.lines}
    assert lines["training"].get_xdata().tolist() == [1, 3]
    assert lines["training"].get_ydata().tolist() == [
        report.degrees[1].training_error,
        report.degrees[0].training_error,
    ]
    assert [tick.get_text() for tick in panel.get_xticklabels()] == ["1", "3"]
    with pytest.raises(ParameterError, match="plot_degrees draws what degree_report gives"):
        plot_degrees(3)


def test_the_command_line_reads_sparse_files_and_names_what_it_draws(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    X, y = blobs(9.0)
    sparse, table, picture = tmp_path / "a.svm", tmp_path / "a.csv", tmp_path / "a.png"
    rows = list(zip(X.tolist(), y, strict=True))
    sparse.write_text("".join(f"{2 * k - 1} 1:{a} 2:{b}\n" for (a, b), k in rows))
    assert main(["compare", str(sparse), "--folds", "3", "--no-questions"]) == 0
    assert "classes -1, 1;" in capsys.readouterr().out
    table.write_text("wet,cold,label\n" + "".join(f"{a},{b},{['no', 'yes'][k]}\n" for (a, b), k in rows))
    arguments = ["compare", str(table), "--folds", "3", "--no-questions", "--plot", str(picture)]
    assert main(arguments) == 0
    assert "classes no, yes;" in capsys.readouterr().out
    assert picture.stat().st_size > 1000


def test_titles_are_not_cut_off(easy: Comparison) -> None:
    X, y = blobs(9.0)
    figure = plot_comparison(easy, X * [1, 0.7], y, names=["wet", "cold"])
    figure.canvas.draw()
    title = figure.axes[0].title.get_window_extent()
    assert title.y1 <= figure.bbox.y1
    assert figure.axes[0].get_xlabel() == "wet"


def test_shares_of_the_widest_margin_are_shares() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3)) * [1, 50, 2000]
    y = (X @ [1, 0.02, 0.0005] + 0.7 * rng.normal(size=150) > 0).astype(int)
    answers = compare(X, y, folds=2, max_iter=10).answers
    shares = [*answers[5].numbers.values(), answers[4].numbers["mean_share"]]
    assert max(shares) <= 1
    assert answers[4].numbers["separated"] >= 0
    assert "-" not in answers[4].measured.split("margin is")[-1]


def test_separable_rows_that_need_many_epochs_are_not_called_inseparable() -> None:
    X = 1000 + 0.1 * np.arange(20.0)[:, None]
    y = (np.arange(20) >= 10).astype(int)
    assert Perceptron(max_iter=20, keep="last").fit(X, y).status_ == "budget"
    answers = compare(X, y, folds=2, max_iter=1).answers
    assert answers[1].measured.startswith("On 21 rows that are not separable")
    assert answers[2].measured.startswith("On 20 separable rows")


def test_the_questions_take_millions_of_columns() -> None:
    X, y = blobs(9.0)
    places = np.array([5, 2**24 - 1], dtype=np.int32)
    wide = sp.csr_array((X.ravel(), np.tile(places, 90), 2 * np.arange(91, dtype=np.int32)), shape=(90, 2**24))
    answers = answer_questions(wide, y, max_iter=10)  # as a dense matrix: 12 GB
    assert [answer.measured for answer in answers] == [
        answer.measured for answer in answer_questions(X, y, max_iter=10)
    ]


def test_many_sparse_columns_stay_sparse(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = blobs(1.5)
    dense = answer_questions(X, y, max_iter=10)
    monkeypatch.setattr("rosenblatt.comparison.six_questions._MAX_DENSE_VALUES", 0)
    sparse = answer_questions(sp.csr_array(X), y, max_iter=10)
    assert [answer.verdict for answer in sparse] == [answer.verdict for answer in dense]
    assert sparse[1].measured == dense[1].measured


def test_hashed_columns_that_no_row_uses_take_no_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = tmp_path / "a.tsv"
    words.write_text("".join(f"{'ny'[k % 2]}\t{['cheap pills', 'see you'][k % 2]} w{k % 5}\n" for k in range(40)))
    assert main(["compare", str(words), "--folds", "2", "--bits", "26", "--ngrams", "1", "--no-questions"]) == 0
    assert "40 rows, 9 features, classes n, y;" in capsys.readouterr().out


@pytest.mark.parametrize("columns", ["0,2", "wet, warm", "cold,wet"])
def test_two_of_many_columns_are_drawn_by_name_or_position(tmp_path: Path, columns: str) -> None:
    X, y = blobs(9.0)
    table, picture = tmp_path / "a.csv", tmp_path / "a.png"
    rows = zip(X.tolist(), y, strict=True)
    table.write_text("wet,cold,warm,label\n" + "".join(f"{a},{b},{a - b},{'ny'[k]}\n" for (a, b), k in rows))
    arguments = ["compare", str(table), "--folds", "2", "--no-questions", "--plot", str(picture)]
    assert main([*arguments, "--columns", columns]) == 0
    assert picture.exists()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([], "--plot draws two columns, and DATA has 3: choose with --columns I,J."),
        (["--columns", "wet,dry"], "Got 'wet,dry'. The columns are wet, cold, warm."),
        (["--columns", "0,3"], "two different columns of 0 to 2. Got '0,3'."),
        (["--columns", "1,cold"], "two different columns of 0 to 2. Got '1,cold'."),
    ],
)
def test_columns_that_cannot_be_drawn_are_refused_before_anything_is_learned(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    columns: list[str],
    message: str,
) -> None:
    monkeypatch.setattr("rosenblatt.comparison.compare.compare", None)
    table = tmp_path / "a.csv"
    table.write_text("wet,cold,warm,label\n" + "".join(f"{i},{i + 1},{i * i},{'ny'[i % 2]}\n" for i in range(10)))
    assert main(["compare", str(table), "--plot", str(tmp_path / "a.png"), *columns]) == 2
    assert message in capsys.readouterr().err


def test_the_table_is_printed_even_if_the_figure_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    X, y = blobs(9.0)
    table = tmp_path / "a.csv"
    table.write_text("a,b,label\n" + "".join(f"{a},{b},{k}\n" for (a, b), k in zip(X.tolist(), y, strict=True)))
    assert main(["compare", str(table), "--folds", "2", "--no-questions", "--plot", str(tmp_path / "a.xyz")]) == 2
    output = capsys.readouterr()
    assert "LinearSVC" in output.out
    assert "a.xyz" in output.err


def test_scale_measures_each_training_part_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An outlier dominates the scale of the folds it is in; it must not affect the fold it is held out of."""
    X, y = blobs(3.0)
    X[7] = [1e4, -1e4]
    words = np.where(np.arange(len(y)) % 3, "cook", "clerk")
    for job in (False, True):
        rows = [
            f"{a!r},{b!r},{word + ',' if job else ''}c{c}" for (a, b), word, c in zip(X.tolist(), words, y, strict=True)
        ]
        table = tmp_path / "table.csv"
        table.write_text(f"a,b,{'job,' if job else ''}label\n" + "\n".join(rows) + "\n")
        assert main(["compare", str(table), "--scale", "--folds", "3", "--no-questions", "--json"]) == 0
        errors = {m["name"]: m["error"] for m in json.loads(capsys.readouterr().out)["methods"]}
        values = np.column_stack([X, words[:, None] == ["clerk", "cook"]]) if job else X
        folds = StratifiedKFold(3, shuffle=True, random_state=0)
        numbers = ColumnTransformer([("numbers", StandardScaler(), [0, 1])], remainder="passthrough")
        expected = cross_val_predict(make_pipeline(numbers, LogisticRegression(random_state=0)), values, y, cv=folds)
        assert errors["LogisticRegression"] == np.mean(expected != y)
    only = tmp_path / "words.csv"
    only.write_text("job,town,label\n" + "cook,ulm,a\nclerk,bonn,b\ncook,bonn,a\nclerk,ulm,b\n" * 3)
    assert main(["compare", str(only), "--scale", "--folds", "3", "--json"]) == 0  # no numbers: nothing to scale
    capsys.readouterr()
    sparse = Standardised([0, 1]).fit_transform(sp.csr_array(values))
    np.testing.assert_allclose(sparse.toarray(), numbers.fit_transform(values), atol=1e-12)
