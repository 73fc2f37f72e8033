"""``python -m bench cluster WHAT``: what an engine costs and brings, on this machine and on paper.

rates      bytes and CPU for each example of text, svmlight, VW and CSV: reading, receiving, learning; workers that pay
rows       two workers against one process, a learner with eight simulated readers, an engine beyond its start
shards     1,000 shards simulated here: error and traffic of mixing, evenly or by what was seen, polished or not
accuracy   the same error for TRAIN and TEST files that are named
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.cluster import fit
from rosenblatt.cluster.engines.choose_engine import open_engine
from rosenblatt.cluster.engines.processes import Processes
from rosenblatt.cluster.mix.fit import Mixing, fit_mixed
from rosenblatt.cluster.mix.rounds import Rounds
from rosenblatt.cluster.open_data import open_data
from rosenblatt.model.fit_file import fit_file, plan_of_call
from rosenblatt.readers.source import ReadOptions

VOCABULARY, WORDS = 30_000, 30


# -- engines that measure ----------------------------------------------------------------------------------------------


class Recording:
    """Reads here, and keeps the answers to the first reading, with the CPU seconds that each took."""

    name, window = "recording", 24

    def __init__(self) -> None:
        self.answers: list[bytes] = []
        self.seconds: list[float] = []
        self.piece_bytes = 0

    def in_order(self, read: Callable[[bytes], bytes], pieces: Iterator[bytes]) -> Iterator[bytes]:
        record = not self.answers
        for piece in pieces:
            begin = time.process_time()
            answer = read(piece)
            if record:
                self.seconds.append(time.process_time() - begin)
                self.answers.append(answer)
                self.piece_bytes += len(piece)
            yield answer

    def notes(self) -> list[str]:
        return []

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *error: object) -> None: ...


class Simulated(Recording):
    """So many readers on machines of their own: an answer is there when its reader has had the time to read it."""

    def __init__(self, recorded: Recording, readers: int) -> None:
        super().__init__()
        self.answers, self.seconds, self.readers, self.waited = recorded.answers, recorded.seconds, readers, 0.0

    def in_order(self, read: Callable[[bytes], bytes], pieces: Iterator[bytes]) -> Iterator[bytes]:
        free = [time.perf_counter()] * self.readers
        ready: list[float] = []
        n_out = 0
        for k, answer in enumerate(self.answers):
            while n_out < min(k + 3 * self.readers, len(self.answers)):  # what the window lets out
                next(pieces, None)
                reader = min(range(self.readers), key=free.__getitem__)
                free[reader] = max(free[reader], time.perf_counter()) + self.seconds[n_out]
                ready.append(free[reader])
                n_out += 1
            wait = ready[k] - time.perf_counter()
            if wait > 0:
                self.waited += wait
                time.sleep(wait)
            yield answer
        for _ in pieces:
            pass


# -- made-up data ------------------------------------------------------------------------------------------------------


def examples(n: int, seed: int) -> tuple[Any, Any]:
    """Words by Zipf's law and a class that some of them speak for, with noise."""
    random = np.random.default_rng(seed)
    of_words = np.random.default_rng(1).normal(size=VOCABULARY) * (np.random.default_rng(2).random(VOCABULARY) < 0.3)
    ranks = np.exp(random.random((n, WORDS)) * np.log(VOCABULARY)).astype(int) - 1
    score = of_words[ranks].sum(axis=1) + random.logistic(size=n)
    return ranks, score > 0


def write_examples(path: Path, n: int, kind: str, seed: int = 0) -> Path:
    with path.open("w") as file:
        if kind == "csv":
            file.write(",".join([*(f"x{j}" for j in range(12)), "word", "label"]) + "\n")
        for start in range(0, n, 20_000):
            ranks, labels = examples(min(20_000, n - start), seed * 1000 + start)
            for row, label in zip(ranks.tolist(), labels.tolist(), strict=True):
                if kind == "text":
                    line = f"{'yes' if label else 'no'}\t" + " ".join(f"w{word}" for word in row)
                elif kind == "vw":
                    line = f"{1 if label else -1} |w " + " ".join(f"w{word}" for word in row)
                elif kind == "svmlight":
                    line = f"{int(label)} " + " ".join(f"{word + 1}:1" for word in sorted(set(row)))
                else:
                    line = ",".join(f"{(word % 997) / 7:.3f}" for word in row[:12]) + f",w{row[12] % 50},{int(label)}"
                file.write(line + "\n")
    return path


# -- what is measured --------------------------------------------------------------------------------------------------


def rates(n: int) -> Iterator[dict[str, Any]]:
    """CPU microseconds and bytes for each example, in one process, the least of three."""
    with tempfile.TemporaryDirectory() as folder:
        for kind, suffix in {"text": "tsv", "svmlight": "svm", "vw": "vw", "csv": "csv"}.items():
            yield _rates_of(write_examples(Path(folder) / f"data.{suffix}", n, kind), kind, n)


def _rates_of(path: Path, kind: str, n: int) -> dict[str, Any]:
    reading, recorded = ReadOptions(format=kind), Recording()
    fit(path, recorded, rule="arow", passes=1, threads=1, reading=reading)
    row: dict[str, Any] = {"data": kind, "bytes of file": path.stat().st_size / n}
    row["bytes to learner"] = sum(map(len, recorded.answers)) / n
    row["bytes to worker"] = recorded.piece_bytes / n
    row["reading us"] = sum(recorded.seconds) / n * 1e6
    for rule in ("arow", "auto"):
        seconds = min(_replayed(path, recorded, rule, reading) for _ in range(3))
        row[f"receiving and learning by {rule} us"] = seconds / n * 1e6
        row[f"workers for {rule}"] = row["reading us"] * n / 1e6 / seconds
    return row


