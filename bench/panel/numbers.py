"""``python -m bench numbers --data FOLDER``: numbers that we predict without options against RidgeCV on the same files.

RidgeCV has what a careful user gives it: missing numbers filled in, numbers standardised, words one-hot and
standardised too, and its penalty chosen among thirteen. A set is met where our RMSE is at most 1% or one standard error
behind: the standard error is that of the difference of the squared errors on the same test rows, over all splits.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from bench.panel.ours import rosenblatt

TEST_SHARE, SPLITS = 0.3, 5
ALPHAS = np.logspace(-3, 3, 13)
BEHIND = 1.01
RESULTS = Path(__file__).parent / "results" / "numbers.json"


@dataclass(frozen=True)
class NumberSet:
    """A table with a number to predict, which is its last column when it is written."""

    name: str
    read: Callable[[Path | None], Any]  # a DataFrame
    target: str


def table_sets(folder: Path | None) -> Iterator[NumberSet]:
    """The real tables, where their folder is named; labels.json says what each predicts."""
    if folder is None:
        return
    import pandas as pd

    targets = json.loads((folder / "tables_numeric" / "labels.json").read_text())
    for name, target in targets.items():
        path = folder / "tables_numeric" / f"{name}.csv.gz"
        yield NumberSet(name, lambda _, path=path: pd.read_csv(io.BytesIO(gzip.decompress(path.read_bytes()))), target)


def diabetes(_: Path | None) -> Any:
    from sklearn.datasets import load_diabetes

    return load_diabetes(as_frame=True, scaled=False).frame


def generated(kind: str, rows: int, columns: int, seed: int) -> Callable[[Path | None], Any]:
    """Tables whose truth is linear: with columns that say the same, with words, with few rows, with outliers."""

    def read(_: Path | None) -> Any:
        import pandas as pd

        random = np.random.default_rng(seed)
        X = random.normal(size=(rows, columns))
        if kind == "collinear":
            X[:, 1::2] = X[:, ::2][:, : X[:, 1::2].shape[1]] + 0.05 * X[:, 1::2]
        coef = random.normal(size=columns) * (random.random(columns) < (0.1 if kind == "sparse" else 1.0))
        y = X @ coef + random.normal(size=rows) * (3.0 if kind == "noisy" else 1.0)
        frame = pd.DataFrame(X * 10.0 ** random.integers(-2, 3, columns), columns=[f"x{j}" for j in range(columns)])
        if kind == "words":
            levels = random.normal(size=40) * 3
            codes = random.zipf(1.5, rows) % 40
            frame["place"], y = [f"p{code}" for code in codes], y + levels[codes]
        if kind == "heavy":
            y += random.standard_t(2, rows)
        return frame.assign(target=y * 1000 + 50_000)

    return read


def all_sets(folder: Path | None) -> list[NumberSet]:
    sizes = {
        "plain": (2000, 20),
        "noisy": (500, 30),
        "sparse": (800, 200),
        "wide": (150, 300),
        "collinear": (1000, 40),
        "words": (3000, 8),
        "heavy": (3000, 15),
        "long": (60_000, 12),
    }
    generated_sets = [
        NumberSet(kind, generated(kind, *size, seed=k), "target") for k, (kind, size) in enumerate(sizes.items())
    ]
    return [*table_sets(folder), NumberSet("diabetes", diabetes, "target"), *generated_sets]


def ridge(train: Any, test: Any, target: str) -> tuple[Any, float]:
    """RidgeCV on standardised one-hot columns: its predictions, and the seconds that its fit took."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    words = [name for name in train.columns if name != target and train[name].dtype.kind not in "biuf"]
    numbers = [name for name in train.columns if name not in (*words, target)]
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
        (make_pipeline(OneHotEncoder(handle_unknown="ignore"), StandardScaler(with_mean=False)), words),
    )
    model = make_pipeline(columns, RidgeCV(ALPHAS))
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(train.drop(columns=target), train[target])
        seconds = perf_counter() - start
        return model.predict(test.drop(columns=target)), seconds


