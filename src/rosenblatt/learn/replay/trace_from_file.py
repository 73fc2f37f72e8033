"""Examples from a file, all at once in memory, and a recorded run over them: a trace without scikit-learn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rosenblatt.errors import DataError
from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.replay.trace import Trace
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.state.initial_weights import begin_run
from rosenblatt.readers.block_rows import join_weights, stack_rows
from rosenblatt.records import Block, Csr, Label, SourceBlock


@dataclass(frozen=True)
class Gathered:
    """A whole table: its examples, labels by index, and the classes sorted, numbers before words."""

    block: Block
    classes: NDArray[np.object_]


def gather(chunks: Iterable[SourceBlock], labels: Sequence[Label], name: str = "the data") -> Gathered:
    """The chunks of a source as one block; `labels` are those of the source once it is read."""
    parts = list(chunks)
    codes = np.concatenate([part.labels for part in parts]) if parts else np.empty(0, dtype=np.int32)
    if not len(codes):
        raise DataError(f"There is no example in {name}.")
    if (codes < 0).any():
        raise DataError(f"Row {int(np.argmax(codes < 0)) + 1} of {name} has no label: every example needs one.")
    order = sorted(range(len(labels)), key=lambda k: (isinstance(labels[k], str), labels[k]))
    if len(order) < 2:
        raise DataError(f"{name} has one class only, {labels[order[0]]!r}: a separator needs at least two classes.")
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    classes = np.empty(len(order), dtype=object)
    classes[:] = [labels[k] for k in order]
    return Gathered(Block(stack_rows([part.values for part in parts]), place[codes], join_weights(parts)), classes)


def trace_block(table: Gathered, settings: Settings, max_iter: int, seed: int = 0, start: str = "zeros") -> Trace:
    """Learn from the table as these settings say, and keep every step."""
    values, classes = table.block.values, len(table.classes)
    settings = settings._replace(record=True)
    dense = not isinstance(values, Csr)
    run = begin_run(settings, values.shape[1], np.ones(classes), seed, init=start, dense=dense)
    run.fit(table.block, max_iter)
    record = run.summary
    assert record.mistake_log is not None
    return Trace(record.mistake_log, record, run.recording, table.classes)
