"""The client in Python: the same answers as over HTTP, and a retry never learns twice."""

from __future__ import annotations

import asyncio
import http.server
import json
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt
from rosenblatt.errors import ParameterError, ServiceError
from rosenblatt.serve.client_calls import body_of
from tests.serve.running import Running, running
from tests.serve.streams import model_file, stream


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("client")
    with running(folder / "data", model_file("text", folder).rename(folder / "mail.model")) as service:
        yield service


def test_a_client_predicts_learns_and_looks_back(service: Running, tmp_path: Path) -> None:
    with rosenblatt.Client(service.url) as client:
        before = client.predict("mail", {"text": "free cash"})
        assert client.learn("mail", stream("text", 30))["learned"] == 30
        many = client.predict("mail", [{"text": "free cash"}, {"text": "project notes"}])
        assert many[0]["version"] == before["version"] + 30
        assert client.predict("mail", {"text": "free cash"}, at=before["version"]) == before
        assert "mail" in [model["name"] for model in client.models()]
        assert client.model("mail")["version"] == many[0]["version"]
        assert client.snapshot("mail")["version"] == many[0]["version"]
        (tmp_path / "now.model").write_bytes(client.download("mail"))
        client.put("copy", str(tmp_path / "now.model"))
        assert client.predict("copy", {"text": "free cash"})["score"] == many[0]["score"]
        client.put("new", classes=["a", "b"])
        assert client.learn("new", {"text": "x", "label": "a"})["version"] == 1
        client.delete("copy")
        client.delete("new")


def test_a_refusal_says_what_the_service_says(service: Running) -> None:
    with rosenblatt.Client(service.url) as client:
        with pytest.raises(ServiceError, match="not a class") as refusal:
            client.learn("mail", [{"text": "x", "label": "ham"}, {"text": "x", "label": "eggs"}])
        assert (refusal.value.status, refusal.value.field, refusal.value.line) == (422, "label", 2)
        with pytest.raises(ServiceError, match="There is no model"):
            client.predict("other", {"text": "x"})
        with pytest.raises(ParameterError, match="either"):
            client.put("x")
    with pytest.raises(ParameterError, match="begins with http"):
        rosenblatt.Client("localhost:80")


def test_the_same_with_asyncio(service: Running) -> None:
    async def talk() -> tuple[Any, list[Any]]:
        async with rosenblatt.AsyncClient(service.url) as client:
            learned = await client.learn("mail", stream("text", 5))
            calls = [client.predict("mail", {"text": text}) for text in ("free", "notes", "free")]
            return learned, list(await asyncio.gather(*calls))

    learned, answers = asyncio.run(talk())
    assert learned["learned"] == 5
    assert answers[0] == answers[2]


class _Proxy(http.server.BaseHTTPRequestHandler):
    """Passes a request on, and then breaks the connection or answers 503 in place of the first answers."""

    target: str
    left: list[str]

    def do_POST(self) -> None:
        import httpx

        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {"content-type": self.headers["content-type"]}
        answer = httpx.post(self.target + self.path.lstrip("/"), content=body, headers=headers)
        if self.left:
            fault = self.left.pop()
            if fault == "break":
                self.connection.close()
                return
            self._answer(503, json.dumps({"error": "busy", "status": 503}).encode())
            return
        self._answer(answer.status_code, answer.content)

    def _answer(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


def _learn(url: str, examples: list[dict[str, Any]]) -> Any:
    with rosenblatt.Client(url) as client:
        return client.learn("mail", examples)


def _learn_with_asyncio(url: str, examples: list[dict[str, Any]]) -> Any:
    async def talk() -> Any:
        async with rosenblatt.AsyncClient(url) as client:
            return await client.learn("mail", examples)

    return asyncio.run(talk())


@pytest.mark.parametrize("learn", [_learn, _learn_with_asyncio])
def test_a_retry_never_learns_twice(service: Running, learn: Callable[[str, list[dict[str, Any]]], Any]) -> None:
    """The examples arrive, and the answer does not: the client sends them again, with the same ids."""
    handler = type("Handler", (_Proxy,), {"target": service.url, "left": ["503", "break", "503"]})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        with rosenblatt.Client(service.url) as direct:
            version = direct.model("mail")["version"]
            answer = learn(f"http://127.0.0.1:{server.server_port}", stream("text", 7))
            assert (answer["learned"], answer["duplicates"]) == (0, 7)
            assert direct.model("mail")["version"] == version + 7
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_service_that_is_not_there_is_said(service: Running) -> None:
    with (
        rosenblatt.Client("http://127.0.0.1:9", retries=1) as client,
        pytest.raises(ServiceError, match="does not answer") as error,
    ):
        client.models()
    assert error.value.status == 0


def test_what_a_data_frame_holds_is_sent() -> None:
    row = {"age": np.int64(3), "when": datetime(2026, 11, 3, 10), "pet": float("nan"), "size": np.float32(0.5)}
    body, _ = body_of({"columns": row, "label": np.str_("a")})
    columns = {"age": 3, "when": "2026-11-03T10:00:00", "pet": None, "size": 0.5}
    assert json.loads(body) == {"columns": columns, "label": "a"}
    for wrong in ({"text": object()}, {"features": {"1": float("nan")}}):
        with pytest.raises(ParameterError, match="cannot be sent as JSON"):
            body_of(wrong)
