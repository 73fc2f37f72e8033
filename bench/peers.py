"""The libraries we measure against, at their fastest settings: no early stopping, no work that ours does not do too.

scikit-learn gets C-contiguous float64 rows with sorted 32-bit indices (no copy, no conversion), ``tol=None`` (no test
of convergence) and no penalty, which is its fastest path.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.records import Side

EPOCHS = 5


def check_epochs(model: Any, epochs: int) -> Any:
    """Raise if a side stopped before the last epoch: it did less work, so the comparison would be invalid."""
    if model.n_iter_ != epochs:
        raise RuntimeError(f"{type(model).__name__} did {model.n_iter_} epochs instead of {epochs}")
    return model


def ours(X: Any, y: Any, *, epochs: int = EPOCHS, **options: Any) -> Side:
    """Rosenblatt's Perceptron; the default order is a new permutation each epoch."""
    from rosenblatt import Perceptron

    arguments = ", ".join(f"{key}={value!r}" for key, value in options.items())
    return Side(
        f"Perceptron({arguments})",
        lambda: check_epochs(Perceptron(max_iter=epochs, random_state=0, **options).fit(X, y), epochs),
    )


def sklearn_perceptron(X: Any, y: Any, *, epochs: int = EPOCHS, shuffle: bool = True, n_jobs: int = 1) -> Side:
    """scikit-learn's Perceptron."""
    from sklearn.linear_model import Perceptron

    options: dict[str, Any] = {"max_iter": epochs, "tol": None, "shuffle": shuffle, "n_jobs": n_jobs, "random_state": 0}
    name = "scikit-learn Perceptron" + (f", n_jobs={n_jobs}" if n_jobs > 1 else "")
    return Side(name, lambda: check_epochs(Perceptron(**options).fit(X, y), epochs))


def sklearn_average(X: Any, y: Any, *, epochs: int = EPOCHS) -> Side:
    """scikit-learn's averaged perceptron: SGDClassifier with the perceptron's loss and ``average=True``."""
    from sklearn.linear_model import SGDClassifier

    options: dict[str, Any] = {"loss": "perceptron", "penalty": None, "learning_rate": "constant", "eta0": 1.0}
    options |= {"average": True, "max_iter": epochs, "tol": None, "random_state": 0}
    return Side("SGDClassifier(average=True)", lambda: check_epochs(SGDClassifier(**options).fit(X, y), epochs))


def mlxtend_perceptron(X: Any, y: Any, *, epochs: int) -> Side:
    """mlxtend's Perceptron: the textbook rule, a new permutation each epoch, a Python loop."""
    from mlxtend.classifier import Perceptron

    return Side("mlxtend Perceptron", lambda: Perceptron(eta=0.5, epochs=epochs, random_seed=0).fit(X, y))


def if_installed(build: Callable[[], Any]) -> Any | None:
    """The result of ``build``, or None after printing which package is missing."""
    try:
        return build()
    except ImportError as missing:
        print(f"left out: {missing.name} is not installed")
        return None
