"""Rows of matrices and blocks: take some of them, or put several one after another."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from rosenblatt.errors import DataError
from rosenblatt.lazy import NDArray, np
from rosenblatt.records import Block, Csr, Floats, ParsedBlock, ParsedCsr, Values


def take_rows(values: Values, rows: NDArray[np.integer[Any]]) -> Values:
    """A copy of these rows of a matrix, in this order."""
    if isinstance(values, Csr):
        return take_sparse_rows(values, rows)
    taken: NDArray[Any] = values[rows]
    return taken


def take_sparse_rows(values: Csr, rows: NDArray[np.integer[Any]]) -> Csr:
    lengths = np.diff(values.indptr)[rows]
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    entries = np.repeat(values.indptr[rows] - indptr[:-1], lengths) + np.arange(indptr[-1])
    return Csr(indptr, values.indices[entries], values.values[entries], values.features)


def stack_rows(matrices: Sequence[Values]) -> Values:
    """One matrix of all the rows, as wide as the widest: later blocks of a source may have more columns."""
    sparse = [matrix for matrix in matrices if isinstance(matrix, Csr)]
    if not sparse:
        return _stack_dense([matrix for matrix in matrices if not isinstance(matrix, Csr)])
    if len(sparse) < len(matrices):
        raise DataError("Some blocks of the source are dense and some are sparse: they cannot be joined.")
    return stack_sparse(sparse)


def stack_sparse(matrices: Sequence[Csr]) -> Csr:
    lengths = np.concatenate([np.diff(matrix.indptr) for matrix in matrices])
    used = [slice(int(matrix.indptr[0]), int(matrix.indptr[-1])) for matrix in matrices]
    return Csr(
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.concatenate([matrix.indices[part] for matrix, part in zip(matrices, used, strict=True)]),
        np.concatenate([matrix.values[part] for matrix, part in zip(matrices, used, strict=True)]),
        max(matrix.features for matrix in matrices),
    )


def _stack_dense(matrices: Sequence[NDArray[Any]]) -> NDArray[Any]:
    width = max(matrix.shape[1] for matrix in matrices)
    return np.concatenate(
        [
            matrix if matrix.shape[1] == width else np.pad(matrix, ((0, 0), (0, width - matrix.shape[1])))
            for matrix in matrices
        ]
    )


def take_examples(block: Block, rows: NDArray[np.integer[Any]]) -> Block:
    """A copy of these examples of a block, in this order."""
    index = rows.astype(np.intp)
    weights = None if block.weights is None else block.weights[index]
    targets = None if block.targets is None else block.targets[index]
    return Block(take_rows(block.values, index), block.labels[index], weights, targets=targets)


def memory_of(block: Block) -> int:
    """Bytes of examples, counted so that they do not depend on how these are divided into blocks."""
    values = block.values
    return (12 * values.entries if isinstance(values, Csr) else values.size * 8) + 16 * block.rows


def join_blocks(blocks: Sequence[Block]) -> Block:
    """Blocks one after another as one. Parsed blocks are joined without numpy."""
    if all(_is_parsed(block) for block in blocks):
        return _join_parsed(blocks)
    labels = np.concatenate([block.labels for block in blocks])
    targets = [block.targets for block in blocks if block.targets is not None]
    return Block(
        stack_rows([block.values for block in blocks]),
        labels,
        join_weights(blocks),
        targets=np.concatenate(targets) if targets else None,
    )


def _is_parsed(block: Block) -> bool:
    values = block.values
    return isinstance(values, ParsedCsr) and [memoryview(part).itemsize for part in values.buffers] == [8, 4, 8]


def _join_parsed(blocks: Sequence[Block]) -> Block:
    starts, labels, weights = array("q", [0]), array("i"), array("d")
    indices, values = array("i"), array("d")
    targets = array("d")
    weighted = any(block.buffers[1] is not None for block in blocks)
    for block in blocks:
        assert isinstance(block.values, Csr)
        ends, columns, numbers = (memoryview(part) for part in block.values.buffers)
        first, last, base = ends[0], ends[-1], starts[-1]
        starts.extend([end - first + base for end in ends[1:]])
        indices.frombytes(columns[first:last].cast("B"))
        values.frombytes(numbers[first:last].cast("B"))
        labels.frombytes(memoryview(block.buffers[0]).cast("B"))
        if weighted:
            weights.extend([1.0] * block.rows if block.buffers[1] is None else block.buffers[1])
        if block.target_buffer is not None:
            targets.frombytes(memoryview(block.target_buffer).cast("B"))
    features = max(block.values.shape[1] for block in blocks)
    return ParsedBlock(
        ParsedCsr(starts, indices, values, features), labels, weights if weighted else None, targets=targets or None
    )


def join_weights(blocks: Sequence[Block]) -> Floats | None:
    """The weights of all examples, 1 where a block has none; None where no block has any."""
    if all(block.weights is None for block in blocks):
        return None
    return np.concatenate([np.ones(block.rows) if block.weights is None else block.weights for block in blocks])
