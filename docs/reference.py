"""Write cli.md, python.md and http.md from the program; `make docs` runs this, and a test fails when one is stale."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import click

import rosenblatt
from rosenblatt.cli import exits
from rosenblatt.cli.app import COMMANDS, program
from rosenblatt.serve.http.openapi import OPENAPI

PAGE = Path(__file__).with_name("cli.md")
NAMES = Path(__file__).with_name("python.md")
HTTP = Path(__file__).with_name("http.md")
CODES = exits.__doc__ or ""
RESULTS = [  # of certify, read, fit_file, trace, theorem_run, compare, degree_report
    "certificates.certificate.Separable",
    "certificates.certificate.Inseparable",
    "certificates.certificate.Undecided",
    "readers.read.Examples",
    "model.fit.fitted.Fitted",
    "learn.replay.trace.Trace",
    "certificates.theorem.TheoremRun",
    "comparison.compare.Comparison",
    "comparison.degrees.DegreeReport",
]


def reference() -> str:
    """The whole page."""
    contents = "\n".join(f"- [`{name}`](#rosenblatt-{name}): {line}" for name, line in COMMANDS.items())
    sections = "\n\n".join(_section(name) for name in COMMANDS)
    return f"""# The command line

This page is made from the help of the commands by `make docs`; `rosenblatt COMMAND --help` says the same.

{contents}

Data goes to stdout, messages go to stderr; `-` is standard input or output. `--json` prints one object a person or a
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
    meaning = (parameter.help or "").replace("*", r"\*") + suffix  # 2**bits is not bold
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in (names + value, meaning)) + " |"


def _metavar(parameter: click.Option) -> str:
    return parameter.type.get_metavar(parameter, click.Context(program)) or parameter.type.name.upper()


def public_names() -> str:
    """The page of Python: classes, functions, pictures, each name with a page of its own from its docstring."""
    named = {name: getattr(rosenblatt, name) for name in rosenblatt.__all__}
    classes = [name for name, value in named.items() if isinstance(value, type)]
    functions = [name for name, value in named.items() if callable(value) and not isinstance(value, type)]
    modules = (rosenblatt.figures, rosenblatt.logic, rosenblatt.losses, rosenblatt.errors)
    pictures, logic, losses, errors = (_members(module) for module in modules)
    return f"""# Python

Every public name; this page is made from the package by `make docs`, and `help(rosenblatt.NAME)` says the same.

## Classes

{_listed("rosenblatt", classes, "   :template: class.rst")}

## Functions

{_listed("rosenblatt", functions)}

## What they give back

{_listed("rosenblatt", RESULTS, "   :template: class.rst")}

## Pictures: rosenblatt.figures

{pictures}

## Gates, truth tables, networks: rosenblatt.logic

[Logic](logic.md) shows them at work. `AND`, `OR`, `NOT`, `NAND`, `NOR` and `MAJORITY` are gates, which take any number
of expressions or truth values.

{logic}

## Losses: rosenblatt.losses

`zero_one`, `perceptron`, `hinge`, `logistic` and `squared` are those of a margin, `squared_error` and `absolute` those
of a number; each is a `Loss`, and `LOSSES` has them by name.

{losses}

## Errors: rosenblatt.errors

{errors}
"""


def _members(module: ModuleType) -> str:
    """The functions and classes of a module; its constants are named in the words above."""
    members = {name: getattr(module, name) for name in module.__all__}
    functions = [name for name, value in members.items() if isinstance(value, FunctionType)]
    classes = [name for name, value in members.items() if isinstance(value, type)]
    listed = [_listed(module.__name__, functions)] if functions else []
    return "\n\n".join([*listed, *([_listed(module.__name__, classes, "   :template: class.rst")] if classes else [])])


def _listed(module: str, names: Sequence[str], *options: str) -> str:
    """A list of names, as Sphinx's autosummary takes it."""
    head = [f".. currentmodule:: {module}", "", ".. autosummary::", "   :toctree: _api", *options, ""]
    return "\n".join(["```{eval-rst}", *head, *(f"   {name}" for name in names), "```"])


def http() -> str:
    """The page of HTTP: every request, and the fields of every message, from what the service says of itself."""
    messages = OPENAPI["components"]["schemas"]
    return f"""# HTTP

What `rosenblatt serve` answers; this page is made from its `/openapi.json` by `make docs`. [A service that
learns](serve.md) shows each request at work.

| request | what it does | body | answer |
|---|---|---|---|
{chr(10).join(_requests())}

Where a body holds examples it is one of them as JSON, a list of them, or NDJSON with one on each line. Every refusal is
a [Problem](#problem). A service that is open to the network wants a token: `Authorization: Bearer TOKEN`.

{(chr(10) * 2).join(_message(name, message) for name, message in messages.items())}
"""


def _requests() -> Iterator[str]:
    for path, operations in OPENAPI["paths"].items():
        for method, operation in operations.items():
            parameters = [
                f"`?{p['name']}=`: {p['description']}" for p in operation.get("parameters", ()) if p["in"] == "query"
            ]
            done = next(answer for status, answer in operation["responses"].items() if status.startswith("2"))
            cells = (
                "; ".join([operation["summary"], *parameters]),
                _content(operation.get("requestBody", {})),
                _content(done),
            )
            yield f"| `{method.upper()} {path}` | {' | '.join(cells)} |"


def _content(carrier: Mapping[str, Any]) -> str:
    """What a body or an answer holds: a message, or a file."""
    names = []
    for kind, content in carrier.get("content", {}).items():
        message = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
        names.append(f"[{message}](#{message.lower()})" if message else f"`{kind}`")
    return " or ".join(dict.fromkeys(names))


def _message(name: str, message: Mapping[str, Any]) -> str:
    rows = [
        f"| `{field}` | {_type(schema)} | {_when(field in message['required'], schema)} |"
        for field, schema in message["properties"].items()
    ]
    description = " ".join(message["description"].split())
    return "\n".join([f"## {name}", "", description, "", "| field | is | default |", "|---|---|---|", *rows])


def _type(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"] if each.get("type") != "null")
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema["type"] == "array":
        return f"a list of {_type(schema['items'])}"
    if isinstance(values := schema.get("additionalProperties"), dict):
        return f"an object of {_type(values)}"
    return {"string": "text", "integer": "whole number", "number": "number", "boolean": "bool", "object": "object"}[
        schema["type"]
    ]


def _when(is_required: bool, schema: Mapping[str, Any]) -> str:
    if is_required:
        return "always there"
    default = schema.get("default")
    return "absent" if default in (None, {}) else f"`{json.dumps(default)}`"


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
    NAMES.write_text(public_names(), encoding="utf-8")
    HTTP.write_text(http(), encoding="utf-8")
    sys.stdout.write(f"{PAGE.name}: {len(COMMANDS)} commands; {NAMES.name}: {len(rosenblatt.__all__)} names\n")
