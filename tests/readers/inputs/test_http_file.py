"""Files of a web server with TLS on this machine: whole, redirected, refused, broken off, changed."""

import gzip
import http.server
import re
import ssl
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import rosenblatt
from rosenblatt.cli import main
from rosenblatt.readers.inputs import http_file
from tests.readers.inputs.test_joined_file import same_blocks

trustme = pytest.importorskip("trustme")
CSV = "x,city,label\n" + "".join(f"{i % 97},{'ab'[i % 2]},{'yes' if i % 97 > 40 else 'no'}\n" for i in range(20_000))
DATA = CSV.encode()


class Site(http.server.BaseHTTPRequestHandler):
    """The first part of a path says how the server behaves, the rest is the name of a file."""

    files: dict[str, bytes]
    requests: Counter[str]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path, _, _ = self.path.partition("?")
        self.requests[path] += 1
        how, _, name = path.lstrip("/").partition("/")
        content = self.files.get(name, b"")
        start = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        offset = int(start[1]) if start and how != "no-ranges" else 0
        if how == "moved":
            return self.answer(302, b"", Location=f"/file/{name}")
        if how.isdigit() and not (how == "503" and self.requests[path] > 2):
            return self.answer(int(how), b"an error page\n")
        if how == "chunked":
            return self.chunks(content)
        fields = {"ETag": f'"{self.requests[path]}"' if how == "changing" else '"1"'}
        if how == "packed":
            fields["Content-Encoding"] = "gzip"
        if offset:
            fields["Content-Range"] = f"bytes {offset}-{len(content) - 1}/{len(content)}"
        broken = how in ("once", "always", "changing", "no-ranges") and (how == "always" or self.requests[path] < 4)
        return self.answer(206 if offset else 200, content[offset:], broken=broken, **fields)

    def answer(self, status: int, content: bytes, *, broken: bool = False, **fields: str) -> None:
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if broken else content)
        self.close_connection = broken

    def chunks(self, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for i in range(0, len(content), 50_000):
            part = content[i : i + 50_000]
            self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: Any) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_: Any) -> None:
        """A reader that has seen enough closes the connection."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "authority.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    parquet.write_table(pa.table({"x": range(500), "label": ["a", "b"] * 250}), folder / "t.parquet")
    Site.files = {
        "t.csv": DATA,
        "t.csv.gz": gzip.compress(DATA),
        "t.parquet": (folder / "t.parquet").read_bytes(),
        "empty.csv": b"",
    }
    Site.files["packed.csv"] = Site.files["t.csv.gz"]
    Site.requests = Counter()
    server = Server(("127.0.0.1", 0), Site)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    patch = pytest.MonkeyPatch()
    patch.setenv("SSL_CERT_FILE", str(folder / "authority.pem"))
    patch.setattr(http_file, "_PAUSE", 0.001)
    yield f"https://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()
    patch.undo()


@pytest.fixture(autouse=True)
def forget_requests() -> None:
    if hasattr(Site, "requests"):
        Site.requests.clear()


@pytest.mark.parametrize(
    "path",
    [
        "file/t.csv", "file/t.csv?token=1", "moved/t.csv", "chunked/t.csv", "file/t.csv.gz", "packed/packed.csv",
        "once/t.csv", "no-ranges/t.csv", "once/t.csv.gz", "503/t.csv",
    ],
)  # fmt: skip
def test_the_same_as_on_the_disk(path: str, site: str, tmp_path: Path) -> None:
    local = tmp_path / "t.csv"
    local.write_bytes(DATA)
    same_blocks(local, f"{site}/{path}", decide=True)


def test_parquet_and_several_files(site: str, tmp_path: Path) -> None:
    assert rosenblatt.read(f"{site}/once/t.parquet").X[:, 0].tolist() == list(range(500))
    both = rosenblatt.read([f"{site}/file/t.csv", f"{site}/moved/t.csv.gz"])
    assert len(both.y) == 40_000
    model = str(tmp_path / "m.model")
    assert main(["fit", f"{site}/file/t.csv", "-o", model, "-q"]) == 0
    assert main(["predict", model, f"{site}/file/t.csv", "-o", str(tmp_path / "out")]) == 0
    assert len((tmp_path / "out").read_text().splitlines()) == 20_000


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("404/t.csv", "no such file; check the URL."),
        ("403/t.csv", "permission denied: the server answers 403 Forbidden; check the URL, or download the file."),
        ("500/t.csv", "cannot be read: the server answers 500 Internal Server Error; try again later."),
        ("file/empty.csv", "is empty: there are no examples in it."),
        ("changing/t.csv", "cannot be read: it was changed on the server while it was read; read it again."),
        ("file/*.csv", "a web server does not list its files; name each of them."),
    ],
)
def test_what_cannot_be_read_is_one_sentence(
    path: str, what: str, site: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", f"{site}/{path}", "-o", str(tmp_path / "m.model")]) == 3
    assert capsys.readouterr().err == f"rosenblatt: {site}/{path}: {what}\n"
    assert not (tmp_path / "m.model").exists()


def test_a_connection_that_always_breaks_is_said_with_its_place(site: str, tmp_path: Path, monkeypatch: Any) -> None:
    """Each answer gives half of the rest: it is read on until an answer gives nothing."""
    monkeypatch.setattr(Site, "answer", _nothing_after_half)
    with pytest.raises(rosenblatt.errors.DataError) as refused:
        rosenblatt.read(f"{site}/file/t.csv")
    half = len(DATA) // 2
    sentence = f"the connection was closed after {half:,} of {len(DATA):,} bytes, each of 4 times; try again."
    assert str(refused.value) == f"{site}/file/t.csv: cannot be read: {sentence}"


def _nothing_after_half(self: Site, status: int, content: bytes, *, broken: bool = False, **fields: str) -> None:
    self.send_response(status)
    for name, value in {**fields, "Content-Length": str(len(content))}.items():
        self.send_header(name, value)
    self.end_headers()
    self.wfile.write(content[: len(content) // 2] if status == 200 else b"")
    self.close_connection = True


def test_no_server_and_a_certificate_of_nobody(
    site: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", "https://127.0.0.1:9/t.csv", "-o", "m.model"]) == 3
    monkeypatch.delenv("SSL_CERT_FILE")
    assert main(["fit", f"{site}/file/t.csv", "-o", "m.model"]) == 3
    refused, unknown = capsys.readouterr().err.splitlines()
    assert refused.startswith("rosenblatt: https://127.0.0.1:9/t.csv: cannot be read: [Errno 111] Connection refused")
    assert "cannot be read: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed" in unknown
