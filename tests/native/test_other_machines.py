"""The core compiled for arm64, by another compiler or with another library gives the bits that it gives here."""

import os
import shutil
from functools import cache
from pathlib import Path

import pytest

from tests import child
from tests.native.programs.sanitized import CPP

SOURCE = Path(__file__).with_name("programs") / "one_answer.cpp"
FLAGS = ("-std=c++20", "-O1", "-w", "-ffp-contract=off", f"-I{CPP}", str(SOURCE))


@cache
def answers(folder: Path, compiler: str, *flags: str, runner: tuple[str, ...] = ()) -> list[str]:
    compiled = folder / f"one_answer_{compiler}"
    process = child.run([compiler, *FLAGS, *flags, "-o", compiled], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    process = child.run([*runner, compiled], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    return process.stdout.splitlines()


def program(name: str) -> str | None:
    """The program as Debian installs it: by its name, as `name-static`, or with the newest version behind it."""
    others = [f"{name}-static", *(f"{name}-{version}" for version in range(30, 13, -1))]
    return next(filter(shutil.which, [name, *others]), None)


def skip_without_library(compiler: str, flags: tuple[str, ...], folder: Path) -> None:
    (folder / "empty.cpp").write_text("#include <vector>\nint main() {}")
    compiled = child.run([compiler, *flags, folder / "empty.cpp", "-o", folder / "empty"], capture_output=True)
    if compiled.returncode != 0:
        pytest.skip(f"{compiler} {' '.join(flags)} does not work here (Debian: libc++-dev)")


@pytest.mark.compiles
@pytest.mark.parametrize(
    ("compiler", "flags", "runner"),
    [
        ("aarch64-linux-gnu-g++", ("-static",), ("qemu-aarch64",)),
        ("clang++", (), ()),
        ("clang++", ("-stdlib=libc++",), ()),
    ],
    ids=["arm64", "clang", "libc++"],
)
def test_every_rule_learns_the_same_bits(
    compiler: str, flags: tuple[str, ...], runner: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory
) -> None:
    missing = [name for name in ("g++", compiler, *runner) if program(name) is None]
    if missing:
        pytest.skip(f"no {missing[0]} here (Debian: g++-aarch64-linux-gnu and qemu-user, or clang)")
    folder = tmp_path_factory.getbasetemp()
    compiler, runner = str(program(compiler)), tuple(str(program(name)) for name in runner)
    skip_without_library(compiler, flags, folder)
    expected = answers(folder, "g++")
    assert len(expected) == 57 + 42  # classes, numbers
    assert not any("differ" in line for line in expected)
    assert answers(folder, compiler, *flags, runner=runner) == expected


NUMBERS = ("0.1234567890123456789e-7", "1.7976931348623157e308", "-123456789012345678901.5", "4.9e-324")


@pytest.mark.compiles
@pytest.mark.parametrize("flags", [(), ("-stdlib=libc++",)], ids=["libstdc++", "libc++"])
def test_a_comma_of_the_locale_is_no_point(flags: tuple[str, ...], tmp_path: Path) -> None:
    missing = [name for name in ("clang++", "localedef") if program(name) is None]
    if missing:
        pytest.skip(f"no {missing[0]} here")
    compiler = str(program("clang++"))
    skip_without_library(compiler, flags, tmp_path)
    child.run(["localedef", "-i", "de_DE", "-f", "UTF-8", tmp_path / "de_DE.UTF-8"], capture_output=True)
    command = [compiler, *FLAGS[:-1], *flags, SOURCE.with_name("numbers.cpp"), "-o", tmp_path / "numbers"]
    process = child.run(command, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    german = os.environ | {"LOCPATH": str(tmp_path), "LC_ALL": "de_DE.UTF-8"}
    process = child.run([tmp_path / "numbers", *NUMBERS], capture_output=True, text=True, env=german)
    point, *lines = process.stdout.splitlines()
    if point != "0,5":
        pytest.skip("this system has no German locale (Debian: locales)")
    for line, text in zip(lines, NUMBERS, strict=True):
        value, shortest = line.split()
        assert (float.fromhex(value.replace(",", ".")), float(shortest)) == (float(text), float(text))
