"""Steps -> rows of a table, CSV, JSON: one step at a time, however long the run was."""

import csv
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from rosenblatt.errors import RosenblattError
from rosenblatt.input_checks import json_label

if TYPE_CHECKING:
    from rosenblatt.learn.replay.trace import Step, Trace

WIDE = 50  # features: people do not read a table of more weights


def flat(trace: "Trace", weights: bool | None, steps: Iterable["Step"]) -> Iterator[dict[str, Any]]:
    """One dict per step, one value per column."""
    with_weights = trace.n_features <= WIDE if weights is None else weights
    first = 0 if trace.fit_intercept else 1
    for step in steps:
        row = _plain(trace, step)
        if with_weights:
            row |= {f"x{j}": value for j, value in enumerate(step.x.tolist(), first) if j}
            row |= {f"before_w{j}": value for j, value in enumerate(step.before.tolist(), first)}
            row |= {f"after_w{j}": value for j, value in enumerate(step.after.tolist(), first)}
        yield row


def _plain(trace: "Trace", step: "Step") -> dict[str, Any]:
    row: dict[str, Any] = {"epoch": step.epoch, "t": step.t, "row": step.row}
    if trace.n_units > 1:
        row["unit"] = step.unit
    row |= {"target": step.target, "score": step.score}
    if not trace.predicts_number:
        row["mistake"] = step.mistake
    row["coefficient"] = step.coefficient
    if step.total_loss is not None:
        row["total_loss"] = step.total_loss
    if step.total_errors is not None:
        row["total_errors"] = step.total_errors
    return row


def to_frame(rows: Iterable[dict[str, Any]]) -> Any:
    try:
        import pandas
    except ImportError:
        raise RosenblattError(
            "A DataFrame needs pandas, which is not installed: install it, or use to_csv, to_json or rows()."
        ) from None
    return pandas.DataFrame(list(rows))


def to_csv(trace: "Trace", path: Any, weights: bool | None, steps: Iterable["Step"]) -> None:
    with _opened(path) as file:
        writer: csv.DictWriter[str] | None = None
        for row in flat(trace, weights, steps):
            if writer is None:
                writer = csv.DictWriter(file, list(row), lineterminator="\n")
                writer.writeheader()
            if "mistake" in row:
                row["mistake"] = int(row["mistake"])
            writer.writerow(row)


def to_json(trace: "Trace", path: Any, weights: bool | None, steps: Iterable["Step"]) -> None:
    """{"status", "n_iter", "n_mistakes", "t", "mistakes", "classes", "steps": [...]}, one step a line."""
    run = trace.run
    head = {name: getattr(run, name) for name in ("status", "n_iter", "n_mistakes", "t", "mistakes")}
    head |= {"classes": [json_label(label) for label in trace.classes], "fit_intercept": trace.fit_intercept}
    with_weights = trace.n_features <= WIDE if weights is None else weights
    with _opened(path) as file:
        file.write(json.dumps(head)[:-1] + ', "steps": [')
        for i, step in enumerate(steps):
            row = _plain(trace, step)
            if with_weights:
                row |= {"x": step.x.tolist(), "before": step.before.tolist(), "after": step.after.tolist()}
            file.write((",\n" if i else "\n") + json.dumps(row))
        file.write("\n]}\n")


@contextmanager
def _opened(path: Any) -> Iterator[TextIO]:
    if isinstance(path, str | os.PathLike):
        with open(path, "w", encoding="utf-8", newline="") as file:
            yield file
    else:
        yield path
