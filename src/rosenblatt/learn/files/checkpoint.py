"""A fit that was interrupted, as a file: every run, and how far it had come. It resumes to the same bits."""

from __future__ import annotations

import os
from dataclasses import asdict, replace
from typing import Any

from rosenblatt.errors import ModelError
from rosenblatt.learn.files.passes import Fitting, Plan
from rosenblatt.learn.files.race import Race
from rosenblatt.learn.run_state import pack_run, unpack_run, unpack_settings
from rosenblatt.readers.cache.fingerprint import fingerprint
from rosenblatt.readers.feature_space import pack_classes, unpack_classes
from rosenblatt.readers.source import Source
from rosenblatt.storage.container import read_container, write_container
from rosenblatt.storage.header import Header, damaged
from rosenblatt.storage.tensors import Tensors

_NO_MATTER = ("format", "cross", "on_bad_row")  # those that were found are compared; a bad row may be skipped later on
_ERRORS = ("progressive", "held_error", "waited", "best_then")


def save_checkpoint(fitting: Fitting) -> None:
    """Write where the fit is, whole or not at all, to the file that its plan names."""
    assert fitting.plan.checkpoint is not None
    tensors: Tensors = {}
    runs = [
        {"name": name, "run": pack_run(run, tensors, f"run.{i}.")} for i, (name, run) in enumerate(fitting.runs.items())
    ]
    best = [
        {"name": name, "error": error, "run": pack_run(run, tensors, f"best.{i}.")}
        for i, (name, (error, run)) in enumerate(fitting.best.items())
    ]
    header = {
        "kind": "checkpoint",
        "classes": pack_classes(fitting.classes),
        "fixed": fitting.fixed,
        "tried": {name: asdict(settings) for name, settings in fitting.tried.items()},
        "runs": runs,
        "best": best,
        "pass": fitting.pass_,
        "rows": fitting.rows,
        "failed": fitting.failed,
        "given_up": fitting.given_up,
        "next_look": fitting.race.next_look,
        "marks": {name: [number for mark in marks for number in mark] for name, marks in fitting.race.marks.items()},
        "of": identity(fitting.source, fitting.plan),
        **{name: getattr(fitting, name) for name in _ERRORS},
    }
    write_container(fitting.plan.checkpoint, header, tensors)


def load_checkpoint(source: Source, plan: Plan) -> Fitting | None:
    """The fit where it was; None if there is no checkpoint. One of another file or other options is refused."""
    assert plan.checkpoint is not None
    if not os.path.exists(plan.checkpoint):
        return None

    def decode(header: Header, tensors: Tensors) -> Fitting:
        if header.text("kind") != "checkpoint":
            raise ModelError("it is a finished model, not a checkpoint: fit without resume")
        of = header.section("of")
        # A fit that may choose its order goes on with the one it chose.
        begun = replace(plan, order=of.text("order")) if plan.order == "auto" else plan
        wanted = identity(source, begun)
        for key, value in of.values.items():
            if wanted.get(key) != value:
                was = "not given" if value is None else repr(value)
                raise ModelError(f"the checkpoint is of another fit, its {key} was {was}: fit without resume")
        return _restored(header, tensors, source, begun)

    return read_container(plan.checkpoint, decode)


def _restored(header: Header, tensors: Tensors, source: Source, plan: Plan) -> Fitting:
    classes = unpack_classes(header.section("classes"))
    fitting = Fitting(source, plan, classes, fixed=header.flag("fixed"))
    fitting.pass_, fitting.rows, fitting.resumed = header.count("pass"), header.count("rows"), True
    tried = header.section("tried")
    fitting.tried = {name: unpack_settings(tried.section(name)) for name in plan.candidates if name in tried}
    for i, section in enumerate(header.sections("runs")):
        run = unpack_run(section.section("run"), tensors, f"run.{i}.", len(classes))
        run.learner.judge(fitting.pass_ == 0)
        fitting.runs[section.text("name")] = run
    for i, section in enumerate(header.sections("best")):
        kept = unpack_run(section.section("run"), tensors, f"best.{i}.", len(classes))
        fitting.best[section.text("name")] = section.number("error"), kept
    for name in _ERRORS:
        errors = header.section(name)
        setattr(fitting, name, {key: errors.number(key) for key in errors.values})
    fitting.failed = [str(name) for name in header.items("failed")]
    given_up, marks = header.section("given_up"), header.section("marks")
    fitting.given_up = {name: given_up.count(name) for name in given_up.values}
    flat = {name: marks.numbers(name) for name in marks.values}
    if any(len(numbers) % 2 for numbers in flat.values()):
        raise damaged("what the race remembers is not errors and examples")
    pairs = {name: [(of[i], int(of[i + 1])) for i in range(0, len(of), 2)] for name, of in flat.items()}
    fitting.race = Race(header.count("next_look"), pairs)
    return fitting


def identity(source: Source, plan: Plan) -> dict[str, Any]:
    """What a checkpoint belongs to: the data, and all of the plan that decides a bit. More passes may be added."""
    asked = {key: value for key, value in plan.reading.as_json().items() if key not in _NO_MATTER}
    return asked | {
        "data": source.name,
        "bytes": source.size,
        "format": source.format,
        "cross": source.space.settings.get("cross", []),
        "rules": {name: asdict(settings) for name, settings in plan.candidates.items()},
        "holdout": plan.holdout,
        "patience": plan.patience,
        "seed": plan.seed,
        "order": plan.order,
        "content": _content(source.name) if source.rewindable else None,
        "content of labels": _content(plan.reading.labels_from),
    }


def _content(path: str | None) -> str | None:
    """A checksum of pieces of a file: one that was written anew may have the same size."""
    if path is None or not os.path.isfile(path):
        return None
    found: str = fingerprint(path, whole=False)["content"]
    return found
