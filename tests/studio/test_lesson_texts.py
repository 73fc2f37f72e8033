"""The texts of the lessons: listed in the documentation, short, and about panels that the page has."""

import re
from pathlib import Path

from rosenblatt.studio.lessons.registry import ORDER, all_lessons

ROOT = Path(__file__).parents[2]


def test_the_lessons_are_listed_in_the_documentation() -> None:
    text = (ROOT / "docs" / "studio.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\d+\. \*\*(.+?)\*\*: (.+)$", text, flags=re.MULTILINE)
    assert listed == [(lesson.title, lesson.task) for lesson in all_lessons()]


def test_a_lesson_is_short_and_its_panels_are_there() -> None:
    page = (ROOT / "src/rosenblatt/studio/page/index.html").read_text(encoding="utf-8")
    for lesson in all_lessons():
        assert all(f'id="h-{panel}"' in page for panel in lesson.panels), lesson.key
        assert 2 <= len(lesson.text) <= 4, lesson.key
        assert sum(len(part.split()) for part in lesson.text) < 160, lesson.key
        assert lesson.has_plane or not ({"example", "points"} & set(lesson.setup)), lesson.key


def test_the_order_is_that_of_the_lectures() -> None:
    keys = [lesson.key for lesson in all_lessons()]
    assert keys == [
        *("unit", "rule", "and", "theorem", "losses", "subgradients", "inseparable", "features", "kernels"),
        *("gates", "networks", "multiclass", "spam", "logistic"),
    ]


def test_every_file_of_a_lesson_is_in_the_order_and_has_a_check() -> None:
    folder = ROOT / "src/rosenblatt/studio"
    assert sorted(path.stem for path in (folder / "lessons").glob("*.toml")) == sorted(ORDER)
    checks = {path.stem for path in (folder / "page/lessons/checks").glob("*.js")}
    assert checks - {"answers"} == set(ORDER)
