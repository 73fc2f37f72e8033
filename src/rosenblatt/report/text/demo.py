"""The output of `demo`: a spam filter is learned, tested, explained, certified and used."""

from collections.abc import Iterator
from pathlib import Path

from rosenblatt.errors import plural
from rosenblatt.extras import missing_extra
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.options.command_line import as_flag
from rosenblatt.report.explanation import explain_example
from rosenblatt.report.summary import Evaluation, FitSummary
from rosenblatt.report.text.evaluation.scores import confusion_lines
from rosenblatt.report.text.layout import NO_BREAK, bold, command_lines, dim, named_line
from rosenblatt.report.weights import classes_shown, distinctive_features


def story_lines(summary: FitSummary) -> Iterator[str]:
    """Learn, test, explain: a short paragraph for each, with the command that does it."""
    fitted, evaluation = summary.fitted, summary.evaluation
    assert isinstance(evaluation, Evaluation)
    yield bold("Is it spam?") + "  Real mail of 2002: the subject and the first 100 words."
    yield ""
    yield dim(f"$ rosenblatt fit {summary.data} {as_flag('test', evaluation.data)}")
    n_tried = len(fitted.candidates)
    rule = f"{n_tried} rules side by side, the best was {fitted.chosen}" if n_tried > 1 else fitted.chosen
    yield named_line("learned", f"{plural(fitted.rows, 'message')} in {fitted.seconds:.2f} s; {rule}")
    accuracy = evaluation.scores.accuracy
    right = f"{accuracy.value:.1%} right (95% interval {accuracy.low:.1%} to {accuracy.high:.1%})"
    yield named_line("tested", f"{plural(evaluation.scores.examples, 'message')} it had never seen: {right}")
    yield ""
    for row in confusion_lines(evaluation.scores):
        yield "          " + row
    yield ""
    yield dim(f"$ rosenblatt explain {summary.model_path}")
    features = distinctive_features(fitted.model, evaluation.data, 16)
    for k, label in classes_shown(fitted.model):
        yield named_line(f"for {label}", ", ".join(word.replace(" ", NO_BREAK) for word in features[k]))
    yield ""


def certificate_lines(data: Path, proof: Path) -> Iterator[str]:
    """Whether a perceptron can learn every message of a file; the proof is saved."""
    missing = missing_extra("certify", "A proof that the mail is separable needs")
    if missing:
        yield named_line("proof", missing)
        yield ""
        return
    from rosenblatt.certificates.certificate import Separable
    from rosenblatt.certificates.certify import certify
    from rosenblatt.readers.read import read

    certificate = certify(*read(data))
    certificate.save(proof)
    yield dim(f"$ rosenblatt certify {data} {as_flag('save', proof)}")
    if isinstance(certificate, Separable):
        support = f"{len(certificate.support):,} messages hold them in place"
        yield named_line("separable", f"some weights get every message right; {support}")
        bound = f"{certificate.mistake_bound:,.0f} mistakes"
        yield named_line("", f"a perceptron finds such weights within {bound}, whatever the order")
    else:
        yield named_line("proven", certificate.explain().splitlines()[0])
    yield ""


def decision_lines(model: LinearModel, message: str, *, repeat: bool = True) -> Iterator[str]:
    """The decision about a message, and the words that led to it; with `repeat` the message first."""
    decision = explain_example(model, message)
    sign = -1 if decision["label"] == model.classes[0] else 1  # scores below 0 are for the first class
    reasons = [part for part in decision["contributions"] if sign * part.contribution > 0][:6]
    words = ", ".join(f"{part.feature.replace(' ', NO_BREAK)}{NO_BREAK}{part.contribution:+.2f}" for part in reasons)
    if repeat:
        yield named_line("message", f"“{message}”")
    yield named_line("is", f"{decision['label']}, score {decision['score']:.2f}: {words or 'no word it knows'}")
    yield ""


def closing_lines(folder: Path) -> Iterator[str]:
    """Where the report is, and the commands to try next."""
    model, test = folder / "mail.model", folder / "test.tsv.gz"
    yield named_line("report", f"{folder / 'report.html'}, to open in a browser")
    yield from command_lines(
        "next",
        [
            f"rosenblatt explain {model} {as_flag('example', 'free money')}",
            f"rosenblatt predict {model} {test} | head",
            "rosenblatt fit YOUR-FILE",
        ],
    )
