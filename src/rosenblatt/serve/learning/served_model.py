"""One model that is served: a thread writes what clients send to its log, in groups, and then learns it.

An example is acknowledged when the commit of its group has returned. Predictions do not wait for that thread.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from rosenblatt.errors import LearningOverflowError, ModelError, RosenblattError
from rosenblatt.serve.learning.drift import drift_of
from rosenblatt.serve.learning.example_lines import ReadLines
from rosenblatt.serve.learning.labels import labels_of
from rosenblatt.serve.learning.live_model import LearnedGroup, LiveModel, values_of
from rosenblatt.serve.learning.minute_counts import Minute
from rosenblatt.serve.learning.remembered_predictions import Remembered
from rosenblatt.serve.learning.submissions import Batch, Submission, SubmissionReader, finish_all
from rosenblatt.serve.limits import LIMITS, Limits
from rosenblatt.serve.messages import Learned, RequestError, encode
from rosenblatt.serve.replay import ReplayOverflowError, model_at, replayed
from rosenblatt.serve.store.directory import ModelFolder
from rosenblatt.serve.store.log import DamagedLogError, Group, Log, is_damage
from rosenblatt.serve.store.opening import check_end, open_log, salvaged_log

_GROUP_BYTES = 8 << 20
_PUBLISH_AT_ONCE = 0.0005  # seconds that a copy may take for every group to be published
_ERRORS_KEPT = 50


class Keeping(NamedTuple):
    """How durable an acknowledgement is, how long the log is kept, and how often a snapshot is taken."""

    durability: str = "commit"
    keep_seconds: float = 30 * 86400.0
    snapshot_examples: int = 1_000_000
    snapshot_seconds: float = 600.0


class ServedModel:
    """`submit` and `predict` are for any thread."""

    def __init__(
        self,
        folder: ModelFolder,
        keeping: Keeping = Keeping(),  # noqa: B008 - immutable
        limits: Limits = LIMITS,
        deliver: Callable[[list[Submission]], None] | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`deliver` gets submissions whose status and answer are set, from the thread of this model."""
        self.folder, self.name = folder, folder.name
        self._keeping, self._limits, self._say = keeping, limits, say
        self._deliver = deliver or finish_all
        self.remembered = Remembered(limits)
        self.errors: deque[tuple[float, str]] = deque(maxlen=_ERRORS_KEPT)
        self.refusals: deque[tuple[float, bytes]] = deque(maxlen=_ERRORS_KEPT)  # apart: they may be many
        self.predicted = self.learned = self.duplicates = self.refused = 0
        self.started = time.time()
        self._queue: deque[Submission] = deque()
        self._queue_bytes = 0
        self._wakes = threading.Condition()
        self._stopping = False
        self._commands: deque[tuple[Callable[[], Any], Callable[[Any, BaseException | None], None]]] = deque()
        self._minute = Minute()
        self._unsynced = False
        self._to_undo: int | None = None  # the version before a group that is in the log and could not be learned
        self._counting = threading.Lock()
        folder.snapshots.remove_unfinished()
        self.log = open_log(folder.log, keeping.durability, self._newest_version, self._warn)
        self._load()
        check_end(self.log, self.snapshot_version, self._warn)
        self.drift = drift_of(self.live.predicts_number)
        self._thread = threading.Thread(target=self._work, name=f"learn {self.name}", daemon=True)

    # -- start and stop ---------------------------------------------------------------------------------------------

    def _load(self) -> None:
        """Load the newest undamaged snapshot, and replay the log after it."""
        self._snapshot_time = time.monotonic()
        try:
            _ = self.log.bounds  # reading them tells the log its last time
            self.live = replayed(self._newest_snapshot, self.log)
        except ReplayOverflowError as error:
            self._drop_overflowing(error.version)
        except (DamagedLogError, sqlite3.DatabaseError) as error:
            if not is_damage(error):
                raise
            self.log.close()
            self.log = self._salvaged(str(error), self._newest_version)
            _ = self.log.bounds
            self.live = replayed(self._newest_snapshot, self.log)
        self.live.publish()
        self.labels = labels_of(self.live)

    def _newest_snapshot(self) -> LiveModel:
        live, damaged = model_at(self.folder, None, self._limits)
        for sentence in damaged:
            self._warn(f"a snapshot was skipped: {sentence.rstrip('.')}")
        self.snapshot_version = live.version
        return live

    @property
    def _newest_version(self) -> int:
        return max(self.folder.snapshots.versions, default=0)

    def _salvaged(self, what: str, learned: int) -> Log:
        return salvaged_log(self.folder.log, self._keeping.durability, what, learned, self._warn)

    def repair(self) -> None:
        """Continue with a new log, of all that can be read of the damaged one, and a snapshot of what was learned;
        call it in the thread of the model."""
        self.log.close()
        try:
            self.log = self._salvaged("SQLite cannot read all of it", self.live.version)
        except (OSError, sqlite3.Error):
            self.log = Log(self.folder.log, durability=self._keeping.durability)
            raise
        _ = self.log.bounds
        self.snapshot()

    def _drop_overflowing(self, version: int) -> None:
        """Remove the last group, whose examples make the weights overflow, and which was not acknowledged."""
        bounds = self.log.bounds
        if bounds is None or all(group.end < bounds[1] for group in self.log.groups(version)):
            raise ModelError(f"{self.name}: the weights overflowed at version {version:,}, and not in the last group.")
        last = max(group.version for group in self.log.groups(version))
        self.log.remove(last)
        self._warn(f"examples after {last:,}, which were not acknowledged, made the weights overflow: removed")
        self._load()

    def start(self) -> None:
        self._thread.start()

    def stop(self, *, snapshot: bool = True) -> None:
        """Finish what is queued, then end; new submissions are refused."""
        with self._wakes:
            self._stopping = True
            self._wakes.notify()
        if self._thread.is_alive():
            self._thread.join()
        if snapshot:
            self._attempt(self._snapshot_if_changed, "the last snapshot")
        self._attempt(self._write_minute, "statistics")
        self.log.close()

    def _warn(self, sentence: str) -> None:
        self.errors.append((time.time(), sentence))
        self._say(f"{self.name}: {sentence}.")

    # -- called by other threads ------------------------------------------------------------------------------------

    def submit(self, submission: Submission) -> None:
        """Queue a body to be learned; raises RequestError if the queue is full."""
        limits, size = self._limits, len(submission.body) + 256
        with self._wakes:
            if self._stopping or self._has_ended:
                raise RequestError(503, "The service is stopping: send it again soon.", retry=5)
            if self._queue_bytes + size > limits.queue_bytes and self._queue:
                raise RequestError(429, "Too much is waiting to be learned: send it again soon.", retry=1)
            self._queue.append(submission)
            self._queue_bytes += size
            if len(self._queue) == 1:
                self._wakes.notify()

    @property
    def _has_ended(self) -> bool:
        return self._thread.ident is not None and not self._thread.is_alive()

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    @property
    def waiting(self) -> int:
        return len(self._queue)

    def count_predicted(self, n: int) -> None:
        with self._counting:
            self.predicted += n

    def run(self, command: Callable[[], Any], on_done: Callable[[Any, BaseException | None], None]) -> None:
        """Run `command` in the thread of the model, between two groups."""
        with self._wakes:
            if self._stopping or self._has_ended:
                raise RequestError(503, "The service is stopping.", retry=5)
            if len(self._commands) >= self._limits.commands:
                raise RequestError(429, "Too many requests wait for this model: send it again soon.", retry=1)
            self._commands.append((command, on_done))
            self._wakes.notify()

    # -- the thread -------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            with self._wakes:
                if not self._queue and not self._commands and not self._stopping:
                    self._wakes.wait(self._wait_seconds())
                submissions = self._take()
                command = self._commands.popleft() if self._commands else None  # one: learning goes on between two
                ends = self._stopping and not submissions and command is None
            if submissions:
                self._learn(submissions)
            if command is not None:
                self._do(*command)
            if ends:
                return
            try:
                self._housekeeping()
            except Exception as error:  # perhaps out of memory, and only for a moment
                self._warn(f"{type(error).__name__}: {error}")
                time.sleep(1.0)

    @staticmethod
    def _do(command: Callable[[], Any], on_done: Callable[[Any, BaseException | None], None]) -> None:
        try:
            result = command()
        except Exception as error:
            on_done(None, error)
        else:
            on_done(result, None)

    def _take(self) -> list[Submission]:
        """Take as many submissions from the queue as one group may hold."""
        submissions: list[Submission] = []
        size = 0
        while self._queue and (not submissions or size + len(self._queue[0].body) <= _GROUP_BYTES):
            submission = self._queue.popleft()
            size += len(submission.body)
            self._queue_bytes -= len(submission.body) + 256
            submissions.append(submission)
        return submissions

    def _wait_seconds(self) -> float:
        publish_in = self.live.publish_in
        return min(1.0, 1.0 if publish_in is None else publish_in)

    def _learn(self, submissions: list[Submission]) -> None:
        """Write the examples of all submissions with one commit, learn them, and answer."""
        try:
            if self._to_undo is not None:
                self._undo(self._to_undo)
            batches, rows = self._reader().read(submissions)
            self._learn_batches(batches, rows)
        except Exception as error:
            reason = str(error) if isinstance(error, sqlite3.Error | OSError) else f"{type(error).__name__}: {error}"
            self._warn(f"examples were not learned: {reason}")
            refusal = RequestError(503, f"The examples could not be written, and were not learned: {reason}.", retry=1)
            for submission in submissions:
                if not submission.status:
                    submission.refuse(refusal)
            if is_damage(error):
                self._attempt(self.repair, "the repaired log")
        for submission in submissions:
            if submission.status != 200:
                self.refused += 1
                self.refusals.append((time.time(), submission.answer))
        self._deliver(submissions)

    def _reader(self) -> SubmissionReader:
        return SubmissionReader(self.live, self.log, self.remembered, self.labels, self._limits)

    def _learn_batches(self, batches: list[Batch], rows: ReadLines | None) -> None:
        new, ids, all_new = self._new_examples(batches)
        version = self.live.version
        lines = [batches[b].lines[k] for b, k in new]
        if lines:
            codes = self.labels.packed([batches[b].codes[k] for b, k in new])
            weights = values_of([batches[b].weights[k] for b, k in new])
            read = rows if rows is not None and all_new else self.live.learning_reader.read(lines)
            group = Group(
                version,
                len(lines),
                self.log.time_now(),
                b"\n".join(lines),
                codes.tobytes(),
                None if weights is None else weights.tobytes(),
            )
            with self.log.transaction():
                self.log.append(group, ids)
            self._unsynced = self._keeping.durability == "second"
            try:
                errors = self.live.learn(read, codes, weights)
            except LearningOverflowError:
                self._undo(version)
                return self._learn_each(batches)
            except Exception:
                self._undo(version)
                raise
            self.learned += len(lines)
            self._count(len(lines), errors)
            if self.live.publish_in is not None and self.live.is_published_quickly(_PUBLISH_AT_ONCE):
                self.live.publish()
        n_new = [0] * len(batches)
        for b, _ in new:
            n_new[b] += 1
        for batch, n in zip(batches, n_new, strict=True):
            version += n
            duplicates = batch.duplicates + len(batch.lines) - n
            self.duplicates += duplicates
            batch.submission.answer = encode(Learned(n, duplicates, version, self._keeping.durability))
            batch.submission.status = 200

    def _learn_each(self, batches: list[Batch]) -> None:
        """After an overflow of the weights: learn each submission by itself, and refuse only the one that overflows."""
        if len(batches) == 1:
            sentence = "An example made the weights overflow: scale its values down."
            self._warn(sentence.rstrip(".").replace("An", "an", 1))
            batches[0].submission.refuse(RequestError(422, sentence, self.live.reader.field))
            return
        for batch in batches:
            self._learn_batches(self._reader().without_learned([batch]), None)

    def _new_examples(self, batches: list[Batch]) -> tuple[list[tuple[int, int]], list[tuple[str, int]], bool]:
        """The places of the examples, (batch, position in it), without repeated ids; their ids with versions; and
        whether no id was repeated."""
        places = [(b, k) for b, batch in enumerate(batches) for k in range(len(batch.lines))]
        seen: set[str] = set()
        new: list[tuple[int, int]] = []
        new_ids, version = [], self.live.version
        for b, k in places:
            id_ = batches[b].ids[k]
            if id_ is not None:
                if id_ in seen:
                    continue
                seen.add(id_)
                new_ids.append((id_, version + len(new)))
            new.append((b, k))
        return new, new_ids, len(new) == len(places)

    def _undo(self, version: int) -> None:
        """Remove a group that cannot be learned, and reload the model before it; if that fails, it is tried again
        before the next group."""
        self._to_undo = version
        self.log.remove(version)
        self._load()
        self._to_undo = None

    def _count(self, learned: int, errors: LearnedGroup) -> None:
        self._minute.add(learned, errors.wrong, errors.weighed)
        alarm = self.drift.add(self.live.version, errors.distance, errors.weighed)
        if alarm is not None:
            self._attempt(lambda: self._note_alarm(alarm._asdict()), "an alarm")

    def _note_alarm(self, alarm: dict[str, Any]) -> None:
        with self.log.transaction():
            self.log.note("drift", alarm)
        before, after = alarm["before"], alarm["after"]
        number = f"is off by {after:.4g} on new examples, before by {before:.4g}"
        share = f"errs on {after:.1%} of new examples, before on {before:.1%}"
        self._say(f"{self.name}: {number if self.live.predicts_number else share}.")

    # -- between groups ---------------------------------------------------------------------------------------------

    def _housekeeping(self) -> None:
        if self.live.publish_in == 0.0:
            self.live.publish()
        if self._unsynced and time.monotonic() - self._synced_at >= 1.0:
            self._attempt(self._sync, "the log")
        if self._minute.is_over:
            self._attempt(self._write_minute, "statistics")
        n_new = self.live.version - self.snapshot_version
        late = time.monotonic() - self._snapshot_time >= self._keeping.snapshot_seconds
        if n_new >= self._keeping.snapshot_examples or (n_new and late):
            self._attempt(self.snapshot, "a snapshot")

    _synced_at = 0.0

    def _sync(self) -> None:
        self._synced_at = time.monotonic()
        self.log.sync()
        self._unsynced = False

    def _attempt(self, work: Callable[[], Any], what: str) -> None:
        """Do what may fail, such as on a full disk, without loss of what was learned: warn then, and retry later."""
        try:
            work()
        except (OSError, sqlite3.Error, RosenblattError) as error:
            self._snapshot_time = time.monotonic()
            self._warn(f"{what} could not be written: {error}")
            if is_damage(error) and work != self.repair:
                self._attempt(self.repair, "the repaired log")

    def snapshot(self) -> str:
        """Save the model as it is now; call it in the thread of the model, or when that has ended."""
        if self._to_undo is not None:
            self._undo(self._to_undo)
        if self._unsynced:
            self._sync()
        version = self.live.version
        path = self.folder.snapshots.save(self.live.snapshot(), version)
        self.snapshot_version, self._snapshot_time = version, time.monotonic()
        self.folder.snapshots.thin()
        self._compact()
        return path

    def _snapshot_if_changed(self) -> None:
        if self.live.version != self.snapshot_version:
            self.snapshot()

    def _compact(self) -> None:
        """Remove the log before the newest snapshot that is older than the time for which the log is kept."""
        limit = time.time_ns() // 1000 - int(self._keeping.keep_seconds * 1e6)
        old = [
            version
            for version in self.folder.snapshots.versions
            if (written := self.log.time_of(version)) is not None and written < limit
        ]
        if old:
            self.log.compact(old[-1])
            for version in old[:-1]:
                self.folder.snapshots.remove(version)

    def _write_minute(self) -> None:
        minute, learned, wrong, weighed, predicted = self._minute.take(self.predicted)
        if learned or predicted:
            with self.log.transaction():
                self.log.add_minute(minute, learned, wrong, weighed, predicted)

    @property
    def this_minute(self) -> tuple[int, int, float, float, int]:
        return self._minute.now(self.predicted)
