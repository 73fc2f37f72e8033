"""A source is learned: its classes are met, the passes run, a checkpoint is resumed."""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from rosenblatt.learn.files.checkpoint import load_checkpoint, save_checkpoint
from rosenblatt.learn.files.classes import LateLabelError, check_classes, classes_of
from rosenblatt.learn.files.first_chunks import Replayed
from rosenblatt.learn.files.passes import Fitting, Plan, SortedLabelsError
from rosenblatt.learn.files.sorted_labels import LabelOrder
from rosenblatt.readers.source import ReadOptions, RereadError, Source
from rosenblatt.records import Label


def learn_source(source: Source, plan: Plan, reading: ReadOptions, *, resume: bool = False) -> Fitting:
    """Learn the examples of an open source; the fit when it has run."""
    try:
        fitting = _fit(source, plan, reading, resume)
    except RereadError:  # the source knows better now; what was learned before, in a checkpoint too, is not to be used
        fitting = _fit(source, plan, reading, resume=False)
    if plan.checkpoint is not None:
        with suppress(OSError):
            os.unlink(plan.checkpoint)
    return fitting


def _fit(source: Source, plan: Plan, reading: ReadOptions, resume: bool) -> Fitting:
    save = save_checkpoint if plan.checkpoint is not None else None
    fitting = (load_checkpoint(source, plan) if resume else None) or _begin(source, plan, reading.classes)
    try:
        return _run(fitting, save)
    except LateLabelError:
        return _run(_begin(source, plan, _all_labels(source, plan)), save)


def _run(fitting: Fitting, save: Callable[[Fitting], None] | None) -> Fitting:
    """The fit when it has run; one of sorted examples that may choose its order has begun anew, shuffled."""
    try:
        fitting.run(save)
        return fitting
    except SortedLabelsError:
        plan = replace(fitting.plan, order="shuffle")
    fitting.runs.clear()  # their weights are not held beside those that now begin
    fitting = Fitting(fitting.source, plan, fitting.classes, fixed=fitting.fixed)
    fitting.run(save)
    return fitting


def _begin(source: Source, plan: Plan, named: tuple[Label, ...]) -> Fitting:
    classes = classes_of(named)
    if not classes:
        source, classes = first_labels(source, plan)
    check_classes(classes, source)
    if plan.order == "auto" and source.sorted_by_label:
        plan = replace(plan, order="shuffle")
    return Fitting(source, plan, classes, fixed=bool(named))


def first_labels(source: Source, plan: Plan) -> tuple[Source, tuple[Label, ...]]:
    """The labels of the first chunk, of all if it has one only or is sorted; the first chunk is not read again."""
    if source.labels_seen:
        return source, source.labels_seen
    if not source.rewindable:
        return Replayed.until_two_labels(source, plan.threads)
    chunks = source.blocks(plan.threads)
    first = list(islice(chunks, 1))
    sorting = LabelOrder(len(source.labels))
    for chunk in first:
        sorting.see(chunk.buffers[0])
    if len(source.labels) < 2 or sorting.grouped:
        del chunks
        source.labels_seen = _all_labels(source, plan)
    else:
        source = Replayed(source, first, chunks)
        source.labels_seen = classes_of(source.labels)
    return source, source.labels_seen


def _all_labels(source: Source, plan: Plan) -> tuple[Label, ...]:
    sorting = LabelOrder(0)
    for chunk in source.blocks(plan.threads):
        sorting.see(chunk.buffers[0])
    source.sorted_by_label = source.rewindable and sorting.grouped
    return classes_of(source.labels)
