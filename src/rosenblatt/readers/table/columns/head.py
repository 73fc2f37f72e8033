"""The head of a table: its first rows, which decide what its columns mean before any row is learned."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from rosenblatt.available_cores import core_count
from rosenblatt.lazy import np
from rosenblatt.readers.parallel_map import ordered_map
from rosenblatt.readers.source import ReadOptions
from rosenblatt.readers.table.columns.find_layout import EVERY
from rosenblatt.readers.table.columns.layout import Layout
from rosenblatt.readers.table.columns.left_out import numbers_left_out, why_days_are_left_out, words_left_out
from rosenblatt.readers.table.columns.numbers_as_names import Groups, names_among
from rosenblatt.readers.table.equal_batches import RawBatch, take_head
from rosenblatt.readers.table.parse_cells import Batch, parse_batch
from rosenblatt.readers.table.scale import Scaling, scaling_of
from rosenblatt.records import Floats


@dataclass(frozen=True)
class Head:
    """The first rows, parsed; the batches after them; and what was decided, as JSON values."""

    layout: Layout
    batches: list[Batch]
    rest: Iterator[RawBatch]
    decided: dict[str, Any] = field(default_factory=dict)

    @property
    def targets(self) -> list[Floats] | None:
        """The numbers to predict of each batch; None where there are classes."""
        targets = [batch.targets for batch in self.batches if batch.targets is not None]
        return targets or None

    def scaling(self, as_numbers: Collection[str], targets: list[Floats] | None, *, logs: bool) -> Scaling:
        """The scaling by these rows; dates and the columns `as_numbers` are never learned by their logarithm.

        Dates whose days are left out are scaled to 0.
        """
        numbers = self.layout.numbers
        plain = {*as_numbers, *self.layout.dates}
        may_be_logs = [j for j, column in enumerate(numbers) if logs and column not in plain]
        scaling = scaling_of([batch.numbers for batch in self.batches], len(numbers), may_be_logs, targets)
        scaling.scale[[numbers.index(column) for column in self.decided.get("days_left_out", ())]] = 0.0
        return scaling

    def naming(self, reading: ReadOptions, targets: Sequence[Floats] | None) -> Head:
        """The head with those columns of whole numbers read as words that tell more about the label as words, except
        where the user says what the column holds."""
        layout, chosen = self.layout, {text.partition(":")[2] for text in reading.as_}
        crossed = {column for pair in reading.cross for column in layout.features if column in pair.split(":")}
        amounts = {*chosen, *crossed, *layout.dates, *layout.written, *layout.flags}
        may_be_names = [j for j, column in enumerate(layout.numbers) if column not in amounts]
        if not may_be_names or not self.batches:
            return self
        groups = _groups_of_labels(self.batches) if targets is None else Groups.of_numbers(np.concatenate(targets))
        names = names_among(may_be_names, [batch.numbers for batch in self.batches], groups)
        if not names:
            return self
        after = layout.naming({layout.numbers[j] for j in names})
        batches = [batch.naming(layout, after) for batch in self.batches]
        return replace(self, layout=after, batches=batches, decided={**self.decided, "names": list(after.names)})

    def with_missing(self) -> list[str]:
        """The columns of numbers in which some are missing."""
        numbers = self.layout.numbers
        missing = np.zeros(len(numbers), dtype=bool)
        for batch in self.batches:
            missing |= np.isnan(batch.numbers).any(axis=0)
        return [column for column, is_missing in zip(numbers, missing.tolist(), strict=True) if is_missing]


def read_head(batches: Iterator[RawBatch], layout: Layout, reading: ReadOptions) -> Head:
    """Read the head; where `decide` is set, leave out the columns that nothing can be learned from."""
    raw = take_head(batches, layout.texts)
    following = next(batches, None)
    complete = following is None
    if reading.decide:
        arrays = {column: [batch.column(column) for batch, _ in raw] for column in layout.words} if raw else {}
        layout = _without(layout, words_left_out(arrays, complete=complete), reading)
    threads = core_count()
    parsed = list(ordered_map(iter(raw), lambda task: parse_batch(task[0], layout, task[1]), threads))
    if reading.decide and parsed:
        parts = [batch.numbers for batch in parsed]
        after = _without(layout, numbers_left_out(layout.numbers, parts, layout.dates, complete=complete), reading)
        parsed = [batch.restricted(layout, after) for batch in parsed]
        layout = after
    columns = raw[0][0].schema.names if raw else []
    decided = {
        "head_rows": sum(batch.n_rows for batch in parsed),
        "order": columns,
        "left_out": {c: layout.left_out[c] for c in columns if c in layout.left_out and c not in reading.drop},
        "dropped": list(reading.drop),
        "flags": [column for column in layout.flags if column in layout.numbers],
    }
    days = _days_left_out(layout, parsed, reading) if reading.decide and reading.scale is not False else {}
    if days:
        decided["days_left_out"] = days
    return Head(layout, parsed, batches if following is None else chain([following], batches), decided)


def _groups_of_labels(batches: Sequence[Batch]) -> Groups:
    """The classes of the rows, numbered in the order of their first occurrence."""
    numbers: dict[str, int] = {}
    codes = []
    for label in (batch.label for batch in batches if batch.label is not None):
        code_of = [numbers.setdefault(word, len(numbers)) for word in label.words]
        codes.append(np.array([*code_of, -1])[label.codes])
    return Groups.of_classes(np.concatenate(codes))


def _days_left_out(layout: Layout, batches: list[Batch], reading: ReadOptions) -> dict[str, str]:
    """The dates of which only the weekday and the hour are learned, and why, except for those the user mentions."""
    used = {EVERY, *layout.dates} & {*reading.keep, *(text.removeprefix("date:") for text in reading.as_)}
    reasons = {}
    for j, column in enumerate(layout.numbers):
        if column in layout.dates and EVERY not in used and column not in used:
            reasons[column] = why_days_are_left_out(np.concatenate([batch.numbers[:, j] for batch in batches]))
    return {column: why for column, why in reasons.items() if why}


def _without(layout: Layout, left_out: dict[str, str], reading: ReadOptions) -> Layout:
    """Leave out these columns, except for those that the user mentions; none if no column would be left."""
    crossed = {column for pair in reading.cross for column in layout.features if column in pair.split(":")}
    with_kind = {text.partition(":")[2] for text in reading.as_}
    mentioned = {*reading.keep, *reading.words, *reading.text, *crossed, *with_kind}
    if EVERY in reading.keep:
        return layout
    left_out = {column: why for column, why in left_out.items() if column not in mentioned}
    return layout if len(left_out) == len(layout.features) else layout.without(left_out)
