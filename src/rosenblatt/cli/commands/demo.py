"""`rosenblatt demo`: a spam filter, from the mail to the decision."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rosenblatt import options
from rosenblatt.cli.output import is_quiet, is_terminal, write, write_file, write_json, write_lines
from rosenblatt.cli.parameters import option, output_options, sectioned_command

if TYPE_CHECKING:
    from rosenblatt.model.kinds.linear import LinearModel
    from rosenblatt.report.summary import FitSummary

MAIL = Path(__file__).parents[2] / "data" / "mail"
FOLDER = "rosenblatt-demo"
MESSAGES = (
    "Congratulations! You have been selected for a free credit report. Click here to claim your money now!",
    "Re: the patch from Tuesday. I tried it on my laptop and it works, thanks. Shall we merge it?",
)


@sectioned_command("demo")
@option(options.message, metavar="TEXT")
@option(options.output, "-o", metavar="FOLDER", default=FOLDER, help="The folder to write to.")
@output_options
def command(message: str | None, output: str, as_json: bool) -> None:
    """Learn to tell spam from ham on real mail, test it, explain it, and decide about a message of your own.

    The mail, the model and a report are left in a folder, to try the other commands on.
    """
    from rosenblatt.report.explanation import explain_example
    from rosenblatt.report.text.demo import certificate_lines, closing_lines, decision_lines, story_lines

    folder = Path(output)
    summary = _learn(folder)
    model = summary.fitted.model
    messages = [message] if message is not None else list(MESSAGES)
    if as_json:
        from rosenblatt.report.json_records import fit_record

        decisions = [{"message": text, **explain_example(model, text)} for text in messages]
        write_json({**fit_record(summary, str(folder / "report.html"), 10), "messages": decisions})
        return
    if is_quiet():
        write_lines(str(explain_example(model, text)["label"]) for text in messages)
        return
    write_lines(story_lines(summary))
    write_lines(certificate_lines(folder / "train.tsv.gz", folder / "certificate.json"))
    for text in messages:
        write_lines(decision_lines(model, text))
    if message is None and is_terminal(sys.stdin) and is_terminal(sys.stdout):
        _ask(model)
    write_lines(closing_lines(folder))


def _learn(folder: Path) -> FitSummary:
    """Copy the mail into the folder; learn, save, test and report a model of it."""
    from rosenblatt.model.fit_file import fit_file
    from rosenblatt.model.model_file import save_model
    from rosenblatt.readers.source import ReadOptions
    from rosenblatt.report.page.report_page import fit_page
    from rosenblatt.report.summary import FitSummary, evaluate_on

    folder.mkdir(parents=True, exist_ok=True)
    train, test = (str(shutil.copyfile(MAIL / name, folder / name)) for name in ("train.tsv.gz", "test.tsv.gz"))
    model_path, report = str(folder / "mail.model"), folder / "report.html"
    fitted = fit_file(train, reading=ReadOptions())
    save_model(fitted.model, model_path)
    evaluation = evaluate_on(test, fitted.model, ReadOptions())
    command = f"rosenblatt fit {train} --test {test} -o {model_path} --report {report}"
    summary = FitSummary(train, fitted, evaluation, model_path, command)
    write_file(str(report), fit_page(summary).encode())
    return summary


def _ask(model: LinearModel) -> None:
    """Decide about the user's own messages, until an empty line."""
    from rosenblatt.report.text.demo import decision_lines

    write("  Write a message of your own, or press Enter to go on.")
    while True:
        try:
            message = input("  > ").strip()
        except EOFError:
            break
        if not message:
            break
        write_lines(decision_lines(model, message, repeat=False))
    write("")
