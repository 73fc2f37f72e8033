"""From a fit with several labels to its model: the map and the threshold of each label, scores and warnings."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

from rosenblatt import native
from rosenblatt.errors import option
from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.files.labels.labels_to_classes import UNKNOWN_LABEL, class_codes, quoted
from rosenblatt.learn.files.passes import Fitting
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.multi_label import MultiLabelModel
from rosenblatt.model.probabilities.calibration import Calibration, calibrate
from rosenblatt.model.probabilities.choose_threshold import EVEN, Threshold, choose_threshold, probability_at, score_at
from rosenblatt.model.probabilities.honest_sample import HonestSample
from rosenblatt.model.probabilities.normal_quantile import Z
from rosenblatt.model.warnings.fit_warnings import Caution, few_examples_of_new, warnings_of_reading
from rosenblatt.options.values.threshold_criterion import Criterion, criterion_of
from rosenblatt.readers.source import Source
from rosenblatt.records import HonestScores, Label

_SHOWN = 3  # labels that a sentence names


@dataclass(frozen=True)
class LabelCounts:
    """How many labels the examples of a fit have."""

    examples: int
    without: int  # examples without any label
    several: int  # examples with more than one label
    labels: int  # of all examples together
    sets: int  # different sets of labels
    commonest: tuple[Label, ...]  # the commonest set
    of_commonest: int  # examples that have it
    baseline_error: float  # the smallest share of wrong decisions with the same answer for every example

    @property
    def per_example(self) -> float:
        return self.labels / max(self.examples, 1)


def label_counts(fitting: Fitting) -> LabelCounts:
    assert fitting.sets is not None
    counts = fitting.examples.label_order.counts
    seen = [(count, fitting.sets.members(k)) for k, count in enumerate(counts) if count]
    most = max(range(len(seen)), key=lambda k: seen[k][0])
    return LabelCounts(
        examples=sum(counts),
        without=sum(count for count, members in seen if not members),
        several=sum(count for count, members in seen if len(members) > 1),
        labels=sum(count * len(members) for count, members in seen),
        sets=len(seen),
        commonest=tuple(fitting.classes[label] for label in seen[most][1]),
        of_commonest=seen[most][0],
        baseline_error=constant_baseline(fitting.class_counts, sum(counts))[0],
    )


def with_label_thresholds(linear: LinearModel, fitting: Fitting) -> MultiLabelModel:
    """The model with a map from scores to probabilities for each label, and a threshold chosen on the same scores."""
    honest, sets = fitting.honest_scores, fitting.sets
    settings = {"several_labels": True, "label_separator": fitting.source.label_separator}
    space = replace(linear.space, settings={**linear.space.settings, **settings})
    model = MultiLabelModel(linear.classes, space, linear.run, linear.provenance)
    if honest is None or sets is None:
        return model
    if linear.sample is not None:
        model = replace(model, **_with_its_sets(linear.sample, sets))
    criterion = criterion_of(EVEN if fitting.plan.threshold is None else fitting.plan.threshold)
    assert criterion is not None
    # Weights of labels ask for more decisions for a label than its probability justifies: then decide at a score of 0.
    by_threshold = fitting.plan.class_weight is None or fitting.plan.threshold is not None
    calibrations, thresholds = [], []
    for of_label in _by_label(honest, sets):
        calibration = calibrate(of_label, "binary", 2, model.loss)
        calibrations.append(calibration)
        if by_threshold:
            thresholds.append(_threshold(criterion, of_label, calibration))
    return replace(model, calibrations=tuple(calibrations), thresholds=tuple(thresholds))


def _with_its_sets(sample: HonestSample, sets: native.LabelSets) -> dict[str, Any]:
    """The sample, and the label sets that occur in it, numbered in the order of their first occurrence."""
    members = {k: tuple(sets.members(k)) for k in set(sample.truth.tolist())}  # some have the same members
    number: dict[tuple[int, ...], int] = {}
    truth = array("i", (number.setdefault(members[k], len(number)) for k in sample.truth.tolist()))
    return {"sample": sample._replace(truth=memoryview(truth)), "sample_sets": tuple(number)}


def _threshold(criterion: Criterion, honest: HonestScores, calibration: Calibration) -> Threshold:
    """Like `choose_threshold`, but faster for a given probability, since there may be many labels."""
    if criterion.kind != "probability":
        return choose_threshold(criterion, honest, calibration)
    score = score_at(calibration, criterion.number)
    above, truth = np.asarray(honest.scores)[:, 0] > score, np.asarray(honest.truth)
    counts = (len(truth), int(truth.sum()), int(above.sum()), int(truth[above].sum()))
    return Threshold(score, probability_at(calibration, score), criterion.text, *counts)


def _by_label(honest: HonestScores, sets: native.LabelSets) -> Iterator[HonestScores]:
    """The scores of each label, and whether it applied."""
    scores = np.asarray(honest.scores)
    for k in range(scores.shape[1]):
        yield HonestScores(np.ascontiguousarray(scores[:, k : k + 1]), sets.truth(honest.truth, k), honest.kind)


@dataclass(frozen=True, eq=False)
class JudgedLabels:
    """The decisions of a model on examples that it had not learned: for each label, how often, over these examples."""

    examples: int
    hits: NDArray[np.int64]  # the label applies and was decided
    decided: NDArray[np.int64]  # the label was decided
    real: NDArray[np.int64]  # the label applies

    @property
    def wrong_share(self) -> float:
        """The share of wrong decisions, one for each label and example (the Hamming loss)."""
        wrong = int((self.decided + self.real - 2 * self.hits).sum())
        return wrong / max(self.examples * len(self.hits), 1)

    @property
    def f1(self) -> float:
        """F1 over all decisions together (micro)."""
        return 2 * int(self.hits.sum()) / max(int(self.decided.sum() + self.real.sum()), 1)


def judge_labels(honest: HonestScores, sets: native.LabelSets, model: LinearModel) -> JudgedLabels:
    decided = np.asarray(model.decided(honest.scores)).astype(bool)
    truth = np.stack([np.asarray(sets.truth(honest.truth, k)) for k in range(sets.labels)], axis=1).astype(bool)
    return JudgedLabels(len(honest.truth), (decided & truth).sum(axis=0), decided.sum(axis=0), truth.sum(axis=0))


def label_truth(
    classes: Sequence[Label], source: Source, positions: NDArray[np.int32]
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Whether each label applies to each row of a block, and how many labels of the row the model does not know."""
    assert source.label_sets is not None
    codes = class_codes(classes, source.labels)
    present, row_of = np.unique(positions, return_inverse=True)
    table, unknown = np.zeros((len(present), len(classes)), bool), np.zeros(len(present), np.int64)
    for i, position in enumerate(present.tolist()):
        for label in source.label_sets[position] if position >= 0 else ():
            if codes[label] == UNKNOWN_LABEL:
                unknown[i] += 1
            else:
                table[i, codes[label]] = True
    return table[row_of], unknown[row_of]


