"""Every parameter accepts what it says, refuses the rest with one sentence, and is described once."""

import math
import sys
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import options
from rosenblatt.errors import ParameterError
from rosenblatt.options import ADALINE, LEARNER, LOGISTIC_UNIT, PERCEPTRON, Option, check, check_together
from tests import child

TABLES = {"LEARNER": LEARNER, "PERCEPTRON": PERCEPTRON, "LOGISTIC_UNIT": LOGISTIC_UNIT, "ADALINE": ADALINE}
each_option = pytest.mark.parametrize("option", LEARNER.values(), ids=LEARNER)
each_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)

ACCEPTED: dict[str, list[object]] = {
    "loss": ["perceptron", "hinge", "logistic", "squared", np.str_("hinge")],
    "margin": [0, 0.0, 1, 0.5, np.float32(0.5), np.int64(2), Fraction(1, 3)],
    "eta0": [1, 1e-300, np.float64(0.1)],
    "learning_rate": ["constant", "inverse", "invsqrt", "adagrad", "pa1", "pa2", "arow"],
    "r": [1, 0.1],
    "alpha": [0, 1e-4, 2],
    "l1": [0, 1e-4, 2],
    "forget": [0, 1, 2.5, 1e9],
    "keep": ["last", "average", "vote", "pocket"],
    "batch": [1, 32, np.int32(7), "full"],
    "order": ["given", "shuffle", "sample"],
    "max_iter": [1, 10**6, np.uint8(3), 2**63 - 1],
    "fit_intercept": [True, False, np.bool_(True)],
    "degree": [1, 50, np.int64(2)],
    "init": ["zeros", "random", [0.0, 1.0], (1, 2), [[1.0], [2.0]], np.zeros(3)],
    "multi_class": ["ovr", "ovo", "joint"],
    "class_weight": [None, "balanced", {}, {0: 1, 1: 0.5}, {"spam": np.float64(3.0), "ham": 0}],
    "early_stopping": [True, False],
    "validation_fraction": [0.1, 0.5, np.float32(0.9)],
    "n_iter_no_change": [1, 5],
    "warm_start": [True, False],
    "record": [True, False],
    "n_jobs": [None, 1, 8, -1, np.int64(2)],
    "random_state": [None, 0, -1, 2**70, np.uint64(5), np.random.RandomState(0), np.random.default_rng(0)],
}
NO_FLOAT: list[object] = [
    math.nan,
    math.inf,
    -math.inf,
    10**400,
    True,
    np.bool_(True),
    "1",
    None,
    1j,
    [1.0],
    np.ones(1),
]
NO_INT: list[object] = [1.0, np.float64(1.0), True, np.bool_(True), "1", [1], math.nan, 2**63]
NO_CHOICE: list[object] = ["", "Constant", "constant ", b"constant", 0, True, None, ["last"], np.array(["last"])]
NO_BOOL: list[object] = [0, 1, 1.0, "True", None, [], np.array(True)]
REFUSED: dict[str, list[object]] = {
    "loss": [*NO_CHOICE, "zero_one"],
    "margin": [*NO_FLOAT, -1, -1e-300],
    "eta0": [*NO_FLOAT, 0, -0.0, -1, Fraction(1, 10**400)],
    "learning_rate": NO_CHOICE,
    "r": [*NO_FLOAT, 0, -1],
    "alpha": [*NO_FLOAT, -1],
    "l1": [*NO_FLOAT, -1],
    "forget": [*NO_FLOAT, -1],
    "keep": NO_CHOICE,
    "batch": [*NO_INT, 0, -1, None, "all", np.array(["full"])],
    "order": NO_CHOICE,
    "max_iter": [*NO_INT, 0, -1, None, np.array(3)],
    "fit_intercept": NO_BOOL,
    "degree": [*NO_INT, 0, None],
    "init": ["ones", None, 0, 1.0, np.float64(1.0), True, b"zeros", {}],
    "multi_class": NO_CHOICE,
    "class_weight": ["even", 1, [1, 2], {0: -1}, {0: math.nan}, {0: math.inf}, {0: "1"}, {0: True}, {0: None}],
    "early_stopping": NO_BOOL,
    "validation_fraction": [*NO_FLOAT, 0, 1, 0.0, 1.0, -0.1, 2],
    "n_iter_no_change": [*NO_INT, 0, None],
    "warm_start": NO_BOOL,
    "record": NO_BOOL,
    "n_jobs": [*NO_INT, 0, 1025, 2**31 - 1],
    "random_state": [1.0, "0", True, np.bool_(False), [1], math.nan],
}
ACCEPTED_CASES = [(name, value) for name, values in ACCEPTED.items() for value in values]
REFUSED_CASES = [(name, value) for name, values in REFUSED.items() for value in values]


