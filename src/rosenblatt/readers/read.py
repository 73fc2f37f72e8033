"""`read` and `stream`: files as matrices and labels, for people who write Python."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.lazy import np
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions, RereadError, Source
from rosenblatt.records import Csr, FeatureSpace, Floats, SourceBlock, Values

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Examples:
    """Examples in memory: `X, y = read(path)`.

    `X` is a numpy matrix, or a scipy.sparse.csr_array where the file is sparse; `y` holds the labels, or is None where
    the file has none; `weights` is how much each example counts, or None; `space` is what the columns mean.
    """

    X: Any
    y: NDArray[Any] | None
    weights: Floats | None
    space: FeatureSpace

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.y))


def read(path: str | os.PathLike[str], *, like: Any = None, threads: int = 1, **reading: Any) -> Examples:
    """The examples of a file, of any format that can be read; `like=model` reads them into the model's columns.

    The other parameters say how to read, where that is not to be found out: format, label, text, words, cross,
    labels_from, header, index_base, bits, ngrams, value, unit, scale, on_bad_row.

    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = pathlib.Path(folder.name, "fruit.csv")
    >>> _ = file.write_text("weight,colour,kind\\n7,red,cherry\\n150,green,apple\\n8,red,cherry\\n")
    >>> X, y = read(file)
    >>> X.toarray().tolist(), y.tolist()
    ([[7.0, 1.0, 0.0], [150.0, 0.0, 1.0], [8.0, 1.0, 0.0]], ['cherry', 'apple', 'cherry'])
    >>> read(file).space.columns
    ('weight', 'colour=red', 'colour=green')
    >>> folder.cleanup()
    """
    source = open_source(path, _reading(reading), _space(like))
    try:
        chunks = list(source.blocks(threads))
    except RereadError:
        chunks = list(source.blocks(threads))
    features = max([_features(source), *(chunk.values.shape[1] for chunk in chunks)])
    weights = None
    if any(chunk.weights is not None for chunk in chunks):
        weights = np.concatenate([np.ones(len(c.labels)) if c.weights is None else c.weights for c in chunks])
    labels = np.concatenate([chunk.labels for chunk in chunks]) if chunks else np.empty(0, dtype=np.int32)
    return Examples(
        _matrix([chunk.values for chunk in chunks], features), _named(source, labels), weights, source.space
    )


def stream(path: str | os.PathLike[str], *, like: Any = None, threads: int = 1, **reading: Any) -> Iterator[Examples]:
    """The same, some thousand examples at a time, in bounded memory, for `partial_fit`.

    Of a table with words, and of a file of sparse rows, the first chunks may have fewer columns than the last: the
    columns are those met so far. Read hashed text, or `like` a model, and all chunks have the same.

    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = pathlib.Path(folder.name, "mail.tsv")
    >>> _ = file.write_text("spam\\tBuy now!\\nham\\tSee you at noon\\nspam\\tNow or never\\n")
    >>> [(X.shape, y.tolist()) for X, y in stream(file, format="text", bits=10)]
    [((3, 1024), ['spam', 'ham', 'spam'])]
    >>> folder.cleanup()
    """
    source = open_source(path, _reading(reading), _space(like))
    for chunk in source.blocks(threads):
        yield _examples(source, chunk)


def _examples(source: Source, chunk: SourceBlock) -> Examples:
    features = max(_features(source), chunk.values.shape[1])
    return Examples(_matrix([chunk.values], features), _named(source, chunk.labels), chunk.weights, source.space)


def _reading(asked: dict[str, Any]) -> ReadOptions:
    known = [field.name for field in fields(ReadOptions)]
    for name in asked:
        if name not in known:
            raise ParameterError(f"read has no parameter {name!r}; it reads by {', '.join(known)}.")
    single = {name: (asked[name],) for name in ("text", "words", "cross") if isinstance(asked.get(name), str)}
    return ReadOptions(**{**asked, **single})


def _space(like: Any) -> FeatureSpace | None:
    if like is None or isinstance(like, FeatureSpace):
        return like
    space = getattr(like, "space", None) or getattr(like, "space_", None)
    if not isinstance(space, FeatureSpace):
        raise ParameterError(
            "The 'like' parameter of read must be a model that was learned from a file. "
            f"Got {type(like).__name__} instead."
        )
    return space


def _features(source: Source) -> int:
    """How many columns the space has; of one that is still growing, 0."""
    space = source.space
    hashed = 2**space.bits if space.bits else 0
    known = space.settings.get("features", 0)
    return max(len(space.columns) + hashed, int(known)) if space.kind != "hashed" else hashed


def _matrix(parts: list[Values], features: int) -> Any:
    """One matrix of the chunks; sparse as soon as one of them is."""
    from scipy import sparse

    if not parts:
        return sparse.csr_array((0, features))
    if not any(isinstance(part, Csr) for part in parts):
        return parts[0] if len(parts) == 1 else np.concatenate([part for part in parts if not isinstance(part, Csr)])
    rows = [_sparse(sparse, part, features) for part in parts]
    return rows[0] if len(rows) == 1 else sparse.csr_array(sparse.vstack(rows, format="csr"))


def _sparse(sparse: Any, part: Values, features: int) -> Any:
    if isinstance(part, Csr):
        return sparse.csr_array((part.values, part.indices, part.indptr), shape=(part.shape[0], features))
    narrow = sparse.csr_array(part)
    return sparse.csr_array((narrow.data, narrow.indices, narrow.indptr), shape=(part.shape[0], features))


def _named(source: Source, labels: NDArray[np.int32]) -> NDArray[Any] | None:
    """The labels themselves; None where there are none."""
    if len(labels) and (labels < 0).all():
        return None
    if (labels < 0).any():
        row = int(np.flatnonzero(labels < 0)[0])
        raise DataError(f"{source.name}: example {row} (from 0) has no label, and others have; label all or none.")
    return np.array(source.labels)[labels] if len(source.labels) else np.empty(0)
