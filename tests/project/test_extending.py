"""CONTRIBUTING.md says how to add a rule, a reader, an export, an option, a command and a lesson: here a toy of each.

A copy of the package gets the new files and the lines that register them; separate processes then use them.
"""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

import rosenblatt
from rosenblatt.native import _native
from tests import child

FILES = {
    "readers/formats/toy.py": '''"""Lines of `label=1,2,3`."""
from rosenblatt.lazy import np
from rosenblatt.readers.source import FileSource
from rosenblatt.records import FeatureSpace, SourceBlock


class ToySource(FileSource):
    def blocks(self, threads=1):
        rows = [line.decode().split("=") for line in self.file.stream().read().split()]
        self.labels[:] = sorted({label for label, _ in rows})
        values = np.array([[float(number) for number in numbers.split(",")] for _, numbers in rows])
        labels = np.array([self.labels.index(label) for label, _ in rows], dtype=np.int32)
        yield SourceBlock(values, labels, None, 0, self.size)

    @property
    def space(self):
        return FeatureSpace("index", settings={"format": "toy", "features": 2})
''',
    "model/export/toy.py": '''"""The classes, and nothing else."""


def to_toy(model):
    return " ".join(map(str, model.classes)).encode()
''',
    "cli/commands/toy.py": '''"""`rosenblatt toy`."""
from rosenblatt import options
from rosenblatt.cli.output import write
from rosenblatt.cli.parameters import option, sectioned_command


@sectioned_command("toy", "rosenblatt toy --shout")
@option(options.shout)
def command(shout):
    """Say hello."""
    write("HELLO" if shout else "hello")
''',
    "studio/lessons/texts/toy.toml": 'title = "A toy"\ntext = "One paragraph."\ntask = "None."\nwhen_done = "Done."\n',
    "studio/page/lessons/checks/toy.js": "export const check = () => ({ done: true, text: '' });\n",
}
# Registry, a line in it, and what is added after that line.
LINES = [
    ("rules.py", '        "last": {},\n', '        "toy": {"learning_rate": "pa2", "eta0": 0.3},\n'),
    ("options/reading.py", "FORMATS = (", '"toy", '),
    (
        "readers/formats/registry.py",
        "    for format in (\n",
        '        Format("toy", "numbered features", _open_toy, (), suffixes=(".toy",)),\n',
    ),
    (
        "readers/formats/registry.py",
        "# In the order in which their first lines are tried.\n",
        "def _open_toy(*arguments):\n    from rosenblatt.readers.formats.toy import ToySource\n\n"
        "    return ToySource(*arguments)\n\n\n",
    ),
    ("options/command_line.py", "EXPORT_FORMATS = (", '"toy", '),
    (
        "model/export/export.py",
        "from rosenblatt.model.export.sql import to_sql\n",
        "from rosenblatt.model.export.toy import to_toy\n",
    ),
    ("model/export/export.py", "bytes]] = {\n", '    "toy": lambda model, table: to_toy(model),\n'),
    (
        "options/command_line.py",
        "from rosenblatt.options.option import Option\n",
        'shout = Option(name="shout", default=False, kind="bool", help="Shout.")\n',
    ),
    ("cli/app.py", "COMMANDS: Mapping[str, str] = {\n", '    "toy": "Say hello.",\n'),
    (
        "cli/app.py",
        "    match name:\n",
        '        case "toy":\n            from rosenblatt.cli.commands.toy import command\n',
    ),
    ("studio/lessons/registry.py", "ORDER = (\n", '    "toy",\n'),
]


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the extended copy of the package, and data for it. It is called `replica`: an editable install
    of rosenblatt would be imported instead of the copy."""
    folder = tmp_path_factory.mktemp("extended")
    package = folder / "replica"
    shutil.copytree(Path(rosenblatt.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(str(_native.__file__), package / "native")  # an editable install has it elsewhere
    for name, content in FILES.items():
        (package / name).write_text(content, encoding="utf-8")
    for name, line, addition in LINES:
        text = (package / name).read_text(encoding="utf-8")
        assert text.count(line) == 1, (name, line)
        (package / name).write_text(text.replace(line, line + addition), encoding="utf-8")
    for path in package.rglob("*.py"):
        path.write_text(path.read_text(encoding="utf-8").replace("rosenblatt", "replica"), encoding="utf-8")
    (folder / "and.toy").write_text("no=0,0\nno=0,1\nno=1,0\nyes=1,1\n")
    return folder


def run(folder: Path, *words: str) -> str:
    """What the extended package prints: `-m replica ...` or `-c program`."""
    environment = os.environ | {"PYTHONPATH": str(folder)}
    process = child.run([sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    return str(process.stdout)


def test_a_reader_a_rule_and_an_export(extended: Path) -> None:
    fit = run(extended, "-m", "replica", "fit", "and.toy", "--rule", "toy", "--json", "-o", "and.model")
    assert (json.loads(fit)["rule"], json.loads(fit)["rows"]) == ("toy", 4)
    assert run(extended, "-m", "replica", "export", "and.model", "--to", "toy") == "no yes"


def test_a_command_and_an_option(extended: Path) -> None:
    assert run(extended, "-m", "replica", "toy", "--shout") == "HELLO\n"
    assert "Say hello." in run(extended, "-m", "replica", "--help")


def test_a_lesson(extended: Path) -> None:
    program = (
        "from replica.studio.lessons.registry import lessons_answer; print(lessons_answer()['lessons'][0]['title'])"
    )
    assert run(extended, "-c", program) == "A toy\n"