def refusal(name: str, value: object, table: Mapping[str, Option[Any]] = LEARNER) -> str:
    with pytest.raises(ParameterError) as caught:
        check("Perceptron", {name: value}, table)
    return str(caught.value)


@pytest.mark.parametrize(("name", "value"), ACCEPTED_CASES)
def test_accepts(name: str, value: object) -> None:
    check("Perceptron", {name: value}, LEARNER)


@pytest.mark.parametrize(("name", "value"), REFUSED_CASES)
def test_refuses_in_one_sentence(name: str, value: object) -> None:
    sentence = refusal(name, value)
    assert sentence.startswith(f"The {name!r} parameter of Perceptron must be {LEARNER[name].expected}. Got ")
    assert sentence.endswith(" instead.")
    assert "\n" not in sentence


def test_every_option_is_tried_both_ways() -> None:
    assert set(ACCEPTED) == set(REFUSED) == set(LEARNER)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("eta0", -1, "The 'eta0' parameter of Perceptron must be a float greater than 0. Got -1 instead."),
        ("margin", math.inf, "must be a float of at least 0. Got inf (not finite) instead."),
        ("max_iter", 2**63, "must be an int of at least 1. Got 9223372036854775808 (more than 64 bits) instead."),
        ("keep", "best", "must be 'last', 'average', 'vote' or 'pocket'. Got 'best' instead."),
        ("batch", "all", "must be 'full' or an int of at least 1. Got 'all' instead."),
        ("validation_fraction", 1, "must be a float greater than 0 and less than 1. Got 1 instead."),
        ("record", 1, "must be a bool. Got 1 instead."),
        ("n_jobs", 0, "must be None or an int less than 1025 and other than 0. Got 0 instead."),
        ("init", 3, "must be 'zeros', 'random' or an array of weights. Got 3 instead."),
        ("class_weight", {0: -1}, "None, 'balanced' or a dict that gives each class a finite weight of at least 0."),
        ("random_state", "0", "must be None or an int or a numpy RandomState or Generator. Got '0' instead."),
    ],
)
def test_golden_sentences(name: str, value: object, sentence: str) -> None:
    assert sentence in refusal(name, value)


@pytest.mark.parametrize("value", ["x" * 10_000, [0.5] * 10_000, np.zeros((100, 100)), 10**400, {0: "x" * 10_000}])
def test_a_long_value_is_shown_short(value: object) -> None:
    assert len(refusal("margin", value)) < 300


@given(value=st.one_of(st.floats(), st.integers()))
def test_bounds_of_numbers(value: float) -> None:
    finite = isinstance(value, int) or math.isfinite(value)
    assert LEARNER["margin"].accepts(value) == (finite and value >= 0)
    assert LEARNER["eta0"].accepts(value) == (finite and value > 0)
    assert LEARNER["validation_fraction"].accepts(value) == (0 < value < 1)
    assert LEARNER["max_iter"].accepts(value) == (isinstance(value, int) and 1 <= value < 2**63)


@each_table
def test_defaults_are_accepted_alone_and_together(table: Mapping[str, Option[Any]]) -> None:
    defaults = {name: option.default for name, option in table.items()}
    check("Perceptron", defaults, table)
    check_together("Perceptron", defaults)


@each_table
def test_every_choice_is_explained(table: Mapping[str, Option[Any]]) -> None:
    for option in table.values():
        assert option.help.endswith(".")
        assert option.help.count(". ") <= 1
        assert option.help.isascii()
        assert all(choice in option.help for choice in option.choices)
        all_choices = LEARNER[option.name].choices
        assert all(choice not in option.help for choice in set(all_choices) - set(option.choices))


