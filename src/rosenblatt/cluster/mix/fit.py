"""`fit` with several learners: shards are learned separately, their weights mixed after each pass, then polished."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable
from typing import Any, NamedTuple

from rosenblatt import native, options
from rosenblatt.cluster.engine import Engine
from rosenblatt.cluster.mix.lbfgs import minimise
from rosenblatt.cluster.mix.mixing import State, mixed
from rosenblatt.cluster.mix.pieces import logistic
from rosenblatt.cluster.mix.rounds import Rounds, errors_in
from rosenblatt.cluster.mix.shards import ShardWriter
from rosenblatt.errors import DataError, ParameterError, option
from rosenblatt.lazy import np
from rosenblatt.learn.files.passes import Fitting
from rosenblatt.learn.files.plan import Plan
from rosenblatt.learn.files.rule_choice.portfolio import scaled_to_length
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.model.fit.fitted import Fitted, fitted_of
from rosenblatt.model.fit_file import begin_fitting, open_to_learn
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.source import RereadError, Source
from rosenblatt.records import Floats, Status

PASSES = {True: 30, False: 4}  # for mistake-driven rules, which may separate, and for others
_ITERATIONS = 60  # of polishing, at most
_PATIENCE = 4  # iterations without a smaller loss on the rows held out


class Mixing(NamedTuple):
    """How shards are mixed; `on_end` is called with the rounds it took."""

    evenly: bool = False  # all shards count alike in every column, however often they have seen it
    polish: bool = True
    on_end: Callable[[Rounds], None] = lambda rounds: None


_USUAL = Mixing()
_NONE: Floats = np.empty(0)


class Judged(NamedTuple):
    """A state, and its loss and error on the rows held out."""

    state: State
    loss: float
    error: float
    losses: Floats = _NONE  # of each row

    def clearly_better_than(self, other: Judged) -> bool:
        difference = other.losses - self.losses
        n = len(difference)
        return n > 1 and float(difference.mean()) > float(difference.std()) / math.sqrt(n)


def fit_mixed(
    source: Source, plan: Plan, engine: Engine, n_shards: int, test: Paths | None = None, *, mixing: Mixing = _USUAL
) -> Fitted:
    """Learn an open source in `n_shards` shards; the result does not depend on the number of workers.

    `mixing` is for the benchmark, which measures what each part contributes.
    """
    _refuse(plan)
    plan = plan._replace(holdout=plan.holdout or options.SHARE_LEFT_OUT, order="given", checkpoint=None)
    source, all_labels = open_to_learn(source, plan), False
    while True:
        with tempfile.TemporaryDirectory(prefix="rosenblatt-shards-", dir=plan.cache) as folder:
            fitting = begin_fitting(source, plan._replace(passes=1), all_labels)
            shards = ShardWriter(os.path.join(folder, "shards"), n_shards)
            with fitting.examples:
                try:
                    settings = _divide(fitting, shards)
                except RereadError:
                    continue
                if fitting.examples.new_label:
                    all_labels = True
                    continue
                rounds = Rounds(shards, engine, settings, fitting.n_classes, plan.seed, evenly=mixing.evenly)
                _learn(fitting, shards, rounds, settings, plan.passes, polish=mixing.polish)
                mixing.on_end(rounds)
            if _threshold_moves(fitting, plan):
                fitting.plan = fitting.plan._replace(passes=plan.passes)
            return fitted_of(fitting, test)


def _threshold_moves(fitting: Fitting, plan: Plan) -> bool:
    """Whether probabilities may move the threshold: the plan leaves it to the data, and on the examples held out, which
    are few, it helps by more than a standard error."""
    honest = fitting.honest_scores
    if plan.threshold is not None or honest is None or fitting.number is not None:
        return True
    by_score = np.asarray(fitted_of(fitting).model.decided(honest.scores))
    fitting.plan = fitting.plan._replace(passes=plan.passes)
    moved = np.asarray(fitted_of(fitting).model.decided(honest.scores))
    fitting.plan = fitting.plan._replace(passes=1)
    truth = np.asarray(honest.truth)
    gain = np.count_nonzero(moved == truth) - np.count_nonzero(by_score == truth)
    return bool(gain > math.sqrt(np.count_nonzero(moved != by_score)))


def _refuse(plan: Plan) -> None:
    for name, used in {
        "multi_label": plan.reading.multi_label,
        "features": plan.degree > 1,
        "size": plan.size is not None,
        "patience": plan.patience is not None,
    }.items():
        if used:
            raise ParameterError(f"{option(name)} cannot be used with {option('shards')}: leave one of them out.")


def _divide(fitting: Fitting, shards: ShardWriter) -> Settings:
    """Read everything into the shards; returns the rule, scaled to the length of the first examples."""
    plan, settings = fitting.plan, None
    name, rule = next(iter(plan.candidates.items()))
    for part in fitting.examples.read():
        if settings is None:
            settings = scaled_to_length(rule, part.block.values) if plan.scale_to_length else rule
        fitting.candidates.grow(part.block)
        shards.add(part.block, part.rows)
    if settings is None or shards.rows == 0:
        raise DataError(f"{fitting.source.name}: has no example to learn from.", file=fitting.source.name)
    shards.flush()
    if fitting.number is not None:
        fitting.number.refuse_equal()
    fitting.candidates.settings[name] = settings
    return settings


def _learn(
    fitting: Fitting, shards: ShardWriter, rounds: Rounds, settings: Settings, wanted: int | str, *, polish: bool
) -> None:
    plan, n_classes, name = fitting.plan, fitting.n_classes, next(iter(fitting.plan.candidates))
    passes = wanted if isinstance(wanted, int) else PASSES[settings.mistake_driven]
    run = Run(settings, shards.features, [1.0] * n_classes, plan.seed, dense=shards.dense)
    judge = _Judge(fitting, settings, shards.features)
    state: State | None = None
    best: Judged | None = None
    status: Status = "budget"
    for pass_ in range(passes):
        state, error, mistakes = _pass(rounds, state, pass_, settings, run.learner.units)
        run.mistakes.append(mistakes)
        run.loss.append(0.0)
        if pass_ == 0:
            fitting.candidates.progressive[name] = error(plan)
        judged = judge(state)
        if settings.mistake_driven and mistakes == 0:
            best, status = judged, "separated"
            break
        best = judged if best is None or judged.loss <= best.loss else best
    assert best is not None
    if (
        polish
        and status == "budget"
        and settings.loss == "logistic"
        and settings.scheme(n_classes) in ("binary", "joint")
    ):
        best, status = _polished(rounds, best, judge, shards.rows)
    _finish(fitting, run, name, best, status)


def _pass(rounds: Rounds, state: State | None, pass_: int, settings: Settings, units: int) -> tuple[State, Any, int]:
    """The mixed state after each shard has learned one pass, its progressive error, and the number of mistakes."""
    sums = rounds.run("learn", state, pass_)
    start, keeps_scale = settings.rate.per_feature_start, settings.rate.per_feature
    if state is None:
        zeros = np.zeros((units, len(sums.columns)))
        scale = (np.full_like(zeros, start), np.full(units, start)) if keeps_scale else (None, None)
        state = State(sums.columns, zeros, np.zeros(units), *scale)
    wrong, weighed, mistakes = errors_in(sums.numbers, units, 1 + keeps_scale)

    def error(plan: Plan) -> float:
        which = 0
        if plan.predicts_number:
            which = 3 if plan.quantiles else 1 if plan.error == "squared" else 2
        return max(float(wrong[which]), 0.0) / max(weighed, 1e-300)

    return mixed(state, sums, rounds.n_shards, evenly=rounds.evenly), error, mistakes


def _polished(rounds: Rounds, best: Judged, judge: _Judge, n_rows: int) -> tuple[Judged, Status]:
    """Minimise the logistic loss over all shards until the loss on the rows held out rises: once with the same step
    size for all columns, once with those of adagrad, which learn rare words better. Returns the better result.
    """
    even = np.ones(best.state.weights.size + len(best.state.bias))
    first, second = (_descended(rounds, best, judge, n_rows, steps) for steps in (even, _steps(best.state)))
    if first[1] == second[1]:
        return min(first, second, key=lambda result: result[0].loss)
    separating, other = (first, second) if first[1] == "separated" else (second, first)
    return other if other[0].clearly_better_than(separating[0]) else separating


def _descended(rounds: Rounds, best: Judged, judge: _Judge, n_rows: int, steps: Floats) -> tuple[Judged, Status]:
    """Minimise with these step sizes. If the rows held out do not clearly prefer another state, one that separates all
    examples is returned."""
    shape, columns = best.state.weights.shape, best.state.columns
    n_wrong = -1.0  # rows that the state measured last gets wrong

    def state_of(z: Floats) -> State:
        x = z * steps
        return State(columns, x[: -shape[0]].reshape(shape), x[-shape[0] :])

    def evaluate(z: Floats) -> tuple[float, Floats]:
        nonlocal n_wrong
        sums = rounds.run("measure", state_of(z))
        n_wrong = float(sums.numbers[-2])
        gradient = np.concatenate([sums.parts[0].ravel(), sums.numbers[: shape[0]]])
        return float(sums.numbers[-3]) / n_rows, gradient * steps / n_rows

    waited, start = 0, np.concatenate([best.state.weights.ravel(), best.state.bias]) / steps
    separating: Judged | None = None
    for z in minimise(evaluate, start, _ITERATIONS):
        judged = judge(state_of(z))
        best, waited = (judged, 0) if judged.loss < best.loss else (best, waited + 1)
        if n_wrong == 0 and (separating is None or judged.loss < separating.loss):
            separating, waited = judged, 0
        if waited == _PATIENCE:
            break
    if separating is not None and not best.clearly_better_than(separating):
        return separating, "separated"
    return best, "budget"


def _steps(state: State) -> Floats:
    """A step size for each weight, as adagrad has it, so that rare columns are learned, too."""
    if state.scale is None or state.scale_of_bias is None:
        return np.ones(state.weights.size + len(state.bias))
    squares = np.concatenate([state.scale.ravel(), state.scale_of_bias])
    learned = squares > 0
    usual = float(np.add.reduce(squares[learned])) / max(int(learned.sum()), 1)
    return 1.0 / np.sqrt(np.sqrt(np.where(learned, squares / (usual or 1.0), 1.0)))


def _finish(fitting: Fitting, run: Run, name: str, best: Judged, status: Status) -> None:
    """Make the best state the run of the fit, which is calibrated on the rows held out."""
    state, features = best.state, run.learner.features
    run.learner.put("weights", state.full(features), np.ascontiguousarray(state.bias))
    counters = run.learner.counters()
    counters["t"] = counters["step"] = fitting.examples.learned * len(run.mistakes)
    run.learner.restore(counters)
    run.status = status
    fitting.candidates.runs = {name: run}
    fitting.pass_ = len(run.mistakes)
    if fitting.holdout.rows:
        fitting.holdout.judge(name, run)
        fitting.honest_scores = fitting.holdout.honest_scores(run)


class _Judge:
    """Judges states by the rows held out: by their loss if it is logistic or the label is a number, else by errors."""

    def __init__(self, fitting: Fitting, settings: Settings, features: int) -> None:
        self._fitting, self._settings, self._features = fitting, settings, features
        self._by_loss = settings.loss == "logistic" and settings.scheme(fitting.n_classes) in ("binary", "joint")

    def __call__(self, state: State) -> Judged:
        from rosenblatt.learn.files.numbers.loss import losses_of
        from rosenblatt.learn.multiclass_schemes import predicted_classes

        holdout, settings, classes = self._fitting.holdout, self._settings, self._fitting.n_classes
        if not holdout.rows:
            return Judged(state, math.inf, math.inf)
        weights, bias = state.full(self._features), np.ascontiguousarray(state.bias)
        losses: list[Floats] = []
        wrong = 0
        for block in holdout.blocks.blocks(1):
            rows = native.rows_of(block.values)
            scores = np.asarray(native.scores(rows, None, weights[:, : rows.features], bias))
            if block.targets is not None:
                losses.append(losses_of(settings, scores, block.targets))
                continue
            decided = predicted_classes(settings.scheme(classes), scores, classes)
            is_wrong = decided != block.labels
            wrong += int(np.count_nonzero(is_wrong))
            losses.append(logistic(scores, block.labels)[0] if self._by_loss else is_wrong.astype(np.float64))
        of_rows = np.concatenate(losses)
        return Judged(state, math.fsum(of_rows) / holdout.rows, wrong / holdout.rows, of_rows)
