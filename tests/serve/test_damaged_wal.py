"""Pages beside the database that went bad: SQLite would forget all after them without a word."""

from __future__ import annotations

import random
import shutil
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from rosenblatt.serve.learning.served_model import ServedModel
from rosenblatt.serve.store.damaged_wal import _frames, damage_of
from rosenblatt.serve.store.directory import ModelFolder
from rosenblatt.serve.verify import verify
from tests.serve.streams import folder_of, model_file, send, start, stream

_N = 60
_HEADER, _FRAME = 32, 24 + 4096


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a service that was killed when it had acknowledged 60 examples, one by one."""
    path = tmp_path_factory.mktemp("killed")
    served = start(folder_of(model_file("text", path), path / "data"))
    for k, example in enumerate(stream("text", _N)):
        assert send(served, {**example, "id": f"i{k}"})[0] == 200
    shutil.copytree(path / "data", path / "copy")  # as a process that is killed leaves it
    served.stop()
    return path / "copy"


def _copy(killed: Path, tmp_path: Path) -> tuple[ModelFolder, Path]:
    folder = ModelFolder(str(shutil.copytree(killed, tmp_path / "data") / "models" / "m"))
    return folder, Path(folder.log + "-wal")


def _checksum(data: bytes, before: tuple[int, int], order: str) -> tuple[int, int]:
    """As SQLite's documents have it."""
    a, b = before
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for x, y in zip(words[::2], words[1::2], strict=True):
        a = (a + x + b) & 0xFFFFFFFF
        b = (b + y + a) & 0xFFFFFFFF
    return a, b


def test_checksums_are_those_of_sqlite(killed: Path, tmp_path: Path) -> None:
    folder, path = _copy(killed, tmp_path)
    data = path.read_bytes()
    order = ">" if data[3] & 1 else "<"
    before = _checksum(data[:24], (0, 0), order)
    assert before == struct.unpack(">II", data[24:32])
    for at in range(_HEADER, _HEADER + 20 * _FRAME, _FRAME):
        before = _checksum(data[at : at + 8] + data[at + 24 : at + _FRAME], before, order)
        assert before == struct.unpack(">II", data[at + 16 : at + 24])
    frames = _frames(folder.log, None)
    assert frames.is_whole.all()
    assert damage_of(folder.log) is None


def _middle(data: bytearray) -> None:
    at = _HEADER + (len(data) // _FRAME // 2) * _FRAME
    data[at + 3000] ^= 1


def _several(data: bytearray) -> None:
    random_ = random.Random(3)
    for _ in range(5):
        data[random_.randrange(_HEADER, len(data) - _FRAME)] ^= 0x40


def _first(data: bytearray) -> None:
    data[_HEADER + 40] ^= 8


def _last(data: bytearray) -> None:
    data[-5] ^= 1


def _cut(data: bytearray) -> None:
    del data[len(data) - 10 * _FRAME :]


def _magic(data: bytearray) -> None:
    data[1] ^= 4


def _page_size(data: bytearray) -> None:
    data[9] ^= 1


def _salt(data: bytearray) -> None:
    data[17] ^= 1


def _checksum_of_header(data: bytearray) -> None:
    data[25] ^= 1


def _no_header(data: bytearray) -> None:
    data[:_HEADER] = bytes(_HEADER)


def _first_block(data: bytearray) -> None:
    data[:4096] = b"U" * 4096


_OF_HEADER = [_magic, _page_size, _salt, _checksum_of_header, _no_header, _first_block]


@pytest.mark.parametrize("spoil", _OF_HEADER)
@pytest.mark.parametrize("with_index", [True, False])
def test_a_damaged_header_costs_nothing(
    killed: Path, tmp_path: Path, spoil: Callable[[bytearray], None], with_index: bool
) -> None:
    """SQLite takes a file without its header for empty; the first page is there again in later frames."""
    folder, path = _copy(killed, tmp_path)
    data = bytearray(path.read_bytes())
    spoil(data)
    path.write_bytes(data)
    if not with_index:
        Path(folder.log + "-shm").unlink()
    assert "cannot be read back" in (damage_of(folder.log) or "")
    served = start(folder)
    assert served.live.version == _N
    assert send(served, [{"text": "a", "label": "ham", "id": f"i{k}"} for k in range(_N)])[1]["duplicates"] == _N
    served.stop()


@pytest.mark.parametrize("n_bytes", [None, 0, _HEADER - 1, _HEADER])
def test_pages_that_are_gone_are_said(killed: Path, tmp_path: Path, n_bytes: int | None) -> None:
    folder, path = _copy(killed, tmp_path)
    if n_bytes is None:
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:n_bytes])
    assert "pages cannot be read back" in (damage_of(folder.log) or "")
    served = start(folder)
    assert any("the log is damaged" in what for _, what in served.errors)
    assert send(served, stream("text", 1)[0])[0] == 200
    served.stop()


