"""Lessons that a teacher writes: one Markdown file each, with its settings in TOML between two lines of `+++`.

The text comes first, then the sections `## Task` and `## Done`. Whether a lesson is done is said in the settings, by
conditions on quantities of the run and by answers that are to be filled in; docs/studio.md has an example.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

from rosenblatt.errors import DataError
from rosenblatt.studio.lessons.lesson import Lesson, on_one_line

# What conditions and answers can be about; page/lessons/checks/own.js computes them.
QUANTITIES = (
    *("mistakes", "epochs", "visits", "errors", "test errors", "points", "classes", "bound", "margin", "separable"),
    "weights",
)
PANELS = ("data", "learner", "verdict", "theorem", "losses", "relatives", "logic", "export")
_SETUP = ("example", "points", "classes", "options", "at", "proof")
_KEYS = ("title", "panels", "done", "answers", *_SETUP)
_CONDITION = re.compile(rf"({'|'.join(QUANTITIES[:-1])}) (<=|>=|<|>|=) (-?\d+(?:\.\d+)?)")
_NUMBERS = re.compile(r"-?\d+(?:\.\d+)?(?:[ ,]+-?\d+(?:\.\d+)?)*")
_MAX_BYTES = 100_000


def read_folder(folder: str | Path, taken: tuple[str, ...]) -> tuple[Lesson, ...]:
    """The lessons in a folder, by the names of their files."""
    place = Path(folder)
    if not place.is_dir():
        raise DataError(f"{folder}: is not a folder with lessons.")
    files = sorted(path for path in place.iterdir() if path.suffix == ".md" and path.is_file())
    if not files:
        raise DataError(f"{folder}: has no lessons; each is a Markdown file that ends in .md.")
    for path in files:
        if not re.fullmatch(r"[a-z0-9-]{1,40}", path.stem) or path.stem in taken:
            why = "another lesson has it" if path.stem in taken else "use small letters, digits and hyphens"
            raise DataError(f"{path}: this name cannot be used for a lesson: {why}.")
    return tuple(map(read_markdown, files))


def read_markdown(path: Path) -> Lesson:
    """The lesson in a Markdown file."""
    try:
        content = path.read_bytes()[: _MAX_BYTES + 1].decode("utf-8")
    except UnicodeDecodeError:
        raise DataError(f"{path}: is not text in UTF-8.") from None
    parts = re.split(r"^\+\+\+[ \t]*\r?\n", content, maxsplit=2, flags=re.MULTILINE)
    if len(parts) != 3 or parts[0].strip():
        raise DataError(f"{path}: a lesson begins with its settings in TOML between two lines of +++.")
    try:
        settings = tomllib.loads(parts[1].replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path}: the settings are not TOML: {error}.") from None
    _check(path, settings)
    text, task, when_done = _sections(path, parts[2])
    answers = settings.get("answers", [])
    return Lesson(
        key=path.stem,
        title=settings["title"],
        text=tuple(on_one_line(paragraph) for paragraph in re.split(r"\n\s*\n", text) if paragraph.strip()),
        task=on_one_line(task),
        when_done=on_one_line(when_done),
        setup={name: settings[name] for name in _SETUP if name in settings},
        fields={f"answer {k}": answer["label"] for k, answer in enumerate(answers, start=1)},
        panels=tuple(settings.get("panels", ())),
        check="own",
        done=tuple(settings.get("done", ())),
        answers=tuple(answers),
    )


def _sections(path: Path, body: str) -> tuple[str, str, str]:
    parts = re.split(r"^## (Task|Done)[ \t]*\r?\n", body, flags=re.MULTILINE)
    if parts[1::2] != ["Task", "Done"] or not all(part.strip() for part in parts[0::2]):
        raise DataError(f"{path}: after the settings come the text, '## Task' and '## Done', each with some words.")
    return parts[0], parts[2], parts[4]


def _check(path: Path, settings: dict[str, Any]) -> None:
    """Every mistake that a teacher can make, in a sentence that says what is allowed."""
    from rosenblatt.studio.questions.example_tables import EXAMPLES

    def refuse(problem: str) -> None:
        raise DataError(f"{path}: {problem}.")

    if unknown := [name for name in settings if name not in _KEYS]:
        refuse(f"there is no setting {unknown[0]!r}; the settings are {', '.join(_KEYS)}")
    if not isinstance(settings.get("title"), str):
        refuse("the setting 'title' is missing")
    if ("example" in settings) == ("points" in settings):
        refuse("a lesson needs 'example' or 'points', and not both")
    if "example" in settings and settings["example"] not in EXAMPLES:
        refuse(f"there is no example {settings['example']!r}; the examples are {', '.join(EXAMPLES)}")
    if "points" in settings and not _are_points(settings["points"], settings.get("classes")):
        refuse("'points' are lists [x1, x2, class], where class counts from 0 in the list 'classes'")
    if unknown := [name for name in settings.get("panels", ()) if name not in PANELS]:
        refuse(f"there is no panel {unknown[0]!r}; the panels are {', '.join(PANELS)}")
    for condition in settings.get("done", ()):
        if not isinstance(condition, str) or not _CONDITION.fullmatch(condition):
            names = ", ".join(QUANTITIES[:-1])
            refuse(f"{condition!r} is no condition such as 'mistakes <= 10'; the quantities are {names}")
    for answer in settings.get("answers", ()):
        if not isinstance(answer, dict) or not all(isinstance(answer.get(name), str) for name in ("label", "is")):
            refuse("each of [[answers]] needs a 'label' and what it 'is', both in quotes")
        if answer["is"] not in QUANTITIES and not _NUMBERS.fullmatch(answer["is"]):
            refuse(f"an answer is numbers, or one of {', '.join(QUANTITIES)}; {answer['is']!r} is neither")
    if not settings.get("done") and not settings.get("answers"):
        refuse("nothing says when the lesson is done: add 'done' or [[answers]]")


def _are_points(points: Any, classes: Any) -> bool:
    def is_point(point: Any) -> bool:
        numbers = isinstance(point, list) and len(point) == 3 and all(isinstance(v, int | float) for v in point)
        return numbers and point[2] in range(len(classes))

    return isinstance(points, list) and isinstance(classes, list) and bool(points) and all(map(is_point, points))
