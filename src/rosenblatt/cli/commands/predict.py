"""`rosenblatt predict`: the labels of new examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import click

from rosenblatt import errors, options
from rosenblatt.available_cores import core_count
from rosenblatt.cli.output import check_output, open_output, say, warn
from rosenblatt.cli.parameters import (
    like_training_data,
    model_argument,
    new_data_options,
    option,
    output_options,
    sectioned_command,
    several_data_argument,
)
from rosenblatt.readers.source import ReadOptions, Source

if TYPE_CHECKING:
    from rosenblatt.model.warnings.drift import Watch


@sectioned_command(
    "predict",
    "rosenblatt predict mail.model new-mail.tsv",
    "rosenblatt predict people.model others.csv --id name --proba --reasons 3 -o predictions.tsv",
    "tail -f mail.log | rosenblatt predict mail.model - --format text",
)
@model_argument
@several_data_argument
@option(options.output, "-o", help="Write the predictions to this file instead of stdout.")
@option(options.output_format)
@click.option("--scores", is_flag=True, help="After each label its score; of many classes, all scores.")
@click.option("--proba", is_flag=True, help="After each label the probability of every class; a header names them.")
@option(options.confidence)
@option(options.intervals)
@option(options.top_classes)
@option(options.reasons)
@option(options.id_column, metavar="COLUMN")
@option(options.with_columns, metavar="COLUMNS")
@new_data_options
@option(options.on, metavar="ENGINE")
@option(options.threads)
@output_options
def command(
    model: str,
    data: tuple[str, ...],
    output: str | None,
    output_format: Literal["tsv", "csv", "jsonl"],
    scores: bool,
    proba: bool,
    confidence: bool,
    intervals: bool,
    top: int,
    reasons: int,
    id_: str | None,
    with_: Sequence[str],
    reading: ReadOptions,
    on: str | None,
    threads: int | None,
    as_json: bool,
) -> None:
    """Print the label, or number, that MODEL predicts for each example of DATA, one per line, in the order of DATA.

    DATA may have labels or not; '-' is standard input. A pipe is answered line by line, as each line arrives. --json is
    short for --output-format jsonl.
    """
    from rosenblatt.cli.load_model import load_model
    from rosenblatt.cli.open_data import opener
    from rosenblatt.model.model_file import require_confidence, require_probabilities, with_weights
    from rosenblatt.model.predict import predict_source
    from rosenblatt.model.warnings.drift import Watch
    from rosenblatt.report.text.predictions.output_columns import Shown, refuse_unfit
    from rosenblatt.report.text.predictions.predictions import answer_lines

    columns = tuple(column for word in with_ for column in word.split(",") if column)
    shown = Shown(
        "jsonl" if as_json else output_format, scores, proba, confidence, top, reasons, id_, columns, intervals
    )
    check_output(output, model, *data, reading.labels_from)
    predictor = load_model(model, data[0])
    refuse_unfit(predictor, model, shown)
    if proba:
        require_probabilities(predictor, model)
    if confidence:
        require_confidence(predictor, model)
    if reasons:
        with_weights(predictor, model, "explained by features")
    reading = like_training_data(reading, predictor)._replace(with_=shown.columns, name_rows=bool(reasons))
    with opener(on) as open_:
        try:
            source = open_(data, reading, predictor.space)
        except errors.ParameterError as error:
            if id_ is None or columns or error.options[:1] != ("with_",):
                raise
            raise errors.ParameterError(error.args[0].replace(errors.option("with_"), errors.option("id_"))) from None
        header, to_lines = answer_lines(predictor, shown)
        watch = Watch(predictor)
        try:
            with open_output(output) as stream:
                stream.write(header)
                for block in predict_source(predictor, source, threads or core_count()):
                    stream.write(to_lines(block))
                    watch.add(block)
                    if source.size is None:  # whoever reads our output waits for the answer
                        stream.flush()
        except KeyboardInterrupt:
            _say_what_was_new(source, watch)
            raise
        _say_what_was_new(source, watch)


def _say_what_was_new(source: Source, watch: Watch) -> None:
    new_words = watch.new_words
    if new_words is not None and new_words.unknown:
        say(f"{source.name}: {new_words.words}.")
    warn([*source.warnings(), *watch.warnings()])
