"""Where else the contract is tested: each place builds a wheel and installs it, with what the tests need."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tools.elsewhere.debian_root import unpack
from tools.requirements import read_requirements

ROOT = Path(__file__).parents[2]
WORK = ROOT / "build" / "elsewhere"
TESTED_WITH = ("pytest>", "hypothesis>", "pandas>")  # of the extra "test", what the tests of the contract import


class Place(Protocol):
    def missing(self) -> str | None:
        """What this machine lacks for it, as a sentence."""

    def prepare(self) -> Path:
        """Build, install, and return the command of the place's Python."""


def needed() -> list[str]:
    tests = [line for line in read_requirements("test") if line.startswith(TESTED_WITH)]
    return [*read_requirements("base", "sklearn"), *tests]


def run(*words: object, **environment: str) -> None:
    subprocess.run([str(word) for word in words], check=True, cwd=ROOT, env=os.environ | environment)


def wheel(python: Path, folder: Path, settings: dict[str, str], **environment: str) -> Path:
    """The wheel that this Python builds."""
    shutil.rmtree(folder / "wheel", ignore_errors=True)
    options = {"build-dir": str(folder / "compiled"), **settings}
    run(
        *(python, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "--wheel-dir", folder / "wheel"),
        *(f"--config-settings={key}={value}" for key, value in options.items()),
        ROOT,
        PATH=f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        **environment,
    )
    [built] = (folder / "wheel").glob("*.whl")
    return built


@dataclass(frozen=True)
class ThisProcessor:
    """Another Python or compiler on this machine; `variables` are those that CMake reads."""

    name: str
    python: str = sys.executable
    variables: dict[str, str] = field(default_factory=dict)

    def missing(self) -> str | None:
        for program in (self.python, self.variables.get("CXX", "c++")):
            if not works([program, "--version"]):
                return f"{program} is not here, or does not run"
        if not works([self.python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]):
            return f"{self.python} is older than Python 3.11"
        return None

    def prepare(self) -> Path:
        folder = WORK / self.name
        python = folder / "environment" / "bin" / "python"
        if not python.exists():
            run(self.python, "-m", "venv", folder / "environment")
        run(python, "-m", "pip", "install", "-q", *read_requirements("build"), "cmake", "ninja", *needed())
        built = wheel(python, folder, {}, **self.variables)
        run(python, "-m", "pip", "install", "-q", "--no-deps", "--force-reinstall", built)
        return python


@dataclass(frozen=True)
class Arm64:
    """g++ for arm64, and Debian's Python for arm64 under qemu; the packages are those that PyPI has for arm64."""

    name: str = "arm64"
    compiler: str = "aarch64-linux-gnu-g++"

    def missing(self) -> str | None:
        if self.emulator() is None or shutil.which(self.compiler) is None:
            return "g++ for arm64 or qemu is not here (Debian: g++-aarch64-linux-gnu and qemu-user)"
        if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
            return "Python for arm64 comes from Debian's packages, and this is no Debian"
        return None

    def emulator(self) -> str | None:
        return shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")

    def prepare(self) -> Path:
        folder = WORK / self.name
        folder.mkdir(parents=True, exist_ok=True)
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        root = unpack(folder, "arm64", [f"python{version}", "libstdc++6"])
        tag = f"cpython-{version.replace('.', '')}-aarch64-linux-gnu"
        settings = {"cmake.define.SKBUILD_SOABI": tag}
        built = wheel(Path(sys.executable), folder, settings, CXX=self.compiler, _PYTHON_HOST_PLATFORM="linux-aarch64")
        packages = folder / "packages"
        self.install(packages, version, built)
        return self.command(folder, root, root / "usr" / "bin" / f"python{version}", packages)

    def install(self, packages: Path, version: str, built: Path) -> None:
        """What the tests need, once, and our wheel, each time; pip of this machine chooses for the other one."""
        pip = (sys.executable, "-m", "pip", "install", "-q", "--upgrade", "--target", packages)
        for_arm = [f"--platform=manylinux_2_{minor}_aarch64" for minor in (28, 27, 26, 24, 17)]
        if not (packages / "numpy").exists():
            run(*pip, *for_arm, "--only-binary=:all:", f"--python-version={version}", "--implementation=cp", *needed())
        shutil.rmtree(packages / "rosenblatt", ignore_errors=True)
        run("unzip", "-qo", built, "-d", packages)

    def command(self, folder: Path, root: Path, program: Path, packages: Path) -> Path:
        """A command that runs it under qemu, and that its own child processes are started with."""
        python = folder / "python"
        (packages / "sitecustomize.py").write_text(f"import sys\nsys.executable = {str(python)!r}\n", encoding="utf-8")
        python.write_text(
            "#!/bin/sh\n"
            f'export PYTHONPATH="{packages}${{PYTHONPATH:+:$PYTHONPATH}}"\n'
            f'exec "{self.emulator()}" -L "{root}" "{program}" "$@"\n',
            encoding="utf-8",
        )
        python.chmod(0o755)
        return python


def works(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def clang() -> str:
    """The newest clang++ there is, or `clang++`."""
    names = ["clang++", *(f"clang++-{version}" for version in range(30, 13, -1))]
    return next(filter(shutil.which, names), "clang++")


def place(name: str) -> Place:
    """The place of this name; any other name is a Python's."""
    if name == "arm64":
        return Arm64()
    if name == "clang":
        return ThisProcessor(name, variables={"CXX": clang()})
    if name == "libc++":
        return ThisProcessor(name, variables={"CXX": clang(), "CXXFLAGS": "-stdlib=libc++"})
    return ThisProcessor(name.strip("/").replace("/", "-"), python=name)
