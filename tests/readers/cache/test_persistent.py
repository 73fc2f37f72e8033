"""A persistent cache gives the same model as the data, bit for bit, or it is not used."""

import gzip
import json
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from rosenblatt import native
from rosenblatt.cli import main
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.model.fit.fitted import Fitted
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.model_file import save_model
from rosenblatt.readers.cache import fingerprint
from rosenblatt.readers.cache import persistent as kept
from rosenblatt.readers.formats import line_source
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions, Source
from rosenblatt.storage.container import container_bytes


def svm(rows: int = 400, seed: int = 0) -> str:
    draw = np.random.default_rng(seed)
    rows_text = []
    for k in range(rows):
        x = draw.normal(size=4).round(3)
        label = ["a", "b", "c"][int(abs(x[0]) * 2) % (3 if k > 350 else 2)]
        rows_text.append(f"{label} " + " ".join(f"{3 * j + 1 + k // 100}:{v}" for j, v in enumerate(x)) + "\n")
    return "".join(rows_text)


VW = "".join(f"{k % 2 * 2 - 1} {1 + k % 3} |a w{k % 2} x:{k % 7}.5 |b y{k % 5}\n" for k in range(300))
TEXT = "".join(
    f"{'spam' if k % 3 == 0 else 'ham'}\t{'free money' if k % 3 == 0 else 'hello'} w{k}\n" for k in range(300)
)
TABLE = "age,job,note,y\n" + "".join(
    f"{k},{'cook' if k % 2 else 'clerk'},some words of row {k},{k % 2}\n" for k in range(200)
)
DENSE = "p,q,y\n" + "".join(f"{k},{k * k % 7},{k % 2}\n" for k in range(200))
FILES = {"d.svm": svm(), "d.vw": VW, "d.tsv": TEXT, "t.csv": TABLE, "n.csv": DENSE}


def bytes_of(fitted: Fitted, folder: Path) -> bytes:
    save_model(fitted.model, folder / "m.model")
    return (folder / "m.model").read_bytes()


def open_in_another_reading(inputs: Any, reading: ReadOptions) -> Source:
    """Few examples are also read in another way (model/fit/other_readings.py); all else must come from the cache."""
    assert reading.ngrams == 1 or reading.as_
    return open_source(inputs, reading)


@pytest.mark.parametrize(
    "options", [{}, {"holdout": 0.2, "passes": 3, "threads": 2}, {"order": "shuffle", "passes": 2}]
)
@pytest.mark.parametrize("name", FILES)
def test_made_and_reused_it_gives_the_same_model(
    name: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_source, "BLOCK_BYTES", 1 << 11)
    data = tmp_path / name
    data.write_text(FILES[name])
    plain = fit_file(data, **options)
    first = fit_file(data, keep_cache=True, **options)
    monkeypatch.setattr("rosenblatt.model.fit_file.open_source", open_in_another_reading)
    second = fit_file(data, keep_cache=True, **options)
    assert first.cache is not None
    assert second.cache is not None
    assert plain.cache is None
    assert (first.cache.state, second.cache.state) == ("made", "reused")
    assert first.cache.path == f"{data}.cache"
    assert bytes_of(plain, tmp_path) == bytes_of(first, tmp_path) == bytes_of(second, tmp_path)
    for fitted in (first, second):
        assert (fitted.candidates, fitted.holdout_error, fitted.rows) == (
            plain.candidates,
            plain.holdout_error,
            plain.rows,
        )
    assert [file.name for file in tmp_path.iterdir() if file.suffix == ".part"] == []


def test_packed_data_and_bad_rows_are_remembered(tmp_path: Path) -> None:
    data = tmp_path / "d.svm.gz"
    data.write_bytes(gzip.compress((svm() + "a 7\n" + svm()).encode()))
    reading = ReadOptions(on_bad_row="skip")
    first, second = (fit_file(data, keep_cache=True, reading=reading) for _ in range(2))
    assert second.cache is not None
    assert second.cache.state == "reused"
    assert (first.skipped, first.bad_rows) == (second.skipped, second.bad_rows)
    assert second.skipped == 1


def test_another_file_or_another_reading_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "d.tsv"
    data.write_text(TEXT)
    fit_file(data, keep_cache=True)

    def state(**options: Any) -> tuple[str, str]:
        cache = fit_file(data, keep_cache=True, **options).cache
        assert cache is not None
        return cache.state, cache.why

    assert state(reading=ReadOptions(ngrams=1)) == ("rebuilt", "it was read with other options")
    assert state(reading=ReadOptions(ngrams=1)) == ("reused", "")
    assert state() == ("rebuilt", "it was read with other options")
    data.write_text(TEXT + "ham\tone more\n")
    assert state() == ("rebuilt", "the file has changed since")
    monkeypatch.setattr(kept, "_LAYOUT", 1)
    assert state() == ("rebuilt", "it was made by another version")


