"""The directory of a service: one process at a time, one folder for each model, a bin for those that were deleted.

lock
models/NAME/base.model            the model that the log begins with
models/NAME/log.sqlite            every example since, in order
models/NAME/snapshots/VERSION.model
bin/NAME.TIME/
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import time
from contextlib import suppress

from rosenblatt.atomic import sync_folder, write_atomic
from rosenblatt.errors import ModelError, ParameterError
from rosenblatt.serve.store.snapshots import Snapshots

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def check_name(name: str) -> str:
    """A name that is safe in a path, or ModelError."""
    if not _NAME.fullmatch(name) or name.endswith("."):
        raise ModelError(
            f"{name[:80]!r} is not a name for a model: use up to 64 letters, digits, dots, hyphens and underscores."
        )
    return name


class ModelFolder:
    """The files of one model."""

    def __init__(self, path: str) -> None:
        self.path, self.name = path, os.path.basename(path)
        self.base, self.log = os.path.join(path, "base.model"), os.path.join(path, "log.sqlite")
        self.snapshots = Snapshots(os.path.join(path, "snapshots"))


class Directory:
    """Where the service keeps everything; locked while it is open."""

    def __init__(self, path: str, *, lock: bool = True) -> None:
        self.path = os.path.abspath(path)
        self._models, self._bin = os.path.join(self.path, "models"), os.path.join(self.path, "bin")
        try:
            if lock:
                os.makedirs(self.path, mode=0o700, exist_ok=True)  # the examples may be private
                os.makedirs(self._models, exist_ok=True)
                os.makedirs(self._bin, exist_ok=True)
            elif not os.path.isdir(self._models):
                raise NotADirectoryError
        except (FileExistsError, NotADirectoryError):
            raise ParameterError(f"{path}: is not a directory of rosenblatt serve.") from None
        except OSError as error:
            raise ParameterError(f"{path}: cannot be used: {error.strerror}.") from None
        self._lock = self._locked() if lock else None
        if lock:
            self._finish_installing()

    def _locked(self) -> int:
        try:
            handle = os.open(os.path.join(self.path, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise ParameterError(f"{self.path}: cannot be used: {error.strerror}.") from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            with open(handle, "rb") as file:
                process = file.read(20).decode(errors="replace").strip()
            by_process = f" by process {process}" if process.isdecimal() else ""
            raise ParameterError(
                f"{self.path}: is served{by_process} already: stop that one, or name another directory."
            ) from None
        with suppress(OSError):  # the process id only makes the error message above more helpful
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        return handle

    def close(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    @property
    def names(self) -> list[str]:
        """The models, including damaged ones without a base model, which fail when they are opened."""
        names = sorted(filter(_NAME.fullmatch, os.listdir(self._models)))
        files = ("base.model", "log.sqlite")
        return [name for name in names if any(os.path.isfile(os.path.join(self._models, name, file)) for file in files)]

    def folder(self, name: str) -> ModelFolder:
        return ModelFolder(os.path.join(self._models, check_name(name)))

    def create(self, name: str, content: bytes) -> ModelFolder:
        """Create a model from the content of its file; an older model of this name goes to the bin."""
        self.prepare(name, content)
        return self.install(name)

    def prepare(self, name: str, content: bytes) -> None:
        """Write a new model beside the one that has its name; if that fails, nothing has changed."""
        folder = ModelFolder(self._new(name))
        write_atomic(folder.base, content)
        sync_folder(folder.path)

    def install(self, name: str) -> ModelFolder:
        """Move the prepared model to its place."""
        target = os.path.join(self._models, name)
        if os.path.isdir(target):
            self.discard(name)
        os.rename(self._new(name), target)
        sync_folder(self._models)
        return self.folder(name)

    def _finish_installing(self) -> None:
        """If a process was killed while it replaced a model: move the new one to its place, unless the old one is
        still there."""
        for entry in os.listdir(self._models):
            name, new = entry[1:].removesuffix(".new"), os.path.join(self._models, entry)
            if entry != f".{name}.new":
                continue
            if os.path.isfile(os.path.join(new, "base.model")) and not os.path.isdir(os.path.join(self._models, name)):
                os.rename(new, os.path.join(self._models, name))
                sync_folder(self._models)
            else:
                shutil.rmtree(new, ignore_errors=True)

    def _new(self, name: str) -> str:
        return os.path.join(self._models, f".{check_name(name)}.new")

    def discard(self, name: str) -> str:
        """Move a model to the bin; returns its path there."""
        target = os.path.join(self._bin, f"{check_name(name)}.{time.time_ns()}")
        os.rename(os.path.join(self._models, name), target)
        sync_folder(self._models)
        sync_folder(self._bin)
        return target

    def empty_bin(self, older_than: float) -> None:
        """Remove models that were deleted more than `older_than` seconds ago."""
        for name in os.listdir(self._bin):
            moved = name.rpartition(".")[2]
            if moved.isdecimal() and time.time() - int(moved) / 1e9 > older_than:
                with suppress(OSError):
                    shutil.rmtree(os.path.join(self._bin, name))
