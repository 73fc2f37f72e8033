"""The output of `fit`, and the commands to try next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from sys import float_info
from typing import TYPE_CHECKING

from rosenblatt.errors import plural
from rosenblatt.learn.files.rule_choice.portfolio import MINIMUM, NUMBER_MINIMUM
from rosenblatt.model.fit.fitted import Fitted
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.multi_label import MultiLabelModel
from rosenblatt.model.probabilities.choose_threshold import Threshold
from rosenblatt.model.several_labels import LabelCounts
from rosenblatt.options import READ
from rosenblatt.options.command_line import as_flag
from rosenblatt.options.values.threshold_criterion import criterion_of
from rosenblatt.report.column_decisions import columns_sentence, named_columns
from rosenblatt.report.summary import (
    NAMELESS_INDEX,
    SORTED_BY_LABEL,
    FitSummary,
    NumberEvaluation,
    before_the_threshold,
    errors_of,
    examples_words,
    status_words,
)
from rosenblatt.report.text.candidates import candidate_rows
from rosenblatt.report.text.evaluation.evaluation import evaluation_lines
from rosenblatt.report.text.explanation import describe_features, weight_lines
from rosenblatt.report.text.layout import NO_BREAK, bold, clip, command_lines, dim, named_line
from rosenblatt.report.text.numbers.fit import (
    classes_line,
    measured_candidates,
    number_candidate_lines,
    number_error_lines,
    number_weight_lines,
    task_line,
)

if TYPE_CHECKING:
    from rosenblatt.evaluate.confidence_intervals import Estimate
    from rosenblatt.learn.files.rule_choice.choose_rule_and_passes import Choice
    from rosenblatt.model.fit.other_readings import OtherReading

_PASSES_SHOWN = 8
_LABELS_SHOWN = 20  # whose features are listed, if examples may have several labels
_MOST_INPUTS = 4  # files that a command to try next repeats
_FEWEST_ROWS_TO_HOLD_OUT = 30


def fit_lines(summary: FitSummary, top: int) -> Iterator[str]:
    """The run, its errors, the rules tried, the scores on other data, and the `top` features of each class."""
    fitted, evaluation = summary.fitted, summary.evaluation
    examples = f"{plural(fitted.rows, 'example')}, {describe_features(fitted.model)}"
    yield f"{bold(summary.data)}  {examples}{_label_column(fitted.model)}"
    yield ""
    yield from _run_lines(summary)
    if fitted.number is not None and len(measured_candidates(fitted)) > 1:
        yield ""
        yield from number_candidate_lines(summary)
    elif fitted.number is None and len(fitted.candidates) > 1:
        yield ""
        yield from candidate_lines(summary)
    if evaluation is not None:
        yield ""
        examples = examples_words(evaluation.scores.examples, of_learned_data=not summary.is_tested)
        yield f"{bold(evaluation.data)}  {examples}"
        yield ""
        yield from evaluation_lines(evaluation)
    yield ""
    if fitted.number is not None:
        yield from number_weight_lines(summary, top)
        return
    labels = summary.top(top)
    yield from weight_lines(labels[:_LABELS_SHOWN] if fitted.label_counts is not None else labels)
    if fitted.label_counts is not None and len(labels) > _LABELS_SHOWN:
        yield dim(f"  ... and {len(labels) - _LABELS_SHOWN:,} more labels: rosenblatt explain has all")


def _run_lines(summary: FitSummary) -> Iterator[str]:
    fitted = summary.fitted
    if fitted.number is not None:
        yield task_line(fitted.number)
        yield from number_error_lines(summary)
    else:
        for name, error in zip(["error", "", ""], _errors(summary), strict=False):
            yield named_line(name, error)
        baseline, answer = summary.baseline
        guess = f"{clip(answer)}, the commonest class" if fitted.label_counts is None else answer
        yield named_line("baseline", f"{baseline:>6.2%} by always guessing {guess}")
        if line := classes_line(fitted):
            yield line
    if fitted.label_counts is not None:
        yield named_line("labels", _labels(fitted.label_counts, len(fitted.model.classes)))
    if fitted.small is not None:
        yield named_line("size", fitted.small.sentence)
    yield from _weight_and_threshold_lines(fitted)
    if columns := columns_sentence(fitted.model.space):
        yield named_line("columns", columns)
    for name, reading in zip(["read", "", ""], _better_readings(fitted.other_readings), strict=False):
        yield named_line(name, reading)
    time = f"{fitted.seconds:.2f} s" if fitted.seconds < 100 else f"{fitted.seconds / 60:.1f} min"
    passes = f"{plural(fitted.passes, 'pass')} over the data"
    if fitted.chosen == MINIMUM:
        passes = "all examples at once"
    yield named_line("learned", f"{fitted.chosen}, {passes}, {time}{_why_so_many(fitted)}")
    if half_life := fitted.model.settings.forget:
        yield named_line("forgets", f"what it learned from an example counts half after {half_life:,g} more")
    if fitted.number is None:
        yield named_line("mistakes", _mistakes(fitted.mistakes, fitted.model))
    if fitted.number is None and (
        fitted.choice is None or fitted.status != "budget"
    ):  # otherwise the line above says why it ended
        yield named_line("status", f"{fitted.status}: {status_words(fitted.status, fitted.model.settings)}")
    if fitted.order != "given" and fitted.chosen != NUMBER_MINIMUM and (fitted.grouped or fitted.choice is None):
        yield named_line("order", "shuffled" + (", because the file is sorted by label" if fitted.grouped else ""))
    if fitted.cache is not None:
        why = f", because {fitted.cache.why}" if fitted.cache.why else ""
        yield named_line("cache", f"{fitted.cache.path}: {fitted.cache.state}{why}")
    if fitted.grouped and fitted.order == "given" and fitted.number is None:
        yield named_line("caution", SORTED_BY_LABEL)
    if _has_nameless_index(fitted.model):
        yield named_line("caution", NAMELESS_INDEX)
    if fitted.skipped:
        yield named_line("left out", f"{plural(fitted.skipped, 'bad row')}, first: {fitted.bad_rows[0].sentence}")
        if len(fitted.skipped_by_file) > 1:
            yield named_line("", ", ".join(f"{count:,} of {file}" for file, count in fitted.skipped_by_file.items()))


def _better_readings(readings: Sequence[OtherReading]) -> Iterator[str]:
    """How else examples were read than usual, and why."""
    for reading in readings:
        if not reading.is_better:
            continue
        losses = f"log loss {reading.loss:.3f} without, {reading.default_loss:.3f} with"
        if reading.kind == "single words":
            yield f"single words only: pairs of neighbours did not help ({losses})"
        else:
            columns = named_columns(reading.columns, "as it is", "as they are")
            yield f"{columns}: logarithms did not help ({losses})"


def _weight_and_threshold_lines(fitted: Fitted) -> Iterator[str]:
    model, weight = fitted.model, fitted.class_weight
    if weight == "balanced":
        yield named_line("weights", "each class counts the same in total, by the examples of each so far")
    elif weight is not None and not isinstance(weight, str):
        named = ", ".join(f"{clip(str(label))} counts {number:g}" for label, number in weight.items())
        yield named_line("weights", f"an example of class {named}")
    if isinstance(model, MultiLabelModel) and model.thresholds and not model.thresholds[0].is_even:
        chosen = f"for each label, by {model.thresholds[0].criterion}"
        yield named_line(
            "threshold", f"chosen {chosen}, on {plural(model.thresholds[0].examples, 'example')} not yet learned"
        )
    threshold = model.threshold
    if threshold is not None and not threshold.is_even:
        positive, above = clip(str(model.classes[1])), f"above the probability {threshold.probability:.3g}"
        if abs(threshold.score) == float_info.max:
            above = "never" if threshold.score > 0 else "always"
        criterion = criterion_of(threshold.criterion)
        is_number = criterion is not None and criterion.kind == "probability"
        how = "as you said" if is_number else f"chosen by {threshold.criterion}"
        yield named_line("threshold", f"{positive} is decided {above}, {how}")
        yield named_line("", _expected(threshold, positive))


def _expected(threshold: Threshold, positive: str) -> str:
    """What a threshold did on the examples that it was chosen on."""
    hits, above, positives = threshold.hits, threshold.above, threshold.positives
    recall = f"it finds {hits:,} of {positives:,} {positive} ({threshold.recall:.1%})"
    precision = f"and of {above:,} that it calls {positive}, {hits:,} are ({threshold.precision:.1%})"
    return f"on {plural(threshold.examples, 'example')} not yet learned {recall}, {precision}"


def _labels(counts: LabelCounts, n_labels: int) -> str:
    """How many labels there are, and how many each example has."""
    some = f"{plural(counts.without, 'example')} {'has' if counts.without == 1 else 'have'} none, "
    several = f"{counts.several:,} {'has' if counts.several == 1 else 'have'} several"
    labels = f"{counts.per_example:.2f} an example; {some if counts.without else ''}{several}"
    return f"{plural(n_labels, 'label')}, {labels}"


def _label_column(model: LinearModel) -> str:
    """The column that was learned as the label; it may have been chosen automatically."""
    label = model.space.settings.get("label") if model.space.kind == "columns" else None
    several = ",".join(model.space.settings.get("label_columns") or ())
    if several:
        return f"; the labels are {clip(several)}"
    return f"; the label is {clip(str(label))}" if label else ""


def _has_nameless_index(model: LinearModel) -> bool:
    """Whether the first column of a table holds numbers and has no name although the others have."""
    settings = model.space.settings
    return model.space.kind == "columns" and settings.get("header") is True and "column0" in settings.get("numbers", ())


def _mistakes(per_pass: Sequence[int], model: LinearModel) -> str:
    """The mistakes in total and in each pass; of many passes the first ones and the last."""
    all_passes = f"{sum(per_pass):,} while learning{_also_mistakes(model)}"
    counts = [f"{count:,}" for count in per_pass]
    if len(counts) > _PASSES_SHOWN:
        counts = [*counts[: _PASSES_SHOWN - 2], "...", counts[-1]]
    return all_passes if len(per_pass) == 1 else f"{all_passes}; by pass {', '.join(counts)}"


def _also_mistakes(model: LinearModel) -> str:
    """What the rule counts as a mistake in addition to errors, so that the two are not confused."""
    kinds = [
        "right but too close counts too" if model.settings.required > 0 else "",
        f"of all {len(model.classes)} units" if model.scheme in ("ovr", "multi-label") else "",
    ]
    text = ", ".join(filter(None, kinds))
    return f" ({text})" if text else ""


def _errors(summary: FitSummary) -> list[str]:
    """The error on other data, on held-out rows and the progressive error, as far as they are known."""
    fitted, evaluation = summary.fitted, summary.evaluation
    of = "" if fitted.label_counts is None else "of all decisions about a label, "
    errors = [f"{fitted.progressive_error:>6.2%} {of}progressive: each example predicted before it was learned"]
    if fitted.new_error is not None:
        errors = [f"{fitted.new_error:>6.2%} {of}progressive: each new example predicted before it was learned"]
    if fitted.choice is not None and fitted.fold_error is not None:
        errors = [_fold_error(fitted.choice, fitted.fold_error, of)]
    if fitted.holdout_error is not None:
        from rosenblatt.evaluate.confidence_intervals import wilson

        error = wilson(fitted.holdout_error, fitted.holdout_rows)
        rows = f"{plural(fitted.holdout_rows, 'example')} held out, which it did not learn"
        errors.insert(0, f"{error.value:>6.2%} on {rows}{_interval(error)}")
    if evaluation is not None and summary.is_tested and not isinstance(evaluation, NumberEvaluation):
        error = evaluation.scores.error
        errors.insert(0, f"{error.value:>6.2%} on {evaluation.data}{_interval(error)}")
    return errors


def _why_so_many(fitted: Fitted) -> str:
    """Why few examples were learned in this many passes."""
    choice = fitted.choice
    if choice is not None and choice.rule == NUMBER_MINIMUM:
        return "; ridge regression, with the penalty that errs least"
    if choice is None or fitted.passes < choice.passes:
        return ""
    return "; more were not tried" if choice.passes == choice.most_passes else "; more did not lower the error"


def _fold_error(choice: Choice, value: float, of: str) -> str:
    from rosenblatt.evaluate.confidence_intervals import wilson

    error = wilson(value, choice.rows)
    rows = "examples" if choice.folds > 1 else plural(choice.rows, "example")
    in_turn = f" (one part in {choice.folds} set aside in turn)" if choice.folds > 1 else ""
    return f"{error.value:>6.2%} {of}on {rows} that it had not learned{in_turn}{_interval(error)}"


def _interval(estimate: Estimate) -> str:
    return f"; 95%{NO_BREAK}interval {estimate.low:.2%} to {estimate.high:.2%}"


def candidate_lines(summary: FitSummary) -> Iterator[str]:
    """Every rule that was tried, the chosen one marked."""
    fitted, candidates = summary.fitted, summary.fitted.candidates
    yield from candidate_rows(fitted, candidates, ".2%", 12)
    finished = [candidate for candidate in candidates if fitted.choice or not candidate.given_up]
    measured = {candidate.rule: errors_of(candidate, fitted)[-1][1] for candidate in finished}
    least = min(error for error in measured.values() if error is not None)
    if sentence := before_the_threshold(fitted):
        yield dim(f"    {sentence}")
    if errors_of(candidates[0], fitted)[-1][0] != "held out" and (measured[fitted.chosen] or 0.0) > least:
        yield dim("    rules with nearly the least error differ by chance: of these the first is used,")
        yield dim("    or the one with the best probabilities")


def next_steps(summary: FitSummary) -> Iterator[str]:
    """The commands to try next, at most three, with the options that were given."""
    steps = []
    data = _data(summary)
    model = shlex.quote(summary.model_path or "MODEL")
    fitted, continues = summary.fitted, "from_" in summary.options
    # Repeating a command with --from would learn the same examples twice.
    is_file, unscaled = summary.data != "-" and not continues, _is_unscaled(summary) and not continues
    if unscaled:
        steps.append(_fit_again(summary, "scale"))
    untested = summary.evaluation is None and fitted.holdout_error is None and fitted.choice is None
    if untested and fitted.rows >= _FEWEST_ROWS_TO_HOLD_OUT and is_file:
        steps.append(_fit_again(summary, "holdout", 0.1))
    once = fitted.passes == 1 and "passes" not in summary.options
    if fitted.status == "budget" and once and is_file and not unscaled and fitted.choice is None:
        steps.append(_fit_again(summary, "passes", 5))
    two_classes = fitted.model.scheme == "binary"
    if fitted.status == "budget" and fitted.passes > 1 and fitted.mistakes[-1] and is_file and two_classes:
        reading = [words for name, words in summary.options.items() if name in READ]
        steps.append(" ".join(["rosenblatt certify", data, *reading]))
    if summary.model_path is not None and continues:
        steps.append(f"rosenblatt fit NEW-DATA --from {model} -o {model}")
    if summary.model_path is not None:
        steps += [f"rosenblatt explain {model}", f"rosenblatt predict {model} NEW-DATA"]
    return command_lines("next", steps[:3])


def _fit_again(summary: FitSummary, name: str, value: object = None) -> str:
    """The same fit with one more option, or with another value of it."""
    others = [words for other, words in summary.options.items() if other not in (name, "resume")]
    return " ".join(["rosenblatt fit", _data(summary), *others, as_flag(name, value)])


def _data(summary: FitSummary) -> str:
    """The inputs, quoted for a command line."""
    inputs = summary.inputs or (summary.data,)
    return shlex.join(inputs) if len(inputs) <= _MOST_INPUTS else f"{shlex.quote(inputs[0])} ..."


def _is_unscaled(summary: FitSummary) -> bool:
    """Whether numbers of a table were learned unscaled: scaling helps more than passes."""
    space = summary.fitted.model.space
    if summary.data == "-" or space is None or space.kind != "columns" or space.scale is not None:
        return False
    return any("=" not in column for column in space.columns)
