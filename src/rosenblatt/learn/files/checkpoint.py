"""Checkpoints: the state of an unfinished fit in a file. A fit that resumes from it ends with the same bits."""

import os
from contextlib import suppress
from typing import Any

from rosenblatt.errors import ModelError, ParameterError
from rosenblatt.learn.files.numbers.scaled_targets import TargetScale
from rosenblatt.learn.files.passes import Fitting
from rosenblatt.learn.files.plan import Plan
from rosenblatt.learn.files.rule_choice.race import Race
from rosenblatt.learn.run import Run
from rosenblatt.learn.state.run_state import pack_run, pack_settings, unpack_run, unpack_settings
from rosenblatt.readers.cache.fingerprint import fingerprint
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.source import Source
from rosenblatt.readers.stored_feature_space import pack_classes, unpack_classes
from rosenblatt.storage.checked_header import Header, damaged
from rosenblatt.storage.container import kind_of, read_container, write_container
from rosenblatt.storage.tensors import Tensors, read_array, read_buffer

KIND = "checkpoint"
_SAMPLE = ("scores", "labels", "t")
# Not compared as options: `identity` compares format and crossed columns as detected, and on_bad_row may change.
_MAY_DIFFER = ("format", "cross", "on_bad_row")


def save_checkpoint(fitting: Fitting) -> None:
    """Write the state of the fit, atomically, to the file that its plan names."""
    assert fitting.plan.checkpoint is not None
    candidates, holdout = fitting.candidates, fitting.holdout
    classes = sorted(fitting.classes)  # in a fit, a class that was added to a loaded model comes last
    tensors: Tensors = {}
    runs = [
        {
            "name": name,
            "run": pack_run(run, tensors, f"run.{i}."),
            "sample": _pack_sample(run, tensors, f"run.{i}.sample."),
        }
        for i, (name, run) in enumerate(candidates.runs.items())
    ]
    best = [
        {"name": name, "error": error, "run": pack_run(run, tensors, f"best.{i}.")}
        for i, (name, (error, run)) in enumerate(holdout.best.items())
    ]
    header = {
        "kind": KIND,
        **({} if fitting.number is None else {"target": list(fitting.number.scale)}),
        "classes": pack_classes(classes),
        "class_order": [classes.index(label) for label in fitting.classes],
        "fixed": fitting.fixed,
        "tried": {name: pack_settings(settings) for name, settings in candidates.settings.items()},
        "runs": runs,
        "best": best,
        "pass": fitting.pass_,
        "rows": fitting.rows,
        "failed": candidates.failed,
        "given_up": candidates.given_up,
        "next_look": candidates.race.next_look,
        "marks": {name: [number for mark in marks for number in mark] for name, marks in candidates.race.marks.items()},
        "of": identity(fitting.source, fitting.plan),
        "progressive": candidates.progressive,
        "held_error": holdout.errors,
        "waited": holdout.passes_waited,
        "best_then": candidates.best_then,
    }
    write_container(fitting.plan.checkpoint, header, tensors)


def refuse_other_file(path: str) -> None:
    """ParameterError if a checkpoint would replace a file that is not one."""
    if os.path.isfile(path) and os.path.getsize(path) and kind_of(path) != KIND:
        raise ParameterError(f"{path}: is not a checkpoint, and would be replaced by one: name another file.")


def remove_checkpoint(path: str) -> None:
    """Remove the checkpoint of a finished fit. Anything else at this path, such as a device, is left alone."""
    with suppress(OSError):
        if kind_of(path) == KIND:
            os.unlink(path)


def load_checkpoint(source: Source, plan: Plan) -> Fitting | None:
    """The fit as it was saved; None if there is no checkpoint. ModelError if its data or options were others."""
    assert plan.checkpoint is not None
    if not os.path.exists(plan.checkpoint):
        return None

    def decode(header: Header, tensors: Tensors) -> Fitting:
        if header.text("kind") != KIND:
            raise ModelError("it is a finished model, not a checkpoint: fit without resume")
        saved = header.section("of")
        # A fit that may choose its order continues with the one it chose.
        resumed = plan._replace(order=saved.text("order")) if plan.order == "auto" else plan
        resumed = resumed.for_number() if "target" in header else resumed
        expected = identity(source, resumed)
        for key, value in saved.values.items():
            if expected.get(key) != value:
                before = "not given" if value is None else repr(value)
                raise ModelError(f"the checkpoint is of another fit, its {key} was {before}: fit without resume")
        return _restored(header, tensors, source, resumed)

    return read_container(plan.checkpoint, decode)


