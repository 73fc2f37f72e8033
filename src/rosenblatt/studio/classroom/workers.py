"""Processes that answer questions. A question that takes too long is ended with its process, which starts anew.

Threads would not do: a long computation in one of them makes all others slow, and cannot be ended.
"""

import json
import multiprocessing
import os
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

OK, REFUSED, BROKEN, TOO_LONG = 200, 422, 500, 503
_NICE = 10  # of slow work, so that quick answers come first
_MAX_MOMENTS = 150  # of a long run, instead of 600: they take most of the time of an answer


class Worker:
    """One process; `answer` is called by one thread at a time."""

    def __init__(self, is_slow: bool = False) -> None:
        self._is_slow = is_slow
        self._lock = threading.Lock()
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._is_slow), daemon=True)
        self._process.start()
        theirs.close()
        self._is_ready = False

    def _wait_until_ready(self) -> None:
        """Imports take a second, which no question is charged for."""
        if not self._is_ready:
            self._connection.recv()
            self._is_ready = True

    def answer(self, question: str, body: bytes, seconds: float) -> tuple[int, bytes]:
        """Status and JSON of the answer; an answer that takes longer than this is given up."""
        with self._lock:
            try:
                self._wait_until_ready()
                self._connection.send((question, body))
                if self._connection.poll(seconds):
                    status, answer = self._connection.recv()
                    return status, answer
            except (EOFError, OSError):  # the process has ended, such as for want of memory
                self._restart()
                return BROKEN, _error("The computation broke down: use fewer points.")
            self._restart()
            return TOO_LONG, _error(
                f"This takes more than {seconds:g} seconds, and others are waiting: use fewer points or epochs."
            )

    def _restart(self) -> None:
        """Waits for the new process, so that its start is time of the client that needed it."""
        self.close()
        self._start()
        with suppress(EOFError, OSError):
            self._wait_until_ready()

    def close(self) -> None:
        self._process.kill()
        self._process.join()
        self._connection.close()


def _error(sentence: str) -> bytes:
    return json.dumps({"error": sentence}).encode()


# -- in the process ---------------------------------------------------------------------------------------------------


def _serve(connection: Connection, is_slow: bool) -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends its workers
    if is_slow:
        os.nice(_NICE)
    from rosenblatt.studio.playback import run
    from rosenblatt.studio.questions.registry import QUESTIONS

    run.MAX_MOMENTS = _MAX_MOMENTS
    if is_slow:
        import rosenblatt.estimators  # noqa: F401  # a second that no student waits for
    connection.send("ready")
    while True:
        try:
            question, body = connection.recv()
        except (EOFError, OSError):  # the server has ended
            return
        connection.send(_answer(QUESTIONS[question], body))


def _answer(question: Any, body: bytes) -> tuple[int, bytes]:
    from rosenblatt.errors import RosenblattError
    from rosenblatt.studio.request import read_json

    try:
        return OK, json.dumps(question(read_json(body)), allow_nan=False, separators=(",", ":")).encode()
    except RosenblattError as error:
        return REFUSED, _error(str(error))
    except Exception as error:  # whatever it is, the class goes on
        return BROKEN, _error(f"{type(error).__name__}: this is a bug in the studio; please report what you did.")
