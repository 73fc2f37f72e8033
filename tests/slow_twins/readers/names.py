"""Which whole numbers are names, row by row: the definition of `numbers_as_names`, without counts of equal rows."""

import math
from collections.abc import Sequence

from scipy.optimize import minimize

LEAST, CLEARLY, CLEARLY_BY_NUMBERS, FEW = 0.01, 4.0, 1.5, 10


def _loss(chance: float, is_yes: bool) -> float:
    return -math.log(max(chance if is_yes else 1 - chance, 1e-6))


def _of_words(numbers: Sequence[int], yes: Sequence[bool], prior: float) -> list[float]:
    """The loss of each row by the share of yes among the other rows of its number and some of all numbers."""
    losses = []
    for i, number in enumerate(numbers):
        others = [answer for k, answer in enumerate(yes) if numbers[k] == number and k != i]
        share = (sum(yes) - yes[i] + 0.5) / len(yes)
        losses.append(_loss((sum(others) + prior * share) / (len(others) + prior), yes[i]))
    return losses


def _of_neighbours(numbers: Sequence[int], yes: Sequence[bool], reach: int) -> list[float]:
    """The loss of each row by the rows of the next larger and smaller numbers."""
    different, losses = sorted(set(numbers)), []
    for number, answer in zip(numbers, yes, strict=True):
        place = different.index(number)
        near = {*different[max(place - reach, 0) : place + reach + 1]} - {number}
        others = [other for k, other in enumerate(yes) if numbers[k] in near]
        losses.append(_loss((sum(others) + 3 * sum(yes) / len(yes)) / (len(others) + 3), answer))
    return losses


def _of_amount(numbers: Sequence[int], yes: Sequence[bool]) -> list[float]:
    """The loss of each row by logistic regression on the number; the numbers have no heavy tails."""
    mean = sum(numbers) / len(numbers)
    width = math.sqrt(sum((number - mean) ** 2 for number in numbers) / len(numbers))
    x = [(number - mean) / width for number in numbers]

    def chances(weights: Sequence[float]) -> list[float]:
        return [1 / (1 + math.exp(-min(max(weights[0] + weights[1] * value, -30), 30))) for value in x]

    best = minimize(lambda w: sum(map(_loss, chances(w), yes)), [0.0, 0.0], method="Nelder-Mead").x
    return list(map(_loss, chances(best), yes))


def is_name(numbers: Sequence[int], yes: Sequence[bool]) -> bool:
    """Whether each number by itself tells clearly more of yes and no."""
    few = len(set(numbers)) <= FEW
    words = min((_of_words(numbers, yes, prior) for prior in (1, 3, 10, 30)), key=sum)
    share = sum(yes) / len(yes)
    least = LEAST * sum(_loss(share, answer) for answer in yes)
    amounts = [] if few else [_of_neighbours(numbers, yes, reach) for reach in (1, 2, 4)]
    for amount in [*amounts, _of_amount(numbers, yes)]:
        gains = [a - b for a, b in zip(amount, words, strict=True)]
        of_numbers = dict.fromkeys(numbers, 0.0)
        for number, gain in zip(numbers, gains, strict=True):
            of_numbers[number] += gain
        by_rows, by_numbers = (_standard_errors(parts) for parts in (gains, list(of_numbers.values())))
        if sum(gains) < least or by_rows <= CLEARLY or (not few and by_numbers <= CLEARLY_BY_NUMBERS):
            return False
    return True


def _standard_errors(parts: Sequence[float]) -> float:
    total = sum(parts)
    squares = sum((part - total / len(parts)) ** 2 for part in parts)
    return total / math.sqrt(max(squares, 1e-300))
