"""Classes and feature spaces <-> the header and the tensors of a model file."""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from rosenblatt.errors import ModelError
from rosenblatt.lazy import np
from rosenblatt.readers.check_space_settings import check_settings
from rosenblatt.readers.hashing.column_names import ColumnNames
from rosenblatt.records import FeatureSpace, Label
from rosenblatt.storage.checked_header import Header, damaged
from rosenblatt.storage.tensors import (
    Tensors,
    put_texts,
    read_array,
    read_buffer,
    read_text_bytes,
    read_texts,
)

_LABEL_TYPES: Mapping[str, type] = {"bool": bool, "int": int, "float": float, "str": str}
_INT64 = 2**63


def pack_classes(classes: Sequence[Label]) -> dict[str, Any]:
    """The labels in their order, and the one type they all have."""
    for kind, type_ in _LABEL_TYPES.items():
        if all(type(label) is type_ for label in classes):
            if kind == "int" and not all(-_INT64 <= int(label) < 2 * _INT64 for label in classes):
                break
            return {"kind": kind, "labels": list(classes)}
    types = ", ".join(sorted({type(label).__name__ for label in classes}))
    raise ModelError(f"Labels must all be integers, floats, words or booleans to be saved. Got {types}.")


def unpack_classes(header: Header, fewest: int = 2) -> tuple[Label, ...]:
    kind, labels = header.text("kind"), header.items("labels")
    type_ = _LABEL_TYPES.get(kind)
    if type_ is None or not all(type(label) is type_ for label in labels):
        raise damaged(f"a label is not of its declared type, {kind!r}")
    if len(labels) < fewest or len(set(labels)) != len(labels) or list(labels) != sorted(labels):
        number = {0: "no", 1: "one", 2: "two"}[fewest]
        raise damaged(f"its labels are not {number} or more different ones in ascending order")
    if type_ is float and not all(map(isfinite, labels)):
        raise damaged("a label is not finite")
    if type_ is int and not all(-_INT64 <= label < 2 * _INT64 for label in labels):
        raise damaged("a label has more than 64 bits")
    return tuple(labels)


def pack_space(space: FeatureSpace, tensors: Tensors) -> dict[str, Any]:
    put_texts(tensors, "space.columns", space.columns)
    n_names = _put_names(tensors, space.names)
    for name in ("shift", "scale"):
        array = getattr(space, name)
        if array is not None:
            tensors[f"space.{name}"] = np.ascontiguousarray(array, dtype=np.float64)
    return {
        "kind": space.kind,
        "index_base": space.index_base,
        "columns": len(space.columns),
        "bits": space.bits,
        "ngrams": space.ngrams,
        "names": n_names,
        "scaled": None if space.scale is None else len(space.scale),
        "settings": json.loads(json.dumps(dict(space.settings))),
    }


def _put_names(tensors: Tensors, names: Mapping[int, str]) -> int:
    """Hundreds of thousands of names are stored as the arrays of the native dictionary or of the model that learned
    on, not one by one. Returns how many there are."""
    arrays: tuple[Any, Any, bytes]
    if isinstance(names, _StoredNames):
        arrays = names.joined({})
    elif isinstance(names, ChainMap) and isinstance(names.maps[0], _StoredNames):
        arrays = names.maps[0].joined(ChainMap(*names.maps[1:]))
    elif isinstance(names, ColumnNames):
        arrays = names.arrays
    else:
        tensors["space.names.column"] = array("q", sorted(names))
        put_texts(tensors, "space.names", (names[column] for column in sorted(names)))
        return len(names)
    tensors["space.names.column"], tensors["space.names.ends"], tensors["space.names.bytes"] = arrays
    return len(arrays[0])


class _StoredNames(Mapping[int, str]):
    """Column -> name, each split off where it is asked for: there may be hundreds of thousands, and few are needed."""

    def __init__(self, columns: list[int], texts: tuple[bytes, list[int]]) -> None:
        self._columns, self._texts = columns, texts

    def joined(self, others: Mapping[int, str]) -> tuple[array[int], array[int], bytes]:
        """(columns, ends, text) with the names of columns that have none here; these are few."""
        known = set(self._columns) if others else set()
        new = sorted(column for column in others if column not in known)
        text, ends = self._texts
        columns, all_ends, parts = array("q"), array("q"), []
        start = added = 0  # the names before this one are done, and so many bytes were added to them
        for column in (*new, None):
            stop = len(ends) if column is None else bisect_left(self._columns, column)
            columns.extend(self._columns[start:stop])
            all_ends.extend([end + added for end in ends[start:stop]] if added else ends[start:stop])
            parts.append(text[ends[start - 1] if start else 0 : ends[stop - 1] if stop else 0])
            if column is not None:
                parts.append(others[column].encode("utf-8", "surrogatepass"))
                added += len(parts[-1])
                columns.append(column)
                all_ends.append((ends[stop - 1] if stop else 0) + added)
            start = stop
        return columns, all_ends, b"".join(parts)

    def __getitem__(self, column: int) -> str:
        (text, ends), at = self._texts, bisect_left(self._columns, column)
        if at == len(self._columns) or self._columns[at] != column:
            raise KeyError(column)
        return text[ends[at - 1] if at else 0 : ends[at]].decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[int]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


def unpack_space(header: Header, tensors: Tensors) -> FeatureSpace:
    kind = header.text("kind")
    if kind not in ("index", "columns", "hashed"):
        raise damaged(f"{kind!r} is not a kind of feature space")
    names = header.count("names", 2**32)
    columns = read_buffer(tensors, "space.names.column", "int64", (names,)).tolist()
    if sorted(columns) != columns:
        raise damaged("the columns that have names do not ascend")
    texts = read_text_bytes(tensors, "space.names", names)
    shift = scale = None
    if "scaled" in header:
        shape = (header.count("scaled", 2**32),)
        shift, scale = (read_array(tensors, f"space.{name}", np.float64, shape) for name in ("shift", "scale"))
        if not (np.isfinite(shift).all() and np.isfinite(scale).all()):
            raise damaged("the scale of a column is not finite")
    space = FeatureSpace(
        kind=kind,  # type: ignore[arg-type]
        index_base=header.count("index_base", 2),
        columns=tuple(read_texts(tensors, "space.columns", header.count("columns", 2**32))),
        bits=header.count("bits", 33),
        ngrams=header.count("ngrams", 100),
        shift=shift,
        scale=scale,
        names=_StoredNames(columns, texts),
        settings=dict(header.section("settings").values),
    )
    check_settings(header.section("settings"), space)
    return space
