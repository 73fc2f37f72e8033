"""``python -m bench numbers --data FOLDER``: numbers predicted without options, against RidgeCV on the same files.

RidgeCV has what a careful user gives it (ridge_cv.py). A set is met where our RMSE is at most 1% or one standard error
behind: the standard error is that of the difference of the squared errors on the same test rows, over all splits.
Both sides are timed from the same file to a model: as whole processes that save it, and in this one, which has fitted
before.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from bench.panel import ridge_cv
from bench.panel.ours import rosenblatt

TEST_SHARE, SPLITS = 0.3, 5
BEHIND = 1.01
ROOT = Path(__file__).parents[2]
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


def blocks_of_houses(rows: int, seed: int) -> Callable[[Path | None], Any]:
    """Like the houses of California: long tails, places, and a price that is not linear, and capped."""

    def read(_: Path | None) -> Any:
        import pandas as pd

        random = np.random.default_rng(seed)
        income, rooms = random.lognormal(1.2, 0.5, rows), random.lognormal(1.6, 0.3, rows)
        age, people = random.integers(1, 53, rows), random.lognormal(7, 0.8, rows).round()
        north, east = random.uniform(32, 42, rows), random.uniform(-124, -114, rows)
        coast = np.exp(-np.abs(north + 0.8 * (east + 124) - 40))
        price = 0.45 * income + 1.5 * coast + 0.01 * age + 0.2 * np.log(rooms) + 0.4 * random.normal(size=rows)
        columns = {"income": income, "rooms": rooms, "age": age, "people": people, "north": north, "east": east}
        return pd.DataFrame(columns).assign(target=np.clip(price, 0.15, 5.0) * 100_000)

    return read


def orders(kind: str, rows: int, seed: int) -> Callable[[Path | None], Any]:
    """Orders with a date, one of many products and unknown cells; "outliers" has a few costs a thousand times off."""

    def read(_: Path | None) -> Any:
        import pandas as pd

        random = np.random.default_rng(seed)
        days, product = random.integers(0, 1500, rows), random.zipf(1.3, rows) % 600
        weight, distance = random.lognormal(0, 1, rows), random.uniform(0, 900, rows)
        cost = 0.02 * days + random.normal(size=600)[product] * 8 + 5 * weight + 0.03 * distance
        cost = cost + random.normal(size=rows) * 5
        if kind == "outliers":
            cost = np.where(random.random(rows) < 0.003, cost * 1000, cost)
        frame = pd.DataFrame(
            {
                "day": (pd.Timestamp("2019-01-01") + pd.to_timedelta(days, unit="D")).strftime("%Y-%m-%d"),
                "product": [f"P{code}" for code in product],
                "weight": np.where(random.random(rows) < 0.1, np.nan, weight),
                "distance": distance.round(1),
            }
        )
        return frame.assign(target=cost.round(2))

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
    others = [
        NumberSet("blocks", blocks_of_houses(12_000, seed=20), "target"),
        NumberSet("orders", orders("orders", 6000, seed=21), "target"),
        NumberSet("outliers", orders("outliers", 6000, seed=22), "target"),
    ]
    return [*table_sets(folder), NumberSet("diabetes", diabetes, "target"), *generated_sets, *others]


class Side(NamedTuple):
    """What one side predicts, and its seconds from the file to a model."""

    predicted: Any
    process: float  # of the whole process, as a shell runs it
    work: float  # in a process that has fitted before: without starting Python and importing
    rule: str = ""


def ridge(path: Path, test: Any, target: str) -> Side:
    """RidgeCV on standardised one-hot columns."""
    saved = path.parent / "ridge"
    command = [sys.executable, "-m", "bench.panel.ridge_cv", str(path), target, str(saved)]
    start = perf_counter()
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    process, start = perf_counter() - start, perf_counter()
    model = ridge_cv.fitted(path, target)
    work = perf_counter() - start
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Side(ridge_cv.predicted(model, test, target), process, work)


def ours(path: Path, test: Path, target: str) -> Side:
    """`rosenblatt fit` and `predict`."""
    from rosenblatt import fit_file
    from rosenblatt.readers.source import ReadOptions

    model = path.parent / "model"
    start = perf_counter()
    fitted = json.loads(rosenblatt("fit", path, "--label", target, "-o", model, "--json"))
    process, start = perf_counter() - start, perf_counter()
    fit_file(path, reading=ReadOptions(label=target, decide=True))
    work = perf_counter() - start
    lines = rosenblatt("predict", model, test).splitlines()
    return Side(np.array(list(map(float, lines))), process, work, fitted["rule"])


def both_sides(train: Any, test: Any, target: str) -> dict[str, Side]:
    """RidgeCV and ours, from the same files."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("train.csv", "test.csv")]
        order = [*(name for name in train.columns if name != target), target]
        for frame, path in zip((train, test), paths, strict=True):
            frame[order].to_csv(path, index=False, quoting=csv.QUOTE_MINIMAL)
        return {"ridge": ridge(paths[0], test, target), "ours": ours(*paths, target)}


