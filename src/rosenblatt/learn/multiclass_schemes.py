"""How units decide between classes: binary (one unit), ovr and joint (one per class), ovo (one per pair).

Where an example may have several labels (multi-label), one unit for each decides whether it applies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rosenblatt import native
from rosenblatt.lazy import NDArray, np


def scheme_of(multi_class: str, n_classes: int) -> str:
    return "binary" if n_classes == 2 else multi_class


def n_units(scheme: str, n_classes: int) -> int:
    """
    >>> n_units("binary", 2), n_units("ovo", 4), n_units("ovr", 4)
    (1, 6, 4)
    """
    return {"binary": 1, "ovo": n_classes * (n_classes - 1) // 2}.get(scheme, n_classes)


def class_pairs(n_classes: int) -> Sequence[tuple[int, int]]:
    """The two classes of each one-vs-one unit, in the order of the units; a positive score is for the second.

    >>> class_pairs(3)
    [(0, 1), (0, 2), (1, 2)]
    """
    return [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]


def unit_targets(scheme: str, n_classes: int) -> NDArray[np.int8]:
    """The target of each class for each unit: +1, -1, or 0 for a unit that decides between two other classes.

    >>> unit_targets("binary", 2).tolist(), unit_targets("ovo", 3).tolist()
    ([[-1], [1]], [[-1, -1, 0], [1, 0, -1], [0, 1, 1]])
    """
    if scheme in ("ovr", "joint"):
        return np.where(np.eye(n_classes, dtype=bool), 1, -1).astype(np.int8)
    targets = np.zeros((n_classes, n_units(scheme, n_classes)), dtype=np.int8)
    for unit, (i, j) in enumerate(class_pairs(n_classes)):
        targets[i, unit], targets[j, unit] = -1, 1
    return targets


def class_scores(scheme: str, unit_scores: Any, n_classes: int) -> Any:
    """Scores as `decision_function` gives them: one column for two classes, else one per class.

    One-vs-one units vote; their summed scores, squeezed below half a vote, break ties.
    """
    return native.count_votes(unit_scores, n_classes) if scheme == "ovo" else unit_scores


def predicted_classes(scheme: str, unit_scores: Any, n_classes: int) -> NDArray[np.intp]:
    """The index of the predicted class of each row; of two classes the second where the score is above 0."""
    return np.asarray(native.argmax_rows(class_scores(scheme, unit_scores, n_classes)))
