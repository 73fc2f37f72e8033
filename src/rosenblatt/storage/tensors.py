"""Arrays in a container: whole, or only the entries that differ from one fill value where that takes less space.

Texts are stored as UTF-8 bytes and the offsets at which each one ends.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import accumulate, pairwise
from math import prod
from sys import float_info
from typing import Any, TypeAlias

from rosenblatt import native
from rosenblatt.available_memory import why_too_large
from rosenblatt.errors import ModelError
from rosenblatt.lazy import NDArray, np
from rosenblatt.storage.checked_header import Header, damaged

# Arrays by name: numpy arrays, or any other buffers with a type and a shape.
Tensors: TypeAlias = dict[str, Any]
_LARGEST_EXPONENT = 1100  # of the power of two between weights in two bytes and weights
_FORMATS: dict[str, Any] = dict(
    zip(("F64", "F32", "I64", "U64", "I32", "U32", "I16", "U16", "I8", "U8", "BOOL"), "dfqQiIhHbB?", strict=True)
)


def put_matrix(tensors: Tensors, name: str, numbers: Any, fill: float = 0.0) -> dict[str, Any]:
    """Add doubles to the tensors; the entry for the header by which `read_matrix` reads them."""
    buffer = contiguous_buffer(numbers)
    shape, entries = buffer.shape or (), native.entries_other_than(buffer, fill)
    if entries is None:
        tensors[name] = buffer
        return {"shape": list(shape)}
    return put_sparse(tensors, name, shape, entries, fill)


def put_sparse(
    tensors: Tensors, name: str, shape: tuple[int, ...], entries: tuple[Any, Any], fill: float
) -> dict[str, Any]:
    """The same for a matrix whose entries other than the fill value are known: their indices and their values."""
    tensors[f"{name}.index"], tensors[f"{name}.value"] = entries
    return {"shape": list(shape), "usual": fill}


def put_small(tensors: Tensors, name: str, shape: tuple[int, ...], positions: Any, values: Any) -> dict[str, Any]:
    """The same in two bytes a value, and about one for its position; all other entries are 0."""
    tensors[f"{name}.gaps"] = native.to_gaps(positions)
    tensors[f"{name}.halves"], exponent = native.to_halves(values)
    return {"shape": list(shape), "usual": 0.0, "exponent": exponent}


def expand_small(tensors: Tensors, name: str, header: Header) -> None:
    """Replace the tensors of `put_small` by those of `put_sparse`."""
    gaps, halves = (
        read_buffer(tensors, f"{name}.{part}", kind) for part, kind in (("gaps", "uint8"), ("halves", "uint16"))
    )
    exponent = header.raw("exponent")
    if type(exponent) is not int or abs(exponent) > _LARGEST_EXPONENT:
        raise damaged(f"the exponent of {name} is not a number of bits")
    positions = native.from_gaps(gaps, len(halves))
    if positions is None:
        raise damaged(f"the positions of {name} are not one for each of its values")
    tensors[f"{name}.index"], tensors[f"{name}.value"] = positions, native.from_halves(halves, exponent)


def contiguous_buffer(numbers: Any) -> memoryview:
    """Numbers as a contiguous buffer, without copying where they already are."""
    buffer = memoryview(numbers)
    return buffer if buffer.c_contiguous else np.ascontiguousarray(numbers).data


def dtype_name(buffer: memoryview) -> str:
    """The type of its numbers, as numpy spells it.

    >>> dtype_name(memoryview(b"abc")), dtype_name(memoryview(b"abcdefgh").cast("d"))
    ('uint8', 'float64')
    """
    letter = buffer.format.lstrip("@=<")
    if letter == "?":
        return "bool"
    kind = "float" if letter in "efd" else "int" if letter.islower() else "uint"
    return f"{kind}{8 * buffer.itemsize}"


def typed_buffer(data: bytes, dtype: str, shape: list[int]) -> memoryview:
    """Bytes as numbers of a type, spelled as in safetensors, and of a shape.

    >>> typed_buffer(bytes(32), "F64", [2, 2]).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    buffer, letter = memoryview(data), _FORMATS[dtype]
    if len(shape) == 1:
        return buffer.cast(letter)
    return np.empty(shape, letter).data if 0 in shape else buffer.cast(letter, shape)  # cast refuses a length of 0


