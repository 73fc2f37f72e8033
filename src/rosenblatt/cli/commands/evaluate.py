"""`rosenblatt evaluate`: how good a model is on examples with known labels."""

from rosenblatt import options
from rosenblatt.cli.output import check_output, command_line, warn, write, write_file, write_json, write_lines
from rosenblatt.cli.parameters import (
    like_training_data,
    model_argument,
    new_data_options,
    option,
    output_options,
    sectioned_command,
    several_data_argument,
)
from rosenblatt.readers.source import ReadOptions


@sectioned_command(
    "evaluate",
    "rosenblatt evaluate mail.model new-mail.tsv",
    "rosenblatt evaluate people.model others.csv --label income --report page.html",
)
@model_argument
@several_data_argument
@new_data_options
@option(options.on, metavar="ENGINE")
@option(options.threads)
@option(options.report)
@output_options
def command(
    model: str,
    data: tuple[str, ...],
    reading: ReadOptions,
    on: str | None,
    threads: int | None,
    report: str | None,
    as_json: bool,
) -> None:
    """Evaluate MODEL on the examples of DATA, whose labels are known: accuracy, error, precision, recall, F1, ROC AUC,
    average precision and, if the model gives probabilities, log loss, each with its 95% confidence interval.
    """
    from rosenblatt.cli.load_model import load_model
    from rosenblatt.cli.open_data import opener
    from rosenblatt.report.json_records import scores_record
    from rosenblatt.report.summary import EvaluationSummary, evaluate_on, examples_words
    from rosenblatt.report.text.evaluation.evaluation import evaluation_lines
    from rosenblatt.report.text.layout import bold, named_line

    check_output(report, model, *data, reading.labels_from)
    predictor = load_model(model, data[0])
    with opener(on) as open_:
        evaluation = evaluate_on(data, predictor, like_training_data(reading, predictor), threads, open_)
    drift, new_words = evaluation.tally.drift, evaluation.tally.new_words
    scores, summary = evaluation.scores, EvaluationSummary(model, predictor, evaluation, command_line())
    if report is not None:
        from rosenblatt.report.page.report_page import evaluation_page

        write_file(report, evaluation_page(summary).encode())
    if as_json:
        record = {"model": model, "data": evaluation.data, **scores_record(scores), "warnings": summary.warnings}
        write_json(record | {"report": report, "drift": drift, "new_words": new_words})
    else:
        examples = examples_words(scores.examples, of_learned_data=summary.is_of_learned_data)
        write(f"{bold(evaluation.data)}  {examples}\n")
        write_lines(evaluation_lines(evaluation))
        if drift is not None or new_words is not None:
            write("")
        if drift is not None:
            write(named_line("drift", drift.words))
        if new_words is not None:
            write(named_line("new words", new_words.words))
        if report is not None:
            write("\n" + named_line("report", report))
    warn(summary.warnings)
