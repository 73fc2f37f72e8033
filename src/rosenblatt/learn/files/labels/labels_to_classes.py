"""From the labels of a source to sorted classes and the class of each example; whether a file is sorted by label.

`look_at_labels` finds the classes before anything is learned.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from typing import Any

from rosenblatt import native
from rosenblatt.errors import DataError, option
from rosenblatt.learn.files.numbers.scaled_targets import TargetScale, scale_of
from rosenblatt.learn.files.plan import Plan
from rosenblatt.readers.source import Source, SourceWrapper
from rosenblatt.records import Label, SourceBlock

UNKNOWN_LABEL = -2  # the code of a label that is not among the classes
_SHOWN = 20  # classes that a sentence names
_MAX_FRACTIONS = 20  # labels that are not whole numbers: half stars are classes, prices are not
_MAX_BYTES_OF_ONE_LABEL = 64 << 20  # bytes kept in memory while a stream has had only one label
_FEWEST_ROWS = 50  # with fewer, nothing can be said about the order of the labels
_SORTED_SHARE, _RUNS_SHARE = 0.1, 0.75  # of the label changes that a shuffled file would have
_SURE = 6.0  # standard deviations below the number expected by chance


def classes_of(labels: Sequence[Label]) -> tuple[Label, ...]:
    """The labels sorted and of one type: ints if all are whole numbers, else floats; strings if any is a word."""
    try:
        ordered = sorted(set(labels))
    except TypeError:
        ordered = sorted({str(label) for label in labels})
    if any(isinstance(label, float) for label in ordered):
        return tuple(float(label) for label in ordered)
    return tuple(ordered)


def class_codes(classes: Sequence[Label], labels: Sequence[Label]) -> list[int]:
    """The class of each label, found as it is or as text; UNKNOWN_LABEL where it is not a class.

    >>> class_codes((0, 1), [1, 0, 2]), class_codes(("0", "1"), [1, "0"]), class_codes((0, 1), ["1", "many"])
    ([1, 0, -2], [1, 0], [1, -2])
    """
    index: dict[Label, int] = {label: i for i, label in enumerate(classes)}
    by_text = {str(label): i for i, label in enumerate(classes)}
    return [index.get(label, by_text.get(str(label), UNKNOWN_LABEL)) for label in labels]


def quoted(label: Label) -> str:
    """A label in a sentence, shortened where it is longer than a line.

    >>> quoted("spam"), quoted("a" * 100)
    ("'spam'", "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…'")
    """
    return repr(label if not isinstance(label, str) or len(label) <= 40 else label[:39] + "…")


def check_classes(classes: Sequence[Label], source: Source) -> None:
    """Refuse fewer than two classes, and labels that look like a quantity: many numbers with fractions.

    Where an example may have several labels, one is enough.
    """
    name = source.name
    if source.label_sets is not None:
        if not classes:
            raise DataError(f"{name}: no example has a label: check where the labels are.", file=name)
        return
    if len(classes) < 2:
        content = f"one class only, {quoted(classes[0])}" if classes else "no labelled example"
        tags = "; in vw a word that touches the '|' is a tag, so put a space between label and '|'"
        hint = tags if source.format == "vw" and not classes else _skipped_rows(source) + _label_column(source)
        raise DataError(f"{name}: has {content}: a separator needs at least two classes{hint}.")
    fractions = [label for label in classes if isinstance(label, float) and not label.is_integer()]
    if len(fractions) > _MAX_FRACTIONS:
        raise DataError(
            f"{name}: has {len(classes)} different numbers as labels, {quoted(fractions[0])} among them; this looks "
            f"like a quantity: predict it with {option('task', 'number')}, choose another {option('label')}, or make "
            "classes of the numbers."
        )


def _skipped_rows(source: Source) -> str:
    """A reminder of the rows that were left out: the other classes may be among them."""
    if not source.skipped:
        return ""
    rows = "1 bad row was" if source.skipped == 1 else f"{source.skipped:,} bad rows were"
    return f"; {rows} left out, the first: {source.bad_rows[0].sentence.rstrip('.')}"


def _label_column(source: Source) -> str:
    """The column of a table that was taken for the label: it may have been guessed."""
    label = source.space.settings.get("label") if source.space.kind == "columns" else None
    return f"; the label is column {label!r}: if that is wrong, name another with {option('label')}" if label else ""


class ClassCoder:
    """Turns labels, which are positions in the source's list of labels, into class indices."""

    def __init__(self, source: Source, classes: Sequence[Label], *, fixed: bool) -> None:
        self.source, self.classes, self.fixed = source, classes, fixed
        self._codes: list[int] = []

    def add(self, classes: Sequence[Label]) -> None:
        """Use these classes from now on: the old ones, and new ones after them."""
        self.classes, self._codes = classes, []

    def codes(self, block: SourceBlock) -> tuple[memoryview, int]:
        """The class of each row (-1: no label, UNKNOWN_LABEL: not a class), and the smallest of these."""
        if len(self._codes) != len(self.source.labels):
            self._codes = class_codes(self.classes, self.source.labels)
        codes, least = native.renumber_labels(block.buffers[0], self._codes)
        return codes, least

    def refuse_unlabelled(self, block: SourceBlock, codes: list[int]) -> None:
        """An error that names the first row without a label, if there is one."""
        if -1 in codes:
            row = block.first_row + codes.index(-1)
            tags = " (in vw a word that touches the '|' is a tag)" if self.source.format == "vw" else ""
            raise DataError(
                f"{self.source.name}: example {row + 1} has no label{tags}: give it one, or leave such rows out with "
                f"{option('on_bad_row', 'skip')}.",
                file=self.source.name,
            )

    def refuse_unknown(self, block: SourceBlock, codes: list[int]) -> None:
        """An error for a label that is not a class, unless the labels of the source may be read again."""
        if not self.fixed and self.source.rewindable:
            return
        label = quoted(self.unknown_label(block, codes))
        raise DataError(
            f"{self.source.name}: has the label {label}, which is not among the classes "
            f"{named_classes(self.classes)}: name all of them in {option('classes')}.",
            file=self.source.name,
        )

    def unknown_label(self, block: SourceBlock, codes: list[int]) -> Label:
        """The first label of a block that is not a class."""
        return self.source.labels[int(block.buffers[0][codes.index(UNKNOWN_LABEL)])]


