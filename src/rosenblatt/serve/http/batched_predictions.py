"""Predictions that are asked for in the same turn of the event loop are made together: one reading, one scoring.

An example that cannot be read fails its own request alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from rosenblatt.serve.learning.served_model import ServedModel
from rosenblatt.serve.messages import Prediction, RequestError


class PredictionBatches:
    """The requests that wait for a prediction, by model."""

    def __init__(self) -> None:
        self._batches: dict[ServedModel, _Batch] = {}

    def predict(self, served: ServedModel, line: bytes, id_: str | None) -> asyncio.Future[Prediction]:
        """The prediction for one example, written as a line of the model's format."""
        loop = asyncio.get_running_loop()
        batch = self._batches.get(served)
        if batch is None:
            batch = self._batches[served] = _Batch()
            loop.call_soon(self._make, served)
        future: asyncio.Future[Prediction] = loop.create_future()
        batch.add(line, id_, future)
        return future

    def _make(self, served: ServedModel) -> None:
        _predict(served, self._batches.pop(served))


def _predict(served: ServedModel, batch: _Batch) -> None:
    try:
        predictions = served.live.predict(batch.lines)
    except Exception as error:
        if len(batch.lines) > 1:  # one of them makes the reader fail: predict each alone, to answer the others
            for alone in batch.split():
                _predict(served, alone)
        elif not batch.futures[0].done():
            batch.futures[0].set_exception(error)
        return
    answers = served.labels.answers(predictions, batch.ids)
    k = 0
    for position, future in enumerate(batch.futures):
        problem = predictions.bad.get(position)
        if future.done():  # the client has gone
            k += problem is None
            continue
        if problem is not None:
            future.set_exception(RequestError(422, problem, served.live.reader.field))
            continue
        id_ = batch.ids[position]
        if id_ is not None:
            served.remembered.add(id_, batch.lines[position])
        future.set_result(answers[k])
        k += 1
    served.count_predicted(len(answers))


class _Batch:
    """Examples that are predicted together: their lines, their ids and who waits for the answers."""

    __slots__ = ("futures", "ids", "lines")

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.ids: list[str | None] = []
        self.futures: list[asyncio.Future[Prediction]] = []

    def add(self, line: bytes, id_: str | None, future: asyncio.Future[Prediction]) -> None:
        self.lines.append(line)
        self.ids.append(id_)
        self.futures.append(future)

    def split(self) -> Iterator[_Batch]:
        """A batch for each prediction."""
        for line, id_, future in zip(self.lines, self.ids, self.futures, strict=True):
            alone = _Batch()
            alone.add(line, id_, future)
            yield alone
