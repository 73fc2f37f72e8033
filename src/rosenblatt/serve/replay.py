"""The model of any version, from a snapshot and the log: the same bits as if it had never stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime

from rosenblatt.errors import LearningOverflowError, ModelError, ParameterError
from rosenblatt.lazy import np
from rosenblatt.model.model_file import load_linear_model
from rosenblatt.readers.parallel_map import ordered_map
from rosenblatt.serve.learning.example_lines import ReadLines
from rosenblatt.serve.learning.live_model import LiveModel
from rosenblatt.serve.limits import LIMITS, Limits
from rosenblatt.serve.store.directory import ModelFolder
from rosenblatt.serve.store.log import Group, Log

BATCH_BYTES = 1 << 20  # of lines that are learned at once
_READERS = 2  # threads that read lines ahead


class LostExamplesError(ModelError):
    """A part of the log is damaged, so that versions after it cannot be computed from those before it."""

    def __init__(self, first: int, end: int) -> None:
        super().__init__(f"The examples from version {first:,} to {end:,} were lost: the log was damaged.")
        self.first, self.end = first, end


class ReplayOverflowError(LearningOverflowError):
    """The weights overflowed while a group was learned."""

    def __init__(self, version: int) -> None:
        super().__init__(f"The weights overflowed at an example after {version:,}.")
        self.version = version


def model_at(folder: ModelFolder, version: int | None = None, limits: Limits = LIMITS) -> tuple[LiveModel, list[str]]:
    """The newest snapshot up to this version, or the model that the log began with; and sentences about damaged
    snapshots."""
    base = load_linear_model(folder.base, "served")
    snapshot, damaged = folder.snapshots.newest(version)
    return LiveModel(base if snapshot is None else snapshot, base.sample, limits), damaged


def unbroken(groups: Iterable[Group], version: int) -> Iterator[Group]:
    """The groups from this version on; raises LostExamplesError if some are missing between them."""
    for group in groups:
        if group.version > version:
            raise LostExamplesError(version, group.version)
        version = group.end
        yield group


def replayed(start: Callable[[], LiveModel], log: Log, stop: int | None = None, *, gaps: bool = True) -> LiveModel:
    """The model that `start` gives, after it has learned the log, up to version `stop`.

    Many groups are learned at once. Which example is refused because the weights nearly overflow depends on those that
    are learned with it; if that happens, each group is learned by itself, as it was when it was written.
    """
    try:
        return _replayed(start(), log, stop, BATCH_BYTES, gaps)
    except ReplayOverflowError:
        return _replayed(start(), log, stop, 0, gaps)


def _replayed(live: LiveModel, log: Log, stop: int | None, batch_bytes: int, gaps: bool) -> LiveModel:
    groups = log.groups(live.version, stop)
    replay(live, groups if gaps else unbroken(groups, live.version), stop, batch_bytes)
    return live


def replay(live: LiveModel, groups: Iterable[Group], stop: int | None = None, batch_bytes: int = BATCH_BYTES) -> None:
    """Let the model learn the examples of these groups that it has not learned yet, up to version `stop`.

    Another thread reads the next lines meanwhile.
    """

    def read(batch: list[Group]) -> tuple[list[Group], ReadLines]:
        return batch, live.learning_reader.read_joined(b"\n".join(group.lines for group in batch))

    for batch, lines in ordered_map(_batches(groups, batch_bytes), read, _READERS):
        first, n_lines = batch[0].version, batch[-1].end - batch[0].version
        start = max(live.version - first, 0)
        end = n_lines if stop is None else min(n_lines, stop - first)
        labels = np.concatenate([np.frombuffer(group.labels, dtype=live.label_type) for group in batch])
        weights = None
        if any(group.weights is not None for group in batch):
            parts = [np.frombuffer(group.weights) if group.weights else np.ones(group.size) for group in batch]
            weights = np.concatenate(parts)
        if start or end < n_lines:  # a snapshot of a version within a group, or a version to stop at
            to_learn = [line for group in batch for line in group.lines.split(b"\n")][start:end]
            lines = live.learning_reader.read(to_learn) if to_learn else lines
            labels, weights = labels[start:end], None if weights is None else weights[start:end]
        if lines.bad:
            raise ModelError(f"The log has examples that cannot be read, after version {first:,}: {lines.bad}.")
        live.version = max(live.version, first)  # skip a gap, if a part of the log was lost
        try:
            if end > start:
                live.learn(lines, labels, weights)
        except LearningOverflowError:
            raise ReplayOverflowError(first) from None
        if stop is not None and live.version >= stop:
            return


def _batches(groups: Iterable[Group], batch_bytes: int) -> Iterator[list[Group]]:
    """Consecutive groups without a gap between them, joined until they have `batch_bytes`."""
    batch: list[Group] = []
    size = 0
    for group in groups:
        if batch and (size >= batch_bytes or group.version != batch[-1].end):
            yield batch
            batch, size = [], 0
        batch.append(group)
        size += len(group.lines)
    if batch:
        yield batch


def version_of(folder: ModelFolder, at: str) -> int:
    """The version that `at` gives, or that the model had at this time.

    Raises ModelError if the log begins later, ParameterError if `at` is neither a version nor a time.
    """
    if at.isascii() and at.isdecimal() and len(at) < 16:
        return int(at)
    moment = _moment_of(at)
    utc = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    log = Log(folder.log, read_only=True)
    try:
        version, bounds = log.version_at(int(utc.timestamp() * 1e6)), log.bounds
    finally:
        log.close()
    if version is None and bounds is not None and bounds[0] > 0:
        raise ModelError(f"The log begins later than {at[:40]}: what was before it has been compacted.")
    return version or 0


def _moment_of(at: str) -> datetime:
    """An ISO 8601 time; its plus sign may have become a space in a URL."""
    for text in (at, "+".join(at.rsplit(" ", 1))):
        with suppress(ValueError):
            return datetime.fromisoformat(text)
    raise ParameterError(f"`at` is a version or a time such as 2026-11-03T10:00Z, not {at[:40]!r}.")


def travel(folder: ModelFolder, version: int, limits: Limits = LIMITS) -> LiveModel:
    """The model as it was at a version."""
    log = Log(folder.log, read_only=True)
    try:
        bounds = log.bounds
        first = bounds[0] if bounds is not None else 0

        def start() -> LiveModel:
            live, _ = model_at(folder, version, limits)
            if live.version < first and version > live.version:
                raise ModelError(f"The log begins at version {first:,}: what was before it has been compacted.")
            return live

        live = replayed(start, log, version, gaps=False)
    finally:
        log.close()
    if live.version != version:
        if bounds is not None and version <= bounds[1]:
            raise LostExamplesError(live.version, version)
        raise ModelError(f"There is no version {version:,}: the newest is {live.version:,}.")
    live.publish()
    return live
