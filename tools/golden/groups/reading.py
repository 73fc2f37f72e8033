"""Files as matrices: `read` and `stream` with every format and option, and how new examples are read like old ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import rosenblatt
from tools.golden.case import Case, named, product, refusal
from tools.golden.data.places import data

PLAIN = (
    *("rows.svm", "test.svm", "sorted.svm", "zero.svm", "many.svm", "spaced.svm", "large.svm"),
    *("people.csv", "numbers.csv", "notes.csv", "people.tsv", "semicolons.csv"),
    *("headless.csv", "first.csv", "three.csv"),
    *("people.parquet", "people.arrow", "matrix.npy", "fortran.npy", "named.npz", "other.npz"),
    *(f"{name}.{ending}" for name in ("rows.svm", "people.csv") for ending in ("gz", "bz2", "xz", "zst")),
)
HASHED = (
    *("words.vw", "test.vw", "many.vw", "mail.txt", "test.txt", "headed.txt", "topics.txt", "notes.csv"),
    *(f"{name}.{ending}" for name in ("words.vw", "mail.txt") for ending in ("gz", "bz2", "xz", "zst")),
)  # fmt: skip
BAD = ("bad.svm", "bad.csv", "bad.vw", "bad.txt")


def facts(examples: Any) -> Any:
    """The matrix, the labels, the weights, and what the columns mean."""
    space = examples.space
    return {
        "X": examples.X,
        "y": examples.y,
        "weights": examples.weights,
        "kind": space.kind,
        "columns": list(space.columns),
        "bits": space.bits,
        "ngrams": space.ngrams,
        "index_base": space.index_base,
        "names": {str(column): name for column, name in dict(space.names).items()},
    }


def _read(file: str, **options: Any) -> Case:
    name = f"reading/{file}/{named(**options)}"
    return Case(name, lambda: facts(rosenblatt.read(data(file), **options)))


def cases() -> Iterator[Case]:
    for file in PLAIN:
        yield _read(file)
        yield _read(file, threads=4)
    for file in HASHED:
        for options in product(bits=(8, 14), threads=(1, 2)):
            yield _read(file, **options)
    for options in product(bits=(12,), ngrams=(1, 2, 3, 5), value=("count", "binary", "sqrt"), unit=(True, False)):
        yield _read("mail.txt", **options)
    for options in product(bits=(10,), ngrams=(1, 2), value=("count", "sqrt"), scale=(True, False)):
        yield _read("notes.csv", **options)
    yield from _tables()
    yield from _others()
    yield _read("bad.csv", on_bad_row="skip")
    for file in ("bad.vw", "bad.txt"):
        yield _read(file, on_bad_row="skip", bits=10)
    for file in BAD:
        yield Case(f"reading/refused/{file}", lambda file=file: refusal(lambda: rosenblatt.read(data(file))))
    for file in ("rows.svm", "large.svm", "people.csv", "matrix.npy", "people.parquet", "people.arrow"):
        yield Case(f"reading/stream/{file}", lambda file=file: [facts(part) for part in rosenblatt.stream(data(file))])
    for old, new in LIKE:
        yield Case(f"reading/like/{old}/{new}", lambda old=old, new=new: _like(old, new))


LIKE = (
    *(("people.csv", "people-test.csv"), ("numbers.csv", "numbers-test.csv"), ("rows.svm", "test.svm")),
    *(("words.vw", "test.vw"), ("mail.txt", "test.txt"), ("mail.txt", "raw.txt"), ("three.csv", "three.csv")),
    *(("notes.csv", "notes-test.csv"), ("matrix.npy", "fortran.npy"), ("people.parquet", "people.arrow")),
)


def _tables() -> Iterator[Case]:
    for file in ("people.csv", "people.tsv", "people.parquet", "people.arrow", "people.csv.zst"):
        yield _read(file, scale=True, label="income")
        yield _read(file, words="code", label="income")
        yield _read(file, cross="day:shop", label="income")
        yield _read(file, cross=("age:height", "age:day"), scale=True, label="income")
        yield _read(file, label="day")
        yield _read(file, label=2)
        yield _read(file, text="shop", bits=8, label="income")
    yield _read("headless.csv", header=False)
    yield _read("headless.csv", header=True)
    yield _read("headless.csv", header=False, label=1)
    yield _read("numbers.csv", header=True, label="code")
    yield _read("three.csv", format="csv", label="kind")
    yield _read("people.tsv", format="tsv", label="income")
    yield _read("first.csv", label=0)
    yield _read("semicolons.csv", label="income", cross="day:shop", scale=True)


def _others() -> Iterator[Case]:
    for cross in ("day:shop", "day:rain", ("day:shop", "shop:rain")):
        yield _read("words.vw", bits=12, cross=cross)
    yield _read("rows.svm", index_base=0)
    yield _read("rows.svm", index_base=1, format="svmlight")
    yield _read("narrow.npy", label=0)
    yield _read("other.npz", label="wide")
    raw: dict[str, Any] = {"bits": 12, "format": "text"}
    yield Case(
        "reading/raw.txt/labels-from",
        lambda: facts(rosenblatt.read(data("raw.txt"), labels_from=data("labels.txt"), **raw)),
    )
    yield Case(
        "reading/sparse.npz/labels-from",
        lambda: facts(rosenblatt.read(data("sparse.npz"), labels_from=data("sparse-labels.txt"))),
    )
    wrong: dict[str, tuple[str, dict[str, Any]]] = {
        "no-file": ("no-such-file.csv", {}),
        "no-label": ("people.csv", {"label": "nothing"}),
        "cross-of-svmlight": ("rows.svm", {"cross": "a:b"}),
        "unknown-option": ("rows.svm", {"speed": 3}),
        "wrong-format": ("people.csv", {"format": "npz"}),
        "text-of-array": ("matrix.npy", {"format": "parquet"}),
    }
    for name, (file, options) in wrong.items():
        yield Case(
            f"reading/refused/{name}",
            lambda file=file, options=options: refusal(lambda: rosenblatt.read(data(file), **options)),
        )


def _like(old: str, new: str) -> Any:
    options = {"bits": 11} if old in HASHED else {}
    return facts(rosenblatt.read(data(new), like=rosenblatt.read(data(old), **options).space))
