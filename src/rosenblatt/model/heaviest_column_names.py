"""Names for the columns with the largest weights, if several words share a column because of their hashes.

While a file is learned, the first name of each column is kept, which may be rarer than others. Therefore the file, or
the beginning of a large one, is read again to count the names of these columns.
"""

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

from rosenblatt.learn.files.passes import Fitting
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.readers.hashing.column_names import ColumnNames
from rosenblatt.readers.open import open_source

M = TypeVar("M", bound=LinearModel)

_HEAVIEST = 64  # columns of each unit, for either class of two
_FEW_BLOCKS = 2  # of a large file


def with_common_names(model: M, fitting: Fitting) -> M:
    """The model with the commonest name of each column with a large weight."""
    source, space, plan = fitting.source, model.space, fitting.plan
    is_shared = space.settings.get("collisions", {}).get("names_shared", 0) > 0
    if not is_shared or not source.rewindable or model.settings.degree > 1:
        return model
    reading = plan.reading._replace(bits=space.bits, count_names=_heaviest(model))
    reopened = source.reopened(reading) or open_source(source.inputs, reading)
    # All blocks if there are few examples, else the first ones, with one thread, as several would read further.
    few = fitting.choice is not None
    for _ in reopened.blocks(plan.threads) if few else islice(reopened.blocks(1), _FEW_BLOCKS):
        pass
    return replace(model, space=replace(space, names=_renamed(space.names, reopened.common_names())))


def _heaviest(model: LinearModel) -> tuple[int, ...]:
    signs = (False, True) if model.scheme in ("binary", "number") else (False,)
    heaviest: set[int] = set()
    for unit in range(model.run.learner.units):
        for below in signs:
            heaviest |= {column for column, _ in model.run.largest_of_unit(unit, below=below, most=_HEAVIEST)}
    return tuple(sorted(heaviest))


def _renamed(names: Mapping[int, str], common: Mapping[int, str]) -> Mapping[int, str]:
    if isinstance(names, ColumnNames):
        return names.with_names(common)
    if isinstance(names, ChainMap) and isinstance(names.maps[-1], ColumnNames):  # a table: words of columns come first
        before: Any = names.maps[:-1]
        return ChainMap(*before, names.maps[-1].with_names(common))  # type: ignore[arg-type]
    return names
