"""The studio for a class, as an ASGI application: for `rosenblatt studio --class`, a container, or mounted in another.

    uvicorn --factory rosenblatt.studio.classroom.app:class_app --host 0.0.0.0

There is no token and nothing is stored: the state of a screen is in its link. Equal questions get the same answer, so
the last answers are kept; a class that opens the same lesson costs as much as one student.
"""

import asyncio
import resource
import socket
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio.to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from rosenblatt.available_cores import core_count
from rosenblatt.studio.access import OpenAccess, error_response
from rosenblatt.studio.classroom import workers
from rosenblatt.studio.classroom.fair_queue import FairQueue, TooManyQuestionsError
from rosenblatt.studio.classroom.workers import OK, Worker
from rosenblatt.studio.error_sentence import no_such_question
from rosenblatt.studio.lessons.registry import lessons_answer
from rosenblatt.studio.questions.registry import QUESTIONS
from rosenblatt.studio.server import ERROR_HANDLERS, read_bytes, send_file, serve_app
from rosenblatt.web.page_files import page_files
from rosenblatt.web.stalled_clients import TimeoutProtocol

MAX_BYTES = 1_000_000
QUICK_SECONDS, SLOW_SECONDS = 2.0, 20.0
QUICK_BYTES = 50_000  # about 2,000 points, whose longest run takes a fraction of a second
# Questions that may take long, and all about many points, have a process of their own, so they never delay a step.
SLOW_QUESTIONS = frozenset(
    (
        *("download", "relatives", "lowest_degree", "all_columns", "network", "table"),
        *("hidden_units", "mail", "message", "calibration"),
    )
)
_MAX_CACHED_BYTES = 64_000_000
_FILES_LAST = "public, max-age=300"  # seconds that a browser keeps the files of the page


class ClassProtocol(TimeoutProtocol):
    """Browsers open up to six connections each."""

    max_connections = 4_000


def serve_class(listener: socket.socket, app: ASGIApp) -> None:
    """Serve a class until interrupted."""
    workers.prepare()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 8_192) if most > 0 else 8_192, most))
    serve_app(listener, app, ClassProtocol, at_once=4_000)


def class_app(lessons: str | Path | None = None, frame_ancestors: Sequence[str] = ()) -> ASGIApp:
    """The application; `lessons` is a folder with more lessons, `frame_ancestors` are the sites that may embed it."""
    return OpenAccess(_Classroom(lessons_answer(lessons)).app, frame_ancestors)


class _Classroom:
    def __init__(self, lessons: dict[str, Any]) -> None:
        self.lessons = lessons
        self.answers = _AnswerCache()
        files = [Route(f"/{path}", _lasting(path), methods=["GET"]) for path in page_files("rosenblatt.studio")]
        self.app = Starlette(
            routes=[
                Route("/", _lasting("index.html"), methods=["GET"]),
                Route("/api/{question}", self.answer, methods=["POST"]),
                *files,
            ],
            exception_handlers=ERROR_HANDLERS,
        )
        self._queues: tuple[FairQueue[Worker], FairQueue[Worker]] | None = None
        self._starting = asyncio.Lock()

    async def _quick_and_slow(self) -> tuple[FairQueue[Worker], FairQueue[Worker]]:
        """The queues, made with the first question: a mounted application gets no message when it starts."""
        async with self._starting:
            if self._queues is None:
                self._queues = await anyio.to_thread.run_sync(_start_workers)
            return self._queues

    async def answer(self, request: Request) -> Response:
        name = request.path_params["question"]
        body = await read_bytes(request, MAX_BYTES)
        if name == "lessons":
            return JSONResponse(self.lessons)
        if name == "opening_table":
            return JSONResponse(None)
        if name not in QUESTIONS:
            return error_response(404, no_such_question(name, QUESTIONS))
        if known := self.answers.get(name, body):
            return _json(OK, known)
        quick, slow = await self._quick_and_slow()
        is_slow = name in SLOW_QUESTIONS or len(body) > QUICK_BYTES
        seconds = SLOW_SECONDS if is_slow else QUICK_SECONDS
        client = (request.client.host if request.client else "", request.headers.get("x-studio-page", "")[:40])
        try:
            async with (slow if is_slow else quick).worker(client) as worker:
                if await request.is_disconnected():
                    return Response(status_code=499)  # client closed request
                status, answer = await anyio.to_thread.run_sync(worker.answer, name, body, seconds)
        except TooManyQuestionsError:
            return error_response(429, "Too many questions at once: wait for the answers to the earlier ones.")
        if status == OK:
            self.answers.add(name, body, answer)
        return _json(status, answer)


def _start_workers() -> tuple[FairQueue[Worker], FairQueue[Worker]]:
    # One more than there are cores: a client with long work can hold one, and the others keep the cores busy.
    return FairQueue([Worker() for _ in range(1 + core_count())]), FairQueue([Worker(is_slow=True)])


def _json(status: int, answer: bytes) -> Response:
    return Response(answer, status_code=status, media_type="application/json")


def _lasting(path: str) -> Any:
    return send_file(path, {"cache-control": _FILES_LAST})


class _AnswerCache:
    """The last answers, by question and body."""

    def __init__(self) -> None:
        self._answers: OrderedDict[tuple[str, bytes], bytes] = OrderedDict()
        self._size = 0

    def get(self, question: str, body: bytes) -> bytes | None:
        answer = self._answers.get((question, body))
        if answer is not None:
            self._answers.move_to_end((question, body))
        return answer

    def add(self, question: str, body: bytes, answer: bytes) -> None:
        if (question, body) in self._answers or len(body) + len(answer) > _MAX_CACHED_BYTES // 20:
            return
        self._answers[question, body] = answer
        self._size += len(body) + len(answer)
        while self._size > _MAX_CACHED_BYTES:
            (_, old_body), old_answer = self._answers.popitem(last=False)
            self._size -= len(old_body) + len(old_answer)
