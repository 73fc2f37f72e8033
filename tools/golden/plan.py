"""Which groups of cases there are, and the processes that compute them side by side."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INSTRUCTION_SETS = ("avx512", "avx2", "baseline")


@dataclass(frozen=True)
class Group:
    """A module of cases: whether every instruction set computes them, and into how many processes they are split."""

    name: str
    every_set: bool
    shares: int = 1


GROUPS = (
    Group("scenarios", True, 2),
    Group("files", True, 2),
    Group("traces", False),
    Group("commands", False),
    Group("reading", True),
    Group("fits", True),
    Group("numbers", True),
    Group("dual", True),
    Group("certificates", False),
    Group("learners", True),
    Group("logic", False),
)


@dataclass(frozen=True)
class Work:
    """One process: a share of a group on one instruction set."""

    group: str
    isa: str
    share: int
    shares: int
    computes_all: bool  # the first instruction set also computes what no arithmetic decides

    @property
    def label(self) -> str:
        return f"{self.group}-{self.isa}-{self.share}"


def environment(isa: str, folder: Path, computes_all: bool = True) -> dict[str, str]:
    """What a process needs to know: where the package is, the instruction set, and a folder for its files."""
    python_path = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    paths = [str(ROOT), *map(os.path.abspath, python_path)]
    own = {name: value for name, value in os.environ.items() if name not in ("ROSENBLATT_ISA", "ROSENBLATT_TRACEBACK")}
    chosen = {} if isa == "default" else {"ROSENBLATT_ISA": isa}
    steady = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}
    places = {"PYTHONPATH": os.pathsep.join(paths), "GOLDEN_FOLDER": str(folder), "GOLDEN_ALL": str(int(computes_all))}
    return {**own, **steady, **chosen, **places}


def is_there(isa: str, folder: Path) -> bool:
    """Whether this machine has the instruction set: the package refuses to load with one that it lacks."""
    code = "import rosenblatt; rosenblatt.Learner(1).learn([1.0], 1)"
    ended = subprocess.run([sys.executable, "-c", code], env=environment(isa, folder), capture_output=True, check=False)
    return ended.returncode == 0


def works(groups: Iterable[Group], sets: list[str], quick: bool) -> list[Work]:
    """All the processes to run; what only one instruction set computes is computed by the first."""
    return [
        Work(group.name, isa, share, 1 if quick else group.shares, isa == sets[0])
        for group in groups
        for isa in (sets if group.every_set else sets[:1])
        for share in range(1 if quick else group.shares)
    ]


def run(planned: list[Work], quick: bool, folder: Path) -> Iterator[tuple[Work, dict[str, str]]]:
    """The hashes of each process as it ends, as many at once as there are cores."""
    waiting, running = list(planned), dict[Work, subprocess.Popen[bytes]]()
    try:
        while waiting or running:
            while waiting and len(running) < (os.cpu_count() or 1):
                work = waiting.pop(0)
                running[work] = _started(work, quick, folder)
            for work, process in list(running.items()):
                if process.poll() is not None:
                    del running[work]
                    if process.returncode:
                        raise SystemExit(f"the process of {work.label} ended with {process.returncode}")
                    yield work, dict(map(json.loads, _results(work, folder).read_text("utf-8").splitlines()))
            time.sleep(0.02)
    finally:
        for process in running.values():
            process.kill()
            process.wait()


def _results(work: Work, folder: Path) -> Path:
    return folder / f"{work.label}.results"


def _started(work: Work, quick: bool, folder: Path) -> subprocess.Popen[bytes]:
    scratch = folder / work.label
    scratch.mkdir()
    words = [work.group, str(work.share), str(work.shares), "quick" if quick else "all", str(_results(work, folder))]
    command = [sys.executable, "-m", "tools.golden", "worker", *words]
    variables = environment(work.isa, folder, work.computes_all)
    return subprocess.Popen(command, env=variables, cwd=scratch, stdout=subprocess.DEVNULL)
