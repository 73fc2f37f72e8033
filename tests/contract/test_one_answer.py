"""Clause 2 of the learning contract: the same examples, order and options give the same bits, however they come."""

import itertools
import os
import pickle
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import native
from rosenblatt.errors import LearningOverflowError
from tests import child
from tests.agree import LEARNERS, Array, fingerprint, real_numbers, run_of, state

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SEEDS = st.integers(0, 10**6)
SHAPES = st.tuples(st.integers(8, 30), st.integers(1, 27), st.sampled_from([2, 2, 3, 4]))


@st.composite
def learners(draw: st.DrawFn, **fixed: Any) -> Any:
    """An estimator with random options, among the valid combinations."""
    loss = draw(st.sampled_from(["perceptron", "perceptron", "logistic", "squared"]))
    closed = ["pa1", "pa2", "arow"] if loss == "perceptron" else []
    rate = draw(st.sampled_from(["constant", "inverse", "invsqrt", "adagrad", *closed]))
    batch = 1 if rate in closed else draw(st.sampled_from([1, 1, 3, 8]))
    votes = ["vote"] if loss == "perceptron" and batch == 1 else []
    options: dict[str, Any] = {
        "learning_rate": rate,
        "batch": batch,
        "eta0": 0.01 if loss == "squared" else draw(st.sampled_from([0.3, 1.0])),
        "keep": draw(st.sampled_from(["last", "average", *votes])),
        "order": draw(st.sampled_from(["given", "shuffle", "sample"])),
        "multi_class": draw(st.sampled_from(["ovr", "ovo"] + ["joint"] * (loss != "squared"))),
        "fit_intercept": draw(st.booleans()),
        "class_weight": draw(st.sampled_from([None, {0: 0.3, 1: 1.9}])),
        "random_state": draw(SEEDS),
        "max_iter": 3,
    }
    return LEARNERS[loss](**options | fixed)


def fresh(model: Any) -> Any:
    return type(model)(**model.get_params())


def strided(X: Array) -> Array:
    """Every second row and third column of a larger array."""
    room = np.full((2 * len(X), 3 * X.shape[1] + 1), 99.0, X.dtype)
    room[::2, 1::3] = X
    return room[::2, 1::3]


def read_only_map(X: Array, folder: str) -> Array:
    path = Path(folder, f"rows-{X.dtype}.npy")
    np.save(path, X)
    return np.load(path, mmap_mode="r")


def csr(X: Array, index: Any = np.int32, make: Any = sp.csr_array) -> Any:
    matrix = make(X)
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    return matrix


def messy_csr(X: Array, index: Any = np.int32) -> Any:
    """Rows reversed and in pieces: each value as two halves, far apart, and a stored zero."""
    rows = []
    for x in X:
        (stored,) = np.nonzero(x)
        columns = np.concatenate([stored[::-1], [0], stored])
        rows.append((columns, np.concatenate([x[stored[::-1]] / 2, [0], x[stored] / 2])))
    starts = np.cumsum([0, *(len(columns) for columns, _ in rows)]).astype(index)
    columns, values = (np.concatenate(part) for part in zip(*rows, strict=True))
    return sp.csr_array((values.astype(X.dtype), columns.astype(index), starts), shape=X.shape)


def layouts(X: Array, folder: str) -> dict[str, Any]:
    """The same numbers, exact in single precision too, in different memory layouts."""
    single = X.astype(np.float32)
    return {
        "Fortran order": np.asfortranarray(X),
        "strided": strided(X),
        "rows backwards in memory": np.ascontiguousarray(X[::-1])[::-1],
        "columns backwards in memory": np.ascontiguousarray(X[:, ::-1])[:, ::-1],
        "read-only map": read_only_map(X, folder),
        "single": single,
        "single, Fortran order": np.asfortranarray(single),
        "single, strided": strided(single),
        "single, read-only map": read_only_map(single, folder),
        "list": X.tolist(),
        "frame": pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]),
        "csr, 32 bit": csr(X),
        "csr, 64 bit": csr(X, np.int64),
        "csr, single": csr(single),
        "csr, single, 64 bit": csr(single, np.int64),
        "csr matrix": csr(X, make=sp.csr_matrix),
        "csc": sp.csc_array(X),
        "messy csr": messy_csr(X),
        "messy csr, 64 bit": messy_csr(X, np.int64),
        "messy csr, single": messy_csr(single),
    }


@settings(max_examples=40)
@given(learners(), st.tuples(st.integers(8, 150), st.integers(1, 40), st.sampled_from([2, 2, 3, 4])), SEEDS)
def test_clause_2_one_answer_in_every_layout(model: Any, shape: tuple[int, int, int], seed: int) -> None:
    X, y = real_numbers(*shape, seed)
    X = X.astype(np.float32).astype(float)
    model.fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        for name, rows in layouts(X, folder).items():
            other = fresh(model)
            if name == "frame":  # a model fitted with column names predicts with them
                assert state(other.fit(rows, y), rows) == state(model, X), name
                continue
            assert state(other.fit(rows, y), X) | run_of(other) == state(model, X) | run_of(model), name
            assert state(model, rows) == state(model, X), name


