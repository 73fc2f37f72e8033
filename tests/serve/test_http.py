"""The service over HTTP, in a process of its own."""

from __future__ import annotations

import json
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests import child
from tests.serve.running import Running, running
from tests.serve.streams import model_file, stream


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    model_file("text", folder).rename(folder / "mail.model")
    model_file("features", folder, "logistic-average").rename(folder / "numbers.model")
    return folder


@pytest.fixture(scope="module")
def service(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    files = (models / "mail.model", models / "numbers.model")
    with running(tmp_path_factory.mktemp("data"), *files) as service:
        yield service


def unlabelled(kind: str, n: int, seed: int = 0) -> list[dict[str, Any]]:
    return [{name: value for name, value in each.items() if name != "label"} for each in stream(kind, n, seed)]


def test_one_example_is_predicted_and_learned(service: Running) -> None:
    before = service.post("mail/predict", {"text": "free cash now"}).json()
    assert before["label"] in ("ham", "spam")
    assert sum(before["probabilities"].values()) == pytest.approx(1.0)
    assert before["probability"] == max(before["probabilities"].values())
    answer = service.post("mail/learn", {"text": "free cash now", "label": "ham"}).json()
    assert answer["learned"] == 1
    after = service.post("mail/predict", {"text": "free cash now"}).json()
    assert after["version"] == before["version"] + 1
    assert after["score"] != before["score"]


@pytest.mark.parametrize(("name", "kind"), [("mail", "text"), ("numbers", "features")])
def test_many_are_predicted_as_one_by_one(service: Running, name: str, kind: str) -> None:
    examples = unlabelled(kind, 40)
    lines = service.post(f"{name}/predict", examples).text.splitlines()
    assert [json.loads(line) for line in lines] == [service.post(f"{name}/predict", one).json() for one in examples]


def test_predictions_at_once_are_those_of_one_at_a_time(service: Running) -> None:
    examples = unlabelled("features", 60)
    alone = [service.post("numbers/predict", one).json() for one in examples]
    answers: dict[int, Any] = {}

    def ask(k: int) -> None:
        with httpx.Client(base_url=service.url) as client:
            for i in range(k, 60, 6):
                answers[i] = client.post("/v1/models/numbers/predict", json=examples[i]).json()

    threads = [threading.Thread(target=ask, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answers[i] for i in range(60)] == alone


def test_feedback_by_id(service: Running) -> None:
    answer = service.post("mail/predict", {"text": "project notes", "id": "q-1"}).json()
    assert answer["id"] == "q-1"
    assert service.post("mail/learn", {"id": "q-1", "label": "ham"}).json()["learned"] == 1
    assert service.post("mail/learn", {"id": "q-1", "label": "ham"}).json()["duplicates"] == 1
    assert service.post("mail/learn", {"id": "q-2", "label": "ham"}).status_code == 404


def test_the_past_answers_as_it_did(service: Running) -> None:
    example = {"text": "winner agenda"}
    seen = [service.post("mail/predict", example).json()]
    for more in stream("text", 5, seed=7):
        service.post("mail/learn", more)
        seen.append(service.post("mail/predict", example).json())
    for answer in seen:
        at = {"at": answer["version"]}
        assert service.post("mail/predict", example, params=at).json() == answer
        assert service.http.get("/v1/models/mail/predict", params={**at, **example}).json() == answer
    last = seen[-1]
    assert service.post("mail/predict", example, params={"at": "2999-01-01T00:00Z"}).json() == last
    for at, status, part in (("99999999", 404, "There is no version"), ("tuesday", 422, "is a version or a time")):
        refused = service.post("mail/predict", example, params={"at": at})
        assert (refused.status_code, refused.json()["field"]) == (status, "at")
        assert part in refused.json()["error"]


def test_models_are_described(service: Running) -> None:
    names = [model["name"] for model in service.http.get("/v1/models").json()["models"]]
    assert {"mail", "numbers"} <= set(names)
    service.post("numbers/learn", stream("features", 30))
    about = service.http.get("/v1/models/numbers").json()
    assert about["rule"] == "logistic-average"
    assert about["error"]["all"] == about["progressive_error"]
    assert about["since_start"]["learned"] >= 30
    assert about["calibration"]["examples"] > 0
    weights = service.http.get("/v1/models/mail/weights", params={"top": 3}).json()["weights"]
    words = {word for one in weights["spam"] for word in one["feature"].split()}
    assert words & {"free", "money", "offer", "now", "cash", "winner"}
    assert service.http.get("/v1/models/mail/weights", params={"top": "x"}).status_code == 422


def test_a_model_file_comes_and_goes(service: Running, models: Path, tmp_path: Path) -> None:
    content = (models / "mail.model").read_bytes()
    kind = {"content-type": "application/octet-stream"}
    assert service.http.put("/v1/models/copy", content=content, headers=kind).status_code == 201
    service.post("copy/learn", stream("text", 20))
    (tmp_path / "now.model").write_bytes(service.http.get("/v1/models/copy/model").content)
    command = [sys.executable, "-m", "rosenblatt", "explain", str(tmp_path / "now.model"), "--json"]
    explained = json.loads(child.run(command, capture_output=True, text=True, check=True).stdout)
    assert explained["t"] == 320 if "t" in explained else explained
    assert service.http.put("/v1/models/copy", content=b"no model", headers=kind).status_code == 422
    assert service.post("copy/predict", {"text": "x"}).json()["version"] == 20  # the old one is served on
    assert service.http.request("DELETE", "/v1/models/copy").status_code == 200
    assert service.post("copy/predict", {"text": "x"}).status_code == 404
    for name in ("../evil", "a/b", ".hidden", "x" * 65, "a%2fb"):
        assert service.http.put(f"/v1/models/{name}", content=content, headers=kind).status_code in (404, 405, 422)


@pytest.mark.parametrize(
    ("new", "example"),
    [
        ({"classes": ["a", "b"]}, {"text": "some words"}),
        ({"classes": [0, 1], "reads": "features", "rule": "logistic-average"}, {"features": {"3": 1.5}}),
        ({"classes": ["a", "b", "c"], "reads": "vw"}, {"vw": "|w some words"}),
        ({"classes": ["a", "b"], "reads": "columns", "columns": {"x": "number", "y": "word"}}, {"columns": {"y": "u"}}),
    ],
)
def test_a_model_can_begin_with_nothing(service: Running, new: Any, example: Any) -> None:
    assert service.http.put("/v1/models/new", json=new).status_code == 201
    assert service.post("new/predict", example).json()["version"] == 0
    for label in new["classes"] * 3:
        assert service.post("new/learn", {**example, "label": label}).json()["learned"] == 1
    service.post("new/learn", [{**example, "label": new["classes"][0]}] * 9)
    assert service.post("new/predict", example).json()["label"] == new["classes"][0]
    assert service.http.get("/v1/models/new").json()["version"] == 3 * len(new["classes"]) + 9


def test_new_models_are_checked(service: Running) -> None:
    for new in (
        {"classes": ["a"]},
        {"classes": ["a", "b"], "rule": "x"},
        {"classes": ["a", "b"], "reads": "columns"},
        {},
    ):
        answer = service.http.put("/v1/models/bad", json=new)
        assert answer.status_code == 422
        assert answer.json()["error"]
    assert service.http.get("/v1/models/bad").status_code == 404


def test_health_metrics_and_description(service: Running) -> None:
    assert service.http.get("/healthz").json() == {"status": "alive"}
    assert service.http.get("/readyz").json() == {"status": "ready"}
    metrics = service.http.get("/metrics").text
    assert 'rosenblatt_version{model="mail"}' in metrics
    kinds = dict(re.findall(r"^# TYPE (\w+) (gauge|counter)$", metrics, re.MULTILINE))
    for line in metrics.splitlines():
        if not line.startswith("# "):
            sample = re.fullmatch(r'(\w+)(?:\{model="[\w.-]+"\})? (\S+)', line)
            assert sample, line
            assert (kinds[sample[1]] == "counter") == sample[1].endswith("_total")
            assert float(sample[2]) >= 0
    described = service.http.get("/openapi.json").json()
    assert described["components"]["schemas"]["LearnExample"]["properties"]["label"]
    assert list(described["paths"]["/v1/models/{name}"]["put"]["responses"]) == ["201", "default"]
    for path in described["paths"]:
        assert service.http.get(path.replace("{name}", "mail")).status_code != 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_other_sites_are_refused(service: Running, headers: dict[str, str], status: int) -> None:
    version = service.http.get("/v1/models/mail").json()["version"]
    answer = service.post("mail/learn", {"text": "a", "label": "ham"}, headers=headers)
    assert answer.status_code == status
    assert answer.json()["status"] == status
    assert service.http.get("/v1/models/mail").json()["version"] == version


def test_wrong_paths_and_methods_say_so(service: Running) -> None:
    for method, path, status in (
        ("GET", "/nothing", 404),
        ("GET", "/v1/models/nothing", 404),
        ("POST", "/v1/models", 405),
        ("PATCH", "/v1/models/mail", 405),
        ("GET", "/v1/models/mail/learn", 405),
        ("GET", "/../../etc/passwd", 404),
        ("GET", "/static/%2e%2e/%2e%2e/etc/passwd", 404),
    ):
        answer = service.http.request(method, path)
        assert answer.status_code == status
        assert answer.json()["error"].endswith(".")


# -- hostile clients --------------------------------------------------------------------------------------------------


def _connect(service: Running) -> socket.socket:
    address = httpx.URL(service.url)
    return socket.create_connection((address.host, address.port or 80), timeout=30)


_LEARN = b"POST /v1/models/mail/learn HTTP/1.1\r\nHost: HOST\r\n"
_BODIES = {
    "half a request": b"POST /v1/models/mail/learn HTTP/1.1\r\nHost: x\r\n",
    "a body that never comes": _LEARN + b"content-type: application/json\r\ncontent-length: 100\r\n\r\n{",
    "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc" * 20,
    "endless header": b"GET / HTTP/1.1\r\nX: " + b"a" * 200_000,
    "endless headers": b"GET / HTTP/1.1\r\n" + b"X: a\r\n" * 200_000,
    "endless address": b"GET /" + b"a" * 2_000_000,
    "two hosts": b"GET /healthz HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\n\r\n",
    "no host": b"GET /healthz HTTP/1.1\r\n\r\n",
    "negative length": _LEARN + b"content-length: -1\r\n\r\n",
    "two lengths": _LEARN + b"content-length: 1\r\ncontent-length: 5\r\n\r\nx",
    "smuggling": _LEARN + b"content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
    "bad chunk": _LEARN + b"content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzzz\r\n",
    "deep JSON": b"DEEP",
}


@pytest.mark.parametrize("name", _BODIES)
def test_hostile_clients_cost_nobody_anything(service: Running, name: str) -> None:
    """Ten of each kind at once; a good request is answered meanwhile, soon."""
    address = httpx.URL(service.url)
    content = _BODIES[name].replace(b"HOST", f"{address.host}:{address.port}".encode())
    if name == "deep JSON":
        deep = b'{"columns":' + b"[" * 200_000
        content = (
            f"POST /v1/models/mail/learn HTTP/1.1\r\nHost: {address.host}:{address.port}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(deep)}\r\n\r\n"
        ).encode() + deep
    sockets = [_connect(service) for _ in range(10)]
    try:
        for each in sockets:
            with suppress(OSError):  # it was closed at once
                each.sendall(content)
        began = time.monotonic()
        for _ in range(5):
            assert service.post("mail/predict", {"text": "free"}).status_code == 200
        assert time.monotonic() - began < 3
    finally:
        for each in sockets:
            each.close()
    assert service.http.get("/readyz").status_code == 200


@pytest.mark.parametrize("part", [b"X: " + b"a" * 1_000_000, b"X: a\r\n" * 200_000])
def test_headers_are_bounded(service: Running, part: bytes) -> None:
    with _connect(service) as connection:
        answer = b""
        with suppress(ConnectionError):
            connection.sendall(b"GET /healthz HTTP/1.1\r\n" + part + b"\r\n\r\n")
        with suppress(ConnectionError):
            answer = connection.recv(1 << 16)
        assert answer == b"" or answer.startswith(b"HTTP/1.1 431")


def test_bodies_in_tiny_chunks_are_closed_and_in_usual_ones_learned(service: Running) -> None:
    lines = [json.dumps(one).encode() + b"\n" for one in stream("text", 3000)]
    kind = {"content-type": "application/x-ndjson"}
    answer = service.http.post("/v1/models/mail/learn", content=iter(lines), headers=kind)
    assert answer.json()["learned"] == 3000
    address = httpx.URL(service.url)
    head = (
        f"Host: {address.host}:{address.port}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
    )
    with _connect(service) as connection:
        connection.sendall(f"POST /v1/models/mail/learn HTTP/1.1\r\n{head}".encode())
        with pytest.raises(ConnectionError):
            _send_tiny_chunks(connection)


def _send_tiny_chunks(connection: socket.socket) -> None:
    for _ in range(100):
        connection.sendall(b"1\r\na\r\n" * 5_000)
        time.sleep(0.005)


def test_parameters_are_checked(service: Running) -> None:
    for path, part in (
        ("mail/predict?text=a&text=b", "'text' is given twice"),
        ("mail/predict?at=\u0663&text=a", "is a version or a time"),
        ("mail/weights?top=\u0663", "a whole number"),
    ):
        assert part in service.http.get(f"/v1/models/{path}").json()["error"]
    for path, part in (
        ("mail/predict?at=0&at=1", "'at' is given twice"),
        ("mail/predict?then=0", "no parameter 'then'"),
        ("mail/learn?at=0", "no parameters here"),
    ):
        assert part in service.post(path, {"text": "a", "label": "ham"}).json()["error"]
    assert "line" not in service.http.get("/v1/models/mail/predict").json()


def test_bodies_are_bounded(service: Running) -> None:
    large = b'{"text":"' + b"a" * (17 << 20) + b'"}'
    with httpx.Client(base_url=service.url, timeout=60) as client:
        for action in ("predict", "learn"):
            try:
                kind = {"content-type": "application/json"}
                answer = client.post(f"/v1/models/mail/{action}", content=large, headers=kind)
                assert answer.status_code == 413
            except httpx.WriteError:  # refused before it was all sent
                pass
    assert service.post("mail/predict", {"text": "a" * (2 << 20)}).status_code == 413
    assert (
        service.post("mail/learn", [{"text": "a", "label": "ham"}] * 3 + [{"text": "a", "label": "x"}]).json()["line"]
        == 4
    )


# -- who may do what --------------------------------------------------------------------------------------------------

TOKENS = """
# one of each
predict-token-0123456789 predict
learn-token-012345678901 predict,learn
admin-token-012345678901 predict,learn,admin
mail-token-0123456789012 predict,learn mail  # one model
"""


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_tokens_and_tls(models: Path, tmp_path: Path) -> None:
    trustme = pytest.importorskip("trustme")
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    (tmp_path / "key.pem").write_bytes(certificate.private_key_pem.bytes())
    (tmp_path / "cert.pem").write_bytes(b"".join(blob.bytes() for blob in certificate.cert_chain_pems))
    tokens = tmp_path / "tokens"
    tokens.write_text(TOKENS)
    tokens.chmod(0o600)
    trusted = ssl.create_default_context()
    authority.configure_trust(trusted)
    files = ("--tokens", tokens, "--certificate", tmp_path / "cert.pem", "--key", tmp_path / "key.pem")
    arguments = (models / "mail.model", models / "numbers.model", *files)
    predict, learn, admin, mail = (line.split()[0] for line in TOKENS.splitlines()[2:])
    with running(tmp_path / "data", *arguments, verify=trusted) as service:
        assert service.url.startswith("https://")
        example, labelled = {"text": "free"}, {"text": "free", "label": "spam"}
        table = [
            ("POST", "/v1/models/mail/predict", example, (predict, learn, admin, mail)),
            ("POST", "/v1/models/mail/learn", labelled, (learn, admin, mail)),
            ("POST", "/v1/models/numbers/predict", {"features": "1:1"}, (predict, learn, admin)),
            ("POST", "/v1/models/mail/snapshot", None, (admin,)),
            ("GET", "/v1/models/mail/model", None, (admin,)),
            ("GET", "/v1/models/mail", None, (predict, learn, admin, mail)),
            ("GET", "/v1/models/numbers", None, (predict, learn, admin)),
            ("GET", "/metrics", None, (predict, learn, admin)),
            ("PUT", "/v1/models/new", {"classes": ["a", "b"]}, (admin,)),
            ("DELETE", "/v1/models/new", None, (admin,)),
        ]
        for method, path, content, allowed in table:
            for token in (predict, learn, mail, admin):
                answer = service.http.request(method, path, json=content, headers=bearer(token))
                assert (answer.status_code < 400) == (token in allowed), (method, path, token, answer.text)
                assert answer.status_code < 400 or answer.status_code == 403
        wrong = ("", "Bearer", "Bearer wrong", f"Basic {admin}", f"Bearer {admin[:-1]}", f"Bearer {admin}x",
                 f"Bearer {admin} {admin}", f"bearer\t{predict}")  # fmt: skip
        for authorization in wrong:
            answer = service.http.request(
                "DELETE", "/v1/models/mail", headers={"authorization": authorization} if authorization else {}
            )
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
        listed = service.http.get("/v1/models", headers=bearer(mail)).json()["models"]
        assert [model["name"] for model in listed] == ["mail"]
        assert service.http.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    ("content", "mode", "part"),
    [
        ("short predict", 0o600, "at least 16 characters"),
        ("long-enough-token-1 fly", 0o600, "'fly' is not a scope"),
        ("long-enough-token-1", 0o600, "expected TOKEN SCOPES"),
        ("# nothing", 0o600, "has no tokens"),
        ("long-enough-token-1 predict", 0o644, "chmod 600"),
        ("long-enough-token-1 predict\nlong-enough-token-1 learn", 0o600, "tokens:2: this token has a line already"),
    ],
)
def test_token_files_are_checked(content: str, mode: int, part: str, tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text(content)
    (tmp_path / "tokens").chmod(mode)
    ended = serve("--tokens", tmp_path / "tokens", "--data", tmp_path / "data")
    assert ended.returncode == 2
    assert part in ended.stderr


def serve(*arguments: Any) -> subprocess.CompletedProcess[str]:
    """A service that is expected to end at once."""
    command = [sys.executable, "-m", "rosenblatt", "serve", "--no-browser", "--port", "0", *map(str, arguments)]
    return child.run(command, capture_output=True, text=True, timeout=30)


def test_usage_is_checked(models: Path, tmp_path: Path) -> None:
    data = ("--data", tmp_path / "data")
    (tmp_path / "file").write_text("x")
    for arguments, code, part in (
        (("--host", "0.0.0.0", *data), 2, "--tokens FILE"),
        (("--certificate", "x", *data), 2, "belong together"),
        (
            ("--certificate", tmp_path / "file", "--key", tmp_path / "file", *data),
            2,
            "are not a certificate and its key",
        ),
        (("--keep", "soon", *data), 2, "a duration"),
        (("--data", tmp_path / "file"), 2, "is not a directory of rosenblatt serve"),
        ((tmp_path / "nothing.model", *data), 4, "cannot be read"),
        ((tmp_path / "file", *data), 4, "file"),
        (("--verify", "--data", tmp_path / "none"), 2, "is not a directory"),
    ):
        ended = serve(*arguments)
        assert ended.returncode == code, ended.stderr
        assert part in ended.stderr
        assert "Traceback" not in ended.stderr
        assert len(ended.stderr.splitlines()) <= 3


# -- start and stop ---------------------------------------------------------------------------------------------------


def test_a_second_process_is_refused_and_sigterm_ends_in_time(models: Path, tmp_path: Path) -> None:
    with running(tmp_path / "data", models / "mail.model") as service:
        second = serve("--data", tmp_path / "data")
        assert second.returncode == 2
        assert f"is served by process {service.process.pid} already" in second.stderr
        acknowledged, stop = [], threading.Event()

        def learn(k: int) -> None:
            with httpx.Client(base_url=service.url) as client:
                while not stop.is_set():
                    body = {**stream("text", 1, seed=k)[0], "id": f"{k}-{len(acknowledged)}-{time.monotonic_ns()}"}
                    try:
                        if client.post("/v1/models/mail/learn", json=body).status_code == 200:
                            acknowledged.append(body["id"])
                    except httpx.HTTPError:
                        return

        threads = [threading.Thread(target=learn, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        time.sleep(0.5)
        stalled = _connect(service)
        stalled.sendall(b"POST /v1/models/mail/learn HTTP/1.1\r\nHost: x\r\ncontent-length: 10\r\n\r\n{")
        began = time.monotonic()
        assert service.end(signal.SIGTERM) == 0
        assert time.monotonic() - began < 10
        stop.set()
        for thread in threads:
            thread.join()
        stalled.close()
    assert acknowledged
    with running(tmp_path / "data") as service:
        version = service.http.get("/v1/models/mail").json()["version"]
        assert len(acknowledged) <= version <= len(acknowledged) + 4
        again = service.post("mail/learn", [{"text": "x", "label": "ham", "id": id_} for id_ in acknowledged])
        assert again.json()["duplicates"] == len(acknowledged)
    verified = serve("--verify", "--data", tmp_path / "data")
    assert verified.returncode == 0
    assert "the bits agree" in verified.stdout


def test_ctrl_c_ends_it(models: Path, tmp_path: Path) -> None:
    with running(tmp_path / "data", models / "mail.model") as service:
        service.post("mail/learn", {"text": "x", "label": "ham"})
        assert service.end(signal.SIGINT) == 0


def test_an_empty_directory_shows_how_to_begin(tmp_path: Path) -> None:
    with running(tmp_path / "new" / "data") as service:
        assert service.said["models"] == []
        page = service.http.get("/")
        assert page.headers["content-security-policy"].startswith("default-src 'none'")
        assert service.http.get("/v1/models").json() == {"models": [], "failed": {}}
