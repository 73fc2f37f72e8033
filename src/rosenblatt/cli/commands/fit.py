"""`rosenblatt fit`: learn a model from a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rosenblatt import options
from rosenblatt.cli import common, declared
from rosenblatt.cli.invocation import UsageError
from rosenblatt.cli.progress import Watching

if TYPE_CHECKING:
    from rosenblatt.model.fitted import Fitted
    from rosenblatt.readers.source import ReadOptions, Source
    from rosenblatt.report.summary import Judged, Summary

_PACKED = (".gz", ".zst", ".bz2", ".xz")


@declared.command(
    "fit",
    "  rosenblatt fit mail.tsv --test new-mail.tsv",
    "  rosenblatt fit people.csv --label income --scale --holdout 0.1",
    "  rosenblatt fit clicks.vw.gz --passes 5 --holdout 0.1 --patience 1 -o clicks.model",
    "  zcat rows.svm.gz | rosenblatt fit - -o rows.model",
)
@common.data_argument
@declared.option(
    options.output, "-o", help="Where to save the model. When not given: the name of DATA with .model, in this folder."
)
@declared.option(options.test)
@declared.option(options.holdout)
@declared.option(options.rule)
@declared.option(options.passes)
@declared.option(options.patience)
@declared.option(options.fit_file_keep)
@declared.option(options.fit_file_order)
@declared.option(options.features)
@common.reading_options
@declared.option(options.threads)
@declared.option(options.seed)
@declared.option(options.cache, metavar="FOLDER")
@declared.option(options.keep_cache)
@declared.option(options.checkpoint)
@declared.option(options.checkpoint_every)
@declared.option(options.resume)
@declared.option(options.report)
@declared.option(options.top)
@common.output_options
def command(
    data: str, output: str | None, test: str | None, report: str | None, top: int, as_json: bool, **asked: Any
) -> None:
    """Learn a model from the examples in DATA: svmlight, VW text, CSV, TSV, Parquet, Arrow, npy, npz or lines of
    label, tab, text; packed or not; '-' is standard input.

    With no option a portfolio of rules is learned side by side in one pass, and the best is kept.
    """
    _check_together(data, asked)
    reading = common.reading(asked)
    output = output or model_name(data)
    _check_files([data, test, reading.labels_from], [output, asked["checkpoint"], report])
    fitted = _fitted(data, reading, output, asked)
    if output is not None:
        from rosenblatt.model.file import save_model

        save_model(fitted.model, output)
    judged = _judged(fitted, data, test, report, reading, asked["threads"])
    told = as_json or not common.quiet()
    if report is None and not told:
        return
    from rosenblatt.report.summary import Summary

    summary = Summary(data, fitted, judged, output, common.repeat())
    if report is not None:
        from rosenblatt.report.page.page import page

        common.write_file(report, page(summary).encode())
    if told:
        _tell(summary, report, top, as_json)


def _check_together(data: str, asked: dict[str, Any]) -> None:
    """What needs another option, in the words of the command line."""
    if asked["patience"] is not None and not asked["holdout"]:
        raise UsageError("--patience needs rows to judge by: add --holdout 0.1.")
    if asked["resume"] and asked["checkpoint"] is None and data == "-":
        raise UsageError("--resume needs a checkpoint, and standard input has none: name it with --checkpoint.")
    if asked["keep_cache"] and data == "-":
        raise UsageError("--keep-cache keeps what was read of a file, and standard input is none: give a file.")


def _check_files(read: list[str | None], written: list[str | None]) -> None:
    """What would fail after the learning, or lose a file by it, fails before."""
    from rosenblatt.readers.input_file import InputFile

    for i, output in enumerate(written):
        common.check_output(output, *read, *written[:i])
    test = read[1]
    if test is not None and test != "-":
        InputFile(test)


def _fitted(data: str, reading: ReadOptions, output: str | None, asked: dict[str, Any]) -> Fitted:
    """Learn, with progress on a terminal; Ctrl-C leaves a checkpoint beside the model to go on from."""
    source = data if asked["keep_cache"] else _begun(data, reading, asked["threads"])
    from rosenblatt.model.fit_file import fit_file

    if asked["checkpoint"] is None and output is not None and data != "-":
        asked["checkpoint"] = output + ".checkpoint"
    checkpoint = asked["checkpoint"]
    try:
        with Watching("learning") as watching:
            return fit_file(source, reading=reading, on_progress=watching, **asked)
    except KeyboardInterrupt:
        if checkpoint is None or not os.path.exists(checkpoint):
            raise
        raise KeyboardInterrupt(f"interrupted; the same command with --resume goes on from {checkpoint}.") from None


def _begun(data: str, reading: ReadOptions, threads: int | None) -> Source:
    """The source, which reads ahead while the rest of the program is loaded."""
    from rosenblatt.readers.open import open_source

    source = open_source(data, reading)
    source.read_ahead(threads or os.cpu_count() or 1)
    return source


def model_name(data: str) -> str | None:
    """Where the model of a file is saved when nobody says: its name without its endings, in this folder.

    >>> model_name("mail/train.tsv.gz"), model_name("-")
    ('train.model', None)
    """
    if data == "-":
        return None
    name, ending = os.path.splitext(os.path.basename(data))
    if ending.lower() in _PACKED:
        name = os.path.splitext(name)[0]
    return (name or "rosenblatt") + ".model"


def _judged(
    fitted: Fitted, data: str, test: str | None, report: str | None, reading: ReadOptions, threads: int | None
) -> Judged | None:
    """The scores on the test file; a page without one shows those on the examples learned from, and says so."""
    on = test or (data if report and data != "-" else None)
    if on is None:
        return None
    from rosenblatt.evaluate.evaluate_file import evaluate_file
    from rosenblatt.report.summary import Judged

    tally = evaluate_file(fitted.model, on, reading, threads)
    return Judged(on, tally, tally.scores())


def _tell(summary: Summary, report: str | None, top: int, as_json: bool) -> None:
    if as_json:
        from rosenblatt.report.json_records import fit_record

        common.as_json(fit_record(summary, report, top))
        return
    from rosenblatt.report.text.terminal import line, next_steps, summary_lines

    for words in summary_lines(summary, top):
        common.data(words)
    common.data("")
    common.data(line("saved", summary.model or "nowhere: give -o a file to keep the model"))
    if report is not None:
        common.data(line("report", report))
    for words in next_steps(summary):
        common.data(words)
