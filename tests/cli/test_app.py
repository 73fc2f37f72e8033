"""The command line itself: help is fast and complete; an error is one line and an exit code, never a traceback."""

import json
import os
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

import rosenblatt
from rosenblatt.cli import main, output
from rosenblatt.cli.app import COMMANDS, program
from rosenblatt.cli.exits import exit_code
from rosenblatt.errors import DataError, LearningOverflowError, ModelError, ParameterError, option
from rosenblatt.options import as_flag
from tests import child

ROSENBLATT = [sys.executable, "-m", "rosenblatt"]
HEAVY = {"numpy", "scipy", "sklearn", "pyarrow", "rich", "matplotlib", "safetensors"}
each_command = pytest.mark.parametrize("name", COMMANDS)


def loaded(name: str) -> click.Command:
    command = program.get_command(click.Context(program), name)
    assert command is not None
    return command


def help_of(name: str) -> str:
    command = loaded(name)
    return command.get_help(click.Context(command, info_name=f"rosenblatt {name}"))


# -- help -------------------------------------------------------------------------------------------------------------


def test_help_loads_nothing_heavy_and_no_command() -> None:
    program = (
        "import sys; from rosenblatt.cli import main; main(['--help'])\n"
        f"commands = {{'rosenblatt.cli.commands.' + name for name in {list(COMMANDS)!r}}}\n"
        f"sys.exit(', '.join(({HEAVY} | commands) & set(sys.modules)) or 0)"
    )
    process = child.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (process.returncode, process.stderr) == (0, "")


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]], ids=["nothing", "--help", "-h"])
def test_help_lists_every_command_with_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    for name, line in COMMANDS.items():
        assert f"  {name} " in printed
        assert line in " ".join(printed.split())


@each_command
def test_every_command_and_every_option_has_help(name: str) -> None:
    command = loaded(name)
    assert command.name == name
    assert command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts}"
            assert parameter.help.endswith(".")


@each_command
def test_the_help_of_a_command_loads_nothing_heavy(name: str) -> None:
    program = f"import sys; from rosenblatt.cli import main; main(['{name}', '--help'])\n" + (
        f"sys.exit(', '.join({HEAVY} & set(sys.modules)) or 0)"
    )
    process = child.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (process.returncode, process.stderr) == (0, "")


