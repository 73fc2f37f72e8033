"""Progress on a terminal, on stderr; none elsewhere, and none with --quiet."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rosenblatt.cli import output
from rosenblatt.cli.printable import printable

if TYPE_CHECKING:
    from rosenblatt.certificates.certify_classes import ClassAnswer
    from rosenblatt.learn.files.plan import Progress

DELAY = 0.5  # seconds: a shorter run needs no bar, and does not load rich


def _is_shown() -> bool:
    return output.is_terminal(sys.stderr) and not output.is_quiet()


class ProgressBar:
    """A bar with rates and the error so far. Call it with each report of `fit_file`."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.shown = _is_shown()
        self.pass_, self.pass_start, self.seconds = 1, 0.0, 0.0
        self.bars: Any = None
        self.task: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.bars is not None:
            self.bars.stop()

    def __call__(self, progress: Progress) -> None:
        if progress.pass_ != self.pass_:
            self.pass_, self.pass_start = progress.pass_, self.seconds
        self.seconds = progress.seconds
        if not self.shown or progress.seconds < DELAY:
            return
        if self.bars is None:
            self._start()
        total = None if progress.bytes_total is None else progress.bytes_total * progress.passes
        done = progress.bytes_done + (progress.pass_ - 1) * (progress.bytes_total or 0)
        self.bars.update(self.task, completed=done, total=total, description=self.describe(progress))

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        self.bars = Progress(
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            TextColumn("{task.description}"),
            TimeRemainingColumn(compact=True),
            console=Console(stderr=True, no_color=not output.has_colours(sys.stderr)),
            transient=True,
            refresh_per_second=4,
        )
        self.task = self.bars.add_task(self.title, total=None)
        self.bars.start()

    def describe(self, progress: Progress) -> str:
        """The rates of the current pass, and the progressive error of the run."""
        seconds = max(progress.seconds - self.pass_start, 1e-3)
        parts = [f"{progress.bytes_done / seconds / 1e6:,.0f} MB/s", f"{progress.rows / seconds:,.0f} examples/s"]
        if progress.passes > 1:
            parts.insert(0, f"pass {progress.pass_} of {progress.passes}")
        if progress.progressive_error is not None:
            parts.append(f"error {progress.progressive_error:.2%}")
        return " · ".join(parts)


class StatusLine:
    """One line with the progress of the search for a certificate, erased at the end."""

    def __init__(self) -> None:
        self.shown, self.printed, self._bytes = _is_shown(), False, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.erase()

    def erase(self) -> None:
        self._print("")

    def reading(self, done: int, total: int | None) -> None:
        """Report progress of reading; for `read_or_store(on_bytes=)`."""
        if self.shown and done >> 26 > self._bytes >> 26:
            self._print(f"reading: {done >> 20:,} MB" + (f" of {total >> 20:,}" if total else ""))
        self._bytes = done

    def search(self, progress: Any) -> None:
        """Report progress of the search; for `certify(on_progress=)`."""
        self._print(f"{progress.stage}: step {progress.steps:,}, {progress.rows:,} rows in use")

    def answer(self, done: int, total: int, answer: ClassAnswer) -> None:
        """Report the answer for one pair of classes; for `certify_classes(on_answer=)`."""
        self._print(f"{done} of {total}: {answer.first} against {answer.second}, {answer.kind}")

    def _print(self, text: str) -> None:
        if self.shown and (text or self.printed):
            sys.stderr.write(f"\r\x1b[K{printable(text)}")
            sys.stderr.flush()
            self.printed = bool(text)
