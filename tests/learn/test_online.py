"""The light learner refuses a bad example with one sentence, and stays unchanged."""

from typing import Any

import numpy as np
import pytest

from rosenblatt import Learner
from rosenblatt.errors import DataError, LearningOverflowError, ParameterError

NAN, INF = float("nan"), float("inf")


def new_learner(n_features: int | None = 3, **options: Any) -> Learner:
    learner = Learner(n_features, **options)
    for row, y in (([1.0, 2.0, 3.0], 1), ([1.0, -2.0, 3.0], -1), ([0.5, 0.0, 1.0], 0)):
        learner.learn(row, y)
    return learner


def facts(learner: Learner) -> Any:
    return learner.coef.tobytes(), learner.intercept, learner.t, learner.n_mistakes, learner.score([1.0, 2.0, 4.0])


BAD_ROWS: dict[str, tuple[Any, str]] = {
    "2-D": ([[1.0, 2.0, 3.0]], r"shape \(1, 3\)"),
    "a number": (3.0, r"shape \(\)"),
    "NaN": ([1.0, NAN, 2.0], "NaN at index 1"),
    "infinity": ([1.0, 2.0, -INF], "infinity at index 2"),
    "text": ([1.0, "tall", 2.0], "'tall'"),
    "negative index": (([0, -2], [1.0, 1.0]), "negative.*-2"),
    "a pair of different lengths": (([0, 1], [1.0, 2.0, 3.0]), r"\(2,\) and \(3,\)"),
    "2-D pair": (([[0]], [[1.0]]), r"\(1, 1\)"),
    "three parts": (([0], [1.0], [1.0]), "3 parts"),
    "NaN in a pair": (([0, 2], [1.0, NAN]), "NaN at index 2"),
    "infinity in a pair": (([2, 0], [INF, 1.0]), "infinity at index 2"),
    "text in a pair": (([0], ["tall"]), "'tall'"),
    "text for an index": ((["tall"], [1.0]), "'tall'"),
}
BEYOND: dict[str, tuple[Any, str]] = {
    "too short": ([1.0, 2.0], r"3 features.*\(2,\)"),
    "too long": (np.ones(4), r"3 features.*\(4,\)"),
    "index beyond": (([0, 3], [1.0, 1.0]), "index 3 .*3 features"),
    "index far beyond": (([2**62], [1.0]), f"index {2**62} .*3 features"),
}


ROWS = [(fault, 3) for fault in [*BAD_ROWS, *BEYOND]] + [(fault, None) for fault in BAD_ROWS]


@pytest.mark.parametrize(("fault", "width"), ROWS)
def test_a_bad_row_is_refused_and_changes_nothing(fault: str, width: int | None) -> None:
    row, words = (BAD_ROWS | BEYOND)[fault]
    learner, twin = new_learner(width), new_learner(width)
    for ask in (lambda: learner.learn(row, 1), lambda: learner.score(row), lambda: learner.predict(row)):
        with pytest.raises(DataError, match=words):
            ask()
    assert facts(learner) == facts(twin)
    assert learner.learn([2.0, 1.0, -1.0], 1) == twin.learn([2.0, 1.0, -1.0], 1)
    assert facts(learner) == facts(twin)


@pytest.mark.parametrize("y", [2, -2, 0.5, NAN, None, "yes"], ids=repr)
def test_a_bad_class_is_refused_and_changes_nothing(y: Any) -> None:
    learner = new_learner()
    with pytest.raises(DataError, match=f"class of an example.*{y!r}"):
        learner.learn([1.0, 2.0, 3.0], y)
    assert facts(learner) == facts(new_learner())


@pytest.mark.parametrize("y", [1, True, 1.0, np.int64(1), np.float64(1.0), np.True_], ids=repr)
def test_every_spelling_of_a_class_is_the_same_class(y: Any) -> None:
    learner, twin = new_learner(), new_learner()
    assert learner.learn([-1.0, 2.0, -3.0], y) == twin.learn([-1.0, 2.0, -3.0], 1)
    assert facts(learner) == facts(twin)


@pytest.mark.parametrize("weight", [-1.0, NAN, INF])
def test_a_bad_weight_is_refused_and_changes_nothing(weight: Any) -> None:
    learner = new_learner()
    with pytest.raises(DataError, match=f"weight of an example.*{weight!r}"):
        learner.learn([-1.0, 2.0, -3.0], 1, weight)
    assert facts(learner) == facts(new_learner())


@pytest.mark.parametrize("rate", ["constant", "inverse", "adagrad", "pa1", "pa2", "arow"])
@pytest.mark.parametrize("keep", ["last", "average"])
def test_an_example_that_would_overflow_the_weights_is_not_learned(rate: str, keep: str) -> None:
    for row in ([1e308, 1e308, 1e308], ([0, 1, 2], [1e308, 1e308, 1e308])):
        learner = new_learner(learning_rate=rate, keep=keep)
        with pytest.raises(LearningOverflowError, match=r"overflow.*eta0\.$"):
            learner.learn(row, -1)
        assert facts(learner) == facts(new_learner(learning_rate=rate, keep=keep))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"loss": "absolute"}, "loss.*'absolute'"),
        ({"eta0": 0.0}, "eta0.*greater than 0"),
        ({"keep": "pocket"}, "keep.*'last' or 'average'"),
        ({"learning_rate": "pa1", "loss": "squared"}, "'pa1' with the squared loss"),
        ({"n_features": -1}, "n_features"),
        ({"n_features": 1.5}, "n_features"),
    ],
    ids=str,
)
def test_a_bad_option_is_named(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        Learner(**options)


def test_one_huge_index_is_refused_where_every_feature_takes_memory() -> None:
    learner = Learner(learning_rate="arow", margin=1.0)
    learner.learn(([3], [1.0]), 1)
    with pytest.raises(DataError, match=r"Feature index 268435456 is beyond .* set n_features"):
        learner.learn(([2**28], [1.0]), 1)
    assert (learner.t, len(learner.coef)) == (1, 4)
    assert Learner().learn(([2**28], [1.0]), 1)  # zeros that were never written take none


def test_a_state_with_an_impossible_batch_is_refused() -> None:
    state = Learner(2).__getstate__()
    state["counters"] |= {"in_batch": 5, "t": 9}
    with pytest.raises(ValueError, match="unfinished batch"):
        Learner.__new__(Learner).__setstate__(state)
