"""svmlight, also known as LIBSVM: `label index:value index:value ... # comment`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from rosenblatt import native
from rosenblatt.errors import DataError, option
from rosenblatt.lazy import np
from rosenblatt.readers.formats import line_source
from rosenblatt.readers.formats.line_source import LineSource, Parsed
from rosenblatt.readers.inputs.input_file import InputFile, NativeSource, cannot_read
from rosenblatt.readers.source import ReadOptions, RereadError
from rosenblatt.records import FeatureSpace

if TYPE_CHECKING:
    from rosenblatt.readers.formats.bad_lines import Fault

_ANY_COLUMN = 1 << 31
_BLOCKS_AHEAD = 32  # blocks that may be read before the first is requested
# Rows that are better learned as a scaled dense table: see scaled_svmlight.py.
_MIN_ROWS, _MAX_FEATURES = 20, 1000
_MIN_DENSITY = 0.15
_UNLIKE = 30.0  # times as large as another


class SvmlightSource(LineSource):
    """Feature numbers begin at 1, or at 0 where an index 0 occurs; columns that a model does not have are left out."""

    def __init__(self, file: InputFile, reading: ReadOptions, model_space: FeatureSpace | None = None) -> None:
        super().__init__(file, reading, model_space)
        self._base, self._guess_base = 1, True
        self._column_limit = _ANY_COLUMN
        self._ahead: native.BlocksAhead | None = None
        known = reading.index_base
        if model_space is not None:
            known_features = int(model_space.settings.get("features", _ANY_COLUMN))
            if reading.grow:
                self.features = known_features
            else:
                self._column_limit = known_features
            if model_space.settings.get("index_base") != "any":  # learned from a file, not from a matrix
                known = model_space.index_base
        if known is not None:
            self._base, self._guess_base = known, False
        elif self._index_zero_in_head():
            self._base, self._guess_base = 0, False
            if model_space is None:
                self._refuse_precomputed_kernel()

    @property
    def separator_between_labels(self) -> str | None:
        return ","

    @property
    def space(self) -> FeatureSpace:
        if self.model_space is not None:
            if not self.reading.grow:
                return self.model_space
            return replace(self.model_space, settings={**self.model_space.settings, "features": self.features})
        return FeatureSpace(kind="index", index_base=self._base, settings={"features": self.features})

    def parse(self, source: NativeSource | bytes, begin: int, end: int) -> tuple[Any, ...]:
        return native.parse_svmlight(source, begin, end, **self._parser_options())

    def parsed(self, threads: int) -> Iterator[tuple[int, Parsed]]:
        """A plain file is read by threads of the native core, which do not wait for the interpreter."""
        ahead, self._ahead = self._ahead or self._start_reading(threads), None
        if ahead is None:
            yield from super().parsed(threads)
            return
        try:
            while (block := ahead.next()) is not None:
                yield block[0], Parsed(*block[1])
                del block  # its memory is free while the next is awaited
        except OSError as error:
            raise cannot_read(self.name, error) from error
        finally:
            del ahead  # its threads end before the file is closed

    def read_ahead(self, threads: int) -> None:
        self._ahead = self._start_reading(threads, _BLOCKS_AHEAD)

    def _start_reading(self, threads: int, early: int = 0) -> native.BlocksAhead | None:
        file = self.file
        if not file.plain or file.length is None or self.elsewhere is not None:
            return None
        return native.read_svmlight_ahead(
            file.native_source(), file.length, line_source.BLOCK_BYTES, threads, early=early, **self._parser_options()
        )

    def _parser_options(self) -> dict[str, Any]:
        skip = self.reading.on_bad_row == "skip"
        several = self.reading.multi_label
        base = {"base": self._base, "guess_base": self._guess_base, "limit": self._column_limit}
        return base | {"skip": skip, "several": several}

    def parser_state(self) -> dict[str, Any]:
        return {"base": self._base, "guess_base": self._guess_base}

    def take_parser_state(self, state: Mapping[str, Any]) -> None:
        self._base, self._guess_base = state["base"], state["guess_base"]

    def refuse(self, fault: Fault, lines_before: int) -> NoReturn:
        if not _is_index_zero(fault.kind) or not self._guess_base:
            super().refuse(fault, lines_before)
        if not self.rewindable:
            raise fault.error(
                *self.place(fault, lines_before), why=", because a stream cannot be read again from its beginning"
            )
        self._base, self._guess_base = 0, False
        self.features = 0
        raise fault.error(*self.place(fault, lines_before), RereadError)

    def _refuse_precomputed_kernel(self) -> None:
        """LIBSVM's precomputed kernels begin each row with `0:1`, `0:2`, …, which would be learned as a feature."""
        buffers = self._parse_head(base=0, guess_base=False)
        starts, indices, values = (np.asarray(buffer) for buffer in buffers[:3])
        first = starts[:-1][np.diff(starts) > 0]
        n_rows = len(starts) - 1
        if n_rows < 3 or len(first) < n_rows or indices[first].any():
            return
        if np.array_equal(values[first], np.arange(1, n_rows + 1)):
            raise DataError(
                f"{self.name}: looks like a precomputed kernel of LIBSVM (its lines begin with 0:1, 0:2, …), whose "
                f"columns are not features; give the examples themselves, or, if they are features, use "
                f"{option('index_base', 0)}.",
                file=self.name,
            )

    def first_rows(self) -> tuple[Any, Any, Any]:
        """The start of each row, the columns and the values of the first 64 KB, as memory."""
        starts, indices, values, *_ = self._parse_head(base=self._base, guess_base=self._guess_base)
        return starts, indices, values

    def _index_zero_in_head(self) -> bool:
        *_, bad, _, stopped, _ = self._parse_head(base=1, guess_base=True)
        return bool(stopped and _is_index_zero(bad[-1][0]))

    def _parse_head(self, *, base: int, guess_base: bool) -> tuple[Any, ...]:
        whole_lines = self.file.head[: self.file.head.rfind(b"\n") + 1]
        return native.parse_svmlight(
            whole_lines,
            0,
            len(whole_lines),
            base=base,
            guess_base=guess_base,
            limit=_ANY_COLUMN,
            skip=True,
            several=True,
        )


def _is_index_zero(kind: int) -> bool:
    from rosenblatt.readers.formats.bad_lines import Kind

    return kind == Kind.INDEX_ZERO


def is_in_unlike_units(starts: Any, indices: Any, values: Any) -> bool:
    """Whether the first rows are dense, and their largest features many times as large as their smallest.

    The largest and the smallest twentieth of them do not count: a rare feature may be small in its few rows.
    """
    n_rows, n_entries = len(starts) - 1, len(indices)
    if n_rows < _MIN_ROWS or not n_entries:
        return False
    n_features = max(memoryview(indices)) + 1
    if n_features > _MAX_FEATURES or n_entries < _MIN_DENSITY * n_rows * n_features:
        return False
    largest = [0.0] * n_features
    for j, value in zip(memoryview(indices), map(abs, memoryview(values)), strict=True):
        if value > largest[j]:
            largest[j] = value
    sizes = sorted(filter(None, largest))
    margin = len(sizes) // 20
    return len(sizes) > 1 and sizes[-1 - margin] > _UNLIKE * sizes[margin]
