"""kill -9 at random instants under load, again and again.

Each example has an id and a word that no other has. After every kill the log is compared with what was acknowledged:
an id that is not in it was lost, a word that is in it twice was learned twice. The model as the service would load it,
from its newest snapshot, is compared bit for bit with a serial replay of the whole log.
"""

from __future__ import annotations

import http.client
import json
import multiprocessing
import os
import random
import shutil
import threading
import time
from contextlib import closing, suppress
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any, NamedTuple

from bench.faults.served_process import serve
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.model_file import load_linear_model, save_model
from rosenblatt.serve.learning.live_model import LiveModel
from rosenblatt.serve.replay import model_at, replay
from rosenblatt.serve.store.damaged_wal import damage_of
from rosenblatt.serve.store.directory import Directory, ModelFolder
from rosenblatt.serve.store.log import Log

_WORDS = ["free", "money", "offer", "now", "meeting", "project", "lunch", "report", "cash", "winner", "agenda", "notes"]
_RULES = ("arow", "logistic-average")
_KILLS_IN_ONE_DIRECTORY = 40  # then a new one, so that replays stay short
CLIENTS = 4


_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["bench.faults.served_process"])


class Result(NamedTuple):
    """What a campaign found."""

    kills: int = 0
    acknowledged: int = 0
    lost: int = 0
    twice: int = 0
    other_bits: int = 0
    other_answers: int = 0  # neither success nor a refusal that says why
    alarms: int = 0  # logs that are called damaged, and are not

    def plus(self, other: Result) -> Result:
        return Result(*(a + b for a, b in zip(self, other, strict=True)))


