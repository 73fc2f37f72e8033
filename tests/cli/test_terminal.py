"""What reaches a terminal: no control character of a label, a column or a file name."""

from __future__ import annotations

import json
import os
import pty
import select
import sys
from pathlib import Path

import pytest

from rosenblatt.cli import main
from rosenblatt.cli.printable import printable, printable_json
from tests import child

EVIL = "\033]0;gone\007\033[2Jspam\u202e"


def shown_on_a_terminal(*arguments: str) -> str:
    """What a command writes where stdout and stderr are a terminal."""
    terminal, end = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    written = b""
    with child.start([sys.executable, "-m", "rosenblatt", *arguments], stdout=end, stderr=end, env=environment) as run:
        os.close(end)
        while select.select([terminal], [], [], 60)[0]:
            try:
                piece = os.read(terminal, 1 << 16)
            except OSError:  # the other end is closed
                break
            written += piece
        run.wait(60)
    os.close(terminal)
    return written.decode()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{EVIL}\twin cash {k}\nham\tsee you at noon {k}\n" for k in range(20))
    Path("mail.tsv").write_text(rows)
    Path("new.tsv").write_text("another\033[2J\tsee you\nham\twin cash\n")
    Path("table.csv").write_text(f"x\033[2J,kind\n{''.join(f'{k},{EVIL if k % 2 else 1}{chr(10)}' for k in range(40))}")
    assert main(["fit", "mail.tsv", "-q", "--bits", "10"]) == 0
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "fit mail.tsv --bits 10",
        "fit table.csv",
        "predict mail.model mail.tsv",
        "evaluate mail.model new.tsv",
        "explain mail.model",
        "export mail.model --to json",
        "certify table.csv",
        "trace table.csv",
        "fit missing\033[2J",
    ],
)
def test_no_control_character_of_the_data_reaches_a_terminal(command: str, folder: Path) -> None:
    text = shown_on_a_terminal(*command.split(" "))
    assert "\033]0;" not in text
    assert "\033[2J" not in text
    assert "\u202e" not in text
    assert "[2J" in text or "spam" in text or "trace" in command


def test_predictions_in_a_pipe_are_as_they_are(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    capfdbinary.readouterr()
    assert main(["predict", "mail.model", "mail.tsv"]) == 0
    assert capfdbinary.readouterr().out.splitlines()[0] == EVIL.encode()


def test_json_stays_json() -> None:
    text = json.dumps({"label": EVIL + "\x9b"}, ensure_ascii=False)
    assert json.loads(printable_json(text)) == json.loads(text)
    assert printable_json(text).isprintable()
    assert printable("a\nb\tc") == "a\nb\tc"
