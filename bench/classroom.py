"""A class of simulated students on the studio of this machine: how long each of them waits for a step.

    python -m bench.classroom [students] [seconds]

Each student opens the page, learns on points of their own, and then steps, moves a point or asks for a curve every two
seconds. One more client asks for the longest work that is allowed, without a pause. Everything stays on this machine.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

PAUSE = 2.0  # seconds between two steps of one student
OPENING = 10.0  # seconds within which a class opens the page


def points(rng: random.Random, count: int) -> dict[str, Any]:
    """Two clouds, different for every student: no answer is known beforehand."""
    labels = [k % 2 for k in range(count)]
    place = [[round(rng.gauss(2 * label, 0.8), 2), round(rng.gauss(label, 0.8), 2)] for label in labels]
    return {"points": place, "labels": labels, "classes": ["A", "B"], "options": {}}


class Client:
    """One connection with as little work as possible: the clients share the cores with the server they measure."""

    def __init__(self, port: int, address: str) -> None:
        self.port, self.address = port, address
        self.reader: asyncio.StreamReader
        self.writer: asyncio.StreamWriter

    async def ask(self, question: str, body: dict[str, Any], name: str) -> tuple[int, bytes]:
        """Status and body of the answer."""
        if not hasattr(self, "writer") or self.writer.is_closing():
            self.reader, self.writer = await asyncio.open_connection(
                "127.0.0.1", self.port, local_addr=(self.address, 0), limit=2**24
            )
        content = json.dumps(body).encode()
        head = (
            f"POST /api/{question} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: application/json\r\n"
            f"X-Studio-Page: {name}\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        self.writer.write(head.encode() + content)
        answer = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(answer.split("content-length:")[1].split("\r\n")[0])
        return int(answer.split()[1]), await self.reader.readexactly(length)


async def student(port: int, number: int, seed: str, end: float, waits: dict[str, list[float]]) -> None:
    rng = random.Random(seed)
    # Every student has an address of their own, all on this machine.
    client = Client(port, f"127.0.{1 + number // 250}.{1 + number % 250}")

    async def ask(question: str, body: dict[str, Any], kind: str) -> bytes:
        begin = time.perf_counter()
        status, answer = await client.ask(question, body, f"s{number}")
        waits[kind].append(time.perf_counter() - begin)
        assert status == 200, (question, answer[:200])
        return answer

    await asyncio.sleep(rng.random() * OPENING)
    await ask("controls", {}, "open")
    await ask("example", {"name": "AND"}, "open")
    body = points(rng, rng.choice([20, 60, 100]))
    n_visits = json.loads(await ask("learn", body, "open"))["t"]
    await ask("verdict", body, "open")
    while time.perf_counter() < end:
        await asyncio.sleep(PAUSE * (0.5 + rng.random()))
        match rng.randrange(4):
            case 0 | 1:
                await ask("visits", body | {"since": rng.randrange(n_visits)}, "step")
            case 2:
                body["points"][rng.randrange(len(body["points"]))] = [rng.random() * 2, rng.random() * 2]
                n_visits = json.loads(await ask("learn", body, "step"))["t"]
            case 3:
                box = {"box": [-2, 4, -2, 3], "size": [640, 480], "times": [0, n_visits]}
                await ask("regions", body | box, "step")


async def hostile(port: int, end: float, statuses: dict[int, int]) -> None:
    """Long work without a pause, under ever new names."""
    rng = random.Random(0)
    body = points(rng, 5_000) | {"options": {"max_iter": 400, "degree": 4}}

    async def ask_on(client: Client) -> None:
        while time.perf_counter() < end:
            status, _ = await client.ask("learn", body | {"at": rng.random()}, f"x{rng.random()}")
            statuses[status] += 1

    await asyncio.gather(*(ask_on(Client(port, "127.9.9.9")) for _ in range(4)))


async def warm_up(port: int) -> None:
    """Until every process has answered once."""
    jobs = [Client(port, f"127.8.0.{k}").ask("learn", points(random.Random(k), 100), "first") for k in range(1, 13)]
    await asyncio.gather(*jobs)


def cpu_seconds(pid: int) -> float:
    """User and system time of a process, its children and theirs, from /proc."""
    stats = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            stats[int(path.parent.name)] = path.read_text().rpartition(")")[2].split()
    family = {pid}
    for _ in range(2):
        family |= {child for child, stat in stats.items() if int(stat[1]) in family}
    return sum(sum(map(int, stats[member][11:13])) for member in family) / os.sysconf("SC_CLK_TCK")


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


async def measure(port: int, students: int, seconds: float, with_hostile: bool) -> None:
    waits: dict[str, list[float]] = defaultdict(list)
    statuses: dict[int, int] = defaultdict(int)
    end = time.perf_counter() + OPENING + seconds
    others = [hostile(port, end, statuses)] if with_hostile else []
    await asyncio.gather(*(student(port, k, f"{k} {with_hostile}", end, waits) for k in range(students)), *others)
    for kind, values in waits.items():
        times = ", ".join(f"p{share} {1000 * percentile(values, share / 100):.0f} ms" for share in (50, 95, 99))
        print(f"{kind}: {len(values):,} answers, {times}")
    if statuses:
        print(f"hostile: {dict(statuses)}")


def main() -> None:
    students = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 30
    command = [sys.executable, "-m", "rosenblatt", "studio", "--class", "--json", "-q"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = int(json.loads(server.stdout.readline())["url"].rstrip("/").rpartition(":")[2])
        try:
            asyncio.run(warm_up(port))
            for with_hostile in (False, True):
                print(f"{students} students for {seconds:g} s{', and a hostile client' if with_hostile else ''}")
                before = cpu_seconds(server.pid)
                asyncio.run(measure(port, students, seconds, with_hostile))
                print(f"the server used {cpu_seconds(server.pid) - before:.1f} s of CPU; load {os.getloadavg()[0]:.1f}")
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