def constant_baseline(real: Sequence[float], examples: float) -> tuple[float, float, int]:
    """What the same answer for every example can reach: the smallest share of wrong decisions, the highest micro F1,
    and how many labels, the commonest ones, the answer with this F1 has.

    >>> constant_baseline([30, 5], 100)
    (0.175, 0.4444444444444444, 1)
    """
    n = len(real)
    wrong = sum(min(count, examples - count) for count in real) / max(examples * n, 1)
    total, hits, best, size = sum(real), 0.0, 0.0, 0
    for m, count in enumerate(sorted(real, reverse=True), 1):
        hits += count
        f1 = 2 * hits / max(m * examples + total, 1)
        if f1 > best:
            best, size = f1, m
    return wrong, best, size


def warnings_of_labels(fitting: Fitting, model: LinearModel) -> Iterator[Caution]:
    """The warnings about a fit with several labels."""
    assert isinstance(model, MultiLabelModel)
    counts = label_counts(fitting)
    of_labels = fitting.class_counts
    if counts.several == 0:
        yield Caution(
            "labels",
            f"No example has more than one label: without {option('multi_label')} the likeliest label is decided for "
            "each example, which is usually better.",
        )
    everywhere = [label for label, n in zip(model.classes, of_labels, strict=True) if n == counts.examples]
    if everywhere:
        named = ", ".join(map(quoted, everywhere[:_SHOWN])) + (", …" if len(everywhere) > _SHOWN else "")
        yield Caution("labels", f"Every example has the label {named}: there is nothing to learn about it.")
    if fitting.honest_scores is not None and fitting.sets is not None:
        judged = judge_labels(fitting.honest_scores, fitting.sets, model)
        yield from worthless_labels(judged.examples, judged.f1, judged.wrong_share, judged.decided, judged.real)
    yield from few_examples_of_new(fitting, "label")
    yield from warnings_of_reading(fitting)
    unmet = [label for label, one in zip(model.classes, model.thresholds, strict=False) if not one.is_met]
    if unmet:
        named = ", ".join(map(quoted, unmet[:_SHOWN])) + (", …" if len(unmet) > _SHOWN else "")
        yield Caution(
            "threshold",
            f"No threshold reaches {model.thresholds[0].criterion} for {named} on the {judged.examples:,} examples it "
            "was chosen on: the most precise one was taken.",
        )


def worthless_labels(
    examples: float, f1: float, wrong_share: float, decided: Any, real: Any, *, deviation: float | None = None
) -> list[Caution]:
    """A warning if a model gives no label, or is no better than the same answer for every example."""
    wrong, best_f1, size = constant_baseline([float(n) for n in real], examples)
    if not any(decided):
        return [Caution("one class", "The model gives no example any label, which is no better than a guess.")]
    spread = sqrt(wrong * (1 - wrong) / max(examples * len(decided), 1)) if deviation is None else deviation
    if wrong_share == 0 or wrong - wrong_share > Z * spread or f1 > best_f1:
        return []
    answer = "no label" if size == 0 else f"the commonest {f'{size} labels' if size > 1 else 'label'}"
    return [
        Caution(
            "no better",
            f"The model is no better than giving {answer} to every example: {wrong_share:.2%} of its decisions are "
            f"wrong, and F1 over all labels is {f1:.1%}; a constant answer reaches {wrong:.2%} or {best_f1:.1%}.",
        )
    ]
