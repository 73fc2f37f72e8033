"""Arrays as they lie in a model file: whole, or only the entries that differ from the usual value where that is less.

Texts lie as UTF-8 bytes and the offsets where each one ends.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias

from rosenblatt import kernels
from rosenblatt.later import np
from rosenblatt.learn.header import Header, damaged
from rosenblatt.records import Floats

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Arrays by name: of numpy, or any other memory of numbers that knows its type and shape.
Tensors: TypeAlias = dict[str, Any]
_MOST = 2**33  # weights of one part: 64 GB; more than that is no model


def put(tensors: Tensors, name: str, numbers: Any, usual: float = 0.0) -> dict[str, Any]:
    """Add doubles to the tensors; what is returned goes into the header, and finds them again."""
    memory = memory_of(numbers)
    shape, other = memory.shape or (), kernels.unusual(memory, usual)
    if other is None:
        tensors[name] = memory
        return {"shape": list(shape)}
    tensors[f"{name}.index"], tensors[f"{name}.value"] = other
    return {"shape": list(shape), "usual": usual}


def memory_of(numbers: Any) -> memoryview:
    """Numbers as memory whose bytes lie one after the other; what lies otherwise is copied."""
    memory = memoryview(numbers)
    return memory if memory.c_contiguous else np.ascontiguousarray(numbers).data


def dtype_of(memory: memoryview) -> str:
    """The type of its numbers, as numpy spells it.

    >>> dtype_of(memoryview(b"abc")), dtype_of(memoryview(b"abcdefgh").cast("d"))
    ('uint8', 'float64')
    """
    letter = memory.format.lstrip("@=<")
    if letter == "?":
        return "bool"
    kind = "float" if letter in "efd" else "int" if letter.islower() else "uint"
    return f"{kind}{8 * memory.itemsize}"


def take(tensors: Mapping[str, NDArray[Any]], name: str, header: Header, shape: tuple[int, ...]) -> Floats:
    """An array of finite doubles of the shape it must have."""
    declared = tuple(header.counts("shape"))
    if declared != shape:
        raise damaged(f"{name} is declared as {declared} and should be {shape}")
    if "usual" not in header:
        whole: Floats = plain(tensors, name, np.float64, shape)
        _check_finite(name, whole)
        return whole
    size = int(np.prod(shape, dtype=object))
    if size > _MOST:
        raise damaged(f"{name} would have {size} weights")
    index, value = plain(tensors, f"{name}.index", np.uint32), plain(tensors, f"{name}.value", np.float64)
    if len(index) != len(value) or (len(index) and (index[-1] >= size or not (index[1:] > index[:-1]).all())):
        raise damaged(f"the indices of {name} do not ascend, or lie outside it")
    _check_finite(name, value)
    flat = np.full(size, header.number("usual"))
    flat[index] = value
    return flat.reshape(shape)


def plain(
    tensors: Mapping[str, NDArray[Any]], name: str, dtype: Any, shape: tuple[int, ...] | None = None
) -> NDArray[Any]:
    """A tensor as it lies, of the type and shape it must have; one dimension where no shape is named."""
    if name not in tensors:
        raise damaged(f"the tensor {name} is missing")
    found = tensors[name]
    if found.dtype != dtype or (found.ndim != 1 if shape is None else found.shape != shape):
        wanted = "one dimension" if shape is None else f"the shape {shape}"
        raise damaged(f"the tensor {name} is {found.dtype} {found.shape}, not {np.dtype(dtype)} with {wanted}")
    return found


def _check_finite(name: str, array: Floats) -> None:
    if not np.isfinite(array).all():
        raise damaged(f"{name} holds a number that is not finite")


def put_texts(tensors: Tensors, name: str, texts: Iterable[str]) -> None:
    coded = [text.encode("utf-8", "surrogatepass") for text in texts]
    tensors[f"{name}.ends"] = array("q", accumulate(len(code) for code in coded))
    tensors[f"{name}.bytes"] = b"".join(coded)


def take_texts(tensors: Mapping[str, NDArray[Any]], name: str, count: int) -> list[str]:
    ends = plain(tensors, f"{name}.ends", np.int64, (count,)).tolist()
    content = plain(tensors, f"{name}.bytes", np.uint8).tobytes()
    starts = [0, *ends][:-1]
    if sorted([0, *ends]) != [0, *ends] or (ends[-1] if ends else 0) != len(content):
        raise damaged(f"the texts of {name} do not end where they should")
    try:
        return [content[a:b].decode("utf-8", "surrogatepass") for a, b in zip(starts, ends, strict=True)]
    except UnicodeDecodeError:
        raise damaged(f"a text of {name} is not UTF-8") from None
