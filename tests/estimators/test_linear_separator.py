"""LinearSeparator: what `rosenblatt fit` does, on rows in memory, to the same bits."""

import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import LinearSeparator, fit_file, load, read, save
from rosenblatt.errors import (
    DataError,
    DoubtfulDataWarning,
    ModelError,
    ParameterError,
    UnknownValuesWarning,
    WorthlessModelWarning,
)
from rosenblatt.readers.source import ReadOptions
from tests.child import run as run_child
from tests.estimators.test_scikit_learn_checks import EXPECTED

ROWS = 600


@pytest.mark.filterwarnings("ignore::rosenblatt.errors.WorthlessModelWarning")  # of random labels
@pytest.mark.filterwarnings("ignore::rosenblatt.errors.DoubtfulDataWarning")  # of ten rows
@parametrize_with_checks([LinearSeparator()], expected_failed_checks=lambda _: EXPECTED)
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def frame(rows: int = ROWS, seed: int = 0) -> tuple[pd.DataFrame, pd.Series]:
    """Numbers in unlike units, whole numbers, words, dates, missing values, an id, and labels with some noise."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "customer": [f"C{number:06}" for number in rng.permutation(rows)],
            "age": rng.integers(18, 90, rows),
            "city": rng.choice(["Rome", "Oslo", "Köln"], rows),
            "balance": rng.normal(0, 12_000, rows).round(2),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, rows), "D"),
        }
    )
    table.loc[::7, "balance"] = np.nan
    table.loc[::11, "city"] = None
    score = table["balance"].fillna(0) / 12_000 + (table["city"] == "Rome") + rng.normal(0, 0.3, rows)
    return table, pd.Series(np.where(score > 0.5, "stays", "leaves"), name="churn")


def bits(separator: LinearSeparator) -> tuple[bytes, bytes, tuple[str, ...]]:
    return separator.coef_.tobytes(), separator.intercept_.tobytes(), separator.model_.space.columns


def bits_of_file(path: Path, **options: Any) -> tuple[bytes, bytes, tuple[str, ...]]:
    model = fit_file(path, **options).model
    return model.coef.tobytes(), model.intercept.tobytes(), model.space.columns


# -- one answer: memory or file ---------------------------------------------------------------------------------------


SKEWED = {"class_weight": "balanced", "threshold": "recall>=0.9"}


@pytest.mark.parametrize("options", [{}, {"rule": "arow", "passes": 3}, SKEWED], ids=str)
def test_a_dataframe_gives_the_bits_of_its_file(options: dict[str, Any], tmp_path: Path) -> None:
    table, labels = frame()
    separator = LinearSeparator(**options).fit(table, labels)
    learned = bits(separator)
    labelled = table.assign(churn=labels)
    labelled.to_csv(tmp_path / "t.csv", index=False, date_format="%Y-%m-%d")
    labelled.to_parquet(tmp_path / "t.parquet")
    assert bits_of_file(tmp_path / "t.csv", **options) == learned
    assert bits_of_file(tmp_path / "t.parquet", **options) == learned
    save(fit_file(tmp_path / "t.csv", **options), tmp_path / "m")
    assert (load(tmp_path / "m").predict(table) == separator.predict(table)).all()


def test_every_kind_of_table_gives_the_same_bits() -> None:
    table, labels = frame()
    learned = bits(LinearSeparator().fit(table, labels))
    arrow = pa.Table.from_pandas(table)
    cut = pa.Table.from_batches(arrow.to_batches(max_chunksize=77))
    views = arrow.set_column(2, "city", arrow.column("city").cast(pa.string_view()))
    records = [{str(key): None if cell != cell else cell for key, cell in row.items()} for row in arrow.to_pylist()]
    shuffled_index = table.set_index(np.random.default_rng(0).permutation(ROWS))
    for other in (arrow, cut, views, arrow.to_reader(), dict(zip(arrow.column_names, arrow, strict=True)), records):
        assert bits(LinearSeparator().fit(other, labels)) == learned, type(other)
    assert bits(LinearSeparator().fit(shuffled_index, labels)) == learned


class Stream:
    """Anything that supports Arrow, and nothing else."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


def test_an_arrow_stream_is_learned_and_predicted() -> None:
    table, labels = frame()
    stream = Stream(pa.Table.from_pandas(table))
    separator = LinearSeparator().fit(stream, labels)
    assert bits(separator) == bits(LinearSeparator().fit(table, labels))
    assert (separator.predict(stream) == separator.predict(table)).all()


