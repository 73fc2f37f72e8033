"""Maps from scores to probabilities the slow way: scipy's minimiser on the textbook's objective."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logsumexp, softmax

RIDGE = 4.0
BIN = 16


def score_range(scores: np.ndarray) -> tuple[float, float]:
    """All scores but one for 200 examples at either end, and at least one."""
    ordered = np.sort(scores.ravel())
    extreme = min(max(len(scores) // 200, 1), (len(ordered) - 1) // 2)
    return float(ordered[extreme]), float(ordered[-1 - extreme])


def targets(truth: np.ndarray, classes: int) -> np.ndarray:
    """Platt's targets: n examples are believed to (n + 1) / (n + 2), the other classes share the rest.

    Of two classes n are the examples of the class, of more all examples.
    """
    counts = np.bincount(truth, minlength=classes) if classes == 2 else np.full(classes, len(truth))
    own = (counts + 1) / (counts + 2)
    table = np.repeat(((1 - own) / (classes - 1))[truth][:, None], classes, axis=1)
    table[np.arange(len(truth)), truth] = own[truth]
    return table


def logistic(features: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        z = features @ theta
        return float((np.logaddexp(0, z) - wanted * z).sum()), features.T @ (expit(z) - wanted)

    fitted = minimize(loss, np.zeros(features.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-9})
    return np.asarray(fitted.x)


def platt(scores: np.ndarray, truth: np.ndarray, new: np.ndarray) -> np.ndarray:
    low, high = score_range(scores)
    clipped = np.clip(scores[:, 0], low, high)
    a, b = logistic(np.column_stack([clipped, np.ones(len(truth))]), targets(truth, 2)[:, 1])
    return expit(a * np.clip(new[:, 0], low, high) + b)


def beta(scores: np.ndarray, truth: np.ndarray, new: np.ndarray) -> np.ndarray:
    def features(chances: np.ndarray) -> np.ndarray:
        return np.column_stack([np.log(chances), -np.log1p(-chances), np.ones(len(chances))])

    theta = logistic(features(platt(scores, truth, scores)), targets(truth, 2)[:, 1])
    return expit(features(platt(scores, truth, new)) @ theta)


def isotonic(scores: np.ndarray, truth: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Every bin's value is the largest over its left of the least over its right of the mean between them."""
    order = np.argsort(scores[:, 0], kind="stable")
    x, y = scores[order, 0], truth[order]
    share = (y.sum() + 1) / (len(y) + 2)
    edges = list(range(0, max(len(x) - BIN, 0) + 1, max(BIN, len(x) // 512)))
    bins = [slice(a, b) for a, b in zip(edges, [*edges[1:], len(x)], strict=True)]
    weight = np.array([len(x[part]) for part in bins], dtype=float)
    value = np.array([(y[part].sum() + share) / (len(y[part]) + 1) for part in bins])
    middle = np.array([x[part].mean() for part in bins])
    n = len(bins)
    mean = {(i, j): np.average(value[i : j + 1], weights=weight[i : j + 1]) for i in range(n) for j in range(i, n)}
    level = [max(min(mean[i, j] for j in range(k, n)) for i in range(k + 1)) for k in range(n)]
    return np.interp(new[:, 0], middle, level)


def vector(scores: np.ndarray, truth: np.ndarray, new: np.ndarray, *, logits: bool) -> np.ndarray:
    """Softmax of a_k s_k + b_k; the a_k are drawn to their common part, that of logits to 1, and the b_k to 0."""
    classes, (low, high) = scores.shape[1], score_range(scores)
    size = 2.0 ** (np.frexp(max(abs(low), abs(high)))[1] - 1)
    s, wanted = np.clip(scores, low, high) / size, np.eye(classes)[truth] if logits else targets(truth, classes)
    unit = size if logits else 1.0

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        a, b = unit * theta[0] + theta[1 : 1 + classes], theta[1 + classes :]
        z = a * s + b
        pull = softmax(z, axis=1) - wanted
        value = (logsumexp(z, axis=1) - (wanted * z).sum(axis=1)).sum() + RIDGE / 2 * theta[1:] @ theta[1:]
        value += logits * RIDGE / 2 * (theta[0] - 1) ** 2
        slopes, shifts = (pull * s).sum(axis=0), pull.sum(axis=0)
        common = unit * slopes.sum() + logits * RIDGE * (theta[0] - 1)
        gradient = np.concatenate([[common], slopes + RIDGE * theta[1 : 1 + classes], shifts + RIDGE * b])
        return float(value), gradient

    theta = minimize(loss, np.r_[1, np.zeros(2 * classes)], jac=True, method="BFGS", options={"gtol": 1e-8}).x
    a = np.maximum(unit * theta[0] + theta[1 : 1 + classes], 0)
    return np.asarray(softmax(a * np.clip(new, low, high) / size + theta[1 + classes :], axis=1))


def temperature(scores: np.ndarray, truth: np.ndarray, new: np.ndarray, *, logits: bool = False) -> np.ndarray:
    """Softmax of a s_k, where no score is further below the best of its row than in nearly all rows; the a of logits is
    drawn to 1.

    Of more than two classes it is mixed with even chances, by a doubt that is drawn away from 0 by 0.02 of an example.
    """
    two = scores.shape[1] == 1
    if two:  # the one has half the score, the other its opposite
        scores, new = (np.column_stack([-s[:, 0] / 2, s[:, 0] / 2]) for s in (scores, new))
    gaps = np.sort(scores.max(axis=1) - scores.min(axis=1))
    width = gaps[-1 - min(max(len(gaps) // 200, 1), (len(gaps) - 1) // 2)]

    def clipped(s: np.ndarray) -> np.ndarray:
        return np.maximum(s - s.max(axis=1, keepdims=True), -width)

    def chances(theta: np.ndarray, s: np.ndarray) -> np.ndarray:
        doubt = 0 if two else expit(theta[1])
        return np.asarray((1 - doubt) * softmax(theta[0] * s, axis=1) + doubt / s.shape[1])

    s, wanted = clipped(scores), np.eye(scores.shape[1])[truth] if logits else targets(truth, scores.shape[1])

    def loss(theta: np.ndarray) -> float:
        drawn = logits * (16 if two else RIDGE) / 2 * (theta[0] - 1) ** 2
        doubted = 0 if two else 0.02 * np.logaddexp(0, -theta[1])
        return float(-(wanted * np.log(chances(theta, s) + 1e-300)).sum() + drawn + doubted)

    start = [1 / max(width, 1e-9)] if two else [4 / max(width, 1e-9), -4.6]
    theta = minimize(loss, start, method="Nelder-Mead", options={"xatol": 1e-9, "maxiter": 2000}).x
    theta[0] = max(theta[0], 0.0)
    return chances(theta, clipped(new))
