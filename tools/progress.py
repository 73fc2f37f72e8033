"""Run a command of pip, and show how far it is on one line: what is downloaded, how much is compiled.

    python tools/progress.py "Compiling the native core" COMMAND...

Where the command fails, the end of what it printed follows, and its exit code is passed on.
"""

import re
import subprocess
import sys
import time
from collections import deque

_COMPILED = re.compile(r"\s*\[(\d+)/(\d+)\] ")
_DOWNLOADED = re.compile(r"\s*Downloading (\S+?)-\d\S* \(([\d.]+ [kM]B)\)")
_WIDTH = 30
_LINES_SHOWN = 40  # of a command that failed


def state_of(line: str) -> str | None:
    """What a line of pip or ninja says about how far it is; None for one that says nothing.

    >>> state_of("  [12/48] Building CXX object")
    '███████░░░░░░░░░░░░░░░░░░░░░░░  12 of 48'
    >>> state_of("  Downloading numpy-2.1.0-cp311-cp311-manylinux.whl (16.6 MB)")
    'numpy, 16.6 MB'
    """
    if match := _COMPILED.match(line):
        done, total = int(match[1]), int(match[2])
        full = _WIDTH * done // max(total, 1)
        return f"{'█' * full}{'░' * (_WIDTH - full)}  {done} of {total}"
    if match := _DOWNLOADED.match(line):
        return f"{match[1].rsplit('/', 1)[-1]}, {match[2]}"
    return "installing" if line.startswith("Installing collected packages") else None


def main(title: str, command: list[str]) -> int:
    started, last = time.monotonic(), deque[str](maxlen=_LINES_SHOWN)
    on_terminal = sys.stderr.isatty()
    show(title, "", on_terminal)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as run:
        assert run.stdout is not None
        for line in run.stdout:
            last.append(line)
            state = state_of(line)
            if state is not None and on_terminal:
                show(title, state, on_terminal)
    if run.returncode:
        sys.stderr.write("\n" + "".join(last))
    elif on_terminal:
        show(title, f"{time.monotonic() - started:.0f} s\n", on_terminal)
    return run.returncode


def show(title: str, state: str, on_terminal: bool) -> None:
    sys.stderr.write(f"\r\033[K{title}  {state}" if on_terminal else f"{title}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
