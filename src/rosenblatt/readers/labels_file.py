"""Labels in a separate file, one per line."""

from collections.abc import Iterator

from rosenblatt.errors import DataError
from rosenblatt.readers.inputs.input_file import InputFile
from rosenblatt.readers.labels import LONGEST_LABEL

_LINES_AT_ONCE = 1 << 16
_LONGEST_LINE = 1 << 20  # the rest of a longer one counts as the next, after a label that is too long


def read_labels(path: str) -> list[str]:
    """All the labels in order, without the spaces around them."""
    return [label for labels in _read_some(path) for label in labels]


def _read_some(path: str) -> Iterator[list[str]]:
    labels: list[str] = []
    file = InputFile(path)
    with file.stream() as stream:
        while line := stream.readline(_LONGEST_LINE):
            labels.append(line.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace").strip())
            if len(labels) == _LINES_AT_ONCE:
                yield labels
                labels = []
    yield labels


class LabelsFile:
    """The labels of the rows of another file, taken as its blocks are read; both must have the same length."""

    def __init__(self, path: str, data_name: str) -> None:
        self._path, self._data_name = path, data_name
        self._source = _read_some(path)
        self._ready: list[str] = []
        self._n_taken = 0

    def take(self, count: int) -> list[bytes]:
        """The next labels; DataError where there are too few, or one is empty or too long."""
        while len(self._ready) < count and (labels := next(self._source, None)) is not None:
            self._ready += labels
        labels, self._ready = self._ready[:count], self._ready[count:]
        if len(labels) < count:
            line = self._n_taken + len(labels) + 1
            raise DataError(
                f"{self._path}: ends after {line - 1} labels, and line {line} of {self._data_name} has none; "
                "give one label for each line.",
                file=self._path,
                line=line,
            )
        for line, label in enumerate(labels, self._n_taken + 1):
            self._check(label, line)
        self._n_taken += count
        return [label.encode() for label in labels]

    def _check(self, label: str, line: int) -> None:
        if not label:
            what = "expected a label, found an empty line"
        elif len(label.encode()) > LONGEST_LABEL:
            start = f"the label that begins with {label[:20]!r}"
            what = f"{start} has more than {LONGEST_LABEL:,} bytes; write one label per line"
        else:
            return
        raise DataError(f"{self._path}:{line}:1: {what}.", file=self._path, line=line, column=1)

    def check_end(self, n_rows: int) -> None:
        """DataError where labels are left over after this many rows."""
        if self._ready or next(self._source, []):
            raise DataError(
                f"{self._path}: has more than {n_rows} labels, and {self._data_name} ends with line {n_rows}; "
                "give one label for each line.",
                file=self._path,
                line=n_rows + 1,
            )
