"""The lessons, in the order of the lectures.

To add one, write `texts/KEY.toml` and its check, `page/lessons/checks/KEY.js`, and put KEY into `ORDER`.
"""

import re
import tomllib
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from rosenblatt.studio.lessons.lesson import Lesson, on_one_line
from rosenblatt.studio.lessons.markdown import read_folder

ORDER = (
    *("unit", "rule", "and", "theorem", "scale", "losses", "subgradients", "number", "inseparable"),
    *("features", "kernels", "gates", "networks", "multiclass", "spam", "logistic", "calibration"),
)


def read_lesson(path: Path) -> Lesson:
    """The lesson in a TOML file; an empty line of its text begins a new paragraph."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))
    paragraphs = re.split(r"\n\s*\n", entries.pop("text").strip())
    return Lesson(
        key=path.stem,
        text=tuple(map(on_one_line, paragraphs)),
        task=on_one_line(entries.pop("task")),
        when_done=on_one_line(entries.pop("when_done")),
        panels=tuple(entries.pop("panels", ())),
        **entries,
    )


@cache
def all_lessons() -> tuple[Lesson, ...]:
    """Every lesson of `ORDER`."""
    return tuple(read_lesson(Path(__file__).with_name("texts") / f"{key}.toml") for key in ORDER)


def lessons_answer(folder: str | Path | None = None) -> dict[str, Any]:
    """Every lesson, in order, for the page; those in Markdown in a `folder` come last.

    >>> [lesson["title"] for lesson in lessons_answer()["lessons"]][:3]
    ['One unit', 'The rule', 'AND by hand']
    """
    own = () if folder is None else read_folder(folder, ORDER)
    return {"lessons": [asdict(lesson) for lesson in (*all_lessons(), *own)]}
