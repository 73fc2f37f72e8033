"""How a command ends: what it raised becomes one line on stderr and an exit code.

0    done
1    answered no
2    usage: the command line asks for something that cannot be
3    bad data: examples cannot be read, or what was made of them cannot be written
4    bad model: a model cannot be read, written, or used on these examples
70   a fault of ours
130  interrupted
"""

from __future__ import annotations

import atexit
import codecs
import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from rosenblatt.cli.invocation import UsageError
from rosenblatt.errors import ModelError, ParameterError, RosenblattError

DONE, NO, USAGE, BAD_DATA, BAD_MODEL, FAULT, INTERRUPTED = 0, 1, 2, 3, 4, 70, 130
TRACEBACK = "ROSENBLATT_TRACEBACK"


def guarded(run: Callable[[], Any]) -> int:
    """Run it to the end, whatever happens; the exit code."""
    _write_what_can_be_written()
    try:
        code = run()
        if sys.stdout is not None:
            sys.stdout.flush()  # a full disk or a closed pipe shows itself here, not at the interpreter's end
        return code if isinstance(code, int) else DONE
    except BrokenPipeError:  # the reader of our output has seen enough
        _forget(sys.stdout)
        return DONE
    except BaseException as error:
        if isinstance(error, SystemExit):
            raise
        return _report(error)


def leave(code: int) -> NoReturn:
    """End the process when all that waits for its end is done, and do not take the interpreter to pieces before."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


def _report(error: BaseException) -> int:
    code, sentence = _told(error)
    try:
        if os.environ.get(TRACEBACK):
            import traceback

            traceback.print_exception(error)
        if sys.stderr is not None:
            sys.stderr.write(f"{_name()}{sentence}\n")
            sys.stderr.flush()
    except OSError:
        _forget(sys.stderr)
    if isinstance(error, OSError):
        _forget(sys.stdout)
    return code


def _told(error: BaseException) -> tuple[int, str]:
    """The exit code and the sentence for whatever was raised."""
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED, str(error) or "interrupted."
    if isinstance(error, UsageError):
        return USAGE, str(error)
    if isinstance(error, RosenblattError):
        code = {ParameterError: USAGE, ModelError: BAD_MODEL}
        return next((c for kind, c in code.items() if isinstance(error, kind)), BAD_DATA), str(error)
    if isinstance(error, OSError) and error.strerror:
        where = f"{_shown(error.filename)}: " if error.filename is not None else ""
        return BAD_DATA, f"{where}{error.strerror[0].lower()}{error.strerror[1:]}."
    if isinstance(error, MemoryError):
        return BAD_DATA, "there is not enough memory for this; try fewer --bits, or one --rule instead of auto."
    name, said = type(error).__name__, " ".join(str(error).split())
    hint = f"this is a fault of ours; set {TRACEBACK}=1 to see where it happened, and please report it."
    return FAULT, f"{name}: {said or 'no more is known'}: {hint}"


def _shown(name: Any) -> str:
    return os.fsdecode(name) if isinstance(name, str | bytes) else str(name)


def _name() -> str:
    """Who speaks, in red where that can be seen."""
    return "rosenblatt: " if os.environ.get("NO_COLOR") or not sys.stderr.isatty() else "\033[31mrosenblatt: \033[0m"


def _write_what_can_be_written() -> None:
    """On a terminal that cannot show a character, show a question mark rather than fail. Who says ASCII has said
    nothing, most of the time: UTF-8 is written there."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            told_nothing = codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding="utf-8" if told_nothing else stream.encoding, errors="replace")


def _forget(stream: Any) -> None:
    """Let the interpreter's last flush go nowhere: the failure has been dealt with."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
