"""Hostile requests: every method and every question, to the application and over a real socket."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import anyio
import httpx
import pytest

from rosenblatt.studio import server
from rosenblatt.studio.cancellation import AnswerCancelledError, cancel_event
from rosenblatt.studio.playback import recent_runs
from rosenblatt.studio.questions.registry import QUESTIONS
from rosenblatt.web import stalled_clients as timeouts
from tests.studio.application import PORT, TOKEN, send, serving
from tests.studio.requests import XOR

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")


@pytest.mark.parametrize("method", METHODS)
def test_every_method_needs_token_host_and_origin(method: str) -> None:
    paths = [
        "",
        "main.js",
        "lessons/lessons.js",
        "palette.css",
        *(f"api/{question}" for question in (*QUESTIONS, "opening_table")),
    ]
    for path in paths:
        assert send(method, f"/{path}").status_code == 403, "no token"
        assert send(method, f"/{TOKEN[:-1]}/{path}").status_code == 403, "not the token"
        for headers in ({"host": "evil.example"}, {"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}):
            assert send(method, f"/{TOKEN}/{path}", headers=headers).status_code == 403, (path, headers)


@pytest.mark.parametrize("method", METHODS)
def test_only_the_methods_of_the_page_are_answered(method: str) -> None:
    file, question = send(method, f"/{TOKEN}/").status_code, send(method, f"/{TOKEN}/api/controls").status_code
    assert file == (200 if method in ("GET", "HEAD") else 405)
    assert question == (415 if method == "POST" else 405), "a question needs a content type"


def test_no_header_lets_another_site_in() -> None:
    answer = send("POST", f"/{TOKEN}/api/lessons", json={})
    assert answer.status_code == 200
    assert not [name for name in answer.headers if name.startswith("access-control-")]
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"
    file = send("GET", f"/{TOKEN}/main.js")
    assert file.headers["cache-control"] == "private, max-age=3600"  # a new start has a new address
    assert send("GET", f"/{TOKEN}/").headers["cache-control"] == "no-store"


NONSENSE: list[Any] = [
    None,
    True,
    -1,
    0,
    3.5,
    10**30,
    1e400,
    "",
    "x" * 100_000,
    [],
    [[]],
    {},
    {"a": {}},
    [None] * 50,
    "\0",
]


@pytest.mark.parametrize("question", list(QUESTIONS))
def test_nonsense_is_refused_with_a_sentence(question: str) -> None:
    named = (
        "points",
        "labels",
        "classes",
        "options",
        "text",
        "build",
        "name",
        "kind",
        "epoch",
        "margin",
        "weights",
        "rate",
        "row",
        "steps",
        "units",
        "at",
        "times",
    )
    for value in NONSENSE:
        for base in ({}, XOR | {"text": "a xor b", "kind": "model", "name": "AND", "units": 1, "epoch": 1}):
            body = dict(base) | dict.fromkeys(named if not base else named[3:], value)
            text = json.dumps(body).replace("Infinity", "1e400")
            answer = send(
                "POST", f"/{TOKEN}/api/{question}", content=text, headers={"content-type": "application/json"}
            )
            assert answer.status_code in (200, 400, 422), (question, value, answer.text[:200])
            if answer.status_code != 200:
                assert answer.json()["error"], (question, value)


@pytest.mark.parametrize(
    ("question", "body", "words"),
    [
        ("hidden_units", XOR | {"units": 9}, "1 to 8 hidden units"),
        ("hidden_units", XOR | {"units": "2"}, "1 to 8 hidden units"),
        (
            "hidden_units",
            {**XOR, "points": [[k, k] for k in range(301)], "labels": [0, 1] * 150 + [0], "units": 1},
            "up to 300",
        ),
        ("message", {"text": "x" * 5_001}, "1 to 5,000 letters"),
        ("message", {"text": " "}, "1 to 5,000 letters"),
        ("loss_curves", {"margin": 1e7}, "from -1e6 to 1e6"),
        ("loss_curves", {"margin": "0"}, "from -1e6 to 1e6"),
        ("learn", XOR | {"options": {"init": "1 2"}}, "three numbers"),
        ("learn", XOR | {"options": {"init": "1 2 nan"}}, "three numbers"),
        ("learn", XOR | {"options": {"init": "1 2 1e300"}}, "three numbers"),
        ("learn", XOR | {"options": {"init": "9" * 10_000}}, "three numbers"),
    ],
)
def test_questions_of_lessons_have_limits(question: str, body: dict[str, Any], words: str) -> None:
    answer = send("POST", f"/{TOKEN}/api/{question}", json=body)
    assert answer.status_code == 422
    assert words in answer.json()["error"]


@pytest.mark.parametrize(
    ("question", "body"),
    [
        ("table", {"text": "x" * 50_000}),
        ("learn", XOR | {"options": {"k" * 50_000: 1}}),
        ("network", {"text": "a &", "build": "y" * 50_000}),
        ("linear_unit", {"weights": ["z" * 50_000] * 3}),
    ],
)
def test_an_error_does_not_repeat_all_that_was_sent(question: str, body: dict[str, Any]) -> None:
    answer = send("POST", f"/{TOKEN}/api/{question}", json=body)
    assert answer.status_code == 422
    assert 30 < len(answer.json()["error"]) <= 2_000


# -- over a socket ----------------------------------------------------------------------------------------------------


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    monkeypatch.setattr(timeouts, "HEADER_SECONDS", 0.4)
    monkeypatch.setattr(server, "BODY_SECONDS", 0.4)
    with serving(timeout_keep_alive=1) as served:
        yield served


def response_to(address: tuple[str, int], text: bytes) -> bytes:
    """All that the server sends until it closes the connection."""
    with socket.create_connection(address, timeout=10) as connection:
        connection.sendall(text)
        response = b""
        with contextlib.suppress(ConnectionResetError):
            while part := connection.recv(65_536):
                response += part
        return response


def head(address: tuple[str, int], *lines: str, host: str | None = None) -> bytes:
    first = [f"POST /{TOKEN}/api/learn HTTP/1.1", f"Host: {host or f'127.0.0.1:{address[1]}'}", "Connection: close"]
    return "\r\n".join([*first, *lines, "", ""]).encode()


def test_a_body_that_never_arrives_times_out(address: tuple[str, int]) -> None:
    started = time.monotonic()
    response = response_to(
        address, head(address, "Content-Type: application/json", "Content-Length: 50") + b'{"points"'
    )
    assert response.startswith(b"HTTP/1.1 408")
    assert time.monotonic() - started < 5


def test_a_chunked_body_that_is_too_large_is_refused(address: tuple[str, int]) -> None:
    chunk = b"186a0\r\n" + b" " * 100_000 + b"\r\n"
    headers = head(address, "Content-Type: application/json", "Transfer-Encoding: chunked")
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        assert response_to(address, headers + chunk * 41 + b"0\r\n\r\n").startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize(
    "bytes_",
    [
        b"\0" * 100,
        b"GET / HTTP/9.9\r\n\r\n",
        b"\r\n" * 50,
        b"GET /" + b"a" * 100_000,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
    ids=["zeros", "version", "blank", "long", "http2"],
)
def test_the_server_survives_bytes_that_are_not_a_request(address: tuple[str, int], bytes_: bytes) -> None:
    response = response_to(address, bytes_)
    assert not response or response.split()[1] in (b"400", b"403", b"431")
    url = f"http://127.0.0.1:{address[1]}/{TOKEN}/api/learn"
    assert httpx.post(url, json=XOR).status_code == 200


def test_two_host_headers_are_refused(address: tuple[str, int]) -> None:
    headers = head(address, "Host: evil.example", "Content-Type: application/json", "Content-Length: 2")
    assert response_to(address, headers + b"{}").split()[1] in (b"400", b"403")


# -- what an attack found ---------------------------------------------------------------------------------------------

TWO = {"points": [[0, 0], [1, 1]], "labels": [0, 1], "box": [-1, -1, 1, 1], "units": 1}


@pytest.mark.parametrize("question", ["learn", "relatives", "hidden_units", "download"])
@pytest.mark.parametrize("classes", [[0.5, 1.5], ["\ud800A", "\ud800B"]], ids=["fractions", "half characters"])
def test_classes_that_cannot_be_learned_are_refused(question: str, classes: list[Any]) -> None:
    body = json.dumps(TWO | {"classes": classes, "kind": "model"})
    answer = send("POST", f"/{TOKEN}/api/{question}", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["error"].endswith(".")


def test_a_pasted_table_may_have_fractions_as_classes() -> None:
    table = send("POST", f"/{TOKEN}/api/table", json={"text": "a,b,kind\n1,2,0.5\n2,3,1.5\n"}).json()
    assert table["classes"] == ["0.5", "1.5"]
    body = {"points": table["rows"], "labels": table["labels"], "classes": table["classes"]}
    assert send("POST", f"/{TOKEN}/api/learn", json=body).status_code == 200


@pytest.mark.parametrize("target", ["OPTIONS *", "CONNECT 127.0.0.1:80", "GET nothing", "GET //"])
def test_targets_that_are_no_paths_are_refused(target: str) -> None:
    with serving() as (host, port), socket.create_connection((host, port), 10) as client:
        client.sendall(f"{target} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
        status = client.makefile("rb").readline()
    assert status.split()[1] in (b"400", b"403", b"404")


def test_runs_that_would_fill_the_memory_are_refused_or_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    points = {"points": [[k % 7, k % 5] for k in range(2000)], "labels": [k % 10 for k in range(2000)]}
    body = points | {"classes": list(range(10)), "options": {"max_iter": 1000, "multi_class": "ovo"}}
    answer = send("POST", f"/{TOKEN}/api/learn", json=body)
    assert answer.status_code == 422
    assert "may need 90,000,000" in answer.json()["error"]
    monkeypatch.setattr(recent_runs, "_MAX_BYTES", 100)
    for labels in ([0, 0, 0, 1], [0, 1, 1, 1], [0, 1, 1, 0]):
        assert send("POST", f"/{TOKEN}/api/learn", json=XOR | {"labels": labels}).status_code == 200
    assert len(recent_runs._runs) == 1


@pytest.mark.parametrize("kernel", ["none", "rbf"])
def test_learning_ends_when_nobody_waits_for_it(kernel: str) -> None:
    event = threading.Event()
    event.set()
    token = cancel_event.set(event)
    try:
        with pytest.raises(AnswerCancelledError):
            recent_runs.run_of(XOR | {"options": {"max_iter": 1000, "kernel": kernel, "random_state": 5}})
    finally:
        cancel_event.reset(token)


def test_a_ticket_leads_to_the_page_once() -> None:
    """The browser is started with it: everybody on this machine sees the arguments of a process."""
    app = server.make_app(TOKEN, PORT, ticket="a-ticket")

    async def answers() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://127.0.0.1:{PORT}") as client:
            return [await client.get("/a-ticket") for _ in range(2)]

    first, second = anyio.run(answers)
    assert (first.status_code, first.headers["location"]) == (303, f"/{TOKEN}/")
    assert second.status_code == 403