@pytest.mark.parametrize("young", [True, False])
def test_a_change_that_leaves_size_and_times_is_seen_in_the_content(
    young: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a file system with coarse timestamps: the times are made equal."""
    data = tmp_path / "d.svm"
    data.write_text(svm(20_000))
    monkeypatch.setattr(fingerprint, "size_and_times", lambda path: {"bytes": os.stat(path).st_size})
    monkeypatch.setattr(kept, "size_and_times", lambda path: {"bytes": os.stat(path).st_size})
    monkeypatch.setattr(kept, "is_young", lambda path: young)
    fit_file(data, rule="arow", passes=1, keep_cache=True)
    with data.open("r+b") as file:
        file.seek(-3, os.SEEK_END)
        digit = file.read(1)
        file.seek(-3, os.SEEK_END)
        file.write(b"7" if digit != b"7" else b"3")
    cache = fit_file(data, rule="arow", passes=1, keep_cache=True).cache
    assert cache is not None
    assert cache.state == "rebuilt"


def test_damage_anywhere_is_noticed_and_the_cache_rebuilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "is_young", lambda path: True)  # else the header changes as the file grows older
    monkeypatch.setattr(line_source, "BLOCK_BYTES", 1 << 12)
    data, file = tmp_path / "d.svm", tmp_path / "d.svm.cache"
    data.write_text(svm())
    model = bytes_of(fit_file(data, keep_cache=True), tmp_path)
    good = file.read_bytes()
    for at in [*range(3, len(good), len(good) // 23), len(good) - 1]:
        file.write_bytes(good[:at] + bytes([good[at] ^ 64]) + good[at + 1 :])
        fitted = fit_file(data, keep_cache=True)
        assert fitted.cache is not None
        assert (fitted.cache.state, fitted.cache.why) == ("rebuilt", "it was damaged"), at
        assert bytes_of(fitted, tmp_path) == model
        assert file.read_bytes() == good
    for content in (b"", b"x", good[:100], good[:-1], good + b"x", good[::-1]):
        file.write_bytes(content)
        fitted = fit_file(data, keep_cache=True)
        assert fitted.cache is not None
        assert fitted.cache.why == "it was damaged"
        assert bytes_of(fitted, tmp_path) == model


def crafted(cache: Path, change_page: Any = None, change_index: Any = None) -> None:
    """Change a page or the index of a cache, and sign it again."""
    content = cache.read_bytes()
    begin, length = (int.from_bytes(content[-24 + i : -16 + i], "little") for i in (0, 8))
    page, index = bytearray(content[:begin]), content[begin : begin + length]
    header_length = int.from_bytes(index[:8], "little")
    header = json.loads(json.loads(index[8 : 8 + header_length])["__metadata__"]["rosenblatt"])
    tensors = {name: array.copy() for name, array in safetensors.numpy.load(index).items()}
    if change_page is not None:
        change_page(page)
        page[:8] = native.checksum(np.frombuffer(bytes(page[8:]), dtype=np.uint8)).to_bytes(8, "little")
    if change_index is not None:
        change_index(tensors)
    unsigned = {key: value for key, value in header.items() if key not in ("checksum", "format", "version")}
    index = container_bytes(unsigned, tensors)
    cache.write_bytes(page + index + len(page).to_bytes(8, "little") + len(index).to_bytes(8, "little") + content[-8:])


def test_a_crafted_cache_is_rebuilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever may write beside the data may write a cache; it must not crash the fit, or fill the memory."""
    monkeypatch.setattr(kept, "is_young", lambda path: True)
    data, cache = tmp_path / "d.svm", tmp_path / "d.svm.cache"
    data.write_text("".join(f"{k % 2} 1:{k % 7} 5:{k % 3}\n" for k in range(100)))
    model = bytes_of(fit_file(data, keep_cache=True), tmp_path)
    good = cache.read_bytes()

    def rebuilt(**change: Any) -> bool:
        cache.write_bytes(good)
        crafted(cache, **change)
        fitted = fit_file(data, keep_cache=True)
        assert bytes_of(fitted, tmp_path) == model
        assert fitted.cache is not None
        return fitted.cache.state == "rebuilt"

    for column, number in ((0, -8), (0, 2**62), (1, -1), (1, 2**60), (2, -5)):
        assert rebuilt(change_index=lambda tensors, c=column, n=number: tensors["chunks"].__setitem__((0, c), n))
    at = good.index((np.arange(100, dtype=np.int32) % 2).tobytes())  # the labels
    for label in (2, -2, 2**31 - 1):
        number = label.to_bytes(4, "little", signed=True)
        assert rebuilt(change_page=lambda page, n=number: page.__setitem__(slice(at, at + 4), n))
    assert rebuilt(change_page=lambda page: page.__setitem__(slice(24, 32), (1).to_bytes(8, "little")))  # columns


def test_a_cache_may_be_read_by_those_who_may_read_the_data(tmp_path: Path) -> None:
    data = tmp_path / "d.svm"
    data.write_text(svm())
    for mode in (0o600, 0o640):
        data.chmod(mode)
        (tmp_path / "d.svm.cache").unlink(missing_ok=True)
        fit_file(data, keep_cache=True)
        assert (tmp_path / "d.svm.cache").stat().st_mode & 0o777 == mode


def test_the_part_file_cannot_be_planted_and_is_removed_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, victim = tmp_path / "d.svm", tmp_path / "victim"
    data.write_text(svm())
    victim.write_text("precious")
    monkeypatch.setattr(os, "urandom", lambda count: bytes(count))
    part = tmp_path / f".d.svm.cache.{os.getpid()}.0.part"
    part.symlink_to(victim)
    with pytest.MonkeyPatch.context() as no_cleaning:
        no_cleaning.setattr("rosenblatt.atomic._remove_leftovers", lambda path: None)
        fitted = fit_file(data, keep_cache=True)
    assert fitted.cache is not None
    assert fitted.cache.why == "File exists"
    assert victim.read_text() == "precious"
    part.unlink()
    left_behind = tmp_path / ".d.svm.cache.1234.5678.part"
    left_behind.write_text("of a process that was killed")
    fit_file(data, keep_cache=True)
    assert not left_behind.exists()


def test_a_cache_of_another_user_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "d.svm"
    data.write_text(svm())
    fit_file(data, keep_cache=True)
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(tmp_path / "d.svm.cache", 12345, -1)
    fitted = fit_file(data, keep_cache=True)
    assert fitted.cache is not None
    assert (fitted.cache.state, fitted.cache.why) == ("rebuilt", "it belongs to another user")


def test_a_second_file_of_labels_belongs_to_it(tmp_path: Path) -> None:
    data, labels = tmp_path / "d.txt", tmp_path / "labels"
    data.write_text("one two\nthree four\nfive six\n")
    labels.write_text("a\nb\na\n")
    reading = ReadOptions(format="text", labels_from=str(labels))
    assert fit_file(data, keep_cache=True, reading=reading).cache.state == "made"  # type: ignore[union-attr]
    assert fit_file(data, keep_cache=True, reading=reading).cache.state == "reused"  # type: ignore[union-attr]
    labels.write_text("b\na\nb\n")
    cache = fit_file(data, keep_cache=True, reading=reading).cache
    assert cache is not None
    assert cache.why == "the file of labels has changed since"


def test_what_cannot_be_kept_does_not_stop_the_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "d.svm"
    data.write_text(svm())
    plain = bytes_of(fit_file(data), tmp_path)

    def full(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kept, "write_block", full)
    fitted = fit_file(data, keep_cache=True)
    assert fitted.cache is not None
    assert (fitted.cache.state, fitted.cache.why) == ("not kept", "No space left on device")
    assert bytes_of(fitted, tmp_path) == plain
    assert sorted(file.name for file in tmp_path.iterdir()) == ["d.svm", "m.model"]


def test_a_stream_and_a_folder_that_is_not_there_are_refused(tmp_path: Path) -> None:
    data = tmp_path / "d.svm"
    data.write_text(svm())
    with pytest.raises(DataError, match=r"d.svm: its cache cannot be kept in .*: there is no such folder"):
        fit_file(data, keep_cache=True, cache=str(tmp_path / "nowhere"))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="no such file; check the path"):
        fit_file(tmp_path / "nothing", keep_cache=True)
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_text("1 1:1\n-1 1:2\n"))
    writer.start()
    with pytest.raises(ParameterError, match="is a stream"):
        fit_file(tmp_path / "pipe", keep_cache=True)
    writer.join()


def test_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("d.svm").write_text(svm())
    Path("caches").mkdir()
    command = ["fit", "d.svm", "--keep-cache", "--cache", "caches"]
    assert main(command) == 0
    assert ".cache: made" in " ".join(capsys.readouterr().out.split())
    assert [file.name.startswith("d.svm-") for file in Path("caches").iterdir()] == [True]
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cache"]["state"] == "reused"
    assert main(["fit", "d.svm", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cache"] is None
