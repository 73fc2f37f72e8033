"""The lessons, in the order of the lectures.

To add one, write `KEY.toml` in this folder and its check, `page/lessons/checks/KEY.js`, and put KEY into `ORDER`.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ORDER = (
    *("unit", "rule", "and", "theorem", "losses", "subgradients", "inseparable"),
    *("features", "kernels", "gates", "networks", "multiclass", "spam", "logistic"),
)


@dataclass(frozen=True)
class Lesson:
    """One guided page: what to read, how the studio is set up, ONE thing to do, and what is said when it is done."""

    key: str  # in links too, so it stays
    title: str
    text: tuple[str, ...]  # paragraphs
    task: str
    when_done: str
    setup: Mapping[str, Any] = field(default_factory=dict)  # example or points, options, at, proof, expression, build
    fields: Mapping[str, str] = field(default_factory=dict)  # to fill in: name and label of each
    tool: str = ""  # what the page puts under the task: a name in page/lessons/tools.js
    panels: tuple[str, ...] = ()  # shown first beside the plane
    has_plane: bool = True


def read_lesson(path: Path) -> Lesson:
    """The lesson in a TOML file; an empty line of its text begins a new paragraph."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))
    paragraphs = re.split(r"\n\s*\n", entries.pop("text").strip())
    return Lesson(
        key=path.stem,
        text=tuple(map(_on_one_line, paragraphs)),
        task=_on_one_line(entries.pop("task")),
        when_done=_on_one_line(entries.pop("when_done")),
        panels=tuple(entries.pop("panels", ())),
        **entries,
    )


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


@cache
def all_lessons() -> tuple[Lesson, ...]:
    """Every lesson of `ORDER`."""
    return tuple(read_lesson(Path(__file__).with_name(f"{key}.toml")) for key in ORDER)


def lessons_answer(folder: str | Path | None = None) -> dict[str, Any]:
    """Every lesson, in order, for the page.

    >>> [lesson["title"] for lesson in lessons_answer()["lessons"]][:3]
    ['One unit', 'The rule', 'AND by hand']
    """
    return {"lessons": [asdict(lesson) for lesson in all_lessons()]}
