"""`rosenblatt trace`: the table of the lectures, step by step, on any data."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt import options
from rosenblatt.cli import common, declared
from rosenblatt.cli.invocation import UsageError

if TYPE_CHECKING:
    from rosenblatt.learn.replay.trace import Trace
    from rosenblatt.records import FeatureSpace

_IN_A_TABLE = 1000  # steps, unless more are asked for
_RULE = ("loss", "learning_rate", "eta0", "margin", "r", "batch", "order", "multi_class")


@declared.command(
    "trace",
    "  rosenblatt trace and.csv --mistakes-only",
    "  rosenblatt trace points.csv --animate run.html",
)
@common.data_argument
@declared.option(options.loss)
@declared.option(options.learning_rate)
@declared.option(options.eta0)
@declared.option(options.margin)
@declared.option(options.r)
@declared.option(options.batch)
@declared.option(options.trace_order)
@declared.option(options.multi_class)
@declared.takes(
    declared.switch("fit_intercept", "--intercept/--no-intercept", default=True, help=options.fit_intercept.help)
)
@declared.option(options.trace_passes)
@declared.option(options.seed)
@declared.option(options.steps)
@declared.option(options.epochs, metavar="N|N-M")
@declared.option(options.mistakes_only)
@declared.option(options.totals)
@declared.option(options.output, "-o", help="Write the steps to this file, as .csv or .json.")
@declared.option(options.plot)
@declared.option(options.animate)
@declared.option(options.columns, metavar="I,J")
@declared.option(options.theme)
@common.reading_options
@common.output_options
def command(data: str, as_json: bool, **asked: Any) -> None:
    """Learn from DATA by the perceptron's rule and print every step: epoch, row, example, target, score, mistake, and
    the weights before and after, the bias first because x0 = 1. Rows are counted from 1 here, from 0 in files.
    """
    reading = common.reading(asked)
    for written in ("output", "plot", "animate"):
        common.check_output(asked.get(written), data)
    trace, space = _learned(data, reading, asked)
    which = _which(asked)
    _draw(trace, space, asked)
    if asked["output"]:
        _write(trace, Path(asked["output"]), which)
    elif as_json:
        trace.to_json(sys.stdout, **which)
    else:
        _print(trace, which)
    _tell(trace)


def _learned(data: str, reading: Any, asked: dict[str, Any]) -> "tuple[Trace, FeatureSpace]":
    from rosenblatt.learn.replay.trace_rows import gather, trace_block
    from rosenblatt.learn.settings import Settings
    from rosenblatt.readers.open import open_source

    rule = {name: asked[name] for name in (*_RULE, "fit_intercept")}
    options.check_together("trace", rule)
    source = open_source(data, reading)
    table = gather(list(source.blocks()), source.labels, data)
    return trace_block(table, Settings(**rule, keep="last"), asked["passes"], asked["seed"]), source.space


def _which(asked: dict[str, Any]) -> dict[str, Any]:
    """The steps that were asked for, as `Trace.steps` takes them."""
    which: dict[str, Any] = {name: asked[name] for name in ("mistakes_only", "totals")}
    if asked["epochs"] is not None:
        first, _, last = asked["epochs"].partition("-")
        if not (first.isdecimal() and (last or first).isdecimal() and 1 <= int(first) <= int(last or first)):
            raise UsageError(f"--epochs takes one epoch or a range of them, 3 or 3-5, not {asked['epochs']!r}.")
        which["epochs"] = int(first), int(last or first)
    return which | {"limit": asked["steps"]}


def _print(trace: "Trace", which: dict[str, Any]) -> None:
    from rosenblatt.report.text.trace_table import trace_table, trace_text

    told = which | {"limit": which["limit"] or _IN_A_TABLE}
    if not common.on_terminal(sys.stdout):
        common.data(trace_text(trace, ended=False, **told))
        return
    from rich.console import Console

    table = trace_table(trace, **told)
    table.caption = None
    Console(no_color=not common.coloured(sys.stdout), highlight=False).print(table)


def _write(trace: "Trace", path: Path, which: dict[str, Any]) -> None:
    writers = {".csv": trace.to_csv, ".json": trace.to_json}
    if path.suffix.lower() not in writers:
        raise UsageError(f"Steps are written as .csv or .json, and {path.name} is neither.")
    writers[path.suffix.lower()](path, **which)
    common.say(f"steps: {path}")


def _draw(trace: "Trace", space: "FeatureSpace", asked: dict[str, Any]) -> None:
    columns = common.two_columns(asked["columns"], space.columns, trace.n_features)
    if asked["plot"]:
        from rosenblatt.report.figures import plot_boundaries

        names = space.columns if len(space.columns) == trace.n_features else None
        figure = plot_boundaries(trace, columns=columns, names=names, theme=asked["theme"] or "light")
        try:
            figure.savefig(asked["plot"], facecolor=figure.get_facecolor())
        except ValueError as error:
            raise UsageError(f"--plot {asked['plot']}: {error}.") from None
        common.say(f"figure: {asked['plot']}")
    if asked["animate"]:
        from rosenblatt.report.animation.animate import animate

        common.say(f"animation: {animate(trace, asked['animate'], columns=columns, theme=asked['theme'])}")


def _tell(trace: "Trace") -> None:
    from rosenblatt.report.text.trace_table import caption

    common.say(caption(trace))
