"""An interrupted fit resumes to the same bits; later passes read a cache with checksums."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.errors import DataError, ModelError, ParameterError
from rosenblatt.learn.files import passes as fitting
from rosenblatt.learn.files.plan import Plan, Progress
from rosenblatt.learn.files.rule_choice.portfolio import candidates
from rosenblatt.model.fit.fitted import Fitted
from rosenblatt.model.fit_file import fit_file, fit_source
from rosenblatt.model.model_file import load_linear_model, save_model
from rosenblatt.readers.cache import spill as cache_module
from rosenblatt.readers.cache.pages import bytes_of
from rosenblatt.readers.cache.spill import SpillCache
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import Block, Csr, SourceBlock
from rosenblatt.storage.checked_header import Header
from rosenblatt.storage.container import container_bytes, read_container
from rosenblatt.storage.tensors import Tensors
from tests.learn.files.test_fit_file import make, same_run
from tests.slow_twins.learn.files import Arrays, narrow_csr


@pytest.fixture(autouse=True)
def _ctrl_c_is_heard(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Check for Ctrl-C often; a background process may ignore SIGINT, so set the default handler."""
    monkeypatch.setattr(fitting, "_BATCH", 50)
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old)


class Broken(Arrays):
    """A source that makes a call just before it yields the k-th block of all its passes."""

    def __init__(self, *arguments: Any, at: int, call: Callable[[], None], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.at, self.call, self.n_yielded = at, call, 0

    def blocks(self, threads: int = 1) -> Iterator[SourceBlock]:
        for chunk in super().blocks(threads):
            if self.n_yielded == self.at:
                self.call()
            self.n_yielded += 1
            yield chunk


def press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def broken_and_resumed(path: Path, at: int, plan: dict[str, Any], step: int) -> Fitted:
    X, y = make(3, n=100)
    broken = Broken(X, y.tolist(), at=at, call=press_ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        fit_source(broken, Plan(candidates("auto"), checkpoint=str(path), **plan))
    assert path.exists()
    with pytest.raises(ModelError, match="holds a checkpoint, not a model: continue the fit with resume=True"):
        load_linear_model(path)
    resumed = Plan(candidates("auto"), checkpoint=str(path), **plan)
    return fit_source(Arrays(X, y.tolist(), step=step), resumed, resume=True)


@pytest.mark.parametrize(
    "plan", [{}, {"passes": 4}, {"passes": 4, "holdout": 0.1}, {"passes": 6, "holdout": 0.2, "patience": 2}], ids=str
)
@pytest.mark.parametrize("at", [2, 7, 14])
@pytest.mark.parametrize("step", [7, 11])
def test_resumed_equals_unbroken(at: int, plan: dict[str, Any], step: int, tmp_path: Path) -> None:
    X, y = make(3, n=100)
    unbroken = fit_source(Arrays(X, y.tolist()), Plan(candidates("auto"), **plan))
    resumed = broken_and_resumed(tmp_path / "a.checkpoint", at, plan, step)
    assert resumed.resumed
    assert same_run(resumed.model.run, unbroken.model.run)
    assert resumed.candidates == unbroken.candidates
    assert (resumed.rows, resumed.holdout_rows, resumed.passes) == (
        unbroken.rows,
        unbroken.holdout_rows,
        unbroken.passes,
    )
    for honest, expected in ((resumed.honest_scores, unbroken.honest_scores),):
        assert honest is not None
        assert expected is not None
        assert np.asarray(honest.scores).tobytes() == np.asarray(expected.scores).tobytes()
        assert np.asarray(honest.truth).tolist() == np.asarray(expected.truth).tolist()
    assert list(tmp_path.iterdir()) == []  # a complete run needs no checkpoint


def test_an_interrupt_in_a_later_pass(tmp_path: Path) -> None:
    X, y = make(3, n=100)
    path = tmp_path / "a.checkpoint"
    presses = 0

    def press(progress: Any) -> None:
        nonlocal presses
        if progress.pass_ == 3 and not presses:
            presses += 1
            press_ctrl_c()

    plan = {"passes": 5, "checkpoint": str(path)}
    with pytest.raises(KeyboardInterrupt):
        fit_source(Arrays(X, y.tolist()), Plan(candidates("auto"), on_progress=press, **plan))  # type: ignore[arg-type]
    resumed = fit_source(Arrays(X, y.tolist()), Plan(candidates("auto"), **plan), resume=True)  # type: ignore[arg-type]
    unbroken = fit_source(Arrays(X, y.tolist()), Plan(candidates("auto"), passes=5))
    assert same_run(resumed.model.run, unbroken.model.run)
    assert resumed.candidates == unbroken.candidates


def test_checkpoints_are_written_from_time_to_time(tmp_path: Path) -> None:
    X, y = make(2)
    path = tmp_path / "a.checkpoint"

    def die() -> None:
        raise RuntimeError("power cut")

    plan = Plan(candidates("auto"), checkpoint=str(path), checkpoint_every=1e-9)
    with pytest.raises(RuntimeError, match="power cut"):
        fit_source(Broken(X, y.tolist(), at=9, call=die), plan)
    resumed = fit_source(Arrays(X, y.tolist()), plan, resume=True)
    assert resumed.resumed
    assert same_run(resumed.model.run, fit_source(Arrays(X, y.tolist()), Plan(candidates("auto"))).model.run)


def test_a_finished_fit_removes_nothing_but_a_checkpoint(tmp_path: Path) -> None:
    X, y = make(2)
    notes = tmp_path / "notes.txt"
    notes.write_text("not a checkpoint, and longer than a header that is none")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(ParameterError, match="is not a checkpoint, and would be replaced by one"):
        fit_source(Arrays(X, y.tolist()), Plan(candidates("auto"), checkpoint=str(notes)))
    fit_source(Arrays(X, y.tolist()), Plan(candidates("auto"), checkpoint=str(pipe)))
    assert sorted(tmp_path.iterdir()) == [notes, pipe]


def test_a_checkpoint_of_another_fit_is_refused(tmp_path: Path) -> None:
    X, y = make(2)
    path = tmp_path / "a.checkpoint"
    with pytest.raises(KeyboardInterrupt):
        fit_source(Broken(X, y.tolist(), at=5, call=press_ctrl_c), Plan(candidates("auto"), checkpoint=str(path)))
    for plan, source in (
        (Plan(candidates("pa1"), checkpoint=str(path)), Arrays(X, y.tolist())),
        (Plan(candidates("auto"), checkpoint=str(path), holdout=0.1), Arrays(X, y.tolist())),
        (Plan(candidates("auto"), checkpoint=str(path)), Arrays(X[1:], y[1:].tolist())),
    ):
        with pytest.raises(ModelError, match="checkpoint is of another fit"):
            fit_source(source, plan, resume=True)


def _stopped_file(folder: Path) -> tuple[Path, dict[str, Any]]:
    """A text file, and the checkpoint of an interrupted fit of it."""
    data, checkpoint = folder / "mail.txt", folder / "c"
    data.write_text("".join(f"{'ham' if i % 3 else 'spam'}\tword{i % 7} word{i % 5} word{i % 3}\n" for i in range(400)))

    def press(progress: Any) -> None:
        press_ctrl_c()

    with pytest.raises(KeyboardInterrupt):
        fit_file(data, rule="arow", passes=3, checkpoint=str(checkpoint), on_progress=press)
    assert checkpoint.exists()
    return data, {"rule": "arow", "passes": 3, "checkpoint": str(checkpoint), "resume": True}


@pytest.mark.parametrize("reading", [{"ngrams": 1}, {"bits": 12}, {"value": "count"}, {"unit": False}])
def test_a_checkpoint_of_a_file_read_otherwise_is_refused(reading: dict[str, Any], tmp_path: Path) -> None:
    data, fit = _stopped_file(tmp_path)
    with pytest.raises(ModelError, match=f"checkpoint is of another fit, its {next(iter(reading))} was"):
        fit_file(data, reading=ReadOptions(**reading), **fit)
    assert fit_file(data, **fit).resumed


@pytest.mark.parametrize(
    "change",
    [
        {"runs": []},
        {"progressive": {}},
        {"progressive": {"perceptron": 2.0}},
        {"held_error": {"perceptron": -1}},
        {"marks": {"perceptron": [-1.0, 5.0]}},
        {"tried": {}},
    ],
    ids=str,
)
def test_a_checkpoint_whose_parts_do_not_fit_together_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    """A checksum finds damage, not bad intent: anybody can sign a file."""
    path = tmp_path / "c"
    X, y = make(2, n=60)
    plan = Plan(candidates("perceptron"), checkpoint=str(path), passes=4)
    with pytest.raises(KeyboardInterrupt):
        fit_source(Broken(X, y.tolist(), at=0, call=lambda: None), plan._replace(on_progress=_interrupt_in_pass_2))

    def changed(header: Header, tensors: Tensors) -> bytes:
        unsigned = {key: value for key, value in header.values.items() if key not in ("checksum", "format", "version")}
        return container_bytes(unsigned | change, tensors)

    path.write_bytes(read_container(path, changed))
    with pytest.raises(ModelError, match="the model file is damaged"):
        fit_source(Arrays(X, y.tolist()), plan, resume=True)


def _interrupt_in_pass_2(progress: Progress) -> None:
    if progress.pass_ == 2:
        raise KeyboardInterrupt


def test_a_checkpoint_of_a_rewritten_file_is_refused(tmp_path: Path) -> None:
    data, fit = _stopped_file(tmp_path)
    data.write_text(data.read_text().replace("word2", "word9"))
    with pytest.raises(ModelError, match="checkpoint is of another fit, its content was"):
        fit_file(data, **fit)


def test_a_model_is_neither_replaced_by_a_checkpoint_nor_removed(tmp_path: Path) -> None:
    X, y = make(2, n=60)
    path = tmp_path / "m.model"
    save_model(fit_source(Arrays(X, y.tolist()), Plan(candidates("perceptron"))).model, path)
    before = path.read_bytes()
    with pytest.raises(ParameterError, match=r"m\.model: is not a checkpoint, and would be replaced by one"):
        fit_source(Arrays(X, y.tolist()), Plan(candidates("perceptron"), checkpoint=str(path)))
    assert path.read_bytes() == before


def test_without_a_checkpoint_it_starts_from_the_beginning(tmp_path: Path) -> None:
    X, y = make(2)
    plan = Plan(candidates("perceptron"), checkpoint=str(tmp_path / "none"))
    assert not fit_source(Arrays(X, y.tolist()), plan, resume=True).resumed


def test_ctrl_c_restores_the_previous_handler() -> None:
    X, y = make(2)
    received: list[int] = []
    old = signal.signal(signal.SIGINT, lambda number, frame: received.append(number))
    try:
        fitted = fit_source(Broken(X, y.tolist(), at=5, call=press_ctrl_c), Plan(candidates("perceptron")))
        assert received == [signal.SIGINT]
        assert fitted.rows == len(X)
        assert signal.getsignal(signal.SIGINT) != signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, old)


def test_a_fit_in_another_thread_touches_no_handler() -> None:
    X, y = make(2)
    results: list[Fitted] = []
    thread = threading.Thread(
        target=lambda: results.append(fit_source(Arrays(X, y.tolist()), Plan(candidates("auto"))))
    )
    thread.start()
    thread.join()
    assert results[0].rows == len(X)


# -- the cache --------------------------------------------------------------------------------------------------------


def blocks() -> list[Block]:
    X, y = make(3)
    labels = y.astype(np.int32)
    csr, integers = narrow_csr(X[:40]), narrow_csr((X[40:] > 0).astype(float))
    wide = Csr(csr.indptr, csr.indices.astype(np.int64), csr.values, csr.features)
    short = Csr(csr.indptr, csr.indices, csr.values.astype(np.float32).astype(float), csr.features)
    empty = Csr(np.zeros(3, dtype=np.int64), np.empty(0, np.int32), np.empty(0), 0)
    return [
        Block(short, labels[:40], np.arange(40.0)),
        Block(integers, labels[40:]),
        Block(csr, labels[:40]),
        Block(wide, labels[:40], np.ones(40)),
        Block(X, labels),
        Block(X, labels, np.arange(float(len(X)))),
        Block(X.astype(np.float32), labels, np.ones(len(X))),
        Block(empty, np.zeros(2, np.int32)),
    ]


@pytest.mark.parametrize("limit", [0, 1000, 1 << 30])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_cache_gives_back_what_it_was_given(limit: int, threads: int, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(cache_module, "IN_MEMORY", limit)
    with SpillCache(str(tmp_path), "name") as cache:
        for block in blocks():
            cache.append(block)
        for _ in range(2):
            for cached, original in zip(cache.blocks(threads), blocks(), strict=True):
                assert np.array_equal(cached.labels, original.labels)
                assert (cached.weights is None) == (original.weights is None)
                assert original.weights is None or np.array_equal(cached.weights, original.weights)
                if isinstance(original.values, Csr):
                    assert isinstance(cached.values, Csr)
                    assert cached.values.features == original.values.features
                    for name in ("indptr", "indices", "values"):
                        assert np.array_equal(getattr(cached.values, name), getattr(original.values, name))
                else:
                    assert np.array_equal(cached.values, original.values)
        assert list(tmp_path.iterdir()) == []  # the file has no name


def test_a_cache_is_a_file_at_once_where_the_first_block_says_that_many_will_follow(
    tmp_path: Path, monkeypatch: Any
) -> None:
    block = blocks()[0]
    monkeypatch.setattr(cache_module, "IN_MEMORY", 10 * bytes_of(block))
    nowhere = str(tmp_path / "nowhere")
    for share in (0.0, 0.06, 1.0):  # unknown size, about seventeen blocks, one block
        with SpillCache(nowhere, "name") as cache:
            for _ in range(10):
                cache.append(block, share)
            assert len(list(cache.blocks())) == 10
    with SpillCache(nowhere, "name") as cache, pytest.raises(DataError, match="cannot be created"):
        cache.append(block, 0.04)
    with SpillCache(str(tmp_path), "name") as cache:
        cache.append(block, 0.04)
        assert np.array_equal(next(cache.blocks()).labels, block.labels)


def test_a_damaged_cache_is_noticed(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(cache_module, "IN_MEMORY", 0)
    for place in (3, 50, 200, 900):
        with SpillCache(str(tmp_path), "name") as cache:
            for block in blocks():
                cache.append(block)
            cache._file.flush()
            byte = os.pread(cache._file.fileno(), 1, place)
            os.pwrite(cache._file.fileno(), bytes([byte[0] ^ 4]), place)
            with pytest.raises(DataError, match="cache of name is damaged"):
                list(cache.blocks(2))


def test_a_stream_through_the_file_gives_the_same_bits(tmp_path: Path, monkeypatch: Any) -> None:
    X, y = make(3, n=100)
    plan = Plan(candidates("auto"), passes=3, holdout=0.1, threads=2, cache=str(tmp_path))
    memory = fit_source(Arrays(X, y.tolist()), plan)
    monkeypatch.setattr(cache_module, "IN_MEMORY", 0)
    assert same_run(fit_source(Arrays(X, y.tolist()), plan).model.run, memory.model.run)


def test_a_cache_that_cannot_be_made_says_so(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(cache_module, "IN_MEMORY", 0)
    X, y = make(2)
    plan = Plan(candidates("auto"), passes=2, cache=str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match=r"cannot be created in .*nowhere: name another folder"):
        fit_source(Arrays(X, y.tolist()), plan)


@pytest.mark.parametrize("buffer", [0, 1 << 26])  # the error appears while writing, or while reading
def test_a_full_disk_under_the_cache_says_so(buffer: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "IN_MEMORY", 0)
    monkeypatch.setattr(cache_module, "_temporary_file", lambda *_: open("/dev/full", "wb", buffering=buffer))  # noqa: SIM115
    X, y = make(3, n=100)
    with pytest.raises(DataError, match=r"The cache of .* cannot be written: No space left on device"):
        fit_source(Arrays(X, y.tolist()), Plan(candidates("perceptron"), passes=2))
