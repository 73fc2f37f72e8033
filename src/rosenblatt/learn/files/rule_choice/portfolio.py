"""The named rules as settings, what 'auto' tries, and the candidates of a fit: as many of them as fit in memory.

Several rules learn the same blocks, each in its own run. Those that overflow or clearly fall behind are dropped while
the first pass is learned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from rosenblatt import native, options, rules
from rosenblatt.available_memory import why_too_large
from rosenblatt.errors import DataError, LearningOverflowError, ParameterError
from rosenblatt.lazy import np
from rosenblatt.learn.files.plan import Plan
from rosenblatt.learn.files.rule_choice.race import Race
from rosenblatt.learn.polynomial import checked_count, squared_length
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Block, Csr, Values

RULES: Mapping[str, Settings] = MappingProxyType(
    {name: Settings(order="given", **{"keep": "last", **values}) for name, values in rules.RULES.items()}
)
# The rules for numbers, with the squared error; 'auto' tries all of them.
NUMBER_RULES: Mapping[str, Settings] = MappingProxyType(
    {
        name: Settings(order="given", task="number", loss="squared", **{"keep": "last", **values})
        for name, values in rules.NUMBER_RULES.items()
    }
)
NUMBER_MINIMUM = "number-minimum"  # ridge regression, of few examples
# The rules that 'auto' tries. Of errors that chance cannot tell apart the earlier rule is kept. A bold arow trusts each
# column at its own scale, so columns in different units do not harm it; the others do better where features are alike.
PORTFOLIO: Sequence[str] = ("logistic", "arow", "arow-bold", "logistic-bold", "hinge", "perceptron")
# Few examples are learned in several passes, and more is tried: the average of logistic regression at a constant rate,
# which comes as near to its minimum as a batch method; with a larger rate where a hyperplane nearly separates the
# classes, and the weights must grow large. For words its rate is larger, and arow is tried with larger
# variances for rare words, as if each were multiplied by its inverse document frequency.
# And logistic regression at the minimum of its regularised loss, which small steps reach only slowly where columns say
# nearly the same or a hyperplane nearly separates the classes.
BOLD_AVERAGE = "logistic-average-bold"
MINIMUM = "logistic-minimum"
_AVERAGE = RULES["logistic-average"]
FOLD_PORTFOLIO: Mapping[str, Settings] = MappingProxyType(
    {"logistic-average": _AVERAGE, MINIMUM: _AVERAGE._replace(eta0=2.0**-6), BOLD_AVERAGE: RULES[BOLD_AVERAGE]}
)
WORD_PORTFOLIO: Mapping[str, Settings] = MappingProxyType(
    {"logistic-average": _AVERAGE._replace(eta0=4.0), "arow-rare": RULES["arow"]}
)
RARITY_RULES = ("arow-rare",)
LAST_RULES = (*RARITY_RULES, BOLD_AVERAGE)  # chosen only where they are clearly better than all others
ROWS_MEASURED = 1000  # for the length of the examples
_PORTFOLIO_BYTES = 420 << 20  # memory for the weights of all rules of a portfolio


def scaled_to_length(settings: Settings, values: Values) -> Settings:
    """A rule for examples of length 1, scaled to the length of these: on examples k times as long it learns the same.

    The length is rounded to a power of 2, so that the result depends little on which rows come first.
    """
    if settings.length_scaling is None:
        return settings
    return scaled_by(settings, _length(values, settings.degree))


def scaled_by(settings: Settings, length: float) -> Settings:
    """A rule for examples of length 1 as one for examples of this length."""
    if settings.length_scaling is None:
        return settings
    parameter, power = settings.length_scaling
    return settings._replace(**{parameter: getattr(settings, parameter) * length**power})


def _length(values: Values, degree: int) -> float:
    rows = min(values.shape[0], ROWS_MEASURED)
    if isinstance(values, Csr):
        starts, _, numbers = values.buffers
        total = native.sum_of_squares(numbers, int(starts[rows]))
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            total = float(squared_length(values[:rows], degree).sum())
    return power_of_2(total / max(rows, 1))


def power_of_2(square: float) -> float:
    """The power of 2 that is nearest to the root.

    >>> power_of_2(17.0), power_of_2(0.0)
    (4.0, 1.0)
    """
    return 2.0 ** min(max(round(math.log2(square) / 2), -100), 100) if 0 < square < math.inf else 1.0


def candidates(rule: str | Settings) -> dict[str, Settings]:
    """The settings to try, by name, best guess first."""
    if isinstance(rule, Settings):
        return {"own": rule._replace(order="given")}
    if rule == "auto":
        return {name: RULES[name] for name in PORTFOLIO}
    if rule in NUMBER_RULES:
        return {}
    if rule not in RULES:
        options.rule.check(rule, "fit")
        raise ParameterError(f"There is no rule called {rule!r}.")
    return {rule: RULES[rule]}


def number_candidates(rule: str | Settings, error: str, quantiles: Sequence[float]) -> dict[str, Settings]:
    """The settings to try for a number; none where the rule is one for classes."""
    if isinstance(rule, Settings):
        return {"own": rule._replace(order="given")} if rule.predicts_number else {}
    names = NUMBER_RULES if rule == "auto" else [rule] if rule in NUMBER_RULES else []
    loss = "quantile" if quantiles else error
    return {name: NUMBER_RULES[name]._replace(loss=loss, quantiles=tuple(quantiles)) for name in names}


def fold_candidates(rule: str | Settings, *, words: bool) -> dict[str, Settings]:
    """What 'auto' also tries on few examples."""
    return dict(WORD_PORTFOLIO if words else FOLD_PORTFOLIO) if rule == "auto" else {}


def affordable(tried: Mapping[str, Settings], features: int, classes: int) -> dict[str, Settings]:
    """The first of the candidates that fit in memory together; always the first one."""
    chosen: dict[str, Settings] = {}
    left = _PORTFOLIO_BYTES
    for name, settings in tried.items():
        left -= weight_bytes(settings, features, classes)
        if chosen and left < 0:
            break
        chosen[name] = settings
    return chosen


def weight_bytes(settings: Settings, features: int, classes: int) -> int:
    """Bytes of the weights of one run."""
    units = settings.n_units(classes)
    parts = 1 + settings.rate.per_feature + (settings.keep == "average")
    return 8 * parts * features * (units if units == 1 else -(-units // 4) * 4)


def check_memory(name: str, runs: Iterable[Settings], features: int, classes: int) -> None:
    """DataError if the weights of all runs together do not fit in memory: the system would kill the process."""
    why = why_too_large(sum(weight_bytes(settings, features, classes) for settings in runs))
    if why is not None:
        raise DataError(
            f"{name}: has {features:,} features, whose weights need {why}; number the features without large gaps.",
            file=name,
        )


class Candidates:
    """The runs that still learn, why the others were dropped, and the errors of each."""

    def __init__(
        self,
        source_name: str,
        plan: Plan,
        n_classes: int,
        sets: native.LabelSets | None = None,
        label_weights: Sequence[float] | None = None,
    ) -> None:
        self._source_name, self._plan, self._n_classes, self._sets = source_name, plan, n_classes, sets
        self._weights = label_weights or [1.0] * n_classes  # weights of classes are in those of the examples
        self.runs: dict[str, Run] = {}
        self.settings: dict[str, Settings] = {}  # of every run that was started
        self.progressive: dict[str, float] = {}  # errors made before learning, of rules that ended the first pass
        self.failed: list[str] = []  # their weights overflowed
        self.race = Race(counts_mistakes=not plan.predicts_number)
        self.given_up: dict[str, int] = {}  # rules that fell behind, after this many examples
        self.best_then: dict[str, float] = {}  # the error of the best rule at that point
        self._features_checked = 0  # there is memory for this many
        self._before: tuple[float, float] | None = None  # errors and weight of a loaded model's examples

    def begin(self, block: Block, *, hashed: bool) -> None:
        """Begin the runs, which learn this block first."""
        features = checked_count(block.values.shape[1], self._plan.degree)
        dense = not isinstance(block.values, Csr)
        tried = affordable(self._plan.candidates, features, self._n_classes)
        self._check_memory(tried, features)
        columns = native.Columns() if hashed else None  # of millions of columns few occur
        for name, settings in tried.items():
            if self._plan.scale_to_length:
                settings = scaled_to_length(settings, block.values)
            self.settings[name] = settings
            run = Run(settings, features, self._weights, self._plan.seed, dense=dense, columns=columns)
            if self._sets is not None:
                run.learner.decide_about(self._sets)
            run.learner.count_errors(True)
            run.begin_pass()
            self.runs[name] = run

    def grow(self, block: Block) -> None:
        """Refuse a block whose features need more memory than there is, before any is allocated."""
        self._check_memory(self.settings, checked_count(block.values.shape[1], self._plan.degree))

    def add_class(self, grow: Callable[[Run], Run]) -> None:
        """Every run gets units for one class more."""
        self._n_classes += 1
        check_memory(self._source_name, self.settings.values(), self._features_checked, self._n_classes)
        self.runs = {name: grow(run) for name, run in self.runs.items()}

    def _check_memory(self, settings: Mapping[str, Settings], features: int) -> None:
        if features > self._features_checked:
            check_memory(self._source_name, settings.values(), features, self._n_classes)
            self._features_checked = features

    def unfinished(self) -> dict[str, Run]:
        """The runs that have not ended: neither separated nor stopped on the held-out rows."""
        return {name: run for name, run in self.runs.items() if run.status not in ("separated", "validated")}

    def drop_overflowed(self, overflowed: Sequence[tuple[str, int]]) -> None:
        """Drop the runs whose weights overflowed, each at an example; an error if none would be left."""
        for name, example in overflowed:
            if len(self.runs) == 1:
                raise LearningOverflowError(
                    f"{self._source_name}: the weights of {name} overflowed at example {example + 1}: "
                    "scale the features, or choose another rule.",
                    file=self._source_name,
                )
            self.failed.append(name)
            del self.runs[name]

    def drop_losers(self) -> None:
        """Drop the rules that have fallen behind; their errors and that of the best rule are kept for the report."""
        marks = {name: (self.error(name) * run.learner.t, run.learner.t) for name, run in self.unfinished().items()}
        best = min((self.error(name) for name in marks), default=1.0)
        for name in self.race.losers(marks):
            self.progressive[name], self.given_up[name] = self.error(name), marks[name][1]
            self.best_then[name] = best
            del self.runs[name]

    def error(self, name: str) -> float:
        """The progressive error: wrong predictions made before learning, as a share of the weight of the first pass;
        where a number is predicted, the mean error of these predictions.

        For a rule that keeps its average it is the error of the average, estimated on some thousand rows.
        """
        learner = self.runs[name].learner
        return self.progressive.get(name, max(self._errors(learner), 0.0) / max(learner.weighed, 1e-300))

    def _errors(self, learner: native.Learner) -> float:
        """The sum of what is counted as an error."""
        if not self._plan.predicts_number:
            return learner.wrong
        if self._plan.quantiles:
            return learner.pinball_error
        return learner.squared_error if self._plan.error == "squared" else learner.absolute_error

    def known_before(self, run: Run) -> None:
        """Remember the errors that the run of a loaded model has made so far, for `new_error` to leave out."""
        self._before = self._errors(run.learner), run.learner.weighed

    def new_error(self, name: str) -> float | None:
        """The progressive error on the new examples alone; None unless a loaded model learns on."""
        if self._before is None:
            return None
        learner, (errors, weighed) = self.runs[name].learner, self._before
        return max(self._errors(learner) - errors, 0.0) / max(learner.weighed - weighed, 1e-300)

    def end_pass(self, *, first_pass: bool) -> dict[str, Run]:
        """End the pass of the runs that were learned in it, and return them."""
        ended = self.unfinished()
        if first_pass:
            self.progressive |= {name: self.error(name) for name in ended}
        for run in ended.values():
            run.learner.count_errors(False)
            run.end_pass()
        return ended
