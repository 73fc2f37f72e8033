"""The texts of the lessons: listed in the documentation, short, and about panels that the page has."""

import re
from pathlib import Path

import pytest

from rosenblatt.cli import main
from rosenblatt.errors import DataError
from rosenblatt.studio.lessons.markdown import PANELS, read_markdown
from rosenblatt.studio.lessons.registry import ORDER, all_lessons, lessons_answer

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
        *("unit", "rule", "and", "theorem", "scale", "losses", "subgradients", "inseparable", "features", "kernels"),
        *("gates", "networks", "multiclass", "spam", "logistic", "calibration"),
    ]


def test_every_file_of_a_lesson_is_in_the_order_and_has_a_check() -> None:
    folder = ROOT / "src/rosenblatt/studio"
    assert sorted(path.stem for path in (folder / "lessons/texts").glob("*.toml")) == sorted(ORDER)
    checks = {path.stem for path in (folder / "page/lessons/checks").glob("*.js")}
    assert checks - {"answers", "own"} == set(ORDER)


# -- lessons in Markdown ----------------------------------------------------------------------------------------------


def documented_lesson() -> str:
    """The example in the documentation: a teacher has nothing else to go by."""
    text = (ROOT / "docs" / "studio.md").read_text(encoding="utf-8")
    return re.findall(r"```text\n(\+\+\+.+?)```", text, flags=re.DOTALL)[0]


def test_the_documented_lesson_is_read(tmp_path: Path) -> None:
    (tmp_path / "smaller-bound.md").write_text(documented_lesson(), encoding="utf-8")
    *others, lesson = lessons_answer(tmp_path)["lessons"]
    assert [other["key"] for other in others] == list(ORDER)
    assert (lesson["key"], lesson["title"], lesson["check"]) == ("smaller-bound", "A smaller bound", "own")
    assert len(lesson["text"]) == 2
    assert lesson["task"].startswith("Erase points until")
    assert lesson["setup"] == {"example": "two blobs"}
    assert lesson["fields"] == {"answer 1": "Mistakes that the rule made"}
    page = (ROOT / "src/rosenblatt/studio/page/index.html").read_text(encoding="utf-8")
    assert re.findall(r'role="tab" type="button" id="h-(\w+)"', page) == list(PANELS)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("+++", "---", "between two lines of +++"),
        ("title =", "titel =", "no setting 'titel'; the settings are title"),
        ('title = "A smaller bound"', "title = A", "the settings are not TOML"),
        ('example = "two blobs"', "", "'example' or 'points'"),
        ("two blobs", "two bobs", "no example 'two bobs'; the examples are AND"),
        ('"theorem"', '"theory"', "no panel 'theory'; the panels are data"),
        ("bound <= 20", "bound =< 20", "no condition such as 'mistakes <= 10'; the quantities are mistakes"),
        ('is = "mistakes"', 'is = "faults"', "an answer is numbers, or one of mistakes"),
        ('is = "mistakes"', "", "a 'label' and what it 'is'"),
        ("## Task", "## task", "'## Task' and '## Done'"),
    ],
)
def test_a_mistake_in_a_lesson_is_one_sentence(tmp_path: Path, old: str, new: str, words: str) -> None:
    path = tmp_path / "lesson.md"
    path.write_text(documented_lesson().replace(old, new), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_markdown(path)
    assert words in str(caught.value)
    assert "lesson.md: " in str(caught.value)


def test_a_folder_without_lessons_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["studio", "--no-browser", "--lessons", str(tmp_path)]) == 3
    assert "has no lessons" in capsys.readouterr().err
    (tmp_path / "unit.md").write_text(documented_lesson(), encoding="utf-8")
    assert main(["studio", "--no-browser", "--lessons", str(tmp_path)]) == 3
    assert "another lesson has it" in capsys.readouterr().err
