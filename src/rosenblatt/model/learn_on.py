"""Learn on from a saved model: its run goes through new examples as if they had come after the old ones.

What decides a bit of its weights is in its file: the rule, how columns are scaled, words, averages, variances. A model
of one rule and one pass becomes what one pass over all examples would have made it. Of one that was learned in several
passes, or chosen by folds, the old examples are not there to be learned again: the new ones are learned once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rosenblatt import options
from rosenblatt.errors import DataError, ModelError, ParameterError, option
from rosenblatt.learn.files.labels_to_classes import UNKNOWN_LABEL, KnownLabels, class_codes, quoted
from rosenblatt.learn.files.passes import Fitting
from rosenblatt.learn.files.plan import Plan
from rosenblatt.learn.grown_run import with_inserted_columns
from rosenblatt.learn.run import Run
from rosenblatt.model.fit_file import Fitted, fitted_of
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model_file import load_linear_model
from rosenblatt.model.warnings.worthless_model import Caution
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions, Source
from rosenblatt.records import FeatureSpace

_FEWEST_SCORES = 1000  # of new examples, to calibrate by them
_LONGEST_HISTORY = 100
_OF_THE_MODEL = ("rule", "passes", "order", "features", "keep", "resume", "keep_cache")  # options that it answers
_OF_THE_DATA = ("format", "label", "labels_from", "header", "index_base", "on_bad_row", "decide", "grow")
_OF_NEW_COLUMNS = ("drop", "keep", "as_")


def learn_on(inputs: Paths | Source, path: str, plan: Plan, chosen: Mapping[str, Any]) -> Fitted:
    """The model of this file after it has learned the new examples; the file is not changed."""
    model = load_linear_model(path, "learned on from")
    _refuse_options(path, plan, chosen)
    rule = str(model.provenance.get("rule", "saved"))
    if model.settings.record or model.run.votes is not None or model.settings.keep not in ("last", "average"):
        raise ModelError(
            f"{path}: keeps {model.settings.keep} weights, which are not learned on from a file.", file=path
        )
    plan = _plan_of(model, rule, plan, chosen)
    source = open_source(inputs.inputs if isinstance(inputs, Source) else inputs, plan.reading, model.space)
    run = _with_columns_of(source, model)
    fitting = Fitting(_Checked(source, model.classes, path), plan, model.classes, fixed=True)
    _put_run(fitting, run, rule)
    before, judged_before = replace(run.summary), (run.learner.wrong, run.learner.weighed)
    fitting.run()
    run = fitting.candidates.runs[rule]
    one_pass = before.n_iter == 1 and "chosen_by" not in model.provenance
    if one_pass:
        _join_passes(run, before.t)
    wrong, weighed = (
        after - n for after, n in zip((run.learner.wrong, run.learner.weighed), judged_before, strict=True)
    )
    fitted = replace(_keep_calibration(fitted_of(fitting), model), new_error=wrong / weighed if weighed else None)
    if not one_pass:
        n_mistakes = run.mistakes[-1]
        fitted = replace(fitted, passes=1, mistakes=(n_mistakes,), n_mistakes=n_mistakes)
    return _with_history(fitted, model, one_pass=one_pass)


class _Checked(KnownLabels):
    """A source whose labels must be classes of the model."""

    def __init__(self, source: Source, classes: tuple[Any, ...], path: str) -> None:
        super().__init__(source, classes, fixed=True)
        self._path = path

    def blocks(self, threads: int = 1) -> Any:
        n_checked = 0
        for block in super().blocks(threads):
            if len(self.labels) > n_checked:
                codes = class_codes(self.classes, self.labels[n_checked:])
                if UNKNOWN_LABEL in codes:
                    label = self.labels[n_checked + codes.index(UNKNOWN_LABEL)]
                    raise DataError(
                        f"{self.name}: has the label {quoted(label)}, which is not among the classes of {self._path}: "
                        "learn all examples anew to add a class.",
                        file=self.name,
                    )
                n_checked = len(self.labels)
            yield block


def _refuse_options(path: str, plan: Plan, chosen: Mapping[str, Any]) -> None:
    for name in _OF_THE_MODEL:
        if chosen[name] != options.FIT_FILE[name].default:
            raise ParameterError(f"{option('from_')} learns on as {path} was learned: leave {option(name)} out.")
    for name in vars(ReadOptions()):
        if name not in (*_OF_THE_DATA, *_OF_NEW_COLUMNS) and getattr(plan.reading, name) != getattr(
            ReadOptions(), name
        ):
            raise ParameterError(f"{option('from_')} reads the examples as {path} says: leave {option(name)} out.")


def _plan_of(model: LinearModel, rule: str, plan: Plan, chosen: Mapping[str, Any]) -> Plan:
    """One pass in the given order by the rule of the model, with its class weights and its kind of threshold."""
    training = model.provenance.get("reading", {})
    missing = [name for name in ("format", "header") if getattr(plan.reading, name) is None and name in training]
    reading = replace(plan.reading, grow=True, decide=True, **{name: training[name] for name in missing})
    weight, threshold = chosen["class_weight"], chosen["threshold"]
    return replace(
        plan,
        candidates={rule: model.settings},
        passes=1,
        order="given",
        degree=model.settings.degree,
        scale_to_length=False,
        reading=reading,
        checkpoint=None,
        class_weight=model.provenance.get("class_weight") if weight is None else weight,
        threshold=model.threshold.criterion if threshold is None and model.threshold is not None else threshold,
    )


def _with_columns_of(source: Source, model: LinearModel) -> Run:
    """The run of the model with a weight for each new column of numbers, behind the other numbers of the table."""
    before, after = (len(space.settings.get("numbers", ())) for space in (model.space, source.space))
    known, read = (_columns_read(space) for space in (model.space, source.space))
    if read != known and model.settings.degree > 1:
        new = next(column for column in read if column not in known)
        raise DataError(
            f"{source.name}: has a new column {new!r}, and the model learns products of its columns, which cannot be "
            f"added to: leave it out with {option('drop', new)}.",
            file=source.name,
        )
    return with_inserted_columns(model.run, before, after - before) if after > before else model.run


def _columns_read(space: FeatureSpace) -> list[str]:
    return [*space.settings.get("numbers", ()), *space.settings.get("words", ())]


def _put_run(fitting: Fitting, run: Run, rule: str) -> None:
    run.status = "open"
    run.learner.count_errors(True)
    fitting.candidates.settings[rule], fitting.candidates.runs[rule] = run.settings, run


def _join_passes(run: Run, t_before: int) -> None:
    """What was counted before and now, as of one pass."""
    n_before, n_now = t_before, run.learner.t - t_before
    old, new = run.loss[-2:]
    run.loss[-2:] = [(old * n_before + new * n_now) / max(n_before + n_now, 1)]
    run.mistakes[-2:] = [sum(run.mistakes[-2:])]
    run.before_epoch, run.t_before_epoch = [0] * run.learner.units, 0
    if run.mistakes[-1] and run.status == "separated":
        run.status = "budget"


def _keep_calibration(fitted: Fitted, model: LinearModel) -> Fitted:
    """Few new examples do not calibrate better than the old ones did."""
    honest = fitted.honest_scores
    if honest is not None and len(honest.truth) >= _FEWEST_SCORES:
        return fitted
    kept = replace(fitted.model, calibration=model.calibration, threshold=model.threshold)
    return replace(fitted, model=kept)


def _with_history(fitted: Fitted, model: LinearModel, *, one_pass: bool) -> Fitted:
    before = model.provenance.get("history") or [model.provenance.get("data", {"name": "unknown"})]
    history = [*before, fitted.model.provenance["data"]][-_LONGEST_HISTORY:]
    changes: dict[str, Any] = {"history": history}
    if one_pass:
        return replace(fitted, model=replace(fitted.model, provenance={**fitted.model.provenance, **changes}))
    passes = model.provenance.get("first_passes") or len(model.run.mistakes) - 1
    changes |= {"chosen_by": "an earlier fit", "first_passes": passes}
    sentence = (
        f"The model had learned its first examples {passes} times, and the new ones were learned once: a fit of all of "
        "them would learn these as often."
    )
    cautions = (*fitted.warnings, Caution("going on", sentence)) if passes > 1 else fitted.warnings
    after = replace(fitted.model, provenance={**fitted.model.provenance, **changes})
    return replace(fitted, model=after, warnings=cautions)
