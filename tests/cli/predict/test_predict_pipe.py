"""predict in a pipe: an answer as soon as a line is there, the same answers as for the file."""

from __future__ import annotations

import os
import select
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.cli import main
from tests import child

SECONDS = 30  # until a test gives up waiting for an answer
RANDOM = np.random.default_rng(11)


def write_examples(folder: Path) -> None:
    """The same 120 examples in four formats; the labels depend on the first number."""
    numbers = RANDOM.normal(size=(120, 3)).round(3).tolist()
    labels = ["yes" if row[0] > 0 else "no" for row in numbers]
    words = [("good fine" if y == "yes" else "bad poor") + f" w{i % 9}" for i, y in enumerate(labels)]
    (folder / "data.svm").write_text(
        "".join(f"{int(y == 'yes')} 1:{a} 2:{b} 3:{c}\n" for y, (a, b, c) in zip(labels, numbers, strict=True))
    )
    (folder / "data.vw").write_text(
        "".join(
            f"{1 if y == 'yes' else -1} |n a:{a} b:{b} |w {t}\n"
            for y, (a, b, _), t in zip(labels, numbers, words, strict=True)
        )
    )
    (folder / "data.tsv").write_text("".join(f"{y}\t{text} and more\n" for y, text in zip(labels, words, strict=True)))
    rows = (
        f'{a},{b},"{t[:4]}, {k % 3}",{y}\n'
        for k, (y, (a, b, _), t) in enumerate(zip(labels, numbers, words, strict=True))
    )
    (folder / "data.csv").write_text("a,b,word,label\n" + "".join(rows))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pipes")
    write_examples(folder)
    for name in ("data.svm", "data.vw", "data.tsv", "data.csv"):
        arguments = ["fit", str(folder / name), "-o", str(folder / f"{name}.model"), "-q"]
        assert main(arguments) == 0
    return folder


def rosenblatt(*arguments: str | Path, **options: Any) -> Any:
    command = [sys.executable, "-m", "rosenblatt", *map(str, arguments)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE} | options
    return child.start(command, bufsize=0, **pipes)


