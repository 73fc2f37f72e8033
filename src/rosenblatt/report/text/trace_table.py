"""A trace as a table, as in lectures: one line for each step, and the bias as the first weight, with x0 = 1."""

from itertools import islice
from typing import TYPE_CHECKING, Any

from rosenblatt.learn.replay.trace import Step, Trace
from rosenblatt.learn.replay.trace_file import WIDE
from rosenblatt.records import Floats, RunSummary
from rosenblatt.report.text.layout import clip

if TYPE_CHECKING:
    from rich.table import Table

_MAX_ENTRIES = 8  # of a vector, so that it fits on a line


def trace_table(trace: Trace, *, limit: int | None = None, **which: Any) -> "Table":
    """The first `limit` steps as a table for the terminal; `which` is passed to `Trace.steps`.

    Rows are counted from 1 for people; in Python, CSV and JSON they are counted from 0.
    """
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    table = Table(
        caption=how_it_ended(trace.run), caption_justify="left", pad_edge=False, box=SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    columns, totals = _columns(trace), bool(which.get("totals"))
    for name, side in (*columns, *([("loss", "right"), ("errors", "right")] if totals else [])):
        whole = name not in ("x", "w before", "w after")  # vectors fold on a narrow terminal, numbers do not
        table.add_column(name, justify=side, no_wrap=whole, overflow="fold", min_width=len(name))  # type: ignore[arg-type]
    steps = trace.steps(**which)
    last: Step | None = None
    for step in steps if limit is None else islice(steps, limit):
        if last is not None and step.epoch != last.epoch:
            table.add_section()
        table.add_row(*map(escape, _cells(trace, step)), style="bold" if step.mistake else None)
        last = step
    if limit is not None and next(steps, None) is not None:
        table.add_section()
        table.add_row("…", *[""] * (len(table.columns) - 1))
    return table


def trace_text(trace: Trace, *, limit: int | None = None, ended: bool = True, **which: Any) -> str:
    """The table as plain text, as wide as necessary, followed by how the run ended unless `ended` is False.

    >>> from rosenblatt import trace
    >>> print(trace_text(trace([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1]), limit=4))
    epoch row x       target score mistake w before w after
    ───────────────────────────────────────────────────────────────
        1   1 [1 0 0]     -1     0 yes     [0 0 0]  [-1 0 0]
        1   2 [1 0 1]     -1    -1         [-1 0 0] [-1 0 0]
        1   3 [1 1 0]     -1    -1         [-1 0 0] [-1 0 0]
        1   4 [1 1 1]     +1    -1 yes     [-1 0 0] [0 1 1]
    <BLANKLINE>
        …
    separated: epoch 9 was clean; 18 mistakes in 36 visits
    """
    from io import StringIO

    from rich.console import Console
    from rich.measure import Measurement

    table = trace_table(trace, limit=limit, **which)
    table.caption = None
    out = StringIO()
    console = Console(file=out, no_color=True, color_system=None, width=10_000)
    console.width = Measurement.get(console, console.options, table).maximum
    console.print(table)
    lines = [line.rstrip()[1:] for line in out.getvalue().split("\n")]
    return "\n".join([*"\n".join(lines).strip("\n").split("\n"), *([how_it_ended(trace.run)] if ended else [])])


def how_it_ended(run: RunSummary) -> str:
    """How a run ended, in one line."""
    epochs = f"{run.n_iter:,} epoch{'' if run.n_iter == 1 else 's'}"
    mistakes = f"{run.n_mistakes:,} mistake{'' if run.n_mistakes == 1 else 's'}"
    endings = {
        "separated": f"separated: epoch {run.n_iter:,} was clean",
        "budget": f"budget: all {epochs} spent, {_clean_epochs(run)}",
        "validated": f"validated: stopped early after {epochs}",
    }
    return f"{endings.get(run.status, run.status)}; {mistakes} in {run.t:,} visits"


def _clean_epochs(run: RunSummary) -> str:
    """How many epochs were clean: some losses change the weights without a mistake, and continue after such epochs."""
    n_clean = run.mistakes.count(0)
    return f"{n_clean:,} of them without a mistake" if n_clean else "none of them clean"


def _columns(trace: Trace) -> list[tuple[str, str]]:
    numbers = [("epoch", "right"), ("row", "right")]
    if trace.n_units > 1:
        numbers.append(("unit", "right"))
    return [*numbers, ("x", "left"), ("target", "right"), ("score", "right"), ("mistake", "left"),
            ("w before", "left"), ("w after", "left")]  # fmt: skip


def _cells(trace: Trace, step: Step) -> list[str]:
    cells = [str(step.epoch), str(step.row + 1)]
    if trace.n_units > 1:
        cells.append(clip(trace.names(step.unit)[1]) if trace.n_units == len(trace.classes) else str(step.unit))
    weights = _summary if trace.n_features > WIDE else _vector
    cells += [_example(step.x) if trace.n_features > WIDE else _vector(step.x)]
    cells += [f"{step.target:+d}", _number(step.score), "yes" if step.mistake else ""]
    cells += [weights(step.before), weights(step.after)]
    if step.total_loss is not None:
        cells += [_number(step.total_loss), str(step.total_errors)]
    return cells


def _example(x: Floats) -> str:
    return f"{int((x != 0).sum()):,} of {len(x):,} not 0"


def _summary(w: Floats) -> str:
    """If there are too many weights to print: how many are not 0, and their length as a vector."""
    return f"{int((w != 0).sum()):,} not 0, length {_number(float((w @ w) ** 0.5))}"


def _number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e9 else f"{value:.4g}"


def _vector(values: Floats) -> str:
    first = " ".join(_number(v) for v in values[:_MAX_ENTRIES].tolist())
    more = f" … {len(values) - _MAX_ENTRIES:,} more" if len(values) > _MAX_ENTRIES else ""
    return f"[{first}{more}]"
