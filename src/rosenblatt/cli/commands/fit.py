"""`rosenblatt fit`: learn a model from a file."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from rosenblatt import options
from rosenblatt.available_cores import core_count
from rosenblatt.cli.output import (
    check_output,
    command_line,
    is_quiet,
    options_given,
    warn,
    write,
    write_file,
    write_json,
    write_lines,
)
from rosenblatt.cli.parameters import (
    option,
    output_options,
    sectioned_command,
    several_data_argument,
    several_labels_options,
)
from rosenblatt.cli.progress import ProgressBar
from rosenblatt.readers.source import ReadOptions, Source

if TYPE_CHECKING:
    from rosenblatt.model.fit.fitted import Fitted
    from rosenblatt.readers.inputs.input_file import Paths
    from rosenblatt.report.summary import FitSummary


@sectioned_command(
    "fit",
    "rosenblatt fit mail.tsv --test new-mail.tsv",
    "rosenblatt fit people.csv --label income --drop name --holdout 0.1",
    "rosenblatt fit houses.csv --label price --error absolute",
    "rosenblatt fit monday.csv tuesday.csv 'older/*.csv' -o week.model",
    "rosenblatt fit clicks.vw.gz --passes 5 --holdout 0.1 --patience 1 -o clicks.model",
    "rosenblatt fit --from week.model today.csv -o week.model",
    "rosenblatt fit 's3://logs/day-*.vw' --on dask://scheduler:8786 -o day.model",
    "rosenblatt fit mail.tsv --size 1MB -o phone.model",
    "zcat rows.svm.gz | rosenblatt fit - -o rows.model",
)
@several_data_argument
@option(options.output, "-o", help="Save the model here. Default: the name of DATA with .model, in this folder.")
@option(options.test)
@option(options.holdout)
@option(options.from_, metavar="MODEL")
@option(options.new_labels)
@option(options.forget, metavar="HALF-LIFE")
@option(options.rule)
@option(options.passes)
@option(options.patience)
@option(options.fit_file_order)
@option(options.features)
@option(options.fit_file_class_weight)
@option(options.threshold, metavar="CRITERION")
@option(options.task)
@option(options.error)
@option(options.quantiles, metavar="LEVELS")
@option(options.size, metavar="SIZE")
@several_labels_options
@option(options.on, metavar="ENGINE")
@option(options.shards, metavar="NUMBER")
@option(options.threads)
@option(options.seed)
@option(options.cache, metavar="FOLDER")
@option(options.keep_cache)
@option(options.checkpoint)
@option(options.checkpoint_every)
@option(options.resume)
@option(options.report)
@option(options.top)
@output_options
def command(
    data: tuple[str, ...],
    output: str | None,
    test: str | None,
    reading: ReadOptions,
    task: str | None,
    report: str | None,
    top: int,
    as_json: bool,
    **learning: Any,
) -> None:
    """Learn a model from the examples in DATA: svmlight, VW text, CSV, TSV, JSON lines, Parquet, Arrow, npy, npz, or
    lines of label, tab, text; compressed or not; '-' is standard input. Several files, folders and quoted patterns are
    learned as one file with all their rows; folders named key=value add a column to a table.

    If the label is a number whose values rarely repeat, numbers are predicted, in its unit; --task overrides this.

    Without options several rules are tried, and the best is kept: few examples are learned in as many passes as lower
    the error on held-out examples, many in one pass.
    """
    output = output or default_model_path(data)
    reading, learning["keep"] = _split_keep(reading._replace(task=task))
    is_stream = data == ("-",)
    if learning["checkpoint"] is None and output is not None and not is_stream:
        learning["checkpoint"] = f"{output}.checkpoint"
    options.check_fit_file(learning)
    if learning["keep_cache"] and is_stream:
        raise click.UsageError("--keep-cache needs a file, and DATA is standard input.")
    _check_files([*data, test, reading.labels_from], [output, learning["checkpoint"], report], test)
    if learning["size"] is not None:
        learning["test"] = test
    fitted = _fit(data, reading, learning)
    if output is not None:
        _save(fitted, output)
    # A report without test data shows the training data.
    evaluated: Paths | None = test or (data if report and not is_stream else None)
    if report is None and evaluated is None and is_quiet() and not as_json:
        return
    from rosenblatt.readers.inputs.expand_paths import name_of
    from rosenblatt.report.summary import FitSummary, evaluate_on

    evaluation = None if evaluated is None else evaluate_on(evaluated, fitted.model, reading, learning["threads"])
    summary = FitSummary(name_of(data), fitted, evaluation, output, command_line(), options_given(), data)
    if report is not None:
        from rosenblatt.report.page.report_page import fit_page

        write_file(report, fit_page(summary).encode())
    if as_json:
        from rosenblatt.report.json_records import fit_record

        write_json(fit_record(summary, report, top))
    elif not is_quiet():
        _print(summary, report, top)
    warn(summary.warnings)


def _split_keep(reading: ReadOptions) -> tuple[ReadOptions, str | None]:
    """--keep names columns to learn from, or the weights to keep: last or average."""
    weights = [word for word in reading.keep if word in options.fit_file_keep.choices]
    columns = tuple(word for word in reading.keep if word not in weights)
    return reading._replace(keep=columns, decide=True), weights[-1] if weights else None


def _check_files(inputs: list[str | None], outputs: list[str | None], test: str | None) -> None:
    """Fail before learning, rather than after, if a file is missing or would be overwritten."""
    from rosenblatt.readers.open import open_file

    for i, path in enumerate(outputs):
        check_output(path, *inputs, *outputs[:i])
    if test is not None and test != "-":
        open_file(test, ReadOptions())


def _fit(data: Paths, reading: ReadOptions, learning: dict[str, Any]) -> Fitted:
    """Learn with progress on a terminal; Ctrl-C leaves a checkpoint beside the model to resume from."""
    on, shards = learning.pop("on"), learning.pop("shards")
    if shards is not None and on is None:
        raise click.UsageError("--shards are learned by the workers of an engine: name it, such as --on processes.")
    is_opened_later = learning["keep_cache"] or learning["from_"] is not None or on is not None
    source = data if is_opened_later else _start_reading(data, reading, learning["threads"])
    from rosenblatt.model.fit_file import fit_file

    checkpoint = learning["checkpoint"]
    try:
        with ProgressBar("learning") as bar:
            if on is None:
                return fit_file(source, reading=reading, on_progress=bar, **learning)
            from rosenblatt.cluster import fit

            return fit(data, on, shards=shards, reading=reading, on_progress=bar, **learning)
    except KeyboardInterrupt as interrupt:
        if learning["from_"] is not None and not str(interrupt) and not (checkpoint and os.path.exists(checkpoint)):
            model = learning["from_"]
            raise KeyboardInterrupt(f"interrupted; {model} is as it was: give the command again.") from None
        if str(interrupt) or checkpoint is None or not os.path.exists(checkpoint):
            raise
        raise KeyboardInterrupt(f"interrupted; the same command with --resume continues from {checkpoint}.") from None


def _save(fitted: Fitted, output: str) -> None:
    """Save the model; where that fails after all, as on a full disk, in the folder for temporary files."""
    from rosenblatt.model.model_file import save_model

    try:
        save_model(fitted.model, output)
    except OSError as error:
        import tempfile

        with suppress(OSError), tempfile.NamedTemporaryFile(suffix=".model", delete=False) as other:
            save_model(fitted.model, other.name)
            error.strerror = f"cannot be written: {error.strerror}; the model is saved as {other.name} instead"
        raise


def _start_reading(data: Paths, reading: ReadOptions, threads: int | None) -> Source:
    """Open DATA and let it read ahead while the rest of the program is imported."""
    from rosenblatt.readers.open import open_source

    source = open_source(data, reading)
    source.read_ahead(threads or core_count())
    return source


def default_model_path(data: Sequence[str]) -> str | None:
    """The name of DATA with .model instead of its ending, in this folder; None for standard input.

    That of several files or of a pattern is what their names have in common.

    >>> default_model_path(["mail/train.tsv.gz"]), default_model_path(["-"]), default_model_path(["logs/part-*.csv"])
    ('train.model', None, 'part.model')
    >>> default_model_path(["part-01.csv", "part-02.csv"]), default_model_path(["mon.csv", "tue.csv"])
    ('part.model', 'mon.model')
    """
    from rosenblatt.readers.inputs.compression import SUFFIXES

    if list(data) == ["-"]:
        return None
    names = []
    for path in data:
        name, ending = os.path.splitext(os.path.basename(path.rstrip("/")))
        names.append(os.path.splitext(name)[0] if ending.lower() in SUFFIXES else name)
    common = names[0]
    if len(names) > 1:
        common = os.path.commonprefix(names).rstrip("0123456789-_. ") or common  # noqa: RUF071 - names, not paths
    if any(character in common for character in "*?["):
        common = re.split(r"[*?[]", common)[0].rstrip("-_. ")
    return (common or "rosenblatt") + ".model"


def _print(summary: FitSummary, report: str | None, top: int) -> None:
    from rosenblatt.report.text.fit import fit_lines, next_steps
    from rosenblatt.report.text.layout import named_line

    write_lines(fit_lines(summary, top))
    write("")
    write(named_line("saved", summary.model_path or "nowhere: name a file with -o to keep the model"))
    if report is not None:
        write(named_line("report", report))
    write_lines(next_steps(summary))
