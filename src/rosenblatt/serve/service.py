"""All the models of one directory: opened, uploaded, deleted, stopped."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from rosenblatt.errors import ModelError, ParameterError, RosenblattError
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model_file import unpack_model, with_weights
from rosenblatt.serve.learning.live_model import LiveModel
from rosenblatt.serve.learning.served_model import Keeping, ServedModel
from rosenblatt.serve.learning.submissions import Submission, finish_all
from rosenblatt.serve.limits import LIMITS, Limits
from rosenblatt.serve.messages import RequestError
from rosenblatt.serve.replay import travel, version_of
from rosenblatt.serve.store.directory import Directory, check_name
from rosenblatt.storage.container import parse_container

_BIN_SECONDS = 30 * 86400.0


class Service:
    """Models by name. Call `open` and `close` outside the event loop, `put` and `delete` in a worker thread of it."""

    def __init__(
        self, path: str, keeping: Keeping, limits: Limits = LIMITS, say: Callable[[str], None] = lambda _: None
    ) -> None:
        self.directory = Directory(path)
        self.keeping, self.limits, self._say = keeping, limits, say
        self.models: dict[str, ServedModel] = {}
        self.failed: dict[str, str] = {}  # models that could not be opened, and why
        self.ready = False
        self._changing = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._travelling = 0
        self._travelled: tuple[ServedModel, LiveModel] | None = None  # the last one, often requested again

    def open(self) -> None:
        """Load every model, and replay what was logged after its newest snapshot."""
        self.directory.empty_bin(_BIN_SECONDS)
        for name in self.directory.names:
            self._try_to_start(name)
        self.ready = True

    def _try_to_start(self, name: str) -> None:
        try:
            self._start(name)
        except (RosenblattError, OSError, sqlite3.Error) as error:
            reason = str(error)
            if isinstance(error, OSError) and error.filename:
                reason = f"{error.strerror}: {error.filename}"
            self.failed[name] = reason
            self._say(f"{name}: is not served: {reason}")

    def use_loop(self, loop: asyncio.AbstractEventLoop) -> None:
        """Give answers in this event loop."""
        self._loop = loop

    def _start(self, name: str) -> ServedModel:
        served = ServedModel(self.directory.folder(name), self.keeping, self.limits, self._deliver, self._say)
        served.start()
        self.models[name] = served
        self.failed.pop(name, None)
        return served

    def _deliver(self, submissions: list[Submission]) -> None:
        if self._loop is None:
            finish_all(submissions)
            return
        with suppress(RuntimeError):  # the loop has ended, and nobody waits for an answer
            self._loop.call_soon_threadsafe(finish_all, submissions)

    def model(self, name: str) -> ServedModel:
        served = self.models.get(name)
        if served is None:
            reason = self.failed.get(name)
            sentence = f"There is no model {name[:80]!r}." if reason is None else f"{name} is not served: {reason}"
            raise RequestError(404 if reason is None else 503, sentence)
        return served

    async def travel(self, served: ServedModel, at: str) -> LiveModel:
        """The model as it was at a version or a time, by replay; only a few replays at once."""
        if self._travelling >= self.limits.travels:
            raise RequestError(429, "Another request is looking into the past: send it again soon.", retry=1)
        self._travelling += 1
        try:
            return await asyncio.to_thread(self._travel, served, at)
        except ParameterError as error:
            raise RequestError(422, str(error), "at") from None
        except ModelError as error:
            raise RequestError(404, str(error), "at") from None
        except (RosenblattError, OSError, sqlite3.Error) as error:
            raise RequestError(503, f"The log cannot be replayed: {error}") from None
        finally:
            self._travelling -= 1

    def _travel(self, served: ServedModel, at: str) -> LiveModel:
        version = version_of(served.folder, at)
        cached = self._travelled
        if cached is not None and cached[0] is served and cached[1].version == version:
            return cached[1]
        self._travelled = None
        live = travel(served.folder, version, self.limits)
        self._travelled = served, live
        return live

    def put(self, name: str, content: bytes) -> ServedModel:
        """Serve a model from the content of its file; an older model of this name goes to the bin."""
        try:
            check_name(name)
            model = with_weights(parse_container(content, unpack_model, "The body"), "The body", "served")
            LiveModel(model, model.sample, self.limits)
        except ModelError as error:
            raise RequestError(422, str(error)) from None
        with self._changing:
            if name not in self.models and len(self.models) >= self.limits.models:
                raise RequestError(409, f"There are {self.limits.models} models: delete one first.")
            try:
                self.directory.prepare(name, content)
                self._remove(name)
                self.directory.install(name)
                return self._start(name)
            except (OSError, sqlite3.Error) as error:
                if name not in self.models and name in self.directory.names:
                    self._try_to_start(name)  # the old one, if it is still there
                raise RequestError(503, f"The model could not be written: {error}.") from None

    def delete(self, name: str) -> str:
        """Stop a model and move its files to the bin; returns their new path."""
        with self._changing:
            if name not in self.models and name not in self.failed:
                raise RequestError(404, f"There is no model {name[:80]!r}.")
            self._remove(name)
            return self.directory.discard(name)

    def _remove(self, name: str) -> None:
        served = self.models.pop(name, None)
        self.failed.pop(name, None)
        if served is not None:
            served.stop()

    def close(self) -> None:
        """Stop all models at the same time; each finishes its queue first."""
        self.ready = False
        threads = [threading.Thread(target=served.stop) for served in self.models.values()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.directory.close()


def import_models(directory: Directory, paths: list[str]) -> list[str]:
    """Put model files into the directory under their own names, unless a model of this name is there already."""
    names = []
    for path in paths:
        name = check_name(os.path.basename(path).removesuffix(".model"))
        if name not in directory.names:
            try:
                with open(path, "rb") as file:
                    content = file.read()
            except OSError as error:
                raise ModelError(f"{path}: cannot be read: {error.strerror}.", file=path) from None
            model: Any = parse_container(content, unpack_model, path)
            linear: LinearModel = with_weights(model, path, "served")
            LiveModel(linear, linear.sample)
            directory.create(name, content)
        names.append(name)
    return names
