"""Bad input is refused with one sentence that says what is wrong and where, and no state changes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rosenblatt import Adaline, LogisticUnit, Perceptron
from rosenblatt.errors import RosenblattError

ROWS, FEATURES = 12, 3
GOOD = np.random.default_rng(7).standard_normal((ROWS, FEATURES))
LABELS = np.arange(ROWS) % 2
FRAME = pd.DataFrame(GOOD, columns=["height", "width", "depth"])
NAN, INF = float("nan"), float("inf")
EVERY_UNIT = [Perceptron, Adaline, LogisticUnit]


def facts(model: Any) -> Any:
    """Everything a user can see of what a model has learned."""
    learned = {name: np.asarray(value).tolist() for name, value in vars(model).items() if name.endswith("_")}
    if not hasattr(model, "coef_"):
        return learned
    rows = FRAME if "feature_names_in_" in learned else GOOD
    run = [model.n_iter_, model.t_, model.n_mistakes_, model.mistakes_, model.loss_, model.status_]
    scores = [part.tobytes() for part in (model.coef_, model.intercept_, model.decision_function(rows))]
    return learned, run, scores, model.predict(rows).tolist()


def go_on(model: Any) -> Any:
    rows = FRAME if hasattr(model, "feature_names_in_") else GOOD
    return facts(model.partial_fit(rows, model.classes_[LABELS]))


@contextmanager
def refused(model: Any, *words: str, own: bool = True) -> Iterator[None]:
    """Expect a ValueError with these words; the model must be unchanged, and continue as if nothing had happened.

    With own=False the sentence comes from scikit-learn's validation.
    """
    before, twin = facts(model), deepcopy(model)
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the words are matched below
        yield
    message = str(caught.value)
    assert isinstance(caught.value, RosenblattError) or not own
    assert not own or (message.endswith(".") and "\n" not in message)
    assert [word for word in words if word not in message] == [], message
    assert facts(model) == before
    if hasattr(twin, "coef_"):
        assert go_on(model.set_params(**twin.get_params())) == go_on(twin)


def new(**options: Any) -> Any:
    return Perceptron(**options)


def fitted(**options: Any) -> Any:
    return Perceptron(**options).fit(GOOD, LABELS)


def started(**options: Any) -> Any:
    return Perceptron(**options).partial_fit(GOOD, LABELS, classes=[0, 1])


def warm() -> Any:
    return fitted(warm_start=True, max_iter=2)


LEARNING: dict[str, tuple[Callable[[], Any], Callable[..., Any]]] = {
    "fit": (new, lambda model, *data, **more: model.fit(*data, **more)),
    "fit again": (fitted, lambda model, *data, **more: model.fit(*data, **more)),
    "warm start": (warm, lambda model, *data, **more: model.fit(*data, **more)),
    "first partial_fit": (new, lambda model, *data, **more: model.partial_fit(*data, classes=[0, 1], **more)),
    "partial_fit": (started, lambda model, *data, **more: model.partial_fit(*data, **more)),
}
ENTRANCES = LEARNING | {
    "predict": (fitted, lambda model, X, y: model.predict(X)),
    "decision_function": (started, lambda model, X, y: model.decision_function(X)),
}
every_entrance = pytest.mark.parametrize(("start", "enter"), ENTRANCES.values(), ids=ENTRANCES)
every_learning = pytest.mark.parametrize(("start", "enter"), LEARNING.values(), ids=LEARNING)


def spoiled(value: object, row: int = 5, column: int = 1, X: Any = GOOD) -> Any:
    X = X.copy(order="K")
    X[row, column] = value
    return X


def raw_csr(indptr: Any, indices: Any, values: Any, index: type = np.int32) -> sparse.csr_array:
    """Twelve rows, assembled without scipy's checks."""
    X = sparse.csr_array((len(indptr) - 1, FEATURES))
    X.indptr, X.indices, X.data = np.array(indptr, index), np.array(indices, index), np.array(values, float)
    return X


