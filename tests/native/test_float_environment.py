"""No bit depends on the host's floating-point environment: rounding mode, flush to zero, denormals are zero."""

from __future__ import annotations

import ctypes
import ctypes.util
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from rosenblatt import KernelPerceptron, LinearPredictor, LinearSeparator, LinearUnit, LogisticUnit, Perceptron, native
from rosenblatt.learn.settings import Settings

# Where the control register lies in glibc's fenv_t, and its bits.
_REGISTERS = {
    "x86_64": (32, 28, {"flush": 1 << 15, "denormals": 1 << 6, "up": 2 << 13, "down": 1 << 13, "to zero": 3 << 13}),
    "aarch64": (8, 0, {"flush": 1 << 24, "up": 1 << 22, "down": 2 << 22, "to zero": 3 << 22}),
}
if platform.machine() not in _REGISTERS or platform.libc_ver()[0] != "glibc":
    pytest.skip("this test knows glibc on x86-64 and arm64", allow_module_level=True)
_SIZE, _OFFSET, FLAGS = _REGISTERS[platform.machine()]
_LIBM = ctypes.CDLL(ctypes.util.find_library("m"))


def control() -> tuple[Any, int]:
    environment = ctypes.create_string_buffer(_SIZE)
    _LIBM.fegetenv(environment)
    return environment, int.from_bytes(environment[_OFFSET : _OFFSET + 4], "little")


@contextmanager
def hostile(flag: str) -> Iterator[None]:
    """The flag is set; what the block leaves behind is checked, and then the usual environment is restored."""
    usual, bits = control()
    changed = ctypes.create_string_buffer(usual.raw, _SIZE)
    changed[_OFFSET : _OFFSET + 4] = (bits | FLAGS[flag]).to_bytes(4, "little")
    _LIBM.fesetenv(changed)
    try:
        assert control()[1] & FLAGS[flag] == FLAGS[flag], "the flag cannot be set here"
        yield
        assert control()[1] & FLAGS[flag] == FLAGS[flag], "the host's flag was not restored"
    finally:
        _LIBM.fesetenv(usual)


RNG = np.random.default_rng(5)
X = RNG.standard_normal((240, 21))
SMALL = X * 1e-308  # their products with weights are subnormal
S = sparse.csr_array(X * (RNG.random(X.shape) < 0.4))
Y = RNG.integers(0, 3, len(X)).astype(np.int32)
PAIR = (Y > 0).astype(np.int32)
TARGETS = 50.0 * X[:, 0] + RNG.standard_normal(len(X))
VARIANCES = np.square(X[:, :3])
NORM2 = np.square(X).sum(axis=1) + 1.0
WEIGHTS = RNG.standard_normal((3, 21))
SVMLIGHT = "".join(
    f"{i % 2} 1:{x:.17g} 2:{x * 1e-300:.6g} 3:{x * 1e-310:.6g} 4:0.{i}1\n" for i, x in enumerate(X[:, 0])
)
JSON = "".join(f'{{"x": {x:.17g}, "y": {x * 1e-310:.6g}}}\n' for x in X[:, 0]).encode()
TEXTS = "".join(f"{'ab'[i % 2]}\tword{i % 7} and word{i % 11} and more\n" for i in range(50))


def fitted(values: Any, labels: Any, **options: Any) -> Callable[[], list[Any]]:
    def learn() -> list[Any]:
        model = Perceptron(max_iter=4, random_state=1, **options).fit(values, labels)
        parts = [model._run.learner.get(name) for name in ("weights", "drift", "scale")]
        return [*parts, model._run.learner.counters(), native.scores(native.rows_of(X), None, WEIGHTS, np.ones(3))]

    return learn


def numbers(loss: str, rate: str = "invsqrt", **options: Any) -> Callable[[], list[Any]]:
    def learn() -> list[Any]:
        unit = LinearUnit(loss=loss, learning_rate=rate, max_iter=3, eta0=0.01, random_state=1, **options)
        unit.fit(S if rate == "adagrad" else SMALL, TARGETS)
        learner = unit._run.learner
        parts = [learner.get(name) for name in ("weights", "drift", "scale")]
        return [
            *parts,
            learner.counters(),
            learner.squared_error,
            learner.absolute_error,
            learner.scores(native.rows_of(X)),
        ]

    return learn


def least_squares() -> list[Any]:
    rows, order = native.rows_of(X), np.arange(len(X), dtype=np.uint32)
    products = native.column_products(rows, order, TARGETS, None)
    squares = [native.squared_minimum(rows, order, TARGETS, None, 1e-3, 20, None, 0.0, by) for by in (None, products)]
    return [squares, products, native.logistic_minimum(rows, order, Y, None, 3, 1e-3, 20, None, np.zeros(3))]


def json_rows() -> list[Any]:
    keys = native.find_json_keys(JSON, 0, len(JSON))
    assert keys is not None
    return [part for part in native.parse_json_lines(JSON, 0, len(JSON), native.JsonShape(keys))[2] if part]


def small_model() -> list[Any]:
    halves, exponent = native.to_halves(SMALL.ravel())
    return [halves, exponent, native.from_halves(halves, exponent), native.confidences(X[:, :3], VARIANCES, 0.0)]


def one_by_one() -> list[Any]:
    learner = Settings(learning_rate="arow", keep="average").learner(21, np.ones(2))
    learned = [learner.learn_dense(row, bool(label), 0.3) for row, label in zip(X, PAIR, strict=True)]
    return [learned, [learner.score_dense(row, True) for row in X], learner.final_weights(True)]


