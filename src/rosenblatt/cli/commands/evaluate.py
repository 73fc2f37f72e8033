"""`rosenblatt evaluate`: how good a model is on examples with known labels."""

from typing import Any

from rosenblatt import options
from rosenblatt.cli import common, declared


@declared.command(
    "evaluate",
    "  rosenblatt evaluate mail.model new-mail.tsv",
    "  rosenblatt evaluate people.model others.csv --label income --report page.html",
)
@common.model_argument
@common.data_argument
@common.new_data_options
@declared.option(options.threads)
@declared.option(options.report)
@common.output_options
def command(model: str, data: str, report: str | None, as_json: bool, **asked: Any) -> None:
    """Try MODEL on the examples of DATA, whose labels are known: accuracy, error, precision, recall, F1, ROC AUC,
    average precision, and log loss where the model gives probabilities, each with its 95% confidence interval.
    """
    from rosenblatt.evaluate.evaluate_file import evaluate_file
    from rosenblatt.report.json_records import scores_record
    from rosenblatt.report.summary import Evaluation, Judged
    from rosenblatt.report.text.terminal import bold, line, plural, score_lines

    common.check_output(report, model, data, asked["labels_from"])
    found = common.load_model(model, data)
    reading = common.reading(asked, found)
    tally = evaluate_file(found, data, reading, **asked)
    scores = tally.scores()
    if report is not None:
        from rosenblatt.report.page.page import evaluation_page

        judged = Judged(data, tally, scores)
        common.write_file(report, evaluation_page(Evaluation(model, found, judged, common.repeat())).encode())
    if as_json:
        common.as_json({"model": model, "data": data, **scores_record(scores), "report": report})
        return
    common.data(f"{bold(data)}  {plural(scores.examples, 'example')}\n")
    for words in score_lines(scores):
        common.data(words)
    if report is not None:
        common.data("\n" + line("report", report))
