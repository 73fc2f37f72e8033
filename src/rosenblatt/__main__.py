"""`python -m rosenblatt`: the perceptron learns AND, is honest about XOR, and is quick on a large table."""

from time import perf_counter

import numpy as np

from rosenblatt import Perceptron

ROWS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
AND = np.array([-1, -1, -1, 1])
XOR = np.array([-1, 1, 1, -1])


def textbook(max_iter: int = 100) -> Perceptron:
    """The rule as the lectures state it: rows in order, w = 0, rate 1, and the last weights are the answer."""
    return Perceptron(order="given", keep="last", max_iter=max_iter)


def show_and() -> None:
    """One line for each epoch until one is clean; the lectures' run ends at w = [-4, 3, 2]."""
    run = textbook().fit(ROWS, AND)
    print("AND, as in the lectures: rows in order, w = 0, rate 1\n")
    print("  epoch  mistakes   w0  w1  w2")
    unit = textbook()
    for epoch, mistakes in enumerate(run.mistakes_, start=1):
        unit.partial_fit(ROWS, AND, classes=[-1, 1])
        weights = "".join(f"{w:4.0f}" for w in [*unit.intercept_, *unit.coef_[0]])
        print(f"  {epoch:5}  {mistakes:8} {weights}")
    print(f"\n  {run.status_}: a clean epoch after {run.n_mistakes_} mistakes, {run.t_} examples seen\n")


def show_xor() -> None:
    """No single unit can do XOR, so the run spends its budget and says so."""
    run = textbook().fit(ROWS, XOR)
    print("XOR, which no single unit can do\n")
    print(f"  {run.status_}: {run.n_iter_} epochs, {run.n_mistakes_} mistakes, none of them clean\n")


def show_speed(rows: int = 200_000, features: int = 50, epochs: int = 5) -> None:
    """Noisy two-class data, shuffled, timed on this machine."""
    random = np.random.default_rng(0)
    X = random.standard_normal((rows, features))
    y = X @ random.standard_normal(features) + random.standard_normal(rows) > 0
    start = perf_counter()
    model = Perceptron(max_iter=epochs).fit(X, y)
    seconds = perf_counter() - start
    print(f"{rows:,} noisy examples of {features} features, {model.n_iter_} epochs\n")
    print(f"  {seconds:.2f} s, {model.t_ / seconds / 1e6:.1f} million examples a second, {model.score(X, y):.1%} right")


if __name__ == "__main__":
    show_and()
    show_xor()
    show_speed()