def named_classes(classes: Sequence[Label]) -> str:
    """The classes in a sentence, the first twenty of them."""
    return ", ".join(map(quoted, classes[:_SHOWN])) + (", …" if len(classes) > _SHOWN else "")


class LabelOrder:
    """Counts how often the label changes from one row to the next.

    An online learner that meets one class after another forgets the first.

    >>> from array import array
    >>> order = LabelOrder()
    >>> order.add(array("i", [0] * 100 + [1] * 100))
    >>> order.is_sorted
    True
    """

    def __init__(self) -> None:
        self.changes = 0
        self.counts: list[int] = []  # rows of each label
        self._last = -1

    def add(self, labels: Any) -> None:
        """Count the labels of the next rows; negative ones are rows without a label."""
        changes, counts, self._last = native.count_label_changes(labels, len(self.counts), self._last)
        self.changes += changes
        self.counts = [old + new for old, new in zip_longest(self.counts, counts, fillvalue=0)]

    @property
    def is_sorted(self) -> bool:
        """Does the label change far less often than in a shuffled file?

        n rows in shares p change their label about n (1 - sum of p^2) times.
        """
        return sum(self.counts) >= _FEWEST_ROWS and self.changes < _SORTED_SHARE * self._changes_by_chance

    @property
    def is_in_runs(self) -> bool:
        """Do rows of one class come in runs, as in a file that goes from place to place or from month to month?

        Then the last rows, which decide most about the weights, are not like most rows.

        >>> from array import array
        >>> order = LabelOrder()
        >>> order.add(array("i", [0, 0, 0, 1, 1, 1] * 200))
        >>> order.is_in_runs, order.is_sorted
        (True, False)
        """
        by_chance = self._changes_by_chance
        limit = min(_RUNS_SHARE * by_chance, by_chance - _SURE * math.sqrt(by_chance))
        return self.is_sorted or self.changes < limit

    @property
    def _changes_by_chance(self) -> float:
        rows = sum(self.counts)
        return rows - sum(count * count for count in self.counts) / max(rows, 1)


class KnownLabels(SourceWrapper):
    """A source whose labels, or first numbers, have been looked at; the blocks read for that are not read again."""

    def __init__(
        self,
        source: Source,
        classes: tuple[Label, ...],
        *,
        fixed: bool = False,
        is_sorted: bool = False,
        blocks: Iterator[SourceBlock] | None = None,
        scale: TargetScale | None = None,
    ) -> None:
        super().__init__(source, source.rewindable)
        self.classes = classes
        self.fixed = fixed  # no other labels are allowed
        self.is_sorted = is_sorted  # by label, as far as is known
        self._blocks = blocks
        self.scale = scale  # of numbers

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        blocks, self._blocks = self._blocks, None
        return blocks or self._source.blocks(threads)


def _known_numbers(source: Source, rest: Iterator[SourceBlock], first: list[SourceBlock]) -> KnownLabels:
    """Numbers in place of labels, scaled by the first of them."""
    rows = ((block.target_buffer[row], label) for block in first for row, label in enumerate(block.buffers[0]))
    scale = scale_of(float(target) for target, label in rows if label >= 0)
    return KnownLabels(source, (), fixed=True, blocks=chain(first, rest), scale=scale)


def look_at_labels(source: Source, plan: Plan) -> KnownLabels:
    """The classes: those that the user named, else the labels of the first block.

    If that block has only one label or is sorted by label, all blocks are read.
    """
    if isinstance(source, KnownLabels):
        return source
    if plan.reading.classes:
        return KnownLabels(source, classes_of(plan.reading.classes), fixed=True)
    if not source.rewindable:
        return _read_two_labels(source, plan)
    blocks = source.blocks(plan.threads)
    first = next(blocks, None)
    if source.task == "number":
        return _known_numbers(source, blocks, [] if first is None else [first])
    order = LabelOrder()
    if first is not None:
        order.add(first.buffers[0])
    fewest = 1 if plan.reading.multi_label else 2
    if first is None or len(source.labels) < fewest or order.is_sorted:
        del blocks, first
        return read_all_labels(source, plan)
    return KnownLabels(source, classes_of(source.labels), blocks=chain([first], blocks))


def read_all_labels(source: Source, plan: Plan, *, fixed: bool = False) -> KnownLabels:
    """The labels of all blocks as classes."""
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
        if source.task == "number":
            return _known_numbers(source, rest, first)
        if len(source.labels) > (0 if plan.reading.multi_label else 1):
            break
        if block.bytes_read - first[0].bytes_read > _MAX_BYTES_OF_ONE_LABEL:
            label = f"only the label {quoted(source.labels[0])}" if source.labels else "no label"
            raise DataError(
                f"{source.name}: has {label} in its first {block.bytes_read >> 20} MB and cannot be read twice: name "
                f"all the classes in {option('classes')}.",
                file=source.name,
            )
    return KnownLabels(source, classes_of(source.labels), blocks=chain(first, rest))