def csr_faults(index: type) -> dict[str, tuple[Any, list[str]]]:
    starts = list(range(ROWS + 1))
    columns, values = [0] * ROWS, [1.0] * ROWS
    backwards, outside, below = list(starts), list(starts), list(starts)
    backwards[4], outside[-1], below[0] = 2, 40, -1
    far = int(np.iinfo(index).max)
    return {
        "negative column": (raw_csr(starts, [*columns[:-1], -1], values, index), ["Row 11", "negative", "-1"]),
        "column beyond": (raw_csr(starts, [*columns[:-1], 3], values, index), ["Row 11", "index 3", "3 columns"]),
        "column far beyond": (raw_csr(starts, [far, *columns[1:]], values, index), ["Row 0", str(far)]),
        "indptr backwards": (raw_csr(backwards, columns, values, index), ["Row 3", "indptr", "backwards"]),
        "indptr outside": (raw_csr(outside, columns, values, index), ["indptr", "outside", "row 11", "40"]),
        "indptr below zero": (raw_csr(below, columns, values, index), ["indptr", "outside", "row 0"]),
        "data too short": (raw_csr(starts, columns, values[:-1], index), ["indices", "data", "length"]),
        "indices too short": (raw_csr(starts, columns[:-1], values, index), ["indices", "data", "length"]),
    }


NOT_FINITE = {
    "NaN": (spoiled(NAN), ["NaN", "row 5", "column 1"]),
    "infinity": (spoiled(INF), ["infinity", "row 5", "column 1"]),
    "minus infinity": (spoiled(-INF, 0, 0), ["infinity", "row 0", "column 0"]),
    "NaN in the last place": (spoiled(NAN, ROWS - 1, FEATURES - 1), ["NaN", "row 11", "column 2"]),
    "NaN, Fortran": (spoiled(NAN, X=np.asfortranarray(GOOD)), ["NaN", "row 5", "column 1"]),
    "infinity, float32": (spoiled(INF, X=GOOD.astype(np.float32)), ["infinity", "row 5", "column 1"]),
    "NaN, float32 Fortran": (spoiled(NAN, X=np.asfortranarray(GOOD, np.float32)), ["NaN", "row 5", "column 1"]),
    "NaN, every other column": (np.repeat(spoiled(NAN), 2, axis=1)[:, ::2], ["NaN", "row 5", "column 1"]),
    "NaN, CSR": (sparse.csr_array(spoiled(NAN)), ["NaN", "row 5", "column 1"]),
    "infinity, CSR float32": (sparse.csr_matrix(spoiled(INF).astype("f4")), ["infinity", "row 5", "column 1"]),
    "infinity, CSC": (sparse.csc_array(spoiled(-INF)), ["infinity", "row 5", "column 1"]),
    "None": (spoiled(None, X=GOOD.astype(object)), ["NaN", "row 5", "column 1"]),
}
TEXT = {
    "list of lists": (spoiled("tall", X=GOOD.astype(object)).tolist(), ["row 5", "column 1", "'tall'"]),
    "object array": (spoiled("tall", X=GOOD.astype(object)), ["row 5", "column 1", "'tall'"]),
    "bytes": (spoiled(b"tall", X=GOOD.astype(object)), ["row 5", "column 1", "tall"]),
    "array of text": (np.where(spoiled(0.0) == 0, "tall", "1.5"), ["row 5", "column 1", "'tall'"]),
}
CSR_FAULTS = {
    f"{name}, {index.__name__}": fault for index in (np.int32, np.int64) for name, fault in csr_faults(index).items()
}


# -- X --------------------------------------------------------------------------------------------------------------


@every_entrance
@pytest.mark.parametrize("fault", [*NOT_FINITE, *TEXT, *CSR_FAULTS])
def test_a_bad_value_or_index_is_named_with_its_place(start: Any, enter: Any, fault: str) -> None:
    model = start()
    X, words = (NOT_FINITE | TEXT | CSR_FAULTS)[fault]
    with refused(model, *words):
        enter(model, X, LABELS)


