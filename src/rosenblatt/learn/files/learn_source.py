"""A source is learned: a first look at its labels, then the passes, from the beginning or from a checkpoint."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain

from rosenblatt.errors import DataError, option
from rosenblatt.learn.files.checkpoint import load_checkpoint, save_checkpoint
from rosenblatt.learn.files.classes import LabelOrder, check_classes, classes_of, quoted
from rosenblatt.learn.files.passes import Fitting, Restart
from rosenblatt.learn.files.plan import Plan
from rosenblatt.readers.source import RereadError, Source, SourceWrapper
from rosenblatt.records import Label, SourceBlock

_MAX_BYTES_OF_ONE_LABEL = 64 << 20  # bytes kept in memory while a stream has had only one label


def learn_source(source: Source, plan: Plan, *, resume: bool = False) -> Fitting:
    """Learn the examples of an open source; returns the fit when all its passes are done.

    Reading may show that the fit began wrongly. Then it begins again: with the features counted from 0, with all the
    labels of the file as classes, or with the examples shuffled.
    """
    save = save_checkpoint if plan.checkpoint is not None else None
    all_labels = False
    while True:
        try:
            fitting = (load_checkpoint(source, plan) if resume else None) or _begin(source, plan, all_labels)
            restart = fitting.run(save)
        except RereadError:  # what was learned before, in a checkpoint too, is wrong
            resume = False
            continue
        if restart is None:
            break
        resume, all_labels = False, restart is Restart.NEW_LABEL
        if restart is Restart.SORTED_LABELS:
            plan = replace(plan, order="shuffle")
            source = KnownLabels(fitting.source, fitting.classes, fixed=fitting.fixed)
    if plan.checkpoint is not None:
        with suppress(OSError):
            os.unlink(plan.checkpoint)
    return fitting


def _begin(source: Source, plan: Plan, all_labels: bool) -> Fitting:
    known = _read_all_labels(source, plan, fixed=True) if all_labels else look_at_labels(source, plan)
    check_classes(known.classes, known)
    if plan.order == "auto" and known.is_sorted:
        plan = replace(plan, order="shuffle")
    return Fitting(known, plan, known.classes, fixed=known.fixed)


class KnownLabels(SourceWrapper):
    """A source after a look at its labels; the blocks that were read for it are not read again."""

    def __init__(
        self,
        source: Source,
        classes: tuple[Label, ...],
        *,
        fixed: bool = False,
        is_sorted: bool = False,
        blocks: Iterator[SourceBlock] | None = None,
    ) -> None:
        super().__init__(source, source.rewindable)
        self.classes = classes
        self.fixed = fixed  # no other labels are allowed
        self.is_sorted = is_sorted  # by label, as far as is known
        self._blocks = blocks

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        blocks, self._blocks = self._blocks, None
        return blocks or self._source.blocks(threads)


def look_at_labels(source: Source, plan: Plan) -> KnownLabels:
    """The classes: those that the user named, else the labels of the first block.

    Where that has one label only or is sorted by label, all blocks are read.
    """
    if isinstance(source, KnownLabels):
        return source
    if plan.reading.classes:
        return KnownLabels(source, classes_of(plan.reading.classes), fixed=True)
    if not source.rewindable:
        return _read_two_labels(source, plan)
    blocks = source.blocks(plan.threads)
    first = next(blocks, None)
    order = LabelOrder()
    if first is not None:
        order.add(first.buffers[0])
    if first is None or len(source.labels) < 2 or order.is_sorted:
        del blocks, first
        return _read_all_labels(source, plan)
    return KnownLabels(source, classes_of(source.labels), blocks=chain([first], blocks))


def _read_all_labels(source: Source, plan: Plan, *, fixed: bool = False) -> KnownLabels:
    order = LabelOrder()
    for block in source.blocks(plan.threads):
        order.add(block.buffers[0])
    return KnownLabels(source, classes_of(source.labels), fixed=fixed, is_sorted=source.rewindable and order.is_sorted)


def _read_two_labels(source: Source, plan: Plan) -> KnownLabels:
    """The first blocks of a stream, which cannot be read twice, until they have two labels."""
    first: list[SourceBlock] = []
    rest = source.blocks(plan.threads)
    for block in rest:
        first.append(block)
        if len(source.labels) > 1:
            break
        if block.bytes_read - first[0].bytes_read > _MAX_BYTES_OF_ONE_LABEL:
            raise DataError(
                f"{source.name}: has only the label {quoted(source.labels[0])} in its first {block.bytes_read >> 20} "
                f"MB and cannot be read twice: name all the classes in {option('classes')}.",
                file=source.name,
            )
    return KnownLabels(source, classes_of(source.labels), blocks=chain(first, rest))
