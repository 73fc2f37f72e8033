"""Rules that fall behind are dropped; that does not affect the rule that is kept."""

import numpy as np
import pytest

from rosenblatt.learn.files.plan import Plan
from rosenblatt.learn.files.rule_choice import race as racing
from rosenblatt.learn.files.rule_choice.portfolio import candidates
from rosenblatt.learn.files.rule_choice.race import Race
from rosenblatt.model.fit_file import fit_source
from tests.slow_twins.learn.files import Arrays


def test_nobody_is_judged_early_or_alone() -> None:
    race = Race()
    assert race.losers({"a": (0, 8191), "b": (8191, 8191)}) == []
    assert race.losers({"b": (9000, 9000)}) == []
    assert race.losers({}) == []


def test_a_slow_beginner_is_judged_by_its_latest_half() -> None:
    race = Race()
    assert race.losers({"quick": (1600, 8192), "slow": (1700, 8192)}) == []
    # on the second half the slow one is far better, though not overall
    assert race.losers({"quick": (3200, 16384), "slow": (2500, 16384)}) == ["quick"]
    assert race.next_look == 32768


def test_equals_stay() -> None:
    race = Race()
    assert race.losers({"a": (0, 10_000), "b": (0, 10_000), "c": (3, 10_000)}) == []


@pytest.mark.parametrize("threads", [1, 4])
def test_what_is_kept_is_what_it_would_have_been(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    draw = np.random.default_rng(0)
    X = draw.normal(size=(3000, 12)).round(3)
    X[:, :6] *= 1000  # columns in different units: only some rules cope
    y = (X @ np.concatenate([np.full(6, 0.001), np.ones(6)]) > 0).astype(int)
    unraced = fit_source(Arrays(X, y.tolist(), step=100), Plan(candidates("auto"), threads=threads))
    monkeypatch.setattr(racing, "_FIRST", 256)
    monkeypatch.setattr(Race.__init__, "__defaults__", (256, None))
    monkeypatch.setattr("rosenblatt.learn.files.passes._BATCH", 1)
    raced = fit_source(Arrays(X, y.tolist(), step=100), Plan(candidates("auto"), threads=threads))
    assert raced.chosen == unraced.chosen
    assert raced.model.coef.tobytes() == unraced.model.coef.tobytes()
    assert [candidate.rule for candidate in raced.candidates] == [candidate.rule for candidate in unraced.candidates]
    given_up = {candidate.rule: candidate.given_up for candidate in raced.candidates if candidate.given_up}
    assert given_up
    assert unraced.chosen not in given_up
    assert all(candidate.given_up is None for candidate in unraced.candidates)


def errors_of(share: float, turns: int, rows: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Errors and examples so far, turn by turn."""
    wrong = np.cumsum(rng.binomial(rows, share, turns))
    return [(int(w), rows * (turn + 1)) for turn, w in enumerate(wrong)]


def race_of(runs: dict[str, list[tuple[int, int]]]) -> dict[str, int]:
    """The number of examples after which each rule is dropped."""
    race, gone = Race(), dict[str, int]()
    for turn in range(len(runs["a"])):
        marks_by_name = {name: marks[turn] for name, marks in runs.items() if name not in gone}
        gone |= {name: marks_by_name[name][1] for name in race.losers(marks_by_name)}
    return gone


def test_equals_need_not_both_be_learned_to_the_end() -> None:
    rng = np.random.default_rng(0)
    a = errors_of(0.15, 100, 5000, rng)
    b = [(wrong + turn, rows) for turn, (wrong, rows) in enumerate(a)]  # wrong where a is, and on a few more
    assert race_of({"a": a, "b": b}) == {"b": 265_000}


def test_a_rule_that_may_be_better_stays() -> None:
    rng = np.random.default_rng(1)
    a, b = errors_of(0.15, 50, 2000, rng), errors_of(0.15, 50, 2000, rng)
    assert race_of({"a": a, "b": b}) == {}  # too few examples to know
    a, b = errors_of(0.3, 60, 5000, rng), errors_of(0.3, 60, 5000, rng)
    assert race_of({"a": a, "b": b}) == {}  # wrong on different examples: chance could hide a real difference