def run(data: NumberSet, folder: Path | None, splits: int = SPLITS) -> dict[str, Any]:
    """Both sides of one set."""
    frame = data.read(folder)
    squares: dict[str, list[Any]] = {"ours": [], "ridge": []}
    process: dict[str, list[float]] = {"ours": [], "ridge": []}
    work: dict[str, list[float]] = {"ours": [], "ridge": []}
    rules = set()
    for seed in range(splits):
        order = np.random.default_rng(seed).permutation(len(frame))
        n_test = int(len(frame) * TEST_SHARE)
        test, train = (frame.iloc[np.sort(part)] for part in (order[:n_test], order[n_test:]))
        truth = test[data.target].to_numpy(dtype=float)
        for name, side in both_sides(train, test, data.target).items():
            squares[name].append((side.predicted - truth) ** 2)
            process[name].append(side.process)
            work[name].append(side.work)
            rules |= {side.rule} - {""}
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
        "seconds": {name: min(values) for name, values in process.items()},
        "seconds_of_work": {name: min(values) for name, values in work.items()},
        "rules": sorted(rules),
        "met": bool(met),
    }


def line(name: str, result: dict[str, Any]) -> str:
    return (
        f"{name:14}{result['rows']:>8,}{result['rmse']['ours']:>14.5g}{result['rmse']['ridge']:>14.5g}"
        f"{result['ratio']:>8.4f} ±{result['standard_error']:<8.4f}{'met' if result['met'] else 'BEHIND':8}"
        f"{times_faster(result, 'seconds'):>6.1f} x{times_faster(result, 'seconds_of_work'):>6.1f} x  "
        f"{' '.join(result['rules'])}"
    )


def times_faster(result: dict[str, Any], what: str) -> float:
    return float(result[what]["ridge"] / max(result[what]["ours"], 1e-9))


def markdown(results: dict[str, Any]) -> Iterator[str]:
    """The results as a table of the docs."""
    yield "| set | rows | our RMSE | RidgeCV | ratio | standard error | file to model | RidgeCV | times faster |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, result in results.items():
        rmse, took = result["rmse"], result["seconds"]
        yield (
            f"| {name} | {result['rows']:,} | {rmse['ours']:.5g} | {rmse['ridge']:.5g} | {result['ratio']:.4f} "
            f"| {result['standard_error']:.4f} | {took['ours']:.2f} s | {took['ridge']:.2f} s "
            f"| {times_faster(result, 'seconds'):.1f} |"
        )


def main(arguments: list[str]) -> None:
    """The command line of ``python -m bench numbers``."""
    parser = argparse.ArgumentParser(prog="python -m bench numbers", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="the folder of the real tables; without it those are left out")
    parser.add_argument("--sets", nargs="+", default=[], metavar="NAME", help="some of the sets")
    parser.add_argument("--splits", type=int, default=SPLITS, help=f"random splits of each ({SPLITS})")
    parser.add_argument("--markdown", action="store_true", help="print the saved results as the table of the docs")
    parser.add_argument(
        "--times", action="store_true", help="measure only the times of the saved results, by one split"
    )
    parser.add_argument("--save", action="store_true", help=f"save the results in {RESULTS.name}")
    options = parser.parse_args(arguments)
    if options.markdown:
        print("\n".join(markdown(json.loads(RESULTS.read_text()))))
        return
    print(f"{'set':14}{'rows':>8}{'our RMSE':>14}{'RidgeCV':>14}{'ratio':>8} ±{'':8}{'':8}{'process':>8}{'work':>8}")
    goes_on = options.times or (options.sets and RESULTS.exists())
    results: dict[str, Any] = json.loads(RESULTS.read_text()) if goes_on else {}
    run(NumberSet("warm-up", generated("plain", 100, 3, seed=9), "target"), None, 1)  # imports
    for data in all_sets(options.data):
        if options.sets and data.name not in options.sets:
            continue
        result = run(data, options.data, 1 if options.times else options.splits)
        if options.times:
            result = results[data.name] | {what: result[what] for what in ("seconds", "seconds_of_work")}
        results[data.name] = result
        print(line(data.name, results[data.name]), flush=True)
    print(f"\n{sum(result['met'] for result in results.values())} of {len(results)} met.")
    if options.save:
        RESULTS.write_text(json.dumps(results, indent=2) + "\n")
