"""Write docs/cli.md and docs/python.md from the program; `make docs` runs this, and a test fails when one is stale."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

import rosenblatt
from rosenblatt.cli import exits
from rosenblatt.cli.app import COMMANDS, program

PAGE = Path(__file__).with_name("cli.md")
NAMES = Path(__file__).with_name("python.md")
CODES = exits.__doc__ or ""


def reference() -> str:
    """The whole page."""
    contents = "\n".join(f"- [`{name}`](#rosenblatt-{name}): {line}" for name, line in COMMANDS.items())
    sections = "\n\n".join(_section(name) for name in COMMANDS)
    return f"""# The command line

This page is made from the help of the commands by `make docs`; `rosenblatt COMMAND --help` says the same.

{contents}

Data goes to stdout, words go to stderr; `-` is standard input or output. `--json` prints one object a person or a
program can rely on: [JSON](json.md) lists its keys. Colours appear only on a terminal and never with `NO_COLOR` set.

{sections}

## Exit codes

```text
{_codes()}
```

An error is one line on stderr. A bug says so; `ROSENBLATT_TRACEBACK=1` then shows where it happened.
"""


def _codes() -> str:
    return "\n".join(line for line in CODES.splitlines() if line[:1].isdigit())


def _section(name: str) -> str:
    context = click.Context(program)
    command = program.get_command(context, name)
    assert command is not None
    arguments = [
        parameter.make_metavar(context) for parameter in command.params if isinstance(parameter, click.Argument)
    ]
    rows = [
        _row(parameter) for parameter in command.params if isinstance(parameter, click.Option) and not parameter.hidden
    ]
    usage = " ".join(["rosenblatt", name, *arguments])
    paragraphs = [" ".join(part.split()) for part in (command.help or "").split("\n\n")]
    if rows:
        paragraphs.append("| option | meaning |\n|---|---|\n" + "\n".join(rows))
    return "\n\n".join([f"## rosenblatt {name}", f"`{usage}`", *paragraphs])


def _row(parameter: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in sorted(parameter.opts + parameter.secondary_opts, key=len))
    value = "" if parameter.is_flag else f" `{parameter.metavar or _metavar(parameter)}`"
    default = parameter.default
    has_default = default not in (None, False, (), "") and not callable(default) and "UNSET" not in repr(default)
    suffix = f" Default: `{default}`." if has_default and not parameter.is_flag else ""
    return f"| {names}{value.replace('|', '&#124;')} | {(parameter.help or '').replace('|', '&#124;')}{suffix} |"


def _metavar(parameter: click.Option) -> str:
    return parameter.type.get_metavar(parameter, click.Context(program)) or parameter.type.name.upper()


def public_names() -> str:
    """The page of Python: classes, functions, pictures, each name with a page of its own from its docstring."""
    named = {name: getattr(rosenblatt, name) for name in rosenblatt.__all__}
    classes = [name for name, value in named.items() if isinstance(value, type)]
    functions = [name for name, value in named.items() if callable(value) and not isinstance(value, type)]
    figures = rosenblatt.figures
    return f"""# Python

Every public name; this page is made from the package by `make docs`, and `help(rosenblatt.NAME)` says the same.
`rosenblatt.logic` has gates, truth tables and networks ([logic](logic.md)), `rosenblatt.losses` the losses,
`rosenblatt.errors` every error that is raised on purpose.

## Classes

{_listed("rosenblatt", classes, "   :template: class.rst")}

## Functions

{_listed("rosenblatt", functions)}

## Pictures: rosenblatt.figures

{_listed(figures.__name__, figures.__all__)}
"""


def _listed(module: str, names: Sequence[str], *options: str) -> str:
    """A list of names, as Sphinx's autosummary takes it."""
    head = [f".. currentmodule:: {module}", "", ".. autosummary::", "   :toctree: _api", *options, ""]
    return "\n".join(["```{eval-rst}", *head, *(f"   {name}" for name in names), "```"])


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
    NAMES.write_text(public_names(), encoding="utf-8")
    sys.stdout.write(f"{PAGE.name}: {len(COMMANDS)} commands; {NAMES.name}: {len(rosenblatt.__all__)} names\n")
