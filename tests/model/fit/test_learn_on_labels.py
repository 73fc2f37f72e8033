"""A model of several labels learns on, as one run over all examples would have learned them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.errors import ModelError, ParameterError
from rosenblatt.learn.files import passes
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds.multi_label import MultiLabelModel
from rosenblatt.model.model_file import load_model, save_model
from rosenblatt.readers.formats import line_source
from rosenblatt.readers.source import ReadOptions
from rosenblatt.rules import RULES
from rosenblatt.storage.container import write_container
from tests.learn.files.labels.test_several_labels import examples, write
from tests.model.fit.test_learn_on import same_model

SEVERAL = ReadOptions(multi_label=True, decide=True)


def three_parts(folder: Path) -> list[Path]:
    return [write(folder / f"{day}.txt", examples(300, seed=day), "fasttext") for day in range(3)]


def learned_on(parts: list[Path], model: Path, **options: Any) -> MultiLabelModel:
    """The model of the first part after each of the others."""
    save_model(fit_file(parts[0], reading=SEVERAL, **options).model, model)
    for part in parts[1:]:
        save_model(fit_file(part, from_=model).model, model)
    last = load_model(model)
    assert isinstance(last, MultiLabelModel)
    return last


@pytest.mark.parametrize("rule", list(RULES))
def test_day_by_day_is_all_at_once(tmp_path: Path, rule: str) -> None:
    parts, model = three_parts(tmp_path), tmp_path / "m.model"
    options = {"rule": rule, "passes": 1, "threshold": "f1"}
    one_run = fit_file([*map(str, parts)], reading=SEVERAL, **options).model
    in_steps = learned_on(parts, model, **options)
    assert isinstance(one_run, MultiLabelModel)
    same_model(one_run, in_steps)
    assert one_run.thresholds == in_steps.thresholds
    for one, other in zip(one_run.calibrations, in_steps.calibrations, strict=True):
        assert (one.kind, one.parameters.tolist()) == (other.kind, other.parameters.tolist())
    assert one_run.sample is not None
    assert in_steps.sample is not None
    assert one_run.sample_sets == in_steps.sample_sets
    assert one_run.sample.truth.tolist() == in_steps.sample.truth.tolist()
    assert one_run.sample.scores.tolist() == in_steps.sample.scores.tolist()


def test_weights_of_labels_go_on(tmp_path: Path) -> None:
    parts = three_parts(tmp_path)
    options = {"rule": "arow", "passes": 1, "class_weight": {"food": 5.0}}
    one_run = fit_file([*map(str, parts)], reading=SEVERAL, **options).model
    in_steps = learned_on(parts, tmp_path / "m.model", **options)
    same_model(one_run, in_steps)
    assert in_steps.thresholds == ()
    with pytest.raises(ParameterError, match="keeps its weights of labels"):
        fit_file(parts[0], from_=tmp_path / "m.model", class_weight={"food": 2.0})


def test_old_scores_count_where_the_model_was_chosen_by_folds(tmp_path: Path) -> None:
    parts = three_parts(tmp_path)
    model = learned_on(parts, tmp_path / "m.model")
    assert model.sample is not None
    assert model.sample.examples == 900
    assert len(model.sample.truth) == 900
    assert model.calibrations[0].examples == 900


def test_many_labels_keep_a_smaller_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a file; its map from scores to probabilities is then no longer that of one run."""
    monkeypatch.setattr("rosenblatt.model.fit.fitted.MOST_OF_LABELS", 400)
    parts = three_parts(tmp_path)
    model = learned_on(parts, tmp_path / "m.model", rule="arow", passes=1)
    same_model(fit_file([*map(str, parts)], reading=SEVERAL, rule="arow", passes=1).model, model)
    assert model.sample is not None
    assert (len(model.sample.truth), model.sample.stride, model.sample.examples) == (100, 0, 900)