def test_y_may_name_a_column() -> None:
    table, labels = frame()
    named = LinearSeparator().fit(table.assign(churn=labels), "churn")
    assert bits(named) == bits(LinearSeparator().fit(table, labels))
    assert named.feature_names_in_.tolist() == list(table.columns)
    with pytest.raises(DataError, match="no column 'chrun' of labels; its columns are"):
        LinearSeparator().fit(table, "chrun")


@pytest.mark.parametrize("options", [{}, {"rule": "logistic", "scale": False, "passes": 2}], ids=str)
def test_a_matrix_gives_the_bits_of_its_file(options: dict[str, Any], tmp_path: Path) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    learned = bits(LinearSeparator(**options).fit(X, y))
    np.savez(tmp_path / "t.npz", X=X, y=y)
    reading = ReadOptions(scale=options.pop("scale", None))
    assert bits_of_file(tmp_path / "t.npz", reading=reading, **options) == learned
    parameters = {**options, "scale": reading.scale}
    assert bits(LinearSeparator(**parameters).fit(np.asfortranarray(X), y)) == learned
    assert bits(LinearSeparator(**parameters).fit(X.tolist(), y.tolist())) == learned


def test_a_sparse_matrix_gives_the_bits_of_its_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    X = sparse.random_array((300, 50), density=0.1, rng=rng, format="csr")
    y = (X @ rng.normal(size=50) > 0).astype(int)
    with (tmp_path / "t.svm").open("w") as file:
        for label, row in zip(y, X.toarray(), strict=True):
            print(label, *(f"{j + 1}:{value!r}" for j, value in enumerate(row.tolist()) if value), file=file)
    learned = bits(LinearSeparator(rule="arow", passes=2).fit(X, y))
    assert bits_of_file(tmp_path / "t.svm", rule="arow", passes=2)[:2] == learned[:2]
    assert bits(LinearSeparator(rule="arow", passes=2).fit(X.tocoo(), y)) == learned


def test_texts_give_the_bits_of_their_file(tmp_path: Path) -> None:
    texts = ["Buy now!", "See you at noon", "now or never", "noon\tis fine,\nreally"] * 30
    labels = ["spam", "ham", "spam", "ham"] * 30
    separator = LinearSeparator(bits=12, passes=2).fit(texts, labels)
    lines = (f"{label}\t{' '.join(text.split())}\n" for text, label in zip(texts, labels, strict=True))
    (tmp_path / "t.tsv").write_text("".join(lines))
    reading = ReadOptions(format="text", bits=12)
    assert bits_of_file(tmp_path / "t.tsv", reading=reading, passes=2)[:2] == bits(separator)[:2]
    assert separator.predict(["buy it now", "at noon?"]).tolist() == ["spam", "ham"]
    assert separator.predict(pd.Series(texts)).tolist() == labels


def test_many_classes_of_texts_are_hashed_into_fewer_columns(tmp_path: Path) -> None:
    texts = [f"word{k} and some {n}" for n in range(40) for k in range(5)]
    labels = [f"class{k}" for _ in range(40) for k in range(5)]
    separator = LinearSeparator().fit(texts, labels)
    (tmp_path / "t.tsv").write_text("".join(f"{b}\t{a}\n" for a, b in zip(texts, labels, strict=True)))
    reading = ReadOptions(format="text")
    assert separator.model_.space.bits == fit_file(tmp_path / "t.tsv", reading=reading).model.space.bits < 22
    table = pd.DataFrame({"text": [f"{text}, and then some more of it" for text in texts]})
    assert LinearSeparator().fit(table, labels).model_.space.bits < 22


def test_a_path_is_learned_and_predicted(tmp_path: Path) -> None:
    table, labels = frame()
    table.assign(churn=labels).to_csv(tmp_path / "t.csv", index=False)
    separator = LinearSeparator().fit(tmp_path / "t.csv", "churn")
    assert bits(separator) == bits(LinearSeparator().fit(table, labels))
    assert separator.predict(str(tmp_path / "t.csv")).tolist() == separator.predict(table).tolist()
    assert separator.feature_names_in_.tolist() == list(table.columns)
    with pytest.raises(ParameterError, match="Sample weights are for rows in memory"):
        LinearSeparator().fit(tmp_path / "t.csv", "churn", sample_weight=np.ones(ROWS))


