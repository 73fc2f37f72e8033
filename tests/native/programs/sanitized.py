"""Programs in C++ that are compiled with sanitizers, to test what Python cannot see."""

import shutil
from pathlib import Path

import pytest

from tests import child

CPP = Path(__file__).parents[3] / "cpp"


def built(source: Path, folder: Path, sanitizers: str = "address,undefined") -> Path:
    """Compile the program; skip the test without a compiler that has the sanitizers."""
    compiler = next(filter(shutil.which, ["c++", "g++", "clang++"]), None)
    if compiler is None:
        pytest.skip("no C++ compiler")
    flags = ["-std=c++20", "-O1", "-w", f"-I{CPP}", f"-fsanitize={sanitizers}", "-fno-sanitize-recover=all"]
    trial = folder / "trial.cpp"
    trial.write_text("int main() {}")
    if child.run([compiler, *flags, str(trial), "-o", str(folder / "trial")], capture_output=True).returncode != 0:
        pytest.skip("this compiler has no such sanitizer, or no C++20")
    if child.run([folder / "trial"], capture_output=True).returncode != 0:
        pytest.skip("programs with sanitizers do not run here")
    program = folder / "program"
    process = child.run([compiler, *flags, str(source), "-o", str(program)], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    return program
