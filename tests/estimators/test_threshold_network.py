"""ThresholdNetwork: built, and learned to zero error by the Upstart algorithm: E4, E5, E6."""

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import ThresholdNetwork, logic, options
from rosenblatt.errors import DataError, ParameterError
from tests.slow_twins import logic as reference


@parametrize_with_checks([ThresholdNetwork()])
def test_estimator_checks(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


def assert_grew_well(model: ThresholdNetwork) -> None:
    """On Boolean rows every unit reduces the errors; `growth_` lists the units of the network."""
    errors = [step.errors for step in model.growth_]
    assert all(later < earlier for earlier, later in pairwise(errors))
    assert sorted(step.unit for step in model.growth_) == sorted(unit.name for unit in model.network_.units)
    assert {step.unit: step.layer for step in model.growth_} == {u.name: u.layer for u in model.network_.units}


@pytest.mark.parametrize("n", range(1, 9))
@pytest.mark.parametrize("share", [0.5, 0.1])
def test_random_truth_tables_are_learned_to_zero_error(n: int, share: float) -> None:
    X = np.array(reference.rows(n), dtype=float)
    y = (np.random.default_rng(n).random(2**n) < share).astype(int)
    y[:2] = 0, 1
    model = ThresholdNetwork(max_iter=30).fit(X, y)
    assert model.status_ == "separated"
    assert np.array_equal(model.predict(X), y)
    assert model.growth_[-1].errors == 0
    assert_grew_well(model)
    network = model.network_
    for row in reference.rows(n)[:: max(1, 2**n // 16)]:
        assert reference.run_network(network, row) == model.predict([row])[0]


@pytest.mark.parametrize("values", [(0, 1), (-1, 1), (0.25, 7)])
def test_one_epoch_a_unit_is_enough_for_any_two_values(values: tuple[float, float]) -> None:
    X = np.where(np.array(reference.rows(6)) == 1, values[1], values[0])
    y = np.random.default_rng(0).integers(0, 2, size=64)
    model = ThresholdNetwork(max_iter=1).fit(X, y)
    assert model.status_ == "separated"
    assert np.array_equal(model.predict(X), y)


def test_e6_xor_parity_and_wraparound_are_learned() -> None:
    for limit, most in ((logic.xor(), 2), (logic.parity(5), 12), (logic.wraparound_limit("1101", "1011", 8), 8)):
        X, y = limit
        model = ThresholdNetwork().fit(X, y)
        assert np.array_equal(model.predict(X), y)
        assert model.n_units_ <= most
        assert_grew_well(model)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_any_different_rows_are_learned(d: int) -> None:
    draw = np.random.default_rng(d)
    X, y = draw.normal(size=(150, d)), draw.integers(0, 3, size=150)
    model = ThresholdNetwork(max_iter=10).fit(X, y)
    assert model.status_ == "separated"
    assert np.array_equal(model.predict(X), y)
    assert np.array_equal(model.predict(X), np.concatenate([model.predict(X[:7]), model.predict(X[7:])]))


def test_classes_by_name_and_columns_by_name() -> None:
    data = load_iris(as_frame=True)
    names = data.target.map(dict(enumerate(data.target_names)))
    model = ThresholdNetwork().fit(data.data, names)
    assert model.score(data.data, names) == 1.0
    assert model.decision_function(data.data).shape == (150, 3)
    assert model.network_.inputs == tuple(data.data.columns)
    assert len(model.network_.outputs) == 3


def test_the_budget_is_kept_and_reported() -> None:
    X = np.array(reference.rows(7))
    y = np.random.default_rng(0).integers(0, 2, size=128)
    full = ThresholdNetwork().fit(X, y)
    last = 1.0
    for max_units in (1, 3, full.n_units_ - 1):
        model = ThresholdNetwork(max_units=max_units).fit(X, y)
        assert model.n_units_ <= max_units
        assert model.status_ == "budget"
        errors = (model.predict(X) != y).sum()
        assert 0 < errors <= model.growth_[-1].errors
        assert errors / len(y) < last
        last = errors / len(y)


def test_the_same_seed_gives_the_same_network() -> None:
    X, y = np.array(reference.rows(6)), np.random.default_rng(1).integers(0, 2, size=64)
    first, second = ThresholdNetwork(random_state=3).fit(X, y), ThresholdNetwork(random_state=3).fit(X, y)
    assert first.network_ == second.network_
    assert first.growth_ == second.growth_
    assert ThresholdNetwork(random_state=4).fit(X, y).network_ != first.network_


def test_sparse_rows_give_the_same_network() -> None:
    X, y = np.array(reference.rows(6), dtype=float), np.random.default_rng(2).integers(0, 2, size=64)
    dense, sparse = ThresholdNetwork().fit(X, y), ThresholdNetwork().fit(csr_matrix(X), y)
    assert np.array_equal(sparse.predict(csr_matrix(X)), y)
    assert dense.network_ == sparse.network_


@pytest.mark.parametrize("convert", [np.array, csr_matrix, pd.DataFrame])
def test_contradictions_are_refused_with_both_rows(convert: Any) -> None:
    X = convert(np.array([[0, 1], [1, 0], [0, 1], [1, 1]]))
    model = ThresholdNetwork()
    with pytest.raises(DataError, match="Rows 0 and 2 of X are equal, but their labels are 'no' and 'yes'"):
        model.fit(X, ["no", "no", "yes", "yes"])
    assert vars(model) == vars(ThresholdNetwork())


@pytest.mark.parametrize("convert", [np.array, csr_matrix])
def test_contradictions_of_other_numbers_are_left_out_and_named(convert: Any) -> None:
    X, y = np.array([[0.5, 1], [2, 0], [0.5, 1], [3, 3], [0.5, 1]]), np.array([0, 0, 1, 1, 1])
    model = ThresholdNetwork().fit(convert(X), y)
    assert model.contradictions_.tolist() == [0]
    assert model.status_ == "budget"
    assert model.predict(convert(X)).tolist() == [1, 0, 1, 1, 1]


def test_minus_zero_is_zero() -> None:
    with pytest.raises(DataError, match="Rows 0 and 1"):
        ThresholdNetwork().fit([[0.0], [-0.0], [1.0]], [0, 1, 1])


# ---------------------------------------------------------------------------------------------- built


def test_from_an_expression() -> None:
    a, b, c = logic.variables("a b c")
    X = np.array(reference.rows(3))
    for expression in ((a ^ b) & ~c, a & ~a | b & c, logic.at_least(2, a, b, ~c)):
        model = ThresholdNetwork.from_expression(expression)
        assert np.array_equal(model.predict(X), expression.evaluate(X).astype(int))
        assert model.status_ == "separated"
    assert ThresholdNetwork.from_expression("a & ~b").n_units_ == 1
    assert ThresholdNetwork.from_expression("~(a & b) & (a | b)").layers_ == [["u1", "u2"], ["u3"]]
    assert ThresholdNetwork.from_expression("a").predict([[0], [1]]).tolist() == [0, 1]


@pytest.mark.parametrize("table", ["0110", "0001", "01101001", "0000", [1, 0, 0, 1]])
def test_from_a_truth_table(table: Any) -> None:
    model = ThresholdNetwork.from_truth_table(table)
    n = len(table).bit_length() - 1
    assert model.predict(reference.rows(n)).tolist() == [int(value) for value in table]
    assert model.n_units_ <= 2
    assert model.n_features_in_ == n


def test_what_cannot_be_built() -> None:
    with pytest.raises(ParameterError, match="no variables"):
        ThresholdNetwork.from_expression("true")
    with pytest.raises(ParameterError, match="or its text"):
        ThresholdNetwork.from_expression(3)
    with pytest.raises(DataError, match="2, 4, 8"):
        ThresholdNetwork.from_truth_table("010")


def test_units_and_layers_before_fitting() -> None:
    for name in ("n_units_", "layers_", "network_"):
        with pytest.raises(NotFittedError, match="from_truth_table"):
            getattr(ThresholdNetwork(), name)


@pytest.mark.parametrize(
    ("name", "value"), [("max_units", 0), ("max_iter", 0), ("max_units", 1.5), ("random_state", "x")]
)
def test_bad_parameters(name: str, value: Any) -> None:
    with pytest.raises(ParameterError, match=name):
        ThresholdNetwork(**{name: value}).fit([[0], [1]], [0, 1])


def test_every_parameter_has_its_option() -> None:
    for option in options.THRESHOLD_NETWORK.values():
        assert option.help in (ThresholdNetwork.__doc__ or "")
    defaults = ThresholdNetwork().get_params()
    assert {name: option.default for name, option in options.THRESHOLD_NETWORK.items()} == defaults


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_networks_are_drawn(theme: str, tmp_path: Any) -> None:
    from rosenblatt.report.figures import plot_network

    for source in (logic.parse("a ^ b"), logic.parity(4).network, ThresholdNetwork().fit(*logic.xor())):
        figure = plot_network(source, theme=theme)
        figure.savefig(tmp_path / "network.png")
        words = {text.get_text() for text in figure.axes[0].texts}
        network = getattr(source, "network_", getattr(source, "network", source))
        assert set(network.inputs) <= words
        assert {f"> {unit.threshold:g}".replace("-", "\N{MINUS SIGN}") for unit in network.units} <= words
    with pytest.raises(ParameterError, match="plot_network draws"):
        plot_network(3)