def ours(train: Any, test: Any, target: str) -> tuple[Any, float, str]:
    """`rosenblatt fit FILE` and `predict` as a shell runs them: predictions, the seconds of the fit alone, the rule."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("train.csv", "test.csv")]
        order = [*(name for name in train.columns if name != target), target]
        for frame, path in zip((train, test), paths, strict=True):
            frame[order].to_csv(path, index=False, quoting=csv.QUOTE_MINIMAL)
        model = Path(folder) / "model"
        fitted = json.loads(rosenblatt("fit", paths[0], "--label", target, "-o", model, "--json"))
        lines = rosenblatt("predict", model, paths[1]).splitlines()
        return np.array(list(map(float, lines))), fitted["seconds"], fitted["rule"]


def run(data: NumberSet, folder: Path | None, splits: int = SPLITS) -> dict[str, Any]:
    """Both sides of one set."""
    frame = data.read(folder)
    squares: dict[str, list[Any]] = {"ours": [], "ridge": []}
    seconds = {"ours": 0.0, "ridge": 0.0}
    rules = []
    for seed in range(splits):
        order = np.random.default_rng(seed).permutation(len(frame))
        n_test = int(len(frame) * TEST_SHARE)
        test, train = (frame.iloc[np.sort(part)] for part in (order[:n_test], order[n_test:]))
        predicted, took = ridge(train, test, data.target)
        mine, mine_took, rule = ours(train, test, data.target)
        truth = test[data.target].to_numpy(dtype=float)
        squares["ridge"].append((predicted - truth) ** 2)
        squares["ours"].append((mine - truth) ** 2)
        seconds = {"ours": seconds["ours"] + mine_took, "ridge": seconds["ridge"] + took}
        rules.append(rule)
    errors = {side: np.concatenate(parts) for side, parts in squares.items()}
    rmse = {side: float(np.sqrt(values.mean())) for side, values in errors.items()}
    difference = errors["ours"] - errors["ridge"]
    # Each row is in several test parts: as many differences are independent as there are rows.
    independent = min(len(difference), len(frame))
    deviation = float(difference.std() / np.sqrt(independent)) / (2 * rmse["ridge"])
    met = rmse["ours"] <= max(BEHIND * rmse["ridge"], rmse["ridge"] + deviation)
    return {
        "rows": len(frame),
        "rmse": rmse,
        "ratio": rmse["ours"] / rmse["ridge"],
        "standard_error": deviation / rmse["ridge"],
        "seconds": seconds,
        "rules": sorted(set(rules)),
        "met": bool(met),
    }


def line(name: str, result: dict[str, Any]) -> str:
    took = result["seconds"]["ridge"] / max(result["seconds"]["ours"], 1e-9)
    return (
        f"{name:14}{result['rows']:>8,}{result['rmse']['ours']:>14.5g}{result['rmse']['ridge']:>14.5g}"
        f"{result['ratio']:>8.4f} ±{result['standard_error']:<8.4f}{'met' if result['met'] else 'BEHIND':8}"
        f"{took:>6.1f} x  {' '.join(result['rules'])}"
    )


def main(arguments: list[str]) -> None:
    """The command line of ``python -m bench numbers``."""
    parser = argparse.ArgumentParser(prog="python -m bench numbers", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="the folder of the real tables; without it those are left out")
    parser.add_argument("--sets", nargs="+", default=[], metavar="NAME", help="some of the sets")
    parser.add_argument("--splits", type=int, default=SPLITS, help=f"random splits of each ({SPLITS})")
    parser.add_argument("--save", action="store_true", help=f"save the results in {RESULTS.name}")
    options = parser.parse_args(arguments)
    print(f"{'set':14}{'rows':>8}{'our RMSE':>14}{'RidgeCV':>14}{'ratio':>8} ±{'':8}{'':8}{'faster':>8}")
    results = {}
    for data in all_sets(options.data):
        if options.sets and data.name not in options.sets:
            continue
        results[data.name] = run(data, options.data, options.splits)
        print(line(data.name, results[data.name]), flush=True)
    print(f"\n{sum(result['met'] for result in results.values())} of {len(results)} met.")
    if options.save:
        RESULTS.write_text(json.dumps(results, indent=2) + "\n")