@each_option
def test_an_option_is_found_by_its_name(option: Option[Any]) -> None:
    assert getattr(options, option.name) is option
    assert LEARNER[option.name] is option


def test_tables_and_options_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        LEARNER["eta0"] = options.margin  # type: ignore[index]
    with pytest.raises(AttributeError):
        options.eta0.default = 2.0  # type: ignore[misc]


def test_an_estimator_that_differs_has_a_changed_copy() -> None:
    changed = options.eta0.but(default=0.5, below=2)
    assert (changed.name, changed.default, options.eta0.default) == ("eta0", 0.5, 1.0)
    assert not changed.accepts(2)
    assert options.eta0.accepts(2)


def test_perceptron_has_every_parameter_but_the_loss_and_what_is_for_streams() -> None:
    assert set(PERCEPTRON) == set(LEARNER) - {"loss", "forget"}


@pytest.mark.parametrize("table", [ADALINE, LOGISTIC_UNIT])
def test_smooth_units_have_no_margin_no_votes_and_only_gradient_rates(table: Mapping[str, Option[Any]]) -> None:
    assert set(table) == set(PERCEPTRON) - {"margin", "r"}
    for rate in ("pa1", "pa2", "arow"):
        assert "'constant', 'inverse', 'invsqrt' or 'adagrad'" in refusal("learning_rate", rate, table)
    assert "'last', 'average' or 'pocket'" in refusal("keep", "vote", table)


def test_adaline_and_logistic_unit_defaults() -> None:
    for table in (ADALINE, LOGISTIC_UNIT):
        assert (table["eta0"].default, table["keep"].default, table["max_iter"].default) == (0.1, "last", 100)
        assert table["learning_rate"].default == "adagrad"
    assert "'ovr' or 'ovo'" in refusal("multi_class", "joint", ADALINE)
    assert LOGISTIC_UNIT["multi_class"].accepts("joint")


def test_an_unknown_parameter_is_named_with_those_that_exist() -> None:
    assert refusal("eta", 1.0).startswith("Perceptron has no parameter 'eta'; its parameters are loss, margin, eta0,")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"learning_rate": "pa1", "batch": 2}, "learning_rate='pa1' with batch=2"),
        ({"learning_rate": "pa2", "batch": "full"}, "learning_rate='pa2' with batch='full'"),
        ({"learning_rate": "arow", "batch": 8}, "use batch=1"),
        ({"learning_rate": "arow", "loss": "logistic"}, "the logistic loss"),
        ({"learning_rate": "pa1", "loss": "squared"}, "the squared loss"),
        ({"keep": "vote", "batch": 2}, "keep='vote' with batch=2"),
        ({"keep": "vote", "batch": "full"}, "use batch=1"),
        ({"keep": "vote", "loss": "hinge"}, "keep='vote' with the hinge loss"),
        ({"keep": "vote", "loss": "squared"}, "use the perceptron loss"),
        ({"multi_class": "joint", "loss": "squared"}, "use 'ovr' or 'ovo'"),
    ],
)
def test_combinations_refused(values: dict[str, object], words: str) -> None:
    with pytest.raises(ParameterError) as caught:
        check_together("Perceptron", values)
    sentence = str(caught.value)
    assert sentence.startswith("Perceptron cannot use ")
    assert words in sentence


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"learning_rate": "arow", "keep": "vote", "batch": np.int64(1), "multi_class": "joint"},
        {"learning_rate": "pa1", "loss": "hinge", "margin": 0.5},
        {"learning_rate": "adagrad", "batch": "full", "keep": "pocket"},
        {"multi_class": "joint", "loss": "logistic", "batch": 16},
        {"multi_class": "ovo", "loss": "squared", "batch": "full"},
    ],
)
def test_combinations_accepted(values: dict[str, object]) -> None:
    check_together("Perceptron", values)


def test_reading_the_options_loads_neither_numpy_nor_scikit_learn() -> None:
    program = (
        "import sys; from rosenblatt import options; options.record.check(True, 'Perceptron');"
        "sys.exit(', '.join({'numpy', 'sklearn'} & set(sys.modules)) or 0)"
    )
    process = child.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    assert (process.returncode, process.stderr) == (0, "")
