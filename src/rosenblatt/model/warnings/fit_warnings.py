"""What a user must know before using a model: no worthless answer in silence (clause 10 of the learning contract)."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from rosenblatt.errors import option, spelled
from rosenblatt.learn.files.labels.labels_to_classes import quoted
from rosenblatt.learn.files.leak_sample import LeakSample
from rosenblatt.learn.files.passes import Fitting
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.probabilities.normal_quantile import Z
from rosenblatt.model.warnings.label_leaks import leaking_columns, leaking_features
from rosenblatt.records import HonestScores, Label

FEWEST_EXAMPLES = 10  # of a class
_RANKS = 0.6  # with a larger area under the ROC curve, a threshold is worthwhile
_MOST_WEIGHTS = 1 << 20  # that are searched for the heaviest columns
_SHOWN = 3  # labels that a sentence names


class Caution(NamedTuple):
    """A warning: what it is about, for programs, and one sentence for people."""

    kind: Literal[
        "no better",
        "one class",
        "few examples",
        "labels alike",
        "unknown labels",
        "threshold",
        "leak",
        "cells",
        "checkpoint",
        "going on",
        "labels",
        "coverage",
    ]
    sentence: str  # names parameters with errors.option

    def __str__(self) -> str:
        return spelled(self.sentence)


class Judged(NamedTuple):
    """The decisions of a model on examples that it had not learned: `table[i][j]` of class i were decided to be j."""

    classes: Sequence[Label]
    table: Sequence[Sequence[float]]

    @property
    def counts(self) -> list[float]:
        return [sum(row) for row in self.table]

    @property
    def error(self) -> float:
        right = sum(row[k] for k, row in enumerate(self.table))
        return 1 - right / max(sum(self.counts), 1)

    @property
    def decided(self) -> list[Label]:
        """The classes that were decided at least once."""
        return [label for k, label in enumerate(self.classes) if any(row[k] for row in self.table)]

    @property
    def commonest(self) -> int:
        counts = self.counts
        return counts.index(max(counts))


def baseline_error(counts: Sequence[float]) -> float:
    """The error of always guessing the commonest class.

    >>> baseline_error([30, 10])
    0.25
    """
    return 1 - max(counts) / sum(counts) if sum(counts) > 0 else 0.0


def clearly_less(error: float, baseline: float, examples: float) -> bool:
    """Whether the 95% interval of an error is below the baseline (Wilson 1927, solved for the baseline).

    >>> clearly_less(0.1, 0.2, 100), clearly_less(0.1, 0.2, 50)
    (True, False)
    """
    return baseline - error > Z * math.sqrt(baseline * (1 - baseline) / max(examples, 1))


def clearly_better(judged: Judged) -> bool:
    """Whether a model is clearly more often right on the same examples than always guessing the commonest class.

    The two differ only on examples for which the model decides another class. If both are equally often right on
    these, the variance of the difference is the number of examples on which one of them is right (McNemar 1947).
    """
    guess = judged.commonest
    gained = sum(row[k] for k, row in enumerate(judged.table) if k != guess)
    lost = judged.counts[guess] - judged.table[guess][guess]
    return gained - lost > Z * math.sqrt(gained + lost)


def worthless(judged: Judged, *, clearly_less_errors: bool = False, advice: str = "") -> list[Caution]:
    """A warning if a model decides one class only, or is no better than always guessing the commonest class."""
    classes, counts = judged.classes, judged.counts
    decided = judged.decided
    guess = quoted(classes[judged.commonest])
    if len(decided) == 1 and sum(count > 0 for count in counts) > 1:
        return [one_class(quoted(decided[0]), guess, advice)]
    if clearly_less_errors or clearly_better(judged):
        return []
    examples = sum(counts)
    return [no_better(guess, judged.error, baseline_error(counts), examples, advice)]


def one_class(decided: str, guess: str, advice: str = "") -> Caution:
    comparison = "no better than a guess" if decided == guess else f"worse than always guessing {guess}"
    return Caution("one class", f"The model decides {decided} for every example, which is {comparison}{advice}.")


def no_better(guess: str, error: float, baseline: float, examples: float, advice: str = "") -> Caution:
    few = f", as far as {examples:,.0f} examples can tell" if error < baseline else ""
    return Caution(
        "no better",
        f"The model is no better than always guessing {guess}{few}: it errs on {error:.2%} of the examples, "
        f"guessing on {baseline:.2%}{advice}.",
    )


def few_examples(classes: Sequence[Label], counts: Sequence[float], noun: str = "class") -> list[Caution]:
    """A warning if classes have too few examples to be learned or judged.

    >>> print(*few_examples(("ham", "spam"), [400, 1]))
    The class 'spam' has 1 example: with fewer than ten, chance decides what is learned and measured of it.
    """
    few = [(label, int(count)) for label, count in zip(classes, counts, strict=True) if count < FEWEST_EXAMPLES]
    if not few:
        return []
    if len(few) == 1:
        label, count = few[0]
        subject = f"The {noun} {quoted(label)} has {count or 'no'} example{'' if count == 1 else 's'}: with fewer"
        return [Caution("few examples", f"{subject} than ten, chance decides what is learned and measured of it.")]
    named = ", ".join(f"{quoted(label)} has {count}" for label, count in few[:_SHOWN])
    more = ", …" if len(few) > _SHOWN else ""
    return [
        Caution(
            "few examples",
            f"{len(few):,} {noun}{'es' if noun.endswith('s') else 's'} have fewer than ten examples ({named}{more}): "
            "chance decides what is learned and measured of them.",
        )
    ]


def labels_alike(classes: Sequence[Label]) -> list[Caution]:
    """A warning if labels differ in upper and lower case only, since each is a class of its own.

    >>> print(*labels_alike(("No", "no", "yes")))
    The labels 'No' and 'no' differ in upper and lower case only, and are different classes: if they mean the same, \