def ascended() -> list[Any]:
    signs = np.where(PAIR, 1, -1).astype(np.int8)
    a, w, b = np.zeros(len(X)), np.zeros(24), np.zeros(1)
    order = np.arange(len(X), dtype=np.uint32)
    return [native.dual_ascent(native.rows_of(X), signs, 1.0, 9.0, a, NORM2, w, b, order)[1], a, w, b]


def read_ahead(path: Path) -> Callable[[], list[Any]]:
    """By the caller and two native threads, which are started in the hostile environment."""

    def read() -> list[Any]:
        with path.open("rb") as file:
            how: Any = {"base": 1, "guess_base": False, "limit": 1 << 31, "skip": False}
            ahead = native.read_svmlight_ahead(file.fileno(), path.stat().st_size, 512, 3, **how)
            return [chunk[1][:4] for chunk in iter(ahead.next, None)]

    return read


def hashed() -> list[Any]:
    hashing = native.Hashing(bits=12, ngrams=2, value="sqrt", unit=True, first=0)
    parsed, _ = native.parse_text(TEXTS.encode(), 0, 0, kind="labelled", hashing=hashing, names=None, skip=False)
    return list(parsed[:4])


def panel_products() -> list[Any]:
    panel = native.Panel(21)
    panel.extend(X[:40])
    return [panel.products(X, 0, 0.1, 0.7, 3, threads) for threads in (1, 2)]


def judged() -> list[Any]:
    scores, rows = X[:, :3].copy(), np.arange(len(X), dtype=np.uint32)
    fitted_map = native.fit_probabilities("softmax", scores, Y, 3)
    return [native.judge(scores, Y, rows, None), fitted_map, native.probabilities("softmax", fitted_map, scores, 3)]


WORK: dict[str, Callable[[], list[Any]]] = {
    "dense": fitted(X, Y),
    "small": fitted(SMALL, Y, eta0=1e-3),
    "sparse": fitted(S, PAIR, keep="average"),
    "two threads": fitted(X, Y, n_jobs=2, learning_rate="adagrad"),
    "arow": fitted(S, Y, learning_rate="arow"),
    "joint": fitted(X, Y, multi_class="joint", learning_rate="pa1", margin=1.0),
    "polynomial": fitted(X[:, :5], Y, degree=2),
    "one by one": one_by_one,
    "ascent": ascended,
    "text": hashed,
    "panel": panel_products,
    "judge": judged,
    "squares": lambda: [native.sum_of_squares(X.ravel(), X.size)],
    "squared": numbers("squared", "arow"),
    "absolute": numbers("absolute"),
    "quantile": numbers("quantile", "adagrad", quantile=0.9, keep="average"),
    "huber": numbers("huber", l1=1e-3),
    "least squares": least_squares,
    "json lines": json_rows,
    "small model": small_model,
    "uniform": lambda: [native.random_uniform(7, 1000)],
}


def as_bytes(results: Any) -> Any:
    if isinstance(results, (list, tuple)):
        return [as_bytes(part) for part in results]
    return bytes(results) if isinstance(results, (np.ndarray, memoryview)) else repr(results)


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("work", WORK)
def test_no_bit_depends_on_the_environment_of_the_host(work: str, flag: str) -> None:
    expected = as_bytes(WORK[work]())
    with hostile(flag):
        results = WORK[work]()
    assert as_bytes(results) == expected


@pytest.mark.parametrize("flag", FLAGS)
def test_threads_that_read_ahead_have_the_usual_environment(flag: str, tmp_path: Path) -> None:
    (tmp_path / "rows.svm").write_text(SVMLIGHT)
    read = read_ahead(tmp_path / "rows.svm")
    expected = as_bytes(read())
    with hostile(flag):
        results = read()
    assert as_bytes(results) == expected


def answers(model: Any, values: Any, labels: Any) -> Callable[[], list[Any]]:
    """What Python computes with numpy on the way counts too: balanced weights, votes, scales, folds, probabilities."""

    def learn_and_predict() -> list[Any]:
        fitted_model = clone(model).fit(values, labels)
        names = ("decision_function", "predict_proba", "predict_log_proba", "predict_interval", "predict")
        return [getattr(fitted_model, name)(values) for name in names if hasattr(fitted_model, name)]

    return learn_and_predict


ESTIMATORS = {
    "vote": answers(Perceptron(keep="vote", max_iter=3), X, Y),
    "joint vote": answers(Perceptron(keep="vote", multi_class="joint", max_iter=3), S, Y),
    "balanced": answers(Perceptron(class_weight="balanced", max_iter=3), X, Y),
    "kernel": answers(KernelPerceptron(kernel="rbf", keep="vote", class_weight="balanced", max_iter=2), X, Y),
    "logistic": answers(LogisticUnit(max_iter=3), X, Y),
    "logistic, two classes": answers(LogisticUnit(class_weight="balanced", max_iter=3), S, PAIR),
    "separator": answers(LinearSeparator(class_weight="balanced"), X, Y),
    "predictor": answers(LinearPredictor(), X, TARGETS),
}


@pytest.mark.parametrize("flag", [flag for flag in FLAGS if flag in ("up", "down", "to zero")])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_no_answer_of_an_estimator_depends_on_the_rounding_of_the_host(name: str, flag: str) -> None:
    expected = as_bytes(ESTIMATORS[name]())
    with hostile(flag):
        results = ESTIMATORS[name]()
    assert as_bytes(results) == expected
