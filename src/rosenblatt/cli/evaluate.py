"""`rosenblatt evaluate`: how good a model is on examples with known labels."""

from typing import Any

from rosenblatt import options
from rosenblatt.cli import common


@common.command("evaluate")
@common.model_argument
@common.data_argument
@common.new_data_options
@common.option(options.threads)
@common.output_options
def command(model: str, data: str, as_json: bool, **asked: Any) -> None:
    """Try MODEL on the examples of DATA, whose labels are known: accuracy, error, precision, recall, F1, ROC AUC,
    average precision, and log loss where the model gives probabilities, each with its 95% confidence interval.
    """
    from rosenblatt.cli.models import load_decider
    from rosenblatt.evaluate import judge
    from rosenblatt.report.answers import scores_record
    from rosenblatt.report.terminal import bold, plural, score_lines

    found = load_decider(model)
    reading = common.reading(asked, found)
    scores = judge(found, data, reading, **asked).scores()
    if as_json:
        common.as_json({"model": model, "data": data, **scores_record(scores)})
        return
    common.data(f"{bold(data)}  {plural(scores.examples, 'example')}\n")
    for line in score_lines(scores):
        common.data(line)
