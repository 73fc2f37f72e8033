"""Examples in memory: runs go through them pass by pass, or begin at the minimum of a regularised loss."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from rosenblatt import native
from rosenblatt.learn.files.rule_choice.portfolio import (
    MINIMUM,
    NUMBER_MINIMUM,
    RARITY_RULES,
    ROWS_MEASURED,
    power_of_2,
    scaled_by,
    scaled_to_length,
    weight_bytes,
)
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Block, Csr

PASSES = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597, 2584)
# What a row costs besides its values, and a value of a sparse row, in weights of dense rows.
_ROW_COST, _SPARSE_COST = 16, 4
# The minimum is measured with one penalty for each entry of PASSES, in place of passes: alpha is 1 / (C times the
# weight of all examples), where C begins at a thousandth and grows about threefold each time.
FIRST_C, FACTOR = 1e-3, 10**0.5
_NUMBER_STEPS = 64  # of conjugate gradients
STEPS = 24  # for each penalty, which begins at the weights of the one before
_MOST_WEIGHTS = 1 << 16  # for which a minimum is computed
_MOST_PRODUCTS = 512  # columns whose products are made
_STRIDE = 0x9E3779B97F4A7C15  # from the seed of one pass to that of the next


class Shuffler:
    """Puts the rows in a new order for each pass, or keeps the given order."""

    def __init__(self, seed: int, *, keep_order: bool) -> None:
        self._seed, self._keep_order = seed, keep_order

    def order(self, rows: Any, pass_: int) -> Any:
        return rows if self._keep_order else native.shuffled(rows, (self._seed + (pass_ + 1) * _STRIDE) % 2**64)[0]


class Learning:
    """The examples, and runs that go through them pass by pass."""

    def __init__(
        self,
        block: Block,
        n_classes: int,
        shuffler: Shuffler,
        degree: int,
        *,
        hashed: bool,
        sets: native.LabelSets | None = None,
        label_weights: Sequence[float] | None = None,
    ) -> None:
        self._weights = label_weights or [1.0] * n_classes
        self.block, self.n_classes, self.hashed, self._shuffler, self.sets = block, n_classes, hashed, shuffler, sets
        self.rows = native.rows_of(block.values, degree=degree)
        self._dense = not isinstance(block.values, Csr)
        self._columns = None
        if hashed:  # of millions of columns few occur
            self._columns = native.Columns()
            self._columns.add(self.rows)
        self.n_values = block.values.entries if isinstance(block.values, Csr) else self.rows.count * self.rows.features
        weighed = self.n_values if self._dense else _SPARSE_COST * self.n_values
        self.work = weighed + _ROW_COST * self.rows.count  # of a pass, for one unit

    def pass_work(self, settings: Settings) -> int:
        """Weights that a pass over all examples visits."""
        return self.work * settings.n_units(self.n_classes)

    @property
    def n_columns(self) -> int:
        """Columns that have weights."""
        return self.rows.features if self._columns is None else len(self._columns)

    def weight_bytes(self, settings: Settings) -> int:
        return weight_bytes(settings, self.n_columns, self.n_classes)

    @property
    def predicts_number(self) -> bool:
        return self.block.target_buffer is not None

    def begin(self, name: str, settings: Settings, seed: int) -> Run:
        run = Run(settings, self.rows.features, self._weights, seed, dense=self._dense, columns=self._columns)
        if name in RARITY_RULES:
            native.start_variances(run.learner, self.squared_rarities)
        if self.sets is not None:
            run.learner.decide_about(self.sets)
        joint = settings.scheme(self.n_classes) in ("binary", "joint", "multi-label")
        if settings.loss == "logistic" and joint and not settings.rate.per_feature:
            # With one rate for all weights, long examples need a small one, at which the bias would hardly learn.
            native.start_biases(run.learner, self.log_odds)
        return run

    @cached_property
    def log_odds(self) -> memoryview:
        """The best bias of each unit without any feature: the log odds of its class."""
        labels, weights = self.block.buffers
        if self.sets is not None:
            return native.label_log_odds(self.sets, labels, weights)
        return native.log_odds(labels, self.n_classes, weights)

    @cached_property
    def squared_rarities(self) -> memoryview:
        """The squared inverse document frequency of each column that occurs."""
        return native.squared_rarities(self.rows, self.n_columns)

    def scaled(self, name: str, settings: Settings) -> Settings:
        """Scale a rule for examples of length 1 to the length of these; RARITY_RULES weigh rare columns more."""
        if name not in RARITY_RULES:
            return scaled_to_length(settings, self.block.values)
        rows = min(self.rows.count, ROWS_MEASURED)
        return scaled_by(settings, power_of_2(native.weighted_squares(self.rows, rows, self.squared_rarities) / rows))

    def learn(self, run: Run, rows: Any, passes: int, threads: int = 1) -> None:
        """Learn until the run has made so many passes, or one without a mistake."""
        while len(run.mistakes) < passes and run.status != "separated":
            run.begin_pass()
            run.visit(self.block, self.rows, self._shuffler.order(rows, len(run.mistakes)), threads)
            run.end_pass()

    def scores(self, run: Run, rows: Any) -> Any:
        return run.scorer().scores(self.rows, rows)

    def fit(self, name: str, settings: Settings, seed: int, passes: int, threads: int) -> Run:
        """Learn all examples by the chosen rule, with so many passes or the penalty that belongs to them."""
        rows = array("I", range(self.rows.count))
        if name not in (MINIMUM, NUMBER_MINIMUM):
            run = self.begin(name, settings, seed)
            self.learn(run, rows, passes, threads)
            return run
        weights = None
        # Conjugate gradients need no warm start from larger penalties.
        penalties = (passes,) if self.predicts_number else PASSES[: PASSES.index(passes) + 1]
        for penalty in penalties:
            weights = self.minimum(rows, penalty, weights)
        return self.at_minimum(name, settings, seed, rows, weights)

    def has_minimum(self, settings: Settings) -> bool:
        """Whether a run may begin at the minimum of the regularised loss: with few weights, and without forgetting
        or votes."""
        n_units = 1 if self.n_classes <= 2 else self.n_classes
        is_plain = settings.keep in ("average", "last") and not settings.forget
        return self.sets is None and not self.hashed and is_plain and n_units * self.rows.features <= _MOST_WEIGHTS

    def column_products(self, rows: Any) -> Any:
        """The products of all pairs of columns, for many penalties on the same rows; None where there are so many
        columns that it takes less to visit the rows for each."""
        if self.rows.features >= min(2 * len(rows), _MOST_PRODUCTS):
            return None
        return native.column_products(self.rows, rows, self.block.target_buffer, self.block.buffers[1])

    def minimum(self, rows: Any, passes: int, start: Any, products: Any = None) -> tuple[Any, Any]:
        """The weights that minimise the regularised logistic loss, or squared error, with the penalty that belongs to
        so many passes; `products` are the `column_products` of the rows."""
        labels, weights = self.block.buffers
        total = len(rows) if weights is None else sum(weights[row] for row in rows)
        alpha = 1.0 / (FIRST_C * FACTOR ** PASSES.index(passes) * max(total, 1e-300))
        if self.predicts_number:
            coef, bias = (None, 0.0) if start is None else (start[0].cast("B").cast("d"), start[1][0])
            targets = self.block.target_buffer
            steps = _NUMBER_STEPS
            return native.squared_minimum(self.rows, rows, targets, weights, alpha, steps, coef, bias, products)[:2]
        coef, bias = (None, self.log_odds) if start is None else start
        return native.logistic_minimum(self.rows, rows, labels, weights, self.n_classes, alpha, STEPS, coef, bias)[:2]

    def at_minimum(self, name: str, settings: Settings, seed: int, rows: Any, weights: tuple[Any, Any] | None) -> Run:
        """A run that begins at these weights, and can learn on: it makes one pass of small steps."""
        assert weights is not None
        run = self.begin(name, settings, seed)
        run.learner.put("weights", *weights)
        self.learn(run, rows, 1)
        return run
