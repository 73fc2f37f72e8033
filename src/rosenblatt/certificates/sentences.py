"""A certificate in plain English, for readers who have not heard of convex geometry."""

from __future__ import annotations

import math
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rosenblatt.errors import plural

if TYPE_CHECKING:
    from rosenblatt.certificates.certificate import Inseparable, Separable, Undecided
    from rosenblatt.certificates.exact_fit.answers import ExactFit, NoExactFit

_MAX_LISTED = 8  # rows or weights written out
_MAX_DIGITS = 24  # longer fractions are rounded


def boundary(n_features: int) -> str:
    """What a hyperplane is called in this many dimensions."""
    names = {1: "a threshold", 2: "a straight line", 3: "a flat plane"}
    return names.get(n_features, "a flat boundary (a hyperplane)")


def separable(certificate: Separable, count_from: int) -> str:
    data = certificate.subject
    negative, positive = data.labels
    return "\n".join(
        [
            f"Yes: {boundary(data.n_features)} tells {negative!r} and {positive!r} apart, without a single error on "
            f"the {plural(data.n_rows, 'row')}.",
            f"How to use it: multiply each of the {plural(data.n_features, 'number')} of a row by its weight in w"
            f"{_weights_if_few(certificate.w)}, add up the products, and add b = {float(certificate.b) + 0.0:.6g}. "
            f"The result is above 0 for every row of {positive!r} and below 0 for every row of {negative!r}.",
            _margin(certificate, count_from),
            _mistake_bound(certificate),
            "How it was checked: the result of every row was computed again, together with a proven limit on its "
            "rounding error. Where that limit left any doubt, it was computed once more in exact arithmetic, without "
            "rounding.",
        ]
    )


def _margin(certificate: Separable, count_from: int) -> str:
    plane = certificate.geometric
    text = f"How wide the margin is: every row is at least {plane.margin:.6g} away from the boundary. "
    if plane.gap <= 1e-5:
        text += (
            f"No other boundary has a wider margin: {plane.upper:.6g} is proven to be the limit, which is the same up "
            f"to a relative difference of {plane.gap:.0e}. "
        )
    else:
        text += f"Another boundary may have a wider margin, but none has more than {plane.upper:.6g}. "
    verb = "row proves" if len(plane.rows) == 1 else "rows prove"
    return (
        text + f"{len(plane.rows):,} {verb} that limit: {_listed(plane.rows + count_from)} (counted from {count_from})."
    )


def _mistake_bound(certificate: Separable) -> str:
    bound = certificate.mistake_bound
    if not math.isfinite(bound):
        return "What it promises: a perceptron finds a boundary too, but the limit on its mistakes is astronomical."
    max_mistakes = f"{math.floor(bound):,}" if bound < 1e15 else f"{bound:.3g}"
    return (
        f"What it promises: a perceptron that starts from zero makes at most {max_mistakes} mistakes on these rows "
        f"before it finds a boundary, whatever order it visits them in. (The limit is the length of the longest row, "
        f"{certificate.radius:.6g}, divided by the margin, {certificate.augmented_margin:.6g}, squared; both are "
        "measured with a 1 appended to each row.)"
    )


def inseparable(certificate: Inseparable, count_from: int) -> str:
    negative, positive = certificate.subject.labels
    name = boundary(certificate.subject.n_features)
    head = f"No: {name} cannot tell {negative!r} and {positive!r} apart without an error."
    if len(certificate.rows) == 2:
        first, second = (int(row) + count_from for row in certificate.rows)
        return (
            f"{head}\nWhy: row {first} and row {second} (counted from {count_from}) are the same point, but one is "
            f"labelled {_label(certificate, 0)!r} and the other {_label(certificate, 1)!r}. Whichever side of a "
            "boundary the point is on, one of the two rows is on the wrong side."
        )
    lines = [
        head,
        f"Why: {plural(len(certificate.rows), 'row')} prove it (counted from {count_from}). Give them these weights:",
    ]
    is_exact = certificate.verified == "exact"
    precision = ", exactly" if is_exact else f", up to {certificate.residual:.0e} of the size of the data"
    lines += _weight_lines(certificate, count_from)
    lines += [
        f"{_average(certificate)} The average of the {positive!r} rows and the average of the {negative!r} rows "
        f"are the same point{precision}.",
        "If all the rows of a class are on one side of a boundary, then so is every weighted average of them. So that "
        "one point would have to be on both sides at once, which is impossible.",
        "How it was checked: the weights are fractions, the numbers in the data were taken digit for digit, and the "
        "two averages were compared column by column without rounding. You can repeat it with pen and paper."
        if is_exact
        else "How it was checked: in rounded numbers only, so this is strong evidence but not a proof.",
    ]
    return "\n".join(lines)


def undecided(certificate: Undecided) -> str:
    negative, positive = certificate.subject.labels
    low, high = certificate.bracket
    at_least = f", and at least {low:.6g}" if low > 0 else ""
    return (
        f"Not known yet: time ran out before it was clear whether {boundary(certificate.subject.n_features)} "
        f"can tell {negative!r} and {positive!r} apart.\n"
        f"What is known: if there is one, the nearest row is at most {high:.6g} away from it{at_least}.\n"
        "What to do: allow more time (time_limit)."
    )


