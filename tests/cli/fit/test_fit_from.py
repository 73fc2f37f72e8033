"""A week of files, learned day by day: as one run over all of them, whatever happens on the way."""

import errno
import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt
from rosenblatt.cli import main
from rosenblatt.errors import ModelError
from rosenblatt.learn.files import passes
from rosenblatt.learn.files.plan import Progress
from rosenblatt.model import model_file
from rosenblatt.model.model_file import load_linear_model
from tests import child
from tests.model.fit.test_learn_on import same_model, same_probabilities

LEVELS = ("debug", "info", "warning", "error")


@pytest.fixture(autouse=True)
def _ctrl_c_is_heard(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(passes, "_REPORT_EVERY", 0.0)
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old)


def log_lines(day: int, count: int) -> str:
    """A label and the words of a log; each day brings words of its own."""
    random_ = random.Random(day)
    lines = []
    for _ in range(count):
        level = random_.randrange(len(LEVELS))
        words = [f"w{random_.randrange(60) * len(LEVELS) + level}" for _ in range(4)]
        words += [f"w{random_.randrange(240)}" for _ in range(4)] + [f"day{day}x{random_.randrange(30)}"]
        lines.append(f"{LEVELS[level]}\t{' '.join(words)}\n")
    return "".join(lines)


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("week")
    paths = [folder / f"log-{day}.tsv" for day in range(1, 8)]
    for day, path in enumerate(paths):
        path.write_text(log_lines(day, 400))
    return paths


@pytest.mark.parametrize("rule", ["arow", "logistic", "perceptron"])
def test_a_week_day_by_day_is_the_week_at_once(rule: str, week: list[Path], tmp_path: Path) -> None:
    one, model = str(tmp_path / "one.model"), str(tmp_path / "days.model")
    assert main(["fit", *map(str, week), "--rule", rule, "--passes", "1", "-o", one, "-q"]) == 0
    assert main(["fit", str(week[0]), "--rule", rule, "--passes", "1", "-o", model, "-q"]) == 0
    for day in week[1:]:
        assert main(["fit", "--from", model, str(day), "-o", model, "-q"]) == 0
    at_once, days = load_linear_model(one), load_linear_model(model)
    same_model(at_once, days)
    same_probabilities(at_once, days)
    assert [Path(entry["name"]).name for entry in days.provenance["history"]] == [path.name for path in week]
    assert sorted(days.space.names) == sorted(at_once.space.names)
    assert list(tmp_path.glob("*.checkpoint")) == []


def long_file(path: Path, *, new_label: bool = False) -> Path:
    """Some blocks of a megabyte; with a new label in the second of them."""
    lines = log_lines(9, 3000) * 8
    if new_label:
        middle = len(lines) // 2
        lines = lines[:middle] + lines[middle:].replace("\nerror\t", "\nalarm\t")
    path.write_text(lines)
    return path


def press_ctrl_c_after(n_rows: int) -> Any:
    pressed: list[int] = []

    def press(progress: Progress) -> None:
        if progress.rows >= n_rows and not pressed:
            pressed.append(progress.rows)
            os.kill(os.getpid(), signal.SIGINT)

    return press


@pytest.mark.parametrize("new_label", [False, True])
@pytest.mark.parametrize("rule", ["logistic", "perceptron"])
def test_an_interrupted_fit_goes_on_from_its_checkpoint(
    rule: str, new_label: bool, week: list[Path], tmp_path: Path
) -> None:
    model, checkpoint = tmp_path / "m.model", tmp_path / "m.checkpoint"
    rosenblatt.save(rosenblatt.fit_file(week[0], rule=rule, passes=1), model)
    content, data = model.read_bytes(), long_file(tmp_path / "long.tsv", new_label=new_label)
    options: dict[str, Any] = {"from_": model, "new_labels": new_label}
    unbroken = rosenblatt.fit_file(data, **options).model
    options["checkpoint"] = checkpoint
    with pytest.raises(KeyboardInterrupt):
        rosenblatt.fit_file(data, **options, on_progress=press_ctrl_c_after(14_000))
    assert checkpoint.exists()
    assert model.read_bytes() == content
    other = tmp_path / "other.model"
    rosenblatt.save(rosenblatt.fit_file(week[1], rule=rule, passes=1), other)
    with pytest.raises(ModelError, match="is of another fit, its model was"):
        rosenblatt.fit_file(data, **options | {"from_": other}, resume=True)
    resumed = rosenblatt.fit_file(data, **options, resume=True)
    assert resumed.resumed
    same_model(unbroken, resumed.model)
    same_probabilities(unbroken, resumed.model)
    assert resumed.model.classes == (("alarm", *sorted(LEVELS)) if new_label else tuple(sorted(LEVELS)))
    assert not checkpoint.exists()


