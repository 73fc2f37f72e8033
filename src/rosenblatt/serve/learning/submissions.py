"""Bodies that clients send to be learned -> their examples, as the log stores them. Bodies with errors are refused.

Bodies that arrived together are learned together, but each is accepted or refused by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rosenblatt.errors import DataError
from rosenblatt.serve.learning.example_lines import FIELDS, LineReader, ReadLines
from rosenblatt.serve.learning.labels import Labels
from rosenblatt.serve.learning.live_model import LiveModel, checked_weight
from rosenblatt.serve.learning.remembered_predictions import Remembered
from rosenblatt.serve.limits import Limits
from rosenblatt.serve.messages import LearnExample, RequestError, check_id, decode_learn
from rosenblatt.serve.store.log import Log


class Submission:
    """A body with examples to learn, and where its answer goes."""

    __slots__ = ("answer", "body", "lines", "on_done", "status")

    def __init__(self, body: bytes, lines: bool, on_done: Callable[[Submission], None]) -> None:
        self.body, self.lines, self.on_done = body, lines, on_done
        self.status, self.answer = 0, b""

    def refuse(self, error: RequestError) -> None:
        self.status, self.answer = error.status, error.body


def finish_all(submissions: Sequence[Submission]) -> None:
    """Tell each client that its answer is ready."""
    for submission in submissions:
        submission.on_done(submission)


class Batch(NamedTuple):
    """The examples of one submission, as the log stores them."""

    submission: Submission
    numbers: Sequence[int | None]  # line numbers in the body; None for a body of one example
    lines: list[bytes]
    codes: list[float]
    weights: list[float]
    ids: list[str | None]
    duplicates: int = 0  # examples that are left out, because their id was learned before

    def without(self, learned: set[str]) -> Batch:
        """The batch without examples whose id was learned before."""
        new = [k for k, id_ in enumerate(self.ids) if id_ is None or id_ not in learned]
        return Batch(
            self.submission,
            [self.numbers[k] for k in new],
            [self.lines[k] for k in new],
            [self.codes[k] for k in new],
            [self.weights[k] for k in new],
            [self.ids[k] for k in new],
            self.duplicates + len(self.ids) - len(new),
        )


def checked_line(reader: LineReader, example: Any, limits: Limits, number: int | None) -> bytes:
    """The line of an example; raises RequestError if this model cannot read it, or it is too long."""
    try:
        line = reader.line(example)
    except DataError as error:
        raise RequestError(422, str(error), reader.field, number) from None
    if len(line) > limits.example_bytes:
        raise RequestError(413, f"An example may have up to {limits.example_bytes:,} bytes.", reader.field, number)
    return line


class SubmissionReader:
    """Reads submissions for one model, in the thread of that model."""

    def __init__(self, live: LiveModel, log: Log, remembered: Remembered, labels: Labels, limits: Limits) -> None:
        self._live, self._log, self._remembered, self._labels = live, log, remembered, labels
        self._limits = limits

    def read(self, submissions: Sequence[Submission]) -> tuple[list[Batch], ReadLines | None]:
        """The submissions without an error, and the rows of all their lines; the others are refused."""
        batches = []
        for submission in submissions:
            try:
                batches.append(self._decode(submission))
            except RequestError as error:
                submission.refuse(error)
            except Exception as error:  # a bug that this body meets: the others are learned
                submission.refuse(_bug(error))
        return self.rows_of(self.without_learned(batches))

    def without_learned(self, batches: list[Batch]) -> list[Batch]:
        ids = [id_ for batch in batches for id_ in batch.ids if id_ is not None]
        learned = self._log.known_ids(ids) if ids else set()
        return [batch.without(learned) for batch in batches] if learned else batches

    def rows_of(self, batches: list[Batch]) -> tuple[list[Batch], ReadLines | None]:
        """The batches without a bad line, and the rows of all their lines; the others are refused."""
        while lines := [line for batch in batches for line in batch.lines]:
            try:
                read, bad = self._read_lines(lines)
            except Exception as error:
                batches = self._without_unreadable(batches, error)
                continue
            if not bad:
                return batches, read
            batches = self._without_bad(batches, bad)
        return batches, None

    def _read_lines(self, lines: list[bytes]) -> tuple[ReadLines, Mapping[int, str]]:
        """The rows, and what is wrong with some of them."""
        read = self._live.learning_reader.read(lines)
        return read, read.bad or self._live.check(read)

    def _without_unreadable(self, batches: list[Batch], error: Exception) -> list[Batch]:
        """Refuse the submissions whose lines make the reader fail; those of other clients are learned."""
        good = []
        for batch in batches:
            try:
                if len(batches) == 1:
                    raise error
                if batch.lines:
                    self._read_lines(batch.lines)
                good.append(batch)
            except Exception as of_batch:
                batch.submission.refuse(_bug(of_batch))
        if len(good) == len(batches):
            raise error
        return good

    def _without_bad(self, batches: Sequence[Batch], bad: Mapping[int, str]) -> list[Batch]:
        """Refuse the submissions that have a bad line, and give the others."""
        good, first = [], 0
        for batch in batches:
            end = first + len(batch.lines)
            fault = next((k for k in sorted(bad) if first <= k < end), None)
            if fault is None:
                good.append(batch)
            else:
                number = batch.numbers[fault - first]
                batch.submission.refuse(RequestError(422, bad[fault], self._live.reader.field, number))
            first = end
        return good

    # -- one body ---------------------------------------------------------------------------------------------------

    def _decode(self, submission: Submission) -> Batch:
        decoded = decode_learn(submission.body, submission.lines, self._limits)
        submission.body = b""  # no longer needed, and perhaps large
        is_one = isinstance(decoded, LearnExample)
        examples: list[LearnExample] = [decoded] if isinstance(decoded, LearnExample) else decoded
        if not examples:
            raise RequestError(422, "There is no example in the body.")
        numbers: list[int | None] = [None] if is_one else list(range(1, len(examples) + 1))
        lines, codes = [], []
        for number, example in zip(numbers, examples, strict=True):
            if example.id is not None:
                check_id(example.id, self._limits, number)
            code = None if example.label is None else self._labels.code(example.label)
            if code is None:
                sentence = "An example to learn needs a label."
                if example.label is not None:
                    sentence = self._labels.refusal(example.label)
                raise RequestError(422, sentence, "label", number)
            if example.weight != 1.0:
                fault = checked_weight(example.weight, self._limits.largest_weight)
                if fault is not None:
                    raise RequestError(422, fault, "weight", number)
            lines.append(self._line(example, number))
            codes.append(code)
        weights, ids = [example.weight for example in examples], [example.id for example in examples]
        return Batch(submission, numbers, lines, codes, weights, ids)

    def _line(self, example: LearnExample, number: int | None) -> bytes:
        reader = self._live.learning_reader
        line = None
        if example.id is not None and getattr(example, reader.field) is None:
            line = self._remembered_line(example, example.id, number)
        return checked_line(reader, example, self._limits, number) if line is None else line

    def _remembered_line(self, example: LearnExample, id_: str, number: int | None) -> bytes | None:
        """The line of an example that was predicted with this id; b'' if it was learned already, and needs none; None
        if it has features of a kind that the model does not read."""
        if any(getattr(example, name) is not None for name in FIELDS):
            return None  # checked_line refuses them
        line = self._remembered.get(id_)
        if line is None and not self._log.known_ids([id_]):
            raise RequestError(
                404,
                f"No prediction with the id {id_[:80]!r} is remembered: send the features with the label.",
                "id",
                number,
            )
        return b"" if line is None else line


def _bug(error: Exception) -> RequestError:
    return RequestError(500, f"The body cannot be read, {type(error).__name__}: {error}. Please report this bug.")
