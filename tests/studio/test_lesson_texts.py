"""The texts of the lessons: listed in the documentation, short, and about panels that the page has."""

import re
from pathlib import Path

from rosenblatt.studio.questions.lessons import LESSONS

ROOT = Path(__file__).parents[2]


def test_the_lessons_are_listed_in_the_documentation() -> None:
    text = (ROOT / "docs" / "studio.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\d+\. \*\*(.+?)\*\*: (.+)$", text, flags=re.MULTILINE)
    assert listed == [(lesson.title, lesson.task) for lesson in LESSONS]


def test_a_lesson_is_short_and_its_panels_are_there() -> None:
    page = (ROOT / "src/rosenblatt/studio/page/index.html").read_text(encoding="utf-8")
    for lesson in LESSONS:
        assert all(f'id="h-{panel}"' in page for panel in lesson.panels), lesson.key
        assert 2 <= len(lesson.text) <= 4, lesson.key
        assert sum(len(part.split()) for part in lesson.text) < 160, lesson.key
        assert lesson.plane or not ({"example", "data"} & set(lesson.state)), lesson.key


def test_the_order_is_that_of_the_lectures() -> None:
    keys = [lesson.key for lesson in LESSONS]
    assert keys == [
        *("unit", "rule", "and", "theorem", "losses", "subgradients", "inseparable", "features", "kernels"),
        *("gates", "networks", "multiclass", "spam", "logistic"),
    ]
