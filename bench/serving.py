"""``python -m bench serving``: what the service does in a second, measured by wrk on the same machine.

Predictions and durable examples one in a request, predictions while examples are learned, examples by the thousand in
a request, river behind the same server, the start after a long log, and the memory over many events.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.model_file import save_model

FEATURES, ENTRIES = 2000, 50
_HEADERS = 'wrk.method = "POST"\nwrk.headers["Content-Type"] = "{kind}"\n'
_BODIES = """
local bodies = {{}}
for line in io.lines("{file}") do bodies[#bodies + 1] = line end
local k = math.random(#bodies)
request = function()
  k = k % #bodies + 1
  return wrk.format(nil, nil, nil, bodies[k])
end
"""
_RIVER = """
import json, sys
from river import linear_model
import uvicorn
model = linear_model.LogisticRegression()
async def app(scope, receive, send):
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message["body"], message.get("more_body", False)
    answers = []
    for line in body.splitlines() if scope["path"] != "/nothing" else ():
        example = json.loads(line)
        x = {pair.split(":")[0]: float(pair.split(":")[1]) for pair in example["features"].split()}
        if scope["path"] == "/learn":
            model.learn_one(x, example["label"] == 1)
        else:
            answers.append(json.dumps({"probability": model.predict_proba_one(x).get(True)}))
    answer = "\\n".join(answers or [json.dumps({"learned": len(body.splitlines())})]).encode()
    length = [(b"content-length", str(len(answer)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": length})
    await send({"type": "http.response.body", "body": answer})
uvicorn.run(app, port=int(sys.argv[1]), log_level="critical", access_log=False, loop="uvloop", http="httptools")
"""


def examples(n: int, seed: int = 0) -> Iterator[tuple[int, str]]:
    """Labels and features of a separable stream with noise, 50 features each."""
    random_ = random.Random(seed)
    weights = [random_.gauss(0, 1) for _ in range(FEATURES)]
    for _ in range(n):
        chosen = sorted(random_.sample(range(FEATURES), ENTRIES))
        values = [round(random_.random(), 3) for _ in chosen]
        label = sum(weights[k] * value for k, value in zip(chosen, values, strict=True)) > 0
        yield int(label), " ".join(f"{k + 1}:{value}" for k, value in zip(chosen, values, strict=True))


@contextmanager
def service(folder: Path, *arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    command = [sys.executable, "-m", "rosenblatt", "serve", *arguments, "--data", str(folder / "data"), "--port", "0"]
    with subprocess.Popen([*command, "--no-browser", "--json", "-q"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["url"].rstrip("/"), process
        finally:
            process.terminate()
            process.wait(30)


def wrk(url: str, script: str, folder: Path, connections: int, seconds: int) -> tuple[float, float]:
    """Requests a second, and the 99th percentile of their latency in milliseconds."""
    path = folder / "script.lua"
    path.write_text(script)
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", str(path), url]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    assert refused is None, text
    latency = re.search(r"99%\s+([\d.]+)(us|ms|s)", text)
    rate = re.search(r"Requests/sec:\s+([\d.]+)", text)
    assert latency is not None, text
    assert rate is not None, text
    return float(rate[1]), float(latency[1]) * {"us": 0.001, "ms": 1.0, "s": 1000.0}[latency[2]]


def memory(process: subprocess.Popen[str]) -> int:
    """Megabytes that the process holds in memory."""
    text = Path(f"/proc/{process.pid}/status").read_text()
    line = re.search(r"VmRSS:\s+(\d+)", text)
    assert line
    return int(line[1]) // 1024


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench serving", description=__doc__)
    parser.add_argument("--seconds", type=int, default=10, help="of each measurement (10)")
    parser.add_argument("--log", type=int, default=10_000_000, help="examples to start after (10,000,000)")
    parser.add_argument("--only", nargs="*", default=["wrk", "river", "log"], choices=["wrk", "river", "log"])
    options = parser.parse_args(arguments)
    if shutil.which("wrk") is None:
        sys.exit("wrk is not installed: on Debian, apt install wrk")
    with tempfile.TemporaryDirectory(prefix="rosenblatt-serving-") as name:
        folder = Path(name)
        rows = list(examples(20_000))
        (folder / "first.svm").write_text("".join(f"{label} {features}\n" for label, features in rows[:5000]))
        save_model(fit_file(str(folder / "first.svm"), rule="arow", passes=1).model, folder / "m.model")
        to_predict, to_learn = folder / "predict.jsonl", folder / "learn.jsonl"
        to_predict.write_text("".join(json.dumps({"features": f}) + "\n" for _, f in rows[:5000]))
        to_learn.write_text("".join(json.dumps({"features": f, "label": y}) + "\n" for y, f in rows))
        rates: dict[str, float] = {}
        if "wrk" in options.only:
            rates = _wrk_rows(folder, to_predict, to_learn, options.seconds)
        if "river" in options.only:
            if importlib.util.find_spec("river") is None:
                print("river is not installed, so it is left out: pip install 'rosenblatt[bench]'")
            else:
                _river_rows(folder, to_predict, to_learn, options.seconds, rates)
        if "log" in options.only:
            _log_rows(folder, to_learn, options.log)


def script(file: Path, kind: str = "application/json") -> str:
    return _HEADERS.format(kind=kind) + _BODIES.format(file=file)


def show(what: str, rate: float, p99: float | None = None, target: str = "") -> float:
    print(f"{what:<58} {rate:>9,.0f}/s" + ("" if p99 is None else f"  p99 {p99:.1f} ms") + f"  {target}", flush=True)
    return rate


PREDICT, LEARN, LEARN_MANY = "predict, 32 connections", "learn, 64 connections", "learn, 1,000 in a body, 2 connections"


def _bodies(to_learn: Path) -> list[bytes]:
    lines = to_learn.read_text().splitlines()
    return ["\n".join(lines[k : k + 1000]).encode() for k in range(0, len(lines), 1000)]


def _wrk_rows(folder: Path, to_predict: Path, to_learn: Path, seconds: int) -> dict[str, float]:
    rates = {}
    with service(folder, str(folder / "m.model")) as (url, process):
        predict, learn = f"{url}/v1/models/m/predict", f"{url}/v1/models/m/learn"
        wrk(predict, script(to_predict), folder, 32, 2)  # warm
        rates[PREDICT] = show(PREDICT, *wrk(predict, script(to_predict), folder, 32, seconds), "(8,000/s, 10 ms)")
        with learning(learn, to_learn, 5000) as n_learned:
            rate, p99 = wrk(predict, script(to_predict), folder, 32, seconds)
        show(f"predict while {n_learned() / seconds:,.0f}/s are learned", rate, p99, "(8,000/s, 10 ms, 5,000/s)")
        rates[LEARN] = show(f"{LEARN}, durable", *wrk(learn, script(to_learn), folder, 64, seconds), "(4,000/s)")
        many = _post_many(learn, _bodies(to_learn), seconds)
        rates[LEARN_MANY] = show(f"{LEARN_MANY}, durable", many, None, "(50,000/s)")
        print(f"memory after that: {memory(process)} MB")
    return rates


@contextmanager
def learning(url: str, file: Path, per_second: int) -> Iterator[Any]:
    """Sends examples at a steady rate, 50 in a body."""
    lines, stop, n_sent = file.read_text().splitlines(), threading.Event(), [0]

    def send() -> None:
        with httpx.Client(timeout=30) as client:
            began, k = time.monotonic(), 0
            while not stop.is_set():
                body = "\n".join(lines[k % 19000 : k % 19000 + 50])
                answer = client.post(url, content=body, headers={"content-type": "application/x-ndjson"})
                assert answer.status_code == 200, answer.text
                k += 50
                n_sent[0] = k
                time.sleep(max(0.0, began + k / per_second - time.monotonic()))

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield lambda: n_sent[0]
    finally:
        stop.set()
        thread.join()


def _post_many(url: str, bodies: Sequence[bytes], seconds: float) -> float:
    """Examples a second, 1,000 in each body, by two connections."""
    stop, counts = time.monotonic() + seconds, [0, 0]

    def send(k: int) -> None:
        with httpx.Client(timeout=60) as client:
            n = k
            while time.monotonic() < stop:
                headers = {"content-type": "application/x-ndjson"}
                answer = client.post(url, content=bodies[n % len(bodies)], headers=headers)
                assert answer.status_code == 200, answer.text
                counts[k] += answer.json()["learned"]
                n += 2

    threads = [threading.Thread(target=send, args=(k,)) for k in range(2)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.monotonic() - began)


def _river_rows(folder: Path, to_predict: Path, to_learn: Path, seconds: int, ours: Mapping[str, float]) -> None:
    """River's logistic regression behind uvicorn, which keeps nothing on the disk; and what uvicorn does by itself."""
    port = 8397
    with subprocess.Popen([sys.executable, "-c", _RIVER, str(port)]) as process:
        try:
            _wait_for(port)
            url = f"http://127.0.0.1:{port}"
            for what, path, file, connections in ((LEARN, "learn", to_learn, 64), (PREDICT, "predict", to_predict, 32)):
                rate, p99 = wrk(f"{url}/{path}", script(file), folder, connections, seconds)
                show(f"river: {what}", rate, p99, _times(ours, what, rate))
            rate = _post_many(f"{url}/learn", _bodies(to_learn), seconds)
            show(f"river: {LEARN_MANY}", rate, None, _times(ours, LEARN_MANY, rate))
            show(
                "no model: the server alone, 32 connections", *wrk(f"{url}/nothing", script(to_predict), folder, 32, 5)
            )
        finally:
            process.terminate()


def _times(ours: Mapping[str, float], what: str, rate: float) -> str:
    return f"(rosenblatt: {ours[what] / rate:.1f} times as many)" if what in ours else ""


def _wait_for(port: int, seconds: float = 60.0) -> None:
    """Until something listens there."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def _log_rows(folder: Path, to_learn: Path, n: int) -> None:
    """The start after so many examples in the log, and the memory while they came in."""
    shutil.rmtree(folder / "data", ignore_errors=True)
    lines = to_learn.read_text().splitlines()
    bodies = ["\n".join(lines[k : k + 2000]).encode() for k in range(0, len(lines), 2000)]
    with service(folder, str(folder / "m.model"), "--snapshot-every", "1w") as (url, process):
        learn, sizes, began = f"{url}/v1/models/m/learn", [], time.monotonic()
        with httpx.Client(timeout=60) as client:
            for k in range(n // 2000):
                answer = client.post(learn, content=bodies[k % 10], headers={"content-type": "application/x-ndjson"})
                assert answer.status_code == 200, answer.text
                if k % max(n // 20_000, 1) == 0:
                    sizes.append(memory(process))
        show(f"learn {n:,} in bodies of 2,000, one connection", n / (time.monotonic() - began))
        print(f"memory meanwhile, MB: {sizes}")
        process.kill()
    for snapshot in (folder / "data" / "models" / "m" / "snapshots").iterdir():
        snapshot.unlink()
    began = time.monotonic()
    with service(folder) as (url, process):
        seconds = time.monotonic() - began
        version = httpx.get(f"{url}/v1/models").json()["models"][0]["version"]
        print(f"start after {version:,} examples in the log and no snapshot: {seconds:.1f} s  (30 s for 10,000,000)")


if __name__ == "__main__":
    main()
