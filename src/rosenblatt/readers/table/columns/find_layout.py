"""The layout of a table: found from its first rows and the user's options, or taken from a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

import pyarrow as pa
from pyarrow import compute as pc

from rosenblatt import options
from rosenblatt.errors import DataError, ModelError, ParameterError, listed, option
from rosenblatt.readers.source import ReadOptions
from rosenblatt.readers.table.columns.dates import DateForm, form_of_cells, form_of_type
from rosenblatt.readers.table.columns.kinds import (
    ColumnKind,
    are_flags,
    are_plain_numbers,
    is_string,
    kind_of_strings,
    kind_of_type,
    present_cells,
)
from rosenblatt.readers.table.columns.label_column import label_column, usual_label
from rosenblatt.readers.table.columns.layout import Layout
from rosenblatt.readers.table.columns.missing_cells import decimal_comma
from rosenblatt.readers.table.columns.number_label import target_form
from rosenblatt.readers.table.columns.written_numbers import (
    NumberForm,
    form_in_settings,
    marks_among,
    number_forms,
    without_marks,
)
from rosenblatt.readers.table.files.check_arrow import naming_column, refuse_types

KINDS: tuple[ColumnKind, ...] = get_args(ColumnKind)
EVERY = "*"  # all columns
_MANY_LABELS, _ROWS_A_LABEL = 100, 5  # a guessed label with more values, and fewer rows for each, is refused
_FEW_LABELS = 20


def find_layout(name: str, sample: Mapping[str, pa.Array], reading: ReadOptions, *, typed: bool) -> Layout:
    """What the columns of a new table hold, found from a sample of their cells and the user's options."""
    columns = list(sample)
    label = label_column(name, columns, reading.label)
    if columns == [label]:
        raise DataError(
            f"{name}: has only one column, {label!r}, and it is the label; there is nothing to learn from.", file=name
        )
    number = target_form(name, label, sample[label], reading)
    is_guess = reading.decide and reading.label is None and not usual_label(columns)
    if is_guess and (number is None or _has_column_of_few_words(sample, label)):
        _refuse_label_that_hardly_repeats(name, sample, label)
    layout = _layout_of_cells(name, sample, label, reading, typed=typed)
    if number is None:
        return layout
    written = layout.written if number == NumberForm() else {**layout.written, label: number}
    return replace(layout, predicts_number=True, written=written)


def _has_column_of_few_words(sample: Mapping[str, pa.Array], label: str) -> bool:
    """Whether another column may be the label: then numbers in the last one are predicted only if the user names it."""
    return any(
        column != label
        and is_string(cells.type)
        and kind_of_strings(cells) == "word"
        and 2 <= pc.count_distinct(cells).as_py() <= _FEW_LABELS
        for column, cells in sample.items()
    )


