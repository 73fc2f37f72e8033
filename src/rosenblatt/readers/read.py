"""`read` and `stream`: a file as a matrix and labels, for people who write Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.extras import require
from rosenblatt.lazy import NDArray, np
from rosenblatt.options.docstrings import described_by
from rosenblatt.options.reading import READ
from rosenblatt.readers.block_rows import join_weights
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions, RereadError, Source
from rosenblatt.records import Block, Csr, FeatureSpace, Floats, Values


@dataclass(frozen=True, repr=False)
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

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        labels = "no labels" if self.y is None else f"{len(np.unique(self.y)):,} classes"
        return f"Examples({rows:,} rows, {columns:,} columns, {labels})"


@described_by(READ)
def read(path: Paths, *, like: Any = None, threads: int = 1, **reading: Any) -> Examples:
    """The examples of a file in any supported format; `like=model` reads them into the matrix that its `predict` takes.

    Parameters
    ----------
    path : path, or several
        A file, several files one after another, a folder of files, or a pattern such as ``'part-*.csv'``.
    like : model or FeatureSpace, optional
        Read into the columns of this model, or of other examples (``examples.space``), scaled as those were.
    threads : int, default=1
        How many threads parse.
    decide : bool, default=False
        Let the columns of a table become what `fit` would learn from: numbers scaled, ids left out, dates taken apart.

    Returns
    -------
    Examples
        `X`, a matrix, and `y`, the labels, which it unpacks to; `space` says what the columns are.

    Examples
    --------
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
    source = open_source(path, _read_options(reading), _space_of(like))
    try:
        blocks = list(source.blocks(threads))
    except RereadError:
        blocks = list(source.blocks(threads))
    return gather(source, blocks, always_sparse=_takes_features(like))


def gather(source: Source, blocks: Sequence[Block], *, always_sparse: bool = False) -> Examples:
    """All the blocks of a source as one."""
    features = max([count_features(source), *(block.values.shape[1] for block in blocks)])
    labels = np.concatenate([block.labels for block in blocks]) if blocks else np.empty(0, dtype=np.int32)
    matrix = join_matrices([block.values for block in blocks], features, always_sparse=always_sparse)
    return Examples(matrix, _label_values(source, labels), join_weights(blocks), source.space)


@described_by(READ)
def stream(path: Paths, *, like: Any = None, threads: int = 1, **reading: Any) -> Iterator[Examples]:
    """The same, some thousand examples at a time, in bounded memory, for `partial_fit`.

    Of a table with words, and of a file of sparse rows, the first blocks may have fewer columns than the last: only the
    columns seen so far. Hashed text, and a file read `like` a model, always give the same number of columns.

    Parameters
    ----------
    path : path, or several
        A file, several files one after another, a folder of files, or a pattern such as ``'part-*.csv'``.
    like : model or FeatureSpace, optional
        Read into the columns of this model, or of other examples (``examples.space``), scaled as those were.
    threads : int, default=1
        How many threads parse.
    decide : bool, default=False
        Let the columns of a table become what `fit` would learn from: numbers scaled, ids left out, dates taken apart.

    Yields
    ------
    Examples
        Some thousand examples, as `read` returns all of them.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = pathlib.Path(folder.name, "mail.tsv")
    >>> _ = file.write_text("spam\\tBuy now!\\nham\\tSee you at noon\\nspam\\tNow or never\\n")
    >>> [(X.shape, y.tolist()) for X, y in stream(file, format="text", bits=10)]
    [((3, 1024), ['spam', 'ham', 'spam'])]
    >>> folder.cleanup()
    """
    source = open_source(path, _read_options(reading), _space_of(like))
    for block in source.blocks(threads):
        features = max(count_features(source), block.values.shape[1])
        matrix = join_matrices([block.values], features, always_sparse=_takes_features(like))
        yield Examples(matrix, _label_values(source, block.labels), block.weights, source.space)


_SEVERAL = ("text", "words", "cross", "drop", "keep", "as_")  # a single one may be given as a word


def _read_options(parameters: dict[str, Any]) -> ReadOptions:
    known = list(ReadOptions._fields)
    for name in parameters:
        if name not in known:
            raise ParameterError(f"read has no parameter {name!r}; its parameters are {', '.join(known)}.")
    single = {name: (parameters[name],) for name in _SEVERAL if isinstance(parameters.get(name), str)}
    return ReadOptions(**{**parameters, **single})


def _space_of(like: Any) -> FeatureSpace | None:
    if like is None or isinstance(like, FeatureSpace):
        return like
    model = getattr(like, "model", like)  # of the result of fit_file
    space = getattr(model, "space", None) or getattr(model, "space_", None)
    if not isinstance(space, FeatureSpace):
        raise ParameterError(
            "The 'like' parameter of read must be a LinearSeparator, a result of fit_file, or a model that was learned "
            f"from a file. Got {type(like).__name__} instead."
        )
    if space.kind == "index":  # `predict` scales numbered features itself
        return replace(space, shift=None, scale=None)
    return space


def _takes_features(like: Any) -> bool:
    """Whether rows are read as features of a table, which must be sparse: a model of a table takes a dense matrix for
    rows of the table itself, and would scale them again."""
    space = _space_of(like)
    return space is not None and space.kind == "columns" and (space is not like or space.scale is not None)


def count_features(source: Source) -> int:
    """How many columns the space has; 0 for one that still grows."""
    space = source.space
    hashed = 2**space.bits if space.bits else 0
    if space.kind == "hashed":
        return hashed
    return max(len(space.columns) + hashed, int(space.settings.get("features", 0)))


def join_matrices(parts: list[Values], features: int, *, always_sparse: bool) -> Any:
    """The rows of all parts as one matrix; sparse if asked for, or if one of them is."""
    if parts and not always_sparse and not any(isinstance(part, Csr) for part in parts):
        return parts[0] if len(parts) == 1 else np.concatenate([part for part in parts if not isinstance(part, Csr)])
    require("sklearn", "Sparse matrices need", ["scipy"])
    from scipy import sparse

    if not parts:
        return sparse.csr_array((0, features))
    matrices = [_sparse(part, features) for part in parts]
    return matrices[0] if len(matrices) == 1 else sparse.csr_array(sparse.vstack(matrices, format="csr"))


def _sparse(part: Values, features: int) -> Any:
    from scipy import sparse

    if isinstance(part, Csr):
        return sparse.csr_array((part.values, part.indices, part.indptr), shape=(part.shape[0], features))
    narrow = sparse.csr_array(part)
    return sparse.csr_array((narrow.data, narrow.indices, narrow.indptr), shape=(part.shape[0], features))


def _label_values(source: Source, labels: NDArray[np.int32]) -> NDArray[Any] | None:
    """The labels as they are written; None where no example has one."""
    if not are_labelled(source.name, labels):
        return None
    return np.array(source.labels)[labels] if len(source.labels) else np.empty(0)


def are_labelled(name: str, labels: NDArray[np.int32]) -> bool:
    """Whether the examples of a file have labels; DataError where only some have."""
    missing = labels < 0
    if len(labels) and missing.all():
        return False
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise DataError(f"{name}: example {row} (from 0) has no label, and others have; label all or none.", file=name)
    return True