@every_entrance
@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.empty((0, FEATURES)), "0 sample"),
        (np.empty((ROWS, 0)), "0 feature"),
        (sparse.csr_array((0, FEATURES)), "0 sample"),
        (GOOD[:, 0], "2D array"),
        (GOOD[None], "dim 3"),
        (3.0, "2D array"),
        (GOOD + 1j, "Complex"),
        ([[1.0, 2.0, 3.0], [1.0]], "inhomogeneous"),
    ],
    ids=["empty", "no columns", "empty CSR", "1-D", "3-D", "a number", "complex", "ragged"],
)
def test_no_table_is_no_examples(start: Any, enter: Any, X: Any, words: str) -> None:
    model = start()
    with refused(model, words, own=False):
        enter(model, X, LABELS)


@pytest.mark.parametrize("width", [FEATURES - 1, FEATURES + 1])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
@pytest.mark.parametrize("entrance", ["predict", "decision_function", "partial_fit", "warm start"])
def test_a_run_keeps_its_number_of_features(entrance: str, layout: Any, width: int) -> None:
    start, enter = ENTRANCES[entrance]
    model = start()
    with refused(model, f"{width}", "3 features", own=False):
        enter(model, layout(np.ones((ROWS, width))), LABELS)


@pytest.mark.parametrize("column", ["height", "depth"])
def test_text_and_gaps_in_a_frame_are_named_with_their_place(column: str) -> None:
    at = FRAME.columns.get_loc(column)
    for model in (new(), Perceptron().fit(FRAME, LABELS), Perceptron().partial_fit(FRAME, LABELS, classes=[0, 1])):
        enter = model.fit if not hasattr(model, "coef_") or model.n_iter_ else model.partial_fit
        worded = FRAME.astype({column: object})
        worded.loc[4, column] = "tall"
        with refused(model, "row 4", f"column {at}", "'tall'"):
            enter(worded, LABELS)
        gap = FRAME.copy()
        gap.loc[4, column] = None
        with refused(model, "NaN", "row 4", f"column {at}"):
            enter(gap, LABELS)


@pytest.mark.parametrize("method", ["predict", "decision_function", "partial_fit"])
def test_columns_keep_their_names_and_order(method: str) -> None:
    model = Perceptron().partial_fit(FRAME, LABELS, classes=[0, 1])
    more = [LABELS] if method == "partial_fit" else []
    with refused(model, "feature names", "same order", own=False):
        getattr(model, method)(FRAME[["depth", "width", "height"]], *more)
    with refused(model, "feature names", "weight", own=False):
        getattr(model, method)(FRAME.rename(columns={"width": "weight"}), *more)


# -- y --------------------------------------------------------------------------------------------------------------

GAPS = {
    "NaN": np.where(np.arange(ROWS) == 5, NAN, LABELS),
    "infinity": np.where(np.arange(ROWS) == 5, INF, LABELS),
    "None": np.array([0, 1, 0, 1, 0, None, *LABELS[6:]], dtype=object),
    "NaN among words": np.array([*"ababa", NAN, *"ababab"], dtype=object),
    "pandas' NA": pd.array([0, 1, 0, 1, 0, None, *LABELS[6:]], dtype="Int64"),
    "NA among objects": np.array([0, 1, 0, 1, 0, pd.NA, *LABELS[6:]], dtype=object),
    "text with a gap": pd.Series([*"ababa", None, *"ababab"]),
}


@every_learning
@pytest.mark.parametrize("gap", GAPS)
def test_a_missing_label_is_named_with_its_row(start: Any, enter: Any, gap: str) -> None:
    model = start()
    with refused(model, "y", "row 5"):
        enter(model, GOOD, GAPS[gap])


