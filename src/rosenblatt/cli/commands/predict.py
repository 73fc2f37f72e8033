"""`rosenblatt predict`: the labels of new examples."""

import os

import click

from rosenblatt import options
from rosenblatt.cli.output import check_output, open_output, warn
from rosenblatt.cli.parameters import (
    data_argument,
    like_training_data,
    model_argument,
    new_data_options,
    option,
    output_options,
    sectioned_command,
)
from rosenblatt.readers.source import ReadOptions


@sectioned_command(
    "predict",
    "rosenblatt predict mail.model new-mail.tsv",
    "rosenblatt predict mail.model new-mail.tsv --proba -o predictions.tsv",
    "echo 'you have won a prize' | rosenblatt predict mail.model - --format text",
)
@model_argument
@data_argument
@option(options.output, "-o", help="Write the predictions to this file instead of stdout.")
@click.option("--scores", is_flag=True, help="After each label a tab and its score; of many classes, all scores.")
@click.option("--proba", is_flag=True, help="After each label the probability of every class; a header names them.")
@new_data_options
@option(options.threads)
@output_options
def command(
    model: str,
    data: str,
    output: str | None,
    scores: bool,
    proba: bool,
    reading: ReadOptions,
    threads: int | None,
    as_json: bool,
) -> None:
    """Print the label that MODEL predicts for each example of DATA, one on a line, in the order of DATA.

    DATA may have labels or not; '-' is standard input. With --json each line is an object.
    """
    from rosenblatt.cli.load_model import load_model
    from rosenblatt.model.model_file import require_probabilities
    from rosenblatt.model.predict import predict_source
    from rosenblatt.readers.open import open_source
    from rosenblatt.report.text.predictions import column_names, json_lines, label_lines, number_lines

    check_output(output, model, data, reading.labels_from)
    predictor = load_model(model, data)
    source = open_source(data, like_training_data(reading, predictor), predictor.space)
    if proba:
        require_probabilities(predictor, model)
    if as_json:
        to_lines = json_lines(predictor, proba=proba)
    elif scores or proba:
        to_lines = number_lines(predictor, scores=scores, proba=proba)
    else:
        to_lines = label_lines(predictor)
    with open_output(output) as stream:
        if proba and not as_json:
            stream.write(column_names(predictor, scores=scores))
        for block in predict_source(predictor, source, threads or os.cpu_count() or 1):
            stream.write(to_lines(block))
            if source.size is None:  # whoever reads our output waits for the answer
                stream.flush()
    warn(source.warnings())
