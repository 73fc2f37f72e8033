"""One file of named tensors and a checked JSON header: safetensors, with the header in its metadata.

Model files, checkpoints and the index of a persistent cache are such containers. A container is written atomically.
Reading one checks everything and runs nothing; no pickle is ever read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from rosenblatt import native
from rosenblatt.atomic import write_atomic
from rosenblatt.errors import ModelError, RosenblattError
from rosenblatt.lazy import np
from rosenblatt.storage.checked_header import Header, damaged
from rosenblatt.storage.tensors import Tensors, contiguous_buffer, dtype_name, typed_buffer

T = TypeVar("T")

FORMAT = "rosenblatt-model"
VERSION = 1  # of what is written, unless it is a small model
SMALL_VERSION = 2  # weights of two bytes; the newest that is read
_KEY = "rosenblatt"  # one key only: safetensors does not keep the order of its metadata
_LARGEST_HEADER = 2**26
_SHORTEST = 10


def write_container(path: str | os.PathLike[str], header: Mapping[str, Any], tensors: Tensors) -> None:
    """Write header and tensors as one file, atomically."""
    write_atomic(path, container_bytes(header, tensors))


def container_bytes(header: Mapping[str, Any], tensors: Tensors) -> bytes:
    """Header and tensors with a checksum over both; the same content always gives the same bytes."""
    header = {"format": FORMAT, "version": VERSION, **header}
    full = header | {"checksum": checksum(header, tensors)}
    ordered = {name: contiguous_buffer(tensors[name]) for name in sorted(tensors)}
    return _safetensors_bytes(ordered, {_KEY: canonical(full)})


def _safetensors_bytes(tensors: Mapping[str, memoryview], metadata: dict[str, str]) -> bytes:
    """Through the functions of safetensors that do without numpy; versions before 0.8 have none."""
    try:
        from safetensors import TensorSpec, serialize
    except ImportError:
        from safetensors.numpy import save

        return save({name: np.asarray(memory) for name, memory in tensors.items()}, metadata)
    specs = {
        name: TensorSpec(
            dtype=dtype_name(memory), shape=memory.shape or (), data_ptr=native.address(memory), data_len=memory.nbytes
        )
        for name, memory in tensors.items()
    }
    return bytes(serialize(specs, metadata=metadata))


def read_container(path: str | os.PathLike[str], decode: Callable[[Header, Tensors], T]) -> T:
    """What `decode` makes of header and tensors; every error is a ModelError that names the file."""
    return parse_container(_content(path), decode, os.fspath(path))


def _content(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file, or the first of them where it is not a container. The only copy: they may be many."""
    name = os.fspath(path)
    try:
        with open(path, "rb") as file:
            start = file.read(_SHORTEST)
            if not _begins_like_one(start):
                return start
            if not file.seekable():
                return start + file.read()
            file.seek(0)
            return file.read()
    except OSError as error:
        raise ModelError(f"{name}: cannot be read: {error.strerror}.", file=name) from None


def kind_of(path: str | os.PathLike[str]) -> str | None:
    """What a file holds, by its header alone; None where it is not a regular file of this format."""
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        start = file.read(_SHORTEST)
        length = int.from_bytes(start[:8], "little") if _begins_like_one(start) else 0
        try:
            return str(_header_of(start + file.read(8 + length - len(start))).get("kind")) if length else None
        except ModelError:
            return None


def parse_container(content: bytes, decode: Callable[[Header, Tensors], T], name: str) -> T:
    """The same for content that is already in memory."""
    try:
        header = _header_of(content)
        tensors = _tensors_of(content, header)
        del content  # the tensors are copies
        return decode(Header(header), tensors)
    except RosenblattError as error:
        message = error.args[0].rstrip(".")  # not str(error): the caller spells its parameters
        raise ModelError(f"{name}: {message}.", file=name) from None
    except (ArithmeticError, LookupError, MemoryError, RecursionError, TypeError, ValueError) as error:
        raise ModelError(f"{name}: the model file is damaged: {type(error).__name__}: {error}.", file=name) from None


def _header_of(content: bytes) -> dict[str, Any]:
    """Our header, from the metadata of a safetensors file, with a format and version that we can read."""
    foreign = ModelError("this is not a model file: save one with 'rosenblatt fit -o' or rosenblatt.save")
    if not _begins_like_one(content):
        raise foreign
    length = int.from_bytes(content[:8], "little")
    if 8 + length > len(content):
        raise damaged(f"it ends after {len(content)} bytes, in the middle of its header")
    try:
        text = json.loads(content[8 : 8 + length])["__metadata__"][_KEY]
        header = json.loads(text, parse_constant=_refuse_constant)
    except (KeyError, TypeError):
        raise foreign from None
    except (ValueError, RecursionError):
        raise damaged("its header is not JSON") from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise foreign
    version = header.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise damaged("its version is not a number")
    if version > SMALL_VERSION:
        raise ModelError(
            f"it has version {version} of the format, and this program reads up to {SMALL_VERSION}: upgrade rosenblatt"
        )
    return header


def _begins_like_one(content: bytes) -> bool:
    """Whether the length of a header comes first, then an object of JSON; anything else need not be read."""
    length = int.from_bytes(content[:8], "little")
    return len(content) >= _SHORTEST and length <= _LARGEST_HEADER and content[8:9] == b"{"


def _refuse_constant(constant: str) -> None:
    raise ValueError(constant)


def _tensors_of(content: bytes, header: dict[str, Any]) -> Tensors:
    from safetensors import SafetensorError, deserialize

    try:
        entries = deserialize(content)  # type: ignore[no-untyped-call,unused-ignore]
        tensors = {name: typed_buffer(entry["data"], entry["dtype"], entry["shape"]) for name, entry in entries}
    except (SafetensorError, LookupError, ValueError, TypeError) as error:
        raise damaged(f"its tensors cannot be read ({error})") from None
    unsigned = {key: value for key, value in header.items() if key != "checksum"}
    if header.get("checksum") != checksum(unsigned, tensors):
        raise damaged("its checksum does not match its content")
    return tensors


def canonical(header: Mapping[str, Any]) -> str:
    """The one way in which a header is written as JSON."""
    return json.dumps(header, sort_keys=True, separators=(",", ":"), allow_nan=False)


def checksum(header: Mapping[str, Any], tensors: Mapping[str, Any]) -> str:
    """SHA-256 of the header as canonical JSON, then of every tensor by name: its type, its shape, its bytes."""
    from hashlib import sha256

    total = sha256(canonical(header).encode())
    for name in sorted(tensors):
        memory = contiguous_buffer(tensors[name])
        dtype = dtype_name(memory)
        kind = "|" if memory.itemsize == 1 else "<"
        kind += f"{dtype[0]}{memory.itemsize}"  # as numpy spells it: <f8
        total.update(f"\n{name} {kind} {memory.shape}\n".encode("utf-8", "surrogatepass"))
        total.update(memory)
    return f"sha256:{total.hexdigest()}"
