"""Processes that answer questions. A question that takes too long is ended with its process, which is started again.

Threads would not do: a long computation in one of them makes all others slow, and cannot be ended.
"""

import json
import math
import multiprocessing
import os
import resource
import signal
import threading
import time
from contextlib import suppress
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from typing import Any

from rosenblatt.studio.error_sentence import bug, error_body

OK, REFUSED, BROKEN, TOO_LONG = 200, 422, 500, 503
# The limit on a question is CPU time, so that short work is not ended because the machine is busy. A question that
# takes this many times as long by the clock is ended too.
_PATIENCE = 5
_NICE = 10  # of slow work, so that quick answers come first
# Imported once, by the process from which the workers are forked, so that a new worker starts at once.
_PRELOADED = "rosenblatt.studio.classroom.preloaded"
_MAX_MOMENTS = 150  # of a long run, instead of 600: they take most of the time of an answer


class Worker:
    """One process; `answer` is called by one thread at a time."""

    def __init__(self, is_slow: bool = False) -> None:
        self._is_slow = is_slow
        self._lock = threading.Lock()
        self._start()

    def _start(self) -> None:
        context = _forkserver()
        self._connection, child_connection = context.Pipe()
        self._process = context.Process(target=_serve, args=(child_connection, self._is_slow), daemon=True)
        self._process.start()
        child_connection.close()
        self._is_ready = False

    def _wait_until_ready(self) -> None:
        """Wait for the imports, which take seconds that no question is charged for."""
        if not self._is_ready:
            self._connection.recv()
            self._is_ready = True

    def answer(self, question: str, body: bytes, seconds: float) -> tuple[int, bytes]:
        """Status and JSON of the answer; a question is given up after so many seconds of CPU time."""
        with self._lock:
            try:
                self._wait_until_ready()
                self._connection.send((question, body, seconds))
                if self._connection.poll(_PATIENCE * seconds):
                    status, answer = self._connection.recv()
                    return status, answer
            except (EOFError, OSError):
                if not self._has_used_its_time():  # it has ended for another reason, such as too little memory
                    self._restart()
                    return BROKEN, _error("The computation broke down: use fewer points.")
            self._restart()
            return TOO_LONG, _error(
                f"This takes more than {seconds:g} seconds, and others are waiting: use fewer points or epochs."
            )

    def _has_used_its_time(self) -> bool:
        self._process.join(1)
        return self._process.exitcode == -signal.SIGXCPU

    def _restart(self) -> None:
        """Start a new process and wait for it, so that its start counts as time of the client that caused it."""
        self.close()
        self._start()
        with suppress(EOFError, OSError):
            self._wait_until_ready()

    def close(self) -> None:
        self._process.kill()
        self._process.join()
        self._connection.close()


def prepare() -> None:
    """Start the imports in the background, before the first worker is needed."""
    _forkserver()
    forkserver.ensure_running()


def _forkserver() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([_PRELOADED])
    return context


def _error(sentence: str) -> bytes:
    return json.dumps(error_body(sentence)).encode()


# -- in the process ---------------------------------------------------------------------------------------------------


def _serve(connection: Connection, is_slow: bool) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends its workers
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a question that is ended leaves no core dump
    if is_slow:
        os.nice(_NICE)
    from rosenblatt.studio.classroom.preloaded import QUESTIONS
    from rosenblatt.studio.playback import run

    run.MAX_MOMENTS = _MAX_MOMENTS
    with suppress(EOFError, OSError):  # the server has ended
        connection.send("ready")
        while True:
            question, body, seconds = connection.recv()
            _limit_cpu_time(seconds)
            connection.send(_answer(QUESTIONS[question], body))


def _limit_cpu_time(seconds: float) -> None:
    """Allow so many more seconds of CPU time, rounded up: then the system ends the process, even in native code."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    end = math.ceil(time.process_time() + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (end if most == resource.RLIM_INFINITY else min(end, most), most))


def _answer(question: Any, body: bytes) -> tuple[int, bytes]:
    from rosenblatt.errors import RosenblattError
    from rosenblatt.studio.request import read_json

    try:
        return OK, json.dumps(question(read_json(body)), allow_nan=False, separators=(",", ":")).encode()
    except RosenblattError as error:
        return REFUSED, _error(str(error))
    except Exception as error:  # any other error is a bug, which must not stop the class
        return BROKEN, _error(bug(error))
