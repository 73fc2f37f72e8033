"""The studio for a class: no token, no state, bounded work."""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from rosenblatt.errors import ParameterError
from rosenblatt.studio.classroom import app as classroom
from rosenblatt.studio.classroom import workers
from rosenblatt.studio.classroom.workers import OK, REFUSED, TOO_LONG, Worker
from tests import child
from tests.studio.requests import AND, XOR, cloud


def send(app: Any, method: str, path: str, **arguments: Any) -> httpx.Response:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)

    async def answer() -> httpx.Response:
        async with httpx.AsyncClient(transport=transport, base_url="http://class.example:8000") as client:
            return await client.request(method, path, **arguments)

    return anyio.run(answer)


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    running = Worker()
    yield running
    running.close()


def test_a_worker_answers_refuses_and_is_ended_when_it_takes_too_long(worker: Worker) -> None:
    status, answer = worker.answer("learn", json.dumps(AND).encode(), 30)
    assert (status, json.loads(answer)["n_mistakes"]) == (OK, 18)
    status, answer = worker.answer("learn", b'{"points": 3}', 30)
    assert (status, "each as a list" in json.loads(answer)["error"]) == (REFUSED, True)
    assert worker.answer("learn", b"[" * 100_000, 30)[0] == REFUSED
    assert len(worker.answer("table", json.dumps({"text": "x" * 50_000}).encode(), 30)[1]) < 2_500
    long = cloud(5_000, 5) | {"options": {"max_iter": 400}}
    status, answer = worker.answer("learn", json.dumps(long).encode(), 0.05)
    assert (status, "others are waiting" in json.loads(answer)["error"]) == (TOO_LONG, True)
    assert worker.answer("learn", json.dumps(XOR).encode(), 30)[0] == OK, "a new process answers"


def test_only_the_time_of_a_core_counts(worker: Worker) -> None:
    """A machine that is busy with other things makes a short question long by the clock; nobody else waits for it."""
    process = worker._process.pid
    assert process is not None
    os.kill(process, signal.SIGSTOP)
    threading.Timer(1.3, os.kill, (process, signal.SIGCONT)).start()
    begin = time.monotonic()
    assert worker.answer("learn", json.dumps(XOR).encode(), 1)[0] == OK
    assert time.monotonic() - begin > 1.2
    assert worker._process.pid == process


def test_a_question_that_needs_more_of_a_core_is_ended_by_the_system(worker: Worker) -> None:
    process = worker._process
    hard = cloud(2_000, 5) | {"options": {"kernel": "rbf", "max_iter": 1_000}}
    status, answer = worker.answer("learn", json.dumps(hard).encode(), 0.5)
    assert (status, "more than 0.5 seconds" in json.loads(answer)["error"]) == (TOO_LONG, True)
    assert worker._process is not process
    assert worker.answer("learn", json.dumps(XOR).encode(), 30)[0] == OK


IMPORTED = """
import json, sys
from rosenblatt.studio.classroom.preloaded import QUESTIONS
before = set(sys.modules)
for name, body in json.loads(sys.argv[1]):
    QUESTIONS[name](body)
print(json.dumps(sorted({name.partition(".")[0] for name in set(sys.modules) - before})))
"""


def test_a_worker_that_starts_while_the_server_ends_goes_in_silence() -> None:
    context = workers._forkserver()
    ours, theirs = context.Pipe()
    process = context.Process(target=workers._serve, args=(theirs, False))
    ours.close()
    process.start()
    theirs.close()
    process.join(60)
    assert process.exitcode == 0


def test_no_question_pays_for_a_large_import() -> None:
    """A kernel's took longer than a question may, and the process was ended with it, again and again."""
    picture = {"box": [-1, -1, 2, 2], "size": [640, 480]}
    kernel, degree = ({"options": {name: value}} for name, value in (("kernel", "rbf"), ("degree", 2)))
    bodies = [("learn", AND | kernel), ("learn", XOR | degree), ("verdict", cloud(60)), ("relatives", AND | picture)]
    ended = child.run([sys.executable, "-c", IMPORTED, json.dumps(bodies)], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert set(json.loads(ended.stdout)) <= {"rosenblatt", "numpy", "shlex"}


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch, worker: Worker) -> Any:
    monkeypatch.setattr(classroom, "Worker", lambda is_slow=False: worker)
    return classroom.class_app()


