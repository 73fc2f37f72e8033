"""Which lessons were done: the files that students save on the page, read by their lecturer.

The checksum shows that a file was damaged or edited; it does not prove who did the work.
"""

import json
import zlib
from dataclasses import dataclass
from pathlib import Path

from rosenblatt.errors import DataError
from rosenblatt.report.text.layout import clip
from rosenblatt.studio.lessons.registry import ORDER

FORMAT = "rosenblatt studio results"
MAX_BYTES = 100_000
_NAME_WIDTH = 18


@dataclass(frozen=True)
class Results:
    """One student's file; `problem` says why it cannot be trusted, or is None."""

    file: str
    name: str
    done: tuple[str, ...]
    saved: str
    problem: str | None = None


def read_results(folder: str | Path) -> list[Results]:
    """The results in a folder, sorted by the name of the student; several files of one student are all listed."""
    place = Path(folder)
    if not place.is_dir():
        raise DataError(f"{folder}: is not a folder with result files.")
    files = sorted(path for path in place.iterdir() if path.suffix == ".json" and path.is_file())
    if not files:
        raise DataError(f"{folder}: has no result files (.json); students save them from the list of lessons.")
    return sorted((_read(path) for path in files), key=lambda each: (not each.name, each.name.casefold(), each.file))


def _read(path: Path) -> Results:
    def unreadable(problem: str) -> Results:
        return Results(path.name, "", (), "", problem)

    if path.stat().st_size > MAX_BYTES:
        return unreadable("too large for a result file")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError, RecursionError):
        return unreadable("not JSON")
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        return unreadable("not a result file")
    name, done, saved = (content.get(key) for key in ("name", "done", "saved"))
    if not (isinstance(name, str) and isinstance(saved, str) and isinstance(done, list)):
        return unreadable("incomplete")
    if not all(isinstance(key, str) for key in done):
        return unreadable("incomplete")
    unchanged = content.get("checksum") == checksum(name, done, saved)
    return Results(path.name, name, tuple(done), saved, None if unchanged else "changed after it was saved")


def checksum(name: str, done: list[str], saved: str) -> str:
    """CRC-32 of the content of the file, in hexadecimal; `lessons/results.js` computes the same.

    >>> checksum("Ada", ["unit", "rule"], "2026-01-31")
    '3c3dce9c'
    """
    return f"{zlib.crc32(chr(10).join([name, '.'.join(done), saved]).encode()):08x}"


def as_text(results: list[Results]) -> str:
    """A table with a line for each file: the lessons by their numbers on the page, then those that a lecturer added.

    >>> print(as_text([Results("a.json", "Ada", ("unit", "and"), "2026-01-31", None)]))
    student            done  lessons
    Ada                   2  1, 3
    """
    lines = [f"{'student':{_NAME_WIDTH}} {'done':>4}  lessons"]
    for each in results:
        numbers = [str(k) for k, key in enumerate(ORDER, start=1) if key in each.done]
        others = [clip(key) for key in each.done if key not in ORDER]
        note = f"  ({each.file}: {each.problem})" if each.problem else ""
        name = clip(each.name or each.file, _NAME_WIDTH)
        lines.append(f"{name:{_NAME_WIDTH}} {len(each.done):>4}  {', '.join(numbers + others)}{note}".rstrip())
    return "\n".join(lines)