def exact_fit(certificate: ExactFit) -> str:
    data = certificate.subject
    weights = f" = [{', '.join(map(_fraction, certificate.w))}]" if len(certificate.w) <= _MAX_LISTED else ""
    only = (
        "No other linear function does."
        if certificate.is_unique
        else f"Others may, too: {plural(len(certificate.rows), 'row')} determine it, and it has "
        f"{data.n_features + 1} weights."
    )
    return "\n".join(
        [
            f"Yes: a linear function of {plural(data.n_features, 'column')} meets the targets of all "
            f"{plural(data.n_rows, 'row')} exactly. {only}",
            f"How to use it: multiply each of the {plural(data.n_features, 'number')} of a row by its weight in w"
            f"{weights}, add up the products, and add b = {_fraction(certificate.b)}.",
            "How it was checked: the result of every row was computed again without rounding.",
        ]
    )


def no_exact_fit(certificate: NoExactFit, count_from: int) -> str:
    lines = [
        "No: no linear function meets the target of every row.",
        f"Why: {plural(len(certificate.rows), 'row')} prove it (counted from {count_from}). Give them these weights:",
    ]
    triples = list(zip(certificate.rows.tolist(), certificate.targets, certificate.weights, strict=True))
    for row, target, weight in triples[:_MAX_LISTED]:
        lines.append(f"  row {row + count_from} (target {_number(target)}): {_fraction(weight)}")
    if len(triples) > _MAX_LISTED:
        lines.append(f"  and {plural(len(triples) - _MAX_LISTED, 'row')} more, in .rows and .weights")
    lines += [
        "Each column, times these weights, adds up to 0, and so do the weights. So any linear function of the columns "
        f"adds up to 0 as well. The targets, times the same weights, add up to {_number(certificate.mismatch)}.",
        "How it was checked: all sums were computed without rounding. You can repeat it with pen and paper.",
    ]
    size = sum(abs(weight * target) for _, target, weight in triples)
    if abs(certificate.mismatch) * 2**40 < size:
        lines.append(
            "The difference is so small beside the targets that rounding may have made it: a float holds 0.1, for "
            "example, only nearly. Pass such numbers as Fraction or Decimal, or in whole units."
        )
    return "\n".join(lines)


# -- words and numbers ----------------------------------------------------------------------------------------------


def _listed(rows: Any) -> str:
    """The first row numbers, and how many more there are."""
    numbers = [str(int(i)) for i in rows[:_MAX_LISTED]]
    more = len(rows) - len(numbers)
    if more:
        return ", ".join(numbers) + f" and {more:,} more"
    return ", ".join(numbers[:-1]) + (" and " if len(numbers) > 1 else "") + numbers[-1]


def _weights_if_few(w: Any) -> str:
    return f" = [{', '.join(f'{float(x) + 0.0:.6g}' for x in w)}]" if len(w) <= _MAX_LISTED else ""


def _label(certificate: Inseparable, position: int) -> Any:
    return certificate.subject.labels[1 if certificate.signs[position] > 0 else 0]


def _weight_lines(certificate: Inseparable, count_from: int) -> list[str]:
    lines = [
        f"  row {int(row) + count_from} ({_label(certificate, position)!r}): {_fraction(certificate.weights[position])}"
        for position, row in enumerate(certificate.rows[:_MAX_LISTED])
    ]
    more = len(certificate.rows) - len(lines)
    return lines + ([f"  and {plural(more, 'row')} more, in .rows and .weights"] if more else [])


def _average(certificate: Inseparable) -> str:
    """What the weights add up to: 1, but a certificate that was edited may hold any positive multiple of a proof."""
    total = sum(w for w, sign in zip(certificate.weights, certificate.signs, strict=True) if sign > 0)
    if total == 1 or certificate.verified != "exact":
        return "The weights of each class add up to 1, so they make a weighted average of its rows."
    return (
        f"The weights of each class add up to {_fraction(Fraction(total))}; divided by it, they make a weighted "
        "average of its rows."
    )


def _fraction(weight: Fraction) -> str:
    digits = max(weight.numerator.bit_length(), weight.denominator.bit_length()) * 0.302
    if digits < _MAX_DIGITS:
        return str(weight)
    return f"about {_rounded(weight)} (a fraction of {int(digits) + 1:,} digits)"


def _number(number: Fraction) -> str:
    """A number of the data, as short as it can be written: a float as such."""
    try:
        is_float = number.denominator > 1 and Fraction(float(number)) == number
    except OverflowError:
        is_float = False
    return repr(float(number)) if is_float else _fraction(number)


def _rounded(number: Fraction, digits: int = 6) -> str:
    """A fraction of any size with some digits; a float overflows beyond 10^308."""
    with localcontext(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN):
        return str((Decimal(number.numerator) / Decimal(number.denominator)).normalize()).lower()
