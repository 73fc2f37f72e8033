"""A certificate in plain words, for a reader who has not heard of convex geometry."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.certificates.certificate import Inseparable, Separable, Undecided

_SHOWN = 8  # rows listed one by one
_LONG = 24  # digits of a fraction that are still read


def boundary(features: int) -> str:
    """What a hyperplane is called in so many dimensions."""
    return {1: "a threshold", 2: "a straight line", 3: "a flat plane"}.get(features, "a flat boundary (a hyperplane)")


def listed(rows: Any) -> str:
    """A few row numbers, and how many more there are."""
    numbers = [str(int(i)) for i in rows[:_SHOWN]]
    more = len(rows) - len(numbers)
    if more:
        return ", ".join(numbers) + f" and {more:,} more"
    return ", ".join(numbers[:-1]) + (" and " if len(numbers) > 1 else "") + numbers[-1]


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}" + ("" if number == 1 else "s")


def separable(certificate: Separable) -> str:
    subject = certificate.subject
    negative, positive = subject.labels
    name = boundary(subject.n_features)
    lines = [
        f"Yes: {name} tells {negative!r} and {positive!r} apart, without a single error on the "
        f"{_count(subject.n_rows, 'row')}.",
        f"How to use it: multiply each of the {_count(subject.n_features, 'number')} of a row by its weight in w"
        f"{_few_weights(certificate.w)}, add them up and add b = {float(certificate.b) + 0.0:.6g}. The result is above "
        f"0 for every row of {positive!r} and below 0 for every row of {negative!r}.",
        _width(certificate, name),
        _bound(certificate),
        "How it was checked: the side of every row was computed anew, with a proven limit on the rounding error; where "
        "the limit left a doubt, the row was computed again in whole numbers, without rounding.",
    ]
    return "\n".join(lines)


def _few_weights(w: Any) -> str:
    """The weights themselves, where they are few enough to be read."""
    return f" = [{', '.join(f'{float(one) + 0.0:.6g}' for one in w)}]" if len(w) <= _SHOWN else ""


def _width(certificate: Separable, name: str) -> str:
    widest = certificate.geometric
    text = f"How wide the gap is: every row is at least {widest.margin:.6g} away from the boundary. "
    if widest.gap <= 1e-5:
        text += f"No other boundary keeps a greater distance (at most {widest.upper:.6g}, which is the same but for "
        text += f"{widest.gap:.0e} of it). "
    else:
        text += f"Whether another one keeps more is known only so far: none keeps more than {widest.upper:.6g}. "
    verb = "row holds" if len(widest.rows) == 1 else "rows hold"
    text += f"{len(widest.rows):,} {verb} it in place, like stones that a plank rests on: {listed(widest.rows)} "
    return text + "(counted from 0)."


def _bound(certificate: Separable) -> str:
    bound = certificate.mistake_bound
    if not math.isfinite(bound):
        return "What it promises: a perceptron will find a boundary too, but no useful number of steps can be named."
    most = f"{math.floor(bound):,}" if bound < 1e15 else f"{bound:.3g}"
    return (
        f"What it promises: a perceptron that starts from zero makes at most {most} mistakes on these rows before it "
        f"has found a boundary, in whatever order it meets them (the longest row, {certificate.radius:.6g}, divided by "
        f"the distance {certificate.augmented_margin:.6g}, squared; both measured with a 1 appended to each row)."
    )


def inseparable(certificate: Inseparable) -> str:
    subject = certificate.subject
    negative, positive = subject.labels
    name = boundary(subject.n_features)
    head = f"No: {name} that tells {negative!r} and {positive!r} apart without an error does not exist."
    if len(certificate.rows) == 2:
        first, second = (int(i) for i in certificate.rows)
        return (
            f"{head}\nWhy: row {first} and row {second} (counted from 0) are the same point, but one is labelled "
            f"{_label(certificate, 0)!r} and the other {_label(certificate, 1)!r}. Whatever side the point is on, one "
            "of the two labels is wrong."
        )
    lines = [head, f"Why: {_count(len(certificate.rows), 'row')} prove it (counted from 0). Give them these weights:"]
    lines += _weights(certificate)
    lines += [
        f"The weights of each class add up to 1, so they make a weighted average of its rows. The average of the "
        f"{positive!r} rows and the average of the {negative!r} rows are one and the same point"
        + (
            ", exactly."
            if certificate.verified == "exact"
            else f", up to {certificate.residual:.0e} of the data's size."
        ),
        "If all the rows of a class are on one side of a boundary, so is every weighted average of them. Here that one "
        "point would have to be on both sides at once, which cannot be.",
    ]
    if certificate.verified == "exact":
        lines.append(
            "How it was checked: the weights are fractions, the numbers in the data were taken digit for digit, and "
            "the two averages were compared column by column without rounding. Anyone can repeat it with pen and paper."
        )
    else:
        lines.append("How it was checked: in rounded numbers only, so this is strong evidence and not a proof.")
    return "\n".join(lines)


def _label(certificate: Inseparable, at: int) -> Any:
    return certificate.subject.labels[1 if certificate.signs[at] > 0 else 0]


def _weights(certificate: Inseparable) -> list[str]:
    shown = [
        f"  row {int(i)} ({_label(certificate, at)!r}): {_fraction(certificate.weights[at])}"
        for at, i in enumerate(certificate.rows[:_SHOWN])
    ]
    more = len(certificate.rows) - len(shown)
    return shown + ([f"  and {_count(more, 'row')} more, in .rows and .weights"] if more else [])


def _fraction(weight: Fraction) -> str:
    digits = weight.denominator.bit_length() * 0.302
    return str(weight) if digits < _LONG else f"about {float(weight):.6g} (a fraction of {int(digits) + 1:,} digits)"


def undecided(certificate: Undecided) -> str:
    negative, positive = certificate.subject.labels
    low, high = certificate.bracket
    return (
        f"Not known yet: the time was up before it was clear whether {boundary(certificate.subject.n_features)} "
        f"can tell {negative!r} and {positive!r} apart.\n"
        f"What is known: if there is one, the nearest row is at most {high:.6g} away from it"
        + (f", and at least {low:.6g}" if low > 0 else "")
        + ".\nWhat to do: allow more time with time_limit."
    )
