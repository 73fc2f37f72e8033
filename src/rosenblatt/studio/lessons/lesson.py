"""One guided page of the studio."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Lesson:
    """What to read, how the studio is set up, ONE thing to do, and the text shown when it is done."""

    key: str  # it is part of links, so it must not change
    title: str
    text: tuple[str, ...]  # paragraphs
    task: str
    when_done: str
    setup: Mapping[str, Any] = field(default_factory=dict)  # example or points, options, at, proof, expression, build
    fields: Mapping[str, str] = field(default_factory=dict)  # to fill in: name and label of each
    tool: str = ""  # what the page puts under the task: a name in page/lessons/tools.js
    panels: tuple[str, ...] = ()  # the first is opened beside the plane
    has_plane: bool = True
    check: str = ""  # the file in page/lessons/checks; by default that of the key
    done: tuple[str, ...] = ()  # conditions of a lesson in Markdown
    answers: tuple[Mapping[str, str], ...] = ()  # of a lesson in Markdown: label, the right answer, hint


def on_one_line(text: str) -> str:
    return " ".join(text.split())