def test_ctrl_c_leaves_the_model_and_says_what_to_do(
    week: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "m.model"
    assert main(["fit", str(week[0]), "--rule", "arow", "--passes", "1", "-o", str(model), "-q"]) == 0
    content, data = model.read_bytes(), long_file(tmp_path / "long.tsv")
    learn = passes.Fitting._learn

    def interrupted(self: Any, batch: Any) -> None:
        learn(self, batch)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(passes.Fitting, "_learn", interrupted)
    command = ["fit", "--from", str(model), str(data), "-o", str(model)]
    assert main(command) == 130
    message = capsys.readouterr().err
    assert f"interrupted; the same command with --resume continues from {model}.checkpoint." in message
    assert model.read_bytes() == content
    monkeypatch.setattr(passes.Fitting, "_learn", learn)
    assert main([*command, "--resume", "-q"]) == 0
    assert load_linear_model(model).provenance["history"][1]["rows"] == 24_000
    assert not (tmp_path / "m.model.checkpoint").exists()


def test_a_full_disk_leaves_the_model(
    week: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "m.model"
    assert main(["fit", str(week[0]), "--rule", "arow", "--passes", "1", "-o", str(model), "-q"]) == 0
    content, write = model.read_bytes(), model_file.write_container

    def full(path: Any, *parts: Any) -> None:
        if os.fspath(path) == str(model):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(model))
        write(path, *parts)

    monkeypatch.setattr(model_file, "write_container", full)
    assert main(["fit", "--from", str(model), str(week[1]), "-o", str(model)]) == 3
    message = capsys.readouterr().err
    assert "no space left on device" in message.lower()
    assert "the model is saved as" in message
    assert model.read_bytes() == content
    os.unlink(message.split("saved as ")[1].split(" instead")[0])


def test_kill_9_leaves_a_whole_model(week: list[Path], tmp_path: Path) -> None:
    model = tmp_path / "m.model"
    assert main(["fit", str(week[0]), "--rule", "arow", "--passes", "1", "-o", str(model), "-q"]) == 0
    before = model.read_bytes()
    data = long_file(tmp_path / "long.tsv")
    command = [sys.executable, "-m", "rosenblatt", "fit", "--from", model, data, "-o", model, "-q"]
    for seconds in (0.25, 0.5, 0.75):
        with child.start(command) as process:
            time.sleep(seconds)
            process.kill()
            process.wait(timeout=60)
        rows = [entry["rows"] for entry in load_linear_model(model).provenance.get("history", [{"rows": 400}])]
        assert rows[0] == 400
        assert set(rows[1:]) <= {24_000}
        assert model.read_bytes() == before or len(rows) > 1


def test_numbers_beside_words_day_by_day(tmp_path: Path) -> None:
    """Tables, too, without new words: their columns are scaled as on the first day."""
    random_ = random.Random(1)
    days = []
    for day in range(7):
        rows = [(random_.gauss(5, 2), random_.choice("abc"), random_.random()) for _ in range(300)]
        text = "".join(f"{x:.4f},{word},{'yes' if x + 3 * (word == 'b') + z > 6 else 'no'}\n" for x, word, z in rows)
        days.append(tmp_path / f"{day}.csv")
        days[-1].write_text("x,word,label\n" + text)
    scaling = rosenblatt.readers.source.ReadOptions(scale=False)
    at_once = rosenblatt.fit_file(days, rule="hinge", passes=1, reading=scaling).model
    model = tmp_path / "m.model"
    rosenblatt.save(rosenblatt.fit_file(days[0], rule="hinge", passes=1, reading=scaling), model)
    for day in days[1:]:
        rosenblatt.save(rosenblatt.fit_file(day, from_=model), model)
    after = load_linear_model(model)
    same_model(at_once, after)
    same_probabilities(at_once, after)
    assert np.isfinite(after.coef).all()