def _replayed(path: Path, recorded: Recording, rule: str, reading: ReadOptions) -> float:
    """CPU seconds of the learner, whose answers are all there."""
    simulated = Simulated(recorded, 1)
    simulated.seconds = [0.0] * len(recorded.seconds)
    source = open_data(path, reading._replace(decide=True), simulated)
    begin = time.process_time()
    fit_file(source, rule=rule, passes=1, threads=1, reading=reading)
    return time.process_time() - begin


def _wall(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def rows(megabytes: int, engines: list[str]) -> Iterator[dict[str, Any]]:
    """Wall times, alternating; give it a machine of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_examples(Path(folder) / "data.tsv", megabytes * 6850, "text")
        size = f"{path.stat().st_size >> 20} MB of text"
        alone, together = [], []
        with Processes(2) as two:
            fit(path, _Open(two), rule="perceptron", passes=1)  # they have started, and have imported all
            for _ in range(3):
                alone.append(_wall(lambda: fit_file(path, rule="arow", passes=1, threads=1)))
                together.append(_wall(lambda: fit(path, _Open(two), rule="arow", passes=1)))
        yield _row(f"two workers, {size}: wall against one process", min(together) / min(alone), 0.75)
        recorded = Recording()
        fit(path, recorded, rule="arow", passes=1, threads=1)
        simulated = Simulated(recorded, 8)
        seconds = _wall(lambda: fit(path, simulated, rule="arow", passes=1, threads=1))
        yield _row("eight simulated readers: share of the time that the learner waits", simulated.waited / seconds, 0.2)
        for name in engines:
            with open_engine(name) as engine:
                fit(path, _Open(engine), rule="perceptron", passes=1)
                least = min(_wall(partial(fit, path, _Open(engine), rule="arow", passes=1)) for _ in range(3))
            yield _row(f"{name}: wall beyond that of processes, both started", least / min(together) - 1, 0.15)


class _Open:
    """An engine that outlives a fit."""

    def __init__(self, engine: Any) -> None:
        self.name, self.window, self.in_order, self.notes = engine.name, engine.window, engine.in_order, engine.notes

    def __enter__(self) -> _Open:
        return self

    def __exit__(self, *error: object) -> None: ...


def _row(what: str, value: float, most: float) -> dict[str, Any]:
    return {"row": what, "value": round(value, 3), "at most": most, "met": value <= most}


def shards(n: int, n_shards: int) -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        train, test = Path(folder) / "train.vw", Path(folder) / "test.vw"
        write_examples(train, n, "vw"), write_examples(test, n // 5, "vw", seed=1)
        yield from mixing(str(train), str(test), [n_shards])


def mixing(train: str, test: str, numbers: list[int], rule: str = "logistic") -> Iterator[dict[str, Any]]:
    """The error on a test file of one learner, and of shards."""
    name = Path(train).name
    for of_exact in ("auto", rule):
        alone = fit_file(train, test=test, rule=of_exact)
        yield {"data": name, "learned": f"exact, {of_exact}: {alone.chosen}", "error %": _percent(alone)}
    with Processes(2) as engine:
        for number in numbers:
            for evenly in (True, False):
                yield _mixed(name, train, test, engine, number, rule, passes=1, evenly=evenly, polish=False)
            yield _mixed(name, train, test, engine, number, rule, passes=4, evenly=False, polish=False)
            yield _mixed(name, train, test, engine, number, rule, passes=4, evenly=False, polish=True)


def _mixed(
    name: str, train: str, test: str, engine: Any, number: int, rule: str, *, passes: int, evenly: bool, polish: bool
) -> dict[str, Any]:
    noted: list[Rounds] = []
    plan = plan_of_call(None, rule=rule, passes=passes)
    source = open_data(train, ReadOptions(decide=True), engine)
    begin = time.perf_counter()
    fitted = fit_mixed(source, plan, engine, number, test, mixing=Mixing(evenly, polish, noted.append))
    seconds, (rounds,) = time.perf_counter() - begin, noted
    how = f"{number} shards, {passes} passes, {'evenly' if evenly else 'by what was seen'}{', polished' * polish}"
    return {
        "data": name,
        "learned": how,
        "error %": _percent(fitted),
        "status": fitted.status,
        "rounds": rounds.n_rounds,
        "MB of sums": round(rounds.bytes_from_workers / 1e6, 1),
        "MB of states": round(rounds.bytes_of_states / 1e6, 1),
        "seconds": round(seconds, 1),
    }


def _percent(fitted: Any) -> float:
    return round(100 * fitted.test_error, 3)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench cluster", description=__doc__)
    parser.add_argument("what", choices=["rates", "rows", "shards", "accuracy"])
    parser.add_argument("files", nargs="*", help="of accuracy: TRAIN TEST, as often as you like")
    parser.add_argument("--examples", type=int, default=100_000)
    parser.add_argument("--megabytes", type=int, default=1000, help="of text, for rows")
    parser.add_argument("--engines", nargs="*", default=["dask"], help="whose overhead is measured, for rows")
    parser.add_argument("--shards", type=int, nargs="*", default=None)
    chosen = parser.parse_args(arguments)
    if chosen.what == "rates":
        lines = rates(chosen.examples)
    elif chosen.what == "rows":
        lines = rows(chosen.megabytes, chosen.engines)
    elif chosen.what == "shards":
        lines = shards(chosen.examples, (chosen.shards or [1000])[0])
    else:
        pairs = zip(chosen.files[::2], chosen.files[1::2], strict=True)
        lines = (line for train, test in pairs for line in mixing(train, test, chosen.shards or [8, 32]))
    for line in lines:
        print(json.dumps({k: round(v, 3) if isinstance(v, float) else v for k, v in line.items()}), flush=True)
