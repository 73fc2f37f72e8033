"""The server: it answers its own page alone; and the command that starts it."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from rosenblatt.cli import main
from rosenblatt.report.figures.common.style import DARK, LIGHT
from rosenblatt.studio import cancellation, server
from rosenblatt.studio.questions.registry import QUESTIONS
from rosenblatt.web import stalled_clients as timeouts
from tests import child
from tests.studio.application import PORT, TOKEN, send, serving
from tests.studio.requests import AND


def get(path: str, **arguments: Any) -> httpx.Response:
    return send("GET", f"/{TOKEN}/{path}", **arguments)


def ask(question: str, body: Any = None, **headers: str) -> httpx.Response:
    return send("POST", f"/{TOKEN}/api/{question}", json={} if body is None else body, headers=headers)


def test_the_page_and_every_question_are_answered() -> None:
    page = get("")
    assert page.status_code == 200
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert "http" not in page.text.replace("http-equiv", "")
    for name in ("main.js", "style.css", "palette.css", "icon.svg"):
        assert get(name).status_code == 200
    for question in QUESTIONS:
        body = AND | {
            "since": 0,
            "times": [0, 36],
            "box": [-1, 2, -1, 2],
            "size": [640, 480],
            "rows": AND["points"],
            "name": "AND",
            "kind": "gif",
            "text": {"network": "a", "network_regions": "a xor b"}.get(question) or "1,2,a\n2,3,b\n",
            "units": 1,
            **({"weights": [6, 0.8]} if question == "linear_unit" else {}),
        }
        assert ask(question, body).status_code == 200, question
    table = {"rows": [[1, 2]]}
    assert send("POST", f"/{TOKEN}/api/opening_table", opening_table=table, json={}).json() == table


def test_the_colours_are_those_of_the_figures() -> None:
    css = get("palette.css").text
    for colour in (*LIGHT.classes, *DARK.classes, LIGHT.alarm, DARK.paper):
        assert colour in css


@pytest.mark.parametrize("path", ["/", "/wrong/", "/wrong/api/learn", f"/{TOKEN}x/", "//", "/%00/"])
def test_nothing_is_answered_without_the_token(path: str) -> None:
    for method in ("GET", "POST", "OPTIONS"):
        answer = send(method, path)
        assert answer.status_code == 403
        assert list(answer.json()) == ["error"]


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": f"evil.example:{PORT}"},
        {"host": "127.0.0.1:1"},
        {"host": f"127.0.0.1:{PORT}.evil.example"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"http://127.0.0.1:{PORT + 1}"},
        {"origin": f"https://127.0.0.1:{PORT}"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
    ids=str,
)
def test_other_sites_and_other_names_are_refused(headers: dict[str, str]) -> None:
    assert ask("controls", **headers).status_code == 403
    assert get("main.js", headers=headers).status_code == 403


def test_a_page_of_this_address_is_let_in() -> None:
    for host in ("127.0.0.1", "localhost"):
        headers = {"host": f"{host}:{PORT}", "origin": f"http://{host}:{PORT}", "sec-fetch-site": "same-origin"}
        assert ask("controls", **headers).status_code == 200
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert get("", headers=link).status_code == 200


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{}", "text/plain", 415),
        (b"{}", "application/x-www-form-urlencoded", 415),
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b" " * 4_000_001, "application/json", 413),
        (b'{"points": [[NaN, 0]]}', "application/json", 400),
        (b'{"points": 3}', "application/json", 422),
    ],
)
def test_bad_bodies_get_a_status_and_a_sentence(content: bytes, kind: str, status: int) -> None:
    answer = send("POST", f"/{TOKEN}/api/learn", content=content, headers={"content-type": kind})
    assert answer.status_code == status
    assert answer.json()["error"].endswith(".")


def test_unknown_addresses() -> None:
    assert ask("nothing").status_code == 404
    for path in ("server.py", "..%2fserver.py", "%2e%2e/server.py", "api", "api/../index.html/x"):
        assert get(path).status_code in (403, 404), path
    assert get("api/learn").status_code == 405
    assert send("DELETE", f"/{TOKEN}/").status_code == 405


def test_an_unexpected_error_shows_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(body: Any) -> dict[str, Any]:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(server, "QUESTIONS", {"learn": broken})
    answer = ask("learn")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "this is a bug in the studio" in answer.json()["error"]


def test_stalled_clients_are_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeouts, "HEADER_SECONDS", 0.5)
    with serving() as address:
        heads = [b"GET", f"POST /{TOKEN}/api/learn HTTP/1.1\r\nHost:".encode()]
        stalled = [socket.create_connection(address, timeout=10) for _ in range(40)]
        for k, client in enumerate(stalled):
            client.sendall(heads[k % 2])
        url = f"http://127.0.0.1:{address[1]}/{TOKEN}/api/learn"
        assert httpx.post(url, json=AND).status_code == 200
        for client in stalled:
            with contextlib.suppress(ConnectionResetError):
                assert client.recv(100) == b""  # closed by the server
            client.close()
        assert httpx.post(url, json=AND).status_code == 200


def test_an_answer_does_not_wait_for_an_acknowledgement() -> None:
    with (
        serving() as address,
        httpx.Client(base_url=f"http://127.0.0.1:{address[1]}/{TOKEN}/api/") as client,
    ):
        seconds = []
        for _ in range(12):
            begin = time.perf_counter()
            assert client.post("example", json={"name": "AND"}).status_code == 200
            seconds.append(time.perf_counter() - begin)
    assert min(seconds[2:]) < 0.03  # a few ms; 40 more with Nagle's algorithm


def test_many_stalled_clients_do_not_keep_others_out() -> None:
    with serving() as address, contextlib.ExitStack() as stack:
        for _ in range(400):  # more than the server answers at a time
            stack.enter_context(socket.create_connection(address, timeout=10)).sendall(b"GET / HT")
        answer = httpx.post(f"http://127.0.0.1:{address[1]}/{TOKEN}/api/learn", json=AND)
        assert answer.status_code == 200


def test_work_is_cancelled_when_the_page_disconnects(monkeypatch: pytest.MonkeyPatch) -> None:
    started, ended = threading.Event(), threading.Event()

    def long(body: Any) -> dict[str, Any]:
        started.set()
        try:
            for _ in range(1000):
                cancellation.raise_if_cancelled()
                time.sleep(0.01)
        except cancellation.AnswerCancelledError:
            ended.set()
            raise
        return {}

    monkeypatch.setattr(server, "QUESTIONS", QUESTIONS | {"download": long})
    with serving() as address:
        url = f"http://127.0.0.1:{address[1]}/{TOKEN}/api/"
        waiting = [socket.create_connection(address, timeout=10) for _ in range(6)]
        for client in waiting:
            head = f"POST /{TOKEN}/api/download HTTP/1.1\r\nHost: 127.0.0.1:{address[1]}\r\n"
            client.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}".encode())
        assert started.wait(5)
        assert httpx.post(f"{url}learn", json=AND).status_code == 200, "others are answered meanwhile"
        assert not ended.is_set()
        for client in waiting:
            client.close()
        assert ended.wait(2)
        assert httpx.post(f"{url}learn", json=AND).status_code == 200


# -- the command ------------------------------------------------------------------------------------------------------


def test_the_command_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    Path(tmp_path, "fruit.csv").write_text("weight,size,kind\n7,2,cherry\n150,8,apple\n", encoding="utf-8")
    command = [sys.executable, "-m", "rosenblatt", "studio", "fruit.csv", "--no-browser", "--json"]
    path = os.pathsep.join(filter(None, sys.path))
    with child.start(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        url = json.loads(running.stdout.readline())["url"]
        assert url.startswith("http://127.0.0.1:")
        table = httpx.post(f"{url}api/opening_table", json={}).json()
        assert table["columns"] == ["weight", "size"]
        running.send_signal(signal.SIGINT)
        _, stderr = running.communicate(timeout=20)
    assert running.returncode == 0, stderr
    assert stderr.endswith(b"ended.\n")


def test_a_port_in_use_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        assert main(["studio", "--no-browser", "--port", str(other.getsockname()[1])]) == 2
    assert "is in use" in capsys.readouterr().err
