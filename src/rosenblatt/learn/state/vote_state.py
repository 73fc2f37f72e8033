"""The voters of a run <-> the parts of a model file: the examples that moved it, and when each did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rosenblatt import native
from rosenblatt.errors import DataError
from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.votes import Store, Votes
from rosenblatt.readers.block_rows import stack_sparse
from rosenblatt.records import Csr, Floats, Values
from rosenblatt.storage.checked_header import Header, damaged
from rosenblatt.storage.tensors import Tensors, put_matrix, read_array, read_matrix

_VISITS = {"t": np.uint64, "store": np.int64, "place": np.int64, "ends": np.int64, "units": np.int64}


def pack_votes(votes: Votes, tensors: Tensors, prefix: str) -> dict[str, Any]:
    """The section of the voters. Stores of the same layout are joined, since learning row by row makes one per call."""
    joined, where = _joined(votes.stores)
    kinds = []
    for i, store in enumerate(joined):
        name = f"{prefix}{i}."
        if isinstance(store.values, Csr):
            tensors[f"{name}indptr"] = store.values.indptr
            tensors[f"{name}indices"] = store.values.indices
            tensors[f"{name}values"] = store.values.values
        else:
            tensors[f"{name}values"] = store.values
        tensors[f"{name}labels"] = store.labels
        if store.weights is not None:
            tensors[f"{name}weights"] = store.weights
        dtype = str(tensors[f"{name}values"].dtype)
        kind = {"sparse": isinstance(store.values, Csr), "weighed": store.weights is not None, "dtype": dtype}
        kinds.append(kind | {"rows": len(store.labels)})
    visits = [(t, *where[store][:1], where[store][1] + place, units) for t, store, place, units in votes.visits]
    columns = {
        "t": [visit[0] for visit in visits],
        "store": [visit[1] for visit in visits],
        "place": [visit[2] for visit in visits],
        "ends": np.cumsum([len(visit[3]) for visit in visits]),
        "units": [unit for visit in visits for unit in visit[3]],
    }
    for name, column in columns.items():
        tensors[f"{prefix}visits.{name}"] = np.asarray(column, dtype=_VISITS[name])
    start = put_matrix(tensors, f"{prefix}start", votes.start[0])
    tensors[f"{prefix}start.bias"] = votes.start[1]
    return {"t": votes.t, "stores": kinds, "start": start}


def _joined(stores: Sequence[Store]) -> tuple[list[Store], list[tuple[int, int]]]:
    """Stores of the same layout joined; for each old store, the new one and the row where it begins there."""
    groups: dict[tuple[Any, ...], list[Store]] = {}
    rows: dict[tuple[Any, ...], int] = {}
    where = []
    for store in stores:
        sparse = isinstance(store.values, Csr)
        array = store.values.values if isinstance(store.values, Csr) else store.values
        key = (sparse, str(array.dtype), store.weights is None)
        groups.setdefault(key, []).append(store)
        where.append((list(groups).index(key), rows.get(key, 0)))
        rows[key] = rows.get(key, 0) + len(store.labels)
    return [_join(group) for group in groups.values()], where


def _join(stores: list[Store]) -> Store:
    labels = np.concatenate([store.labels for store in stores]).astype(np.int32)
    weights = [store.weights for store in stores if store.weights is not None]
    if isinstance(stores[0].values, Csr):
        stacked = stack_sparse([store.values for store in stores if isinstance(store.values, Csr)])
        values: Values = replace(stacked, indices=stacked.indices.astype(np.int64))
    else:
        values = np.ascontiguousarray(np.concatenate([np.asarray(store.values) for store in stores]))
    return Store(values, labels, np.concatenate(weights) if weights else None)


def unpack_votes(
    header: Header, tensors: Tensors, prefix: str, settings: Settings, class_weight: Floats, shape: tuple[int, int]
) -> Votes:
    start = np.asarray(read_matrix(tensors, f"{prefix}start", header.section("start"), shape))
    bias = read_array(tensors, f"{prefix}start.bias", np.float64, shape[:1])
    stores = [
        _store(kind, tensors, f"{prefix}{i}.", shape[1], len(class_weight))
        for i, kind in enumerate(header.sections("stores"))
    ]
    votes = Votes(settings, class_weight, (start, bias), t=header.count("t"), stores=stores)
    columns = {name: read_array(tensors, f"{prefix}visits.{name}", dtype) for name, dtype in _VISITS.items()}
    _check_visits(columns, stores, shape[0])
    units = np.split(columns["units"], columns["ends"][:-1]) if len(columns["t"]) else []
    votes.visits = [
        (t, store, place, moved.tolist())
        for t, store, place, moved in zip(
            columns["t"].tolist(), columns["store"].tolist(), columns["place"].tolist(), units, strict=True
        )
    ]
    return votes


def _check_visits(columns: Mapping[str, NDArray[Any]], stores: Sequence[Store], units: int) -> None:
    count, ends = len(columns["t"]), columns["ends"]
    rows = np.array([len(store.labels) for store in stores], dtype=np.int64)
    valid = all(len(columns[name]) == count for name in ("store", "place", "ends"))
    valid = (
        valid and int(ends[-1] if count else 0) == len(columns["units"]) and bool((np.diff(ends, prepend=0) >= 0).all())
    )
    valid = valid and bool(((columns["units"] >= 0) & (columns["units"] < units)).all())
    valid = valid and bool(((columns["store"] >= 0) & (columns["store"] < len(stores))).all())
    if not valid or not ((columns["place"] >= 0) & (columns["place"] < rows[columns["store"]])).all():
        raise damaged("its voters name an example or a unit that does not exist")


def _store(kind: Header, tensors: Tensors, prefix: str, features: int, classes: int) -> Store:
    rows, dtype = kind.count("rows", 2**32), np.float32 if kind.text("dtype") == "float32" else np.float64
    labels = read_array(tensors, f"{prefix}labels", np.int32, (rows,))
    weights = read_array(tensors, f"{prefix}weights", np.float64, (rows,)) if kind.flag("weighed") else None
    if kind.flag("sparse"):
        indptr = read_array(tensors, f"{prefix}indptr", np.int64, (rows + 1,))
        indices = read_array(tensors, f"{prefix}indices", np.int64)
        values: Values = Csr(indptr, indices, read_array(tensors, f"{prefix}values", dtype, indices.shape), features)
    else:
        values = read_array(tensors, f"{prefix}values", dtype, (rows, features))
    if not ((labels >= 0) & (labels < classes)).all():
        raise damaged("an example of its voters has a label that is not a class")
    try:
        native.rows_of(values)
    except DataError as error:
        raise damaged(f"the examples of its voters cannot be read: {error}") from None
    return Store(values, labels, weights)
