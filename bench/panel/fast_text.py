"""fastText's supervised mode as a peer for texts: its users' usual settings, and what its own autotuning finds."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from bench.panel.data.raw import Raw

TUNING_SECONDS = 90
TUNED = ("epoch", "lr", "dim", "minCount", "wordNgrams", "minn", "maxn", "bucket")  # what autotuning chooses


def plain(text: str) -> str:
    """Lower case, without the signs that mean something to Vowpal Wabbit."""
    return text.lower().replace(":", " ").replace("|", " ").replace("\n", " ")


def shuffled(X: Any, y: Any) -> tuple[Any, Any]:
    """In a random order: a file may be sorted by its label, which would spoil an online learner."""
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


def texts_of(raw: Raw) -> Any:
    """The texts; of a table with texts in it all cells that are no ids, the others as words that name their column."""
    if raw.kind == "text":
        return raw.X
    texts, ids = raw.roles.get("texts", ()), raw.roles.get("ids", ())
    columns = {name: raw.X[name].fillna("").astype(str) for name in raw.X if name not in ids}
    parts = [cells if name in texts else name + "=" + cells.str.replace(" ", "_") for name, cells in columns.items()]
    return np.array([" ".join(row) for row in zip(*parts, strict=True)], dtype=object)


def lines(X: Any, y: Any) -> str:
    return "".join(f"__label__{code} {plain(text)}\n" for code, text in zip(y, X, strict=True))


def fast_text(X: Any, y: Any, X_new: Any, **options: Any) -> Any:
    """Logarithms of the probabilities of new texts, learned in a random order."""
    import fasttext

    X, y = shuffled(X, y)
    n_classes = int(y.max()) + 1
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(lines(X, y))
        file.flush()
        model = fasttext.train_supervised(file.name, thread=1, seed=0, verbose=0, **options)
    scores = np.full((len(X_new), n_classes), -20.0)
    for row, text in enumerate(X_new):  # model.predict fails with numpy 2, model.f does not
        for value, label in model.f.predict(plain(text) + "\n", n_classes, 0.0, "strict"):
            scores[row, int(label.removeprefix("__label__"))] = np.log(max(value, 1e-9))
    return scores[:, 1] - scores[:, 0] if n_classes == 2 else scores


def fast_text_settings(X: Any, y: Any) -> list[dict[str, Any]]:
    """The usual ones, and the best that autotuning finds for these texts."""
    usual = [{"epoch": epoch, "wordNgrams": n, "lr": 0.5, "bucket": 500_000} for epoch in (5, 25) for n in (1, 2)]
    return [*usual, autotuned(X, y)]


def autotuned(X: Any, y: Any, seconds: int = TUNING_SECONDS) -> dict[str, Any]:
    """What fastText chooses by a fifth of the texts that it is not shown."""
    import fasttext
    from sklearn.model_selection import train_test_split

    rows = train_test_split(np.arange(len(y)), test_size=0.2, random_state=0, stratify=y)
    with tempfile.TemporaryDirectory() as name:
        paths = [Path(name) / part for part in ("train.txt", "valid.txt")]
        for path, part in zip(paths, rows, strict=True):
            path.write_text(lines(*shuffled(X[part], y[part])))
        model = fasttext.train_supervised(
            str(paths[0]), thread=1, seed=0, verbose=0, autotuneValidationFile=str(paths[1]), autotuneDuration=seconds
        )
    chosen = model.f.getArgs()
    return {option: getattr(chosen, option) for option in TUNED}
