"""Whether the label of a table is a number to predict, and how it is written."""

from __future__ import annotations

import pyarrow as pa
from pyarrow import compute as pc
from pyarrow import types

from rosenblatt.readers.number_targets import FEW_VALUES, dates_refused, look_like_amounts, mostly_numbers
from rosenblatt.readers.source import ReadOptions
from rosenblatt.readers.table.columns.dates import form_of_cells
from rosenblatt.readers.table.columns.kinds import is_string, present_cells
from rosenblatt.readers.table.columns.written_numbers import NumberForm, number_forms, plain_numbers


def target_form(name: str, label: str, cells: pa.Array, reading: ReadOptions) -> NumberForm | None:
    """How the label is written where it is a number to predict; None where it is a class.

    Where the user says neither, it is a number if the cells of the sample are, all but a few, and look like a quantity.
    """
    is_open = reading.task is None and reading.decide and not reading.classes
    if reading.multi_label or not (is_open or reading.task == "number"):
        return None
    if types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    if _are_dates(cells):
        if reading.task == "number" or pc.count_distinct(cells).as_py() > FEW_VALUES:
            raise dates_refused(name, f"its label, column {label!r}, holds", reading.task, is_column=True)
        return None
    form = _form(cells)
    if reading.task == "number":
        return form or NumberForm()  # cells that are not numbers are refused with their lines
    if types.is_boolean(cells.type) or (form is None and not is_string(cells.type)):
        return None
    numbers = mostly_numbers(present_cells(cells).to_pylist()) if form is None else _plain(cells, form)
    return form or NumberForm() if look_like_amounts(numbers) else None


def _are_dates(cells: pa.Array) -> bool:
    if types.is_date(cells.type) or types.is_timestamp(cells.type):
        return True
    return is_string(cells.type) and form_of_cells(present_cells(cells)) is not None


def _form(cells: pa.Array) -> NumberForm | None:
    """The form of the cells; None where some of them are not numbers."""
    if not is_string(cells.type):
        is_number = types.is_integer(cells.type) or types.is_floating(cells.type) or types.is_decimal(cells.type)
        return NumberForm() if is_number or types.is_boolean(cells.type) else None
    present = present_cells(cells)
    try:
        pc.cast(present, pa.float64())
    except pa.ArrowInvalid:
        return number_forms({"": pc.unique(present).to_pylist()}).get("")
    return NumberForm() if len(present) else None


def _plain(cells: pa.Array, form: NumberForm) -> list[float]:
    if is_string(cells.type):
        present = present_cells(cells)
        cells = present if form == NumberForm() else plain_numbers(present, form)
    numbers = pc.cast(cells, pa.float64(), safe=False).drop_null()
    return [number for number in numbers.to_pylist() if number == number]
