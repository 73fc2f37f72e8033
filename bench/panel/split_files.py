"""The two files of each split, written once into the temporary folder of the machine, and the hash that names them."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bench.accuracy import read_sets
from bench.accuracy.data_sets import CACHE
from bench.panel.raw import SUFFIX, DataSet, Raw

FOLDER = CACHE / "panel"


@dataclass(frozen=True)
class Split:
    """A training and a test file; `digest` names their content."""

    train: Path
    test: Path
    labels: tuple[str, ...]  # of the test file
    label: str  # the name of their column
    digest: str
    n_train: int


@cache
def version() -> str:
    """The code that makes the files: when it changes, they are written again."""
    sources = [*Path(__file__).parent.glob("*.py"), Path(read_sets.__file__)]
    used = ("raw.py", "read_raw.py", "generate.py", "data_sets.py", "split_files.py", "read_sets.py")
    return digest_of([path for path in sorted(sources) if path.name in used])


def digest_of(paths: list[Path]) -> str:
    """A short hash of the content of some files."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def split_files(data: DataSet, folder: Path | None) -> list[Split]:
    """The splits of a set, from the last run if nothing has changed."""
    place = FOLDER / data.name
    index = place / "splits.json"
    stamp = f"{version()} {folder}"
    if index.exists() and json.loads(index.read_text())["stamp"] == stamp:
        return [read_split(entry) for entry in json.loads(index.read_text())["splits"]]
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    entries = [write_split(place, number, *parts) for number, parts in enumerate(raw_splits(data, folder))]
    index.write_text(json.dumps({"stamp": stamp, "splits": entries}))
    return [read_split(entry) for entry in entries]


def raw_splits(data: DataSet, folder: Path | None) -> Iterator[tuple[Raw, Raw]]:
    """The examples of each split; raises FileNotFoundError where the folder does not have the set."""
    return data.splits(data.read(folder or Path("no-data-folder")))


def write_split(place: Path, number: int, train: Raw, test: Raw) -> dict[str, Any]:
    suffix = SUFFIX[train.kind]
    paths = [place / f"{part}{number}.{suffix}" for part in ("train", "test")]
    for path, part in zip(paths, (train, test), strict=True):
        part.write(path)
    entry = {"train": str(paths[0]), "test": str(paths[1]), "labels": list(test.y), "label": train.label}
    return entry | {"digest": digest_of(paths), "n_train": len(train.y)}


def read_split(entry: dict[str, Any]) -> Split:
    places = {key: Path(entry[key]) for key in ("train", "test")}
    return Split(**(entry | places | {"labels": tuple(entry["labels"])}))