def test_everyone_is_answered_without_a_token_under_any_name(app: Any) -> None:
    page = send(app, "GET", "/")
    assert page.status_code == 200
    assert page.headers["cache-control"] == "public, max-age=300"
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    for origin in ("http://class.example:8000", "https://class.example:8000"):
        headers = {"origin": origin, "sec-fetch-site": "same-origin"}
        answer = send(app, "POST", "/api/learn", json=AND, headers=headers)
        assert answer.json()["n_mistakes"] == 18
        assert answer.headers["cache-control"] == "no-store"
    assert send(app, "POST", "/api/lessons", json={}).json()["lessons"][0]["key"] == "unit"
    assert send(app, "POST", "/api/opening_table", json={}).json() is None


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ({"json": AND, "headers": {"origin": "http://evil.example"}}, 403),
        ({"json": AND, "headers": {"sec-fetch-site": "cross-site"}}, 403),
        ({"content": b"{}", "headers": {"content-type": "text/plain"}}, 415),
        ({"content": b" " * 1_000_001, "headers": {"content-type": "application/json"}}, 413),
        ({"content": b"{", "headers": {"content-type": "application/json"}}, 422),
    ],
)
def test_other_sites_and_bad_bodies_are_refused(app: Any, arguments: dict[str, Any], status: int) -> None:
    answer = send(app, "POST", "/api/learn", **arguments)
    assert answer.status_code == status
    assert answer.json()["error"].endswith(".")
    assert send(app, "POST", "/api/nothing", json={}).status_code == 404


def test_an_equal_question_is_computed_once(app: Any, monkeypatch: pytest.MonkeyPatch, worker: Worker) -> None:
    first = send(app, "POST", "/api/learn", json=XOR).content
    monkeypatch.setattr(worker, "answer", None)
    assert send(app, "POST", "/api/learn", json=XOR).content == first


def test_it_can_be_mounted_and_embedded(monkeypatch: pytest.MonkeyPatch, worker: Worker) -> None:
    monkeypatch.setattr(classroom, "Worker", lambda is_slow=False: worker)
    inner = classroom.class_app(frame_ancestors=["https://lms.example"])
    outer = Starlette(routes=[Mount("/studio", inner)])
    embedded = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"}
    page = send(outer, "GET", "/studio/", headers=embedded)
    assert "frame-ancestors https://lms.example" in page.headers["content-security-policy"]
    assert send(outer, "GET", "/studio/main.js").status_code == 200
    assert send(outer, "POST", "/studio/api/learn", json=AND).json()["n_mistakes"] == 18


@pytest.mark.parametrize(
    "site", ["https://x;script-src *", "lms.example", "https://lms.example/course", "*", "", "a b"]
)
def test_a_site_that_is_none_is_refused(site: str) -> None:
    with pytest.raises(ParameterError, match=r"needs a site such as https://lms\.example, without a path"):
        classroom.class_app(frame_ancestors=[site])


def test_the_cache_stays_within_its_size() -> None:
    cache = classroom._AnswerCache()
    for k in range(60):
        cache.add("learn", str(k).encode(), b"x" * 2_000_000)
    assert cache._size <= 64_000_000
    assert cache.get("learn", b"0") is None
    assert cache.get("learn", b"59") is not None


def test_the_command_needs_class_for_a_host(capsys: pytest.CaptureFixture[str]) -> None:
    from rosenblatt.cli import main

    assert main(["studio", "--host", "0.0.0.0"]) == 2
    assert "add --class" in capsys.readouterr().err


def test_results_are_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from rosenblatt.cli import main
    from rosenblatt.studio.lesson_results import FORMAT, checksum

    done, saved = ["unit", "and", "my-lesson"], "2026-01-31T10:00"
    ada = {"format": FORMAT, "version": 1, "name": "Ada", "done": done, "saved": saved}
    (tmp_path / "ada.json").write_text(json.dumps(ada | {"checksum": checksum("Ada", done, saved)}))
    (tmp_path / "bob.json").write_text(json.dumps(ada | {"name": "Bob\x1b[2J", "checksum": "00000000"}))
    (tmp_path / "junk.json").write_text("{")
    assert main(["studio", "--results", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "Ada                   3  1, 3, my-lesson"
    assert lines[2].endswith("(bob.json: changed after it was saved)")
    assert "\x1b" not in lines[2]
    assert lines[3].endswith("(junk.json: not JSON)")
    assert main(["studio", "--results", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["done"] == done
    assert main(["studio", "--results", str(tmp_path / "none")]) == 3
