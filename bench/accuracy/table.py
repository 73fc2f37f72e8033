"""Test accuracy of the default learner compared with its peers' defaults, on real data sets.

``python -m bench accuracy --data DIR`` prints the table; ``--grid`` compares numbers of epochs and ``keep``;
``--raw`` adds the unscaled tables; names after it choose some sets. A difference is judged by the binomial standard
error sqrt(p (1 - p) / n) of scikit-learn's Perceptron over the n distinct test rows.
"""

from __future__ import annotations

import argparse
import json
import math
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.accuracy.data_sets import CACHE, RAW_SETS, SETS, DataSet
from bench.accuracy.read_sets import Examples, Labels, Matrix

SEEDS = 5
SLOW_ROWS = 100_000
SLOW_CELLS = 15_000_000
BASE = "sklearn Perceptron"
OURS = "rosenblatt"


@dataclass(frozen=True)
class Column:
    """One learner of the table: how to build it from a seed, the number of seeds, and whether its rows are limited."""

    name: str
    make: Callable[[int], Any]
    seeds: int = SEEDS
    slow: bool = False


def peers() -> list[Column]:
    """scikit-learn's linear classifiers, every one at its defaults."""
    from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
    from sklearn.svm import LinearSVC

    return [
        Column(BASE, lambda seed: Perceptron(random_state=seed)),
        Column("SGDClassifier", lambda seed: SGDClassifier(random_state=seed)),
        Column("LinearSVC", lambda seed: LinearSVC(random_state=seed), seeds=1, slow=True),
        Column("LogisticRegression", lambda seed: LogisticRegression(random_state=seed), seeds=1, slow=True),
    ]


def ours(**options: Any) -> Column | None:
    """The default learner of this package, or None if the package is not built."""
    try:
        from rosenblatt import Perceptron
    except ImportError:
        return None
    label = " ".join(f"{value}" for value in options.values())
    return Column(label or OURS, lambda seed: Perceptron(random_state=seed, **options))


def bounded(X: Matrix, y: Labels) -> tuple[Matrix, Labels]:
    """A random part of the rows, for solvers that would need many minutes for all of them."""
    cells = X.nnz if hasattr(X, "nnz") else X.size
    rows = min(len(y), SLOW_ROWS, int(SLOW_CELLS * len(y) / max(cells, 1)))
    if rows == len(y):
        return X, y
    chosen = np.sort(np.random.default_rng(0).permutation(len(y))[:rows])
    return X[chosen], y[chosen]


def accuracy(data: DataSet, examples: Examples, column: Column) -> list[float]:
    """The test accuracy of every seed, each the mean over the splits."""
    scores: list[list[float]] = [[] for _ in range(column.seeds)]
    for X, y, X_test, y_test in data.splits(examples):
        X_fit, y_fit = bounded(X, y) if column.slow else (X, y)
        for seed in range(column.seeds):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = column.make(seed).fit(X_fit, y_fit)
            scores[seed].append(float(np.mean(model.predict(X_test) == y_test)))
    return [float(np.mean(part)) for part in scores]


def test_rows(data: DataSet, examples: Examples) -> int:
    """The number of distinct rows the accuracy is an average over (ten quarters cover nearly every row)."""
    if examples.y_test is not None:
        return len(examples.y_test)
    return len(examples.y) if data.repeats > 1 else math.ceil(len(examples.y) / 4)


def standard_error(p: float, n: int) -> float:
    """The standard error of a proportion p of n independent trials."""
    return math.sqrt(max(p * (1.0 - p), 0.0) / n)


class Memo:
    """A cache of the peers' accuracies, beside the parsed sets: peers do not change when this package does."""

    def __init__(self) -> None:
        import sklearn

        self.path = CACHE / f"peers-{sklearn.__version__}.json"

    def known(self) -> dict[str, list[float]]:
        """What has been measured so far, by this process or another."""
        return dict(json.loads(self.path.read_text())) if self.path.exists() else {}

    def accuracy(self, data: DataSet, examples: Examples, column: Column) -> list[float]:
        """The known accuracies of a peer, or new ones."""
        key = f"{data.name} | {column.name} | {column.seeds}"
        known = self.known()
        if key not in known:
            score = accuracy(data, examples, column)
            known = self.known() | {key: score}
            self.path.write_text(json.dumps(known, indent=1))
        return known[key]