@pytest.mark.parametrize(
    "options", [{}, {"multi_class": "ovo"}, {"multi_class": "joint"}, {"keep": "average"}, {"batch": 4}]
)
@pytest.mark.parametrize("rate", ["constant", "adagrad", "arow"])
def test_clause_2_what_is_refused_does_not_depend_on_the_layout(rate: str, options: dict[str, Any]) -> None:
    """Dense rows have a group for each unit, sparse ones share one: the bound of the weights is each unit's own."""
    if rate == "arow" and "batch" in options:
        pytest.skip("arow has no batches")
    X, y = real_numbers(40, 6, 8, seed=0)
    margin = 1.0 if rate == "arow" else 0.0
    model = LEARNERS["perceptron"](learning_rate=rate, margin=margin, max_iter=2, order="given", **options)
    answers: list[Any] = []
    for exponent in [*np.arange(139.0, 150.0, 0.25), *np.arange(150.0, 306.0, 4.0)]:
        large = X * 10.0**exponent
        dense, sparse = (refusal_or_state(fresh(model), rows, y) for rows in (large, csr(large)))
        assert dense == sparse, exponent
        answers.append(dense)
    assert any(isinstance(answer, str) for answer in answers)


def refusal_or_state(model: Any, X: Any, y: Array) -> Any:
    try:
        model.fit(X, y)
    except LearningOverflowError as error:
        return str(error)
    return model.coef_.tobytes(), model.intercept_.tobytes(), run_of(model)


@settings(max_examples=60)
@given(learners(), SHAPES, SEEDS, st.data())
def test_clause_2_one_call_or_row_by_row(
    model: Any, shape: tuple[int, int, int], seed: int, data: st.DataObject
) -> None:
    """One call, one call per row, and cuts anywhere, each part dense or sparse, all give the same result."""
    X, y = real_numbers(*shape, seed)
    classes, n = np.unique(y), len(X)
    one_call = fresh(model).partial_fit(X, y, classes=classes)
    cuts = data.draw(st.sets(st.integers(1, n - 1), max_size=6), label="cuts")
    for splits in (range(1, n), sorted(cuts)):
        other = fresh(model)
        for k, part in enumerate(np.split(np.arange(n), splits)):
            rows = (sp.csr_array, messy_csr, np.asarray)[k % 3](X[part])
            other.partial_fit(rows, y[part], classes=classes)
        assert state(other, X) == state(one_call, X)
    if model.order == "given":
        assert state(fresh(model).set_params(max_iter=1).fit(X, y), X) == state(one_call, X)


@settings(max_examples=25)
@given(learners(), st.sampled_from([(2, 12), (10, 5), (20, 9), (6, 3)]), SEEDS)
def test_clause_2_one_thread_or_four(model: Any, shape: tuple[int, int], seed: int) -> None:
    X, y = real_numbers(60, shape[1], shape[0], seed)
    model.fit(X, y)
    other = fresh(model).set_params(n_jobs=4).fit(X, y)
    assert state(other, X) | run_of(other) == state(model, X) | run_of(model)


@settings(max_examples=60)
@given(learners(warm_start=True), SHAPES, SEEDS, st.lists(st.integers(1, 4), min_size=2, max_size=4), st.booleans())
def test_clause_2_stopped_and_resumed(
    model: Any, shape: tuple[int, int, int], seed: int, parts: list[int], stored: bool
) -> None:
    """5 epochs and 5 more equal 10, also through a pickle. Contradicting rows keep the run from stopping earlier."""
    X, y = real_numbers(*shape, seed)
    X, y = np.vstack([X, X[:2]]), np.append(y, (y[:2] + 1) % shape[2])
    if model.order == "sample":  # an epoch may miss the contradiction, so only a budget that cannot end early
        model.set_params(order="shuffle")
    unbroken = fresh(model).set_params(max_iter=sum(parts)).fit(X, y)
    for epochs in parts:
        model.set_params(max_iter=epochs).fit(X, y)
        model = pickle.loads(pickle.dumps(model)) if stored else model
    assert state(model, X) | run_of(model) == state(unbroken, X) | run_of(unbroken)


@settings(max_examples=40)
@given(learners(), SHAPES, SEEDS, st.integers(1, 7))
def test_clause_2_a_stream_through_pickles(model: Any, shape: tuple[int, int, int], seed: int, cut: int) -> None:
    """The pending batch, the averages, the votes: all of the state is in the pickle."""
    X, y = real_numbers(*shape, seed)
    classes = np.unique(y)
    unbroken = fresh(model).partial_fit(X, y, classes=classes)
    first = fresh(model).partial_fit(X[:cut], y[:cut], classes=classes)
    second = pickle.loads(pickle.dumps(first)).partial_fit(X[cut:], y[cut:])
    assert state(second, X) == state(unbroken, X)


