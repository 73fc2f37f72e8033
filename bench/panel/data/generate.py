"""Generated tables, texts and sparse rows: what ordinary files are like and no bundled data set is.

Each kind comes twice, with another seed and other proportions: one to tune on, one to confirm on.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.panel.data.raw import Raw

Random = np.random.Generator


def generated(build: Callable[..., Raw], seed: int, **options: Any) -> Callable[[Path], Raw]:
    """A reader that ignores the folder."""
    return lambda folder: build(np.random.default_rng(seed), **options)


def frame_of(columns: dict[str, Any], y: Any, **roles: tuple[str, ...]) -> Raw:
    """A table with string labels."""
    import pandas as pd

    return Raw("table", pd.DataFrame(columns), np.asarray(y).astype(str).astype(object), "outcome", roles)


def drawn(random: Random, score: Any, share: float, slope: float = 2.0) -> Any:
    """yes or no by a logistic model of the standardised score; about `share` are yes."""
    score = slope * (score - score.mean()) / score.std()
    low, high = -40.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if (1 / (1 + np.exp(-score - middle))).mean() < share else (low, middle)
    return np.where(random.random(len(score)) < 1 / (1 + np.exp(-score - low)), "yes", "no")


def with_gaps(random: Random, values: Any, share: float) -> Any:
    """The values with a share of empty cells."""
    values = np.asarray(values).astype(object)
    values[random.random(len(values)) < share] = None
    return values


def hex_ids(random: Random, n: int) -> list[str]:
    """Names that are different in every row."""
    return [f"{number:012x}" for number in random.integers(0, 2**48, n)]


def churn(random: Random, n: int = 4000, share: float = 0.15) -> Raw:
    """Customers: an id, a day, a city, a plan, a heavy-tailed balance, missing incomes that mean something."""
    cities = np.array(["Berlin", "Köln", "Paris", "New York, NY", "Lima", "Oslo", "Rome", "Pune"])
    city, plan = random.choice(cities, n, p=np.arange(8, 0, -1) / 36), random.choice(["free", "basic", "pro"], n)
    age, day = random.normal(45, 14, n).clip(18, 90).round(), random.integers(0, 1500, n)
    balance, no_income = random.lognormal(6, 2, n).round(2), random.random(n) < 0.2
    score = 0.04 * age - 0.003 * day + 0.5 * np.log(balance) + 1.2 * no_income + 1.5 * (plan == "free")
    score += random.normal(0, 1, 8)[np.searchsorted(np.sort(cities), city)]
    columns = {
        "customer": 100_000 + np.arange(n),
        "age": age.astype(int),
        "city": city,
        "plan": plan,
        "signup": (np.datetime64("2019-01-01") + day).astype(str),
        "balance": balance,
        "income": np.where(no_income, None, random.lognormal(10, 0.5, n).round().astype(object)),
    }
    return frame_of(columns, drawn(random, score, share), ids=("customer",), dates=("signup",))


def orders(random: Random, n: int = 5000, share: float = 0.3) -> Raw:
    """Orders: a random key, a time with its hour, an amount with a heavy tail, missing words and numbers."""
    minutes = random.integers(0, 500 * 1440, n)
    time = np.datetime64("2021-03-01T00:00") + minutes
    hour, weekday = (minutes // 60) % 24, (minutes // 1440) % 7
    country, device = random.choice(["de", "fr", "us", "in", "br"], n), random.choice(["phone", "desktop", "tablet"], n)
    amount, items = np.exp(0.8 * random.standard_t(3, n).clip(-5) + 4).round(2), random.poisson(2, n) + 1
    score = 1.0 * (hour > 20) + 0.7 * (weekday > 4) + 0.6 * np.log(amount) + 0.4 * items
    score += 1.0 * (country == "us") - 0.8 * (device == "desktop")
    columns = {
        "order": hex_ids(random, n),
        "time": np.char.replace(time.astype(str), "T", " "),
        "country": with_gaps(random, country, 0.1),
        "device": device,
        "amount": with_gaps(random, amount, 0.15),
        "items": items,
        "shop": "main",
    }
    return frame_of(columns, drawn(random, score, share), ids=("order",), dates=("time",))


def rare(random: Random, n: int = 20_000, n_numbers: int = 10, words: bool = False) -> Raw:
    """Half a percent are yes; heavy tails, in columns of very unlike sizes."""
    normal = random.normal(size=(n, n_numbers))
    scale = 10.0 ** random.integers(-3, 6, n_numbers)
    score = normal @ random.normal(size=n_numbers)
    columns: dict[str, Any] = {f"v{i}": np.sinh(normal[:, i]) * scale[i] for i in range(n_numbers)}
    if words:
        kind = random.integers(0, 30, n)
        score = score + random.normal(0, 2, 30)[kind]
        columns["kind"] = [f"k{code}" for code in kind]
    return frame_of(columns, drawn(random, score, 0.005, slope=3.0))


def noisy(random: Random, n: int = 3000, n_columns: int = 20, flipped: float = 0.2) -> Raw:
    """Correlated numbers, a fifth of the labels wrong."""
    X = random.normal(size=(n, n_columns)) @ random.normal(size=(n_columns, n_columns)) + 5
    right = (X - 5) @ random.normal(size=n_columns) > 0
    y = np.where(right ^ (random.random(n) < flipped), "good", "bad")
    return frame_of({f"x{i}": X[:, i].round(4) for i in range(n_columns)}, y)


def wide(random: Random, n: int = 2500, n_features: int = 20_000, per_row: int = 60, counts: bool = False) -> Raw:
    """Sparse rows of Zipf-like features, many more features than rows."""
    import scipy.sparse as sp

    columns = (n_features ** random.random((n, per_row)) - 1).astype(int)
    values = random.geometric(0.5, (n, per_row)) if counts else np.ones((n, per_row))
    X = sp.csr_matrix((values.ravel().astype(float), (np.repeat(np.arange(n), per_row), columns.ravel())))
    X.sum_duplicates()
    if not counts:
        X.data[:] = 1.0
    y = np.where(drawn(random, X @ random.standard_t(3, X.shape[1]), 0.4, slope=6.0) == "yes", "1", "-1")
    return Raw("svmlight", X, y.astype(object))


def in_order(random: Random, n: int = 3000, n_classes: int = 3, by_label: bool = True) -> Raw:
    """A file sorted by its label, or by a number that matters; units are unlike and far from zero."""
    X = random.normal(size=(n, 8))
    y = (X @ random.normal(size=(8, n_classes)) + random.gumbel(size=(n, n_classes))).argmax(axis=1)
    order = np.argsort(y if by_label else X[:, 0], kind="stable")
    X = X[order] * 10.0 ** random.integers(-6, 7, 8)
    X += X.std(axis=0) * random.choice([0, 5, 50, 500], 8)
    return frame_of({f"m{i}": X[:, i] for i in range(8)}, np.char.add("class ", y[order].astype(str)))


def many(random: Random, n: int = 10_000, n_classes: int = 100, n_columns: int = 20) -> Raw:
    """Clouds around as many centres, some large and some small."""
    centres = random.normal(size=(n_classes, n_columns)) * 0.9
    y = random.choice(n_classes, n, p=random.dirichlet(np.full(n_classes, 3.0)))
    X = (centres[y] + random.normal(size=(n, n_columns))) * random.lognormal(0, 2, n_columns)
    small = np.bincount(y, minlength=n_classes)[y] < 10
    columns = {f"x{i}": X[~small, i].round(5) for i in range(n_columns)}
    return frame_of(columns, [f"c{code:02d}" for code in y[~small]])


def comments(random: Random, n: int = 5000, share: float = 0.1, n_words: int = 3000) -> Raw:
    """A table with a running text, an id and a number: the text decides."""
    weights = random.standard_t(3, n_words)
    lengths = random.integers(5, 40, n)
    words = [(n_words ** random.random(length) - 1).astype(int) for length in lengths]
    votes = random.poisson(3, n)
    score = np.array([weights[row].sum() / np.sqrt(len(row)) for row in words]) + 0.2 * votes
    text = [" ".join(f"w{word}" for word in row) for row in words]
    columns = {"id": 7_000_000 + 13 * random.permutation(n), "votes": votes, "comment": text}
    return frame_of(columns, drawn(random, score, share, slope=5.0), ids=("id",), texts=("comment",))
