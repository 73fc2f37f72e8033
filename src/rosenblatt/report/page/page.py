"""`--report out.html`: one page with everything in it. It asks nothing of the network, today or in ten years."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from rosenblatt.evaluate.intervals import Estimate
from rosenblatt.evaluate.tally import Scores
from rosenblatt.model.linear import LinearModel
from rosenblatt.model.model import Model
from rosenblatt.report.page import charts
from rosenblatt.report.summary import GROUPED, STATUS, Evaluation, Judged, Summary, named_scores, top_weights
from rosenblatt.report.weights import Weight

TOP = 15
FEW_CLASSES = 4  # so many fit half the width of the page
MOST_CLASSES = 30  # a larger table of confusion is no picture


def page(summary: Summary) -> str:
    """The report of a run as one self-contained HTML page."""
    return _document(summary.data, summary.fitted.model, _head(summary), _sections(summary))


def evaluation_page(evaluation: Evaluation) -> str:
    """The report of a model tried on other examples, as far as that page applies."""
    model, judged = evaluation.model, evaluation.judged
    scores = judged.scores
    figures = [
        (f"{scores.error.value:.2%}", f"error on {judged.on}"),
        (f"{scores.examples:,}", "examples"),
        (f"{len(model.classes):,}", "classes"),
    ]
    weights = []
    if isinstance(model, LinearModel):  # others have no weight for each feature
        figures.insert(2, (f"{model.features:,}", "hashed weights" if model.space.bits else "features"))
        weights.append(_learned(top_weights(model, TOP)))
    rule = model.provenance.get("rule")
    head = _headline(judged.on, f"{evaluation.path}" + (f" · {rule}" if rule else ""), figures)
    sections = [*_judged_sections(judged), *weights, _again(evaluation.command)]
    return _document(judged.on, model, head, sections)


def _document(data: str, model: Model, head: str, sections: Iterable[str]) -> str:
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    title = f"{data}: {' or '.join(str(label) for label in model.classes[:6])}"
    body = "".join(sections)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        f"{head}\n"
        f'<div class="grid">{body}</div>\n'
        f"<footer>Made by Rosenblatt{_version(model)}. Intervals in brackets hold the true value with 95% "
        "confidence.</footer>\n</main>\n</body>\n</html>\n"
    )


def _version(model: Model) -> str:
    version = model.provenance.get("version")
    return f" {escape(str(version))}" if version else ""


def _head(summary: Summary) -> str:
    fitted = summary.fitted
    error, measured = summary.error
    words = {"test": f"error on {summary.judged.on}" if summary.judged else "", "holdout": "error on held-out rows"}
    figures = [
        (f"{error:.2%}", words.get(measured, "progressive error: predict, then learn")),
        (f"{fitted.rows:,}", "examples"),
        (f"{fitted.features:,}", "hashed weights" if fitted.model.space.bits else "features"),
        (f"{fitted.passes:,}", "pass" if fitted.passes == 1 else "passes"),
        (f"{fitted.seconds:.2f} s", "to learn"),
    ]
    return _headline(summary.data, f"{fitted.chosen} · {fitted.status}: {STATUS[fitted.status]}", figures)


def _headline(title: str, below: str, figures: Sequence[tuple[str, str]]) -> str:
    listed = "".join(f"<li><b>{escape(value)}</b><span>{escape(name)}</span></li>" for value, name in figures)
    return f'<h1>{escape(title)}</h1><p class="soft">{escape(below)}</p><ul class="figures">{listed}</ul>'


def _sections(summary: Summary) -> Iterator[str]:
    fitted, judged = summary.fitted, summary.judged
    if judged is not None:
        yield from _judged_sections(judged)
    yield _learned(summary.top(TOP))
    if fitted.grouped and fitted.order == "given":
        yield _section("Caution", f"<p>{escape(GROUPED[0].upper() + GROUPED[1:])}.</p>", wide=True)
    if fitted.mistakes:
        yield _section("Mistakes per pass", charts.mistakes_per_pass(fitted.mistakes))
    if len(fitted.candidates) > 1:
        yield _section(
            "Rules tried side by side",
            _candidates(summary),
            "their errors; the best is used, of those that chance cannot tell apart the first",
        )
    if fitted.skipped:
        yield _section(f"{fitted.skipped:,} rows left out", _bad_rows(summary), wide=True)
    yield _again(summary.command)


def _learned(top: Sequence[tuple[str, Sequence[Weight]]]) -> str:
    return _section("What it learned", charts.top_features(top), "the largest weights", wide=True)


def _again(command: str) -> str:
    return _section("To do it again", f"<pre>{escape(command)}</pre>", wide=True)


def _judged_sections(judged: Judged) -> Iterator[str]:
    """The scores, the table of confusion, the curve and the margins; a wide table stands alone."""
    scores, classes = judged.scores, len(judged.scores.classes)
    roc = ""
    if scores.roc_auc is not None:
        roc = _section("ROC", charts.roc(judged.tally), f"area {scores.roc_auc:.4f}")
    yield _section(f"How good it is, on {judged.on}", _scores_table(scores))
    if classes > FEW_CLASSES:
        yield roc
    if classes <= MOST_CLASSES:
        wide = classes > FEW_CLASSES
        yield _section("Decided (across) against true (down)", _confusion(scores, wide), wide=wide)
    if classes > 2:
        yield _section("Class by class", _per_class(scores))
    if classes <= FEW_CLASSES:
        yield roc
    yield _section("How clearly", charts.margins(judged.tally.margins()), "the margin of each example")


def _section(title: str, content: str, note: str = "", *, wide: bool = False) -> str:
    after = f'<p class="note">{escape(note)}</p>' if note else ""
    return f"<section{' class=wide' if wide else ''}><h2>{escape(title)}</h2>{content}{after}</section>\n"


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]], chosen: int | None = None) -> str:
    top = "".join(f"<th>{escape(str(cell))}</th>" for cell in head)
    body = "".join(
        f"<tr{' class=chosen' if number == chosen else ''}>"
        + "".join(f"<td>{escape(str(cell))}</td>" for cell in row)
        + "</tr>"
        for number, row in enumerate(rows)
    )
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def _scores_table(scores: Scores) -> str:
    named = named_scores(scores)
    rows = [(name, *_parts(value, spec)) for name, value, spec in named if value is not None]
    return _table(["", "value", "95% interval"], rows) + f'<p class="note">{scores.examples:,} examples</p>'


def _parts(value: Estimate, spec: str) -> tuple[str, str]:
    return f"{value.value:{spec}}", f"{value.low:{spec}} to {value.high:{spec}}"


def _confusion(scores: Scores, many: bool) -> str:
    head = "".join(f"<th><span>{escape(str(label))}</span></th>" for label in scores.classes)
    rows = []
    for i, label in enumerate(scores.classes):
        whole = max(float(scores.confusion[i].sum()), 1e-300)
        cells = "".join(
            f'<td class="cell{"" if i == j else " miss"}" style="--w:{cell / whole:.3f}">{cell:,.10g}</td>'
            for j, cell in enumerate(scores.confusion[i].tolist())
        )
        rows.append(f"<tr><th>{escape(str(label))}</th>{cells}</tr>")
    kind = "confusion many" if many else "confusion"
    counted = (
        f'<div class="scroll"><table class="{kind}"><thead><tr><th></th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
    return counted if len(scores.classes) > 2 else counted + _per_class(scores)


def _per_class(scores: Scores) -> str:
    rows = [
        (one.label, f"{one.support:,.10g}", *(f"{value.value:.2%}" for value in (one.precision, one.recall, one.f1)))
        for one in scores.per_class
    ]
    return _table(["class", "examples", "precision", "recall", "F1"], rows)


def _candidates(summary: Summary) -> str:
    fitted = summary.fitted
    held = any(one.holdout_error is not None for one in fitted.candidates)
    rows = [
        [
            one.rule + (f", given up after {one.given_up:,} (the best: {one.best_then:.2%})" if one.given_up else ""),
            f"{one.progressive_error:.2%}",
            *([_percent(one.holdout_error)] if held else []),
        ]
        for one in fitted.candidates
    ]
    chosen = next((k for k, one in enumerate(fitted.candidates) if one.rule == fitted.chosen), None)
    return _table(["rule", "progressive", *(["held out"] if held else [])], rows, chosen)


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.2%}"


def _bad_rows(summary: Summary) -> str:
    rows = "".join(f"<li>{escape(bad.sentence)}</li>" for bad in summary.fitted.bad_rows)
    return f'<ul class="note">{rows}</ul>'