def read_matrix(tensors: Tensors, name: str, header: Header, shape: tuple[int, int]) -> memoryview:
    """A matrix of finite doubles of the shape it must have."""
    _check_shape(name, header, shape)
    if "usual" not in header:
        dense = read_buffer(tensors, name, "float64", shape)
        _check_finite(name, dense)
        return dense
    refuse_too_large(prod(shape))
    index, value, usual = read_entries(tensors, name, header, shape)
    matrix = native.matrix_from_entries(index, value, usual, *shape)
    if matrix is None:
        raise damaged(f"the indices of {name} do not ascend, or lie outside it")
    return matrix


def read_entries(
    tensors: Tensors, name: str, header: Header, shape: tuple[int, int]
) -> tuple[memoryview, memoryview, float]:
    """The entries of a matrix that differ from the usual value: their indices, which are not checked, and values."""
    _check_shape(name, header, shape)
    index, value = read_buffer(tensors, f"{name}.index", "uint32"), read_buffer(tensors, f"{name}.value", "float64")
    _check_finite(name, value)
    return index, value, header.number("usual")


def _check_shape(name: str, header: Header, shape: tuple[int, int]) -> None:
    declared = tuple(header.counts("shape"))
    if declared != shape:
        raise damaged(f"{name} has the shape {declared}, expected {shape}")


def refuse_too_large(n_weights: int) -> None:
    """Before weights are made that the memory cannot hold: here, and again in the learner."""
    why = why_too_large(2 * 8 * n_weights)
    if why is not None:
        raise ModelError(f"its {n_weights:,} weights need {why}")


def read_array(tensors: Tensors, name: str, dtype: Any, shape: tuple[int, ...] | None = None) -> NDArray[Any]:
    """The tensor as a numpy array, of the type and shape it must have."""
    return np.asarray(read_buffer(tensors, name, str(np.dtype(dtype)), shape)).view(dtype)


def read_buffer(tensors: Tensors, name: str, dtype: str, shape: tuple[int, ...] | None = None) -> memoryview:
    """A tensor without copying, of the type and shape it must have; one dimension where no shape is given."""
    if name not in tensors:
        raise damaged(f"the tensor {name} is missing")
    buffer: memoryview = tensors[name]
    if dtype_name(buffer) != dtype or (buffer.ndim != 1 if shape is None else buffer.shape != shape):
        expected = "one dimension" if shape is None else f"the shape {shape}"
        raise damaged(f"the tensor {name} is {dtype_name(buffer)} {buffer.shape}, expected {dtype} with {expected}")
    return buffer


def all_finite(numbers: memoryview, least: float = -float_info.max) -> bool:
    """Whether all numbers are finite, and none is below the least."""
    return native.first_outside(numbers, least, float_info.max) < 0


def _check_finite(name: str, numbers: memoryview) -> None:
    if not all_finite(numbers):
        raise damaged(f"{name} holds a number that is not finite")


def put_texts(tensors: Tensors, name: str, texts: Iterable[str]) -> None:
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    tensors[f"{name}.ends"] = array("q", accumulate(map(len, encoded)))
    tensors[f"{name}.bytes"] = b"".join(encoded)


def read_texts(tensors: Tensors, name: str, count: int) -> list[str]:
    return split_texts(*read_text_bytes(tensors, name, count))


def read_text_bytes(tensors: Tensors, name: str, count: int) -> tuple[bytes, list[int]]:
    """The bytes of all texts, and the offset at which each one ends, for `split_texts`."""
    ends = read_buffer(tensors, f"{name}.ends", "int64", (count,)).tolist()
    content = read_buffer(tensors, f"{name}.bytes", "uint8").tobytes()
    if sorted([0, *ends]) != [0, *ends] or (ends[-1] if ends else 0) != len(content):
        raise damaged(f"the texts of {name} do not end where they should")
    try:
        content.decode("utf-8", "surrogatepass")
        inner_byte = (content[end] & 0xC0 == 0x80 for end in ends if end < len(content))  # of a character
        valid = content.isascii() or not any(inner_byte)
    except UnicodeDecodeError:
        valid = False
    if not valid:
        raise damaged(f"a text of {name} is not UTF-8")
    return content, ends


def split_texts(content: bytes, ends: list[int]) -> list[str]:
    """
    >>> split_texts(b"onetwo", [3, 3, 6])
    ['one', '', 'two']
    """
    return [content[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise([0, *ends])]