def test_new_labels_are_taken_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each from its first example on, also two in one example, and in the sorted place."""
    parts = three_parts(tmp_path)
    rows = [
        ([*topics, *(["art", "zoo"] if k % 5 == 0 and k > 20 else [])], [*words, "lion"] if k % 5 == 0 else words)
        for k, (topics, words) in enumerate(examples(600, seed=9))
    ]
    new = write(tmp_path / "new.txt", rows, "fasttext")
    learned_on(parts, tmp_path / "m.model", rule="arow", passes=1)
    results = []
    for block_bytes in (1 << 20, 900):
        monkeypatch.setattr(line_source, "BLOCK_BYTES", block_bytes)
        fitted = fit_file(new, from_=tmp_path / "m.model", new_labels=True)
        model = fitted.model
        assert isinstance(model, MultiLabelModel)
        assert model.classes == ("art", "food", "music", "sport", "travel", "zoo")
        assert fitted.class_counts == tuple(sum(label in topics for topics, _ in rows) for label in model.classes)
        results.append([model.coef.tobytes(), [calibration.parameters.tolist() for calibration in model.calibrations]])
        assert len(model.thresholds) == 6
        assert fitted.new_error is not None
        assert fitted.new_error < 0.12
    assert results[0] == results[1]
    before = load_model(tmp_path / "m.model")
    assert isinstance(before, MultiLabelModel)
    assert fitted.model.coef.shape == (6, before.coef.shape[1])
    save_model(model, tmp_path / "m.model")
    again = load_model(tmp_path / "m.model")
    assert isinstance(again, MultiLabelModel)
    decisions = np.asarray(again.decided(again.scores(_rows_of(new, again))))
    truth = np.array([["zoo" in topics, "art" in topics] for topics, _ in rows])
    assert (decisions[:, [5, 0]] == truth).mean() > 0.95


def _rows_of(path: Path, model: MultiLabelModel) -> Any:
    from rosenblatt.readers.open import open_source

    blocks = list(open_source(str(path), SEVERAL, model.space).blocks())
    assert len(blocks) == 1 or len({block.values.shape[1] for block in blocks}) == 1
    from rosenblatt.readers.block_rows import join_blocks

    return join_blocks(blocks).values


def test_an_interrupted_fit_resumes_to_the_same_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts, checkpoint = three_parts(tmp_path), str(tmp_path / "checkpoint")
    monkeypatch.setattr(line_source, "BLOCK_BYTES", 1500)
    learned_on(parts[:2], tmp_path / "m.model", rule="arow", passes=1)
    expected = fit_file(parts[2], from_=tmp_path / "m.model").model
    assert isinstance(expected, MultiLabelModel)
    count = 0
    learn = passes.Fitting._learn

    def interrupted(fitting: Any, batch: Any) -> None:
        nonlocal count
        count += 1
        if count == 4:
            raise KeyboardInterrupt
        learn(fitting, batch)

    with monkeypatch.context() as patch:
        patch.setattr(passes.Fitting, "_learn", interrupted)
        with pytest.raises(KeyboardInterrupt):
            fit_file(parts[2], from_=tmp_path / "m.model", checkpoint=checkpoint)
    resumed = fit_file(parts[2], from_=tmp_path / "m.model", checkpoint=checkpoint, resume=True)
    assert resumed.resumed
    assert isinstance(resumed.model, MultiLabelModel)
    same_model(expected, resumed.model)
    assert expected.sample_sets == resumed.model.sample_sets
    assert expected.thresholds == resumed.model.thresholds


def test_a_model_without_its_scores_keeps_its_maps(tmp_path: Path) -> None:
    """As an older version has written it."""
    parts = three_parts(tmp_path)
    model = fit_file(parts[0], reading=SEVERAL, rule="arow", passes=1).model
    assert isinstance(model, MultiLabelModel)
    save_model(replace(model, sample=None, sample_sets=()), tmp_path / "m.model")
    after = fit_file(parts[1], from_=tmp_path / "m.model").model
    assert isinstance(after, MultiLabelModel)
    assert after.thresholds == model.thresholds


def test_other_kinds_of_model_are_refused(tmp_path: Path) -> None:
    parts = three_parts(tmp_path)
    (tmp_path / "one.txt").write_text("".join(f"__label__{'ab'[k % 2]} word{k % 2} of\n" for k in range(60)))
    save_model(fit_file(tmp_path / "one.txt").model, tmp_path / "one.model")
    with pytest.raises(ParameterError, match="decides for one class, not several labels"):
        fit_file(parts[0], from_=tmp_path / "one.model", reading=SEVERAL)


@pytest.mark.parametrize(("name", "number"), [("sample.members", 4), ("sample.members", -1), ("sample.ends", 10**9)])
def test_sets_of_other_labels_are_damage(tmp_path: Path, name: str, number: int) -> None:
    model = fit_file(three_parts(tmp_path)[0], reading=SEVERAL, rule="arow", passes=1).model
    tensors: dict[str, Any] = {}
    header = model.pack(tensors)
    tensors[name][2] = number
    write_container(tmp_path / "m.model", header, tensors)
    with pytest.raises(ModelError, match="sets of labels"):
        load_model(tmp_path / "m.model")
