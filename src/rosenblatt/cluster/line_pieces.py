"""Pieces of files of lines: the learner describes a span of lines, and a worker reads, parses and packs it."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from itertools import islice
from typing import Any

from rosenblatt import native
from rosenblatt.cluster.engine import Engine
from rosenblatt.cluster.messages import as_text, from_text, pack, unpack
from rosenblatt.cluster.worker_errors import check_version, error_header, raise_error
from rosenblatt.errors import DataError, RosenblattError
from rosenblatt.readers.cache.pages import parsed_page
from rosenblatt.readers.formats.line_source import LineSource, LineSpan, Parsed, innermost_lines
from rosenblatt.readers.inputs.expand_paths import find_files, paths_of
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import FeatureSpace
from rosenblatt.version import __version__

_SPANS = 4  # in one piece, once every worker has work: an engine needs milliseconds for each piece
_SOURCES = 4  # that a worker keeps open


# --- on the side of the learner ---------------------------------------------------------------------------------------


def spans_in_order(spans: Iterator[LineSpan], source: LineSource, engine: Engine) -> Iterator[tuple[int, Parsed]]:
    """What `LineSource.parsed` gives, read by the workers of an engine."""
    bytes_read: deque[int] = deque()
    written = _modification_times(source)

    def pieces() -> Iterator[bytes]:
        n_single = engine.window  # so that the learner begins soon, and a small file has a piece for each worker
        while group := list(islice(spans, 1 if n_single > 0 else _SPANS)):
            n_single -= 1
            bytes_read.extend(span.bytes_read for span in group)
            yield piece_of(source, group, written)

    with closing(engine.in_order(read_piece, pieces())) as answers:
        for answer in answers:
            header, buffers = unpack(answer)
            for k, span in enumerate(header["spans"]):
                yield bytes_read.popleft(), _parsed_of(span, buffers[2 * k], buffers[2 * k + 1], source)


def piece_of(source: LineSource, spans: Sequence[LineSpan], written: Sequence[int] = ()) -> bytes:
    """A message with all that a worker needs to read these spans as this source would.

    `written` are the times at which the files were last written.
    """
    job = {
        "version": __version__,
        "inputs": [os.fspath(path) for path in paths_of(source.file.inputs)],
        "size": source.size,
        "written": list(written),
        "reading": source.reading.as_json(),
        "parser": source.parser_state(),
        "space": _space_as_json(source.model_space),
    }
    copied = [span.source for span in spans if isinstance(span.source, bytes)]  # all of them, or none
    return pack({"job": json.dumps(job), "spans": [[span.begin, span.end] for span in spans]}, *copied)


def _space_as_json(space: FeatureSpace | None) -> dict[str, Any] | None:
    """What a parser needs of the space of a model: not the names of its columns, and not their scale."""
    if space is None:
        return None
    fields = ("kind", "index_base", "bits", "ngrams", "settings")
    return {name: getattr(space, name) for name in fields}


def _parsed_of(header: Mapping[str, Any], page: memoryview, names: memoryview, source: LineSource) -> Parsed:
    """What the worker has parsed. If it failed, its error is raised here, in the order of the file."""
    raise_error(header)
    values, labels, weights = parsed_page(page)
    source.merge_parser_result(header["parser"])
    return Parsed(
        *values.buffers,
        labels,
        weights,
        [from_text(token) for token in header["tokens"]],
        header["lines"],
        values.features - 1,
        header["bad_lines"],
        [_fault(*fault) for fault in header["bad"]],
        header["bad_count"],
        header["stopped"],
        values.checked_rows,
        native.NameCandidates.unpack(names, header["bits"]) if header["bits"] else None,
    )


def _fault(kind: int, line: int, column: int, token: str, about: str) -> tuple[Any, ...]:
    return kind, line, column, from_text(token), from_text(about)


def _modification_times(source: LineSource) -> list[int]:
    """When the files were last written: a worker that still has an older one open opens it again."""
    files = [file.path for file in find_files(source.file.inputs)]
    return [os.stat(path).st_mtime_ns for path in files if os.path.isfile(path)]


# --- on the side of a worker ------------------------------------------------------------------------------------------


def read_piece(piece: bytes) -> bytes:
    """Read, parse and pack the spans of a piece: see `engine.py`. Stops after the first that cannot be read."""
    header, copied = unpack(piece)
    headers: list[dict[str, Any]] = []
    buffers: list[Any] = []  # two of each span
    for k, span in enumerate(header["spans"]):
        try:
            source = _source(header["job"])
            lines = bytes(copied[k]) if copied else source.file.native_source()
            span_header, *packed = _packed(source, Parsed(*source.parse(lines, *span)))
        except (RosenblattError, OSError) as error:
            headers.append(error_header(error))
            buffers += [b"", b""]
            break
        headers.append(span_header)
        buffers += packed
    return pack({"spans": headers}, *buffers)


def _packed(source: LineSource, parsed: Parsed) -> tuple[dict[str, Any], Any, bytes]:
    """The rows of a span: a header, the page, the names."""
    assert parsed.checked is not None
    bits = source.names_bits if parsed.names is not None else 0
    header = {
        "tokens": [as_text(token) for token in parsed.tokens],
        "lines": parsed.lines,
        "bad_lines": parsed.bad_lines,
        "bad": [[*fault[:3], *map(as_text, fault[3:])] for fault in parsed.bad],
        "bad_count": parsed.bad_count,
        "stopped": parsed.stopped,
        "bits": bits,
        "parser": source.parser_result(),
    }
    page = native.Packer().page(parsed.checked, parsed.labels, parsed.weights)
    return header, page, parsed.names.pack() if bits else b""


@lru_cache(_SOURCES)
def _source(job: str) -> LineSource:
    """The learner's source, opened by this worker."""
    expected = json.loads(job)
    check_version(expected["version"])
    reading: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in expected["reading"].items()
    }
    inputs = expected["inputs"]
    space = None if expected["space"] is None else FeatureSpace(**expected["space"])
    lines = innermost_lines(open_source(inputs[0] if len(inputs) == 1 else inputs, ReadOptions(**reading), space))
    assert lines is not None
    if lines.size != expected["size"]:
        raise DataError(
            f"{lines.name}: has {lines.size:,} bytes here, and {expected['size']:,} where it is learned from: is it "
            "another file, or still being written?",
            file=lines.name,
        )
    lines.take_parser_state(expected["parser"])
    return lines
