"""Which columns or namespaces are crossed: what two of them say together becomes a feature of its own.

A linear unit on `day=Sunday` and `shop=bakery` adds up what each says; on `day=Sunday ^ shop=bakery` it learns what
only the two together say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rosenblatt import options
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.lazy import np
from rosenblatt.records import FeatureSpace, Floats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rosenblatt.readers.source import ReadOptions
    from rosenblatt.readers.table.columns import Layout

BETWEEN = " ^ "  # the names of two crossed features
Pair = tuple[str, str]


def pairs_of(cross: Sequence[str], known: Sequence[str] | None = None) -> tuple[Pair, ...]:
    """Each 'a:b' as (a, b), a pair given twice once; a colon within a `known` name does not part.

    >>> pairs_of(["a:b", "b:c", "b:a"]), pairs_of(["9:00:shop"], ["9:00", "shop"])
    ((('a', 'b'), ('b', 'c')), (('9:00', 'shop'),))
    """
    options.cross.check(tuple(cross), "read")
    found: list[Pair] = []
    for asked in cross:
        pair = _pair(asked, known)
        if pair not in found and pair[::-1] not in found:
            found.append(pair)
    return tuple(found)


def _pair(asked: str, known: Sequence[str] | None) -> Pair:
    ways = [(asked[: at.start()], asked[at.end() :]) for at in re.finditer(":", asked)]
    if known is not None:
        ways = [way for way in ways if set(way) <= set(known)] or ways
    if not ways or not all(ways[0]) or (len(ways) > 1 and known is None):
        raise ParameterError(
            f"--cross {asked!r} is no pair: write the names of two columns or two namespaces with a colon between, "
            "such as --cross day:shop."
        )
    if ways[0][0] == ways[0][1]:
        raise ParameterError(f"--cross {asked!r} pairs {ways[0][0]!r} with itself: name two that differ.")
    return ways[0]


def pairs_of_model(space: FeatureSpace) -> tuple[Pair, ...]:
    """Those that a model was learned with."""
    return tuple((str(a), str(b)) for a, b in space.settings.get("cross", ()))


def pairs_of_table(name: str, layout: Layout, columns: Sequence[str], cross: Sequence[str]) -> tuple[Pair, ...]:
    """The pairs of columns of a table; DataError where one is not there, or cannot be crossed."""
    from rosenblatt.readers.table.columns import listed

    pairs = pairs_of(cross, columns) if cross else ()
    for column in (column for pair in pairs for column in pair):
        if column not in columns:
            raise DataError(f"{name}: there is no column {column!r} to cross; its columns are {listed(columns)}.")
        if column == layout.label:
            raise DataError(f"{name}: column {column!r} is the label, and what is to be told cannot be crossed.")
        if column in layout.texts:
            raise DataError(
                f"{name}: column {column!r} holds running text, which cannot be crossed; name columns of numbers or "
                f"words, or read it as one word a cell with --words {column}."
            )
    return pairs


def refuse_crossing(name: str, reading: ReadOptions) -> None:
    """Formats without names of their own have nothing to say which features belong together."""
    if not reading.cross or reading.format not in _WITHOUT:
        return
    pairs_of(reading.cross)
    raise DataError(
        f"{name}: --cross pairs columns of a table or namespaces of VW text, and {_WITHOUT[reading.format]}."
    )


_NUMBERED = (
    "features of {} have numbers only; write them as VW text, a namespace a group, or as a table with named columns"
)
_WITHOUT = {
    "svmlight": _NUMBERED.format("svmlight"),
    "npy": _NUMBERED.format("npy") + ", or learn all products with --features poly2",
    "npz": _NUMBERED.format("npz") + ", or learn all products with --features poly2",
    "text": "a text has none; --ngrams 2 learns words that stand together",
}


class Part:
    """What one column gives each row of a batch: which of `names` (-1: none), and how much of it (None: 1)."""

    def __init__(self, codes: NDArray[np.int32], names: Sequence[str], values: Floats | None = None) -> None:
        self.codes, self.names, self.values = codes, names, values

    def times(self, other: Part, feature: Callable[[str], int]) -> tuple[NDArray[np.int32], Floats]:
        """The feature of each row that has both (-1: it has not, or the feature is unknown), and its value."""
        both = (self.codes >= 0) & (other.codes >= 0)
        joint = self.codes[both].astype(np.int64) * len(other.names) + other.codes[both]
        met, first, place = np.unique(joint, return_index=True, return_inverse=True)
        features = np.empty(len(met), dtype=np.int32)
        for at in np.argsort(first).tolist():  # in the order of the rows, as all features are numbered
            left, right = divmod(int(met[at]), len(other.names))
            features[at] = feature(self.names[left] + BETWEEN + other.names[right])
        found = np.full(len(self.codes), -1, dtype=np.int32)
        found[both] = features[place]
        ones = np.ones(len(self.codes))
        return found, (ones if self.values is None else self.values) * (ones if other.values is None else other.values)


def parents(space: FeatureSpace) -> dict[int, tuple[int, int]]:
    """Of each crossed column of a table the two columns whose product it is.

    >>> parents(FeatureSpace("columns", columns=("n", "a=x", "n ^ a=x"), settings={"cross": [["n", "a"]]}))
    {2: (0, 1)}
    """
    if not space.settings.get("cross"):
        return {}
    place = {name: j for j, name in enumerate(space.columns)}
    found = {}
    for name, j in place.items():
        ways = ((name[: at.start()], name[at.end() :]) for at in re.finditer(re.escape(BETWEEN), name))
        known = [(place[left], place[right]) for left, right in ways if left in place and right in place]
        if known:
            found[j] = known[0]
    return found
