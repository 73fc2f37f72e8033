"""The peers: what each learns from, and the settings among which cross-validation chooses."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from bench.panel.data.raw import Raw, sparse_lines
from bench.panel.data.split_files import Split
from bench.panel.fast_text import fast_text, fast_text_settings, plain, shuffled, texts_of
from bench.panel.features import matrices

# Learns from (X, y) and returns the scores of new rows; y are codes from 0.
Learner = Callable[..., Any]
PENALTIES = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
TEXT_PENALTIES = (0.1, 1.0, 10.0, 100.0)


@dataclass(frozen=True)
class Peer:
    """A learner with its settings; `own_probabilities` says that a softmax of its scores is one."""

    name: str
    learn: Learner
    settings: list[dict[str, Any]]
    X: Any
    X_test: Any
    own_probabilities: bool = False
    seconds_before: float = 0.0  # what starting, reading and computing the features took


def logistic(X: Any, y: Any, X_new: Any, C: float) -> Any:
    """Multinomial for many classes."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=C, max_iter=1000).fit(X, y).decision_function(X_new)


def linear_svc(X: Any, y: Any, X_new: Any, C: float) -> Any:
    """One unit against the rest for many classes."""
    from sklearn.svm import LinearSVC

    dual = X.shape[0] < X.shape[1]
    return LinearSVC(C=C, dual=dual, max_iter=2000).fit(X, y).decision_function(X_new)


def wabbit(X: Any, y: Any, X_new: Any, options: str) -> Any:
    """Vowpal Wabbit, from its text format, in a random order."""
    from vowpalwabbit import Workspace

    X, y = shuffled(X, y)
    n_classes = int(y.max()) + 1
    labels = [str(2 * code - 1 if n_classes == 2 else code + 1) for code in y]
    scheme = f"--oaa {n_classes} " if n_classes > 2 else ""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, part, names in (("train", X, labels), ("test", X_new, ["1"] * X_new.shape[0])):
            (folder / file).write_text("".join(wabbit_lines(part, names)))
        Workspace(f"-d {folder}/train -f {folder}/model --cache_file {folder}/cache {scheme}{options} --quiet").finish()
        Workspace(f"-t -i {folder}/model -d {folder}/test -r {folder}/scores --quiet").finish()
        lines = (folder / "scores").read_text().split("\n")[: X_new.shape[0]]
    if n_classes == 2:
        return np.array([float(line.split()[0]) for line in lines])
    return np.array([[float(pair.rpartition(":")[2]) for pair in line.split()] for line in lines])


def wabbit_lines(X: Any, labels: list[str]) -> Iterator[str]:
    """Texts as their words, anything else as numbered features."""
    import scipy.sparse as sp

    if X.dtype == object:
        return (f"{label} | {plain(text)}\n" for label, text in zip(labels, X, strict=True))
    return sparse_lines(sp.csr_matrix(X), [f"{label} |" for label in labels])


@cache
def start_seconds() -> float:
    """What a script needs to start and to import scikit-learn and pandas: our side starts, too."""
    start = perf_counter()
    code = "import pandas, sklearn.datasets, sklearn.linear_model, sklearn.svm"
    subprocess.run([sys.executable, "-c", code], check=True)
    return perf_counter() - start


def read_again(path: Path) -> None:
    """Read the file as scikit-learn's users do: our side reads it, too."""
    import pandas as pd
    from sklearn.datasets import load_svmlight_file

    {".svm": load_svmlight_file, ".csv": pd.read_csv}.get(path.suffix, Path.read_text)(path)


def peers_of(split: Split, train: Raw, test: Raw) -> list[Peer]:
    """Every peer that is installed and suits the data."""
    start = perf_counter()
    read_again(split.train)
    X, X_test = matrices(train, test)
    seconds = perf_counter() - start + start_seconds()
    is_text = train.kind == "text"
    penalties = [{"C": C} for C in (TEXT_PENALTIES if is_text else PENALTIES)]
    peers = [
        Peer("LogisticRegression", logistic, penalties, X, X_test, own_probabilities=True, seconds_before=seconds),
        Peer("LinearSVC", linear_svc, penalties, X, X_test, seconds_before=seconds),
    ]
    if find_spec("vowpalwabbit"):
        X, X_test = (train.X, test.X) if is_text else (X, X_test)
        peers.append(Peer("vw", wabbit, wabbit_settings(is_text), X, X_test))
    if find_spec("fasttext") and (is_text or train.roles.get("texts")):
        texts, codes = texts_of(train), np.searchsorted(np.unique(train.y), train.y)
        peers.append(Peer("fastText", fast_text, fast_text_settings(texts, codes), texts, texts_of(test)))
    return peers


def wabbit_settings(is_text: bool) -> list[dict[str, Any]]:
    """Both losses, one pass and ten, with and without pairs of words."""
    pairs = ("-b 24", "-b 24 --ngram 2") if is_text else ("-b 18",)
    return [
        {"options": f"--loss_function {loss} --passes {passes} --holdout_off {words}"}
        for loss in ("hinge", "logistic")
        for passes in (1, 10)
        for words in pairs
    ]