def test_options_with_one_name_say_one_thing() -> None:
    """The same option has the same help in every command; only the output, the order, the passes and the top differ.

    For `explain` the size is a question, elsewhere an answer; `serve` keeps its log.
    """
    differ = {"output", "order", "threads", "passes", "top"}
    helps_by_option: dict[str, set[str]] = {}
    for name in COMMANDS:
        for parameter in loaded(name).params:
            of_its_own = (name, parameter.name) in (("explain", "size"), ("serve", "keep"))
            if isinstance(parameter, click.Option) and parameter.name not in differ and not of_its_own:
                helps_by_option.setdefault(parameter.opts[0], set()).add(str(parameter.help))
    assert {option: helps for option, helps in helps_by_option.items() if len(helps) > 1} == {}


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"rosenblatt {rosenblatt.__version__}\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_printed_for_the_shell(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert "_ROSENBLATT_COMPLETE" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "expected"), [("rosenblatt ex", {"explain", "export"}), ("rosenblatt fit --on-bad-row s", {"skip"})]
)
def test_the_shell_completes_commands_and_choices(words: str, expected: set[str]) -> None:
    variables = {
        "_ROSENBLATT_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    process = child.run(ROSENBLATT, env=os.environ | variables, capture_output=True, text=True, timeout=60)
    assert {line.partition(",")[2] for line in process.stdout.splitlines()} == expected


# -- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fti"], "There is no command 'fti'. Did you mean 'fit'?"),
        (["zzz"], "The commands are demo, fit,"),
        (["--nope"], "No such option '--nope'."),
        (["fit"], "Missing argument 'DATA...'."),
        (["fit", "x", "--passes", "0"], "'0' is not 'auto' or an int of at least 1."),
        (["fit", "x", "--passes", "two"], "'two' is not 'auto' or an int of at least 1."),
        (["fit", "x", "--holdout", "2"], "'2' is not a float"),
        (["fit", "x", "--on-bad-row", "skp"], "'skp' is not 'fail' or 'skip'."),
        (["fit", "x", "--pases", "3"], "No such option '--pases'."),
        (["export", "x"], "Choose a format: --to onnx, --to json, --to sql or --to python."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_command_line_is_one_line_and_2(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("rosenblatt: ")
    assert output.err.count("\n") == 1
    assert words in output.err
    assert "--help'." in output.err


def raising(error: BaseException) -> Callable[[], None]:
    def run() -> None:
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (ParameterError("eta0 is bad."), 2, "eta0 is bad."),
        (DataError("a.svm:1:2: bad."), 3, "a.svm:1:2: bad."),
        (LearningOverflowError("too large."), 3, "too large."),
        (ModelError("m.model: damaged."), 4, "m.model: damaged."),
        (FileNotFoundError(2, "No such file or directory", "x.svm"), 3, "x.svm: no such file or directory."),
        (MemoryError(), 3, "not enough memory"),
        (KeyboardInterrupt(), 130, "interrupted."),
        (
            ZeroDivisionError("division\nby zero"),
            70,
            "ZeroDivisionError: division by zero: this is a bug",
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_every_error_is_one_line_and_its_code(
    error: BaseException, code: int, words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ROSENBLATT_TRACEBACK", raising=False)
    assert exit_code(raising(error)) == code
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("rosenblatt: ")
    assert words in output.err
    assert output.err.count("\n") == 1
    assert "Traceback" not in output.err


def test_parameters_are_spelled_as_options(capsys: pytest.CaptureFixture[str]) -> None:
    error = DataError(f"row 3 has no label: use {option('on_bad_row', 'skip')} or {option('scale', True)}.")
    assert exit_code(raising(error)) == 3
    assert capsys.readouterr().err == "rosenblatt: row 3 has no label: use --on-bad-row skip or --scale.\n"
    assert (as_flag("label", "two words"), as_flag("random_state", "7")) == ("--label 'two words'", "--seed 7")


def test_a_traceback_is_printed_on_request(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_TRACEBACK", "1")
    assert exit_code(raising(ZeroDivisionError("by zero"))) == 70
    assert "Traceback" in capsys.readouterr().err


def test_an_answer_of_no_is_1() -> None:
    assert exit_code(lambda: 1) == 1
    assert exit_code(lambda: None) == 0


# -- where the output goes --------------------------------------------------------------------------------------------


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    process = child.run(
        ["bash", "-c", f"set -o pipefail; {sys.executable} -m rosenblatt completion bash | true"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (process.returncode, process.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs the device /dev/full")
def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        process = child.run([*ROSENBLATT, "completion", "bash"], stdout=full, stderr=-1, text=True, timeout=60)
    assert (process.returncode, process.stderr) == (3, "rosenblatt: no space left on device.\n")


def test_a_closed_stdout_is_no_traceback() -> None:
    process = child.run(
        ["bash", "-c", f"{sys.executable} -m rosenblatt completion bash >&-"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "Traceback" not in process.stderr


@pytest.mark.parametrize(
    ("encoding", "expected"), [("latin-1", "? 5\n"), ("ascii", "\u2264 5\n"), ("utf-8", "\u2264 5\n")]
)
def test_a_narrow_encoding_shows_question_marks(encoding: str, expected: str) -> None:
    """ASCII means that no locale is set: UTF-8 is written then."""
    program = "from rosenblatt.cli import exits, output; exits.exit_code(lambda: output.write('\u2264 5'))"
    env = os.environ | {"PYTHONIOENCODING": encoding}
    process = child.run([sys.executable, "-c", program], env=env, capture_output=True, encoding="utf-8", timeout=60)
    assert (process.stdout, process.stderr) == (expected, "")


def test_colours_only_on_a_terminal_and_never_with_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, pipe = SimpleNamespace(isatty=lambda: True), SimpleNamespace(isatty=lambda: False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert output.has_colours(terminal)
    assert not output.has_colours(pipe)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not output.has_colours(terminal)
    assert output.is_terminal(terminal)
    monkeypatch.setenv("TERM", "dumb")
    assert not output.is_terminal(terminal)


def test_json_is_one_line_of_plain_values(capsys: pytest.CaptureFixture[str]) -> None:
    import numpy as np

    output.write_json({"a": np.float64("nan"), "b": np.arange(2), "c": (1, "ü"), 3: {"d": np.int32(4)}})
    printed = capsys.readouterr().out
    assert printed.count("\n") == 1
    assert json.loads(printed) == {"a": None, "b": [0, 1], "c": [1, "ü"], "3": {"d": 4}}


def test_the_reference_is_generated_from_the_commands() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference.py"
    generated = runpy.run_path(str(page))["reference"]()
    assert generated == page.with_name("cli.md").read_text(encoding="utf-8"), "stale: run `make docs`"
