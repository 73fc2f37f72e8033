"""The kernel perceptron against the literature and its peers: ``python -m bench kernel --data FOLDER``.

Without an option it runs the whole table of Li and Long 1999, see `li_and_long.py`.

``--speed`` times one epoch at degree 4 against a straightforward NumPy implementation that computes kernel blocks by
matrix product; ``--svc`` times four epochs against scikit-learn's SVC. ``--libol`` gives the mistake rates of one pass
over svmguide3 without a bias, over 20 permutations (LIBOL reports .332 for the perceptron and .318 for PA).
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from bench.accuracy.data_sets import SETS
from bench.accuracy.read_sets import svmguide


def images(folder: Path, dtype: str, rows: int | None = None) -> tuple[Any, Any, Any, Any]:
    """MNIST, pixels / 255, in float32 or float64."""
    examples = next(data for data in SETS if data.name == "mnist").load(folder)
    part = slice(None, rows)
    X, X_test = (np.ascontiguousarray(values, dtype=dtype) for values in (examples.X[part], examples.X_test))
    return X, examples.y[part].astype(np.int32), X_test, examples.y_test


def learn(X: Any, y: Any, degree: int, epochs: int, seed: int, keep: str = "vote", on_epoch: Any = None) -> Any:
    """A run of ten one-vs-rest units with the kernel (1 + x.z)^degree."""
    from rosenblatt.learn.kernel.kernel_values import Kernel
    from rosenblatt.learn.kernel.run import KernelRun, KernelSettings
    from rosenblatt.records import Block

    kernel = Kernel("poly", degree, 1.0, 1.0).suited_to(X)
    run = KernelRun(KernelSettings(keep=keep, fit_intercept=False), kernel, np.ones(10), seed)
    run.fit(Block(X, y), epochs, on_epoch)
    return run


def straightforward(X: Any, y: Any, order: Any, degree: int = 4, block: int = 1000) -> int:
    """What one would write with NumPy: kernel blocks by matrix product, mistakes one by one."""
    signs = np.where(y[:, None] == np.arange(10), 1.0, -1.0)
    alpha, mistakes = np.zeros((len(X), 10)), 0
    support: list[int] = []
    for at in range(0, len(X), block):
        rows = order[at : at + block]
        part = X[rows]
        scores = np.zeros((len(rows), 10))
        if support:
            scores += ((1 + part @ X[support].T) ** degree) @ alpha[support]
        among = (1 + part @ part.T) ** degree
        for i, row in enumerate(rows):
            wrong = signs[row] * scores[i] <= 0
            if wrong.any():
                alpha[row] = signs[row] * wrong
                scores += np.outer(among[i], alpha[row])
                support.append(row)
                mistakes += int(wrong.sum())
    return mistakes


def speed(folder: Path, dtype: str, repeats: int) -> None:
    """One epoch at degree 4, alternately; the best time of each."""
    from rosenblatt import native

    X, y, _, _ = images(folder, dtype)
    order = native.random_order(0, len(X), False)[0]
    best = [float("inf"), float("inf")]
    for _ in range(repeats):
        start = perf_counter()
        mistakes = straightforward(X, y, order)
        best[0] = min(best[0], perf_counter() - start)
        start = perf_counter()
        run = learn(X, y, 4, 1, 0, keep="last")
        best[1] = min(best[1], perf_counter() - start)
        assert run.n_mistakes == mistakes
    print(f"one epoch, degree 4, {dtype}: NumPy {best[0]:.2f} s, ours {best[1]:.2f} s: {best[0] / best[1]:.2f} x")


def against_svc(folder: Path, dtype: str) -> None:
    """Four epochs against scikit-learn's SVC with the same kernel."""
    from sklearn.svm import SVC

    X, y, X_test, y_test = images(folder, dtype)
    start = perf_counter()
    run = learn(X, y, 4, 4, 0)
    ours = perf_counter() - start
    error = float(np.mean(run.scores(X_test).argmax(axis=1) != y_test))
    print(f"four epochs, degree 4: ours {ours:.1f} s, voted error {error:.2%}", flush=True)
    start = perf_counter()
    model = SVC(kernel="poly", degree=4, coef0=1, gamma=1).fit(X, y)
    theirs = perf_counter() - start
    print(f"SVC: {theirs:.1f} s, error {float(np.mean(model.predict(X_test) != y_test)):.2%}: {theirs / ours:.1f} x")


def libol(folder: Path, permutations: int = 20) -> None:
    """Mistake rates of one pass over svmguide3, predicting before learning, without a bias."""
    from rosenblatt import Learner

    examples = svmguide(folder)
    rules: dict[str, dict[str, Any]] = {
        "perceptron": {},
        "PA": {"learning_rate": "pa1", "eta0": 1e9},  # C is so large that PA-I equals PA
    }
    for name, options in rules.items():
        rates = []
        for seed in range(permutations):
            learner, wrong = Learner(fit_intercept=False, keep="last", **options), 0
            for i in np.random.default_rng(seed).permutation(len(examples.y)):
                positive = bool(examples.y[i] > 0)
                wrong += (learner.score(examples.X[i]) > 0) != positive
                learner.learn(examples.X[i], positive)
            rates.append(wrong / len(examples.y))
        print(f"svmguide3, {name}: mistake rate {np.mean(rates):.3f} +- {np.std(rates):.3f}")


def main(arguments: list[str]) -> None:
    """The command line of ``python -m bench kernel``."""
    parser = argparse.ArgumentParser(prog="python -m bench kernel", description=__doc__.splitlines()[0])
    folder = os.environ.get("ROSENBLATT_DATA")
    parser.add_argument(
        "--data", type=Path, required=not folder, default=folder, help="the folder of the data sets (ROSENBLATT_DATA)"
    )
    parser.add_argument("--degrees", type=int, nargs="+", default=[1, 2, 3, 4, 5, 6])
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--permutations", type=int, default=10)
    parser.add_argument(
        "--output", type=Path, help="folder for li-and-long.json and .md (the whole table: bench/results)"
    )
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float32")
    parser.add_argument("--speed", action="store_true", help="one epoch against NumPy, instead of the table")
    parser.add_argument("--svc", action="store_true", help="four epochs against SVC, instead of the table")
    parser.add_argument("--libol", action="store_true", help="svmguide3, instead of the table")
    options = parser.parse_args(arguments)
    if options.speed:
        speed(options.data, options.dtype, repeats=3)
    if options.svc:
        against_svc(options.data, options.dtype)
    if options.libol:
        libol(options.data)
    if not (options.speed or options.svc or options.libol):
        from bench.kernel import li_and_long

        li_and_long.run(options)
