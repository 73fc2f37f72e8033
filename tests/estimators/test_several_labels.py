"""LinearSeparator(multi_label=True): y as scikit-learn's users have it, the weights of the command line."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics import accuracy_score
from sklearn.model_selection import cross_val_score

from rosenblatt import LinearSeparator, load, save
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.model.fit_file import fit_file
from rosenblatt.readers.source import ReadOptions
from tests.readers.table.test_label_cells import TAGS, fit, table, write


def matrix(n: int = 200) -> tuple[Any, Any]:
    draw = np.random.default_rng(0)
    X = draw.normal(size=(n, 6)).round(2)
    return X, (X[:, :3] + 0.3 * draw.normal(size=(n, 3)) > 0.4).astype(int)


def test_indicators_in_indicators_out() -> None:
    X, Y = matrix()
    separator = LinearSeparator(multi_label=True).fit(X, Y)
    predicted = separator.predict(X)
    assert predicted.shape == Y.shape
    assert separator.classes_.tolist() == [0, 1, 2]
    assert accuracy_score(Y, predicted) == separator.score(X, Y) > 0.6
    probabilities = separator.predict_proba(X)
    assert probabilities.shape == Y.shape
    assert separator.decision_function(X).shape == Y.shape
    assert np.array_equal(predicted, (probabilities > 0.5).astype(int))
    assert separator.predict_labels(X)[0] == tuple(np.flatnonzero(predicted[0]).tolist())
    for other in (csr_matrix(Y), Y.astype(bool), Y.tolist(), [np.flatnonzero(row).tolist() for row in Y]):
        again = LinearSeparator(multi_label=True).fit(X, other)
        assert np.array_equal(again.predict(X), predicted)
    assert cross_val_score(LinearSeparator(multi_label=True), X, Y, cv=3).mean() > 0.5
    assert np.array_equal(pickle.loads(pickle.dumps(separator)).predict(X), predicted)
    of_one_label = LinearSeparator().fit(X, Y[:, 0])
    decided = of_one_label.predict(X)  # after which it has weights laid out to score
    assert np.array_equal(pickle.loads(pickle.dumps(of_one_label)).predict(X), decided)


def test_columns_of_a_frame_keep_their_order(tmp_path: Path) -> None:
    X, Y = matrix()
    frame = pd.DataFrame(Y, columns=["zebra", "ape", "mouse"])
    separator = LinearSeparator(multi_label=True).fit(X, frame)
    assert separator.classes_.tolist() == ["zebra", "ape", "mouse"]
    plain = LinearSeparator(multi_label=True).fit(X, Y)
    assert np.array_equal(separator.predict(X), plain.predict(X))
    assert separator.predict_proba(X) == pytest.approx(plain.predict_proba(X))
    assert separator.score(X, frame) == plain.score(X, Y)
    save(separator, tmp_path / "m.model")
    loaded = load(tmp_path / "m.model")
    assert loaded.classes_.tolist() == ["ape", "mouse", "zebra"]
    assert np.array_equal(loaded.predict(X)[:, [2, 0, 1]], separator.predict(X))


def test_the_same_weights_as_a_file(tmp_path: Path) -> None:
    rows = table()
    of_file = fit(write(tmp_path, "jsonl", rows)).model
    frame = pd.DataFrame({"size": rows["size"], "colour": rows["colour"]})
    separator = LinearSeparator(rule="arow", passes=1, order="given", multi_label=True).fit(frame, rows["tags"])
    assert separator.classes_.tolist() == list(TAGS)
    assert separator.model_.coef.tobytes() == of_file.coef.tobytes()
    path = write(tmp_path, "columns", rows)
    by_path = LinearSeparator(rule="arow", passes=1, order="given", multi_label=True).fit(path, ",".join(TAGS))
    assert by_path.model_.coef.tobytes() == of_file.coef.tobytes()
    assert by_path.predict_labels(frame) == separator.predict_labels(frame)


def test_texts(tmp_path: Path) -> None:
    texts = ["cheap pills now", "the meeting is at noon", "cheap flights at noon", "nothing to say here"] * 20
    labels = [{"spam"}, {"work"}, {"spam", "travel"}, set()] * 20
    separator = LinearSeparator(multi_label=True, rule="arow", passes=3, order="given").fit(texts, labels)
    assert separator.predict_labels(texts[:4]) == [("spam",), ("work",), ("spam", "travel"), ()]
    file = tmp_path / "a.tsv"
    lines = ["|".join(sorted(row)) + "\t" + text for row, text in zip(labels, texts, strict=True)]
    file.write_text("\n".join(lines) + "\n")
    reading = ReadOptions(multi_label=True)
    of_file = fit_file(str(file), rule="arow", passes=3, order="given", reading=reading).model
    assert separator.model_.coef.tobytes() == of_file.coef.tobytes()


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        ([0, 1] * 100, "y holds one value per row"),
        (np.full((200, 2), 2), "values other than 0 and 1"),
        ([[]] * 200, "y has no label"),
        ([["a"], [1]] * 100, "labels of several types"),
        (np.zeros((3, 2)), "X has 200 rows, and y has 3"),
        ("label", "no column 'label'"),
    ],
)
def test_refused_labels(y: Any, sentence: str) -> None:
    X, _ = matrix()
    with pytest.raises((DataError, ParameterError), match=sentence):
        LinearSeparator(multi_label=True).fit(pd.DataFrame(X) if isinstance(y, str) else X, y)


def test_what_is_for_one_label_a_row() -> None:
    X, Y = matrix()
    with pytest.raises(ParameterError, match="partial_fit learns one label per row"):
        LinearSeparator(multi_label=True).partial_fit(X, Y)
    with pytest.raises(ParameterError, match="class_weight"):
        LinearSeparator(multi_label=True, class_weight="balanced").fit(X, Y)
    with pytest.raises(ParameterError, match="use predict"):
        LinearSeparator().fit(X, Y[:, 0]).predict_labels(X)
