"""Files of Google's object store, from a local server that answers the few requests pyarrow sends to read."""

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlparse

import pytest
from pyarrow import fs

from rosenblatt.cli import main
from tests.readers.inputs.test_joined_file import same_blocks

if not hasattr(fs, "GcsFileSystem"):
    pytest.skip("this pyarrow has no gs://", allow_module_level=True)
ROWS = [b"x,label\n", *(b"%d,%s\n" % (i % 7, b"ab"[i % 2 : i % 2 + 1]) for i in range(500))]
FILES = {
    "one.csv": b"".join(ROWS),
    "parts/p0.csv": b"".join(ROWS[:200]),
    "parts/p1.csv": b"".join([ROWS[0], *ROWS[200:]]),
}
OBJECTS = "/storage/v1/b/bucket/o"


class Store(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        url = urlparse(self.path)
        options = parse_qs(url.query)
        if url.path == OBJECTS:
            prefix = options.get("prefix", [""])[0]
            names = [name for name in FILES if name.startswith(prefix)]
            return self.answer(200, json.dumps({"items": [self.described(name) for name in names]}).encode())
        name = unquote(url.path.removeprefix(f"{OBJECTS}/"))
        if name == "secret.csv":
            return self.answer(403, b'{"error": {"code": 403, "message": "no access to this object"}}')
        if name not in FILES:
            return self.answer(404, b'{"error": {"code": 404, "message": "no such object"}}')
        whole = options.get("alt") == ["media"]
        return self.answer(200, FILES[name] if whole else json.dumps(self.described(name)).encode())

    def described(self, name: str) -> dict[str, str]:
        time = "2024-01-01T00:00:00Z"
        described = {"bucket": "bucket", "name": name, "size": str(len(FILES[name])), "generation": "1"}
        return described | {"kind": "storage#object", "updated": time, "timeCreated": time}

    def answer(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def options() -> Iterator[str]:
    """The options of a URL of the store."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"?scheme=http&endpoint_override=127.0.0.1%3A{server.server_port}&retry_limit_seconds=1"
    server.shutdown()
    server.server_close()
    thread.join()


def test_files_in_a_store_are_read_as_on_the_disk(options: str, tmp_path: Path) -> None:
    local = tmp_path / "one.csv"
    local.write_bytes(b"".join(ROWS))
    for inputs in ("one.csv", "parts", "parts/p*.csv"):
        same_blocks(local, f"gs://anonymous@bucket/{inputs}{options}", decide=True)


@pytest.mark.parametrize(
    ("name", "what"), [("none.csv", "no such file; check the URL."), ("secret.csv", "no access to this object")]
)
def test_what_cannot_be_read_is_one_sentence(
    name: str, what: str, options: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", f"gs://anonymous@bucket/{name}{options}", "-o", "m.model"]) == 3
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert what in error
