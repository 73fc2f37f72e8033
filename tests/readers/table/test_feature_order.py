"""Features of a table are numbered by rows and columns, whatever the batches: the slow twin looks at each cell."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import rosenblatt

COLUMNS = ["amount", "city", "tags", "plan"]


def rows_at_random(count: int) -> list[dict[str, object]]:
    random_ = random.Random(3)
    return [
        {
            "amount": None if random_.random() < 0.1 else float(random_.randrange(9)),
            "city": random_.choice([None, *(f"city {k}" for k in range(1 + i // 5))]),
            "tags": random_.sample([f"tag {k}" for k in range(2 + i // 7)], random_.randrange(3)),
            "plan": random_.choice(["free", "pro", f"plan {i // 50}"]),
            "label": random_.choice(["yes", "no"]),
        }
        for i in range(count)
    ]


def numbered_cell_by_cell(rows: list[dict[str, object]]) -> list[str]:
    names = ["amount"]
    for row in rows:
        cells = [(column, row[column]) for column in COLUMNS[1:]]
        features = [
            f"{column}={word}"
            for column, cell in cells
            for word in (cell if isinstance(cell, list) else [cell] * (cell is not None))
        ]
        features += ["amount=missing"] * (row["amount"] is None)
        names += [feature for feature in dict.fromkeys(features) if feature not in names]
    return names


@pytest.mark.parametrize("batch", [1, 7, 400])
def test_features_are_numbered_by_rows(batch: int, tmp_path: Path) -> None:
    rows = rows_at_random(400)
    table = pa.Table.from_pylist(rows)

    def batches() -> Iterator[pa.RecordBatch]:
        for start in range(0, len(rows), batch):
            yield table.slice(start, batch).combine_chunks().to_batches()[0]

    examples = rosenblatt.read(batches())
    assert list(examples.space.columns) == numbered_cell_by_cell(rows)
    half = rosenblatt.read(table.slice(0, 90))
    assert list(half.space.columns) == numbered_cell_by_cell(rows[:90])
    for i, row in enumerate(rows):
        names = {examples.space.columns[j] for j in examples.X[[i]].indices} - {"amount"}
        assert names == set(numbered_cell_by_cell([row])[1:])