@every_learning
def test_labels_must_be_as_many_as_rows_and_classes(start: Any, enter: Any) -> None:
    model = start()
    for labels in (LABELS[:-1], np.append(LABELS, 1), []):
        with refused(model, "12 rows", f"{len(labels)} labels"):
            enter(model, GOOD, labels)
    with refused(model, "(12, 2)", own=False):
        enter(model, GOOD, np.column_stack([LABELS, LABELS]))
    with refused(model, "continuous", own=False):
        enter(model, GOOD, LABELS + 0.25 * np.arange(ROWS))


def test_one_class_has_nothing_to_separate() -> None:
    for model in (new(), fitted()):
        with refused(model, "one class only", "7"):
            model.fit(GOOD, np.full(ROWS, 7))
    model = new()
    with refused(model, "class"):
        model.partial_fit(GOOD, np.full(ROWS, 7), classes=[7])


@pytest.mark.parametrize("start", [started, warm])
def test_a_label_that_is_no_class_is_named_with_its_row(start: Any) -> None:
    model = start()
    learn = model.fit if model.warm_start else model.partial_fit
    for wrong in (2, -1):
        with refused(model, str(wrong), "row 3", "classes"):
            learn(GOOD, np.where(np.arange(ROWS) == 3, wrong, LABELS))
    with refused(model, "'a'", "row 0", "classes"):
        learn(GOOD, np.array(["a", "b"] * (ROWS // 2)))


def test_the_first_partial_fit_names_all_classes_for_good() -> None:
    model = new()
    with refused(model, "classes", "first call"):
        model.partial_fit(GOOD, LABELS)
    with refused(model, "class"):
        model.partial_fit(GOOD, LABELS, classes=[])
    with refused(model, "row 1", "classes"):
        model.partial_fit(GOOD, LABELS, classes=[0, 2])
    model = started()
    for classes in ([0, 1, 2], [0], ["a", "b"]):
        with refused(model, "classes", "first call"):
            model.partial_fit(GOOD, LABELS, classes=classes)


# -- weights --------------------------------------------------------------------------------------------------------


@every_learning
@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.where(np.arange(ROWS) == 4, -0.5, 1.0), ["-0.5", "row 4"]),
        (np.where(np.arange(ROWS) == 4, NAN, 1.0), ["nan", "row 4"]),
        (np.where(np.arange(ROWS) == 4, INF, 1.0), ["inf", "row 4"]),
        (-1, ["-1", "row 0"]),
        (np.ones(ROWS - 1), ["12 rows", "11 weights"]),
        (np.ones((ROWS, 1)), ["1D array", "(12, 1)"]),
    ],
    ids=["negative", "NaN", "infinite", "negative number", "too few", "2-D"],
)
def test_a_bad_sample_weight_is_named_with_its_row(start: Any, enter: Any, weights: Any, words: list[str]) -> None:
    model = start()
    with refused(model, *words):
        enter(model, GOOD, LABELS, sample_weight=weights)


@pytest.mark.parametrize("start", [new, fitted, warm])
def test_a_fit_with_no_weight_at_all_has_nothing_to_learn_from(start: Any) -> None:
    model = start()
    with refused(model, "weights", "all be zero"):
        model.fit(GOOD, LABELS, sample_weight=np.zeros(ROWS))


# -- options --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entrance", ["fit", "fit again", "first partial_fit"])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"class_weight": {0: 1.0, 7: 2.0}}, ["class_weight", "7"]),
        ({"class_weight": {0: -1.0}}, ["class_weight", "at least 0"]),
        ({"class_weight": {0: 0, 1: 0}}, ["weights", "all be zero"]),
        ({"init": np.zeros(FEATURES - 1)}, ["init", "(1, 3)", "(1, 4)", "(1, 2)"]),
        ({"init": np.zeros((2, FEATURES))}, ["init", "(1, 3)", "(2, 3)"]),
        ({"init": [0.0, NAN, 0.0]}, ["init", "finite"]),
        ({"init": [0.0, INF, 0.0]}, ["init", "finite"]),
        ({"init": "ones"}, ["init", "'ones'"]),
        ({"eta0": 0}, ["eta0", "greater than 0"]),
        ({"eta0": NAN}, ["eta0", "not finite"]),
        ({"batch": 0}, ["batch", "at least 1"]),
        ({"margin": -1.0}, ["margin", "-1.0"]),
        ({"keep": "best"}, ["keep", "'pocket'", "'best'"]),
        ({"learning_rate": "pa1", "batch": 4}, ["'pa1'", "batch=4"]),
        ({"keep": "vote", "batch": "full"}, ["'vote'", "batch='full'"]),
    ],
    ids=str,
)
def test_a_bad_option_is_named_with_what_it_may_be(entrance: str, options: Any, words: list[str]) -> None:
    start, enter = LEARNING[entrance]
    model = start()
    with refused(model, *words):
        enter(model.set_params(**options), GOOD, LABELS)


