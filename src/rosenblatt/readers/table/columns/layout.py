"""Which column of a table holds the label, numbers, dates, words or running text, and which are left out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from rosenblatt.readers.table.columns.dates import DateForm
from rosenblatt.readers.table.columns.written_numbers import NumberForm


@dataclass(frozen=True)
class Layout:
    """Which column holds what; `label` is None where a file to predict has none.

    A date is also among the numbers, as the days since 1970; its weekday and its hour are words.
    """

    label: str | None
    numbers: tuple[str, ...]
    words: tuple[str, ...]
    texts: tuple[str, ...]
    dates: Mapping[str, DateForm] = field(default_factory=dict)
    written: Mapping[str, NumberForm] = field(default_factory=dict)  # numbers, and dates, that are not plain ones
    left_out: Mapping[str, str] = field(default_factory=dict)  # column -> why
    flags: tuple[str, ...] = ()  # numbers that are written as true and false
    absent: tuple[str, ...] = ()  # columns of a model that this table does not have: missing in every row
    names: tuple[str, ...] = ()  # words that are whole numbers, read by their value: 7 and 07.0 are the same
    predicts_number: bool = False  # the label is a number, and may be among the written ones

    @property
    def dense(self) -> bool:
        return not self.words and not self.texts and not self.dates

    @property
    def features(self) -> tuple[str, ...]:
        """The columns that a file must have."""
        return (*self.numbers, *self.words, *self.texts)

    @property
    def word_columns(self) -> tuple[str, ...]:
        """The columns of words, then the weekdays and hours of the dates, in the order of the numbers."""
        dates = [column for column in self.numbers if column in self.dates]
        return (*self.words, *(name for column in dates for name in self.date_words(column)))

    def date_words(self, column: str) -> Iterator[str]:
        yield f"{column} weekday"
        if self.dates[column].hours:
            yield f"{column} hour"

    def without(self, columns: Mapping[str, str]) -> Layout:
        """The layout with these columns left out; the mapping says why."""
        numbers, words, texts = (
            tuple(column for column in group if column not in columns)
            for group in (self.numbers, self.words, self.texts)
        )
        dates = {column: form for column, form in self.dates.items() if column not in columns}
        written = {column: form for column, form in self.written.items() if column not in columns}
        names = tuple(column for column in self.names if column not in columns)
        left_out = {**self.left_out, **columns}
        return replace(
            self,
            numbers=numbers,
            words=words,
            texts=texts,
            dates=dates,
            written=written,
            names=names,
            left_out=left_out,
        )

    def naming(self, columns: Collection[str]) -> Layout:
        """The layout with these columns of numbers as words."""
        numbers = tuple(column for column in self.numbers if column not in columns)
        names = tuple(column for column in self.numbers if column in columns)
        return replace(self, numbers=numbers, words=(*self.words, *names), names=(*self.names, *names))
