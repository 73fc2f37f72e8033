"""The rows of a table in a pipe: where they end, and that few of them are read as many are."""

from __future__ import annotations

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import native
from rosenblatt.readers.inputs.input_file import MemoryFile
from rosenblatt.readers.table.bad_rows import BadLine
from rosenblatt.readers.table.files.csv import CsvFile

CELLS = st.text(alphabet='ab ,"\né?', max_size=5)


def whole_rows(text: str, separator: str) -> int:
    """The slow twin of `native.whole_rows`, character by character."""
    end = position = 0
    cell_begins = True
    while position < len(text):
        character = text[position]
        position += 1
        if character == '"' and cell_begins:
            while (close := text.find('"', position)) >= 0 and text[close + 1 : close + 2] == '"':
                position = close + 2
            if close < 0 or close + 1 == len(text):
                return end
            position = close + 1
        elif character == "\n":
            end = position
        cell_begins = character in (separator, "\n")
    return end


@given(st.text(alphabet='a,"\n;', max_size=40), st.sampled_from(",;"))
def test_where_the_last_whole_row_ends(text: str, separator: str) -> None:
    assert native.whole_rows(text.encode(), separator) == whole_rows(text, separator)


@given(st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=6), st.sampled_from(["\n", "\r\n"]))
def test_few_rows_are_read_as_many_are(rows: list[list[str]], line_end: str) -> None:
    table = io.StringIO()
    csv.writer(table, lineterminator=line_end).writerows([["x", "y", "z"], *rows])
    lines = table.getvalue().encode()
    file = CsvFile(MemoryFile("table", len(lines), lines), ",", True, None)
    few, many = [], []
    for parse, results in ((file._few_rows, few), (file._many_rows, many)):
        ragged: list[BadLine] = []
        batches = parse(lines, ragged.append, 1)
        results += [[row for batch in batches for row in batch.to_pylist()], ragged]
    assert few == many
