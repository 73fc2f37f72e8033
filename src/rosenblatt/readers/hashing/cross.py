"""Crossed columns or namespaces: each feature of the one times each feature of the other is a feature too.

A linear unit on `day=Sunday` and `shop=bakery` adds up what each contributes; on `day=Sunday ^ shop=bakery` it learns
what only the two together say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rosenblatt import options
from rosenblatt.errors import DataError, ParameterError, listed, option
from rosenblatt.lazy import NDArray, np
from rosenblatt.records import FeatureSpace, Floats

if TYPE_CHECKING:
    from rosenblatt.readers.table.columns.layout import Layout

BETWEEN = " ^ "  # the names of two crossed features
Pair = tuple[str, str]


def pairs_of(cross: Sequence[str], known: Sequence[str] | None = None) -> tuple[Pair, ...]:
    """Each 'a:b' as (a, b), without repetitions; a colon within a `known` name does not separate.

    >>> pairs_of(["a:b", "b:c", "b:a"]), pairs_of(["9:00:shop"], ["9:00", "shop"])
    ((('a', 'b'), ('b', 'c')), (('9:00', 'shop'),))
    """
    options.cross.check(tuple(cross), "read")
    pairs: list[Pair] = []
    for text in cross:
        pair = _pair(text, known)
        if pair not in pairs and pair[::-1] not in pairs:
            pairs.append(pair)
    return tuple(pairs)


def _pair(text: str, known: Sequence[str] | None) -> Pair:
    splits = [(text[: colon.start()], text[colon.end() :]) for colon in re.finditer(":", text)]
    if known is not None:
        splits = [split for split in splits if set(split) <= set(known)] or splits
    if not splits or not all(splits[0]) or (len(splits) > 1 and known is None):
        raise ParameterError(
            f"{option('cross', text)} is not a pair: write the names of two columns or two namespaces with a colon "
            f"between them, such as {option('cross', 'day:shop')}."
        )
    if splits[0][0] == splits[0][1]:
        raise ParameterError(f"{option('cross', text)} pairs {splits[0][0]!r} with itself: name two that differ.")
    return splits[0]


def pairs_of_model(space: FeatureSpace) -> tuple[Pair, ...]:
    """The pairs that a model was learned with."""
    return tuple((str(a), str(b)) for a, b in space.settings.get("cross", ()))


def pairs_of_table(name: str, layout: Layout, columns: Sequence[str], cross: Sequence[str]) -> tuple[Pair, ...]:
    """The pairs of columns of a table; DataError where one is missing, or cannot be crossed."""
    pairs = pairs_of(cross, columns) if cross else ()
    for column in (column for pair in pairs for column in pair):
        if column not in columns:
            what = f"there is no column {column!r} to cross; its columns are {listed(columns)}"
        elif column == layout.label:
            what = f"column {column!r} is the label, which cannot be crossed"
        elif column in layout.texts:
            what = (
                f"column {column!r} holds running text, which cannot be crossed; name columns of numbers or words, or "
                f"read each cell as one word with {option('words', column)}"
            )
        else:
            continue
        raise DataError(f"{name}: {what}.", file=name)
    return pairs


class Factor:
    """One column of a batch as a factor of products: which of `names` each row has (-1: none), and its value."""

    def __init__(self, codes: NDArray[np.int32], names: Sequence[str], values: Floats | None = None) -> None:
        self.codes, self.names = codes, names
        self.values = np.ones(len(codes)) if values is None else values

    def times(self, other: Factor, feature_of: Callable[[str], int]) -> tuple[NDArray[np.int32], Floats]:
        """The product feature of each row and its value; -1 where a row lacks a factor, or the feature is unknown."""
        both = (self.codes >= 0) & (other.codes >= 0)
        joint_codes = self.codes[both].astype(np.int64) * len(other.names) + other.codes[both]
        distinct, first_row, inverse = np.unique(joint_codes, return_index=True, return_inverse=True)
        features = np.empty(len(distinct), dtype=np.int32)
        for i in np.argsort(first_row).tolist():  # in the order of the rows, in which all features are numbered
            left, right = divmod(int(distinct[i]), len(other.names))
            features[i] = feature_of(self.names[left] + BETWEEN + other.names[right])
        feature_of_row = np.full(len(self.codes), -1, dtype=np.int32)
        feature_of_row[both] = features[inverse]
        return feature_of_row, self.values * other.values


def parents(space: FeatureSpace) -> dict[int, tuple[int, int]]:
    """For each crossed column of a table the two columns whose product it is.

    >>> parents(FeatureSpace("columns", columns=("n", "a=x", "n ^ a=x"), settings={"cross": [["n", "a"]]}))
    {2: (0, 1)}
    """
    if not space.settings.get("cross"):
        return {}
    column_of = {name: j for j, name in enumerate(space.columns)}
    factors = {}
    for name, j in column_of.items():
        splits = ((name[: sign.start()], name[sign.end() :]) for sign in re.finditer(re.escape(BETWEEN), name))
        known = [split for split in splits if set(split) <= set(column_of)]
        if known:
            factors[j] = (column_of[known[0][0]], column_of[known[0][1]])
    return factors
