"""Small files of every format that engines read, in several blocks, and the bytes of the model that each gives."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model_file import save_model

BLOCK = 1 << 13  # bytes of a block in these tests, so that small files have several


def model_bytes(model: LinearModel, folder: Path) -> bytes:
    path = folder / "the.model"
    save_model(model, path)
    return path.read_bytes()


def _rng() -> np.random.Generator:
    return np.random.default_rng(23)


def _svmlight(rows: int, first: int = 1, late_zero: bool = False) -> str:
    random, lines = _rng(), []
    for row in range(rows):
        columns = np.sort(random.choice(60, 6, replace=False))
        values = random.integers(1, 9, 6) / 4
        label = int(values[columns < 20].sum() > values[columns >= 40].sum())
        zero = "0:1 " if late_zero and row > rows // 2 else ""
        lines.append(f"{label} {zero}" + " ".join(f"{c + first}:{v:g}" for c, v in zip(columns, values, strict=True)))
    return "\n".join(lines) + "\n"


def _words(random: np.random.Generator, label: int) -> str:
    return " ".join(f"word{int(w) + 40 * label}" for w in random.integers(0, 90, 12))


def _text(rows: int, separator: str = "\t", mark: str = "") -> str:
    random = _rng()
    labels = random.integers(0, 3, rows).tolist()
    return "".join(f"{mark}c{label}{separator}{_words(random, label)}\n" for label in labels)


def _vw(rows: int) -> str:
    random, lines = _rng(), []
    for label in random.choice([-1, 1], rows).tolist():
        day, shop = random.integers(0, 7), random.integers(0, 9) + (label > 0)
        words = _words(random, label > 0)
        lines.append(f"{label} {1 + shop / 8:g} |day d{day} |shop s{shop}:0.5 |text {words}")
    return "\n".join(lines) + "\n"


def _several(rows: int) -> str:
    random, lines = _rng(), []
    for _ in range(rows):
        labels = np.flatnonzero(random.random(4) < 0.4).tolist() or [0]
        words = " ".join(_words(random, label) for label in labels)
        lines.append(f"{'|'.join(f'tag{label}' for label in labels)}\t{words}\n")
    return "".join(lines)


def _plain(name: str, text: str) -> Callable[[Path], str]:
    def write(folder: Path) -> str:
        path = folder / name
        path.write_text(text)
        return str(path)

    return write


def _packed(name: str, text: str) -> Callable[[Path], str]:
    def write(folder: Path) -> str:
        path = folder / name
        path.write_bytes(gzip.compress(text.encode()))
        return str(path)

    return write


def _in_parts(text: str, suffix: str) -> Callable[[Path], list[str]]:
    def write(folder: Path) -> list[str]:
        lines = text.splitlines(keepends=True)
        paths = [folder / f"part-{k}{suffix}" for k in range(3)]
        for k, path in enumerate(paths):
            path.write_text("".join(lines[k * len(lines) // 3 : (k + 1) * len(lines) // 3]))
        return [str(path) for path in paths]

    return write


# What it is: how its files are written, how they are read, and how they are learned.
CASES: Mapping[str, tuple[Callable[[Path], Any], Mapping[str, Any], Mapping[str, Any]]] = {
    "svmlight": (_plain("a.svm", _svmlight(900)), {}, {}),
    "svmlight, in unlike units": (
        _plain("u.svm", "".join(f"{k % 2} 1:{k % 7} 2:{1000 + k * (k % 2)} 3:0.5\n" for k in range(2000))),
        {},
        {"holdout": 0.2, "passes": 2},
    ),
    "svmlight, an index 0 late": (_plain("z.svm", _svmlight(900, late_zero=True)), {}, {"passes": 2}),
    "svmlight, sorted by label": (
        _plain("s.svm", "".join(sorted(_svmlight(900).splitlines(keepends=True)))),
        {},
        {"passes": 1},
    ),
    "svmlight, three files": (_in_parts(_svmlight(900), ".svm"), {}, {"holdout": 0.1, "patience": 1, "passes": 4}),
    "svmlight, a bad row": (
        _plain("b.svm", _svmlight(600) + "1 one:1\n" + _svmlight(300)),
        {"on_bad_row": "skip"},
        {"rule": "perceptron"},
    ),
    "text": (_plain("t.tsv", _text(700)), {"ngrams": 2}, {}),
    "text, packed": (_packed("t.tsv.gz", _text(500)), {}, {"rule": "arow"}),
    "text with a header": (_plain("h.tsv", "label\ttext\n" + _text(500)), {}, {"rule": "logistic", "passes": 2}),
    "text, several labels": (_plain("m.tsv", _several(400)), {"multi_label": True}, {"passes": 2}),
    "fastText": (_plain("f.txt", _text(400, " ", "__label__")), {"format": "fasttext"}, {"passes": 1}),
    "vw": (_plain("v.vw", _vw(700)), {}, {"class_weight": {-1: 2.0}}),
    "vw, crossed": (_plain("x.vw", _vw(500)), {"cross": ("day:shop",)}, {"rule": "hinge", "passes": 2}),
    "vw, many names in few columns": (_plain("n.vw", _vw(700)), {"bits": 8}, {"rule": "logistic-average", "passes": 1}),
}
