"""Columns of a table that a model has not met, and columns of the model that the table does not have.

A model that learns on takes new columns in: what they hold and how they are scaled is decided from the head of the new
table, as for a first fit. Its columns of numbers stay the first ones, so new ones are inserted behind the old ones.
With its first column of texts, a model's words are hashed from then on too, each into the column that its name gives. A
column that some table lacked is optional: a table without it is read as if all its cells were empty.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import chain
from typing import Any

import pyarrow as pa

from rosenblatt.errors import DataError, ModelError, listed, option
from rosenblatt.lazy import np
from rosenblatt.readers.hashing.settings import hashed_column, hashing_settings
from rosenblatt.readers.source import ReadOptions
from rosenblatt.readers.table.columns.find_layout import layout_of_new_columns
from rosenblatt.readers.table.columns.head import Head, read_head
from rosenblatt.readers.table.columns.layout import Layout
from rosenblatt.readers.table.equal_batches import SAMPLE, RawBatch, first_rows
from rosenblatt.records import FeatureSpace, Floats

_SHOWN = 20  # columns that a sentence names


@dataclass(frozen=True)
class Extended:
    """A layout and the space of a model with the new columns of a table, and the batches that were read for them."""

    layout: Layout
    space: FeatureSpace
    batches: Iterator[RawBatch]
    sentences: tuple[str, ...]


def columns_not_met(columns: Sequence[str], layout: Layout, space: FeatureSpace) -> list[str]:
    """The columns of a table that the model has not met; none for a model that does not store which it has met."""
    decided = space.settings.get("columns")
    if decided is None:
        return []
    met = {*layout.features, layout.label, space.settings.get("label"), *decided["order"], *decided["left_out"]}
    return [column for column in columns if column not in met]


def extended(
    name: str,
    layout: Layout,
    space: FeatureSpace,
    reading: ReadOptions,
    batches: Iterator[RawBatch],
    columns: Sequence[str],
    *,
    absent: Sequence[str],
    typed: bool,
) -> Extended:
    """Take in the new ones of these `columns`; `absent` are those of the model that are not among them."""
    if layout.label is None:
        label = space.settings.get("label")
        what = f"no column {label!r}, which holds the label" if label else "no column that is known to hold the label"
        raise DataError(
            f"{name}: has {what}; its columns are {listed(columns)}: name the one that does with {option('label')}.",
            file=name,
        )
    if layout.features and len(absent) == len(layout.features):
        raise ModelError(
            f"{name}: has none of the columns that the model was learned from, {listed(absent)}; its columns are "
            f"{listed(columns)}.",
            file=name,
        )
    new = columns_not_met(columns, layout, space)
    read: list[RawBatch] = []
    head = Head(Layout(None, (), (), ()), [], iter(()))
    if new:
        head = _head_of(name, new, reading, _recorded(batches, read), typed=typed)
    if not new and not absent:
        return Extended(layout, space, batches, ())
    added = head.layout
    after = replace(
        layout,
        numbers=(*layout.numbers, *added.numbers),
        words=(*layout.words, *added.words),
        texts=(*layout.texts, *added.texts),
        dates={**layout.dates, **added.dates},
        written={**layout.written, **added.written},
    )
    sentences = tuple(_sentences(name, added, reading, absent))
    order = [*columns, *(column for column in absent if column not in columns)]
    return Extended(after, _space(space, layout, head, reading, order, absent), chain(read, batches), sentences)


def _recorded(batches: Iterator[RawBatch], read: list[RawBatch]) -> Iterator[RawBatch]:
    for batch in batches:
        read.append(batch)
        yield batch


def _head_of(
    name: str, columns: Collection[str], reading: ReadOptions, batches: Iterator[RawBatch], *, typed: bool
) -> Head:
    """What the new columns hold, by the head of the table."""
    first, sample = first_rows(batches, SAMPLE)
    if sample is None:
        return Head(Layout(None, (), (), ()), [], iter(()))
    cells = {column: sample.column(column) for column in columns}
    layout = layout_of_new_columns(name, cells, reading, typed=typed)
    selected = ((batch.select(list(columns)), read) for batch, read in chain(first, batches))
    return read_head(selected, layout, reading._replace(decide=True))


def _space(
    space: FeatureSpace, layout: Layout, head: Head, reading: ReadOptions, order: list[str], absent: Sequence[str]
) -> FeatureSpace:
    """The space with the new columns of numbers behind the others, and what was decided about all new columns."""
    added, n_before, n_new = head.layout, len(layout.numbers), len(head.layout.numbers)
    decided = dict(space.settings.get("columns") or {})
    shift, scale = space.shift, space.scale
    if shift is not None and scale is not None:
        plain = [text.removeprefix("number:") for text in reading.as_]
        scaling = head.scaling(plain, head.targets, logs=bool(decided))
        shift, scale = (_inserted(old, n_before, new) for old, new in ((shift, scaling.shift), (scale, scaling.scale)))
        if scaling.logs:
            logs = {added.numbers[j]: list(log) for j, log in scaling.logs.items()}
            decided["logs"] = {**decided.get("logs", {}), **logs}
    if decided:
        decided["order"] = order
        decided["left_out"] = {**decided["left_out"], **added.left_out}
        decided["missing"] = [*decided["missing"], *head.with_missing()]
        if head.decided.get("days_left_out") and shift is not None:
            decided["days_left_out"] = {**decided.get("days_left_out", {}), **head.decided["days_left_out"]}
        decided["flags"] = [*decided.get("flags", ()), *(c for c in added.flags if c in added.numbers)]
    optional = [*decided.get("optional", ()), *added.features, *absent]
    decided["optional"] = list(dict.fromkeys(optional))
    settings = {
        **space.settings,
        "numbers": [*layout.numbers, *added.numbers],
        "words": [*layout.words, *added.words],
        "texts": [*layout.texts, *added.texts],
        "columns": decided,
    }
    if added.texts and len(layout.texts) == 1:
        settings.setdefault("first_text", layout.texts[0])
    for key, forms in (("dates", added.dates), ("written", added.written)):
        if forms:
            settings[key] = {**space.settings.get(key, {}), **_as_lists(forms)}
    columns = (*space.columns[:n_before], *added.numbers, *space.columns[n_before:])
    names: Mapping[int, str] = space.names
    if n_new and space.bits:  # hashed columns come after the numbers
        names = {column + n_new: text for column, text in names.items()}
    after = replace(space, columns=columns, shift=shift, scale=scale, names=names, settings=settings)
    return _hashed(after, n_before + n_new) if added.texts and not space.bits else after


def _hashed(space: FeatureSpace, n_numbers: int) -> FeatureSpace:
    """The space with its words hashed, as they are beside a text."""
    hashing = hashing_settings(ReadOptions(), None)
    names = {hashed_column(word, hashing.bits, n_numbers): word for word in reversed(space.columns[n_numbers:])}
    return replace(
        space,
        columns=space.columns[:n_numbers],
        shift=None if space.shift is None else space.shift[:n_numbers],
        scale=None if space.scale is None else space.scale[:n_numbers],
        bits=hashing.bits,
        ngrams=hashing.ngrams,
        names=names,
        settings={**space.settings, **hashing.for_model},
    )


def _as_lists(forms: Mapping[str, Any]) -> dict[str, list[Any]]:
    return {column: list(astuple(form)) for column, form in forms.items()}


def _inserted(numbers: Floats, at: int, new: Floats) -> Floats:
    result: Floats = np.concatenate([numbers[:at], new, numbers[at:]])
    return result


def _sentences(name: str, added: Layout, reading: ReadOptions, absent: Sequence[str]) -> Iterator[str]:
    if added.features:
        kinds = dict.fromkeys(added.numbers, "numbers") | dict.fromkeys(added.dates, "dates")
        kinds |= dict.fromkeys(added.words, "words") | dict.fromkeys(added.texts, "text")
        named = _named({column: kinds[column] for column in added.features})
        noun = "1 new column is" if len(added.features) == 1 else f"{len(added.features):,} new columns are"
        yield f"{name}: {noun} taken in: {named}."
    left_out = {column: why for column, why in added.left_out.items() if column not in reading.drop}
    if left_out:
        named = _named(left_out)
        noun = "1 new column is" if len(left_out) == 1 else f"{len(left_out):,} new columns are"
        yield f"{name}: {noun} left out: {named}."
    if absent:
        yield absence(name, absent)


def _named(columns: Mapping[str, str]) -> str:
    shown = ", ".join(f"{column!r} ({what})" for column, what in list(columns.items())[:_SHOWN])
    return shown if len(columns) <= _SHOWN else f"{shown}, … ({len(columns)} in all)"


def absence(name: str, columns: Sequence[str]) -> str:
    """The sentence about columns of a model that a table does not have."""
    is_missing = "is missing: it counts" if len(columns) == 1 else "are missing: they count"
    noun = "1 column" if len(columns) == 1 else f"{len(columns):,} columns"
    return f"{name}: {noun} of the model ({listed(columns)}) {is_missing} as empty in every row."


def with_absent(batches: Iterator[RawBatch], columns: Sequence[str]) -> Iterator[RawBatch]:
    """The batches with columns that the table does not have, all of whose cells are missing."""
    if not columns:
        return batches
    return ((_with_nulls(batch, columns), bytes_read) for batch, bytes_read in batches)


def _with_nulls(batch: pa.RecordBatch, columns: Sequence[str]) -> pa.RecordBatch:
    nulls = [pa.nulls(batch.num_rows, pa.string()) for _ in columns]
    return pa.RecordBatch.from_arrays([*batch.columns, *nulls], names=[*batch.schema.names, *columns])
