"""A model of a number learns on: as if the new examples had come after the old ones, in the unit of its target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.errors import ParameterError
from rosenblatt.learn.files import passes
from rosenblatt.model.fit.fitted import Fitted
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.model.model_file import load_model, save_model
from rosenblatt.readers.source import ReadOptions
from tests.learn.files.test_numbers import numbered, weights_of

SVMLIGHT = ReadOptions(decide=True, task="number", scale=False)
RULES: list[dict[str, Any]] = [
    {"rule": "number-average"},
    {"rule": "number-adagrad", "error": "absolute"},
    {"rule": "number-invariant", "quantiles": (0.1, 0.5, 0.9)},
]


def halves(folder: Path, count: int = 12_000) -> tuple[Path, Path, Path]:
    whole = numbered(folder, count, columns=5)
    lines = whole.read_text().splitlines(keepends=True)
    parts = folder / "first.svm", folder / "second.svm"
    for path, part in zip(parts, (lines[: count // 3], lines[count // 3 :]), strict=True):
        path.write_text("".join(part))
    return whole, *parts


def learned_on(first: Fitted, path: Path, folder: Path, **options: Any) -> Fitted:
    save_model(first.model, folder / "first.model")
    return fit_file(path, from_=folder / "first.model", **options)


@pytest.mark.parametrize("options", RULES, ids=lambda options: options["rule"])
def test_one_pass_in_two_fits_has_the_bits_of_one(options: dict[str, Any], tmp_path: Path) -> None:
    whole, first, second = halves(tmp_path)
    at_once = fit_file(whole, reading=SVMLIGHT, passes=1, **options)
    earlier = fit_file(first, reading=SVMLIGHT, passes=1, **options)
    for threads in (1, 3):
        both = learned_on(earlier, second, tmp_path, threads=threads)
        assert weights_of(both) == weights_of(at_once)
        assert both.progressive_error == pytest.approx(at_once.progressive_error, rel=1e-12)
        assert (both.rows, both.model.run.learner.t) == (8000, 12_000)
    assert both.new_error is not None
    assert both.new_error < 1.1 * both.progressive_error
    save_model(both.model, tmp_path / "both.model")
    loaded = load_model(tmp_path / "both.model")
    assert isinstance(loaded, NumberModel)
    assert [entry["name"] for entry in loaded.provenance["history"]] == [str(first), str(second)]


def test_a_model_chosen_by_folds_follows_a_target_that_has_moved(tmp_path: Path) -> None:
    _, first, _ = halves(tmp_path, 1500)
    earlier = fit_file(first, reading=SVMLIGHT, rule="number-invariant")
    assert earlier.choice is not None
    moved = tmp_path / "moved.svm"
    lines = (line.split(" ", 1) for line in first.read_text().splitlines() * 8)
    moved.write_text("".join(f"{float(target) + 30} {rest}\n" for target, rest in lines))
    again = learned_on(learned_on(earlier, moved, tmp_path, forget=500.0), moved, tmp_path)
    assert again.new_error is not None
    assert again.new_error < 0.2 * 30


def test_intervals_follow_many_new_examples_and_not_a_few(tmp_path: Path) -> None:
    _, first, second = halves(tmp_path)
    earlier = fit_file(first, reading=SVMLIGHT, rule="number-invariant", passes=1)
    few = tmp_path / "few.svm"
    few.write_text("".join(second.read_text().splitlines(keepends=True)[:5]))
    assert isinstance(earlier.model, NumberModel)
    after_few, after_many = (learned_on(earlier, path, tmp_path) for path in (few, second))
    assert after_few.number is not None
    assert after_few.model.interval == earlier.model.interval == after_few.number.interval  # type: ignore[attr-defined]
    interval = after_many.model.interval  # type: ignore[attr-defined]
    assert interval != earlier.model.interval
    assert 0.87 < interval.coverage < 0.93


def test_examples_with_one_target_are_learned(tmp_path: Path) -> None:
    _, first, _ = halves(tmp_path)
    earlier = fit_file(first, reading=SVMLIGHT, rule="number-invariant", passes=1)
    one = tmp_path / "one.svm"
    one.write_text("70 1:1 3:-0.5\n")
    after = learned_on(earlier, one, tmp_path)
    assert weights_of(after) != weights_of(earlier)
    assert np.isfinite(after.model.coef).all()


def test_it_is_interrupted_and_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes, "_REPORT_EVERY", 0.0)
    monkeypatch.setattr(passes, "_BATCH", 1000)
    _, first, second = halves(tmp_path, 60_000)
    earlier = fit_file(first, reading=SVMLIGHT, rule="number-average", passes=1)
    whole = learned_on(earlier, second, tmp_path)

    def stop(progress: Any) -> None:
        if progress.rows > 7_000:
            raise KeyboardInterrupt

    checkpoint = str(tmp_path / "c")
    with pytest.raises(KeyboardInterrupt):
        learned_on(earlier, second, tmp_path, on_progress=stop, checkpoint=checkpoint, checkpoint_every=1e-9)
    resumed = learned_on(earlier, second, tmp_path, checkpoint=checkpoint, resume=True)
    assert resumed.resumed
    assert weights_of(resumed) == weights_of(whole)
    assert resumed.new_error == whole.new_error


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"new_labels": True}, "predicts a number, and has no classes: leave new_labels out"),
        ({"class_weight": "balanced"}, "class_weight is for classes"),
        ({"threshold": "f1"}, "threshold is for classes"),
        ({"error": "absolute"}, "as .* was learned: leave error out"),
        ({"quantiles": (0.5,)}, "as .* was learned: leave quantiles out"),
        ({"rule": "number-adagrad"}, "as .* was learned: leave rule out"),
    ],
)
def test_options_that_the_model_answers_are_refused(options: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    _, first, second = halves(tmp_path, 300)
    earlier = fit_file(first, reading=SVMLIGHT, rule="number-invariant", passes=1)
    with pytest.raises(ParameterError, match=sentence):
        learned_on(earlier, second, tmp_path, **options)
