"""The report of `fit` and of `evaluate` as one HTML page that needs nothing from the network."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from rosenblatt.evaluate.confusion import ClassScores
from rosenblatt.evaluate.scores import Scores
from rosenblatt.evaluate.threshold_table import PROBABILITIES, threshold_table
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.model.model import Model
from rosenblatt.model.probabilities.choose_threshold import probability_at, score_at
from rosenblatt.report.page import charts
from rosenblatt.report.page.number_sections import number_figures, number_fit_figures, number_sections
from rosenblatt.report.page.sections import scores_table, section, table
from rosenblatt.report.summary import (
    SORTED_BY_LABEL,
    Evaluation,
    EvaluationSummary,
    FitSummary,
    LabelEvaluation,
    NumberEvaluation,
    before_the_threshold,
    constant_answer,
    errors_of,
    number_spec,
    status_words,
    top_weights,
)
from rosenblatt.report.text.numbers.fit import measured_candidates
from rosenblatt.report.weights import Weight

FEATURES_SHOWN = 15
_HOW_CHOSEN = (
    "their errors; the best is used; of those that may differ by chance, the first, or that with the best probabilities"
)
_LONG_ANSWER = 40  # characters
FEW_CLASSES = 4  # whose confusion matrix fits half the width of the page
MAX_CLASSES = 30  # whose confusion matrix can still be read


def fit_page(summary: FitSummary) -> str:
    """The report of `fit`: scores, features, mistakes, rules tried, and the command to repeat it."""
    sections = [*_warnings_section(summary.warnings), *_fit_sections(summary)]
    return _document(summary.data, summary.fitted.model, _fit_headline(summary), sections)


def evaluation_page(summary: EvaluationSummary) -> str:
    """The report of `evaluate`: the same page without what is known only while learning."""
    model, evaluation = summary.model, summary.evaluation
    if isinstance(evaluation, NumberEvaluation):
        figures = number_figures(evaluation)
    else:
        scores = evaluation.scores
        figures = [
            (f"{scores.error.value:.2%}", f"error on {evaluation.data}"),
            (f"{scores.baseline_error:.2%}", _guessed(constant_answer(scores))),
            (f"{scores.examples:,}", "examples"),
            (f"{len(model.classes):,}", "labels" if isinstance(evaluation, LabelEvaluation) else "classes"),
        ]
    weights = []
    if isinstance(model, LinearModel):  # others have no weight for each feature
        figures.insert(3, (f"{model.features:,}", "hashed weights" if model.space.bits else "features"))
        weights.append(_features_section(top_weights(model, FEATURES_SHOWN), model))
    rule = model.provenance.get("rule")
    head = _headline(evaluation.data, summary.model_path + (f" · {rule}" if rule else ""), figures)
    sections = [
        *_warnings_section(summary.warnings),
        *_evaluation_sections(evaluation, model, of_learned_data=summary.is_of_learned_data),
        *weights,
        _command_section(summary.command),
    ]
    return _document(evaluation.data, model, head, sections)


def _document(data: str, model: Model, head: str, sections: Iterable[str]) -> str:
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    predicts = " or ".join(str(label) for label in model.classes[:6])
    title = f"{data}: {model.target.name if isinstance(model, NumberModel) else predicts}"
    version = model.provenance.get("version")
    program = f"Rosenblatt {escape(str(version))}" if version else "Rosenblatt"
    body = "".join(sections)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        f"{head}\n"
        f'<div class="grid">{body}</div>\n'
        f"<footer>Made by {program}. Intervals in brackets hold the true value with 95% "
        "confidence.</footer>\n</main>\n</body>\n</html>\n"
    )


def _guessed(answer: str) -> str:
    return f"if {answer} were always guessed" if len(answer) <= _LONG_ANSWER else f"by always guessing {answer}"


def _fit_headline(summary: FitSummary) -> str:
    fitted, evaluation = summary.fitted, summary.evaluation
    if fitted.number is not None:
        figures = number_fit_figures(summary)
        return _headline(summary.data, f"{fitted.chosen} · predicts {fitted.number.target or 'a number'}", figures)
    error, error_of = summary.error
    names = {
        "test": f"error on {evaluation.data}" if evaluation else "",
        "holdout": "error on held-out rows",
        "folds": f"error by {fitted.choice.how}" if fitted.choice else "",
        "progressive": "progressive error: predict, then learn",
    }
    figures = [
        (f"{error:.2%}", names[error_of]),
        (f"{summary.baseline[0]:.2%}", _guessed(summary.baseline[1])),
        (f"{fitted.rows:,}", "examples"),
        (f"{fitted.features:,}", "hashed weights" if fitted.model.space.bits else "features"),
        (f"{fitted.passes:,}", "pass" if fitted.passes == 1 else "passes"),
        (f"{fitted.seconds:.2f} s", "to learn"),
    ]
    status = f"{fitted.status}: {status_words(fitted.status, fitted.model.settings)}"
    if fitted.choice is not None and fitted.status == "budget":  # folds chose the passes, and all of them are done
        status = "the best of the rules tried"
    return _headline(summary.data, f"{fitted.chosen} · {status}", figures)


def _headline(title: str, subtitle: str, figures: Sequence[tuple[str, str]]) -> str:
    items = "".join(f"<li><b>{escape(value)}</b><span>{escape(name)}</span></li>" for value, name in figures)
    return f'<h1>{escape(title)}</h1><p class="soft">{escape(subtitle)}</p><ul class="figures">{items}</ul>'


def _fit_sections(summary: FitSummary) -> Iterator[str]:
    fitted, evaluation = summary.fitted, summary.evaluation
    if evaluation is not None:
        yield from _evaluation_sections(evaluation, fitted.model, of_learned_data=not summary.is_tested)
    yield _features_section(summary.top(FEATURES_SHOWN), fitted.model)
    if fitted.grouped and fitted.order == "given" and fitted.number is None:
        caution = f"{SORTED_BY_LABEL[0].upper()}{SORTED_BY_LABEL[1:]}."
        yield section("Caution", f"<p>{escape(caution)}</p>", wide=True)
    if len(fitted.mistakes) > 1 and fitted.number is None:
        yield section("Mistakes per pass", charts.mistakes_per_pass(fitted.mistakes))
    if len(measured_candidates(fitted) if fitted.number is not None else fitted.candidates) > 1:
        yield section(
            "Rules tried side by side",
            _candidates(summary),
            "; ".join(filter(None, [_HOW_CHOSEN, before_the_threshold(fitted)]))
            if fitted.number is None
            else f"their {fitted.number.measure}; the best is used",
        )
    if fitted.skipped:
        items = "".join(f"<li>{escape(row.sentence)}</li>" for row in fitted.bad_rows)
        yield section(f"{fitted.skipped:,} rows left out", f'<ul class="note">{items}</ul>', wide=True)
    yield _command_section(summary.command)


def _warnings_section(warnings: Sequence[str]) -> Iterator[str]:
    if warnings:
        items = "".join(f"<li>{escape(sentence)}</li>" for sentence in warnings)
        yield section("Warnings", f'<ul class="warnings">{items}</ul>', wide=True)


def _features_section(top: Sequence[tuple[str, Sequence[Weight]]], model: Model) -> str:
    if isinstance(model, NumberModel):
        note = "in the unit of the target; of a column of numbers, for each standard deviation"
        return section("What it learned", charts.feature_lists(top, ""), note, wide=True)
    return section("What it learned", charts.feature_lists(top), "the largest weights", wide=True)


def _command_section(command: str) -> str:
    return section("To repeat it", f"<pre>{escape(command)}</pre>", wide=True)


def _probability_sections(evaluation: Evaluation) -> Iterator[str]:
    """The precision-recall curve and the reliability curve."""
    scores = evaluation.scores
    if scores.average_precision is not None:
        note = f"average precision {scores.average_precision:.4f}"
        yield section("Found and right", charts.precision_recall(evaluation.tally), note)
    if scores.reliability:
        outcome = f"it was {scores.classes[1]}" if len(scores.classes) == 2 else "the class was right"
        note = f"calibration error {scores.calibration_error:.4f}; on the diagonal, probabilities mean what they say"
        yield section("Reliability of the probabilities", charts.reliability(scores.reliability, outcome), note)


def _thresholds(evaluation: Evaluation, model: Model) -> str:
    """A table of other thresholds. Scores are ranked by their difference from the boundary of the model."""
    positive, (by_rank,) = str(model.classes[1]), evaluation.tally.ranking()
    assert model.probability_map is not None
    own = probability_at(model.probability_map, model.decides_above), model.decides_above - model.boundary
    cuts = [(chance, score_at(model.probability_map, chance) - model.boundary) for chance in PROBABILITIES]
    cuts = sorted([*(cut for cut in cuts if cut[0] != own[0]), own])
    outcomes = threshold_table(by_rank, [score for _, score in cuts])
    rows = [
        (
            f"{chance:.3g}",
            f"{row.decided:.2%}",
            f"{row.recall:.1%}",
            "" if row.precision is None else f"{row.precision:.1%}",
            f"{row.f1:.1%}",
        )
        for (chance, _), row in zip(cuts, outcomes, strict=True)
    ]
    head = ["above", f"called {positive}", f"of all {positive}, found", "of these, right", "F1"]
    note = f"what deciding for {positive} above another probability would do; the model decides as in the marked row"
    return table(head, rows, cuts.index(own)) + f'<p class="note">{escape(note)}</p>'


def _evaluation_sections(
    evaluation: Evaluation | LabelEvaluation | NumberEvaluation, model: Model, *, of_learned_data: bool
) -> Iterator[str]:
    """The scores, the confusion matrix, the curves and the margins; a wide matrix gets the full width."""
    if isinstance(evaluation, NumberEvaluation):
        yield from number_sections(evaluation, of_learned_data=of_learned_data)
        return
    if isinstance(evaluation, LabelEvaluation):
        yield section(
            f"How good it is, on {evaluation.data}", scores_table(evaluation.scores, of_learned_data=of_learned_data)
        )
        yield section("Label by label", _per_class(evaluation.scores.per_class, "label"))
        return
    scores, classes = evaluation.scores, len(evaluation.scores.classes)
    roc = ""
    if scores.roc_auc is not None:
        by_class = "; a curve for each class, which the pointer names" if classes > 2 else ""
        roc = section("ROC", charts.roc(evaluation.tally), f"area {scores.roc_auc:.4f}{by_class}")
    yield section(f"How good it is, on {evaluation.data}", scores_table(scores, of_learned_data=of_learned_data))
    if classes > FEW_CLASSES:
        yield roc
    if classes <= MAX_CLASSES:
        wide = classes > FEW_CLASSES
        yield section("Decided (across) against true (down)", _confusion(scores, wide), wide=wide)
    if classes > 2:
        yield section("Class by class", _per_class(scores.per_class))
    if classes <= FEW_CLASSES:
        yield roc
    yield from _probability_sections(evaluation)
    if model.has_boundary:
        yield section("How clearly", charts.margins(evaluation.tally.margins()), "the margin of each example")
    if classes == 2 and model.probability_map is not None and scores.average_precision is not None:
        yield section("Other thresholds", _thresholds(evaluation, model), wide=True)


def _confusion(scores: Scores, many: bool) -> str:
    head = "".join(f"<th><span>{escape(str(label))}</span></th>" for label in scores.classes)
    rows = []
    for i, label in enumerate(scores.classes):
        total = max(float(scores.confusion[i].sum()), 1e-300)
        cells = "".join(
            f'<td class="cell{"" if i == j else " miss"}" style="--w:{cell / total:.3f}">{cell:,.10g}</td>'
            for j, cell in enumerate(scores.confusion[i].tolist())
        )
        rows.append(f"<tr><th>{escape(str(label))}</th>{cells}</tr>")
    kind = "confusion many" if many else "confusion"
    matrix = (
        f'<div class="scroll"><table class="{kind}"><thead><tr><th></th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
    return matrix if len(scores.classes) > 2 else matrix + _per_class(scores.per_class)


def _per_class(per_class: Sequence[ClassScores], noun: str = "class") -> str:
    rows = [
        (row.label, f"{row.support:,.10g}", *(f"{score.value:.2%}" for score in (row.precision, row.recall, row.f1)))
        for row in per_class
    ]
    return table([noun, "examples", "precision", "recall", "F1"], rows)


def _candidates(summary: FitSummary) -> str:
    number = summary.fitted.number
    candidates = summary.fitted.candidates if number is None else measured_candidates(summary.fitted)
    spec = ".2%" if number is None else number_spec(number.baseline)
    rows = []
    for candidate in candidates:
        rule = candidate.rule
        if candidate.given_up:
            rule += f", given up after {candidate.given_up:,} (the best: {candidate.best_then:{spec}})"
        errors = [error for _, error in errors_of(candidate, summary.fitted)]
        rows.append([rule, *("" if error is None else f"{error:{spec}}" for error in errors)])
    chosen = next((k for k, candidate in enumerate(candidates) if candidate.rule == summary.fitted.chosen), None)
    names = [name for name, _ in errors_of(candidates[0], summary.fitted)]
    return table(["rule", *names], rows, chosen)