# -- labels and weights -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels", [["10", "9", "1.0", "1"], [True, False], [-1, 1], [2.0, 10.0], [" a", "a", "NA"]], ids=str
)
def test_labels_are_what_they_were(labels: list[Any]) -> None:
    X = np.eye(len(labels)).repeat(20, axis=0)
    y = np.array(labels).repeat(20)
    for rows in (X, pd.DataFrame(X, columns=[*"abcd"][: len(labels)])):
        separator = LinearSeparator(rule="perceptron", passes=20, keep=("*",)).fit(rows, y)
        assert separator.classes_.tolist() == sorted(labels)
        assert separator.predict(rows).tolist() == y.tolist()
        assert separator.model_.classes == tuple(sorted(labels))


def test_weights_count_and_rows_without_weight_do_not() -> None:
    table, labels = frame()
    weights = np.random.default_rng(2).integers(0, 2, ROWS).astype(float)
    counted = weights > 0
    some = LinearSeparator().fit(table, labels, sample_weight=weights)
    assert bits(some) == bits(LinearSeparator().fit(table[counted], labels[counted]))
    assert bits(LinearSeparator().fit(table, labels, np.ones(ROWS))) == bits(LinearSeparator().fit(table, labels))
    by_class = {"stays": 1.0, "leaves": 5.0}
    weighed = LinearSeparator(class_weight=by_class).fit(table, labels)
    assert bits(weighed) == bits(LinearSeparator().fit(table, labels, labels.map(by_class)))
    assert (weighed.predict(table) == "leaves").sum() > (some.predict(table) == "leaves").sum()


# -- predicting -------------------------------------------------------------------------------------------------------


def test_columns_are_found_by_name_and_others_are_ignored() -> None:
    table, labels = frame()
    separator = LinearSeparator().fit(table, labels)
    predicted = separator.predict(table)
    assert (separator.predict(table[reversed(table.columns)].assign(other=1)) == predicted).all()
    assert (separator.predict(table.assign(churn="?")) == predicted).all()
    assert separator.predict(table.head(1).to_dict("records")).tolist() == predicted[:1].tolist()
    with pytest.raises(ModelError, match="a column 'balance', which is missing here; its columns are"):
        separator.predict(table.drop(columns="balance"))
    with pytest.warns(UnknownValuesWarning, match="600 cells of column 'city' hold what the model never saw"):
        unseen = separator.decision_function(table.assign(city="Paris"))
    missing = separator.decision_function(table.assign(city=None))
    assert (unseen == missing).all()
    assert (unseen != separator.decision_function(table)).any()


def test_a_matrix_stands_for_a_table_of_numbers() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    separator = LinearSeparator().fit(X, y)
    assert (separator.decision_function(X.to_numpy()) == separator.decision_function(X)).all()
    with pytest.raises(DataError, match=r"has the shape \(569, 29\), and the model was learned from 30 columns"):
        separator.predict(X.to_numpy()[:, 1:])
    unnamed = LinearSeparator().fit(X.to_numpy(), y)
    with pytest.warns(UserWarning, match="feature names"):
        assert (unnamed.predict(X) == unnamed.predict(X.to_numpy())).all()


def test_what_read_gives_is_predicted_alike(tmp_path: Path) -> None:
    table, labels = frame()
    numbers, y = load_breast_cancer(return_X_y=True, as_frame=True)
    for X, target in ((table, labels), (numbers, y.rename("label"))):
        X.assign(**{target.name: target}).to_csv(tmp_path / "t.csv", index=False)
        separator = LinearSeparator().fit(X, target)
        for like in (separator, separator.space_, separator.model_, separator.model_.space, separator.fitted_):
            features, read_labels = read(tmp_path / "t.csv", like=like)
            assert (separator.decision_function(features) == separator.decision_function(X)).all(), like
        assert read_labels is not None
        assert read_labels.tolist() == target.tolist()
    np.save(tmp_path / "t.npy", np.column_stack([numbers, y]))
    separator = LinearSeparator().fit(tmp_path / "t.npy")
    for like in (separator, separator.space_, separator.model_, separator.fitted_):
        raw, _ = read(tmp_path / "t.npy", like=like)
        assert (raw == numbers.to_numpy()).all()  # not scaled yet, or it would be scaled twice
        assert (separator.decision_function(raw) == separator.decision_function(numbers.to_numpy())).all()


