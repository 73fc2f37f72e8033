"""The studio and those who mean no good: every method, every question, over the application and over a real socket."""

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
import uvicorn

from rosenblatt.studio import server
from rosenblatt.studio import timeouts as protocol
from rosenblatt.studio.questions.registry import ANSWERS

TOKEN, PORT = "a-token", 8000
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
XOR: dict[str, Any] = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 1, 1, 0], "classes": [-1, 1]}


def sent(method: str, path: str, **told: Any) -> httpx.Response:
    """One request to the application itself, without a socket."""
    transport = httpx.ASGITransport(server.app_of(TOKEN, PORT), raise_app_exceptions=False)

    async def answer() -> httpx.Response:
        async with httpx.AsyncClient(transport=transport, base_url=f"http://127.0.0.1:{PORT}") as client:
            return await client.request(method, path, **told)

    return anyio.run(answer)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_needs_token_host_and_origin(method: str) -> None:
    paths = ["", "main.js", "lessons.js", "palette.css", *(f"api/{question}" for question in (*ANSWERS, "given"))]
    for path in paths:
        assert sent(method, f"/{path}").status_code == 403, "no token"
        assert sent(method, f"/{TOKEN[:-1]}/{path}").status_code == 403, "not the token"
        for headers in ({"host": "evil.example"}, {"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}):
            assert sent(method, f"/{TOKEN}/{path}", headers=headers).status_code == 403, (path, headers)


@pytest.mark.parametrize("method", METHODS)
def test_no_method_is_answered_but_those_of_the_page(method: str) -> None:
    file, question = sent(method, f"/{TOKEN}/").status_code, sent(method, f"/{TOKEN}/api/controls").status_code
    assert file == (200 if method in ("GET", "HEAD") else 405)
    assert question == (415 if method == "POST" else 405), "a question without a type is none"


def test_nothing_invites_another_site() -> None:
    answer = sent("POST", f"/{TOKEN}/api/lessons", json={})
    assert answer.status_code == 200
    assert not [name for name in answer.headers if name.startswith("access-control-")]
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"


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


@pytest.mark.parametrize("question", list(ANSWERS))
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
        "units",
        "at",
    )
    for value in NONSENSE:
        for base in ({}, XOR | {"text": "a xor b", "kind": "model", "name": "AND", "units": 1, "epoch": 1}):
            body = dict(base) | dict.fromkeys(named if not base else named[3:], value)
            text = json.dumps(body).replace("Infinity", "1e400")
            answer = sent(
                "POST", f"/{TOKEN}/api/{question}", content=text, headers={"content-type": "application/json"}
            )
            assert answer.status_code in (200, 400, 422), (question, value, answer.text[:200])
            if answer.status_code != 200:
                assert answer.json()["error"], (question, value)


@pytest.mark.parametrize(
    ("question", "asked", "words"),
    [
        ("hidden", XOR | {"units": 9}, "1 to 8 hidden units"),
        ("hidden", XOR | {"units": "2"}, "1 to 8 hidden units"),
        (
            "hidden",
            {**XOR, "points": [[k, k] for k in range(301)], "labels": [0, 1] * 150 + [0], "units": 1},
            "up to 300",
        ),
        ("message", {"text": "x" * 5_001}, "1 to 5,000 letters"),
        ("message", {"text": " "}, "1 to 5,000 letters"),
        ("losses", {"margin": 1e7}, "ordinary size"),
        ("losses", {"margin": "0"}, "ordinary size"),
        ("learn", XOR | {"options": {"init": "1 2"}}, "three numbers"),
        ("learn", XOR | {"options": {"init": "1 2 nan"}}, "three numbers"),
        ("learn", XOR | {"options": {"init": "1 2 1e300"}}, "three numbers"),
        ("learn", XOR | {"options": {"init": "9" * 10_000}}, "three numbers"),
    ],
)
def test_what_a_lesson_asks_has_its_limits(question: str, asked: dict[str, Any], words: str) -> None:
    answer = sent("POST", f"/{TOKEN}/api/{question}", json=asked)
    assert answer.status_code == 422
    assert words in answer.json()["error"]


# -- over a socket ----------------------------------------------------------------------------------------------------


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    monkeypatch.setattr(protocol, "SECONDS", 0.4)
    monkeypatch.setattr(server, "SECONDS_TO_SEND", 0.4)
    held = server.listening()
    at = held.getsockname()
    told: dict[str, Any] = {"http": protocol.Impatient, "lifespan": "off", "log_config": None, "timeout_keep_alive": 1}
    config = uvicorn.Config(server.app_of(TOKEN, at[1]), **told)
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [held]})
    thread.start()
    yield at
    running.should_exit = True
    thread.join(10)
    held.close()


def said(address: tuple[str, int], text: bytes) -> bytes:
    """What the server answers to these bytes, until it closes the connection."""
    with socket.create_connection(address, timeout=10) as connection:
        connection.sendall(text)
        heard = b""
        with contextlib.suppress(ConnectionResetError):
            while part := connection.recv(65_536):
                heard += part
        return heard


def head(address: tuple[str, int], *lines: str, host: str | None = None) -> bytes:
    first = [f"POST /{TOKEN}/api/learn HTTP/1.1", f"Host: {host or f'127.0.0.1:{address[1]}'}", "Connection: close"]
    return "\r\n".join([*first, *lines, "", ""]).encode()


def test_a_body_that_never_comes_is_not_waited_for(address: tuple[str, int]) -> None:
    begun = time.monotonic()
    heard = said(address, head(address, "Content-Type: application/json", "Content-Length: 50") + b'{"points"')
    assert heard.startswith(b"HTTP/1.1 408")
    assert time.monotonic() - begun < 5


def test_a_body_that_says_it_is_small_and_is_not(address: tuple[str, int]) -> None:
    chunk = b"186a0\r\n" + b" " * 100_000 + b"\r\n"
    told = head(address, "Content-Type: application/json", "Transfer-Encoding: chunked")
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        assert said(address, told + chunk * 41 + b"0\r\n\r\n").startswith(b"HTTP/1.1 413")


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
def test_bytes_that_are_no_request_stop_nobody(address: tuple[str, int], bytes_: bytes) -> None:
    heard = said(address, bytes_)
    assert not heard or heard.split()[1] in (b"400", b"403", b"431")
    url = f"http://127.0.0.1:{address[1]}/{TOKEN}/api/learn"
    assert httpx.post(url, json=XOR).status_code == 200


def test_two_hosts_are_none(address: tuple[str, int]) -> None:
    told = head(address, "Host: evil.example", "Content-Type: application/json", "Content-Length: 2")
    assert said(address, told + b"{}").split()[1] in (b"400", b"403")
