"""`rosenblatt trace`: every step of a run on any data, in a table as in lectures."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rosenblatt import options
from rosenblatt.cli import output as terminal
from rosenblatt.cli.output import check_output
from rosenblatt.cli.parameters import data_argument, option, output_options, reading_options, sectioned_command
from rosenblatt.cli.plot_option import check_picture, column_names, save_plot, two_columns
from rosenblatt.readers.source import ReadOptions

if TYPE_CHECKING:
    from rosenblatt.learn.replay.trace import Trace
    from rosenblatt.records import FeatureSpace

_STEPS_IN_A_TABLE = 1000  # by default
_RULE = ("loss", "learning_rate", "eta0", "margin", "r", "batch", "order", "multi_class", "fit_intercept")


@sectioned_command(
    "trace",
    "rosenblatt trace and.csv --mistakes-only",
    "rosenblatt trace points.csv --animate run.html",
)
@data_argument
@option(options.loss)
@option(options.learning_rate)
@option(options.eta0)
@option(options.margin)
@option(options.r)
@option(options.batch)
@option(options.trace_order)
@option(options.multi_class)
@click.option("--intercept/--no-intercept", "fit_intercept", default=True, help=options.fit_intercept.help)
@option(options.trace_passes)
@option(options.seed)
@option(options.steps)
@option(options.epochs, metavar="N|N-M")
@option(options.mistakes_only)
@option(options.totals)
@option(options.output, "-o", help="Write the steps to this file, as .csv or .json.")
@option(options.plot)
@option(options.animate)
@option(options.columns, metavar="I,J")
@option(options.theme)
@reading_options
@output_options
def command(data: str, reading: ReadOptions, output: str | None, as_json: bool, **settings: Any) -> None:
    """Learn from DATA by the perceptron's rule and print every step: epoch, row, example, target, score, mistake, and
    the weights before and after, the bias first because x0 = 1. Rows are counted from 1 here, from 0 in files.
    """
    from rosenblatt.report.text.trace_table import how_it_ended

    check_output(output, data)
    for path in (settings["plot"], settings["animate"]):
        check_picture(path, data)
    trace, space = _learn(data, reading, settings)
    steps = _chosen_steps(settings)
    _draw(trace, space, settings)
    if output:
        _write_steps(trace, Path(output), steps)
    elif as_json:
        trace.to_json(sys.stdout, **steps)
    else:
        _print_steps(trace, steps)
    terminal.say(how_it_ended(trace.run))


def _learn(data: str, reading: ReadOptions, settings: dict[str, Any]) -> tuple[Trace, FeatureSpace]:
    from rosenblatt.learn.replay.trace_from_file import gather, trace_block
    from rosenblatt.learn.settings import Settings
    from rosenblatt.readers.open import open_source

    rule = {name: settings[name] for name in _RULE}
    options.check_together("trace", rule)
    source = open_source(data, reading)
    table = gather(list(source.blocks()), source.labels, data)
    return trace_block(table, Settings(**rule, keep="last"), settings["passes"], settings["seed"]), source.space


def _chosen_steps(settings: dict[str, Any]) -> dict[str, Any]:
    """The steps to show, as `Trace.steps` takes them."""
    steps = {name: settings[name] for name in ("mistakes_only", "totals")} | {"limit": settings["steps"]}
    epochs = settings["epochs"]
    if epochs is None:
        return steps
    first, _, last = epochs.partition("-")
    last = last or first
    if not (first.isdecimal() and last.isdecimal() and 1 <= int(first) <= int(last)):
        raise click.UsageError(f"--epochs takes one epoch or a range of them, 3 or 3-5, not {epochs!r}.")
    return steps | {"epochs": (int(first), int(last))}


def _print_steps(trace: Trace, steps: dict[str, Any]) -> None:
    from rosenblatt.report.text.trace_table import trace_table, trace_text

    shown = steps | {"limit": steps["limit"] or _STEPS_IN_A_TABLE}
    if not terminal.is_terminal(sys.stdout):
        terminal.write(trace_text(trace, ended=False, **shown))
        return
    from rich.console import Console

    table = trace_table(trace, **shown)
    table.caption = None
    Console(no_color=not terminal.has_colours(sys.stdout), highlight=False).print(table)


def _write_steps(trace: Trace, path: Path, steps: dict[str, Any]) -> None:
    writers = {".csv": trace.to_csv, ".json": trace.to_json}
    if path.suffix.lower() not in writers:
        raise click.UsageError(f"Steps are written as .csv or .json, and {path.name} is neither.")
    writers[path.suffix.lower()](path, **steps)
    terminal.say(f"steps: {path}")


def _draw(trace: Trace, space: FeatureSpace, settings: dict[str, Any]) -> None:
    names, theme = column_names(space.columns, trace.n_features), settings["theme"]
    columns = two_columns(settings["columns"], names or (), trace.n_features)
    if settings["plot"]:
        from rosenblatt.report.figures import plot_boundaries

        save_plot(plot_boundaries(trace, columns=columns, names=names, theme=theme or "light"), settings["plot"])
    if settings["animate"]:
        from rosenblatt.report.animation.animate import animate

        path = animate(trace, settings["animate"], columns=columns, names=names, theme=theme)
        terminal.say(f"animation: {path}")
