"""The core compiled for arm64, and by another compiler, gives the bits that it gives here (without Python there)."""

import shutil
from functools import cache
from pathlib import Path

import pytest

from tests import child
from tests.native.sanitized import CPP

SOURCE = Path(__file__).with_name("one_answer.cpp")
FLAGS = ("-std=c++20", "-O1", "-w", "-ffp-contract=off", f"-I{CPP}", str(SOURCE))


@cache
def answers(folder: Path, compiler: str, *flags: str, runner: tuple[str, ...] = ()) -> list[str]:
    program = folder / f"one_answer_{compiler}"
    process = child.run([compiler, *FLAGS, *flags, "-o", program], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    process = child.run([*runner, program], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    return process.stdout.splitlines()


@pytest.mark.parametrize(
    ("compiler", "flags", "runner"),
    [("aarch64-linux-gnu-g++", ("-static",), ("qemu-aarch64",)), ("clang++", (), ())],
    ids=["arm64", "clang"],
)
def test_every_rule_learns_the_same_bits(
    compiler: str, flags: tuple[str, ...], runner: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory
) -> None:
    missing = [program for program in ("g++", compiler, *runner) if shutil.which(program) is None]
    if missing:
        pytest.skip(f"no {missing[0]} here (Debian: g++-aarch64-linux-gnu and qemu-user, or clang)")
    folder = tmp_path_factory.getbasetemp()
    expected = answers(folder, "g++")
    assert len(expected) == 57
    assert not any("differ" in line for line in expected)
    assert answers(folder, compiler, *flags, runner=runner) == expected
