"""Examples with several labels, or none: from the sets of labels of a source to the set of each example.

A set has one bit for each label. The learners share one table of sets, and a block holds the number of each example's
set in that table, where otherwise it holds the number of the example's class.
"""

from collections.abc import Sequence

from rosenblatt import native
from rosenblatt.errors import DataError
from rosenblatt.learn.files.labels.labels_to_classes import UNKNOWN_LABEL, ClassCoder, class_codes
from rosenblatt.readers.source import Source
from rosenblatt.records import Label, SourceBlock

_MOST_BYTES = 1 << 30  # of the table of sets
EMPTY_SET = 0  # the number of the set without a label


class LabelSetCoder(ClassCoder):
    """The set of labels of each example; an example without any has the empty set."""

    def __init__(self, source: Source, classes: Sequence[Label], *, fixed: bool) -> None:
        super().__init__(source, classes, fixed=fixed)
        self.sets = native.LabelSets(len(classes))

    def add(self, classes: Sequence[Label]) -> None:
        """Use these labels from now on: sets with a label that was unknown before can be numbered now."""
        assert self.source.label_sets is not None
        self.classes = classes
        self.sets.grow(len(classes))
        label_codes = class_codes(classes, self.source.labels)
        for k, code in enumerate(self._codes):
            if code == UNKNOWN_LABEL:
                self._codes[k] = self._add([label_codes[label] for label in self.source.label_sets[k]])

    def codes(self, block: SourceBlock) -> tuple[memoryview, int]:
        """The set of each row (UNKNOWN_LABEL: one of its labels is unknown), and the smallest of these numbers."""
        assert self.source.label_sets is not None
        new = self.source.label_sets[len(self._codes) :]
        if new:
            label_codes = class_codes(self.classes, self.source.labels)
            self._codes += [self._add([label_codes[label] for label in labels]) for labels in new]
        codes, least = native.renumber_labels(block.buffers[0], self._codes, EMPTY_SET)
        return codes, least

    def _add(self, labels: list[int]) -> int:
        if UNKNOWN_LABEL in labels:
            return UNKNOWN_LABEL
        if len(self.sets) * (self.sets.labels // 8 + 1) > _MOST_BYTES:
            name = self.source.name
            raise DataError(
                f"{name}: has more than {len(self.sets):,} different sets of its {self.sets.labels:,} labels, and a "
                "gigabyte of memory holds no more: leave out rare labels.",
                file=name,
            )
        self.sets.add(labels)
        return len(self.sets) - 1

    def unknown_label(self, block: SourceBlock, codes: list[int]) -> Label:
        assert self.source.label_sets is not None
        labels = self.source.label_sets[int(block.buffers[0][codes.index(UNKNOWN_LABEL)])]
        known = class_codes(self.classes, [self.source.labels[label] for label in labels])
        return self.source.labels[labels[known.index(UNKNOWN_LABEL)]]
