"""Tables in memory and in batches give the same model as the same rows in a file."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import rosenblatt
from rosenblatt.errors import DataError, ParameterError

RANDOM = random.Random(5)
ROWS = [
    {"x": RANDOM.gauss(0, 1), "city": RANDOM.choice(["Bonn", "Rome"]), "label": RANDOM.choice(["yes", "no"])}
    for _ in range(3000)
]
TABLE = pa.Table.from_pylist(ROWS)


class Speaks:
    """An object that supports Arrow and nothing else."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return TABLE.__arrow_c_stream__(requested_schema)


WAYS: dict[str, Callable[[], Any]] = {
    "table": lambda: TABLE,
    "pandas": TABLE.to_pandas,
    "reader": TABLE.to_reader,
    "speaks": Speaks,
    "batches": lambda: iter(TABLE.to_batches(max_chunksize=700)),
    "frames": lambda: (TABLE.slice(i, 450).to_pandas() for i in range(0, 3000, 450)),
    "records": lambda: ROWS,
}


@pytest.mark.parametrize("way", WAYS)
def test_rows_in_memory_are_learned_as_in_a_file(way: str, tmp_path: Path) -> None:
    parquet.write_table(TABLE, tmp_path / "t.parquet")
    of_file = rosenblatt.fit_file(tmp_path / "t.parquet", rule="arow", passes=1)
    of_memory = rosenblatt.fit_file(WAYS[way](), rule="arow", passes=1)
    assert of_memory.model.coef.tobytes() == of_file.model.coef.tobytes()
    examples = rosenblatt.read(WAYS[way](), like=of_file.model)
    assert examples.X.shape == (3000, of_file.model.features)
    assert examples.y.tolist() == [row["label"] for row in ROWS]


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"a table that supports Arrow\. Got ndarray instead"):
        rosenblatt.read(np.zeros((2, 2)))  # type: ignore[arg-type]
    with pytest.raises(DataError, match="has no rows"):
        rosenblatt.read(iter([]))  # type: ignore[arg-type]
    other = [TABLE.slice(0, 50).to_batches()[0], pa.RecordBatch.from_pylist([{"z": 1}])]
    with pytest.raises(DataError, match=r"a batch after row 50 has the columns \['z'\]"):
        rosenblatt.read(iter(other))  # type: ignore[arg-type]
