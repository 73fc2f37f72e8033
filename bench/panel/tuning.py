"""A peer at its best: settings by cross-validation, probabilities from out-of-fold scores, then all training rows."""

from __future__ import annotations

import warnings
from time import perf_counter, process_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from bench.panel.measures import decide, log_loss, measures
from bench.panel.peers import Peer

FEW, MANY = 2_000, 10_000  # five folds up to the first, one holdout from the second, three folds between
LARGE = 1_000_000  # values: above this many a search of penalties ends after some that did worse in a row
PATIENCE = 2


def folds(y: Any) -> list[tuple[Any, Any]]:
    """Rows to learn and rows to judge by."""
    from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

    rows = np.zeros(len(y))
    if len(y) >= MANY:
        return list(StratifiedShuffleSplit(1, test_size=0.2, random_state=0).split(rows, y))
    n_folds = min(5 if len(y) < FEW else 3, max(2, int(np.bincount(y).min())))
    return list(StratifiedKFold(n_folds, shuffle=True, random_state=0).split(rows, y))


def quiet(learn: Any, *arrays: Any, **settings: Any) -> tuple[Any, float]:
    """The scores and the processor time, on one thread; that a solver did not converge is part of searching."""
    start = process_time()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return learn(*arrays, **settings), process_time() - start


def tune(peer: Peer, y: Any, y_test: Any, jobs: int) -> dict[str, Any]:
    """The measures of the best setting on the test part, and the seconds of the search and of the last fit."""
    from joblib import Parallel, delayed

    start = perf_counter()
    parts = folds(y)
    judged = np.concatenate([y[rest] for _, rest in parts])
    scores, losses, search_times = [], [], []
    for group in groups(peer):
        tasks = [
            delayed(quiet)(peer.learn, peer.X[fit], y[fit], peer.X[rest], **setting)
            for setting in group
            for fit, rest in parts
        ]
        results, times = zip(*Parallel(n_jobs=jobs)(tasks), strict=True)
        search_times += times
        scores += [np.concatenate(results[i : i + len(parts)]) for i in range(0, len(tasks), len(parts))]
        losses += [loss(judged, part, peer.own_probabilities) for part in scores[len(losses) :]]
        if len(losses) > PATIENCE and min(losses[-PATIENCE:]) > min(losses):
            break
    best = int(np.argmin(losses))
    middle = perf_counter()
    test_scores, fit_time = quiet(peer.learn, peer.X, y, peer.X_test, **peer.settings[best])
    end = perf_counter()
    proba = softmax(test_scores) if peer.own_probabilities else platt(scores[best], judged, test_scores)
    ranks = test_scores if test_scores.ndim == 1 else proba
    return measures(y_test, decide(test_scores), ranks, proba) | {
        "seconds": peer.seconds_before + end - start,
        "fit_seconds": peer.seconds_before + end - middle,
        "cpu_seconds": peer.seconds_before + sum(search_times) + fit_time,
        "setting": peer.settings[best],
    }


def groups(peer: Peer) -> list[list[dict[str, Any]]]:
    """The settings that are tried together: all of them, or where the data are large one penalty after another.

    LinearSVC needs an hour for large values of C on a few thousand images, and errs more with each.
    """
    is_search_of_penalties = all(set(setting) == {"C"} for setting in peer.settings)
    if is_search_of_penalties and getattr(peer.X, "nnz", peer.X.size) > LARGE:
        return [[setting] for setting in peer.settings]
    return [peer.settings]


def loss(y: Any, scores: Any, own_probabilities: bool) -> float:
    """What the search minimises: log loss where scores are probabilities, error otherwise (log loss breaks ties)."""
    if own_probabilities:
        return log_loss(y, softmax(scores))
    return float(np.mean(decide(scores) != y))


def softmax(scores: Any) -> Any:
    """Probabilities of every class; of two classes the score is the difference."""
    from scipy.special import softmax

    return softmax(np.column_stack([np.zeros(len(scores)), scores]) if scores.ndim == 1 else scores, axis=1)


def platt(scores: Any, y: Any, new_scores: Any) -> Any:
    """Probabilities of new scores by Platt's sigmoid, fitted for each class to scores of rows that were not learned."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    def sigmoid(code: int, column: Any, new_column: Any) -> Any:
        model = make_pipeline(StandardScaler(), LogisticRegression(C=100.0))
        return model.fit(column[:, None], y == code).predict_proba(new_column[:, None])[:, 1]

    if scores.ndim == 1:
        positive = sigmoid(1, scores, new_scores)
        return np.column_stack([1 - positive, positive])
    columns = [sigmoid(code, scores[:, code], new_scores[:, code]) for code in range(scores.shape[1])]
    proba = np.column_stack(columns).clip(1e-9)
    return proba / proba.sum(axis=1, keepdims=True)
