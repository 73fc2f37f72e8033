"""Columns, words and features that alone reveal the label, such as values that are known only after the outcome.

A feature is judged on some of the first rows by guessing the class of each row from the others: the commonest class of
the rows with the same value or, if no other row has the value, the class of the neighbour in sorted order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.files.leak_sample import FEWEST_ERRORS, FEWEST_ROWS, TELLING, LeakSample
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.records import Block, Csr, FeatureSpace, Floats

_MOST_COLUMNS = 40  # with the largest weights: a column that reveals the label is among them
_MOST_LEAKS = 2  # if more features reveal the classes, these are simply easy to tell apart
_SMALL = 0.03  # the largest error of a feature that reveals the label,
_SMALL_SHARE = 0.15  # also as a share of the error of a guess


def leaking_columns(block: Block, space: FeatureSpace, coef: Floats | None = None) -> dict[str, float]:
    """The columns that reveal the label, each with its share of errors; `block` holds some labelled rows.

    `coef` are the weights, by which columns are chosen if there are many.
    """
    labels = np.asarray(block.labels)
    rows = len(labels)
    guess = 1 - np.bincount(labels).max(initial=0) / max(rows, 1)
    if rows < FEWEST_ROWS or guess * rows < FEWEST_ERRORS:
        return {}
    columns = _heaviest(space, _features_that_occur(block), coef)
    errors = {column: _error(_codes(block, features), labels) for column, features in columns.items()}
    leaks = {column: error for column, error in errors.items() if error <= _small(guess)}
    others = min((error for column, error in errors.items() if column not in leaks), default=1.0)
    return leaks if len(leaks) <= _MOST_LEAKS and others >= TELLING * guess else {}


def leaking_features(sample: LeakSample, model: LinearModel) -> dict[str, float]:
    """The features of sparse rows that reveal the label. Of a word and pairs of words with it, only one is named."""
    if any(error > _small(sample.guess) for _, error in sample.errors):
        return {}
    named = [(model.input_name(column), error) for column, error in sample.errors]
    leaks: list[tuple[set[str], str, float]] = []
    for name, error in sorted(named, key=lambda leak: (leak[1], len(leak[0]))):
        words = set(name.split())
        joined = [leak for leak in leaks if leak[0] & words]
        _, best, least = joined[0] if joined else (words, name, error)
        leaks = [leak for leak in leaks if not leak[0] & words]
        leaks.append((words.union(*(leak[0] for leak in joined)), best, least))
    return {name: error for _, name, error in leaks} if len(leaks) <= _MOST_LEAKS else {}


def _small(guess: float) -> float:
    return min(_SMALL, _SMALL_SHARE * guess)


def _features_that_occur(block: Block) -> list[int]:
    """The features that some row has: in a table with running text, millions of hashed columns do not occur."""
    values = block.values
    if not isinstance(values, Csr):
        return list(range(values.shape[1]))
    numbers: list[int] = np.unique(values.indices[int(values.indptr[0]) : int(values.indptr[-1])]).tolist()
    return numbers


def _heaviest(space: FeatureSpace, numbers: Sequence[int], coef: Floats | None) -> Mapping[str, Sequence[int]]:
    """The columns with the largest weights and their features: one for a number, one for each value of words."""
    words = {f"{column}=": column for column in space.settings.get("words", ())}
    features: dict[str, list[int]] = {}
    for j in numbers:
        if space.columns and j >= len(space.columns):
            break  # words of running text
        name = space.columns[j] if space.columns else str(j + space.index_base)
        column = next((words[start] for start in words if name.startswith(start)), name)
        features.setdefault(column, []).append(j)
    if coef is not None:
        weight = np.pad(np.abs(coef).max(axis=0), (0, max(numbers, default=0) + 1))  # 0 for later columns
        features = dict(sorted(features.items(), key=lambda item: -float(weight[item[1]].max())))
    return dict(islice(features.items(), _MOST_COLUMNS))


def _codes(block: Block, features: Sequence[int]) -> Floats:
    """The value of a column in every row: a number, or which of its words; its `features` are in ascending order."""
    values = block.values
    if isinstance(values, Csr):
        row = np.repeat(np.arange(len(values.indptr) - 1), np.diff(values.indptr))
        used = slice(int(values.indptr[0]), int(values.indptr[-1]))
        at = np.searchsorted(features, values.indices[used]).clip(max=len(features) - 1)
        own = np.asarray(features)[at] == values.indices[used]
        matrix = np.zeros((len(values.indptr) - 1, len(features)))
        matrix[row[own], at[own]] = values.values[used][own]
    else:
        matrix = np.asarray(values)[:, list(features)].astype(np.float64)
    return matrix[:, 0] if len(features) == 1 else np.where(matrix.any(axis=1), matrix.argmax(axis=1), -1.0)


def _error(codes: Floats, labels: NDArray[np.integer]) -> float:
    order = np.argsort(codes, kind="stable")
    _, group, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    table = np.zeros((len(sizes), int(labels.max()) + 1))
    np.add.at(table, (group, labels), 1)
    wrong = float((sizes - table.max(axis=1))[sizes > 1].sum())
    alone = sizes[group[order]][1:] == 1
    return (wrong + float(np.count_nonzero(np.diff(labels[order])[alone]))) / len(codes)
