"""Small tables of every kind that engines read, in several spans and batches, as `examples.CASES` has lines."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

ROWS = 3000
SPAN = 1 << 13  # bytes of a span in these tests


def rows(n: int = ROWS, seed: int = 7) -> dict[str, list[Any]]:
    random = np.random.default_rng(seed)
    size, price = random.normal(size=n).round(3), random.lognormal(3, 2, n).round(2)
    town = random.integers(0, 9, n)
    day = np.datetime64("2024-01-01") + random.integers(0, 400, n)
    label = (size + (town > 4) + random.normal(size=n) / 3 > 0.5).astype(int)
    words = random.integers(0, 60, (n, 5)) + 20 * label[:, None]
    return {
        "size": [None if k % 17 == 5 else value for k, value in enumerate(size.tolist())],
        "price": price.tolist(),
        "town": [f"town, {t}" if t < 8 else None for t in town.tolist()],
        "day": [str(d) for d in day],
        "open": [bool(value) for value in random.random(n) < 0.5],
        "note": [" ".join(f"w{w}" for w in line) + ("\nmore" if k % 5 == 0 else "") for k, line in enumerate(words)],
        "bought": ["yes" if value else "no" for value in label],
    }


def as_csv(columns: Mapping[str, list[Any]], header: bool = True) -> str:
    def cell(value: Any) -> str:
        text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        return f'"{text}"' if any(c in text for c in ',\n"') else text

    lines = [",".join(columns)] if header else []
    lines += [",".join(map(cell, row)) for row in zip(*columns.values(), strict=True)]
    return "\n".join(lines) + "\n"


def without(*names: str) -> dict[str, list[Any]]:
    return {name: values for name, values in rows().items() if name not in names}


def spoiled() -> str:
    """Rows with too few cells, cells that are no numbers, flags among numbers, the header once more, a line of JSON."""
    lines = as_csv(without("note", "town")).splitlines()
    lines[700] += ",one more"
    lines[1500] = "many," + lines[1500].partition(",")[2]
    lines[2000] = "true," + lines[2000].partition(",")[2]
    lines.insert(2200, lines[0])
    lines.insert(2300, "")
    lines.insert(2400, '{"size": 1, "price": 2, "day": 3, "open": 4}')
    return "\n".join(lines)


def _text(name: str, text: str) -> Callable[[Path], Any]:
    def write(folder: Path) -> str:
        path = folder / name
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return str(path)

    return write


def _folders(folder: Path) -> str:
    root = folder / "parts"
    for k in range(3):
        part = root / f"year={2020 + k}"
        part.mkdir(parents=True)
        columns = {name: values[k * ROWS // 3 : (k + 1) * ROWS // 3] for name, values in without("note").items()}
        if k == 1:
            columns = dict(reversed(columns.items()))  # columns in another order
        (part / "rows.csv").write_text(as_csv(columns))
    return str(root)


def _parquet(folder: Path) -> str:
    path = folder / "rows.parquet"
    table = pa.table(rows())
    table = table.set_column(3, "day", table["day"].cast(pa.date32()))
    parquet.write_table(table, path, row_group_size=700)
    return str(path)


def _json_lines(folder: Path) -> str:
    path = folder / "rows.jsonl"
    columns = rows()
    lines = [json.dumps(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]
    lines.insert(50, "")
    path.write_text("\n".join(lines))
    return str(path)


def _arrow(folder: Path) -> str:
    path, table = folder / "rows.arrow", pa.table(without("note"))
    with pa.ipc.new_file(path, table.schema) as writer:
        for batch in table.to_batches(max_chunksize=400):
            writer.write_batch(batch)
    return str(path)


TABLES: Mapping[str, tuple[Callable[[Path], Any], Mapping[str, Any], Mapping[str, Any]]] = {
    "csv": (_text("t.csv", as_csv(without("note"))), {}, {}),
    "csv with text, quoted lines": (_text("q.csv", as_csv(rows())), {}, {"holdout": 0.2, "passes": 2}),
    "csv, packed": (
        _text("p.csv.gz", as_csv(without("note"))),
        {},
        {"rule": "arow", "passes": 3, "holdout": 0.1, "patience": 1},
    ),
    "csv without a header": (_text("n.csv", as_csv(without("note"), header=False)), {}, {"rule": "logistic"}),
    "csv, spoiled": (_text("s.csv", spoiled()), {"on_bad_row": "skip"}, {"passes": 1}),
    "csv, a number": (
        _text("r.csv", as_csv(without("note", "bought"))),
        {"label": "price"},
        {"holdout": 0.1},
    ),
    "csv, sorted": (
        _text("o.csv", as_csv({n: sorted(v) if n == "bought" else v for n, v in without("note").items()})),
        {},
        {"passes": 1},
    ),
    "csv, crossed": (_text("x.csv", as_csv(without("note"))), {"cross": ("town:open",)}, {"rule": "hinge"}),
    "csv, folders": (_folders, {}, {"checkpoint_every": 0.001}),
    "parquet": (_parquet, {}, {}),
    "arrow": (_arrow, {}, {"rule": "perceptron", "passes": 2, "class_weight": "balanced"}),
    "json lines": (_json_lines, {}, {"passes": 1}),
}
