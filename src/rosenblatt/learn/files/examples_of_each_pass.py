"""The examples of each pass: the first pass reads the source, the others read what was stored of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.files.holdout import Holdout
from rosenblatt.learn.files.labels.label_sets import LabelSetCoder
from rosenblatt.learn.files.labels.labels_to_classes import UNKNOWN_LABEL, ClassCoder, LabelOrder
from rosenblatt.learn.files.numbers.scaled_targets import NumberCoder
from rosenblatt.readers.block_rows import join_blocks, memory_of, take_examples
from rosenblatt.readers.cache.spill import SpillCache
from rosenblatt.records import Block, Label, ParsedBlock

if TYPE_CHECKING:
    from rosenblatt.learn.files.plan import Plan
    from rosenblatt.learn.files.shuffle import Shuffled


_FEW_BYTES = 64 << 20  # examples that take no more memory are few, and may be learned many times
_LARGE_FILE = 1 << 30  # bytes


class PassBlock(NamedTuple):
    """Some examples of a pass."""

    block: Block
    rows: NDArray[np.uint32] | None  # the rows to learn from; None: all of them
    first_row: int  # rows of the pass before this block
    bytes_read: int


class Gathered:
    """All examples in memory, while they are few enough to be learned many times."""

    def __init__(self, source_bytes: int | None) -> None:
        self._blocks: list[Block] = []
        self._bytes = 0
        # A file this large has too many examples; not gathering any saves memory.
        self.are_few = (source_bytes or 0) < _LARGE_FILE

    def append(self, block: Block) -> None:
        if not self.are_few:
            return
        self._blocks.append(block)
        self._bytes += memory_of(block)
        if self._bytes > _FEW_BYTES:
            self.are_few = False
            self._blocks.clear()

    def joined(self) -> Block:
        return self._blocks[0] if len(self._blocks) == 1 else join_blocks(self._blocks)


class Examples:
    """The blocks of each pass, with classes as labels. Unlabelled rows are left out, held-out rows are set apart."""

    def __init__(self, coder: ClassCoder | NumberCoder, plan: Plan) -> None:
        self._coder, self._plan = coder, plan
        self._source = source = coder.source
        self.learned = 0  # rows to learn from in each pass
        self.label_order = LabelOrder()
        self.new_label = False  # reading stopped at a label that is not a class
        spilled = SpillCache(plan.cache, source.name)
        sets = coder.sets if isinstance(coder, LabelSetCoder) else None
        self.holdout = Holdout(plan.holdout, plan.patience, plan.seed, spilled, sets)
        self._weights = self._class_weights(coder.classes, plan.class_counts)
        self._stored: SpillCache | None = None
        self._shuffled: Shuffled | None = None
        if plan.order == "shuffle":
            from rosenblatt.learn.files.shuffle import Shuffled

            self._shuffled = Shuffled(plan.cache, source.name, plan.seed)
        elif plan.passes_in_order > 1:
            self._stored = SpillCache(plan.cache, source.name)
        self.gathered = Gathered(source.size) if plan.passes == "auto" else None
        self._stores = ExitStack()

    def _class_weights(self, classes: Sequence[Label], so_far: Sequence[int]) -> Callable[[Any, Any], Any] | None:
        """None where all examples count the same; where they may have several labels, the units are weighted."""
        if self._plan.class_weight is None or self._plan.reading.multi_label:
            return None
        from rosenblatt.learn.files.labels.class_weights import class_weights

        return class_weights(self._plan.class_weight, classes, self._source.name, so_far)

    def __enter__(self) -> Self:
        for store in (self.holdout.blocks, self._stored, self._shuffled):
            if store is not None:
                self._stores.enter_context(store)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stores.close()

    def read(self) -> Iterator[PassBlock]:
        """Read the source, once; what later passes need is stored. Stops at a label that is not a class."""
        for block in self._source.blocks(self._plan.threads):
            codes, least = self._coder.codes(block)
            if least < 0 and self._plan.reading.on_bad_row == "fail":
                self._coder.refuse_unlabelled(block, codes.tolist())
            if least == UNKNOWN_LABEL and isinstance(self._coder, ClassCoder):
                self._coder.refuse_unknown(block, codes.tolist())
                self.new_label = True
                return
            if isinstance(self._coder, NumberCoder):
                examples = self._coder.examples(block, codes)
                order = self._coder.order_of(examples, codes)
            else:
                examples = block.with_class_indices(codes if least >= 0 else np.maximum(codes, 0))
                order = codes
            if self._weights is not None:
                examples = ParsedBlock(examples.values, examples.buffers[0], self._weights(codes, examples.buffers[1]))
            rows = self._rows_to_learn(examples, codes, block.first_row) if self._plan.holdout or least < 0 else None
            self.learned += block.rows if rows is None else len(rows)
            self.label_order.add(order)
            self._store(examples, rows, block.bytes_read)
            yield PassBlock(examples, rows, block.first_row, block.bytes_read)

    def add_class(self, classes: Sequence[Label]) -> None:
        """Use these classes from now on; the last one is new."""
        assert isinstance(self._coder, ClassCoder)
        self._coder.add(classes)
        if self._weights is None:
            return
        counts = [*self.label_order.counts, *[0] * (len(classes) - len(self.label_order.counts))]
        before = [*self._plan.class_counts, *[0] * (len(classes) - len(self._plan.class_counts))]
        so_far = [new + old for new, old in zip(counts, before, strict=True)]
        self._weights = self._class_weights(classes, so_far)

    def _rows_to_learn(self, block: Block, codes: memoryview, first_row: int) -> NDArray[np.uint32]:
        labelled = np.asarray(codes) >= 0
        if self._plan.holdout:
            return np.flatnonzero(~self.holdout.keep(block, first_row, labelled) & labelled).astype(np.uint32)
        return np.flatnonzero(labelled).astype(np.uint32)

    def _store(self, block: Block, rows: NDArray[np.uint32] | None, bytes_read: int) -> None:
        """Store the rows to learn from, for later passes or to be shuffled."""
        if self._shuffled is None and self._stored is None and self.gathered is None:
            return
        block = block if rows is None else take_examples(block, rows)
        if self.gathered is not None:
            self.gathered.append(block)
        if self._shuffled is not None:
            self._shuffled.append(block)
        elif self._stored is not None:
            self._stored.append(block, bytes_read / self._source.size if self._source.size else 0.0)

    def stored(self, pass_: int) -> Iterator[PassBlock]:
        """The examples of a later pass, or of any shuffled pass."""
        first_row, total, threads = 0, self._source.size or 0, self._plan.threads
        if self._shuffled is not None:
            blocks = self._shuffled.blocks(pass_, threads)
        else:
            assert self._stored is not None
            blocks = self._stored.blocks(threads)
        for block in blocks:
            bytes_read = int(total * (first_row + block.rows) / max(self.learned, 1))
            yield PassBlock(block, None, first_row, bytes_read)
            first_row += block.rows
