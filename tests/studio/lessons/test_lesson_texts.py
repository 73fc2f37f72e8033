"""The texts of the lessons: listed in the documentation, short, and about panels that the page has."""

import re
from pathlib import Path

import pytest

from rosenblatt.cli import main
from rosenblatt.errors import DataError
from rosenblatt.studio.lessons.markdown import PANELS, read_markdown
from rosenblatt.studio.lessons.registry import ORDER, all_lessons, lessons_answer

ROOT = Path(__file__).parents[3]


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
        *("unit", "rule", "and", "theorem", "scale", "losses", "subgradients", "number", "inseparable"),
        *("features", "kernels"),
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


EXAMPLE, CLASSES = 'example = "two blobs"', 'classes = ["A", "B"]'
TASK = "Erase points until the theorem allows at most 20 mistakes, keep 20 points, and write down how many were made."


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("+++", "---", "1: a lesson begins with its settings in TOML between two lines of +++"),
        ("title =", "titel =", "2: there is no setting 'titel'; the settings are title"),
        ('title = "A smaller bound"', "title = A", "2: the settings are not TOML: Invalid value"),
        ('title = "A smaller bound"', "title = 3", "2: 'title' must be a text in quotes"),
        ('title = "A smaller bound"', 'title = " "', "2: the title is empty"),
        ('"points >= 20"]', '"points >= 20"', "7: the settings are not TOML: Unclosed array"),
        (EXAMPLE, "", "1: a lesson needs 'example' or 'points', and not both"),
        ("two blobs", "two bobs", "3: there is no example 'two bobs'; the examples are AND"),
        (EXAMPLE, f'{EXAMPLE}\nclasses = ["A"]', "4: 'classes' goes with 'points'"),
        (EXAMPLE, f"{EXAMPLE}\noptions = {{ max_itr = 3 }}", "4: The studio has no control 'max_itr'"),
        (EXAMPLE, f"{EXAMPLE}\noptions = {{ max_iter = 0 }}", "4: The 'max_iter' parameter of the studio must be"),
        (EXAMPLE, f"{EXAMPLE}\nat = -1", "4: 'at' must not be below 0"),
        (EXAMPLE, f'{EXAMPLE}\nproof = "no"', "4: 'proof' must be true or false"),
        (EXAMPLE, f"points = [[0, 0, 0],\n [1, 1]]\n{CLASSES}", "4: point 2 is [1, 1]; 'points' are lists"),
        (EXAMPLE, f"points = [[0, 0, 0],\n [1, nan, 1]]\n{CLASSES}", "4: point 2 is [1, nan, 1], and its"),
        (EXAMPLE, f"points = [[0, 0, 0], [1, 1, 0]]\n{CLASSES}", "3: A separator needs points of at least two"),
        (EXAMPLE, 'points = [[0, 0, 0], [1, 1, 1]]\nclasses = ["B", "A"]', "3: The classes must be sorted"),
        (EXAMPLE, f"points = [[0, 0, 0], [1, 1, 1]]\n{CLASSES}\ncolumns = 2", "5: 'columns' are the names"),
        ('"theorem"', '"theory"', "4: there is no panel 'theory'; the panels are data"),
        ('["theorem"]', '"theorem"', "4: 'panels' must be a list in brackets"),
        (
            "bound <= 20",
            "bound =< 20",
            "5: 'bound =< 20' is not a condition such as 'mistakes <= 10'; the quantities are",
        ),
        ('is = "mistakes"', 'is = "faults"', "7: an answer is numbers, or one of mistakes"),
        ('is = "mistakes"', "", "7: each of [[answers]] needs a 'label' and what it 'is'"),
        ('is = "mistakes"', "is = true", "7: an answer is numbers, or one of mistakes"),
        ('is = "mistakes"', 'is = [1, "a"]', "7: an answer is numbers, or one of mistakes"),
        ("hint =", "hin =", "7: an answer has no 'hin'; it has label, is, hint"),
        ("## Task", "## task", "16: the headings of a lesson are '## Task', then '## Done'; here comes '## Task', not"),
        ("## Done", "", "20: '## Done' is missing"),
        ("## Done\n", "## Done\n\n## More\n", "21: the headings of a lesson are"),
        (TASK, "", "16: nothing is written under '## Task'"),
        ("The theorem promises", "The **theorem promises", "12: ** is opened and not closed"),
        ("The theorem promises", "![R](r.png) promises", "12: a picture cannot be shown"),
        ("The theorem promises", "<b>The</b> theorem promises", "12: HTML cannot be shown"),
    ],
)
def test_a_mistake_in_a_lesson_is_one_sentence(tmp_path: Path, old: str, new: str, words: str) -> None:
    path = tmp_path / "lesson.md"
    assert old in documented_lesson()
    path.write_text(documented_lesson().replace(old, new), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_markdown(path)
    assert f"lesson.md:{words}" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ":1: a lesson begins with its settings"),
        (b"+++\ntitle = 'x'\n", ":1: a lesson begins with its settings"),
        (b"+++\ntitle = '\xff'\n+++\n", ":2: is not text in UTF-8"),
        (b"x" * 200_000, ": is larger than 100,000 bytes"),
    ],
)
def test_what_is_no_lesson_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "lesson.md").write_bytes(content)
    with pytest.raises(DataError) as caught:
        read_markdown(tmp_path / "lesson.md")
    assert f"lesson.md{words}" in str(caught.value)


def test_lists_and_the_lines_of_another_system_are_read(tmp_path: Path) -> None:
    lists = "- one **bold** item\n- another,\n  longer one\n\n1. first\n\nPoints that"
    content = "\ufeff" + documented_lesson().replace("Points that", lists).replace("\n", "\r\n")
    (tmp_path / "lesson.md").write_bytes(content.encode())
    text = read_markdown(tmp_path / "lesson.md").text
    assert text[1:4] == ("• one **bold** item", "• another, longer one", "1. first")
    assert text[4].startswith("Points that are far away")


@pytest.mark.parametrize(
    ("written", "read"), [("2", "2"), ("-0.5", "-0.5"), ("[-4, 3, 2]", "-4 3 2"), ('"-4, 3, 2"', "-4, 3, 2")]
)
def test_an_answer_is_numbers_with_or_without_quotes(tmp_path: Path, written: str, read: str) -> None:
    path = tmp_path / "lesson.md"
    path.write_text(documented_lesson().replace('is = "mistakes"', f"is = {written}"), encoding="utf-8")
    assert read_markdown(path).answers[0]["is"] == read


def test_a_folder_without_lessons_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["studio", "--no-browser", "--lessons", str(tmp_path)]) == 3
    assert "has no lessons" in capsys.readouterr().err
    (tmp_path / "unit.md").write_text(documented_lesson(), encoding="utf-8")
    assert main(["studio", "--no-browser", "--lessons", str(tmp_path)]) == 3
    assert "another lesson has it" in capsys.readouterr().err