def send(process: subprocess.Popen[bytes], data: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(data)


def answer(process: subprocess.Popen[bytes]) -> bytes:
    """The next line of the answers, if it comes in time."""
    assert process.stdout is not None
    line = b""
    while not line.endswith(b"\n"):
        assert select.select([process.stdout], [], [], SECONDS)[0], f"no answer within {SECONDS} seconds"
        byte = os.read(process.stdout.fileno(), 1)
        if not byte:
            break
        line += byte
    return line


@pytest.mark.parametrize("name", ["data.svm", "data.vw", "data.tsv", "data.csv"])
def test_each_line_is_answered_before_the_next_is_written(
    name: str, folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    model, lines = folder / f"{name}.model", (folder / name).read_bytes().splitlines(keepends=True)
    assert main(["predict", str(model), str(folder / name)]) == 0
    expected = capfdbinary.readouterr().out.splitlines(keepends=True)
    header = lines.pop(0) if name.endswith(".csv") else b""
    answers, seconds = [], []
    with rosenblatt("predict", model, "-") as process:
        send(process, header)
        for line in lines:
            start = time.perf_counter()
            send(process, line)
            answers.append(answer(process))
            seconds.append(time.perf_counter() - start)
        process.stdin.close()
        assert process.wait(SECONDS) == 0
    assert answers == expected
    assert statistics.median(seconds[1:]) < 0.005


def test_half_a_line_is_waited_for_and_the_last_may_lack_its_newline(folder: Path) -> None:
    with rosenblatt("predict", folder / "data.csv.model", "-") as process:
        for part in (b"a,b,wo", b"rd\n1.5", b',0.1,"go', b'od\n, 1"\n'):
            send(process, part)
            time.sleep(0.05)
        assert answer(process) == b"yes\n"
        send(process, b"-1.5,0.1,bad")
        process.stdin.close()
        assert answer(process) == b"no\n"
        assert process.wait(SECONDS) == 0


def test_rows_without_the_names_of_the_columns_are_known_by_their_numbers(folder: Path) -> None:
    """As `tail -f table.csv` gives them."""
    with rosenblatt("predict", folder / "data.csv.model", "-") as process:
        send(process, b'1.5,0.1,"good, 1",no\n')
        assert answer(process) == b"yes\n"


def test_objects_in_a_pipe_are_read_by_a_model_of_a_csv_file(folder: Path) -> None:
    with rosenblatt("predict", folder / "data.csv.model", "-") as process:
        for number, label in ((1.5, b"yes\n"), (-1.5, b"no\n")):
            send(process, f'{{"a": {number}, "b": 0.1, "word": "good, 1"}}\n'.encode())
            assert answer(process) == label


def test_a_file_that_grows_is_followed(folder: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.tsv"
    log.write_text("yes\tgood and fine\n")
    with (
        child.start(["tail", "-n", "+1", "-f", log], stdout=subprocess.PIPE) as tail,
        rosenblatt("predict", folder / "data.tsv.model", "-", stdin=tail.stdout) as process,
    ):
        assert answer(process) == b"yes\n"
        with log.open("a") as file:
            file.write("no\tbad and poor\n")
        assert answer(process) == b"no\n"
        tail.terminate()
        assert process.wait(SECONDS) == 0


def test_a_broken_pipe_ends_quietly(folder: Path) -> None:
    with rosenblatt("predict", folder / "data.tsv.model", "-", stderr=subprocess.PIPE) as process:
        send(process, b"good\n")
        assert answer(process) == b"yes\n"
        process.stdout.close()
        for _ in range(200):
            try:
                send(process, b"good\n")
            except BrokenPipeError:
                break
            if process.poll() is not None:
                break
            time.sleep(0.02)
        assert process.wait(SECONDS) == 0
        assert process.stderr.read() == b""


def test_ctrl_c_ends_a_silent_pipe(folder: Path) -> None:
    with rosenblatt("predict", folder / "data.tsv.model", "-", stderr=subprocess.PIPE) as process:
        send(process, b"good\n")
        assert answer(process) == b"yes\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 130


def test_a_large_file_in_a_pipe_gives_the_answers_of_the_file(folder: Path, tmp_path: Path) -> None:
    """More than a pipe holds, so that blocks end anywhere, also within quotes and at bytes that are not UTF-8."""
    rows = [f'{RANDOM.normal():.6f},{i},"go\nod ""x"" {i % 7}",{"yes" if i % 2 else "no"}\n' for i in range(60_000)]
    content = ("a,b,word,label\n" + "".join(rows)).encode().replace(b"x", b"\xff")
    (tmp_path / "large.csv").write_bytes(content)
    for options in ((), ("--scores",)):
        command = [sys.executable, "-m", "rosenblatt", "predict", str(folder / "data.csv.model"), *options]
        of_file = child.run([*command, tmp_path / "large.csv"], capture_output=True)
        of_pipe = child.run([*command, "-"], input=content, capture_output=True)
        assert of_pipe.returncode == 0
        assert of_pipe.stdout == of_file.stdout
        assert of_pipe.stdout.count(b"\n") == 60_000


def test_a_bad_row_of_a_pipe_is_named_by_its_line(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    model = folder / "data.csv.model"
    good = b'1.5,0.1,"good, 1",no\n'
    for lines, line in (
        (b"a,b,word,label\n" + good * 3 + b"1,2\n", 5),
        (b"a,b,word,label\n" + good * 4000 + b"1\n", 4002),
    ):
        command = [sys.executable, "-m", "rosenblatt", "predict", model, "-"]
        process = child.run(command, input=lines, capture_output=True)
        assert process.returncode == 3
        assert f"-:{line}: expected 4 columns" in process.stderr.decode()
