"""The data files that the cases read, in every format, examples from the tool's own numbers."""

from __future__ import annotations

import bz2
import gzip
import lzma
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from tools.golden.data.numbers import Stream

DAYS, SHOPS = ["mon", "tue", "wed", "sat", "sun"], ["bakery", "bank", "bar", "book shop"]
VOCABULARY = [
    *("free", "money", "click", "here", "win", "prize", "now", "offer", "cheap", "pills", "report", "credit"),
    *("meeting", "noon", "lunch", "patch", "kernel", "merge", "review", "tuesday", "laptop", "works", "thanks"),
    *("shall", "we", "the", "a", "of", "to", "and", "you", "your", "please", "see", "code", "été", "naïve"),
    *("STRASSE", "Straße", "漢字", "かな", "👍", "x_1", "3.14", "don't", "e-mail", "ΑΒΓ"),
]


def make_files(folder: Path) -> None:
    """Write them all."""
    folder.mkdir()
    _svmlight(folder)
    _vw(folder)
    _text(folder)
    _tables(folder)
    _arrays(folder)
    for name in ("rows.svm", "words.vw", "mail.txt", "people.csv"):
        _packed(folder / name)


def _sparse_rows(name: str, rows: int, columns: int, entries: int) -> list[tuple[int, list[int], list[int]]]:
    """Label -1 or 1, columns in rising order, values in thousandths; one label in ten is drawn by chance."""
    stream = Stream(name)
    direction = stream.below(2001, columns) - 1000
    places, values = stream.below(columns, rows, entries), stream.below(4001, rows, entries) - 2000
    chance = stream.below(20, rows)
    examples = []
    for row in range(rows):
        cells = dict(zip(places[row].tolist(), values[row].tolist(), strict=True))
        ordered = sorted(cells)
        score = sum(int(direction[column]) * cells[column] for column in ordered)
        label = (1 if score > 0 else -1) if chance[row] > 1 else (1 if chance[row] else -1)
        examples.append((label, ordered, [cells[column] for column in ordered]))
    return examples


def _svm_line(label: Any, columns: list[int], values: list[int], base: int = 1) -> str:
    cells = (f"{column + base}:{value / 1000:g}" for column, value in zip(columns, values, strict=True))
    return f"{label} {' '.join(cells)}"


def _svmlight(folder: Path) -> None:
    rows = _sparse_rows("svmlight", 400, 60, 9)
    lines = [_svm_line(*row) for row in rows]
    _write(folder / "rows.svm", lines[:300])
    _write(folder / "test.svm", lines[300:])
    _write(folder / "sorted.svm", [_svm_line(*row) for row in sorted(rows[:200], key=lambda row: row[0])])
    _write(folder / "zero.svm", [_svm_line(*row, base=0) for row in rows[:120]])
    _write(folder / "many.svm", [_svm_line(f"{1 + (row[1][0] * 5) // 60}", *row[1:]) for row in rows[:240]])
    _write(folder / "spaced.svm", ["# a comment", *(f"{line}  # note" for line in lines[:90])], end="\r\n")
    bad = [*lines[:40], "1 3:abc", "1 5:1 4:2", *lines[40:60], "2:1 3:1", "1 7:nan", *lines[60:80]]
    _write(folder / "bad.svm", bad)
    large = [_svm_line(*row) for row in _sparse_rows("large", 9000, 3000, 36)]
    _write(folder / "large.svm", large)


def _vw(folder: Path) -> None:
    stream = Stream("vw")
    lines = []
    for row in range(260):
        day, shop = int(stream.below(5, 1)[0]), int(stream.below(4, 1)[0])
        numbers = (stream.below(2001, 2) - 1000).tolist()
        is_open = (day + shop) % 2 if row % 9 else row % 2
        weight = f" {1 + row % 3 / 2:g}" if row % 4 == 0 else ""
        rain = f"|rain amount:{numbers[0] / 1000:g} wind:{numbers[1] / 1000:g}"
        lines.append(f"{is_open * 2 - 1}{weight} |day {DAYS[day]} |shop {SHOPS[shop].replace(' ', '_')} {rain}")
    _write(folder / "words.vw", lines[:200])
    _write(folder / "test.vw", lines[200:])
    numbered = [f"{1 + place % 3}{line[line.index(' ') :]}" for place, line in enumerate(lines[:150])]
    _write(folder / "many.vw", numbered)
    _write(folder / "bad.vw", [*lines[:30], "x |day mon", *lines[30:50], "1 |rain amount:many", *lines[50:60]])


def _sentence(stream: Stream, label: str) -> str:
    half = VOCABULARY[:22] if label == "spam" else VOCABULARY[12:]
    return " ".join(stream.pick(half, 4 + int(stream.below(9, 1)[0])) + stream.pick(VOCABULARY, 2))


