"""`rosenblatt demo`: spam, end to end, on the mail in the package."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rosenblatt import options
from rosenblatt.cli import common, declared

if TYPE_CHECKING:
    from rosenblatt.model.linear import LinearModel
    from rosenblatt.records import Floats
    from rosenblatt.report.summary import Summary

MAIL = Path(__file__).parents[2] / "data" / "mail"
FOLDER = "rosenblatt-demo"
MESSAGES = (
    "Congratulations! You have been selected for a free credit report. Click here to claim your money now!",
    "Re: the patch from Tuesday. I tried it on my laptop and it works, thanks. Shall we merge it?",
)


@declared.command("demo")
@declared.option(options.message, metavar="TEXT")
@declared.option(
    options.output, "-o", metavar="FOLDER", default=FOLDER, show_default=True, help="The folder to write to."
)
@common.output_options
def command(message: str | None, output: str, as_json: bool) -> None:
    """Learn to tell spam from ham on real mail, test it, explain it, and decide about a message of your own.

    The mail, the model and a report are left in a folder, for the commands to try next.
    """
    from rosenblatt.report.one_example import explained

    folder = Path(output)
    summary = _learned(folder)
    model = summary.fitted.model
    asked = [message] if message is not None else list(MESSAGES)
    if as_json:
        from rosenblatt.report.json_records import fit_record

        decided = [{"message": one, **explained(model, one)} for one in asked]
        common.as_json({**fit_record(summary, str(folder / "report.html"), 10), "messages": decided})
        return
    for line in (*_story(summary), *_certified(folder)):
        common.data(line)
    for one in asked:
        _decide(model, one)
    if message is None and common.on_terminal(sys.stdin) and common.on_terminal(sys.stdout):
        _ask(model)
    for line in _ending(folder):
        common.data(line)


def _learned(folder: Path) -> "Summary":
    from rosenblatt.evaluate.evaluate_file import evaluate_file
    from rosenblatt.model.file import save_model
    from rosenblatt.model.fit_file import fit_file
    from rosenblatt.readers.source import ReadOptions
    from rosenblatt.report.page.page import page
    from rosenblatt.report.summary import Judged, Summary

    folder.mkdir(parents=True, exist_ok=True)
    train, test = (str(shutil.copyfile(MAIL / name, folder / name)) for name in ("train.tsv.gz", "test.tsv.gz"))
    saved, report = str(folder / "mail.model"), folder / "report.html"
    fitted = fit_file(train, reading=ReadOptions())
    save_model(fitted.model, saved)
    tally = evaluate_file(fitted.model, test, ReadOptions())
    command = f"rosenblatt fit {train} --test {test} -o {saved} --report {report}"
    summary = Summary(train, fitted, Judged(test, tally, tally.scores()), saved, command)
    common.write_file(str(report), page(summary).encode())
    return summary


def _story(summary: "Summary") -> Iterator[str]:
    """Learn, test, explain: one short paragraph each, with the command that does it."""
    from rosenblatt.report.text.terminal import TIE, bold, confusion_lines, dim, line, plural
    from rosenblatt.report.weights import classes_shown, telling

    fitted, judged = summary.fitted, summary.judged
    assert judged is not None
    yield bold("Is it spam?") + "  Real mail of 2002: the subject and the first 100 words."
    yield ""
    yield dim(f"$ rosenblatt fit {summary.data} --test {judged.on}")
    yield line("learned", f"{plural(fitted.rows, 'message')} in {fitted.seconds:.2f} s; {_tried(summary)}")
    yield line("tested", f"{plural(judged.scores.examples, 'message')} it had never seen: {_right(summary)}")
    yield ""
    for row in confusion_lines(judged.scores):
        yield "          " + row
    yield ""
    yield dim(f"$ rosenblatt explain {summary.model}")
    totals = _totals(fitted.model, judged.on)
    for k, label in classes_shown(fitted.model):
        words = (word.replace(" ", TIE) for word in telling(fitted.model, totals, k, 16))
        yield line(f"says {label}", ", ".join(words))
    yield ""


def _certified(folder: Path) -> Iterator[str]:
    """Could a perceptron have learned every message? The proof is left in the folder."""
    from rosenblatt.certificates.certificate import Separable
    from rosenblatt.certificates.search import certify
    from rosenblatt.readers.read import read
    from rosenblatt.report.text.terminal import dim, line

    train, proof = folder / "train.tsv.gz", folder / "certificate.json"
    answer = certify(*read(train))
    answer.save(proof)
    yield dim(f"$ rosenblatt certify {train} --save {proof}")
    if isinstance(answer, Separable):
        yield line(
            "separable", f"some weights get every message right; {len(answer.support):,} messages hold them in place"
        )
        yield line(
            "", f"a perceptron finds such weights within {answer.mistake_bound:,.0f} mistakes, whatever the order"
        )
    else:
        yield line("proven", answer.explain().splitlines()[0])
    yield ""


def _totals(model: "LinearModel", path: str) -> "Floats":
    """How much of each feature the messages hold, all together."""
    import numpy as np

    from rosenblatt.readers.open import open_source
    from rosenblatt.readers.source import ReadOptions
    from rosenblatt.records import Csr

    totals = np.zeros(model.features)
    for chunk in open_source(path, ReadOptions(), model.space).blocks():
        assert isinstance(chunk.values, Csr)
        np.add.at(totals, chunk.values.indices, chunk.values.values)
    return totals


def _tried(summary: "Summary") -> str:
    tried = len(summary.fitted.candidates)
    return f"{tried} rules side by side, the best was {summary.fitted.chosen}" if tried > 1 else summary.fitted.chosen


def _right(summary: "Summary") -> str:
    assert summary.judged is not None
    right = summary.judged.scores.accuracy
    return f"{right.value:.1%} right (95% interval {right.low:.1%} to {right.high:.1%})"


def _decide(model: "LinearModel", message: str, *, shown: bool = True) -> None:
    """A message, what it is, and the words that said so."""
    from rosenblatt.report.one_example import explained
    from rosenblatt.report.text.terminal import TIE, line

    found = explained(model, message)
    reasons = [part for part in found["contributions"] if part.contribution > 0][:6]
    because = (
        ", ".join(f"{part.feature.replace(' ', TIE)}{TIE}{part.contribution:+.2f}" for part in reasons)
        or "nothing it knows"
    )
    if shown:
        common.data(line("message", f"“{message}”"))
    common.data(line("is", f"{found['label']}, score {found['score']:.2f}: {because}"))
    common.data("")


def _ask(model: "LinearModel") -> None:
    """Messages of the user's own, until an empty line."""
    common.data("  Write a message of your own, or press Enter to go on.")
    while True:
        try:
            message = input("  > ").strip()
        except EOFError:
            break
        if not message:
            break
        _decide(model, message, shown=False)
    common.data("")


def _ending(folder: Path) -> Iterator[str]:
    from rosenblatt.report.text.terminal import commands, line

    model, test = folder / "mail.model", folder / "test.tsv.gz"
    yield line("report", f"{folder / 'report.html'}, to open in a browser")
    yield from commands(
        "next",
        [
            f"rosenblatt explain {model} --example 'free money'",
            f"rosenblatt predict {model} {test} | head",
            "rosenblatt fit YOUR-FILE",
        ],
    )
