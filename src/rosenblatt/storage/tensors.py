"""Arrays as they lie in a model file: whole, or only the entries that differ from the usual value where that is less.

Texts lie as UTF-8 bytes and the offsets where each one ends.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import accumulate, pairwise
from math import prod
from sys import float_info
from typing import TYPE_CHECKING, Any, TypeAlias

from rosenblatt import native
from rosenblatt.lazy import np
from rosenblatt.storage.header import Header, damaged

if TYPE_CHECKING:
    from numpy.typing import NDArray

    # Arrays by name: of numpy, or any other memory of numbers that knows its type and shape.
    Tensors: TypeAlias = dict[str, Any]
else:
    Tensors = dict

_FORMATS: dict[str, Any] = dict(
    zip(("F64", "F32", "I64", "U64", "I32", "U32", "I16", "U16", "I8", "U8", "BOOL"), "dfqQiIhHbB?", strict=True)
)
_MOST = 2**33  # weights of one part: 64 GB; more than that is no model


def put_matrix(tensors: Tensors, name: str, numbers: Any, usual: float = 0.0) -> dict[str, Any]:
    """Add doubles to the tensors; what is returned goes into the header, and finds them again."""
    memory = contiguous_buffer(numbers)
    shape, other = memory.shape or (), native.unusual(memory, usual)
    if other is None:
        tensors[name] = memory
        return {"shape": list(shape)}
    return put_sparse(tensors, name, shape, other, usual)


def put_sparse(
    tensors: Tensors, name: str, shape: tuple[int, ...], few: tuple[Any, Any], usual: float
) -> dict[str, Any]:
    """The same of a matrix whose unusual entries are known: their indices, and what they are."""
    tensors[f"{name}.index"], tensors[f"{name}.value"] = few
    return {"shape": list(shape), "usual": usual}


def contiguous_buffer(numbers: Any) -> memoryview:
    """Numbers as memory whose bytes lie one after the other; what lies otherwise is copied."""
    memory = memoryview(numbers)
    return memory if memory.c_contiguous else np.ascontiguousarray(numbers).data


def dtype_name(memory: memoryview) -> str:
    """The type of its numbers, as numpy spells it.

    >>> dtype_name(memoryview(b"abc")), dtype_name(memoryview(b"abcdefgh").cast("d"))
    ('uint8', 'float64')
    """
    letter = memory.format.lstrip("@=<")
    if letter == "?":
        return "bool"
    kind = "float" if letter in "efd" else "int" if letter.islower() else "uint"
    return f"{kind}{8 * memory.itemsize}"


def typed_buffer(data: bytes, dtype: str, shape: list[int]) -> memoryview:
    """Bytes as numbers of a type, as safetensors spells it, and a shape.

    >>> typed_buffer(bytes(32), "F64", [2, 2]).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    memory, letter = memoryview(data), _FORMATS[dtype]
    if len(shape) == 1:
        return memory.cast(letter)
    return np.empty(shape, letter).data if 0 in shape else memory.cast(letter, shape)  # a memoryview has no such shape


def read_matrix(tensors: Tensors, name: str, header: Header, shape: tuple[int, int]) -> memoryview:
    """A matrix of finite doubles of the shape it must have."""
    declared = tuple(header.counts("shape"))
    if declared != shape:
        raise damaged(f"{name} is declared as {declared} and should be {shape}")
    if "usual" not in header:
        whole = read_buffer(tensors, name, "float64", shape)
        _check_finite(name, whole)
        return whole
    if prod(shape) > _MOST:
        raise damaged(f"{name} would have {prod(shape)} weights")
    index, value = read_buffer(tensors, f"{name}.index", "uint32"), read_buffer(tensors, f"{name}.value", "float64")
    made = native.spread(index, value, header.number("usual"), *shape)
    if made is None:
        raise damaged(f"the indices of {name} do not ascend, or lie outside it")
    _check_finite(name, value)
    return made


def read_array(tensors: Tensors, name: str, dtype: Any, shape: tuple[int, ...] | None = None) -> NDArray[Any]:
    """The same as an array of numpy."""
    return np.asarray(read_buffer(tensors, name, str(np.dtype(dtype)), shape)).view(dtype)


def read_buffer(tensors: Tensors, name: str, dtype: str, shape: tuple[int, ...] | None = None) -> memoryview:
    """A tensor as it lies, of the type and shape it must have; one dimension where no shape is named."""
    if name not in tensors:
        raise damaged(f"the tensor {name} is missing")
    found: memoryview = tensors[name]
    if dtype_name(found) != dtype or (found.ndim != 1 if shape is None else found.shape != shape):
        wanted = "one dimension" if shape is None else f"the shape {shape}"
        raise damaged(f"the tensor {name} is {dtype_name(found)} {found.shape}, not {dtype} with {wanted}")
    return found


def all_finite(numbers: memoryview, least: float = -float_info.max) -> bool:
    """Are all of them finite, and none below the least?"""
    return native.outside(numbers, least, float_info.max) < 0


def _check_finite(name: str, numbers: memoryview) -> None:
    if not all_finite(numbers):
        raise damaged(f"{name} holds a number that is not finite")


def put_texts(tensors: Tensors, name: str, texts: Iterable[str]) -> None:
    coded = [text.encode("utf-8", "surrogatepass") for text in texts]
    tensors[f"{name}.ends"] = array("q", accumulate(len(code) for code in coded))
    tensors[f"{name}.bytes"] = b"".join(coded)


def read_texts(tensors: Tensors, name: str, count: int) -> list[str]:
    return split_texts(*read_text_bytes(tensors, name, count))


def read_text_bytes(tensors: Tensors, name: str, count: int) -> tuple[bytes, list[int]]:
    """So many texts as they lie, and where each one ends; `apart` makes them."""
    ends = read_buffer(tensors, f"{name}.ends", "int64", (count,)).tolist()
    content = read_buffer(tensors, f"{name}.bytes", "uint8").tobytes()
    if sorted([0, *ends]) != [0, *ends] or (ends[-1] if ends else 0) != len(content):
        raise damaged(f"the texts of {name} do not end where they should")
    try:
        content.decode("utf-8", "surrogatepass")
        cut = not content.isascii() and any(content[end] & 0xC0 == 0x80 for end in ends if end < len(content))
    except UnicodeDecodeError:
        cut = True
    if cut:
        raise damaged(f"a text of {name} is not UTF-8")
    return content, ends


def split_texts(content: bytes, ends: list[int]) -> list[str]:
    """
    >>> split_texts(b"onetwo", [3, 3, 6])
    ['one', '', 'two']
    """
    return [content[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise([0, *ends])]
