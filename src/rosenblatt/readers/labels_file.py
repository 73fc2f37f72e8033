"""Labels in a file of their own, one a line."""

from collections.abc import Iterator

from rosenblatt.readers.input_file import InputFile

_LINES = 1 << 16


def label_lines(path: str) -> Iterator[list[str]]:
    """The labels in order, some at a time; the spaces around them do not count."""
    block: list[str] = []
    opened = InputFile(path)
    with opened.stream() as stream:
        for line in stream:
            block.append(line.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace").strip())
            if len(block) == _LINES:
                yield block
                block = []
    yield block