def _text(folder: Path) -> None:
    stream = Stream("text")
    labels = stream.pick(["spam", "ham"], 320)
    texts = [_sentence(stream, label) for label in labels]
    lines = [f"{label}\t{text}" for label, text in zip(labels, texts, strict=True)]
    _write(folder / "mail.txt", lines[:250])
    _write(folder / "test.txt", lines[250:])
    _write(folder / "headed.txt", ["label\ttext", *lines[:100]])
    _write(folder / "raw.txt", texts[:150])
    _write(folder / "labels.txt", labels[:150])
    topics = [
        f"{['sport', 'code', 'food'][place % 3]}\t{text} {'abc'[place % 3] * 3}" for place, text in enumerate(texts)
    ]
    _write(folder / "topics.txt", topics[:180])
    _write(folder / "bad.txt", [*lines[:20], "no tab here", *lines[20:40]])


def _people(rows: int) -> list[dict[str, Any]]:
    stream = Stream("people")
    examples = []
    for row in range(rows):
        age, height, code = (stream.below(200, 3) - 40).tolist()
        day, shop = stream.pick(DAYS, 1)[0], stream.pick(SHOPS, 1)[0]
        rich = age * 3 - height * 2 + (60 if day in ("sat", "sun") else 0) + (40 if shop == "bank" else -20) > 0
        examples.append(
            {
                "age": None if row % 17 == 5 else age / 4,
                "height": height / 8,
                "code": code % 7,
                "day": day,
                "shop": None if row % 23 == 7 else shop,
                "note": _sentence(stream, "spam" if rich else "ham"),
                "income": ("high" if rich else "low") if row % 11 else "low",
            }
        )
    return examples


def _cell(value: Any) -> str:
    if value is None:
        return "?"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',;"\n') else text


def _table(rows: list[dict[str, Any]], columns: list[str], separator: str = ",", header: bool = True) -> list[str]:
    lines = [separator.join(_cell(row[column]) for column in columns) for row in rows]
    return [separator.join(columns), *lines] if header else lines


def _tables(folder: Path) -> None:
    import pyarrow
    import pyarrow.feather
    import pyarrow.parquet

    rows = _people(260)
    numbers, plain = ["age", "height", "code", "income"], ["age", "height", "code", "day", "shop", "income"]
    every = [*plain[:-1], "note", "income"]
    _write(folder / "people.csv", _table(rows[:200], plain))
    _write(folder / "people-test.csv", _table(rows[200:], plain))
    _write(folder / "numbers.csv", _table(rows[:200], numbers))
    _write(folder / "numbers-test.csv", _table(rows[200:], numbers))
    _write(folder / "notes.csv", _table(rows[:160], every))
    _write(folder / "notes-test.csv", _table(rows[200:], every))
    _write(folder / "people.tsv", _table(rows[:150], plain, "\t"))
    _write(folder / "semicolons.csv", _table(rows[:100], plain, ";"))
    _write(folder / "headless.csv", _table(rows[:100], numbers, header=False))
    _write(folder / "first.csv", _table(rows[:100], ["income", "age", "height"]))
    quarters = [
        {"low": row["height"], "wide": row["code"] / 2, "kind": ("a", "b", "c")[row["code"] % 3]} for row in rows[:120]
    ]
    _write(folder / "three.csv", _table(quarters, ["low", "wide", "kind"]))
    bad = _table(rows[:90], numbers)
    bad[30], bad[50] = "1,2,3,4,5,6", "1,2"
    _write(folder / "bad.csv", bad)
    columns = {name: [row[name] for row in rows[:180]] for name in plain}
    columns |= {"member": [row["code"] > 3 for row in rows[:180]]}
    columns |= {"since": [date(1990, 1, 1) + timedelta(days=int(row["height"] * 100)) for row in rows[:180]]}
    table = pyarrow.table(columns)
    place = table.schema.get_field_index("day")
    table = table.set_column(place, "day", table.column("day").dictionary_encode())
    pyarrow.parquet.write_table(table, folder / "people.parquet", row_group_size=70)
    pyarrow.feather.write_feather(table, folder / "people.arrow", compression="uncompressed", chunksize=50)


def _arrays(folder: Path) -> None:
    stream = Stream("arrays")
    X = stream.grid(140, 6)
    y = (X[:, 0] - X[:, 1] * 2 + X[:, 4] > 0.5).astype(np.int64)
    np.save(folder / "matrix.npy", np.column_stack([X, y]))
    np.save(folder / "narrow.npy", np.column_stack([y, X]).astype(np.float32))
    np.save(folder / "fortran.npy", np.asfortranarray(np.column_stack([X, y])))
    np.savez(folder / "named.npz", X=X, y=np.where(y, "up", "down"))
    np.savez_compressed(folder / "other.npz", data=X.astype(np.float32), target=y, wide=stream.below(3, 140))
    sparse.save_npz(folder / "sparse.npz", sparse.csr_array(np.where(np.abs(X) > 2, X, 0.0)))
    _write(folder / "sparse-labels.txt", [f"{label}" for label in y.tolist()])


def _packed(path: Path) -> None:
    import pyarrow

    content = path.read_bytes()
    for ending, packed in {
        "gz": gzip.compress(content, mtime=0),
        "bz2": bz2.compress(content),
        "xz": lzma.compress(content),
    }.items():
        path.with_name(f"{path.name}.{ending}").write_bytes(packed)
    with pyarrow.CompressedOutputStream(str(path) + ".zst", "zstd") as out:
        out.write(content)


def _write(path: Path, lines: list[str], end: str = "\n") -> None:
    path.write_bytes("".join(line + end for line in lines).encode())
