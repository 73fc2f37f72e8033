"""Arrays as they lie in a model file: whole, or only the entries that differ from the usual value where that is less.

Texts lie as UTF-8 bytes and the offsets where each one ends.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt.learn.header import Header, damaged
from rosenblatt.records import Floats

Tensors: TypeAlias = dict[str, NDArray[Any]]
_MOST = 2**33  # weights of one part: 64 GB; more than that is no model


def put(tensors: Tensors, name: str, array: NDArray[Any], usual: float = 0.0) -> dict[str, Any]:
    """Add an array to the tensors; what is returned goes into the header, and finds it again."""
    flat = np.ascontiguousarray(array).reshape(-1)
    other = np.flatnonzero(flat.view(np.uint64) != np.float64(usual).view(np.uint64)) if _is_double(flat) else None
    if other is None or 12 * len(other) >= flat.nbytes or flat.size >= 2**32:
        tensors[name] = np.ascontiguousarray(array)
        return {"shape": list(array.shape)}
    tensors[f"{name}.index"] = other.astype(np.uint32)
    tensors[f"{name}.value"] = flat[other]
    return {"shape": list(array.shape), "usual": usual}


def _is_double(flat: NDArray[Any]) -> bool:
    return flat.dtype == np.float64 and flat.size > 0


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
    tensors[f"{name}.ends"] = np.cumsum([len(code) for code in coded], dtype=np.int64)
    tensors[f"{name}.bytes"] = np.frombuffer(b"".join(coded), dtype=np.uint8)


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