@pytest.mark.parametrize(
    ("learned", "predicted", "sentence"),
    [
        ("texts", "table", "X is a table, and this model reads texts: give it a list of strings."),
        ("table", "texts", "X holds texts, and this model reads a table: give it a DataFrame"),
        ("matrix", "texts", "X holds texts, and this model reads a matrix"),
    ],
)
@pytest.mark.filterwarnings("ignore::rosenblatt.errors.DoubtfulDataWarning")  # each word gives the label away
def test_rows_of_another_kind_are_refused(learned: str, predicted: str, sentence: str) -> None:
    table, labels = frame(100)
    is_leaving = (labels == "leaves").to_numpy()
    rows = {
        "table": table,
        "texts": np.where(is_leaving, "a b c", "d e f"),
        "matrix": np.eye(2)[is_leaving.astype(int)],
    }
    separator = LinearSeparator().fit(rows[learned], labels)
    with pytest.raises(DataError, match=sentence):
        separator.predict(rows[predicted])


def test_bad_rows_are_named() -> None:
    table, labels = frame(50)
    table.loc[31, "balance"] = np.inf
    with pytest.raises(DataError, match=r"X, row 31 \(from 0\): column 'balance' holds a number beyond"):
        LinearSeparator().fit(table, labels)
    with pytest.raises(DataError, match="X contains NaN at row 3, column 1"):
        LinearSeparator().fit([[0, 1], [1, 1], [0, 0], [1, np.nan]], [0, 1, 0, 1])
    with pytest.raises(DataError, match="Two columns of X are named 'age'"):
        LinearSeparator().fit(table.rename(columns={"balance": "age"}), labels)
    with pytest.raises(DataError, match="X has 0 rows and 5 columns: it needs at least one of each"):
        LinearSeparator().fit(table.head(0), [])
    with pytest.raises(ParameterError, match="The 'rule' parameter of LinearSeparator must be"):
        LinearSeparator(rule="svm").fit(table, labels)