class Campaign:
    """Kills a service in its own process; everything it writes is below `folder`."""

    def __init__(self, folder: Path, seed: int = 0, snapshot_every: str = "1s") -> None:
        self._folder, self._random = folder, random.Random(seed)
        self._snapshot_every = snapshot_every
        self._number = 0  # of examples
        self._lock = threading.Lock()

    def run(self, kills: int, on_result: Any = None) -> Result:
        total = Result()
        while total.kills < kills:
            data = self._folder / f"data-{total.kills}"
            total = total.plus(self._one_directory(data, min(_KILLS_IN_ONE_DIRECTORY, kills - total.kills)))
            if total.lost or total.twice or total.other_bits or total.alarms:
                return total  # what is left behind shows what happened
            shutil.rmtree(data)
            if on_result is not None:
                on_result(total)
        return total

    def _one_directory(self, data: Path, kills: int) -> Result:
        rule = self._random.choice(_RULES)
        self._first_model(data.with_name("m.model"), rule)
        acknowledged: set[str] = set()
        unanswered: list[dict[str, Any]] = []
        other_answers = 0
        result = Result()
        for _ in range(kills):
            service, address = self._start(data)
            clients = [_Client(self, address, unanswered if k == 0 else []) for k in range(CLIENTS)]
            for client in clients:
                client.start()
            self._wait(clients)
            service.kill()
            service.join()
            for client in clients:
                client.join()
                other_answers += client.other_answers
                acknowledged |= client.acknowledged
            unanswered = [example for client in clients for example in client.unanswered]
            alarms = int(damage_of(Directory(str(data), lock=False).folder("m").log) is not None)
            lost, twice, other_bits = self._check(data, acknowledged)
            result = Result(result.kills + 1, len(acknowledged), lost, twice, other_bits, other_answers, alarms)
            if lost or twice or other_bits or alarms:
                return result
        return result

    def _wait(self, clients: list[_Client]) -> None:
        """Until a random number of examples is acknowledged, and a random moment after that."""
        wanted, deadline = self._random.randrange(400), time.monotonic() + 10
        while sum(len(client.acknowledged) for client in clients) < wanted and time.monotonic() < deadline:
            time.sleep(0.001)
        time.sleep(self._random.random() * 0.02)

    def _first_model(self, path: Path, rule: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.with_suffix(".tsv")
        file.write_text("".join(f"{e['label']}\t{e['text']}\n" for e in (self.example() for _ in range(200))))
        save_model(fit_file(str(file), rule=rule, passes=1).model, path)

    def _start(self, data: Path) -> tuple[Any, str]:
        """The service in a process of its own, and its address. It is forked from one that has imported everything,
        which takes a tenth of the time of a start."""
        command = ["serve", str(data.with_name("m.model")), "--data", str(data)]
        command += ["--port", "0", "--no-browser", "--json", "-q", "--snapshot-every", self._snapshot_every]
        ours, theirs = os.pipe()
        with open(ours) as stdout, open(theirs) as to_close:
            service = _PROCESSES.Process(target=serve, args=(command, DupFd(to_close.fileno())), daemon=True)
            service.start()
            to_close.close()
            line = stdout.readline()
        if not line:
            raise RuntimeError(f"the service did not start again, in {data}")
        return service, json.loads(line)["url"].removeprefix("http://").rstrip("/")

    def example(self) -> dict[str, Any]:
        with self._lock:
            self._number += 1
            chosen = self._random.sample(range(12), 4)
            number = self._number
        label = "spam" if sum(k < 4 or k in (8, 9) for k in chosen) >= 2 else "ham"
        return {"id": f"i{number}", "label": label, "text": " ".join([*(_WORDS[k] for k in chosen), f"u{number}"])}

    def batch_size(self) -> int:
        with self._lock:
            return self._random.choice([1, 1, 1, 1, 5, 50])

    @staticmethod
    def _check(data: Path, acknowledged: set[str]) -> tuple[int, int, int]:
        """Examples that were lost, that were learned twice, and whether the bits are others."""
        folder = Directory(str(data), lock=False).folder("m")
        log = Log(folder.log)  # as the next start will open it
        bounds = log.bounds
        words: list[bytes] = []
        for group in log.groups(0):
            words += [line.rpartition(b" ")[2] for line in group.lines.split(b"\n")]
        log.close()
        in_log = {"i" + word[1:].decode() for word in words}
        # What was compacted is in the snapshot that the log goes on from.
        n_compacted = max(folder.snapshots.versions, default=0) if bounds is None else bounds[0]
        lost = max(len(acknowledged - in_log) - n_compacted, 0)
        return lost, len(words) - len(in_log), int(_digests_differ(folder))


def _digests_differ(folder: ModelFolder) -> bool:
    base = load_linear_model(folder.base)
    log = Log(folder.log)
    bounds = log.bounds
    start = max(folder.snapshots.versions, default=0) if bounds is None else bounds[0]
    first = folder.snapshots.load(start) if start else base
    serial = LiveModel(first, base.sample)
    loaded, _ = model_at(folder)
    for live in (serial, loaded):
        replay(live, log.groups(live.version))
    log.close()
    return serial.digest() != loaded.digest()


class _Client(threading.Thread):
    """Sends examples, first those that it does not know to be learned, until the service is gone."""

    def __init__(self, campaign: Campaign, address: str, first: list[dict[str, Any]]) -> None:
        super().__init__()
        self._campaign, self._address, self._first = campaign, address, first
        self.acknowledged: set[str] = set()
        self.unanswered: list[dict[str, Any]] = []
        self.other_answers = 0

    def run(self) -> None:
        waiting = [self._first[k : k + 20] for k in range(0, len(self._first), 20)]
        connection = http.client.HTTPConnection(self._address, timeout=20)
        with closing(connection), suppress(OSError, http.client.HTTPException):
            while True:
                batch = (
                    waiting[-1] if waiting else [self._campaign.example() for _ in range(self._campaign.batch_size())]
                )
                if not waiting:
                    waiting.append(batch)
                if self._send(connection, batch):
                    waiting.pop()
        self.unanswered = [example for batch in waiting for example in batch]

    def _send(self, connection: http.client.HTTPConnection, batch: list[dict[str, Any]]) -> bool:
        many = len(batch) > 1
        body = "\n".join(map(json.dumps, batch))
        headers = {"content-type": "application/x-ndjson" if many else "application/json"}
        connection.request("POST", "/v1/models/m/learn", body, headers)
        with connection.getresponse() as answer:  # closed even where the service dies in the middle of its answer
            content = json.loads(answer.read())
        if answer.status == 200 and content["learned"] + content["duplicates"] == len(batch):
            self.acknowledged |= {example["id"] for example in batch}
            return True
        self.other_answers += answer.status not in (429, 503)
        return False
