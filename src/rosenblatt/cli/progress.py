"""Progress on a terminal: how fast, how good so far, how long still. Silent anywhere else."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rosenblatt.cli import common

if TYPE_CHECKING:
    from rosenblatt.learn.files.passes import Progress

PATIENCE = 0.5  # seconds: what is over sooner needs no progress, and rich need not be loaded for it


class Watching:
    """Shows the progress of a run while it lasts; call it with each report."""

    def __init__(self, words: str) -> None:
        self.words = words
        self.shown = common.on_terminal() and not common.quiet()
        self.pass_, self.began, self.last = 1, 0.0, 0.0  # rates are those of the pass, which began so many seconds in
        self.bars: Any = None
        self.task: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.bars is not None:
            self.bars.stop()

    def __call__(self, now: Progress) -> None:
        if now.pass_ != self.pass_:
            self.pass_, self.began = now.pass_, self.last
        self.last = now.seconds
        if not self.shown or now.seconds < PATIENCE:
            return
        if self.bars is None:
            self._begin()
        total = None if now.bytes_total is None else now.bytes_total * now.passes
        done = now.bytes_done + (now.pass_ - 1) * (now.bytes_total or 0)
        self.bars.update(self.task, completed=done, total=total, description=self._says(now))

    def _begin(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        self.bars = Progress(
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            TextColumn("{task.description}"),
            TimeRemainingColumn(compact=True),
            console=Console(stderr=True, no_color=not common.coloured_stderr()),
            transient=True,
            refresh_per_second=4,
        )
        self.task = self.bars.add_task(self.words, total=None)
        self.bars.start()

    def _says(self, now: Progress) -> str:
        seconds = max(now.seconds - self.began, 1e-3)
        parts = [f"{now.bytes_done / seconds / 1e6:,.0f} MB/s", f"{now.rows / seconds:,.0f} examples/s"]
        if now.passes > 1:
            parts.insert(0, f"pass {now.pass_} of {now.passes}")
        if now.progressive_error is not None:
            parts.append(f"error {now.progressive_error:.2%}")
        return " · ".join(parts)