def _restored(header: Header, tensors: Tensors, source: Source, plan: Plan) -> Fitting:
    scale = _scale(header) if plan.predicts_number else None
    fewest = 0 if scale is not None else 1 if plan.reading.multi_label else 2
    classes = unpack_classes(header.section("classes"), fewest=fewest)
    if "class_order" in header:  # older checkpoints have none
        order = header.counts("class_order", len(classes))
        if sorted(order) != list(range(len(classes))):
            raise damaged("the order of its classes does not name each of them once")
        classes = tuple(classes[k] for k in order)
    fitting = Fitting(source, plan, classes, fixed=header.flag("fixed"), scale=scale)
    candidates, holdout = fitting.candidates, fitting.holdout
    read_error = _share if scale is None else _error

    def errors(key: str) -> dict[str, float]:
        section = header.section(key)
        return {name: read_error(section, name) for name in section.values}

    fitting.pass_, fitting.rows, fitting.resumed = header.count("pass"), header.count("rows"), True
    tried = header.section("tried")
    candidates.settings = {name: unpack_settings(tried.section(name)) for name in plan.candidates if name in tried}
    for i, section in enumerate(header.sections("runs")):
        run = unpack_run(section.section("run"), tensors, f"run.{i}.", fitting.n_classes)
        if fitting.sets is not None:
            run.learner.decide_about(fitting.sets)
        run.learner.count_errors(fitting.pass_ == 0)
        if "sample" in section:  # older checkpoints have none
            _unpack_sample(section.count("sample"), run, tensors, f"run.{i}.sample.")
        candidates.runs[section.text("name")] = run
    for i, section in enumerate(header.sections("best")):
        best = unpack_run(section.section("run"), tensors, f"best.{i}.", fitting.n_classes)
        holdout.best[section.text("name")] = read_error(section, "error"), best
    if not {*candidates.runs, *holdout.best} <= set(candidates.settings):
        raise damaged("it has a run of a rule that was not tried")
    candidates.progressive, candidates.best_then = errors("progressive"), errors("best_then")
    if not candidates.runs or (fitting.pass_ > 0 and not set(candidates.runs) <= set(candidates.progressive)):
        raise damaged("it has no run, or one without its errors in the first pass")
    holdout.errors = errors("held_error")
    holdout.passes_waited = {name: int(passes) for name, passes in _numbers(header, "waited").items()}
    candidates.failed = [str(name) for name in header.items("failed")]
    given_up, marks = header.section("given_up"), header.section("marks")
    candidates.given_up = {name: given_up.count(name) for name in given_up.values}
    flat = {name: marks.numbers(name) for name in marks.values}
    if any(len(numbers) % 2 or min(numbers, default=0) < 0 for numbers in flat.values()):
        raise damaged("the marks of its race are not pairs of errors and examples")
    pairs = {name: [(e, int(n)) for e, n in zip(row[::2], row[1::2], strict=True)] for name, row in flat.items()}
    candidates.race = Race(header.count("next_look"), pairs, counts_mistakes=scale is None)
    return fitting


def _pack_sample(run: Run, tensors: Tensors, prefix: str) -> int:
    """The sample of scores that examples had before they were learned; returns its stride."""
    *arrays, stride = run.learner.score_sample()
    if run.settings.predicts_number:
        tensors[f"{prefix}targets"] = run.learner.sample_targets()
    tensors |= {f"{prefix}{name}": array for name, array in zip(_SAMPLE, arrays, strict=True)}
    return stride


def _unpack_sample(stride: int, run: Run, tensors: Tensors, prefix: str) -> None:
    t = read_array(tensors, f"{prefix}t", "uint64")
    scores = read_buffer(tensors, f"{prefix}scores", "float64", (len(t), run.learner.units))
    labels = read_buffer(tensors, f"{prefix}labels", "int32", (len(t),))
    targets = read_buffer(tensors, f"{prefix}targets", "float64", (len(t),)) if run.settings.predicts_number else None
    try:
        run.learner.restore_sample(scores, labels, t, stride, targets)
    except ValueError as error:
        raise damaged(str(error)) from None


def _scale(header: Header) -> TargetScale:
    numbers = header.numbers("target")
    if len(numbers) != 2 or not numbers[1] > 0:
        raise damaged("its target is not a centre and a width above 0")
    return TargetScale(*numbers)


def _error(header: Header, key: str) -> float:
    """The mean error of a number."""
    error = header.number(key)
    if error < 0:
        raise damaged(f"{key!r} of {header.place} is below 0")
    return error


def _share(header: Header, key: str) -> float:
    share = header.number(key)
    if not 0 <= share <= 1:
        raise damaged(f"{key!r} of {header.place} is not a share of the examples")
    return share


def _numbers(header: Header, key: str) -> dict[str, float]:
    section = header.section(key)
    return {name: section.number(name) for name in section.values}


def identity(source: Source, plan: Plan) -> dict[str, Any]:
    """What a checkpoint must agree on to be resumed: the data, and all options that affect the weights.

    The number of passes is not among them: more may be made.
    """
    reading = {key: value for key, value in plan.reading.as_json().items() if key not in _MAY_DIFFER}
    return reading | {
        "scale": source.space.scale is not None,
        "data": source.name,
        "bytes": source.size,
        "format": source.format,
        "cross": source.space.settings.get("cross", []),
        "rules": {name: pack_settings(settings) for name, settings in plan.candidates.items()},
        "holdout": plan.holdout,
        "patience": plan.patience,
        "seed": plan.seed,
        **({} if plan.class_weight is None else {"class weight": str(plan.class_weight)}),
        "order": plan.order,
        **plan.learns_on,
        "content": _contents(source.inputs) if source.rewindable else None,
        "content of labels": _content(plan.reading.labels_from),
    }


def _contents(inputs: Paths) -> str | list[str | None] | None:
    if isinstance(inputs, str):
        single = _content(inputs)
        if single is not None:
            return single
    from rosenblatt.readers.inputs.expand_paths import find_files

    return [_content(file.path) for file in find_files(inputs)]


def _content(path: str | None) -> str | None:
    """A checksum of parts of a file: after it was rewritten it may have the same size."""
    if path is None or not os.path.isfile(path):
        return None
    checksum: str = fingerprint(path, all_content=False)["content"]
    return checksum
