"""The oracle itself, against the lectures' numbers and against even simpler definitions."""

import itertools
import math
import random
from collections import Counter
from fractions import Fraction

import pytest

from tests.reference import Reference
from tests.slow_twins.learn.arithmetic import SplitMix64, argmax, dot, exp, score

AND = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
AND_LABELS = [-1, -1, -1, 1]


def lecture_order(weights):
    """[w1, ..., wd, b] as the lectures write it: the bias, on x0 = 1, comes first."""
    return [weights[-1], *weights[:-1]]


def noise(n, d, classes=2, seed=0):
    draw = random.Random(seed)
    return [[draw.gauss(0, 1) for _ in range(d)] for _ in range(n)], [i % classes for i in range(n)]


def wrong(run, X, y):
    return sum((run.decision(x)[0] > 0) != (label > 0) for x, label in zip(X, y, strict=True))


def every_step(X, y, epochs, **options):
    """The weights after each example, the slow way: a run that sees one row at a time."""
    run = Reference(**options)
    for _ in range(epochs):
        for x, label in zip(X, y, strict=True):
            yield run.partial_fit([x], [label], sorted(set(y))).answer()


def test_and_table_row_by_row():
    steps = [lecture_order(w) for (w,) in every_step(AND, AND_LABELS, 1)]
    assert steps == [[-1, 0, 0], [-1, 0, 0], [-1, 0, 0], [0, 1, 1]]


def test_and_table_by_epoch():
    run, ends = Reference(), []
    while run.status != "separated":
        run.fit(AND, AND_LABELS)
        ends.append(lecture_order(run.answer()[0]))
    assert ends == [
        [0, 1, 1], [-1, 2, 1], [-2, 2, 1], [-2, 2, 2], [-2, 3, 2], [-3, 3, 2], [-3, 3, 3], [-4, 3, 2], [-4, 3, 2],
    ]  # fmt: skip
    assert (run.t, run.n_mistakes, run.mistakes) == (36, 18, [2, 3, 3, 2, 2, 3, 2, 1, 0])


def test_given_start_moves_only_on_the_mistake():
    run = Reference(init=[[-5.0, 0.0, 1.0]])
    run.partial_fit([[5.0, 7.0]], [1], [-1, 1])
    assert run.decision([5.0, 7.0]) == [2.0]
    assert lecture_order(run.answer()[0]) == [-5, 0, 1]
    run.partial_fit([[2.0, 6.0]], [-1], [-1, 1])
    assert lecture_order(run.answer()[0]) == [-6, -2, -5]


@pytest.mark.parametrize("d", [0, 1, 7, 8, 9, 16, 31, 100])
def test_dot_is_the_sum_to_rounding(d):
    draw = random.Random(d)
    w, x = ([draw.gauss(0, 1) for _ in range(d)] for _ in range(2))
    size = math.fsum(abs(a * b) for a, b in zip(w, x, strict=True))
    assert abs(dot(w, x) - math.fsum(a * b for a, b in zip(w, x, strict=True))) <= 4e-16 * (d + 8) * size


def test_dot_adds_lanes_in_the_fixed_tree():
    """1e16 swallows a 1 beside it, so each grouping of eight lanes has its own answer."""
    for big in itertools.permutations(range(8), 2):
        lane = [1.0] * 8
        lane[big[0]], lane[big[1]] = 1e16, -1e16
        l0, l1, l2, l3, l4, l5, l6, l7 = lane
        assert dot(lane, [1.0] * 8) == ((l0 + l4) + (l2 + l6)) + ((l1 + l5) + (l3 + l7))
    assert dot([1e16, *[0.0] * 7, -1e16, 1.0], [1.0] * 10) == 1.0  # 0 and 8 share a lane and cancel


def test_score_adds_the_bias_last():
    assert score([1e16, -1e16, 1.0], [1.0, 1.0, 1.0]) == 1.0
    assert score([1e16, 1.0, -1e16], [1.0, 1.0, 1.0]) == 0.0


def test_exp_is_within_two_ulp():
    draw = random.Random(0)
    points = [draw.uniform(-708, 708) for _ in range(3000)] + [draw.uniform(-2, 2) for _ in range(3000)]
    for x in [*points, 0.0, 708.0, -708.0, 0.5 * math.log(2), -0.5 * math.log(2)]:
        assert abs(exp(x) - math.exp(x)) <= 2 * math.ulp(math.exp(x)), x
    assert exp(0.0) == 1.0
    assert exp(1e9) == exp(708.0)
    assert exp(-1e9) == exp(-708.0) > 0


def test_splitmix64_known_values():
    """The first numbers of seed 1234567, from the published generator."""
    draw = SplitMix64(1234567)
    assert [draw.next() for _ in range(5)] == [
        6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
    ]  # fmt: skip
    assert SplitMix64(-1).state == 2**64 - 1


def test_below_is_fair_and_in_range():
    draw = SplitMix64(7)
    counts = Counter(draw.below(5) for _ in range(20000))
    assert set(counts) == set(range(5))
    assert max(abs(count - 4000) for count in counts.values()) < 5 * math.sqrt(20000 * 0.2 * 0.8)


def test_below_rejects_the_short_residue():
    """Just above half of 2^64, about half of all draws must be thrown away, or low numbers would be favoured."""
    n, draws = 2**63 + 1, 2000
    draw, again = SplitMix64(3), SplitMix64(3)
    values = [draw.below(n) for _ in range(draws)]
    used = next(k for k in itertools.count(1) if again.next() >= 0 and again.state == draw.state)
    assert max(values) < n
    assert 1.8 * draws < used < 2.2 * draws