write them alike.
    >>> labels_alike(("no", "yes")) or labels_alike((0, 1))
    []
    """
    spellings: dict[str, list[Label]] = {}
    for label in classes:
        spellings.setdefault(str(label).casefold(), []).append(label)
    labels_of_one_word = next((labels for labels in spellings.values() if len(labels) > 1), None)
    if labels_of_one_word is None:
        return []
    named = " and ".join(map(quoted, labels_of_one_word[:_SHOWN]))
    return [
        Caution(
            "labels alike",
            f"The labels {named} differ in upper and lower case only, and are different classes: if they mean the "
            "same, write them alike.",
        )
    ]


def warnings_of_fit(fitting: Fitting, model: LinearModel) -> Iterator[Caution]:
    """The warnings about a fit, such as that it is no better than a guess, or that classes are too small."""
    classes, counts, chosen = fitting.classes, fitting.class_counts, fitting.chosen
    guess, baseline = quoted(classes[counts.index(max(counts))]), baseline_error(counts)
    new_error = fitting.candidates.new_error(chosen)
    error, rows = fitting.candidates.progressive[chosen] if new_error is None else new_error, fitting.examples.learned
    held_out = fitting.holdout.error(chosen)
    if held_out is not None:
        error, rows = held_out, fitting.holdout.rows
    elif fitting.choice is not None:
        error, rows = fitting.choice.error, fitting.choice.rows
    if fitting.honest_scores is not None and model.threshold is not None:
        error = judged_by(fitting.honest_scores, model).error
    # With class weights or a threshold, the user may accept more errors than a guess makes.
    weighs_errors = fitting.plan.class_weight is not None or fitting.plan.threshold is not None
    if weighs_errors or not clearly_less(error, baseline, rows):
        judged = judged_by(fitting.honest_scores, model) if fitting.honest_scores is not None else None
        decided = judged.decided if judged is not None else []
        advice = "" if weighs_errors else _advice(fitting.honest_scores, classes)
        if len(decided) == 1:
            yield one_class(quoted(decided[0]), guess, advice)
        elif not weighs_errors and (judged is None or not clearly_better(judged)):
            yield no_better(guess, error, baseline, rows, advice)
    yield from few_examples_of_new(fitting)
    yield from labels_alike(classes)
    if fitting.leak_sample is not None:
        yield from _leaks(fitting.leak_sample, model)
    yield from warnings_of_reading(fitting)
    threshold = model.threshold
    if threshold is not None and not threshold.is_met:
        yield Caution(
            "threshold",
            f"No threshold reaches {threshold.criterion} on the {threshold.examples:,} examples it was chosen on: "
            f"the best precision there is {threshold.precision:.2%}.",
        )


def warnings_of_reading(fitting: Fitting) -> Iterator[Caution]:
    """Warnings about cells that were read in an unexpected way, and a checkpoint that could not be written."""
    if fitting.checkpoint_failure is not None:
        yield Caution("checkpoint", f"T{fitting.checkpoint_failure[1:]}; the fit went on without it.")
    for sentence in fitting.source.warnings():
        yield Caution("cells", sentence)


def few_examples_of_new(fitting: Fitting, noun: str = "class") -> list[Caution]:
    """A warning for classes with too few examples; only new ones, if a saved model continues learning."""
    counts = zip(fitting.classes, fitting.class_counts, strict=True)
    new = [(label, count) for label, count in counts if label not in fitting.classes_before]
    return few_examples([label for label, _ in new], [count for _, count in new], noun)


def _leaks(sample: LeakSample, model: LinearModel) -> Iterator[Caution]:
    if sample.block is not None:
        few_weights = model.features * model.run.learner.units <= _MOST_WEIGHTS
        columns = leaking_columns(sample.block, model.space, model.coef if few_weights else None)
        of_table = model.space.kind == "columns"
        for column, error in columns.items():
            yield _leak(f"column {quoted(column)}", error, option("drop", column) if of_table else "")
    kind = "feature" if model.provenance["data"]["format"] in ("svmlight", "vw", "npz") else "word"
    for feature, error in leaking_features(sample, model).items():
        yield _leak(f"{kind} {quoted(feature)}", error)


def _leak(what: str, error: float, drop: str = "") -> Caution:
    leave_out = f"leave it out with {drop}" if drop else "take it out of the file"
    return Caution(
        "leak",
        f"The {what} alone tells the label of {1 - error:.1%} of the examples: if it is not known before the label is, "
        f"{leave_out}.",
    )


def _advice(honest: HonestScores | None, classes: Sequence[Label]) -> str:
    """The advice if decisions between two classes are worth little, but scores rank them, as when one class is rare."""
    if honest is None or len(classes) != 2:
        return ""
    positives = sum(honest.truth)
    if min(positives, len(honest.truth) - positives) < FEWEST_EXAMPLES:
        return ""
    area, deviation = _ranking([row[0] for row in honest.scores.tolist()], honest.truth.tolist())
    return advice_for_rare(classes, 2 * positives <= len(honest.truth), area, area - Z * deviation)


def advice_for_rare(classes: Sequence[Label], second_is_rarer: bool, area: float, lowest: float) -> str:
    """The advice if the scores rank two classes well, by the area under the ROC curve.

    A threshold is chosen for the second class; to find more of a rare first class, use class weights.
    """
    if lowest <= _RANKS:
        return ""
    usual, rare = map(quoted, classes if second_is_rarer else reversed(classes))
    how = option("threshold", "f1") if second_is_rarer else option("class_weight", "balanced")
    pair = f"shown one {rare} and one {usual}, it tells which is which {area:.0%} of the time"
    return f"; but {pair}: {how} finds more of {rare}"


def _ranking(scores: Sequence[float], truth: Sequence[int]) -> tuple[float, float]:
    """The area under the ROC curve, and its standard deviation (Hanley and McNeil 1982).

    >>> _ranking([1, 2, 2, 3], [0, 0, 1, 1])[0]
    0.875
    """
    order = sorted(range(len(scores)), key=scores.__getitem__)
    positives, below, ranks = sum(truth), 0, 0.0
    for _, tied in groupby(order, key=scores.__getitem__):
        labels = [truth[i] for i in tied]
        hits = sum(labels)
        ranks += hits * (below + (len(labels) - hits) / 2)
        below += len(labels) - hits
    negatives = len(truth) - positives
    if not positives or not negatives:
        return 0.5, 0.5
    area = ranks / (positives * negatives)
    q1, q2 = area / (2 - area), 2 * area * area / (1 + area)
    spread = area * (1 - area) + (positives - 1) * (q1 - area * area) + (negatives - 1) * (q2 - area * area)
    return area, math.sqrt(max(spread, 0.0) / (positives * negatives))


def judged_by(honest: HonestScores, model: LinearModel) -> Judged:
    """The decisions of the model on the scores of examples that it had not learned."""
    n = len(model.classes)
    decided = model.decided(honest.scores).tolist()
    counts = Counter(zip(honest.truth.tolist(), decided, strict=True))
    return Judged(model.classes, [[counts[i, j] for j in range(n)] for i in range(n)])


def unknown_labels(labels: Sequence[Label], examples: int, total: int) -> list[Caution]:
    """A warning if examples have labels that the model never saw."""
    if not examples:
        return []
    named = ", ".join(map(quoted, labels[:_SHOWN])) + (", …" if len(labels) > _SHOWN else "")
    noun = "a label" if len(labels) == 1 else "labels"
    return [
        Caution(
            "unknown labels",
            f"{examples:,} of {total:,} examples have {noun} that the model never saw ({named}): "
            "each counts as an error.",
        )
    ]
