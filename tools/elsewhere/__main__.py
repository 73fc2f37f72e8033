"""The contract under another processor, compiler or Python: the same tests pass, and every bit is the same.

    python -m tools.elsewhere PLACE...        arm64, clang, libc++, or a Python (python3.13, or a path)

A place gets a wheel of its own, in build/elsewhere, and what the tests need. What this machine cannot do is skipped
with a sentence. The bits are those of tools/golden/hashes.json, which were computed by g++ on x86-64.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

from tools.elsewhere.places import ROOT, WORK, Place, place

CONTRACT = (
    "tests/contract",
    "tests/estimators/test_equality.py",
    "tests/native/test_float_environment.py",
    "tests/native/test_module.py",
)
BITS = "learners,fits,numbers,dual,reading"


def check(name: str, where: Place) -> bool:
    began = time.monotonic()
    python = where.prepare()
    # src/ is not on the path: it is the wheel that is tested.
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    tests = ["pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-profile=ci", *CONTRACT]
    bits = ["tools.golden", "check", "--quick", "--only", BITS, "--isa", "baseline"]
    ended = [subprocess.run([python, "-m", *words], cwd=ROOT, env=environment, check=False) for words in (tests, bits)]
    good = not any(process.returncode for process in ended)
    print(f"{name}: {'the same' if good else 'DIFFERENT'}, in {time.monotonic() - began:.0f} s", flush=True)
    return good


def main(names: list[str]) -> int:
    if not names or names[0].startswith("-"):
        print(__doc__)
        return 2
    WORK.mkdir(parents=True, exist_ok=True)
    good = True
    for name in names:
        where = place(name)
        if sentence := where.missing():
            print(f"{name}: skipped: {sentence}", flush=True)
        else:
            good = check(name, where) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