@pytest.mark.parametrize("seed", range(4))
def test_clause_2_early_stopping_goes_on_being_patient(seed: int) -> None:
    """The count of epochs without improvement continues, however the run is split."""
    X, y = real_numbers(60, 4, 2, seed)
    options: dict[str, Any] = {"early_stopping": True, "n_iter_no_change": 4, "random_state": seed}
    unbroken = LEARNERS["perceptron"](max_iter=40, **options).fit(X, y)
    assert unbroken.status_ == "validated"
    parts = LEARNERS["perceptron"](max_iter=1, warm_start=True, **options).fit(X, y)
    while parts.status_ == "budget" and parts.n_iter_ < 40:
        parts.fit(X, y)
    assert state(parts, X) | run_of(parts) == state(unbroken, X) | run_of(unbroken)


def interrupted_after(visits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C arrives during this many calls of the native learner, and is noticed when they return."""
    learn, count = native.learn, itertools.count(1)

    def slow_learn(*args: Any, **options: Any) -> Any:
        result = learn(*args, **options)
        if next(count) == visits:
            signal.raise_signal(signal.SIGINT)
        return result

    monkeypatch.setattr(native, "learn", slow_learn)


@pytest.mark.parametrize("visits", [1, 3])
@pytest.mark.parametrize("keep", ["last", "average", "vote", "pocket"])
def test_clause_2_a_fit_interrupted_and_resumed(keep: str, visits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = real_numbers(30, 4, 3, seed=2)
    model = LEARNERS["perceptron"](keep=keep, max_iter=6, warm_start=True, record=True)
    unbroken = fresh(model).fit(X, y)
    interrupted_after(visits, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    epochs_done = getattr(model, "n_iter_", 0)  # the epoch of the interrupt is kept as a whole, or not at all
    model.set_params(max_iter=6 - epochs_done).fit(X, y)
    assert state(model, X) | run_of(model) == state(unbroken, X) | run_of(unbroken)
    assert model.trace_.t.tolist() == unbroken.trace_.t.tolist()


@pytest.mark.parametrize(("keep", "batch"), [("last", 1), ("average", 4), ("vote", 1), ("last", "full")])
def test_clause_2_a_stream_interrupted_and_resumed(keep: str, batch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """t_ is the number of rows learned before the interrupt; the rest of the model agrees with it."""
    X, y = real_numbers(30, 4, 3, seed=2)
    model = LEARNERS["perceptron"](keep=keep, batch=batch, record=True).partial_fit(X[:10], y[:10], classes=[0, 1, 2])
    unbroken = pickle.loads(pickle.dumps(model))
    assert model.coef_.shape == (3, 4)  # computes the answer before the interrupt
    interrupted_after(1, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X[10:], y[10:])
    if model.t_ > 10:
        unbroken.partial_fit(X[10 : model.t_], y[10 : model.t_])
    assert state(model, X) == state(unbroken, X)
    assert model.trace_.t.tolist() == unbroken.trace_.t.tolist()


@pytest.mark.parametrize("keep", ["last", "average", "vote", "pocket"])
@pytest.mark.parametrize("first", range(1, 6))
def test_clause_2_resumed_sampling_draws_on(keep: str, first: int) -> None:
    X, y = np.ones((6, 1)), np.arange(6) % 2  # contradicting rows: no sample of them is clean for long
    options: dict[str, Any] = {"order": "sample", "keep": keep, "random_state": 4}
    unbroken = LEARNERS["perceptron"](max_iter=6, **options).fit(X, y)
    assert unbroken.status_ == "budget"
    parts = LEARNERS["perceptron"](max_iter=first, warm_start=True, **options).fit(X, y)
    parts.set_params(max_iter=6 - first).fit(X, y)
    assert state(parts, X) | run_of(parts) == state(unbroken, X) | run_of(unbroken)


def machine_has(*flags: str) -> bool:
    info = Path("/proc/cpuinfo")
    return info.exists() and set(flags) <= set(info.read_text().split())


AVX512 = ("avx512f", "avx512dq", "avx512vl", "avx512bw")


@pytest.mark.parametrize(
    "isa",
    [
        "baseline",
        pytest.param("avx2", marks=pytest.mark.skipif(not machine_has("avx2"), reason="no AVX2 here")),
        pytest.param("avx512", marks=pytest.mark.skipif(not machine_has(*AVX512), reason="no AVX-512 here")),
    ],
)
def test_clause_2_any_instruction_set(isa: str) -> None:
    code = (
        "import rosenblatt.native, tests.agree; print(rosenblatt.native.instruction_set(), tests.agree.fingerprint())"
    )
    environment = os.environ | {"ROSENBLATT_ISA": isa, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = child.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert run.stdout.split() == [isa, fingerprint()]