def _refuse_label_that_hardly_repeats(name: str, sample: Mapping[str, pa.Array], label: str) -> None:
    """A last column that hardly ever repeats a value is a quantity, a name or a text: it is a label only if named."""
    plain = {column: cells for column, cells in sample.items() if not pa.types.is_nested(cells.type)}
    n_different = {column: pc.count_distinct(cells).as_py() for column, cells in plain.items()}
    if n_different.get(label, 0) <= max(_MANY_LABELS, len(sample[label]) // _ROWS_A_LABEL):
        return
    others = [column for column, n in n_different.items() if 2 <= n <= _FEW_LABELS]
    hint = f" Those with few values are {listed(others)}." if others else ""
    raise DataError(
        f"{name}: its last column, {label!r}, was taken for the label since none was named, but has "
        f"{n_different[label]:,} different values in the first {len(sample[label]):,} rows: name the column of the "
        f"classes, or of the number to predict, with {option('label')}.{hint}",
        file=name,
    )


def layout_of_new_columns(name: str, sample: Mapping[str, pa.Array], reading: ReadOptions, *, typed: bool) -> Layout:
    """The layout of columns that a model has not met, none of which is the label."""
    return _layout_of_cells(name, sample, None, reading, typed=typed)


def _layout_of_cells(
    name: str, sample: Mapping[str, pa.Array], label: str | None, reading: ReadOptions, *, typed: bool
) -> Layout:
    columns = list(sample)
    chosen = chosen_kinds(name, columns, reading)
    dropped = _dropped(name, columns, label, reading)
    read = [column for column in columns if column not in dropped]
    refuse_types(name, {column: sample[column].type for column in read}, read, label)
    used = {column: cells for column, cells in sample.items() if column != label and column not in dropped}
    kind_of = kind_of_type if typed else kind_of_strings
    kinds = {column: chosen.get(column) or kind_of(cells, dates=reading.decide) for column, cells in used.items()}
    written = _written_numbers(used, kinds, chosen) if reading.decide else {}
    for column in [] if typed or reading.decide else kinds:
        if kinds[column] == "word" and column not in chosen:
            _refuse_decimal_comma(name, column, sample[column])
    dates = {column: _date_form(name, column, sample[column], written) for column in kinds if kinds[column] == "date"}
    numbers, words, texts = (
        tuple(column for column in kinds if kinds[column] in group)
        for group in (("number", "date"), ("word",), ("text",))
    )
    flags = tuple(column for column in numbers if are_flags(sample[column]))
    layout = Layout(label, numbers, words, texts, dates, written, flags=flags)
    return layout.without(dropped)


def _written_numbers(
    cells: Mapping[str, pa.Array], kinds: dict[str, ColumnKind], chosen: Mapping[str, ColumnKind]
) -> dict[str, NumberForm]:
    """The forms of columns of numbers as people write them, and of dates with marks for missing ones. The columns
    become numbers and dates in `kinds`, unless the user says what they hold."""
    present = {
        column: present_cells(cells[column])
        for column in kinds
        if chosen.get(column, "number") == "number" and kinds[column] != "date" and is_string(cells[column].type)
    }
    unique = {column: pc.unique(strings) for column, strings in present.items()}
    plain = {column for column in unique if kinds[column] == "number" and are_plain_numbers(unique[column])}
    cells_of = {column: cells.to_pylist() for column, cells in unique.items() if column not in plain}
    forms_of = number_forms(cells_of, {column: map(str, unique[column]) for column in plain})
    forms = {
        column: forms_of[column]
        for column in present
        if column in forms_of and (kinds[column] != "number" or forms_of[column] != NumberForm())
    }
    for column, strings in present.items():
        marks = marks_among(cells_of.get(column, ()))
        if column in forms:
            kinds[column] = "number"
        elif marks and form_of_cells(without_marks(strings, NumberForm(missing=marks)).drop_null()) is not None:
            kinds[column], forms[column] = "date", NumberForm(missing=marks)
    return forms


def chosen_kinds(name: str, columns: Sequence[str], reading: ReadOptions) -> dict[str, ColumnKind]:
    """The columns of which the user says what they hold."""
    kinds: dict[str, ColumnKind] = {**dict.fromkeys(reading.words, "word"), **dict.fromkeys(reading.text, "text")}
    for text in reading.as_:
        kind, _, column = text.partition(":")
        if kind not in KINDS or not column:
            raise ParameterError(
                f"{option('as_', text)} is not a kind and a column: write one of {', '.join(KINDS)}, a colon, and the "
                f"name of the column, such as {option('as_', 'date:signup')}."
            )
        kinds[column] = kind
    refuse_unknown(name, columns, kinds)
    return kinds


def refuse_unknown(name: str, columns: Sequence[str], chosen: Sequence[str] | Mapping[str, Any]) -> None:
    for column in chosen:
        if column not in columns:
            raise DataError(f"{name}: there is no column {column!r}; its columns are {listed(columns)}.", file=name)


def _dropped(name: str, columns: Sequence[str], label: str | None, reading: ReadOptions) -> dict[str, str]:
    for read_option in ("drop", "keep", "as_"):
        options.READ[read_option].check(getattr(reading, read_option), "read")
    refuse_unknown(name, columns, reading.drop)
    refuse_unknown(name, columns, [column for column in reading.keep if column != EVERY])
    if label is not None and label in reading.drop:
        raise DataError(
            f"{name}: column {label!r} is the label, which cannot be left out; name another column in "
            f"{option('drop')}, or another label in {option('label')}.",
            file=name,
        )
    return dict.fromkeys(reading.drop, "dropped")


def _refuse_decimal_comma(name: str, column: str, cells: pa.Array) -> None:
    """Numbers with a decimal comma would be taken for words, one column each."""
    number = decimal_comma(cell for cell in cells.to_pylist() if cell is not None)
    if number:
        raise DataError(
            f"{name}: column {column!r} holds numbers with a decimal comma, such as {number!r}; write them with a "
            f"point ({number.replace(',', '.')}), or read them as words with {option('words', column)}.",
            file=name,
        )


def _date_form(name: str, column: str, cells: pa.Array, written: Mapping[str, NumberForm]) -> DateForm:
    if pa.types.is_date(cells.type) or pa.types.is_timestamp(cells.type):
        with naming_column(column):
            return form_of_type(cells)
    form = None
    if is_string(cells.type):
        present = present_cells(cells)
        form = form_of_cells(without_marks(present, written[column]).drop_null() if column in written else present)
    if form is None:
        raise DataError(
            f"{name}: column {column!r} does not hold dates of one known form, such as 2024-12-31, 31.12.2024 or "
            "12/31/2024; write them as year-month-day.",
            file=name,
        )
    return form


def layout_of_model(
    name: str, columns: list[str], settings: Mapping[str, Any], label: str | int | None, header: bool, *, grow: bool
) -> Layout:
    """The layout that the model was learned with. The label may be missing, and columns that were missing in some
    table it has learned from; when it learns on (`grow`), any others as well, but not all.

    Columns without names get those of the model, in its order.
    """
    numbers, words, texts = (tuple(settings[kind]) for kind in ("numbers", "words", "texts"))
    dates = {column: DateForm(*form) for column, form in settings.get("dates", {}).items()}
    written = {column: form_in_settings(form) for column, form in settings.get("written", {}).items()}
    predicts_number = settings.get("task") == "number"
    names = tuple(settings.get("columns", {}).get("names", ()))
    layout = Layout(None, numbers, words, texts, dates, written, names=names, predicts_number=predicts_number)
    if not header:
        columns[:] = _names_by_position(name, columns, settings, layout)
    absent = tuple(column for column in layout.features if column not in columns)
    optional = settings.get("columns", {}).get("optional", ())
    new = {other.strip().lower(): other for other in columns if other not in layout.features}
    for column in absent:
        renamed = new.get(column.strip().lower())
        may_be_absent = column in optional or (grow and not renamed)
        if not may_be_absent or len(absent) == len(layout.features):
            advice = f"; rename {renamed!r}, if that is it" if renamed else f"; its columns are {listed(columns)}"
            raise ModelError(
                f"{name}: the model was learned from a column {column!r}, which is missing here{advice}.",
                file=name,
            )
    usual = usual_label([column for column in columns if column not in layout.features])  # for a model without a label
    label_name = (settings["label"] or usual) if label is None else label_column(name, columns, label)
    present = label_name if label_name in columns and label_name not in layout.features else None
    return replace(layout, label=present, absent=absent)


def _names_by_position(name: str, columns: list[str], settings: Mapping[str, Any], layout: Layout) -> list[str]:
    """The names of columns that have none in the file: those of the model, with or without the label."""
    every = settings.get("columns", {}).get("order")
    if every is None and not settings.get("header", True):
        every = sorted([*layout.features, settings["label"]], key=lambda column: int(column.removeprefix("column")))
    if every is None:
        return columns
    unlabelled = [column for column in every if column != settings["label"]]
    for names in (every, unlabelled):
        if len(columns) == len(names):
            return list(names)
    if settings.get("header", True):
        raise ModelError(
            f"{name}: has {len(columns)} columns without names, and the model was learned from {len(every)}; give the "
            "file the names of its columns in a first line, or the same columns in the same order.",
            file=name,
        )
    return columns
