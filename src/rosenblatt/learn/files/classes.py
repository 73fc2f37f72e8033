"""From the labels as a reader meets them to classes in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rosenblatt import native
from rosenblatt.errors import DataError
from rosenblatt.readers.source import Source
from rosenblatt.records import Label, SourceBlock

_UNKNOWN = -2  # the code of a label that is not among the classes
_SHOWN = 20  # classes that a sentence names
_MOST_FRACTIONS = 20  # labels that are not whole numbers: half stars are classes, prices are not


class LateLabelError(Exception):
    """A label that was not among the classes; the learner starts again with all of them."""


def classes_of(labels: Sequence[Label]) -> tuple[Label, ...]:
    """The labels sorted and of one type: numbers as numbers, whole where all are; words as words."""
    try:
        ordered = sorted(set(labels))
    except TypeError:
        ordered = sorted({str(label) for label in labels})
    if any(isinstance(label, float) for label in ordered):
        return tuple(float(label) for label in ordered)
    return tuple(ordered)


def shown(label: Label) -> str:
    """A label in a sentence, cut where it is longer than a line.

    >>> shown("spam"), shown("a" * 100)
    ("'spam'", "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…'")
    """
    return repr(label if not isinstance(label, str) or len(label) <= 40 else label[:39] + "…")


def check_classes(classes: Sequence[Label], source: Source) -> None:
    """Two classes at least, and not so many numbers with fractions that they are a quantity."""
    name = source.name
    if len(classes) < 2:
        held = f"one class only, {shown(classes[0])}" if classes else "no labelled example"
        tags = "; in vw a word that touches the '|' is a tag, so put a space between label and '|'"
        hint = tags if source.format == "vw" and not classes else _left_out(source) + _label_taken(source)
        raise DataError(f"{name}: has {held}: a separator needs at least two classes{hint}.")
    fractions = [label for label in classes if isinstance(label, float) and not label.is_integer()]
    if len(fractions) > _MOST_FRACTIONS:
        raise DataError(
            f"{name}: has {len(classes)} different numbers as labels, {shown(fractions[0])} among them; this looks "
            "like a quantity, and Rosenblatt learns classes, so choose another --label or make classes of the numbers."
        )


def _left_out(source: Source) -> str:
    """That bad rows were left out, which may be where the other classes are."""
    if not source.skipped:
        return ""
    rows = "1 bad row was" if source.skipped == 1 else f"{source.skipped:,} bad rows were"
    return f"; {rows} left out, the first: {source.bad_rows[0].sentence.rstrip('.')}"


def _label_taken(source: Source) -> str:
    """Which column of a table was taken for the label: it may have been guessed."""
    label = source.space.settings.get("label") if source.space.kind == "columns" else None
    return f"; the label is column {label!r}, so name another with --label if that is not it" if label else ""


class ClassCoder:
    """The class of each example of a chunk, by the positions its labels have in the source."""

    def __init__(self, source: Source, classes: Sequence[Label], *, fixed: bool, unlabelled: str) -> None:
        self.source, self.classes, self.fixed, self.unlabelled = source, classes, fixed, unlabelled
        self._index = {label: i for i, label in enumerate(classes)}
        self._codes: list[int] = []

    def of(self, chunk: SourceBlock) -> tuple[memoryview, int]:
        """One index of a class a row, -1 where a row has no label and such rows are left out; and the least of them."""
        if len(self._codes) != len(self.source.labels):
            self._codes = [self._code(label) for label in self.source.labels]
        codes, least = native.coded(chunk.buffers[0], self._codes)
        if least < 0:
            self._judge(chunk, codes.tolist())
        return codes, least

    def _judge(self, chunk: SourceBlock, codes: list[int]) -> None:
        if -1 in codes and self.unlabelled == "fail":
            row = chunk.first_row + codes.index(-1)
            tags = " (in vw a word that touches the '|' is a tag)" if self.source.format == "vw" else ""
            raise DataError(
                f"{self.source.name}: example {row + 1} has no label{tags}: give it one, or leave such rows out "
                "with --on-bad-row skip."
            )
        if _UNKNOWN in codes:
            self._refuse(self.source.labels[int(chunk.buffers[0][codes.index(_UNKNOWN)])])

    def _code(self, label: Any) -> int:
        return self._index.get(label, self._index.get(str(label), _UNKNOWN))

    def _refuse(self, label: Label) -> None:
        if self.fixed or not self.source.rewindable:
            known = ", ".join(map(shown, self.classes[:_SHOWN])) + (", …" if len(self.classes) > _SHOWN else "")
            raise DataError(
                f"{self.source.name}: has the label {shown(label)}, which is not among the classes {known}: "
                "name all the classes before, with classes."
            )
        raise LateLabelError(label)
