"""svmlight, also known as LIBSVM: `label index:value index:value ... # comment`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rosenblatt import native
from rosenblatt.errors import DataError
from rosenblatt.lazy import np
from rosenblatt.readers.formats import lines
from rosenblatt.readers.formats.lines import LineSource, Parsed
from rosenblatt.readers.input_file import InputFile
from rosenblatt.readers.source import ReadOptions, RereadError, Source
from rosenblatt.records import FeatureSpace

if TYPE_CHECKING:
    from rosenblatt.readers.formats.bad_rows import Fault

_ALL = 1 << 31
_EARLY = 32  # chunks that may be read before somebody asks for them


def open(opened: InputFile, reading: ReadOptions, space: FeatureSpace | None = None) -> Source:
    """The examples of an svmlight file; with a `space`, columns that it does not have are left out."""
    return Svmlight(opened, reading, space)


class Svmlight(LineSource):
    """Feature numbers begin at 1, or at 0 where an index 0 is met: columns are the numbers less where they begin."""

    def __init__(self, opened: InputFile, reading: ReadOptions, space: FeatureSpace | None) -> None:
        super().__init__(opened, reading)
        learned = space is not None and space.settings.get("index_base") != "any"  # from a file, not from memory
        known = space.index_base if space is not None and learned else reading.index_base
        self._limit = _ALL if space is None else int(space.settings.get("features", _ALL))
        self._frozen = space
        self._begun: native.Chunks | None = None
        self._base = 1 if known is None else known
        self._guess = known is None
        if self._guess and self._zero_in_head():
            self._base, self._guess = 0, False
            if space is None:
                self._refuse_kernel()

    @property
    def space(self) -> FeatureSpace:
        if self._frozen is not None:
            return self._frozen
        return FeatureSpace(kind="index", index_base=self._base, settings={"features": self.features})

    def parse(self, source: int | bytes, begin: int, end: int) -> tuple[Any, ...]:
        return native.parse_svmlight(source, begin, end, **self._how())

    def parsed(self, threads: int) -> Iterator[tuple[int, Parsed]]:
        """Of a plain file by threads of the native core, which need not take turns with those of Python."""
        ahead, self._begun = self._begun or self._ahead(threads), None
        if ahead is None:
            yield from super().parsed(threads)
            return
        try:
            while (chunk := ahead.next()) is not None:
                yield chunk[0], Parsed(*chunk[1])
                del chunk  # its memory is free while the next is waited for
        except OSError as fault:
            raise self.unreadable(fault) from fault
        finally:
            del ahead  # its threads end before the file is closed

    def read_ahead(self, threads: int) -> None:
        self._begun = self._ahead(threads, _EARLY)

    def _ahead(self, threads: int, early: int = 0) -> native.Chunks | None:
        opened = self.opened
        if not opened.plain or opened.size is None:
            return None
        return native.svmlight_ahead(opened.fileno(), opened.size, lines.CHUNK, threads, early=early, **self._how())

    def _how(self) -> dict[str, Any]:
        skip = self.reading.on_bad_row == "skip"
        return {"base": self._base, "guess_base": self._guess, "limit": self._limit, "skip": skip}

    def refuse(self, fault: Fault, sentence: str) -> None:
        if not _is_index_zero(fault.kind) or not self._guess:
            raise DataError(sentence + ".")
        if not self.rewindable:
            raise DataError(sentence + ", for a stream cannot be read again from its beginning.")
        self._base, self._guess = 0, False
        self.features = 0
        raise RereadError(sentence + ".")

    def _refuse_kernel(self) -> None:
        """LIBSVM's precomputed kernels begin each row with `0:1`, `0:2`, …, which would be learned as a feature."""
        head = self.opened.head
        whole = head[: head.rfind(b"\n") + 1]
        memory = native.parse_svmlight(whole, 0, len(whole), base=0, guess_base=False, limit=_ALL, skip=True)
        starts, indices, values = (np.asarray(part) for part in memory[:3])
        first = starts[:-1][np.diff(starts) > 0]
        rows = len(starts) - 1
        if rows < 3 or len(first) < rows or indices[first].any():
            return
        if np.array_equal(values[first], np.arange(1, rows + 1)):
            raise DataError(
                f"{self.name}: looks like a precomputed kernel of LIBSVM (0:1, 0:2, … first on its lines), and its "
                "columns are no features; give the examples themselves, or say --index-base 0 if this is what they are."
            )

    def _zero_in_head(self) -> bool:
        whole = self.opened.head[: self.opened.head.rfind(b"\n") + 1]
        *_, bad, _, stopped, _ = native.parse_svmlight(
            whole, 0, len(whole), base=1, guess_base=True, limit=_ALL, skip=True
        )
        return bool(stopped and _is_index_zero(bad[-1][0]))


def _is_index_zero(kind: int) -> bool:
    from rosenblatt.readers.formats.bad_rows import Kind  # most files have none

    return kind == Kind.INDEX_ZERO