def verdict(mine: float, base: float, error: float) -> str:
    """Our accuracy relative to scikit-learn's Perceptron, in standard errors."""
    if mine < base - error:
        return "BELOW"
    return "better" if mine > base + error else "equal"


def chosen(names: Iterable[str], raw: bool) -> list[DataSet]:
    """The sets whose names contain one of the given words; all of them without words."""
    wanted = list(names)
    sets = SETS + (RAW_SETS if raw else ())
    return [data for data in sets if not wanted or any(word in data.name for word in wanted)]


def loaded(folder: Path, sets: list[DataSet]) -> Iterator[tuple[DataSet, Examples, list[float], float]]:
    """Every set in the folder, with scikit-learn's accuracies and the standard error of their mean."""
    memo, base = Memo(), peers()[0]
    for data in sets:
        try:
            examples = data.load(folder)
        except FileNotFoundError as missing:
            print(f"{data.name:24} left out: no {missing.filename}")
            continue
        scores = memo.accuracy(data, examples, base)
        yield data, examples, scores, standard_error(float(np.mean(scores)), test_rows(data, examples))


def too_slow(column: Column, data: DataSet, examples: Examples) -> bool:
    """Whether this is a batch solver on a long unscaled table: it would run for hours without converging."""
    return column.slow and data in RAW_SETS and len(examples.y) > SLOW_ROWS


def verdicts(mine: list[float] | None, base: list[float], error: float) -> tuple[str, str]:
    """Over all seeds, and for the literal defaults (both learners have random_state=0)."""
    if mine is None:
        return "", ""
    return verdict(float(np.mean(mine)), float(np.mean(base)), error), verdict(mine[0], base[0], error)


def table(folder: Path, sets: list[DataSet]) -> None:
    """Print the accuracies in percent, one line per set as soon as it is known."""
    memo, mine, others = Memo(), ours(), peers()[1:]
    heads = [OURS, BASE, "its spread", *(column.name for column in others), f"{OURS} 0", f"{BASE} 0"]
    print(f"{'set':24} {'rows':>7} {'s.e.':>5} " + " ".join(f"{head:>18}" for head in heads) + "  seeds   seed 0")
    words: list[tuple[str, str]] = []
    for data, examples, base, error in loaded(folder, sets):
        scores = accuracy(data, examples, mine) if mine else None
        rest = [None if too_slow(c, data, examples) else np.mean(memo.accuracy(data, examples, c)) for c in others]
        first = [np.mean(scores) if scores else None, np.mean(base), np.std(base)]
        values = [*first, *rest, scores[0] if scores else None, base[0]]
        cells = " ".join(f"{'-':>18}" if value is None else f"{100 * value:18.2f}" for value in values)
        words.append(verdicts(scores, base, error))
        print(
            f"{data.name:24} {len(examples.y):7d} {100 * error:5.2f} {cells}  {' '.join(f'{w:7}' for w in words[-1])}",
            flush=True,
        )
    print(footnote(words))


def footnote(words: list[tuple[str, str]]) -> str:
    """The counts, and how the numbers were made."""
    lines = [
        f"{name}: better {column.count('better')}, equal within one standard error {column.count('equal')}, "
        f"below {column.count('BELOW')}."
        for name, column in zip((f"Mean of {SEEDS} seeds", "Seed 0 alone"), zip(*words, strict=True), strict=True)
    ]
    lines += [
        "All at their defaults. The spread is the standard deviation of scikit-learn's Perceptron over its seeds,",
        "which the binomial standard error knows nothing of. LinearSVC and LogisticRegression learn from at most",
        f"{SLOW_ROWS:,} rows and {SLOW_CELLS:,} stored values. Sets without a test part: a quarter held out, ten times",
        "for the small ones. Small tables and covtype are standardised by their training part unless they are raw.",
    ]
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    """The command line of ``python -m bench accuracy``."""
    parser = argparse.ArgumentParser(prog="python -m bench accuracy", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="sets whose names contain these words; all when none is given")
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds the data sets")
    parser.add_argument("--grid", action="store_true", help="epochs against what is kept, ours only")
    parser.add_argument("--raw", action="store_true", help="add the unscaled tables")
    options = parser.parse_args(arguments)
    if options.grid:
        from bench.accuracy.epochs_and_keep import grid as table_of
    else:
        table_of = table
    table_of(options.data, chosen(options.names, options.raw))
