"""Arrow columns as they come from a file or a stream -> checked columns of the types that are read.

Arrow checks nothing by itself: the offsets of a damaged or hostile file may point anywhere in memory. Strings that are
not UTF-8 get U+FFFD in place of what is not, as in a CSV file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import pyarrow as pa
from pyarrow import compute as pc
from pyarrow import types

from rosenblatt.errors import DataError, option

# The oldest pyarrow that is supported has no such types.
_is_string_view, _is_binary_view, _is_run_end_encoded = (
    getattr(types, name, lambda _: False) for name in ("is_string_view", "is_binary_view", "is_run_end_encoded")
)


def readable(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch, every column checked and, if possible, converted to a type that is read; ArrowInvalid if damaged."""
    return pa.RecordBatch.from_arrays([_readable(array) for array in batch.columns], names=batch.schema.names)


def _readable(array: pa.Array) -> pa.Array:
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        array = _with_utf8(array)
    if isinstance(array, pa.ExtensionArray):
        return _readable(array.storage)
    if _is_run_end_encoded(array.type):
        return _readable(pc.run_end_decode(array))
    if _is_string_view(array.type):
        return array.cast(pa.large_string())
    if _is_binary_view(array.type) or types.is_fixed_size_binary(array.type):
        return array.cast(pa.large_binary())
    if types.is_dictionary(array.type) and not _is_string(array.type.value_type):
        return _readable(array.dictionary_decode())
    return array


def _with_utf8(array: pa.Array) -> pa.Array:
    """Strings that are not UTF-8 with U+FFFD; anything else that is not valid raises ArrowInvalid again."""
    if types.is_dictionary(array.type):
        return pa.DictionaryArray.from_arrays(array.indices, _with_utf8(array.dictionary))
    if _is_string_view(array.type):
        cells = array.view(pa.binary_view())
    elif _is_string(array.type):
        cells = array.view(pa.binary() if types.is_string(array.type) else pa.large_binary())
    else:
        cells = array
    cells.validate(full=True)
    replaced = [None if cell is None else cell.decode("utf-8", errors="replace") for cell in cells.to_pylist()]
    return pa.array(replaced, pa.large_string() if _is_string_view(array.type) else array.type)


def _is_string(type_: pa.DataType) -> bool:
    return bool(types.is_string(type_) or types.is_large_string(type_))


def _is_cell(type_: pa.DataType) -> bool:
    """Whether a cell of the type is one number, word or time."""
    if types.is_dictionary(type_):
        return _is_string(type_.value_type)
    numeric = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null)
    temporal = types.is_temporal(type_) and not types.is_interval(type_)
    return temporal or _is_string(type_) or any(is_numeric(type_) for is_numeric in numeric)


def _is_list_of_words(type_: pa.DataType) -> bool:
    return (types.is_list(type_) or types.is_large_list(type_)) and _is_string(type_.value_type)


def refuse_types(
    file: str,
    types_: Mapping[str, pa.DataType],
    columns: Iterable[str],
    label: str | None,
    words: Collection[str] | None = None,
) -> None:
    """DataError for a column, of those that are used, whose cells are structs, bytes, lists of numbers and the like.

    Lists of words count as words; with a model, only in its columns of `words`.
    """
    for column in columns:
        type_ = types_.get(column, pa.null())
        bytes_of_label = column == label and (types.is_binary(type_) or types.is_large_binary(type_))
        list_of_words = _is_list_of_words(type_) and column != label and (words is None or column in words)
        if not _is_cell(type_) and not bytes_of_label and not list_of_words:
            advice = f"choose another {option('label')}" if column == label else "leave it out"
            raise DataError(
                f"{file}: column {column!r} holds {type_}, which is neither numbers nor words nor times; "
                f"{advice}, or split it into columns.",
                file=file,
            )


@contextmanager
def naming_column(column: str) -> Iterator[None]:
    """Adds the name of the column to Arrow's errors about values that it cannot convert."""
    try:
        yield
    except pa.ArrowException as error:
        if isinstance(error, MemoryError):
            raise
        raise pa.ArrowInvalid(f"column {column!r}: {error}") from error


def refuse_duplicates(file: str, columns: Sequence[str]) -> None:
    for name in columns:
        if columns.count(name) > 1:
            raise DataError(f"{file}: two columns are named {name!r}; give them different names.", file=file)