def test_shuffle_is_a_permutation():
    draw = SplitMix64(0)
    for n in (1, 2, 3, 10, 57):
        assert sorted(draw.shuffled(n)) == list(range(n))


def test_every_order_is_equally_likely():
    draw, rounds = SplitMix64(11), 12000
    counts = Counter(tuple(draw.shuffled(4)) for _ in range(rounds))
    assert len(counts) == 24
    assert max(abs(count - rounds / 24) for count in counts.values()) < 5 * math.sqrt(rounds / 24)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"eta0": 0.3, "margin": 0.5},
        {"learning_rate": "inverse"},
        {"learning_rate": "adagrad"},
        {"learning_rate": "pa1", "eta0": 0.2},
        {"learning_rate": "arow"},
        {"loss": "logistic", "learning_rate": "invsqrt"},
        {"loss": "squared", "eta0": 0.05},
        {"multi_class": "joint", "loss": "logistic"},
        {"multi_class": "ovo"},
    ],
    ids=repr,
)
def test_average_is_the_mean_over_every_example(options):
    X, y = noise(17, 3, classes=3)
    lazy = Reference(keep="average", **options).fit(X, y, epochs=3)
    steps = list(every_step(X, y, 3, **options))[: lazy.t]
    for k, weights in enumerate(lazy.answer()):
        means = [math.fsum(step[k][j] for step in steps) / len(steps) for j in range(4)]
        assert weights == pytest.approx(means, rel=1e-12, abs=1e-14)


def test_average_of_batches_counts_the_last_row_of_each():
    X, y = noise(10, 2)
    options = {"batch": 4, "loss": "logistic"}
    run, steps = Reference(**options), []
    for x, label in zip(X, y, strict=True):
        run.partial_fit([x], [label], [0, 1])
        steps.append(list(run.units[0].w))
    lazy = Reference(keep="average", **options).partial_fit(X[:8], y[:8], [0, 1])
    assert steps[0] == steps[2] == [0, 0, 0] != steps[3] == steps[6] != steps[7]
    means = [math.fsum(step[j] for step in steps[:8]) / 8 for j in range(3)]
    assert lazy.answer()[0] == pytest.approx(means, rel=1e-12)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "joint"])
@pytest.mark.parametrize("classes", [2, 3])
def test_vote_is_one_vote_per_example(classes, multi_class):
    X, y = noise(15, 2, classes, seed=classes)
    run = Reference(keep="vote", multi_class=multi_class).fit(X, y, epochs=4)
    steps = list(every_step(X, y, 4, multi_class=multi_class))[: run.t]
    for x in noise(10, 2, seed=5)[0]:
        scores = [[score(w, [*x, 1.0]) for w in step] for step in steps]
        if multi_class == "joint" and classes > 2:
            winners = [argmax(s) for s in scores]
            expected = [Fraction(winners.count(k), run.t) for k in range(classes)]
        else:
            expected = [Fraction(sum(1 if s[k] > 0 else -1 for s in scores), run.t) for k in range(len(scores[0]))]
        assert run.decision(x) == [float(e) for e in expected]


def test_pocket_is_never_worse_than_before_and_ends_clean():
    """Points on a line and one of them mislabelled: the fewest errors are one, and the last weights make more."""
    X, y = [[float(i)] for i in range(-4, 5)], [1, -1, -1, -1, -1, 1, 1, 1, 1]
    runs = {keep: Reference(keep=keep, order="shuffle") for keep in ("pocket", "last")}
    errors = {keep: [wrong(run.fit(X, y), X, y) for _ in range(40)] for keep, run in runs.items()}
    assert errors["pocket"] == sorted(errors["pocket"], reverse=True)
    assert errors["pocket"][-1] == 1 < max(errors["last"][20:])
    clean = Reference(keep="pocket").fit(AND, AND_LABELS, epochs=20)
    assert lecture_order(clean.answer()[0]) == [-4, 3, 2]


def test_softmax_gradients_sum_to_zero():
    X, y = noise(12, 4, classes=4)
    run = Reference("logistic", multi_class="joint").fit(X, y, epochs=2)
    for j in range(5):
        assert math.fsum(unit.w[j] for unit in run.units) == pytest.approx(0, abs=1e-12)


def test_passive_aggressive_meets_the_margin_exactly():
    run = Reference(learning_rate="pa1", eta0=100.0).partial_fit([[3.0, 4.0]], [1], [-1, 1])
    assert run.decision([3.0, 4.0]) == pytest.approx([1.0])
    joint = Reference(learning_rate="pa1", eta0=100.0, multi_class="joint").partial_fit([[3.0, 4.0]], [2], [0, 1, 2])
    s = joint.decision([3.0, 4.0])
    assert s == pytest.approx([-0.5, 0, 0.5])  # against the first of the two rivals; the other is not moved


def test_a_weight_of_zero_is_as_if_absent():
    X, y = noise(9, 3)
    rows = [i for i in range(9) if i % 3]
    options = {"batch": 2, "loss": "logistic", "learning_rate": "inverse", "keep": "average"}
    some = Reference(**options).fit(X, y, [float(i % 3) for i in range(9)], epochs=3)
    fewer = Reference(**options).fit([X[i] for i in rows], [y[i] for i in rows], [float(i % 3) for i in rows], epochs=3)
    assert some.answer() == fewer.answer()
    assert some.t == fewer.t == 18
