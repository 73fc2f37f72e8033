"""`rosenblatt predict`: decide about new examples."""

from __future__ import annotations

from typing import Any

from rosenblatt import options
from rosenblatt.cli import common, declared


@declared.command(
    "predict",
    "  rosenblatt predict mail.model new-mail.tsv",
    "  rosenblatt predict mail.model new-mail.tsv --scores -o decisions.tsv",
    "  echo 'you have won a prize' | rosenblatt predict mail.model - --format text",
)
@common.model_argument
@common.data_argument
@declared.option(options.output, "-o", help="Write the decisions to this file instead of stdout.")
@declared.takes(
    declared.switch("scores", "--scores", help="After each label a tab and its score; with many classes, all scores.")
)
@common.new_data_options
@declared.option(options.threads)
@common.output_options
def command(model: str, data: str, output: str | None, scores: bool, as_json: bool, **asked: Any) -> None:
    """Print the label that MODEL gives each example of DATA, one a line, in the order of DATA.

    DATA may have labels or not; '-' is standard input. With --json each line is an object.
    """
    from rosenblatt.cli.prediction_lines import labels, with_scores
    from rosenblatt.model.predict import predict_file

    common.check_output(output, model, data, asked["labels_from"])
    found = common.load_model(model, data)
    reading = common.reading(asked, found)
    written = with_scores(found, as_json) if scores or as_json else labels(found)
    with common.output_stream(output) as out:
        for chunk in predict_file(found, data, reading=reading, **asked):
            out.write(written(chunk))