@pytest.mark.parametrize("option", [{"max_iter": 0}, {"n_jobs": 0}, {"validation_fraction": 1.0}], ids=str)
def test_a_bad_option_of_fit_leaves_the_last_fit(option: dict[str, Any]) -> None:
    model = fitted()
    with refused(model, *option):
        model.set_params(**option).fit(GOOD, LABELS)


CHANGES = {"eta0": 2.0, "margin": 0.5, "keep": "last", "batch": 3, "fit_intercept": False, "learning_rate": "inverse"}


@pytest.mark.parametrize("entrance", ["partial_fit", "warm start"])
@pytest.mark.parametrize("option", CHANGES)
def test_a_run_keeps_its_options(entrance: str, option: str) -> None:
    start, enter = LEARNING[entrance]
    model = start()
    with refused(model, option, repr(CHANGES[option])):
        enter(model.set_params(**{option: CHANGES[option]}), GOOD, LABELS)


@pytest.mark.parametrize(
    "option", [{"keep": "pocket"}, {"early_stopping": True}, {"class_weight": "balanced"}], ids=str
)
def test_what_needs_all_examples_at_once_is_refused_a_stream(option: dict[str, Any]) -> None:
    model = new(**option)
    with refused(model, *option):
        model.partial_fit(GOOD, LABELS, classes=[0, 1])


# -- overflow -------------------------------------------------------------------------------------------------------

TOO_FAR = [
    (Perceptron, {}, np.full((ROWS, FEATURES), 1e300)),
    (Perceptron, {"keep": "last"}, sparse.csr_array(np.full((ROWS, FEATURES), 1e308))),
    (Perceptron, {"init": np.full(FEATURES, 1e308)}, GOOD),
    (LogisticUnit, {}, np.full((ROWS, FEATURES), 1e308)),
    (Adaline, {"learning_rate": "constant", "eta0": 1e30}, GOOD),
    (Adaline, {"learning_rate": "constant", "eta0": 1e30, "keep": "average", "batch": 2}, GOOD),
]


@pytest.mark.parametrize(("unit", "options", "X"), TOO_FAR)
def test_weights_that_overflow_are_not_kept(unit: Any, options: dict[str, Any], X: Any) -> None:
    model = unit(**options)
    with refused(model, "overflow", "row", "epoch", "eta0"):
        model.fit(X, LABELS)
    nine_times = sparse.vstack([sparse.csr_array(X)] * 9)
    with refused(model, "overflow", "row"):
        model.partial_fit(nine_times, np.tile(LABELS, 9), classes=[0, 1])


@pytest.mark.parametrize("unit", EVERY_UNIT)
@pytest.mark.parametrize("keep", ["last", "average"])
def test_an_overflow_in_mid_run_gives_back_the_run_before_it(unit: Any, keep: str) -> None:
    model = unit(keep=keep).partial_fit(GOOD, LABELS, classes=[0, 1])
    with refused(model, "overflow", "row"):
        model.partial_fit(1e307 * GOOD, LABELS)
    model = unit(keep=keep, warm_start=True, max_iter=2).fit(GOOD, LABELS)
    with refused(model, "overflow", "row"):
        model.fit(1e307 * GOOD, LABELS)
