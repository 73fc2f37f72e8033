"""Products of columns, computed row by row in native code: the same bits as expanding the table first."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.preprocessing import PolynomialFeatures

from rosenblatt import Adaline, LogisticUnit, Perceptron, load, save
from rosenblatt.cli import main
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.learn import polynomial
from rosenblatt.learn.files.holdout import held_out
from rosenblatt.learn.polynomial import MAX_PRODUCTS, columns_of, count, expand, names, products_of
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.model_file import load_linear_model, save_model
from rosenblatt.model.predict import predict_file
from rosenblatt.readers.source import ReadOptions
from tests.agree import bits, real_numbers, run_of, whole_numbers


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_are_those_of_scikit_learn(degree: int, dtype: Any) -> None:
    X = np.random.default_rng(0).normal(size=(9, 4)).astype(dtype)
    twin = PolynomialFeatures(degree, include_bias=False).fit(X)
    assert count(4, degree) == twin.n_output_features_
    assert (expand(X, degree) == twin.transform(X)).all()
    assert (expand(np.asfortranarray(X)[::2], degree) == twin.transform(X[::2])).all()
    if dtype is np.float64:
        assert all((products_of(row, degree) == expand(row[None], degree)[0]).all() for row in X)
    assert list(names(["x0", "x1", "x2", "x3"], degree)) == twin.get_feature_names_out().tolist()
    assert columns_of(count(4, degree), degree) == 4


@pytest.mark.parametrize(
    "model",
    [
        Perceptron(),
        Perceptron(learning_rate="arow", multi_class="joint"),
        Perceptron(keep="vote"),
        Perceptron(keep="pocket", multi_class="ovo"),
        Perceptron(early_stopping=True, n_iter_no_change=2),
        LogisticUnit(learning_rate="adagrad"),
        Adaline(batch=7),
    ],
    ids=str,
)
@pytest.mark.parametrize("degree", [2, 3])
def test_a_run_on_products_is_the_run_on_the_written_out_table(model: Any, degree: int) -> None:
    X, y = real_numbers(60, 5, 3, 1)
    expanded = PolynomialFeatures(degree, include_bias=False).fit_transform(X)
    lazy = clone(model).set_params(degree=degree, max_iter=5).fit(X, y)
    eager = clone(model).set_params(max_iter=5).fit(expanded, y)
    assert run_of(lazy) == run_of(eager)
    assert bits(lazy.coef_) == bits(eager.coef_)
    assert bits(lazy.decision_function(X)) == bits(eager.decision_function(expanded))
    assert lazy.n_features_in_ == 5


def test_streaming_and_layouts_give_the_same_bits() -> None:
    X, y = real_numbers(40, 6, 2, 2)
    batch = Perceptron(degree=2, order="given", max_iter=1, keep="last").fit(X, y)
    parts = Perceptron(degree=2, keep="last")
    for i in range(40):
        parts.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
    assert bits(parts.coef_) == bits(batch.coef_)
    fortran = Perceptron(degree=2, order="given", max_iter=1, keep="last").fit(np.asfortranarray(X), y)
    assert bits(fortran.coef_) == bits(batch.coef_)


def test_a_saved_model_makes_its_products_again(tmp_path: Any) -> None:
    X, y = real_numbers(40, 6, 3, 2)
    model = Perceptron(degree=2).fit(X, y)
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert bits(loaded.decision_function(X)) == bits(model.decision_function(X))
    assert (loaded.n_features_in_, loaded.degree) == (6, 2)


def test_ellipses_are_learned() -> None:
    X, _ = whole_numbers(200, 2, 2, 0)
    y = (X[:, 0] ** 2 + 2 * X[:, 1] ** 2 > 8).astype(int)
    assert Perceptron(degree=2, keep="last", max_iter=500).fit(X, y).status_ == "separated"
    assert Perceptron(keep="last", max_iter=50).fit(X, y).status_ == "budget"


def test_too_many_products_are_refused_with_their_number() -> None:
    X, y = real_numbers(20, 30, 2, 0)
    with pytest.raises(ParameterError, match=r"degree=50 makes 8,871,412,534,840,453,463,007 features of 30") as caught:
        Perceptron(degree=50).fit(X, y)
    assert f"{MAX_PRODUCTS:,}" in str(caught.value)
    assert Perceptron(degree=50, max_iter=2).fit(X[:, :1], y).coef_.shape == (1, 50)


def test_sparse_rows_overflow_and_traces_are_refused() -> None:
    X, y = real_numbers(20, 3, 2, 0)
    with pytest.raises(DataError, match="is sparse"):
        Perceptron(degree=2).fit(sp.csr_array(X), y)
    with pytest.raises(DataError, match="Products of 5 values of X overflow"):
        Perceptron(degree=5).fit(X * 1e80, y)
    with pytest.raises(DataError, match="contains NaN at row 3, column 1"):
        Perceptron(degree=2).fit(np.where(np.arange(60).reshape(20, 3) == 10, np.nan, X), y)
    with pytest.raises(ParameterError, match="degree=2 with record=True"):
        Perceptron(degree=2, record=True).fit(X, y)


def test_a_table_is_learned_on_its_products_as_it_streams(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3)).round(3)
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    file = tmp_path / "product.csv"
    file.write_text("a,b,c,label\n" + "".join(f"{r[0]},{r[1]},{r[2]},{t}\n" for r, t in zip(X, y, strict=True)))
    as_written = ReadOptions(scale=False)
    plain, products = (
        fit_file(file, rule="arow", passes=3, holdout=0.2, features=degree, reading=as_written)
        for degree in (None, "poly2")
    )
    assert plain.holdout_error is not None
    assert products.holdout_error is not None
    assert products.holdout_error < 0.1 < plain.holdout_error
    assert products.model.name(int(np.abs(products.model.coef[0]).argmax())) == "a b"
    learned = ~held_out(0, 600, 0.2, 0)
    settings = products.model.settings
    memory = Perceptron(degree=2, order="given", keep="last", learning_rate="arow", r=settings.r, max_iter=3).fit(
        X[learned], y[learned]
    )
    assert memory.coef_.tobytes() == products.model.coef.tobytes()
    save_model(products.model, tmp_path / "m")
    loaded = load_linear_model(tmp_path / "m")
    decided = np.concatenate([part.decided for part in predict_file(loaded, file)])
    assert np.array_equal(decided, memory.predict(X))


@given(st.integers(1, 6), st.integers(1, 4))
def test_places_and_lengths_of_products(columns: int, degree: int) -> None:
    listed = list(polynomial.names([f"x{i}" for i in range(columns)], degree))
    products = [polynomial.product_at(place, columns, degree) for place in range(len(listed))]
    assert [polynomial.product_name([f"x{i}" for i in product]) for product in products] == listed
    values = np.random.default_rng(columns).normal(size=(4, columns))
    squares = np.square(polynomial.expand(values, degree)).sum(axis=1)
    np.testing.assert_allclose(polynomial.squared_length(values, degree), squares)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.csv", "age,city,y\n1,Bonn,0\n2,Ulm,1\n" * 3, "'city' hold words: leave them out with --drop city"),
        ("t.tsv", "ham\tsee you\nspam\tbuy it\n" * 3, "these rows are sparse: leave --features out"),
        ("t.svm", "0 1:1\n1 2:1\n" * 3, "these rows are sparse: leave --features out"),
    ],
)
def test_products_of_sparse_rows_are_refused_with_the_name_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    arguments = ["fit", str(tmp_path / name), "--features", "poly2", "-q", "-o", str(tmp_path / "m.model")]
    assert main([*arguments, "--format", "text"] if name == "t.tsv" else arguments) == 3
    error = capsys.readouterr().err
    assert f"{name}: --features poly2 makes products of" in error
    assert message in error
    assert not (tmp_path / "m.model").exists()
