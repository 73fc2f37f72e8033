"""The service in a process of its own, as users start it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests import child

_START = [sys.executable, "-m", "rosenblatt", "serve", "--no-browser", "--port", "0", "--json"]


class Running:
    """A service that has said where it listens."""

    def __init__(self, process: subprocess.Popen[str], **client: Any) -> None:
        self.process = process
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.stderr.read() if process.stderr else ""
        self.said = json.loads(line)
        self.url: str = self.said["url"]
        self.http = httpx.Client(base_url=self.url, timeout=30, **client)

    def post(self, path: str, content: Any, **options: Any) -> httpx.Response:
        if isinstance(content, list):
            body = "\n".join(map(json.dumps, content))
            headers = {"content-type": "application/x-ndjson", **options.pop("headers", {})}
            return self.http.post(f"/v1/models/{path}", content=body, headers=headers, **options)
        return self.http.post(f"/v1/models/{path}", json=content, **options)

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=15)


@contextmanager
def running(data: Path, *arguments: Any, **client: Any) -> Iterator[Running]:
    command = [*_START, "--data", str(data), *map(str, arguments)]
    with child.start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        service = Running(process, **client)
        try:
            yield service
        finally:
            service.http.close()
            process.kill()
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
