"""What stalls, floods or lies costs nobody else anything."""

from __future__ import annotations

import asyncio
import json
import resource
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from rosenblatt.serve.http.app import App
from rosenblatt.serve.http.bodies import Room
from rosenblatt.serve.http.routes import make_routes
from rosenblatt.serve.learning.served_model import Keeping
from rosenblatt.serve.limits import LIMITS
from rosenblatt.serve.messages import RequestError
from rosenblatt.serve.service import Service
from rosenblatt.web import stalled_clients
from tests.serve.running import Running, running
from tests.serve.streams import model_file

CONNECTIONS = 1300  # more than are served


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """With as few files as most systems allow at first."""
    folder = tmp_path_factory.mktemp("hostile")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    models = [model_file("text", folder).rename(folder / "mail.model"), model_file("features", folder)]
    if before[1] != resource.RLIM_INFINITY and before[1] < 4 * CONNECTIONS:
        pytest.skip("too few files may be open here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, before[1]))
    try:
        with running(folder / "data", *models) as service:
            resource.setrlimit(resource.RLIMIT_NOFILE, (4 * CONNECTIONS, before[1]))
            yield service
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def address_of(service: Running) -> tuple[str, int]:
    url = httpx.URL(service.url)
    assert url.port is not None
    return url.host, url.port


@contextmanager
def connections(service: Running, n: int, data: bytes) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        opened = []
        for _ in range(n):
            connection = stack.enter_context(socket.create_connection(address_of(service), timeout=10))
            if data:
                connection.sendall(data)
            opened.append(connection)
        yield opened


def request(service: Running, length: int, body: bytes, kind: str = "application/json") -> bytes:
    host, port = address_of(service)
    head = f"POST /v1/models/mail/predict HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: {kind}\r\n"
    return f"{head}Content-Length: {length}\r\n\r\n".encode() + body


STALLS = {
    "silent": b"",
    "half a header": b"GET / HTTP/1.1\r\nHost: x\r\nX: ",
    "no body": None,
    "idle": b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
}


@pytest.mark.parametrize("stall", STALLS)
def test_connections_that_stall_keep_nobody_out(service: Running, stall: str) -> None:
    data = STALLS[stall]
    with connections(service, CONNECTIONS, request(service, 100_000, b"{") if data is None else data):
        for _ in range(10):
            answer = httpx.post(f"{service.url}v1/models/mail/predict", json={"text": "free"}, timeout=10)
            assert answer.status_code == 200


def test_a_client_that_is_between_two_requests_goes_last(service: Running) -> None:
    assert service.http.get("/healthz").status_code == 200  # and its connection stays open
    with connections(service, 1024 + 50, b""):
        time.sleep(0.2)
        assert service.http.get("/healthz").status_code == 200


def test_an_answer_that_nobody_reads_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of the test, so that the time is short."""
    monkeypatch.setattr(stalled_clients, "HEADER_SECONDS", 0.3)
    aborted = threading.Event()

    class Transport:
        size = 5_000_000

        def get_write_buffer_size(self) -> int:
            return self.size

        def is_closing(self) -> bool:
            return True  # it waits until all is sent, which is never

        def abort(self) -> None:
            aborted.set()

    guard = object.__new__(stalled_clients.StallGuard)
    guard.transport, guard._unsent, guard.cycle = Transport(), 0, None
    scheduled: list[int] = []
    monkeypatch.setattr(stalled_clients.StallGuard, "_schedule_check", lambda self: scheduled.append(1))
    guard._close_if_stalled()
    assert (len(scheduled), aborted.is_set()) == (1, False)
    Transport.size -= 1 << 17  # it reads, if slowly
    guard._close_if_stalled()
    assert (len(scheduled), aborted.is_set()) == (2, False)
    Transport.size -= 10
    guard._close_if_stalled()
    assert aborted.is_set()


def test_large_answers_go_out_as_fast_as_they_are_read(service: Running) -> None:
    body = b"\n".join([b'{"text": "free"}'] * 20_000)
    data = request(service, len(body), body, "application/x-ndjson")
    with connections(service, 6, b"") as opened:
        threads = [threading.Thread(target=one.sendall, args=(data,)) for one in opened]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        time.sleep(0.5)
        assert service.post("mail/predict", {"text": "free"}).status_code == 200
        with opened[0].makefile("rb") as answer:
            lines = list(iter(answer.readline, b"\r\n"))
            length = next(int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length"))
            content = answer.read(length)
        assert len(content.splitlines()) == 20_000
        assert json.loads(content.splitlines()[-1])["label"] in ("ham", "spam")


def test_large_bodies_are_bounded_together() -> None:
    room, first, second = Room(1_000_000), {}, {}
    room.take(first, 900_000)
    with pytest.raises(RequestError, match="Too many large bodies") as refused:
        room.take(second, 200_000)
    assert refused.value.status == 429
    room.take(second, 1000)  # small ones go on
    room.release(second)
    room.release(first)
    assert room.taken == 0
    room.take(second, 2_000_000)  # alone
    assert room.taken == 2_000_000


def test_a_length_that_is_too_large_is_refused_at_once(service: Running) -> None:
    with connections(service, 1, request(service, LIMITS.body_bytes + 1, b"x" * 1000)) as (connection,):
        assert connection.recv(100).startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01",
        b"GET\r\n\r\n",
        b"POST /v1/models/mail/learn HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST /v1/models/mail/learn HTTP/1.1\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
        b"POST /v1/models/mail/learn HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    ],
)
def test_what_is_no_http_has_the_form_of_every_error(service: Running, data: bytes) -> None:
    with connections(service, 1, data) as (connection,), connection.makefile("rb") as answer:
        head, _, body = answer.read().partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"content-type: application/json" in head
    assert json.loads(body) == {"error": "This is not a request of HTTP/1.1.", "status": 400}


def test_scores_that_overflow_are_refused_and_cost_others_nothing(service: Running) -> None:
    huge = {"features": "1:1.7e308 1:1.7e308 1:1.7e308"}
    refused = service.post("features-arow/predict", huge)
    assert (refused.status_code, refused.json()["field"]) == (422, "features")
    assert "overflows" in refused.json()["error"]
    many = service.post("features-arow/predict", [{"features": "1:1"}, huge])
    assert (many.status_code, many.json()["line"]) == (422, 2)
    good, results = {"features": "1:1"}, []

    def ask(example: dict[str, str]) -> None:
        for _ in range(30):
            answer = httpx.post(f"{service.url}v1/models/features-arow/predict", json=example, timeout=10)
            results.append((example is good, answer.status_code))

    threads = [threading.Thread(target=ask, args=(example,)) for example in (good, huge, good, huge)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(results) == {(True, 200), (False, 422)}


def test_two_kinds_of_features_are_refused(service: Running) -> None:
    refused = service.post("mail/learn", {"text": "a", "vw": "| a", "label": "ham"})
    assert (refused.status_code, refused.json()["error"]) == (
        422,
        "The example has 'vw' besides 'text': send the one that this model reads.",
    )


def test_an_address_with_a_slash_too_many_is_an_error_of_the_same_form(service: Running) -> None:
    answer = service.http.get("/v1/models/", follow_redirects=False)
    assert (answer.status_code, answer.json()["status"]) == (404, 404)


def test_a_model_of_more_classes_than_fit_is_refused(service: Running) -> None:
    refused = service.http.put("/v1/models/many", json={"classes": list(range(5000))})
    assert (refused.status_code, "up to 1,023 classes" in refused.json()["error"]) == (422, True)
    assert service.http.get("/healthz").status_code == 200


def test_a_feature_that_needs_too_much_memory_is_refused(service: Running) -> None:
    new = {"classes": list(range(200)), "reads": "features"}
    assert service.http.put("/v1/models/wide", json=new).status_code == 201
    refused = service.post("wide/learn", {"features": "16000000:1", "label": 3})
    assert (refused.status_code, "the largest that the service learns" in refused.json()["error"]) == (422, True)
    assert service.post("wide/learn", {"features": "1000:1", "label": 3}).status_code == 200
    service.http.delete("/v1/models/wide")


def test_who_asks_for_weights_again_and_again_does_not_keep_the_model_from_learning(tmp_path: Path) -> None:
    """After each answer comes a pause of ten times as long, however slow the machine is."""
    opened = Service(str(tmp_path / "data"), Keeping())
    opened.open()
    turns: list[tuple[float, float]] = []
    go = threading.Event()

    def timed(run: Callable[..., None], command: Callable[[], Any], on_done: Callable[..., None]) -> None:
        def work() -> Any:
            began = time.monotonic()
            try:
                return command()
            finally:
                turns.append((began, time.monotonic()))

        run(work, on_done)

    async def ask_together() -> list[httpx.Response]:
        opened.use_loop(asyncio.get_running_loop())
        transport = httpx.ASGITransport(App(opened, None, None, make_routes(opened)))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost/v1/models/", timeout=60) as client:
            for name in ("classes", "other"):
                assert (await client.put(name, json={"classes": list(range(60))})).status_code == 201
            served = opened.model("classes")
            served.run(go.wait, lambda *_: None)  # so that all of them ask before the first is answered
            served.run = partial(timed, served.run)  # type: ignore[method-assign]
            requests = [asyncio.create_task(client.get("classes/weights")) for _ in range(LIMITS.commands + 8)]
            while sum(request.done() for request in requests) < 7:  # which are refused
                await asyncio.sleep(0)
            assert (await client.get("other/weights")).status_code == 200  # of another model, at once
            go.set()
            for k in range(20):
                assert (await client.post("classes/learn", json={"text": f"w{k}", "label": k})).status_code == 200
            return list(await asyncio.gather(*requests))

    try:
        answers = asyncio.run(ask_together())
    finally:
        go.set()
        opened.close()
    assert Counter(answer.status_code for answer in answers) == {200: LIMITS.commands + 1, 429: 7}
    assert all(after[0] - ended >= 10 * (ended - began) for (began, ended), after in pairwise(turns))