@pytest.mark.parametrize("spoil", [_middle, _several, _first, _last, _cut])
def test_a_damaged_page_is_said_and_the_rest_saved(
    killed: Path, tmp_path: Path, spoil: Callable[[bytearray], None]
) -> None:
    folder, path = _copy(killed, tmp_path)
    data = bytearray(path.read_bytes())
    spoil(data)
    path.write_bytes(data)
    (verdict,) = verify(str(tmp_path / "data"))
    assert not verdict.agrees
    assert "cannot be read back" in verdict.sentence
    served = ServedModel(folder)
    assert any("the log is damaged" in what for _, what in served.errors)
    assert any("were saved" in what for _, what in served.errors)
    assert served.live.version >= _N - 5
    served.start()
    assert send(served, stream("text", 1)[0])[0] == 200
    served.stop()
    (verdict,) = verify(str(tmp_path / "data"))
    assert verdict.agrees, verdict.sentence


def test_one_damaged_page_in_the_middle_costs_nothing(killed: Path, tmp_path: Path) -> None:
    """A later frame has the same page again."""
    folder, path = _copy(killed, tmp_path)
    data = bytearray(path.read_bytes())
    _middle(data)
    path.write_bytes(data)
    served = ServedModel(folder)
    served.start()
    assert served.live.version == _N
    assert send(served, {"text": "a", "label": "ham", "id": "i7"})[1]["duplicates"] == 1
    served.stop()


def test_what_a_killed_process_had_not_written_is_no_damage(killed: Path, tmp_path: Path) -> None:
    folder, path = _copy(killed, tmp_path)
    with path.open("ab") as file:  # the header of one more frame, and no page
        head = path.read_bytes()[_HEADER : _HEADER + 24]
        file.write(head + bytes(4096))
    assert damage_of(folder.log) is None
    with path.open("ab") as file:
        file.write(head[:11])
    assert damage_of(folder.log) is None
    served = start(folder)
    assert served.live.version == _N
    assert not served.errors
    served.stop()


@pytest.mark.parametrize("n_bytes", [0, 10, _HEADER, _HEADER + 24, _HEADER + _FRAME - 1])
def test_a_process_that_was_killed_at_its_first_page_left_no_damage(killed: Path, tmp_path: Path, n_bytes: int) -> None:
    folder, path = _copy(killed, tmp_path)
    with closing(sqlite3.connect(folder.log, isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database = Path(folder.log).read_bytes()
        connection.execute("PRAGMA user_version=1")
        first_page = path.read_bytes()
    Path(folder.log).write_bytes(database)
    path.write_bytes(first_page[:n_bytes])
    assert path.stat().st_size == n_bytes
    assert damage_of(folder.log) is None
    served = start(folder)
    assert served.live.version == _N
    assert not served.errors
    served.stop()


def test_what_a_failed_transaction_left_is_no_damage(killed: Path, tmp_path: Path) -> None:
    """Frames with the same salt, after the last that was committed: another transaction has overwritten the first."""
    folder, path = _copy(killed, tmp_path)
    with path.open("ab") as file:
        frame = bytearray(path.read_bytes()[_HEADER : _HEADER + _FRAME])
        frame[4:8] = bytes(4)  # it ends no transaction
        file.write(frame * 3)
    assert damage_of(folder.log) is None
    Path(folder.log + "-shm").unlink()
    assert damage_of(folder.log) is None
    served = start(folder)
    assert served.live.version == _N
    assert not served.errors
    served.stop()


@pytest.mark.parametrize("spoil", [_middle, _several, _first])
def test_damage_is_found_without_the_index(killed: Path, tmp_path: Path, spoil: Callable[[bytearray], None]) -> None:
    folder, path = _copy(killed, tmp_path)
    data = bytearray(path.read_bytes())
    spoil(data)
    path.write_bytes(data)
    Path(folder.log + "-shm").unlink()
    assert damage_of(folder.log) is not None
