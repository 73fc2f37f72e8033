"""Storing weights only for columns that occur gives the same bits as storing all, for any rows and rule."""

from typing import Any

import numpy as np
import pytest

from rosenblatt import native
from rosenblatt.errors import LearningOverflowError
from rosenblatt.learn.run import PARTS, Run
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.shared_pass import share_pass
from rosenblatt.records import Block, Csr

FEATURES = 5_000
RULES = [
    Settings(),
    Settings(keep="last", margin=1.0, batch=7),
    Settings(loss="logistic", learning_rate="adagrad", keep="last"),
    Settings(loss="hinge", learning_rate="arow", r=2.0),
    Settings(loss="squared", learning_rate="invsqrt", eta0=0.01),
    Settings(learning_rate="pa1", keep="pocket"),
    Settings(keep="vote"),
]


def block(seed: int, rows: int = 60, index: type = np.int32, value: type = np.float64, *, messy: bool = False) -> Block:
    """Rows with few of many columns; messy rows have them in any order, and some twice."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 20, rows)
    columns_by_row = [rng.choice(FEATURES // 50, n, replace=messy) * 50 + rng.integers(0, 3) for n in lengths]
    columns = np.concatenate([part if messy else np.sort(part) for part in columns_by_row]).astype(index)
    values = rng.standard_normal(len(columns)).astype(value)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return Block(Csr(starts, columns, values, FEATURES), rng.integers(0, 3, rows).astype(np.int32))


def with_two_classes(block: Block) -> Block:
    return Block(block.values, np.minimum(block.labels, 1).astype(np.int32))


def comparable_counts(run: Run) -> dict[str, Any]:
    counts = run.counts()
    counts["votes"] = repr(counts["votes"])
    del counts["counters"]["bound"]  # for messy rows one run may have a tighter bound than the other
    return counts


def same_run(first: Run, second: Run) -> bool:
    for name in PARTS:
        a, b = first.part(name), second.part(name)
        if (a is None) != (b is None) or (
            a is not None and any(x.tobytes() != y.tobytes() for x, y in zip(a, b, strict=True))
        ):
            return False
    same_weights = first.final_weights.coef.tobytes() == second.final_weights.coef.tobytes()
    return comparable_counts(first) == comparable_counts(second) and same_weights


@pytest.mark.parametrize("settings", RULES)
@pytest.mark.parametrize("classes", [2, 3])
def test_a_pass_gives_the_same_bits(settings: Settings, classes: int) -> None:
    scheme = settings._replace(multi_class="joint") if settings.keep == "last" else settings
    blocks = [
        block(1),
        block(2, index=np.int64),
        block(3, value=np.float32),
        block(4, messy=True),
        block(5, messy=True, index=np.int64, value=np.float32),
    ]
    columns = native.Columns()
    plain = Run(scheme, FEATURES, [1.0] * classes, 0)
    compact, other = (Run(scheme, FEATURES, [1.0] * classes, 0, columns=columns) for _ in range(2))
    for part in (with_two_classes(block_) if classes == 2 else block_ for block_ in blocks * 2):
        share_pass([plain], part)
        share_pass([compact, other], part)
        assert same_run(plain, compact)
        rows = native.rows_of(part.values)
        assert plain.learner.scores(rows).tobytes() == compact.learner.scores(rows).tobytes()
    assert same_run(plain, other)


@pytest.mark.parametrize("settings", RULES)
@pytest.mark.parametrize("scheme", ["ovr", "ovo", "joint"])
def test_entries_and_units_list_only_the_columns_that_occurred(settings: Settings, scheme: str) -> None:
    run = Run(settings._replace(multi_class=scheme), FEATURES, [1.0] * 3, 0, columns=native.Columns())
    share_pass([run], block(11, rows=9))
    for name in PARTS:
        usual = 1.0 if name == "scale" and settings.learning_rate == "arow" else 0.0
        part, entries = run.learner.get(name), run.learner.entries_other_than(name, usual)
        assert (part is None) == (entries is None)
        if part is not None and entries is not None:
            expected = native.entries_other_than(part[0], usual)
            assert expected is not None
            assert [bytes(memory) for memory in entries] == [
                bytes(expected[0]),
                bytes(expected[1]),
                bytes(part[1]),
            ]
    for k in range(3):
        columns, weights, bias = run.unit(k)
        assert columns is not None
        assert list(columns) == sorted(columns)
        dense = np.zeros(FEATURES)
        dense[np.asarray(columns)] = weights
        assert dense.tolist() == run.final_weights.coef[k].tolist()
        assert bias == run.final_weights.intercept[k]
    with pytest.raises(IndexError):
        run.unit(3)
    plain = Run(settings, 3, [1.0] * 3, 0)
    assert plain.learner.entries_other_than("weights", 0.0) is None
    assert plain.unit(2)[0] is None


def test_weights_of_many_columns_are_written_as_a_whole_matrix() -> None:
    run = Run(Settings(keep="last"), 16, [1.0] * 2, 0, columns=native.Columns())
    X = Csr(np.array([0, 16]), np.arange(16, dtype=np.int32), np.ones(16), 16)
    share_pass([run], Block(X, np.array([0], np.int32)))
    assert run.learner.entries_other_than("weights", 0.0) is None
    assert run.final_weights.coef.tolist() == [[-1.0] * 16]


@pytest.mark.parametrize("settings", RULES[:3])
def test_other_rows_are_scored_alike_and_change_nothing(settings: Settings) -> None:
    """Rows with columns that never occurred, unsorted rows, dense rows of any layout."""
    plain = Run(settings, FEATURES, [1.0] * 3, 0)
    compact = Run(settings, FEATURES, [1.0] * 3, 0, columns=native.Columns())
    for run in (plain, compact):
        share_pass([run], block(1))
    dense = np.random.default_rng(3).standard_normal((4, FEATURES))
    other = Csr(np.array([0, 3, 3, 5]), np.array([1, 7, 50, 4999, 0], np.int32), np.arange(1.0, 6.0), FEATURES)
    rows: list[Any] = [dense, np.asfortranarray(dense), dense.astype(np.float32), other]
    rows += [part.values for part in (block(2), block(4, messy=True), block(5, index=np.int64, value=np.float32))]
    before = [bytes(memory) for memory in compact.learner.unit(0)[:2]]  # type: ignore[arg-type]
    for values in rows:
        expected, scores = (run.scorer().scores(native.rows_of(values)) for run in (plain, compact))
        assert bytes(scores) == bytes(expected)
    assert [bytes(memory) for memory in compact.learner.unit(0)[:2]] == before  # type: ignore[arg-type]


def test_a_run_by_epochs_gives_the_same_bits() -> None:
    for keep in ("average", "pocket"):
        settings = Settings(keep=keep, order="shuffle")
        plain = Run(settings, FEATURES, [1.0, 2.0], 3)
        compact = Run(settings, FEATURES, [1.0, 2.0], 3, columns=native.Columns())
        for run in (plain, compact):
            run.fit(with_two_classes(block(6)), 4)
        assert same_run(plain, compact)


def test_a_column_met_by_one_learner_does_not_affect_another() -> None:
    """A column that only one learner has met does not affect the other; a copy is independent."""
    columns = native.Columns()
    settings = Settings(learning_rate="arow", keep="last")
    first, second = (Run(settings, FEATURES, [1.0] * 3, 0, columns=columns) for _ in range(2))
    alone = Run(settings, FEATURES, [1.0] * 3, 0)
    share_pass([first], block(7))
    twin = first.learner.copy()
    share_pass([second], block(8))
    share_pass([alone], block(8))
    assert same_run(second, alone)
    share_pass([first], block(8))
    assert bytes(twin.get("weights")[0]) != bytes(first.learner.get("weights")[0])


def test_the_number_of_columns_may_grow() -> None:
    columns, wide = native.Columns(), block(9)
    settings = Settings(keep="last")
    compact, plain = Run(settings, 10, [1.0] * 3, 0, columns=columns), Run(settings, 10, [1.0] * 3, 0)
    narrow = Block(Csr(np.array([0, 2]), np.array([1, 9], np.int32), np.ones(2), 10), np.array([1], np.int32))
    for part in (narrow, wide, narrow):
        for run in (compact, plain):
            run.visit(part, native.rows_of(part.values), None)
    assert compact.learner.features == plain.learner.features == FEATURES
    assert same_run(compact, plain)


def test_weights_overflow_at_the_same_row() -> None:
    """Independent of how many columns have occurred so far, which depends on other threads."""
    rows = Csr(np.arange(301), np.zeros(300, np.int32), np.full(300, 1e143), FEATURES)
    part = Block(rows, (np.arange(300) % 2).astype(np.int32))
    outcomes = []
    for columns in (None, native.Columns()):
        run = Run(Settings(keep="last"), FEATURES, [1.0] * 2, 0, columns=columns)
        with pytest.raises(LearningOverflowError):
            run.visit(part, native.rows_of(part.values), None)
        outcomes.append((run.learner.overflow_row, run.learner.may_overflow(1, 1e60, 1.0)))
    assert outcomes[0] == outcomes[1]


def test_what_compact_weights_cannot_do_is_refused() -> None:
    run, other = (Run(Settings(), FEATURES, [1.0] * 3, 0, columns=native.Columns()) for _ in range(2))
    weights: Any = run.part("weights")
    with pytest.raises(ValueError, match="has no such weights"):
        run.learner.put("weights", *weights)
    with pytest.raises(ValueError, match="share their columns"):
        share_pass([run, other], block(1))
    with pytest.raises(ValueError, match="needs sparse rows"):
        run.visit(Block(np.ones((1, FEATURES)), np.zeros(1, np.int32)), native.rows_of(np.ones((1, FEATURES))), None)
