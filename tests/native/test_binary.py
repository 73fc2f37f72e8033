"""The compiled code: wide instructions only where their instruction set was chosen, no fused multiply-add that would
change a bit, and nothing exported.

Each instruction set is one object with no symbol but its table, so the linker can merge nothing of it with other code:
what is true of the objects is true of the extension.
"""

from __future__ import annotations

import platform
import re
import shutil
import sysconfig
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from rosenblatt.native import _native
from tests import child

if platform.machine() != "x86_64" or platform.system() != "Linux":
    pytest.skip("only x86-64 has several instruction sets, and this test reads ELF", allow_module_level=True)
if shutil.which("objdump") is None or shutil.which("nm") is None:
    pytest.skip("no objdump to disassemble with: install binutils", allow_module_level=True)

BUILD = Path(__file__).parents[2] / "build"
ISAS = ("baseline", "avx2", "avx512")
KINDS = {
    "512 bits": re.compile(r"%zmm"),
    "256 bits": re.compile(r"%ymm"),
    "EVEX": re.compile(r"%[xy]mm(1[6-9]|2\d|3[01])\b|\{%k[0-7]\}"),
    "fused": re.compile(r"\tvfn?m(add|sub)"),
}
PAGES = (
    "::to_integers(",
    "::divide<",
)  # of cache/pack_numbers.cpp: exact divisions, which the rounding of a fused step proves


@cache
def disassembly(file: Path) -> Counter[tuple[str, str]]:
    """How many instructions of each kind each function has."""
    process = child.run(["objdump", "-dC", "--no-show-raw-insn", file], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    wide_instructions: Counter[tuple[str, str]] = Counter()
    function = ""
    for line in process.stdout.splitlines():
        if line.endswith(">:"):
            function = line
        else:
            wide_instructions.update((kind, function) for kind, pattern in KINDS.items() if pattern.search(line))
    return wide_instructions


def count(file: Path, kind: str) -> int:
    return sum(number for (its_kind, _), number in disassembly(file).items() if its_kind == kind)


@pytest.fixture(scope="module")
def folder() -> Path:
    """Where this extension was built, with an object for each instruction set."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    built = sorted(BUILD.glob(f"*/_native{suffix}"))
    if not built or not all((built[0].parent / f"native_{isa}.o").exists() for isa in ISAS):
        pytest.skip("the objects of all instruction sets are not here: it was built elsewhere, or with another linker")
    return built[0].parent


def test_nothing_is_exported_but_what_python_looks_for() -> None:
    process = child.run(["nm", "-D", "--defined-only", _native.__file__], capture_output=True, text=True)
    assert [line.split()[-1] for line in process.stdout.splitlines()] == ["PyInit__native"]


@pytest.mark.parametrize("isa", ISAS)
def test_an_instruction_set_shows_nothing_but_its_table(folder: Path, isa: str) -> None:
    process = child.run(["nm", "-gC", "--defined-only", folder / f"native_{isa}.o"], capture_output=True, text=True)
    assert [line.split()[-1] for line in process.stdout.splitlines()] == [f"rosenblatt::{isa}::table"]


def test_code_for_any_machine_has_no_wide_instruction(folder: Path) -> None:
    plain = [
        *folder.glob("CMakeFiles/_native.dir/**/*.o"),
        folder / "libnanobind-static.a",
        folder / "native_baseline.o",
    ]
    assert len(plain) > 3
    for file in plain:
        assert not disassembly(file), file.name


def test_avx2_has_no_instruction_of_avx512(folder: Path) -> None:
    avx2, avx512 = folder / "native_avx2.o", folder / "native_avx512.o"
    assert [count(avx2, kind) for kind in ("512 bits", "EVEX")] == [0, 0]
    assert count(avx2, "256 bits") > 1000
    assert count(avx512, "512 bits") > 1000


def test_the_only_fused_multiply_adds_are_those_of_exact_divisions(folder: Path) -> None:
    fused = [function for isa in ISAS for kind, function in disassembly(folder / f"native_{isa}.o") if kind == "fused"]
    assert fused
    assert all(any(name in function for name in PAGES) for function in fused)


def test_the_extension_is_made_of_these_objects(folder: Path) -> None:
    extension = Path(_native.__file__)
    for kind in KINDS:
        objects = sum(count(folder / f"native_{isa}.o", kind) for isa in ISAS)
        assert 0 < count(extension, kind) <= objects
