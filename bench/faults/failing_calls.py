"""Every write, sync, rename and truncation of a learn-snapshot-compact cycle fails once, or is the last that it does.

strace makes one system call after the other fail with EIO or ENOSPC, or kills the process there. What was acknowledged
must be in the log, once; every snapshot must be whole; the bits must be those of a serial replay.
"""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
from collections import Counter
from pathlib import Path

from bench.faults.kill import Campaign, Result
from rosenblatt.errors import ModelError
from rosenblatt.serve.store.directory import Directory

CALLS = ("write", "pwrite64", "fsync", "fdatasync", "rename", "ftruncate", "unlink")
FAULTS = {"EIO": "error=EIO", "ENOSPC": "error=ENOSPC", "killed": "signal=KILL"}
_WORK = """
import json, socket, sys, threading
from rosenblatt.serve.learning.served_model import Keeping, ServedModel
from rosenblatt.serve.learning.submissions import Submission
from rosenblatt.serve.store.directory import Directory
out = socket.socket(fileno=int(sys.argv[2]))
directory = Directory(sys.argv[1])
served = ServedModel(directory.folder("m"), Keeping(keep_seconds=0.0, snapshot_seconds=1e9))
served.start()
number = 0
def learn(n):
    global number
    lines = []
    for _ in range(n):
        number += 1
        text = f"word{number % 7} u{number}"
        lines.append(json.dumps({"id": f"i{number}", "label": ["ham", "spam"][number % 2], "text": text}))
    done = threading.Event()
    submission = Submission("\\n".join(lines).encode(), True, lambda _: done.set())
    served.submit(submission)
    done.wait(20)
    if submission.status == 200:
        out.send(b"".join(f"i{k}\\n".encode() for k in range(number - n + 1, number + 1)))
    else:
        out.send(f"said {submission.status} {json.loads(submission.answer)['error']}\\n".encode())
def snapshot():
    done = threading.Event()
    served.run(lambda: served._attempt(served.snapshot, "a snapshot"), lambda *_: done.set())
    done.wait(20)
for size in (1, 5, 60):
    learn(size)
snapshot()
for size in (1, 300):
    learn(size)
snapshot()
learn(2)
served.stop()
for _, what in served.errors:
    out.send(f"said {what}\\n".encode())
directory.close()
out.send(b"ended\\n")
"""


def _run(data: Path, *inject: str) -> tuple[set[str], list[str], str, int]:
    """What was acknowledged, what was said of failures, the calls that were traced, and how the process ended."""
    ours, theirs = socket.socketpair()
    trace = data.with_name("trace")
    command = ["strace", "-f", "-qq", "-o", str(trace), "-e", f"trace={','.join(CALLS)}", *inject]
    command += [sys.executable, "-c", _WORK, str(data), str(theirs.fileno())]
    ended = subprocess.run(command, pass_fds=[theirs.fileno()], capture_output=True, text=True, timeout=120)
    theirs.close()
    content = b""
    while part := ours.recv(1 << 16):
        content += part
    ours.close()
    lines = content.decode().splitlines()
    words = [line for line in lines if line.startswith("said ")]
    if "ended" not in lines:
        words += ended.stderr.strip().splitlines()[-1:]
    return {line for line in lines if line.startswith("i")}, words, trace.read_text(), ended.returncode


def _new_data(folder: Path) -> Path:
    data = folder / "calls"
    shutil.rmtree(data, ignore_errors=True)
    directory = Directory(str(data))
    directory.create("m", (folder / "m.model").read_bytes())
    directory.close()
    return data


def run(folder: Path) -> bool:
    """Print a line for each call and fault; whether anything was lost, learned twice, torn, or not said."""
    Campaign(folder)._first_model(folder / "m.model", "arow")
    _, _, trace, _ = _run(_new_data(folder))
    # strace counts the calls of each thread by themselves.
    per_thread = Counter(re.findall(r"^(\d+) +(\w+)\(", trace, re.MULTILINE))
    failed = False
    total = Result()
    for call in CALLS:
        most = max((n for (_, name), n in per_thread.items() if name == call), default=0)
        for fault, how in FAULTS.items():
            torn = silent = 0
            result = Result()
            for n in range(1, most + 1):
                data = _new_data(folder)
                acknowledged, words, trace, code = _run(data, "-e", f"inject={call}:{how}:when={n}")
                result = result.plus(Result(1, len(acknowledged), *Campaign._check(data, acknowledged)))
                torn += _torn(data)
                silent += not words and code not in (-9, 137) and "INJECTED" in trace and len(acknowledged) < 369
            print(
                f"{call:<10} {fault:<7} {most:>4} calls: {result.acknowledged:,} acknowledged, {result.lost} lost, "
                f"{result.twice} learned twice, {result.other_bits} other bits, {torn} torn models, {silent} not said",
                flush=True,
            )
            failed |= bool(result.lost or result.twice or result.other_bits or torn or silent)
            total = total.plus(result)
    print(f"{total.kills:,} faults: {total.lost} lost, {total.twice} learned twice, {total.other_bits} other bits")
    return failed


def _torn(data: Path) -> int:
    """Model files that are not whole."""
    folder = Directory(str(data), lock=False).folder("m")
    n = 0
    for version in folder.snapshots.versions:
        try:
            folder.snapshots.load(version)
        except ModelError:
            n += 1
    return n
