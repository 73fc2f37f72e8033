"""How much work choosing by folds may do, in weights visited, and which candidates that work and the memory allow.

The work is bounded in weights visited, not in seconds, so the choice is the same on every machine and for any number of
threads. Where one pass is long already, it is bounded by a share of that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rosenblatt.learn.files.rule_choice.folds import Fold, fewest_passes, fold_work
from rosenblatt.learn.files.rule_choice.learn_in_memory import STEPS, Learning
from rosenblatt.learn.files.rule_choice.portfolio import MINIMUM
from rosenblatt.learn.settings import Settings

_WORK = 1 << 30  # weights that all candidates may visit together, where one pass visits no more than SHORT_PASS
SHORT_PASS = 1 << 22
# After a longer pass: as a share of its work. The more classes, the fewer examples of each, and the more passes help.
_SHARE, _SHARE_OF_MANY_CLASSES = 0.35, 1.0
_WEIGHT_BYTES = 420 << 20  # memory for the weights of all runs of the candidates
WORK_OF_MINIMUM = 1 << 32  # at most; visiting a weight costs less where none is changed before all rows are visited
FEWEST_PENALTIES = 8  # always tried, because the first ones are far too large


def work_allowed(learning: Learning, first_pass: Sequence[Settings] | None, read_cost: int) -> int:
    """The work that folds may do: some seconds, and after a long first pass no more than a share of its work.

    `first_pass` are the rules that learned in the first pass, None if the order of the rows made it worthless;
    `read_cost` is the cost of reading one value, in weights visited.
    """
    if learning.work <= SHORT_PASS or first_pass is None:
        return _WORK
    learned = sum(map(learning.pass_work, first_pass))
    share = _SHARE if learning.n_classes == 2 else _SHARE_OF_MANY_CLASSES
    return min(int(share * (learned + read_cost * learning.n_values)), _WORK)


def is_share_of_a_pass(work: int) -> bool:
    """Whether the work is a share of a long first pass; then learning all examples in the end counts, too."""
    return work < _WORK


def affordable(
    learning: Learning,
    folds: Sequence[Fold],
    candidates: Mapping[str, Settings],
    first_errors: Mapping[str, float],
    work: int,
) -> list[str]:
    """The candidates to judge: all, or where work or memory do not suffice, those with the least errors so far."""
    names, memory = [], _WEIGHT_BYTES
    is_share, passes = is_share_of_a_pass(work), fewest_passes(folds)
    for name in sorted(candidates, key=lambda name: first_errors.get(name, 0.0)):
        if name == MINIMUM:
            continue
        work -= passes * fold_work(learning, folds, candidates[name])
        memory -= (len(folds) + 1) * learning.weight_bytes(candidates[name])
        last = learning.pass_work(candidates[name]) if is_share else 0
        if min(work - passes * last, memory) < 0:
            break
        names.append(name)
    if names and MINIMUM in candidates and learning.has_minimum(candidates[MINIMUM]) and not is_share:
        cost = FEWEST_PENALTIES * STEPS * fold_work(learning, folds, candidates[MINIMUM])
        names += [MINIMUM] if cost <= WORK_OF_MINIMUM else []
    return [name for name in candidates if name in names]
