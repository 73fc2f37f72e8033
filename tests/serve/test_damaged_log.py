"""Damage each page of the log in turn, or delete files: the service reports it, saves the rest and goes on."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.serve.learning.served_model import Keeping, ServedModel
from rosenblatt.serve.store import salvage as salvaging
from rosenblatt.serve.store.directory import ModelFolder
from rosenblatt.serve.store.log import Group, Log
from rosenblatt.serve.store.page_scan import groups_of_pages, ids_of_pages
from rosenblatt.serve.verify import verify
from tests.serve.streams import folder_of, model_file, send, start, stream

_PAGE = 4096
_SIZES = [1, 2, 40, 1, 300, 1, 1, 90, 5, 1, 60]  # of groups: some fill many pages


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a service that has stopped without a snapshot; everything is in the database file."""
    path = tmp_path_factory.mktemp("whole")
    served = start(folder_of(model_file("text", path), path / "data"))
    n_sent, examples = 0, _examples()
    for size in _SIZES:
        assert send(served, examples[n_sent : n_sent + size])[0] == 200
        n_sent += size
    served.stop(snapshot=False)
    return path / "data"


def _examples() -> list[dict[str, Any]]:
    return [{**example, "id": f"i{k}"} for k, example in enumerate(stream("text", sum(_SIZES)))]


def _folder(data: Path) -> ModelFolder:
    return ModelFolder(str(data / "models" / "m"))


def _copy(whole: Path, path: Path) -> ModelFolder:
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(whole, path)
    return _folder(path)


def _groups(folder: ModelFolder) -> dict[int, Group]:
    with closing(Log(folder.log, read_only=True)) as log:
        return {group.version: group for group in log.groups(0)}


def _learn_again(served: ServedModel) -> int:
    """Send every example again, twice if the first attempt finds the damage; returns how many are learned."""
    for _ in range(2):
        status, answer = send(served, _examples())
        if status == 200:
            return int(answer["learned"])
    raise AssertionError(answer)


def test_the_scan_of_pages_finds_what_sqlite_reads(whole: Path) -> None:
    folder = _folder(whole)
    groups = {group.version: group for group, checksum in groups_of_pages(folder.log) if group.is_whole(checksum)}
    assert groups == _groups(folder)
    with closing(sqlite3.connect(folder.log)) as connection:
        assert dict(ids_of_pages(folder.log)) == dict(connection.execute("SELECT id, version FROM ids"))


def _damaged_page(kind: str) -> bytes:
    return {"zeros": bytes(_PAGE), "ones": b"\xff" * _PAGE, "letters": b"U" * _PAGE}[kind]


@pytest.mark.parametrize("kind", ["zeros", "ones", "letters"])
def test_a_damaged_page_loses_at_most_what_is_on_it(whole: Path, tmp_path: Path, kind: str) -> None:
    n_pages = os.path.getsize(_folder(whole).log) // _PAGE
    expected = _groups(_folder(whole))
    n_groups_lost = 0
    for page in range(n_pages):
        folder = _copy(whole, tmp_path / "data")
        with open(folder.log, "r+b") as file:
            file.seek(page * _PAGE)
            file.write(_damaged_page(kind))
        served = start(folder)
        n_again = _learn_again(served)  # before anything else: this reads pages that starting does not read
        n_lost = sum(damage["lost"] for damage in served.log.notes("damage"))
        served.stop()
        saved = _groups(folder)
        lost = [version for version, group in expected.items() if saved.get(version) != group]
        n_groups_lost += len(lost)
        assert not lost or any("damaged" in what for _, what in served.errors)
        assert n_again == n_lost == sum(expected[version].size for version in lost)
        (verdict,) = verify(str(tmp_path / "data"))
        assert verdict.agrees, (page, verdict.sentence)
    assert 0 < n_groups_lost < 3 * n_pages


def test_a_truncated_log_is_reported_and_its_beginning_saved(whole: Path, tmp_path: Path) -> None:
    folder = _copy(whole, tmp_path / "data")
    os.truncate(folder.log, os.path.getsize(folder.log) * 3 // 4)
    served = start(folder)
    (damage,) = served.log.notes("damage")
    assert damage["saved"] > 0
    assert damage["saved"] + damage["lost"] < sum(_SIZES)  # nothing on the remaining pages tells of the others
    assert served.live.version == damage["saved"]
    assert _learn_again(served) >= sum(_SIZES) - damage["saved"]  # the ids of some were on the pages that are gone
    served.stop()


class Killed(BaseException):
    """In place of a kill: an exception that nothing catches."""


@pytest.mark.parametrize("n_renames", range(5))
def test_a_process_killed_while_it_saves_a_damaged_log_loses_nothing(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_renames: int
) -> None:
    folder = _copy(whole, tmp_path / "data")
    Path(folder.log).write_bytes(bytes(_PAGE) + Path(folder.log).read_bytes()[_PAGE:])
    Path(folder.log + "-wal").write_bytes(b"what is beside the damaged one")
    rename, done = os.rename, []

    def rename_some(source: str, target: str) -> None:
        if len(done) == n_renames:
            raise Killed
        done.append(target)
        rename(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(salvaging.os, "rename", rename_some)
        with pytest.raises(Killed):
            ServedModel(folder)
    served = start(folder)
    assert served.live.version == sum(_SIZES)
    assert _learn_again(served) == 0
    served.stop()


def test_a_log_that_ends_before_a_snapshot_is_reported_once(whole: Path, tmp_path: Path) -> None:
    folder = _copy(whole, tmp_path / "data")
    start(folder).stop()  # which takes a snapshot
    os.unlink(folder.log)
    sentences = []
    for _ in range(2):
        served = start(folder)
        assert served.live.version == sum(_SIZES)
        sentences += [what for _, what in served.errors]
        served.stop()
    (sentence,) = sentences
    assert sentence.startswith(f"the log ends at version 0, and there is a snapshot of version {sum(_SIZES)}")


def test_a_log_that_was_compacted_to_nothing_is_not_called_damaged(whole: Path, tmp_path: Path) -> None:
    folder = _copy(whole, tmp_path / "data")
    served = start(folder, Keeping(keep_seconds=-60.0))
    send(served, {**stream("text", 1)[0], "id": "last"})
    served.stop()
    again = start(folder)
    assert again.log.bounds is None
    assert again.live.version == sum(_SIZES) + 1
    assert not again.errors
    again.stop()


def test_statistics_that_cannot_be_read_are_repaired_while_it_serves(whole: Path, tmp_path: Path) -> None:
    folder = _copy(whole, tmp_path / "data")
    served = start(folder)
    version, digest = served.live.version, served.live.digest()
    for page in _pages_of(folder.log, "minutes", "notes"):
        with open(folder.log, "r+b") as file:
            file.seek(page * _PAGE)
            file.write(b"U" * _PAGE)
    served.log._connection.execute("PRAGMA shrink_memory")  # so that it reads the file again
    served._minute.add(1, 0.0, 1.0)
    served._attempt(served._write_minute, "statistics")
    assert any("were saved" in what for _, what in served.errors), list(served.errors)
    assert (served.live.version, served.live.digest()) == (version, digest)
    assert _learn_again(served) == 0
    served.stop()


def _pages_of(path: str, *tables: str) -> Iterator[int]:
    with closing(sqlite3.connect(path)) as connection:
        for table in tables:
            (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
            yield root - 1
