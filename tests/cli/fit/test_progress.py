"""Progress is shown only on a terminal, and only after half a second."""

import os
import pty
import sys

import pytest

from rosenblatt.cli import output
from rosenblatt.cli.progress import ProgressBar
from rosenblatt.learn.files.plan import Progress
from tests import child


def reports() -> list[Progress]:
    """Reports of two passes over 100 MB, two seconds each."""
    return [
        Progress(int(1e8 * part), int(1e8), int(1e6 * part), 2 * (number - 1) + 2 * part, 0.05, number, 2)
        for number in (1, 2)
        for part in (0.25, 0.5, 1.0)
    ]


def test_each_pass_has_its_own_rates() -> None:
    bar = ProgressBar("learning")
    descriptions = []
    for report in reports():
        bar(report)
        descriptions.append(bar.describe(report))
    assert descriptions[0] == "pass 1 of 2 · 50 MB/s · 500,000 examples/s · error 5.00%"
    assert descriptions[-1] == "pass 2 of 2 · 50 MB/s · 500,000 examples/s · error 5.00%"


def test_off_a_terminal_nothing_is_loaded_or_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressBar("learning") as bar:
        for report in reports():
            bar(report)
    assert bar.bars is None
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_a_bar_is_shown() -> None:
    program = (
        "from rosenblatt.cli.progress import ProgressBar\n"
        "from rosenblatt.learn.files.plan import Progress\n"
        "with ProgressBar('learning') as bar:\n"
        "    for k in range(5): bar(Progress(k, 4, k, 0.6 + k, 0.25, 1, 1))\n"
        "    bar.bars.refresh()\n"
    )
    terminal, program_end = pty.openpty()
    env = os.environ | {"TERM": "xterm", "COLUMNS": "120", "NO_COLOR": "1"}
    child.run([sys.executable, "-c", program], stderr=program_end, env=env, check=True, timeout=60)
    os.close(program_end)
    printed = os.read(terminal, 100_000).decode()
    os.close(terminal)
    assert "examples/s · error 25.00%" in printed
    assert "100%" in printed


def test_quiet_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "is_terminal", lambda stream: True)
    monkeypatch.setattr(output, "is_quiet", lambda: True)
    assert not ProgressBar("learning").shown
