"""No worthless answer in silence (clause 10 of the learning contract): what a person must know before using a model."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rosenblatt import native
from rosenblatt.errors import spelled
from rosenblatt.learn.files.classes import quoted
from rosenblatt.learn.files.passes import Fitting
from rosenblatt.learn.schemes import class_scores
from rosenblatt.model.linear import LinearModel
from rosenblatt.records import HonestScores, Label

FEWEST_EXAMPLES = 10  # of a class
_Z = 1.959963984540054  # 95% of a normal distribution lie within this many deviations
_SHOWN = 3  # labels that a sentence names


@dataclass(frozen=True)
class Caution:
    """A warning: what it is about, for programs, and one sentence for people."""

    kind: Literal["no better", "one class", "few examples", "unknown labels", "cells"]
    sentence: str  # names parameters with errors.option

    def __str__(self) -> str:
        return spelled(self.sentence)


@dataclass(frozen=True)
class Judged:
    """What a model decided about examples that it may be judged by: `table[i][j]` of class i were decided to be j."""

    classes: Sequence[Label]
    table: Sequence[Sequence[float]]

    @property
    def counts(self) -> list[float]:
        return [sum(row) for row in self.table]

    @property
    def decided(self) -> list[Label]:
        """The classes that were decided at all."""
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
    """Does the 95% interval of an error lie below the baseline? (That of Wilson 1927, solved for the baseline.)

    >>> clearly_less(0.1, 0.2, 100), clearly_less(0.1, 0.2, 50)
    (True, False)
    """
    return baseline - error > _Z * math.sqrt(baseline * (1 - baseline) / max(examples, 1))


def clearly_better(judged: Judged) -> bool:
    """Does a model get clearly more of the same examples right than a guess of the commonest class?

    The two differ only where the model decides another class. Where it then is as often right as the guess, chance
    gives a difference with the variance of the number of these examples (McNemar 1947).
    """
    guess = judged.commonest
    gained = sum(row[k] for k, row in enumerate(judged.table) if k != guess)
    lost = judged.counts[guess] - judged.table[guess][guess]
    return gained - lost > _Z * math.sqrt(gained + lost)


def worthless(judged: Judged, *, clearly_less_errors: bool = False) -> list[Caution]:
    """A warning where a model decides one class only, or is no better than always guessing the commonest class."""
    classes, counts = judged.classes, judged.counts
    decided = judged.decided
    guess = quoted(classes[judged.commonest])
    if len(decided) == 1 and sum(count > 0 for count in counts) > 1:
        return [one_class(quoted(decided[0]), guess)]
    if clearly_less_errors or clearly_better(judged):
        return []
    examples = sum(counts)
    right = sum(row[k] for k, row in enumerate(judged.table))
    return [no_better(guess, 1 - right / max(examples, 1), baseline_error(counts), examples)]


def one_class(decided: str, guess: str) -> Caution:
    worth = "no better than a guess" if decided == guess else f"worse than always guessing {guess}"
    return Caution("one class", f"The model decides {decided} for every example, which is {worth}.")


def no_better(guess: str, error: float, baseline: float, examples: float) -> Caution:
    few = f", as far as {examples:,.0f} examples can tell" if error < baseline else ""
    return Caution(
        "no better",
        f"The model is no better than always guessing {guess}{few}: it errs on {error:.2%} of the examples, "
        f"guessing on {baseline:.2%}.",
    )


def few_examples(classes: Sequence[Label], counts: Sequence[float]) -> list[Caution]:
    """A warning where classes have too few examples to be learned or judged.

    >>> print(*few_examples(("ham", "spam"), [400, 1]))
    The class 'spam' has 1 example: with fewer than ten, chance decides what is learned and measured of it.
    """
    few = [(label, int(count)) for label, count in zip(classes, counts, strict=True) if count < FEWEST_EXAMPLES]
    if not few:
        return []
    if len(few) == 1:
        label, count = few[0]
        subject = f"The class {quoted(label)} has {count or 'no'} example{'' if count == 1 else 's'}: with fewer"
        return [Caution("few examples", f"{subject} than ten, chance decides what is learned and measured of it.")]
    named = ", ".join(f"{quoted(label)} has {count}" for label, count in few[:_SHOWN])
    more = ", …" if len(few) > _SHOWN else ""
    return [
        Caution(
            "few examples",
            f"{len(few):,} classes have fewer than ten examples ({named}{more}): "
            "chance decides what is learned and measured of them.",
        )
    ]


def warnings_of_fit(fitting: Fitting, model: LinearModel) -> Iterator[Caution]:
    """What a person must know of a fit: whether it is worth more than a guess, and which classes are too small."""
    classes, counts, chosen = fitting.classes, fitting.class_counts, fitting.chosen
    guess = quoted(classes[counts.index(max(counts))])
    error, rows = fitting.candidates.progressive[chosen], fitting.examples.learned
    held_out = fitting.holdout.error(chosen)
    if held_out is not None:
        error, rows = held_out, fitting.holdout.rows
    if not clearly_less(error, baseline_error(counts), rows):
        judged = judged_by(fitting.honest_scores, model) if fitting.honest_scores is not None else None
        decided = judged.decided if judged is not None else []
        if len(decided) == 1:
            yield one_class(quoted(decided[0]), guess)
        elif judged is None or not clearly_better(judged):
            yield no_better(guess, error, baseline_error(counts), rows)
    yield from few_examples(classes, counts)
    for sentence in fitting.source.warnings():
        yield Caution("cells", sentence)


def judged_by(honest: HonestScores, model: LinearModel) -> Judged:
    """What the model decides by scores of examples that it had not learned."""
    n = len(model.classes)
    decided = native.argmax_rows(class_scores(model.scheme, honest.scores, n)).tolist()
    counts = Counter(zip(honest.truth.tolist(), decided, strict=True))
    return Judged(model.classes, [[counts[i, j] for j in range(n)] for i in range(n)])


def unknown_labels(labels: Sequence[Label], examples: int, total: int) -> list[Caution]:
    """A warning where examples have labels that the model never saw."""
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