def test_numbers_among_words_are_words() -> None:
    table, labels = frame()
    mixed = table.assign(age=["old", *(table["age"] // 30)[1:]])
    columns = LinearSeparator().fit(mixed, labels).model_.space.columns
    assert {"age=old", "age=0", "age=1", "age=2"} <= set(columns)


def test_a_worthless_model_warns() -> None:
    rng = np.random.default_rng(0)
    with pytest.warns(WorthlessModelWarning, match="no better than|decides"):
        LinearSeparator().fit(rng.normal(size=(300, 2)), rng.random(300) < 0.1)


def test_doubtful_data_warn() -> None:
    table, labels = frame()
    with pytest.warns(DoubtfulDataWarning, match="The column 'code' alone tells the label of 100.0% of the examples"):
        LinearSeparator().fit(table.assign(code=np.where(labels == "stays", "x", "y")), labels)
    rare = labels.where(np.arange(len(labels)) >= 4, "unknown")
    with pytest.warns(DoubtfulDataWarning, match="The class 'unknown' has 4 examples"):
        LinearSeparator().fit(table, rare)


def test_probabilities_are_those_of_the_command_line(tmp_path: Path) -> None:
    table, labels = frame()
    separator = LinearSeparator().fit(table, labels)
    chances = separator.predict_proba(table)
    assert np.allclose(chances.sum(axis=1), 1)
    assert np.allclose(np.exp(separator.predict_log_proba(table)), chances)
    table.assign(churn=labels).to_csv(tmp_path / "t.csv", index=False)
    save(fit_file(tmp_path / "t.csv"), tmp_path / "m")
    assert (load(tmp_path / "m").predict_proba(table) == chances).all()
    assert log_loss(labels, chances) < log_loss(labels, np.full(chances.shape, 0.5)) / 2


# -- scikit-learn's ways ----------------------------------------------------------------------------------------------


def test_a_threshold_is_used() -> None:
    table, labels = frame()
    plain, eager = (LinearSeparator(threshold=threshold).fit(table, labels) for threshold in (None, 0.1))
    chances = eager.predict_proba(table)[:, 1]
    assert ((eager.predict(table) == "stays") == (chances > 0.1)).all()
    assert (eager.predict(table) == "stays").sum() > (plain.predict(table) == "stays").sum()


def test_cross_validation_and_pickle() -> None:
    table, labels = frame()
    separator = LinearSeparator()
    assert cross_val_score(separator, table, labels, cv=3).mean() > 0.8
    with pytest.raises(NotFittedError):
        separator.predict(table)
    separator.fit(table, labels)
    again = pickle.loads(pickle.dumps(separator))
    assert bits(again) == bits(separator)
    assert (again.predict(table) == separator.predict(table)).all()
    assert not hasattr(clone(separator), "model_")


def test_partial_fit_goes_on_in_one_pass() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    once = LinearSeparator(rule="arow", passes=1, scale=False).fit(X, y)
    parts = LinearSeparator(rule="arow", scale=False)
    for rows in (slice(0, 200), slice(200, 201), slice(201, None)):
        parts.partial_fit(X[rows], y[rows], classes=[0, 1])
    assert bits(parts) == bits(once)
    assert (parts.predict(X) == once.predict(X)).all()
    with pytest.raises(DataError, match="the label 2 at row 0, which is not among the classes"):
        parts.partial_fit(X[:1], [2])
    table, labels = frame()
    separator = LinearSeparator(rule="arow", passes=1).fit(table[:400], labels[:400])
    before = separator.t_
    assert separator.partial_fit(table[400:], labels[400:]).t_ == before + ROWS - 400


# -- model files ------------------------------------------------------------------------------------------------------


def test_a_model_of_the_command_line_reads_raw_rows(tmp_path: Path) -> None:
    table, labels = frame()
    table.assign(churn=labels).to_csv(tmp_path / "t.csv", index=False)
    save(fit_file(tmp_path / "t.csv"), tmp_path / "m")
    loaded = load(tmp_path / "m")
    assert type(loaded) is LinearSeparator
    learned = LinearSeparator().fit(table, labels)
    assert (loaded.decision_function(table) == learned.decision_function(table)).all()
    assert loaded.predict(table).tolist() == learned.predict(table).tolist()
    assert loaded.score(table, labels) > 0.8
    features, _ = read(tmp_path / "t.csv", like=loaded)
    assert (loaded.decision_function(features) == learned.decision_function(table)).all()
    save(loaded, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def test_the_command_line_reads_a_separator(tmp_path: Path) -> None:
    table, labels = frame()
    separator = LinearSeparator(drop=("since",), random_state=3).fit(table, labels)
    save(separator, tmp_path / "m")
    table.to_csv(tmp_path / "t.csv", index=False)
    line = [sys.executable, "-m", "rosenblatt", "predict", str(tmp_path / "m"), str(tmp_path / "t.csv")]
    predicted = run_child(line, capture_output=True, text=True, check=True, timeout=60).stdout.split()
    assert predicted == separator.predict(table).tolist()
    loaded = load(tmp_path / "m")
    assert loaded.get_params() == separator.get_params()
    assert loaded.feature_names_in_.tolist() == list(table.columns)
    assert bits(loaded) == bits(separator)
    more, more_labels = frame(seed=1)
    assert bits(loaded.partial_fit(more, more_labels)) == bits(separator.partial_fit(more, more_labels))


def test_a_model_of_texts_reads_texts(tmp_path: Path) -> None:
    texts, labels = ["buy now", "at noon"] * 20, ["spam", "ham"] * 20
    (tmp_path / "t.tsv").write_text("".join(f"{b}\t{a}\n" for a, b in zip(texts, labels, strict=True)))
    reading = ReadOptions(format="text", bits=12)
    save(fit_file(tmp_path / "t.tsv", reading=reading), tmp_path / "m")
    loaded = load(tmp_path / "m")
    assert loaded.predict(["now!", "noon"]).tolist() == ["spam", "ham"]
    features, y = read(tmp_path / "t.tsv", like=loaded, format="text")
    assert loaded.predict(features).tolist() == list(y) == labels
    assert (loaded.decision_function(features) == loaded.decision_function(texts)).all()


def test_examples_are_shown_in_one_line(tmp_path: Path) -> None:
    table, labels = frame()
    table.assign(churn=labels).to_csv(tmp_path / "t.csv", index=False)
    examples = read(tmp_path / "t.csv")
    assert repr(examples) == f"Examples(600 rows, {examples.X.shape[1]:,} columns, 2 classes)"


def test_numbers_in_a_file_are_labels(tmp_path: Path) -> None:
    """As they are in memory; LinearPredictor predicts numbers."""

    def fitted(first: float) -> LinearSeparator:
        rows = [f"{k % 7},{k % 9},{first + 100 * (k % 45):g}\n" for k in range(600)]
        (tmp_path / "prices.csv").write_text("a,b,price\n" + "".join(rows))
        return LinearSeparator(passes=1).fit(tmp_path / "prices.csv", "price")

    separator = fitted(100)
    assert len(separator.classes_) == 45
    assert set(separator.predict([{"a": 3, "b": 3}]).tolist()) <= set(separator.classes_.tolist())
    with pytest.raises(DataError, match=r"has 45 different numbers as labels, .*looks like a quantity"):
        fitted(100.5)
