"""Build the wheels of a release for Linux into dist/: x86-64 and arm64, glibc 2.17 and musl 1.2, from any x86-64 Linux.

    python -m tools.wheels [TARGET...]        python3.11 and python3.12 must be on the path, with their headers

The package ziglang is clang++ with the headers of every glibc and of musl, so one machine builds for all of them. Each
target gets a wheel for CPython 3.11 and one of the stable ABI for 3.12 and later. auditwheel checks what they need.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORK, OUT = ROOT / "build" / "wheels", ROOT / "dist"
TOOLS = Path(sys.executable).parent  # the commands of the extra "wheels"
PYTHONS = ("python3.11", "python3.12")
LARGEST = 6_000_000  # bytes of a wheel
NEEDED_TO_BUILD = ["scikit-build-core>=0.10", "nanobind>=2.8", "cmake", "ninja"]


@dataclass(frozen=True)
class Target:
    """A machine and its libc, as zig, Python and the package index call them."""

    zig: str
    soabi: str
    host: str
    platform: str


TARGETS = {
    "x86-64": Target("x86_64-linux-gnu.2.17", "x86_64-linux-gnu", "linux-x86_64", "manylinux_2_17_x86_64"),
    "arm64": Target("aarch64-linux-gnu.2.17", "aarch64-linux-gnu", "linux-aarch64", "manylinux_2_17_aarch64"),
    "x86-64-musl": Target("x86_64-linux-musl", "x86_64-linux-musl", "linux-x86_64", "musllinux_1_2_x86_64"),
    "arm64-musl": Target("aarch64-linux-musl", "aarch64-linux-musl", "linux-aarch64", "musllinux_1_2_aarch64"),
}


def environment(python: str) -> Path:
    """The Python of an environment that can build, made once."""
    folder = WORK / python
    own = folder / "bin" / "python"
    if not own.exists():
        run(python, "-m", "venv", folder)
        run(own, "-m", "pip", "install", "-q", *NEEDED_TO_BUILD)
    return own


def compiler(name: str, target: Target) -> Path:
    """A command that compiles C++ for the target."""
    # zig adds the checks of the undefined-behaviour sanitizer unless told otherwise.
    line = f'exec "{sys.executable}" -m ziglang c++ -target {target.zig} -fno-sanitize=undefined "$@"'
    return script(f"c++-{name}", f"#!/bin/sh\n{line}\n")


def script(name: str, text: str) -> Path:
    """A command of our own. It is written once: to ccache a file with another date is another compiler."""
    path = WORK / name
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    return path


def finisher(name: str, target: Target) -> Path:
    """The command that CMake calls to strip the module; zig's linker has done that already.

    What zig links for musl needs libc.so, as musl calls itself when it is built. Distributions with musl, and
    auditwheel, call it by a name with the machine in it.
    """
    if "musl" not in name:
        return Path(str(shutil.which("true")))
    machine = target.host.removeprefix("linux-")
    line = f'exec "{TOOLS / "patchelf"}" --replace-needed libc.so libc.musl-{machine}.so.1 "$file"'
    return script(f"finish-{name}", f"#!/bin/sh\nfor file; do :; done  # the last argument\n{line}\n")


def build(name: str, python: str) -> Path:
    """The wheel of one target for one Python, checked by auditwheel."""
    target, own = TARGETS[name], environment(python)
    raw = WORK / "raw" / f"{name}-{python}"
    shutil.rmtree(raw, ignore_errors=True)
    version = python.removeprefix("python").replace(".", "")
    settings = {
        "build-dir": WORK / f"{name}-{python}",
        "cmake.define.SKBUILD_SOABI": f"cpython-{version}-{target.soabi}",
        "cmake.define.CMAKE_STRIP": finisher(name, target),
        "cmake.define.CMAKE_MODULE_LINKER_FLAGS": "-Wl,-s",
    }
    run(
        *(own, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "--wheel-dir", raw),
        *(f"--config-settings={key}={value}" for key, value in settings.items()),
        ROOT,
        CXX=str(compiler(name, target)),
        PATH=f"{own.parent}{os.pathsep}{os.environ['PATH']}",
        CCACHE_COMPILERTYPE="clang",
        CCACHE_BASEDIR=str(ROOT),  # what does not know Python is compiled once for both versions
        _PYTHON_HOST_PLATFORM=target.host,
    )
    [wheel] = raw.glob("*.whl")
    wheel = checked_wheel(wheel, target)
    if target.platform not in wheel.name:
        raise SystemExit(f"{wheel.name} needs a newer system than {target.platform}")
    if wheel.stat().st_size > LARGEST:
        raise SystemExit(f"{wheel.name} has {wheel.stat().st_size:,} bytes, more than {LARGEST:,}")
    OUT.mkdir(exist_ok=True)
    return Path(shutil.move(wheel, OUT / wheel.name))


def checked_wheel(wheel: Path, target: Target) -> Path:
    """The wheel as auditwheel tags it, once it has found that the wheel needs nothing but the libc."""
    options: list[object] = ["--plat", "auto", "--wheel-dir", wheel.parent / "checked"]
    if "musl" in target.platform:  # auditwheel takes the libc from the name, and must not look at that of this machine
        run(sys.executable, "-m", "wheel", "tags", "--remove", "--platform-tag", target.platform, wheel)
        [wheel] = wheel.parent.glob("*.whl")
        nowhere = WORK / "nowhere"
        nowhere.mkdir(exist_ok=True)
        options += ["--ldpaths", nowhere]
    path = f"{TOOLS}{os.pathsep}{os.environ['PATH']}"  # for patchelf
    run(sys.executable, "-m", "auditwheel", "repair", *options, wheel, PATH=path)
    [checked] = (wheel.parent / "checked").glob("*.whl")
    return checked


def run(*words: object, **environment: str) -> None:
    subprocess.run([str(word) for word in words], check=True, env=os.environ | environment)


def main(names: list[str]) -> None:
    WORK.mkdir(parents=True, exist_ok=True)
    for name in names or TARGETS:
        for python in PYTHONS:
            wheel = build(name, python)
            print(f"{wheel.relative_to(ROOT)}  {wheel.stat().st_size / 1e6:.1f} MB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
