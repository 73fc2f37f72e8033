"""How a command ends: any exception becomes one line on stderr and an exit code.

0    done
1    answered no
2    usage: an option or an argument is wrong, or an extra is not installed
3    bad data: examples cannot be read or learned from, or a file cannot be written
4    bad model: a model cannot be read, or used on these examples
70   a bug in rosenblatt
130  interrupted
"""

import atexit
import codecs
import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import click

from rosenblatt.errors import MissingExtraError, ModelError, ParameterError, RosenblattError

DONE, NO, USAGE, BAD_DATA, BAD_MODEL, BUG, INTERRUPTED = 0, 1, 2, 3, 4, 70, 130
TRACEBACK = "ROSENBLATT_TRACEBACK"


def exit_code(run: Callable[[], object]) -> int:
    """Run a command to its end, report what it raises, and return the exit code."""
    _replace_unprintable_characters()
    try:
        code = run()
        if sys.stdout is not None:
            sys.stdout.flush()  # a full disk or a closed pipe is reported here, not when the interpreter exits
        return code if isinstance(code, int) else DONE
    except click.exceptions.Exit as end:  # --help and --version
        return end.exit_code
    except BrokenPipeError:  # the reader of our output, such as `head`, has closed the pipe
        _discard_unwritten(sys.stdout)
        return DONE
    except SystemExit:
        raise
    except BaseException as error:
        return _report(error)


def leave(code: int) -> NoReturn:
    """End the process with this code: run the exit handlers and flush, but skip the interpreter's slow teardown."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


def _report(error: BaseException) -> int:
    code, sentence = _code_and_sentence(error)
    try:
        if os.environ.get(TRACEBACK):
            import traceback

            traceback.print_exception(error)
        if sys.stderr is not None:
            from rosenblatt.cli.printable import printable

            plain, sentence = os.environ.get("NO_COLOR") or not sys.stderr.isatty(), printable(sentence)
            sys.stderr.write(("rosenblatt: " if plain else "\033[31mrosenblatt: \033[0m") + f"{sentence}\n")
            sys.stderr.flush()
    except OSError:
        _discard_unwritten(sys.stderr)
    if isinstance(error, OSError):
        _discard_unwritten(sys.stdout)
    return code


def _code_and_sentence(error: BaseException) -> tuple[int, str]:
    from rosenblatt.options import as_flag  # imported here, since most commands end without an error

    match error:
        case KeyboardInterrupt():
            return INTERRUPTED, str(error) or "interrupted."
        case click.ClickException():
            return USAGE, _usage(error)
        case MissingExtraError():
            return USAGE, str(error)
        case ParameterError():
            return USAGE, error.spelled(as_flag)
        case ModelError():
            return BAD_MODEL, error.spelled(as_flag)
        case RosenblattError():
            return BAD_DATA, error.spelled(as_flag)
        case OSError() if error.strerror:
            place = "" if error.filename is None else f"{_decoded(error.filename)}: "
            return BAD_DATA, f"{place}{error.strerror[0].lower()}{error.strerror[1:]}."
        case ImportError() if str(error).startswith("ROSENBLATT_ISA="):
            return USAGE, f"{error}."
        case MemoryError():
            return BAD_DATA, "not enough memory; try fewer --bits, or one --rule instead of auto."
    message = " ".join(str(error).split()) or "no message"
    hint = f"this is a bug in rosenblatt; set {TRACEBACK}=1 to see where it happened, and please report it."
    return BUG, f"{type(error).__name__}: {message}: {hint}"


def _usage(error: click.ClickException) -> str:
    sentence = " ".join(error.format_message().split())
    end = "" if sentence.endswith((".", "?")) else "."
    context = getattr(error, "ctx", None)
    command = "rosenblatt" if context is None else context.command_path
    return f"{sentence}{end} See '{command} --help'."


def _decoded(name: Any) -> str:
    return os.fsdecode(name) if isinstance(name, str | bytes) else str(name)


def _replace_unprintable_characters() -> None:
    """Print a question mark for characters that the encoding lacks. ASCII counts as unset, and UTF-8 is written."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            ascii_only = codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding="utf-8" if ascii_only else stream.encoding, errors="replace")


def _discard_unwritten(stream: Any) -> None:
    """Point a broken stream at /dev/null, so that the interpreter's last flush does not fail again."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
