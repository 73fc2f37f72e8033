"""The two files of each split, written once into the temporary folder of the machine, and the hash that names them."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bench.accuracy import read_sets
from bench.accuracy.data_sets import CACHE
from bench.panel.data.raw import SUFFIX, DataSet, Raw

FOLDER = CACHE / "panel"


@dataclass(frozen=True)
class Split:
    """A training and a test file; `digest` names their content."""

    train: Path
    test: Path
    labels: list[str]  # of the test file
    digest: str
    n_train: int


@cache
def version() -> str:
    """The code that makes the files: when it changes, they are written again."""
    return digest_of([*sorted(Path(__file__).parent.glob("*.py")), Path(read_sets.__file__)])


def digest_of(paths: list[Path]) -> str:
    """A short hash of the content of some files."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def split_files(data: DataSet, folder: Path | None) -> list[Split]:
    """The splits of a set, from the last run if nothing has changed."""
    place = FOLDER / version() / data.name
    if not place.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=FOLDER) as name:  # whole or not at all: another run may look
            partial = Path(name) / "partial"
            partial.mkdir()
            splits = [write_split(partial, number, *parts) for number, parts in enumerate(raw_splits(data, folder))]
            (partial / "splits.json").write_text(json.dumps(splits))
            place.parent.mkdir(exist_ok=True)
            try:
                partial.rename(place)
            except OSError:
                if not place.exists():  # another run was first
                    raise
    return [read_split(place, entry) for entry in json.loads((place / "splits.json").read_text())]


def raw_splits(data: DataSet, folder: Path | None) -> Iterator[tuple[Raw, Raw]]:
    """The examples of each split; raises OSError where the folder does not have the set."""
    return data.splits(data.read(folder or Path("no-data-folder")))


def write_split(place: Path, number: int, train: Raw, test: Raw) -> dict[str, Any]:
    suffix = SUFFIX[train.kind]
    paths = [place / f"{part}-{number}.{suffix}" for part in ("train", "test")]
    for path, part in zip(paths, (train, test), strict=True):
        part.write(path)
    entry = {"train": paths[0].name, "test": paths[1].name, "labels": list(test.y)}
    return entry | {"digest": digest_of(paths), "n_train": len(train.y)}


def read_split(place: Path, entry: dict[str, Any]) -> Split:
    paths = {key: place / entry[key] for key in ("train", "test")}
    return Split(**(entry | paths))
