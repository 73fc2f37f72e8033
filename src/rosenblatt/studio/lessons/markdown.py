"""Lessons that a teacher writes: one Markdown file each, with its settings in TOML between two lines of `+++`.

The text comes first, then the sections `## Task` and `## Done`. Whether a lesson is done is said in the settings, by
conditions on quantities of the run and by answers that are to be filled in; docs/studio.md has an example. A mistake in
a file raises DataError with its line.
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from rosenblatt.errors import DataError, RosenblattError
from rosenblatt.studio.lessons.lesson import Lesson, on_one_line

# What conditions and answers can be about; page/lessons/checks/own.js computes them.
QUANTITIES = (
    *("mistakes", "epochs", "visits", "errors", "test errors", "points", "classes", "bound", "margin", "separable"),
    "weights",
)
PANELS = ("data", "learner", "verdict", "theorem", "losses", "relatives", "logic", "export")
_SETUP = ("example", "points", "classes", "columns", "options", "at", "proof")
_KEYS = ("title", "panels", "done", "answers", *_SETUP)
_ANSWER_KEYS = ("label", "is", "hint")
_CONDITION = re.compile(rf"({'|'.join(QUANTITIES[:-1])}) (<=|>=|<|>|=) (-?\d+(?:\.\d+)?)")
_NUMBERS = re.compile(r"-?\d+(?:\.\d+)?(?:[ ,]+-?\d+(?:\.\d+)?)*")
_SECTIONS = ["## Task", "## Done"]
_HEADING = re.compile(r" {0,3}#{1,6}(\s|task|done|$)", re.IGNORECASE)
_LIST_ITEM = re.compile(r"\s*(?:[-*+]|(\d+)[.)])\s+")
_NOT_SHOWN = {
    "a picture": re.compile(r"!\["),
    "a link": re.compile(r"\]\("),
    "HTML": re.compile(r"</?[a-zA-Z][^>]*>"),
    "a block of code": re.compile(r"\s*(```|~~~)"),
    "a table": re.compile(r"\s*\|"),
    "a quotation": re.compile(r"\s*>"),
}
_MAX_BYTES = 100_000


def read_folder(folder: str | Path, used_names: tuple[str, ...]) -> tuple[Lesson, ...]:
    """The lessons in a folder, by the names of their files."""
    place = Path(folder)
    if not place.is_dir():
        raise DataError(f"{folder}: is not a folder with lessons.")
    files = sorted(path for path in place.iterdir() if path.suffix == ".md" and path.is_file())
    if not files:
        raise DataError(f"{folder}: has no lessons; each is a Markdown file that ends in .md.")
    for path in files:
        if not re.fullmatch(r"[a-z0-9-]{1,40}", path.stem) or path.stem in used_names:
            why = "another lesson has it" if path.stem in used_names else "use small letters, digits and hyphens"
            raise DataError(f"{path}: this name cannot be used for a lesson: {why}.")
    return tuple(map(read_markdown, files))


def read_markdown(path: Path) -> Lesson:
    """The lesson in a Markdown file."""
    file = _read_file(path)
    settings = _read_settings(file)
    text, task, when_done = _read_sections(file)
    answers = settings.get("answers", [])
    return Lesson(
        key=path.stem,
        title=settings["title"],
        text=text,
        task=task,
        when_done=when_done,
        setup={name: settings[name] for name in _SETUP if name in settings},
        fields={f"answer {k}": answer["label"] for k, answer in enumerate(answers, start=1)},
        panels=tuple(settings.get("panels", ())),
        check="own",
        done=tuple(settings.get("done", ())),
        answers=tuple(answer | {"is": _answer_text(answer["is"])} for answer in answers),
    )


@dataclass(frozen=True)
class _File:
    """The lines of a lesson; its settings are those before line `body`, counted from 0."""

    path: Path
    lines: tuple[str, ...]
    body: int

    def refuse(self, line: int, problem: str) -> NoReturn:
        """Raise DataError at a line, counted from 1."""
        raise DataError(f"{self.path}:{line}: {problem}.")

    def refuse_setting(self, name: str, problem: str, words: str = "") -> NoReturn:
        """Raise DataError at the first line of a setting that has these words."""
        first, lines = self._line_of(name), range(1, self.body)
        self.refuse(1 + next((k for k in lines if k >= first and words in self.lines[k]), first), problem)

    def refuse_point(self, number: int, problem: str) -> NoReturn:
        """Raise DataError at the line of a point; points are counted from 1."""
        first = self._line_of("points")
        text = "\n".join(self.lines[first : self.body])
        inner = list(re.finditer(r"\[[^\[\]]*\]", text))[number - 1 : number]
        self.refuse(1 + first + (text[: inner[0].start()].count("\n") if inner else 0), problem)

    def _line_of(self, name: str) -> int:
        """Where a setting begins, counted from 0."""
        lines = range(1, self.body)
        return next((k for k in lines if re.match(rf"\s*\[*{re.escape(name)}\b", self.lines[k])), 0)


def _read_file(path: Path) -> _File:
    content = path.read_bytes()
    if len(content) > _MAX_BYTES:
        raise DataError(f"{path}: is larger than {_MAX_BYTES:,} bytes, which is not a lesson.")
    try:
        lines = tuple(content.decode("utf-8-sig").splitlines())
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError(f"{path}:{line}: is not text in UTF-8.") from None
    fences = [k for k, line in enumerate(lines) if line.rstrip() == "+++"]
    if len(fences) < 2 or fences[0] != 0:
        at = fences[0] + 1 if fences else 1
        raise DataError(f"{path}:{at}: a lesson begins with its settings in TOML between two lines of +++.")
    return _File(path, lines, fences[1] + 1)


# -- settings ---------------------------------------------------------------------------------------------------------


def _read_settings(file: _File) -> dict[str, Any]:
    try:
        settings = tomllib.loads("\n".join(file.lines[1 : file.body - 1]))
    except tomllib.TOMLDecodeError as error:
        problem, place = re.fullmatch(r"(.*?)(?: \(at (?:line (\d+)|end).*\))?", str(error)).groups()  # type: ignore[union-attr]
        file.refuse(int(place) + 1 if place else file.body, f"the settings are not TOML: {problem}")
    _check_names(file, settings)
    _check_data(file, settings)
    for condition in settings.get("done", ()):
        if not isinstance(condition, str) or not _CONDITION.fullmatch(condition):
            names = ", ".join(QUANTITIES[:-1])
            problem = f"{condition!r} is not a condition such as 'mistakes <= 10'; the quantities are {names}"
            file.refuse_setting("done", problem, str(condition))
    for k, answer in enumerate(settings.get("answers", ())):
        _check_answer(file, k, answer)
    if not settings.get("done") and not settings.get("answers"):
        file.refuse(1, "nothing says when the lesson is done: add 'done' or [[answers]]")
    return settings


def _check_names(file: _File, settings: dict[str, Any]) -> None:
    if unknown := [name for name in settings if name not in _KEYS]:
        problem = f"there is no setting {unknown[0]!r}; the settings are {', '.join(_KEYS)}"
        file.refuse_setting(unknown[0], problem)
    if "title" not in settings:
        file.refuse(1, "the setting 'title' is missing")
    kinds = {"title": str, "panels": list, "done": list, "answers": list, "at": int, "proof": bool, "options": dict}
    words = {str: "a text in quotes", list: "a list in brackets", int: "a whole number", bool: "true or false"}
    for name, kind in kinds.items():
        value = settings.get(name)
        if value is not None and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
            file.refuse_setting(name, f"{name!r} must be {words.get(kind, 'a table such as { max_iter = 100 }')}")
    if not settings["title"].strip():
        file.refuse_setting("title", "the title is empty")
    if settings.get("at", 0) < 0:
        file.refuse_setting("at", "'at' must not be below 0, the start of the run")
    if unknown := [name for name in settings.get("panels", ()) if name not in PANELS]:
        problem = f"there is no panel {unknown[0]!r}; the panels are {', '.join(PANELS)}"
        file.refuse_setting("panels", problem, str(unknown[0]))


def _check_data(file: _File, settings: dict[str, Any]) -> None:
    """Check the data and the options like those that the page sends."""
    from rosenblatt.studio.questions.example_tables import EXAMPLES
    from rosenblatt.studio.request import read_options, read_points

    if ("example" in settings) == ("points" in settings):
        file.refuse(1, "a lesson needs 'example' or 'points', and not both")
    if "example" in settings:
        if settings["example"] not in EXAMPLES:
            problem = f"there is no example {settings['example']!r}; the examples are {'; '.join(EXAMPLES)}"
            file.refuse_setting("example", problem)
        if extra := [name for name in ("classes", "columns") if name in settings]:
            file.refuse_setting(extra[0], f"{extra[0]!r} goes with 'points'; an example has its own")
        table = EXAMPLES[settings["example"]]()
        data = {"points": [row[:2] for row in table["rows"]], "labels": table["labels"], "classes": table["classes"]}
    else:
        data = _points(file, settings)
    try:
        points = read_points(data)
    except RosenblattError as error:
        file.refuse_setting("points", _without_stop(error))
    try:
        read_options(data | {"options": settings.get("options", {})}, len(points.X))
    except RosenblattError as error:
        file.refuse_setting("options", _without_stop(error))


def _points(file: _File, settings: dict[str, Any]) -> dict[str, Any]:
    from rosenblatt.studio.request import is_number

    points, classes, columns = settings["points"], settings.get("classes"), settings.get("columns", ["x1", "x2"])
    shape = "'points' are lists [x1, x2, class], where class counts from 0 in the list 'classes'"
    if not isinstance(points, list) or not isinstance(classes, list):
        file.refuse_setting("points", shape)
    for k, point in enumerate(points, start=1):
        if not isinstance(point, list) or len(point) != 3 or point[2] not in range(len(classes)):
            file.refuse_point(k, f"point {k} is {point!r}; {shape}")
        if not all(map(is_number, point[:2])):
            file.refuse_point(k, f"point {k} is {point!r}, and its first two must be finite numbers up to 1e100")
    if not (isinstance(columns, list) and len(columns) == 2 and all(isinstance(name, str) for name in columns)):
        file.refuse_setting("columns", '\'columns\' are the names of the two columns, as in ["width", "height"]')
    return {"points": [p[:2] for p in points], "labels": [p[2] for p in points], "classes": classes}


def _check_answer(file: _File, k: int, answer: Any) -> None:
    headers = [line for line, text in enumerate(file.lines[: file.body], start=1) if text.strip() == "[[answers]]"]
    line = headers[k] if k < len(headers) else 1
    if not isinstance(answer, dict) or not isinstance(answer.get("label"), str) or "is" not in answer:
        file.refuse(line, "each of [[answers]] needs a 'label' and what it 'is', the label in quotes")
    if unknown := [name for name in answer if name not in _ANSWER_KEYS]:
        file.refuse(line, f"an answer has no {unknown[0]!r}; it has {', '.join(_ANSWER_KEYS)}")
    if not isinstance(answer.get("hint", ""), str):
        file.refuse(line, "the hint of an answer must be a text in quotes")
    expected = _answer_text(answer["is"])
    if expected not in QUANTITIES and not _NUMBERS.fullmatch(expected):
        names = ", ".join(QUANTITIES)
        file.refuse(line, f"an answer is numbers, or one of {names}; {answer['is']!r} is neither")


def _answer_text(expected: Any) -> str:
    """The right answer as text: numbers need no quotes, and several of them are a list."""
    return " ".join(map(str, expected)) if isinstance(expected, list) else str(expected)


def _without_stop(error: Exception) -> str:
    return str(error).rstrip(".")


# -- text, task, and what is said when it is done ---------------------------------------------------------------------


def _read_sections(file: _File) -> tuple[tuple[str, ...], str, str]:
    headings: list[int] = []
    for k in range(file.body, len(file.lines)):
        line = file.lines[k]
        if _HEADING.match(line):
            next_heading = _SECTIONS[len(headings)] if len(headings) < 2 else None
            if line.rstrip() != next_heading:
                expectation = f"here comes {next_heading!r}" if next_heading else "nothing comes after them"
                problem = f"the headings of a lesson are '## Task', then '## Done'; {expectation}, not {line.strip()!r}"
                file.refuse(k + 1, problem)
            headings.append(k)
        if shown := [name for name, pattern in _NOT_SHOWN.items() if pattern.search(line)]:
            problem = "a lesson has paragraphs, lists, **bold**, *italic* and `code`"
            file.refuse(k + 1, f"{shown[0]} cannot be shown: {problem}")
    if len(headings) < 2:
        file.refuse(len(file.lines), f"{_SECTIONS[len(headings)]!r} is missing")
    starts, ends = [file.body, *(k + 1 for k in headings)], [*headings, len(file.lines)]
    text, task, when_done = (_paragraphs(file, start, end) for start, end in zip(starts, ends, strict=True))
    for start, words, where in zip(starts, (text, task, when_done), ("before '## Task'", *_SECTIONS), strict=True):
        if not words:
            file.refuse(start, f"nothing is written {where if where.startswith('before') else f'under {where!r}'}")
    return text, on_one_line(" ".join(task)), on_one_line(" ".join(when_done))


def _paragraphs(file: _File, start: int, end: int) -> tuple[str, ...]:
    """Each paragraph and each item of a list on a line of its own."""
    paragraphs: list[tuple[int, list[str]]] = [(start, [])]
    for k in range(start, end):
        line, item = file.lines[k], _LIST_ITEM.match(file.lines[k])
        if not line.strip():
            paragraphs.append((k + 1, []))
        elif item:
            paragraphs.append((k, [f"{item[1]}." if item[1] else "•", line[item.end() :]]))
        else:
            paragraphs[-1][1].append(line)
    texts = [(first, on_one_line(" ".join(lines))) for first, lines in paragraphs]
    for first, text in texts:
        for mark in ("**", "`"):
            if text.count(mark) % 2:
                file.refuse(first + 1, f"{mark} is opened and not closed in the paragraph that begins here")
    return tuple(text for _, text in texts if text)
