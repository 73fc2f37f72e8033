"""The classes of examples in memory, for sources that expect labels as a file has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rosenblatt.lazy import NDArray, np
from rosenblatt.readers.inputs.input_file import MemoryFile
from rosenblatt.readers.labels import Labels
from rosenblatt.readers.several_labels import UNIT, SeveralLabels
from rosenblatt.readers.source import FileSource, ReadOptions
from rosenblatt.records import FeatureSpace, Floats, Label, ParsedSourceBlock, SourceBlock

NAME = "X"  # what sentences call the rows


@dataclass(frozen=True, eq=False)
class Targets:
    """The class of each example as a position in `classes`, or its number, and how much each counts."""

    classes: Sequence[Label]
    codes: NDArray[np.int32]  # all 0 where `numbers` are the targets
    weights: Floats | None = None
    name: str = "label"  # of the column of labels
    sets: Sequence[tuple[int, ...]] | None = None  # of classes, where the codes are those of sets from 1; 0: none
    numbers: Floats | None = None

    @property
    def n_codes(self) -> int:
        return len(self.classes) if self.sets is None else len(self.sets) + 1


class ClassLabels(Labels):
    """Labels that a source reads as positions in a list of classes, so that a class named '1' stays a word."""

    def __init__(self, classes: Sequence[Label]) -> None:
        super().__init__(NAME)
        self._classes = classes

    def _add(self, token: bytes) -> int:
        position = self._position_of_token[token] = len(self.labels)
        self.labels.append(self._classes[int(token)])
        return position


class TargetSets(SeveralLabels):
    """Sets of classes that a source reads as their numbers."""

    def __init__(self, classes: Sequence[Label], sets: Sequence[tuple[int, ...]]) -> None:
        super().__init__(NAME, UNIT)
        self.labels[:] = classes
        self.sets = list(sets)

    def positions(self, tokens: Sequence[bytes]) -> list[int]:
        return [int(token) - 1 for token in tokens]


class MemorySource(FileSource):
    """A source whose labels and weights are given apart from the rows: a base class to name before a `FileSource`."""

    targets: Targets | None

    def __init__(
        self, file: MemoryFile, reading: ReadOptions, model_space: FeatureSpace | None, targets: Targets | None = None
    ) -> None:
        self.targets = targets
        if targets is not None and targets.numbers is not None:
            reading = reading._replace(task="classes")  # all rows are read as of one class; `blocks` adds the numbers
        super().__init__(file, reading, model_space)
        if targets is not None and targets.numbers is not None:
            self.task = "number"
        elif targets is not None:
            several = targets.sets
            self.numbering = ClassLabels(targets.classes) if several is None else TargetSets(targets.classes, several)
            self.labels = self.numbering.labels

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        """The blocks with the weights of their examples."""
        weights, numbers = (None, None) if self.targets is None else (self.targets.weights, self.targets.numbers)
        for block in super().blocks(threads):  # type: ignore[safe-super]
            if weights is None and numbers is None:
                yield block
                continue
            rows = slice(block.first_row, block.first_row + block.rows)
            yield ParsedSourceBlock(
                block.values,
                block.buffers[0],
                None if weights is None else weights[rows],
                block.first_row,
                block.bytes_read,
                targets=None if numbers is None else numbers[rows],
            )
