"""``python -m fuzz.files [SECONDS] [--seed N] [--most N] [--only KIND ...]``: damaged files, given to every command.

Data files, models, checkpoints, caches and certificates are mutated; where a checksum would hide the damage, half of
them are signed again. A command may do its work or refuse it in one sentence (exit codes 0 to 4). Anything else is a
finding: a bug (70), a signal, a warning of Python, more than 20 seconds or 4 GB. Its file is left in findings/.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.model_file import odd_header

SECONDS, MEMORY = 20, 4 << 30  # of one command
_FILES_OF_ONE_CHILD = 200
_NUMBERS = (0, 1, 2**7, 2**8 - 1, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**62, 2**63 - 1, 2**64 - 1)
_ODD_JSON: Sequence[Any] = (None, True, -1, 0, 2**31, 2**70, 0.5, -1e308, 1e999, "", "1/0", "0x", [], {}, [[]], [None])


@dataclass(frozen=True)
class Seed:
    """A good file, and the commands that read it; {} stands for its name."""

    kind: str
    name: str
    content: bytes
    commands: tuple[str, ...]
    signed: Callable[[bytes, random.Random], bytes] | None = None  # changes that keep its checksum right


# -- good files -------------------------------------------------------------------------------------------------------


def write_seeds(folder: Path) -> list[Seed]:
    """Small good files of every kind; what their commands need beside them is in the folder."""
    with contextlib.chdir(folder):
        data = [*_tables(), *_arrays(), *_lines()]
        models = list(_models())
        return [*data, *models, *_certificates()]


def _table() -> Any:
    import pyarrow as pa

    draw = np.random.default_rng(0)
    words = ["red", "green", "blue"]
    return pa.table(
        {
            "age": draw.integers(20, 60, 60),
            "height": np.where(draw.random(60) < 0.1, np.nan, draw.normal(size=60)),
            "colour": [words[k % 3] for k in range(60)],
            "city": pa.array(["Rome", "Paris"] * 30).dictionary_encode(),
            "when": pa.array(draw.integers(0, 10**18, 60)).cast(pa.timestamp("ns")),
            "note": [f"some words of row {k} {words[k % 3]}" for k in range(60)],
            "label": ["yes" if k % 3 else "no" for k in range(60)],
        }
    )


_FIT = "fit {} -o out.model --rule perceptron --passes 1"


def _tables() -> Iterator[Seed]:
    from pyarrow import feather, ipc, parquet

    table = _table()
    table.to_pandas().to_csv("table.csv", index=False)
    _run("fit table.csv -o table.model -q --bits 8")
    commands = (f"{_FIT} --bits 8", "predict table.model {}")
    yield Seed("csv", "table.csv", Path("table.csv").read_bytes(), commands)
    for compression in ("snappy", "none"):
        parquet.write_table(table, "table.parquet", compression=compression, row_group_size=25)
        yield Seed("parquet", "table.parquet", Path("table.parquet").read_bytes(), commands)
    for kind, opened in (("arrow", ipc.new_file), ("arrow stream", ipc.new_stream)):
        with opened("table.arrow", table.schema) as file:
            file.write_table(table, max_chunksize=25)
        yield Seed(kind, "table.arrow", Path("table.arrow").read_bytes(), commands)
    feather.write_feather(table, "table.feather", compression="lz4")
    yield Seed("feather", "table.feather", Path("table.feather").read_bytes(), commands)


def _arrays() -> Iterator[Seed]:
    from scipy import sparse

    draw = np.random.default_rng(0)
    X, y = draw.normal(size=(40, 3)), draw.integers(0, 2, 40)
    np.save("rows.npy", np.column_stack([X, y]))
    _run("fit rows.npy -o rows.model -q")
    commands = (_FIT, "predict rows.model {}")
    yield Seed("npy", "rows.npy", Path("rows.npy").read_bytes(), commands)
    np.savez_compressed("rows.npz", X=X, y=y)
    yield Seed("npz", "rows.npz", Path("rows.npz").read_bytes(), commands)
    matrix = sparse.random(40, 30, 0.2, format="csr", random_state=0)
    np.savez("sparse.npz", format=b"csr", shape=(40, 30), y=y, **_parts(matrix))
    yield Seed("npz", "sparse.npz", Path("sparse.npz").read_bytes(), (_FIT,))


def _parts(matrix: Any) -> dict[str, Any]:
    return {"indptr": matrix.indptr, "indices": matrix.indices, "data": matrix.data}


def _lines() -> Iterator[Seed]:
    contents = {
        "rows.svm": "".join(f"{k % 2 * 2 - 1} 1:{k % 7} {5 + k % 3}:0.25\n" for k in range(40)),
        "rows.vw": "".join(f"{k % 2 * 2 - 1} |a w{k % 2} x:{k % 7}.5 |b y{k % 5}\n" for k in range(40)),
        "mail.tsv": "".join(f"{'spam' if k % 3 else 'ham'}\tbuy now {k} times\n" for k in range(40)),
    }
    for name, content in contents.items():
        Path(name).write_text(content)
        yield Seed(Path(name).suffix[1:], name, content.encode(), (_FIT,))
    import bz2
    import gzip
    import lzma

    lines = contents["rows.svm"].encode()
    for ending, packed in (("gz", gzip.compress(lines)), ("bz2", bz2.compress(lines)), ("xz", lzma.compress(lines))):
        yield Seed("packed", f"rows.svm.{ending}", packed, (_FIT,))


def _models() -> Iterator[Seed]:
    """Models, a checkpoint and a cache; the data that they are tried on are those above."""
    Path("words.csv").write_text("day,shop,label\n" + "mon,a,x\ntue,b,y\nmon,b,x\ntue,a,y\n" * 8)
    _run("fit mail.tsv -o mail.model -q --bits 6")
    _run("fit rows.vw -o vw.model -q --bits 6 --rule arow --passes 1")
    _run("fit words.csv -o words.model -q --cross day:shop")
    for name, data in (("table", "table.csv"), ("rows", "rows.npy"), ("words", "words.csv"), ("vw", "rows.vw")):
        commands = (f"predict {{}} {data} --scores", f"evaluate {{}} {data}", "explain {}", "export {} --to sql")
        yield Seed("model", f"{name}.model", Path(f"{name}.model").read_bytes(), commands, _odd_header)
    commands = ("predict {} mail.tsv --proba", "export {} --to json")
    yield Seed("model", "mail.model", Path("mail.model").read_bytes(), commands, _odd_header)
    fit = "fit rows.svm -o out.model --rule perceptron --passes 9 --checkpoint {}"
    _save_checkpoint(fit.format("rows.checkpoint"))
    checkpoint = Path("rows.checkpoint").read_bytes()
    yield Seed("checkpoint", "rows.checkpoint", checkpoint, (f"{fit} --resume",), _odd_header)
    _run("fit rows.svm -o out.model -q --keep-cache")
    cache = Path("rows.svm.cache").read_bytes()
    yield Seed("cache", "rows.svm.cache", cache, ("fit rows.svm -o out.model --keep-cache --passes 2",), _odd_page)


def _save_checkpoint(command: str) -> None:
    """Save one as if Ctrl-C had been pressed after the first pass."""
    from rosenblatt.learn.files.passes import Fitting

    end_pass = Fitting._end_pass

    def interrupted(fitting: Fitting) -> Any:
        end_pass(fitting)
        raise KeyboardInterrupt

    Fitting._end_pass = interrupted  # type: ignore[method-assign]
    try:
        _run(command, expected=130)
    finally:
        Fitting._end_pass = end_pass  # type: ignore[method-assign]


def _certificates() -> Iterator[Seed]:
    for name, labels in (("and", [0, 0, 0, 1]), ("xor", [0, 1, 1, 0])):
        rows = "".join(f"{a},{b},{labels[2 * a + b]}\n" for a in (0, 1) for b in (0, 1))
        Path(f"{name}.csv").write_text("a,b,label\n" + rows)
        _run(f"certify {name}.csv --save {name}.json", expected=None)
        command = f"certify {name}.csv --check {{}}"
        yield Seed("certificate", f"{name}.json", Path(f"{name}.json").read_bytes(), (command,), odd_json)


def _run(command: str, expected: int | None = 0) -> None:
    outcome = run(command.split())
    if expected is not None and outcome.code != expected:
        raise RuntimeError(f"{command}: {outcome}")


# -- damage -----------------------------------------------------------------------------------------------------------


def damaged(seed: Seed, draw: random.Random) -> bytes:
    """The content of a seed with a few changes; where it is signed, in half of the cases signed again."""
    if seed.signed is not None and draw.random() < 0.5:
        return seed.signed(seed.content, draw)
    return mutated(seed.content, draw)


def mutated(content: bytes, draw: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(draw.choice((1, 1, 1, 2, 3, 8))):
        at, length = draw.randrange(len(changed) + 1), draw.choice((1, 4, 8, 64))
        match draw.randrange(7):
            case 0:
                changed[at : at + 1] = bytes([draw.randrange(256)])
            case 1 if at < len(changed):
                changed[at] ^= 1 << draw.randrange(8)
            case 2:
                del changed[at : at + length]
            case 3:
                changed[at:at] = changed[at : at + length]
            case 4:
                changed[at : at + length] = bytes(len(changed[at : at + length]))
            case 5:
                number = draw.choice(_NUMBERS) + draw.choice((-1, 0, 1))
                width = draw.choice((1, 2, 4, 8))
                changed[at : at + width] = (number % 256**width).to_bytes(width, "little")
            case _:
                changed[at : at + length] = draw.randbytes(length)
    if draw.random() < 0.05:
        del changed[draw.randrange(len(changed) + 1) :]
    return bytes(changed)


def _odd_header(content: bytes, draw: random.Random) -> bytes:
    return odd_header(content, np.random.default_rng(draw.randrange(2**32)))


def _odd_page(content: bytes, draw: random.Random) -> bytes:
    """A cache whose first page is changed, with a correct checksum."""
    from rosenblatt import native

    begin = int.from_bytes(content[-24:-16], "little")
    page = bytearray(content[:begin])
    at, number = draw.randrange(8, begin - 8), draw.choice(_NUMBERS)
    page[at : at + 4] = (number % 2**32).to_bytes(4, "little")
    page[:8] = native.checksum(np.frombuffer(bytes(page[8:]), dtype=np.uint8)).to_bytes(8, "little")
    return bytes(page) + content[begin:]


def odd_json(content: bytes, draw: random.Random) -> bytes:
    """One value replaced by one that does not belong there."""
    whole = place = json.loads(content)
    while True:
        key = draw.choice(list(place) if isinstance(place, dict) else range(len(place)))
        if not isinstance(place[key], dict | list) or not place[key] or draw.random() < 0.3:
            break
        place = place[key]
    place[key] = draw.choice(_ODD_JSON)
    return json.dumps(whole).encode()


# -- the commands -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    code: int | str  # "signal 11" where the process died
    errors: str

    @property
    def accepted(self) -> bool:
        """Done, or refused in one sentence."""
        lines = self.errors.splitlines()
        sentences = [line for line in lines if not line.startswith(("warning: ", "studio: "))]
        if self.code in (0, 1):
            return not any("Warning: " in line or "Traceback" in line for line in lines)
        return self.code in (2, 3, 4) and len(sentences) == 1 and sentences[0].startswith("rosenblatt: ")


def run(arguments: Sequence[str]) -> Outcome:
    """A command in this process."""
    from rosenblatt.cli import main

    errors, results = io.StringIO(), io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="surrogatepass")
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(results):
        code = main(list(arguments))
    return Outcome(code, errors.getvalue())


def run_all(files: Sequence[tuple[Seed, bytes]], folder: Path) -> list[tuple[int, str, Outcome]]:
    """Run the commands of each file in child processes, which may die; returns what is not accepted."""
    findings: list[tuple[int, str, Outcome]] = []
    start = 0
    while start < len(files):
        with tempfile.TemporaryFile("w+") as log:
            child = os.fork()
            if child == 0:
                _work(files, start, folder, log)
            status = os.waitpid(child, 0)[1]
            log.seek(0)
            records = [json.loads(line) for line in log]
        for record in records:
            outcome = Outcome(record["code"], record["errors"])
            if record["code"] != "running" and not outcome.accepted:
                findings.append((record["number"], record["command"], outcome))
        if status == 0:
            break
        last = records[-1] if records else {"number": start, "command": "none"}
        died = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit {os.WEXITSTATUS(status)}"
        findings.append((last["number"], last["command"], Outcome(died, "")))
        start = last["number"] + 1
    return findings


def _work(files: Sequence[tuple[Seed, bytes]], start: int, folder: Path, log: Any) -> None:
    """In the child: note each command before it runs and how it ended, so that a crash is known by what is missing."""
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.environ["ROSENBLATT_TRACEBACK"] = ""
        os.chdir(folder)
        for number in range(start, len(files)):
            seed, content = files[number]
            for command in seed.commands:
                Path(f"tried-{seed.name}").write_bytes(content)
                if seed.kind == "cache":
                    Path(seed.name).write_bytes(content)
                name = seed.name if seed.kind == "cache" else f"tried-{seed.name}"
                _note(log, number, command, "running", "")
                signal.alarm(SECONDS)
                outcome = run(command.format(name).split())
                signal.alarm(0)
                _note(log, number, command, outcome.code, outcome.errors)
        code = 0
    finally:
        os._exit(code)


def _note(log: Any, number: int, command: str, code: int | str, errors: str) -> None:
    log.write(json.dumps({"number": number, "command": command, "code": code, "errors": errors[-4000:]}) + "\n")
    log.flush()


# -- the campaign -----------------------------------------------------------------------------------------------------


def campaign(
    seconds: float, seed: int, only: Sequence[str] = (), keep: Path | None = None, most: int | None = None
) -> tuple[Counter[str], Counter[tuple[str, str]]]:
    """How many files of each kind were tried, and how often each kind of finding came up."""
    draw, end = random.Random(seed), time.monotonic() + seconds
    tried: Counter[str] = Counter()
    findings: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        seeds = [one for one in write_seeds(Path(folder)) if not only or one.kind in only]
        while time.monotonic() < end and (most is None or tried.total() < most):
            count = _FILES_OF_ONE_CHILD if most is None else min(most - tried.total(), _FILES_OF_ONE_CHILD)
            files = [(one, damaged(one, draw)) for one in (seeds[k % len(seeds)] for k in range(count))]
            for number, command, outcome in run_all(files, Path(folder)):
                one, content = files[number]
                first = not findings[one.kind, _summary(outcome)]
                findings[one.kind, _summary(outcome)] += 1
                if keep is not None and first:
                    _keep(keep, one, content, command, outcome)
            tried.update(one.kind for one, _ in files)
            draw.shuffle(seeds)
    return tried, findings


def _summary(outcome: Outcome) -> str:
    lines = [line for line in outcome.errors.splitlines() if line.startswith("rosenblatt: ")] or [""]
    return f"{outcome.code} {lines[-1][:100]}"


def _keep(folder: Path, seed: Seed, content: bytes, command: str, outcome: Outcome) -> None:
    folder.mkdir(exist_ok=True)
    path = folder / f"{hashlib.sha256(content).hexdigest()[:8]}-{seed.name}"
    path.write_bytes(content)
    print(f"{path}: {command.format(path)}\n  {outcome.code} {outcome.errors.strip()[-400:]}", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Damaged files of every kind, given to the commands.")
    parser.add_argument("seconds", nargs="?", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--most", type=int, help="end after this many files")
    chosen = parser.parse_args(arguments)
    tried, findings = campaign(chosen.seconds, chosen.seed, chosen.only, Path("findings"), chosen.most)
    for (kind, what), count in findings.most_common():
        print(f"{count:6} {kind}: {what}")
    print(", ".join(f"{kind} {count:,}" for kind, count in sorted(tried.items())))
    print(
        f"{tried.total():,} files, {findings.total():,} findings"
        if findings
        else f"{tried.total():,} files, no findings"
    )
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
