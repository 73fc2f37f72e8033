"""Continue learning from a saved model: its run goes through new examples as if they had come after the old ones.

Everything that affects its weights is in its file: the rule, the scale of columns, words, averages, variances. A model
that was learned by one rule in one pass becomes, bit for bit, that of one pass over all examples. For a model that was
learned in several passes, or chosen by folds, the old examples are gone; the new ones are learned once.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from rosenblatt import native, options
from rosenblatt.errors import DataError, ModelError, ParameterError, option
from rosenblatt.lazy import np
from rosenblatt.learn.files.checkpoint import load_checkpoint, refuse_other_file, remove_checkpoint, save_checkpoint
from rosenblatt.learn.files.labels.label_sets import EMPTY_SET
from rosenblatt.learn.files.labels.labels_to_classes import (
    UNKNOWN_LABEL,
    KnownLabels,
    check_classes,
    class_codes,
    quoted,
)
from rosenblatt.learn.files.numbers.scaled_targets import TargetScale
from rosenblatt.learn.files.passes import Fitting
from rosenblatt.learn.files.plan import Plan
from rosenblatt.learn.run import Run
from rosenblatt.learn.state.grown_run import (
    UnitMap,
    units_for_one_more,
    units_for_one_more_label,
    units_in_order,
    with_forgetting,
    with_hashed_columns,
    with_inserted_columns,
    with_units,
)
from rosenblatt.model.fit.fitted import Fitted, fitted_of
from rosenblatt.model.fit.plan_of_fit import refuse_with_number
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.multi_label import MultiLabelModel
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.model.model_file import load_scorer, with_weights
from rosenblatt.model.probabilities.honest_sample import HonestSample, merged
from rosenblatt.model.warnings.fit_warnings import Caution
from rosenblatt.readers.block_rows import take_examples
from rosenblatt.readers.cache.fingerprint import fingerprint
from rosenblatt.readers.hashing.settings import hashed_column
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions, Source
from rosenblatt.records import FeatureSpace, HonestScores, Label, SourceBlock

_FEWEST_SCORES = 1000  # of new examples, to calibrate with them
_LONGEST_HISTORY = 100
# Options whose values come from the model.
_OF_THE_MODEL = ("rule", "passes", "order", "features", "keep", "keep_cache", "error", "quantiles")
_OF_THE_DATA = (
    "format",
    "label",
    "labels_from",
    "header",
    "index_base",
    "on_bad_row",
    "decide",
    "grow",
    "multi_label",
    "task",
)
_WHAT_IT_LEARNS = {"number": "predicts a number", "classes": "decides between classes"}
_OF_NEW_COLUMNS = ("drop", "keep", "as_")


def learn_on(
    inputs: Paths | Source, path: str, plan: Plan, chosen: Mapping[str, Any], test: Paths | None = None
) -> Fitted:
    """The model in the file `path` after it has learned the new examples; the file is not changed."""
    model = with_weights(load_scorer(path), path, "used to continue learning")
    refuse_unless_it_learns_on(model, path)
    if isinstance(model, NumberModel) and chosen["new_labels"]:
        raise ParameterError(f"{path}: predicts a number, which has no classes: leave {option('new_labels')} out.")
    task = "number" if isinstance(model, NumberModel) else "classes"
    if plan.reading.task not in (None, task):
        raise ParameterError(f"{path}: {_WHAT_IT_LEARNS[task]}: leave {option('task', plan.reading.task)} out.")
    if plan.reading.multi_label and not isinstance(model, MultiLabelModel):
        raise ParameterError(f"{path}: decides for one class, not several labels: leave {option('multi_label')} out.")
    if isinstance(model, MultiLabelModel) and chosen["class_weight"] is not None:
        raise ParameterError(f"{path}: keeps its weights of labels: leave {option('class_weight')} out.")
    _refuse_options(path, plan, chosen if not chosen["forget"] else {**chosen, "passes": "auto", "order": None})
    rule = str(model.provenance.get("rule", "saved"))
    plan = _plan_of(model, rule, plan, chosen, path)
    if isinstance(model, NumberModel):
        refuse_with_number(plan, path)
    source = open_source(inputs.inputs if isinstance(inputs, Source) else inputs, plan.reading, model.space)
    before = model.summary
    known = _known(source, model, path, new_labels=chosen["new_labels"])
    fitting = _begin(known, plan, model, rule, forget=chosen["forget"], resume=bool(chosen["resume"]))
    if isinstance(known, _WithNewLabels):
        known.fitting = fitting
    one_pass = before.n_iter == 1 and "chosen_by" not in model.provenance
    fitting.classes_before = model.classes
    fitting.learned_before = before.t if model.sample is None else model.sample.examples
    fitting.goes_on_in_one_pass = one_pass if model.sample is None else model.sample.stride > 0
    fitting.run(save_checkpoint if plan.checkpoint is not None else None)
    _merge_scores(fitting, model)
    if len(fitting.classes) > len(model.classes):
        _sort_classes(fitting, rule)
    run = fitting.candidates.runs[rule]
    if one_pass:
        _join_passes(run, before.t)
    fitted = _keep_final_reference(_keep_calibration(fitted_of(fitting, test), model), model)
    if not one_pass:
        n_mistakes = run.mistakes[-1]
        fitted = fitted._replace(passes=1, mistakes=(n_mistakes,), n_mistakes=n_mistakes)
    if plan.checkpoint is not None:
        remove_checkpoint(plan.checkpoint)
    return _with_history(fitted, model, one_pass=one_pass)


def refuse_unless_it_learns_on(model: LinearModel, path: str) -> None:
    """Raises ModelError if the model in this file lacks what it needs to learn new examples."""
    if model.is_small:
        raise ModelError(
            f"{path}: was made small and cannot continue learning: continue from the model it was made from, and make "
            "the result small.",
            file=path,
        )
    if model.settings.record or model.run.votes is not None or model.settings.keep not in ("last", "average"):
        raise ModelError(
            f"{path}: keeps {model.settings.keep} weights; only models with the last or the average weights can "
            "continue learning from a file.",
            file=path,
        )


def _known(source: Source, model: LinearModel, path: str, *, new_labels: bool) -> KnownLabels:
    """The source with the classes of the model, or with its targets centred and scaled as in the model."""
    if isinstance(model, NumberModel):
        return KnownLabels(source, (), fixed=True, scale=model.target.scale)
    return _WithNewLabels(source, model, path) if new_labels else _Checked(source, model.classes, path)


def _begin(source: Source, plan: Plan, model: LinearModel, rule: str, *, forget: float, resume: bool) -> Fitting:
    """The fit from a checkpoint, or with the run of the model."""
    if plan.checkpoint is not None and not resume:
        refuse_other_file(plan.checkpoint)
    run = _with_columns_of(source, model)
    if forget:
        check = options.check_number_together if model.settings.predicts_number else options.check_together
        check("fit_file", run.settings._replace(forget=forget)._asdict())
        run = with_forgetting(run, forget)
    fitting = load_checkpoint(source, plan) if resume else None
    resumed = fitting is not None
    fitting = fitting or Fitting(source, plan, model.classes, fixed=True, scale=_scale_of(model))
    fitting.candidates.known_before(model.run)
    if isinstance(model, MultiLabelModel) and fitting.sets is not None:
        for labels in model.sample_sets:  # numbered before those of the new examples
            fitting.sets.add(labels)
    if resumed:
        return fitting
    if fitting.sets is not None:
        run.learner.decide_about(fitting.sets)
    run.status = "open"
    run.learner.count_errors(True)
    if model.sample is not None:
        model.sample.restore(run, _truth_in_fit(model, model.sample))
    fitting.candidates.settings[rule], fitting.candidates.runs[rule] = run.settings, run
    return fitting


def _scale_of(model: LinearModel) -> TargetScale | None:
    return model.target.scale if isinstance(model, NumberModel) else None


def _truth_in_fit(model: LinearModel, sample: HonestSample) -> Any:
    """The truth of each example of the sample: its class, or the number of its label set in this fit."""
    if not isinstance(model, MultiLabelModel):
        return sample.truth
    return np.asarray(sample.truth) + np.int32(EMPTY_SET + 1)


class _Checked(KnownLabels):
    """A source whose labels must be classes of the model."""

    def __init__(self, source: Source, classes: tuple[Label, ...], path: str) -> None:
        super().__init__(source, classes, fixed=True)
        self._path = path

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        n_checked = 0
        for block in super().blocks(threads):
            if len(self.labels) > n_checked:
                codes = class_codes(self.classes, self.labels[n_checked:])
                if UNKNOWN_LABEL in codes:
                    self._refuse(n_checked + codes.index(UNKNOWN_LABEL), block)
                n_checked = len(self.labels)
            yield block

    def _refuse(self, position: int, block: SourceBlock) -> None:
        row = block.first_row + _first_row_with(position, block, self)
        raise DataError(
            f"{self.name}: example {row + 1} has the label {quoted(self.labels[position])}, which is not among the "
            f"classes of {self._path}: correct it, or add it as a new class with {option('new_labels', True)}.",
            file=self.name,
        )


def _first_row_with(position: int, block: SourceBlock, source: Source) -> int:
    """The first row of a block with this label, alone or among several."""
    if source.label_sets is None:
        return int(np.argmax(block.labels == position))
    sets = [k for k, labels in enumerate(source.label_sets) if position in labels]
    return int(np.argmax(np.isin(block.labels, sets)))


class _WithNewLabels(KnownLabels):
    """A source whose new labels become classes. Blocks are cut before the first example of each new label, so that its
    class is added after all examples before it have been learned."""

    fitting: Fitting

    def __init__(self, source: Source, model: LinearModel, path: str) -> None:
        super().__init__(source, model.classes)
        self._model, self._path = model, path

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        n_checked = 0
        for block in super().blocks(threads):
            start = 0
            if len(self.labels) > n_checked:
                codes = class_codes(self.fitting.classes, self.labels[n_checked:])
                new = [n_checked + k for k, code in enumerate(codes) if code == UNKNOWN_LABEL]
                n_checked = len(self.labels)
                for row, position in sorted((_first_row_with(k, block, self), k) for k in new):
                    if row > start:
                        yield _rows_of(block, start, row)
                    self._add(self.labels[position])
                    start = row
            yield _rows_of(block, start, block.rows) if start else block

    def _add(self, label: Label) -> None:
        fitting, n_classes = self.fitting, len(self.fitting.classes)
        several = fitting.sets is not None
        threshold = fitting.plan.threshold
        if not several and threshold is not None and threshold != criterion_of_threshold(self._model):
            raise DataError(
                f"{self.name}: has a third class, {quoted(label)}, and {option('threshold')} is for two: leave it out.",
                file=self.name,
            )
        classes = _of_one_type((*fitting.classes, label))
        check_classes(classes, self)
        units = _units_for_one_more(self._model, n_classes)

        def grow(run: Run) -> Run:
            grown = with_units(run, units, n_classes + 1)
            if fitting.sets is not None:
                grown.learner.decide_about(fitting.sets)
            grown.learner.count_errors(True)
            return grown

        fitting.add_class(classes, grow)
        if not several:
            fitting.plan = fitting.plan._replace(threshold=None)


def _units_for_one_more(model: LinearModel, n_classes: int) -> UnitMap:
    if model.settings.multi_label:
        return units_for_one_more_label(n_classes)
    return units_for_one_more(model.settings.multi_class, n_classes, model.boundary)


def _merge_scores(fitting: Fitting, model: LinearModel) -> None:
    """Calibrate with the scores of old and new examples. A run in one pass has them together already."""
    old, new = model.sample, fitting.honest_scores
    if old is None or new is None or (old.stride and not fitting.holdout.rows):
        return
    old, n_classes = old._replace(truth=_truth_in_fit(model, old)), len(model.classes)
    while n_classes < len(fitting.classes):
        units = _units_for_one_more(model, n_classes)
        old, n_classes = old._replace(scores=units.scores(old.scores)), n_classes + 1
    fitting.honest_scores = merged(old, new, fitting.examples.learned)


def _rows_of(block: SourceBlock, start: int, stop: int) -> SourceBlock:
    part = take_examples(block, np.arange(start, stop))
    return SourceBlock(part.values, part.labels, part.weights, block.first_row + start, block.bytes_read)


def _of_one_type(classes: tuple[Label, ...]) -> tuple[Label, ...]:
    """The classes in the same order, converted to one type as in a model: all strings, all floats or all integers."""
    if any(isinstance(label, str) for label in classes):
        return tuple(map(str, classes))
    return tuple(map(float, classes)) if any(isinstance(label, float) for label in classes) else classes


def criterion_of_threshold(model: LinearModel) -> str | None:
    if isinstance(model, MultiLabelModel):
        return model.thresholds[0].criterion if model.thresholds else None
    return None if model.threshold is None else model.threshold.criterion


def _sort_classes(fitting: Fitting, rule: str) -> None:
    """Put the classes in ascending order, together with their units, counts and scores."""
    order = sorted(range(len(fitting.classes)), key=fitting.classes.__getitem__)
    run, honest = fitting.candidates.runs[rule], fitting.honest_scores
    units = units_in_order(run.settings.multi_class, order)
    fitting.candidates.runs[rule] = with_units(run, units, len(order))
    counts = fitting.class_counts
    place = {old: new for new, old in enumerate(order)}
    if fitting.sets is not None:
        fitting.sets = _sets_in_order(fitting.sets, place)
    else:
        fitting.examples.label_order.counts = [counts[k] for k in order]
    if honest is not None:
        is_one_class = fitting.sets is None
        truth = array("i", [place[k] if is_one_class else k for k in honest.truth.tolist()])
        scores = np.ascontiguousarray(units.scores(honest.scores))
        fitting.honest_scores = HonestScores(scores, memoryview(truth), honest.kind)
    before = fitting.plan.class_counts
    if before:
        padded = [*before, *[0] * (len(order) - len(before))]
        fitting.plan = fitting.plan._replace(class_counts=tuple(padded[k] for k in order))
    fitting.classes = tuple(fitting.classes[k] for k in order)


def _sets_in_order(sets: native.LabelSets, place: Mapping[int, int]) -> native.LabelSets:
    """The same sets, with the new numbers of their labels."""
    ordered = native.LabelSets(len(place))
    for k in range(EMPTY_SET + 1, len(sets)):
        ordered.add([place[label] for label in sets.members(k)])
    return ordered


def _refuse_options(path: str, plan: Plan, chosen: Mapping[str, Any]) -> None:
    for name in _OF_THE_MODEL:
        if chosen[name] != options.FIT_FILE[name].default:
            raise ParameterError(f"{option('from_')} continues with the settings of {path}: leave {option(name)} out.")
    for name, default in ReadOptions._field_defaults.items():
        if name not in (*_OF_THE_DATA, *_OF_NEW_COLUMNS) and getattr(plan.reading, name) != default:
            raise ParameterError(f"{option('from_')} reads the examples as {path} says: leave {option(name)} out.")


def _plan_of(model: LinearModel, rule: str, plan: Plan, chosen: Mapping[str, Any], path: str) -> Plan:
    """A plan of one pass in the given order, with the rule, class weights and kind of threshold of the model."""
    training = model.provenance.get("reading", {})
    missing = [name for name in ("format", "header") if getattr(plan.reading, name) is None and name in training]
    several = model.settings.multi_label
    reading = plan.reading._replace(
        grow=True, decide=True, multi_label=several, **{name: training[name] for name in missing}
    )
    weight, threshold = chosen["class_weight"], chosen["threshold"]
    settings, number = model.settings, isinstance(model, NumberModel)
    return plan._replace(
        candidates={rule: settings},
        task="number" if number else "classes",
        number_candidates={rule: settings} if number else {},
        error="absolute" if settings.loss == "absolute" else "squared",
        quantiles=tuple(settings.quantiles),
        passes=1,
        order="given",
        degree=settings.degree,
        scale_to_length=False,
        reading=reading,
        class_weight=model.provenance.get("class_weight") if weight is None else weight,
        class_counts=tuple(model.provenance.get("class_counts", ())),
        learns_on={} if plan.checkpoint is None else _identity(path, chosen),
        threshold=criterion_of_threshold(model) if threshold is None else threshold,
    )


def _with_columns_of(source: Source, model: LinearModel) -> Run:
    """The run of the model with weights for new columns of numbers, after the other numbers of the table. If the data
    have the first text column, the words of the model move to their hashed places."""
    before, after = (len(space.settings.get("numbers", ())) for space in (model.space, source.space))
    known, read = (_columns_read(space) for space in (model.space, source.space))
    if read != known and model.settings.degree > 1:
        new = next(column for column in read if column not in known)
        raise DataError(
            f"{source.name}: has a new column {new!r}, and the model learns products of its columns, which cannot be "
            f"added to: leave it out with {option('drop', new)}.",
            file=source.name,
        )
    bits = source.space.bits
    if bits and not model.space.bits:
        words = [hashed_column(name, bits, after) for name in model.space.columns[before:]]
        return with_hashed_columns(model.run, [*range(before), *words], after + 2**bits)
    return with_inserted_columns(model.run, before, after - before) if after > before else model.run


def _columns_read(space: FeatureSpace) -> list[str]:
    return [column for kind in ("numbers", "words", "texts") for column in space.settings.get(kind, ())]


def _identity(path: str, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """What must be the same in a checkpoint and in the fit that continues from it."""
    model = fingerprint(path, all_content=False)["content"]
    return {"model": model, "new labels": chosen["new_labels"], "forget": chosen["forget"]}


def _join_passes(run: Run, t_before: int) -> None:
    """Add the counts of the earlier pass to those of this one, as if it had been one pass."""
    n_before, n_now = t_before, run.learner.t - t_before
    old, new = run.loss[-2:]
    run.loss[-2:] = [(old * n_before + new * n_now) / max(n_before + n_now, 1)]
    run.mistakes[-2:] = [sum(run.mistakes[-2:])]
    run.before_epoch, run.t_before_epoch = [0] * run.learner.units, 0
    if run.mistakes[-1] and run.status == "separated":
        run.status = "budget"


def _keep_calibration(fitted: Fitted, model: LinearModel) -> Fitted:
    """Keep the calibration of a model whose file, of an older version, lacks its scores, if there are few new ones."""
    honest, same = fitted.honest_scores, len(fitted.model.classes) == len(model.classes)
    if model.sample is not None or not same or (honest is not None and len(honest.truth) >= _FEWEST_SCORES):
        return fitted
    before: dict[str, Any]
    if isinstance(model, MultiLabelModel):
        before = {"calibrations": model.calibrations, "thresholds": model.thresholds}
        return fitted._replace(model=replace(fitted.model, **before))
    if isinstance(model, NumberModel):
        before = {"interval": model.interval}
        return fitted._replace(model=replace(fitted.model, **before))
    calibrated = replace(fitted.model, calibration=model.calibration, threshold=model.threshold)
    return fitted._replace(model=calibrated)


def _keep_final_reference(fitted: Fitted, model: LinearModel) -> Fitted:
    """Few new examples have hardly changed the weights, and do not show how scores are distributed."""
    same = len(fitted.model.classes) == len(model.classes)
    if model.final_reference is None or fitted.model.final_reference is not None or not same:
        return fitted
    return fitted._replace(model=replace(fitted.model, final_reference=model.final_reference))


def _with_history(fitted: Fitted, model: LinearModel, *, one_pass: bool) -> Fitted:
    before = model.provenance.get("history") or [model.provenance.get("data", {"name": "unknown"})]
    history = [*before, fitted.model.provenance["data"]][-_LONGEST_HISTORY:]
    changes: dict[str, Any] = {"history": history}
    if one_pass:
        return fitted._replace(model=replace(fitted.model, provenance={**fitted.model.provenance, **changes}))
    passes = model.provenance.get("first_passes") or len(model.run.mistakes) - 1
    changes |= {"chosen_by": "an earlier fit", "first_passes": passes}
    sentence = (
        f"The model learned its first examples in {passes} passes, but the new ones in one: a fit of all examples "
        "would learn all of them equally often."
    )
    cautions = (*fitted.warnings, Caution("going on", sentence)) if passes > 1 else fitted.warnings
    after = replace(fitted.model, provenance={**fitted.model.provenance, **changes})
    return fitted._replace(model=after, warnings=cautions)
