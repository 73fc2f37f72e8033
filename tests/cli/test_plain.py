"""A plain command line is read without click, and says what click would have made of it."""

from importlib import import_module
from typing import Any

import click
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.cli import COMMANDS, clicked, main
from rosenblatt.cli.declared import Command

NAMES = [name for name in COMMANDS if name != "completion"]
VALUES = ["x.svm", "-", "", "3", "0.5", "1e3", "nan", "-1", "-x", "a,b", "auto", "arow", "average", "skip", "csv", "no"]
STRANGE = ["--", "--help", "-h", "--nope", "--rule=arow", "-ofile", "-qo", "--quie"]


def declared(name: str) -> Command:
    found = import_module(COMMANDS[name][0]).command
    assert isinstance(found, Command)
    return found


def by_click(command: Command, words: list[str]) -> dict[str, Any] | None:
    """What click reads, or nothing where it refuses the line or answers something else."""
    try:
        with clicked.clicked(command).make_context(command.name, list(words)) as ctx:
            return ctx.params
    except (click.ClickException, click.exceptions.Exit):
        return None


@st.composite
def lines(draw: st.DrawFn) -> tuple[str, list[str]]:
    name = draw(st.sampled_from(NAMES))
    flags = [flag for one in declared(name).takes for said in one.flags for flag in said.split("/")]
    word = st.sampled_from(flags) | st.sampled_from(VALUES) | st.sampled_from(STRANGE) | st.text(max_size=4)
    return name, draw(st.lists(word, max_size=7))


@given(lines())
@example(("fit", ["x.svm", "--rule", "arow", "-q", "-o", "-", "--words", "a", "--words", "b"]))
@example(("studio", []))
@example(("trace", ["--no-intercept", "x.csv", "--intercept", "--no-intercept"]))
def test_it_means_what_click_reads(line: tuple[str, list[str]]) -> None:
    name, words = line
    read = declared(name).read(words)
    assert read is None or read == by_click(declared(name), words)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("fit", ["x.svm"]),
        ("fit", ["x.svm", "--rule", "perceptron", "--passes", "3", "--quiet", "-o", "m.model"]),
        ("fit", ["-", "--holdout", "0.1", "--patience", "1", "--keep-cache", "--cross", "a:b", "--cross", "b:c"]),
        ("predict", ["m.model", "-", "--scores", "--json"]),
        ("evaluate", ["m.model", "x.svm", "--report", "out.html"]),
        ("studio", ["--port", "8000", "--no-browser"]),
        ("certify", ["x.csv", "--pairs"]),
    ],
)
def test_a_plain_line_is_read_without_click(name: str, words: list[str]) -> None:
    read = declared(name).read(words)
    assert read is not None
    assert read == by_click(declared(name), words)


@pytest.mark.parametrize("words", [["fit"], ["fit", "x.svm", "--passes", "0"], ["fit", "x", "y"], ["predict", "m"]])
def test_what_is_wrong_with_a_line_is_said_by_click(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert declared(words[0]).read(words[1:]) is None
    assert main(words) == 2
    assert f"See 'rosenblatt {words[0]} --help'." in capsys.readouterr().err


def test_a_line_given_up_is_interrupted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def give_up(*_: Any) -> None:
        raise click.Abort

    monkeypatch.setattr(clicked.cli, "invoke", give_up)
    assert main([]) == 130
    assert capsys.readouterr().err == "rosenblatt: interrupted.\n"
