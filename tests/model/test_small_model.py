"""Small models: at most so large, the same wherever they are opened, their cost measured, everything else refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt
from rosenblatt import native
from rosenblatt.cli.app import main
from rosenblatt.errors import ModelError, ParameterError
from rosenblatt.model.export.export import export_model
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model_file import load_linear_model, save_model
from rosenblatt.model.predict import predict_file
from rosenblatt.model.size_of_parts import room_in_file
from rosenblatt.model.small_model import shrink
from rosenblatt.readers.source import ReadOptions
from rosenblatt.storage.container import write_container

RANDOM = np.random.default_rng(5)
WORDS = [f"w{i}" for i in range(400)]
RULES = ["perceptron", "last", "arow", "logistic", "logistic-average", "hinge", "pa1", "pa2"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    for name, n_rows in (("train.tsv", 600), ("test.tsv", 200)):
        labels = RANDOM.integers(0, 3, n_rows).tolist()
        lines = (f"c{y}\t{' '.join(RANDOM.choice(WORDS[y * 100 : y * 100 + 200], 8))}\n" for y in labels)
        (folder / name).write_text("".join(lines))
    rows = (
        f"{y},{RANDOM.normal(y):.3f},{RANDOM.choice(['red', 'blue'])}\n" for y in RANDOM.integers(0, 2, 300).tolist()
    )
    (folder / "table.csv").write_text("y,x,colour\n" + "".join(rows))
    (folder / "rows.svm").write_text("".join(f"{i % 2} {i % 2 + 1}:1 {3 + i % 50}:0.5\n" for i in range(300)))
    return folder


@pytest.fixture(scope="module")
def large(folder: Path) -> LinearModel:
    return fit_file(folder / "train.tsv", rule="arow").model


def scores(model: LinearModel, path: Path) -> bytes:
    return b"".join(block.scores.tobytes() for block in predict_file(model, path))


# -- two bytes a weight -----------------------------------------------------------------------------------------------


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False, width=32), max_size=30))
def test_halves_are_those_of_numpy_but_for_ties(weights: list[float]) -> None:
    array = np.array(weights)
    halves, exponent = native.to_halves(array)
    scaled = np.ldexp(array, exponent)
    assert not len(array) or not array.any() or 2**14 <= np.abs(scaled).max() < 2**15
    back = np.asarray(native.from_halves(halves, 0))
    nearest = scaled.astype(np.float16).astype(float)
    np.testing.assert_array_equal(np.abs(back - scaled), np.abs(nearest - scaled))
    assert np.asarray(native.from_halves(halves, exponent)).tolist() == np.ldexp(back, -exponent).tolist()


def test_every_half_is_read_as_numpy_reads_it() -> None:
    halves = np.arange(2**16, dtype=np.uint16)
    finite = halves[np.isfinite(halves.view(np.float16))]
    assert np.asarray(native.from_halves(finite, 0)).tolist() == finite.view(np.float16).astype(float).tolist()


@given(st.sets(st.integers(0, 2**32 - 1)))
def test_positions_come_back_from_their_gaps(positions: set[int]) -> None:
    array = np.array(sorted(positions), dtype=np.uint32)
    gaps = native.to_gaps(array)
    back = native.from_gaps(gaps, len(array))
    assert back is not None
    assert back.tolist() == array.tolist()
    assert native.from_gaps(gaps, len(array) + 1) is None
    assert native.from_gaps(gaps + b"\x80", len(array)) is None


@pytest.mark.parametrize("gaps", [b"\xff\xff\xff\xff\xff\x01", b"\xff\xff\xff\xff\x0f\x00", b"\xff\xff\xff\xff\x7f"])
def test_gaps_beyond_32_bits_are_refused(gaps: bytes) -> None:
    assert native.from_gaps(gaps, 1) is None
    assert native.from_gaps(gaps, 2) is None


# -- the model --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [8_000, 20_000, 10**9])
def test_it_is_no_larger_than_asked_and_decides_the_same_once_saved(
    large: LinearModel, folder: Path, tmp_path: Path, size: int
) -> None:
    small = shrink(large, size)
    save_model(small.model, tmp_path / "s.model")
    assert (tmp_path / "s.model").stat().st_size == small.bytes <= size
    assert small.bytes > 0.9 * min(size, small.bytes_before / 4)
    loaded = load_linear_model(tmp_path / "s.model")
    assert scores(loaded, folder / "test.tsv") == scores(small.model, folder / "test.tsv")
    save_model(loaded, tmp_path / "again.model")
    assert (tmp_path / "again.model").read_bytes() == (tmp_path / "s.model").read_bytes()
    coef, known = np.asarray(loaded.coef), np.asarray(large.coef)
    weighted = coef != 0
    assert weighted.sum() == small.weights
    assert (np.abs(coef - known)[weighted] <= 2.0**-11 * np.abs(known)[weighted] + np.abs(known).max() * 2.0**-38).all()
    assert np.asarray(loaded.intercept).tolist() == np.asarray(large.intercept).tolist()
    if size == 10**9:
        assert small.weights == small.weights_before == np.count_nonzero(known)
        assert dict(loaded.space.names) == dict(large.space.names)


def test_the_weights_of_the_largest_effect_are_kept(large: LinearModel) -> None:
    small = shrink(large, 12_000).model
    part = large.run.learner.get("scale")
    assert part is not None
    variance = np.asarray(part[0]).reshape(large.coef.shape).min(axis=0)
    effect = np.abs(large.coef) * np.sqrt(1 / variance - 1)
    weighted = np.asarray(small.coef) != 0
    assert 0 < weighted.sum() < np.count_nonzero(large.coef)
    assert effect[weighted].min() >= effect[(large.coef != 0) & ~weighted].max()
    weighed = {int(column) for column in np.flatnonzero(weighted.any(axis=0))}
    assert set(small.space.names) <= weighed


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("file", ["train.tsv", "table.csv", "rows.svm"])
def test_every_rule_and_table_can_be_small(rule: str, file: str, folder: Path, tmp_path: Path) -> None:
    fitted = fit_file(
        folder / file, rule=rule, size="50kB", reading=ReadOptions(bits=16 if file == "train.tsv" else None)
    )
    assert fitted.small is not None
    assert fitted.small.bytes <= 50_000
    assert fitted.small.rows == fitted.holdout_rows > 20
    save_model(fitted.model, tmp_path / "s.model")
    assert scores(load_linear_model(tmp_path / "s.model"), folder / file) == scores(fitted.model, folder / file)


def test_the_cost_is_measured_on_rows_that_nothing_has_seen(folder: Path) -> None:
    fitted = fit_file(folder / "train.tsv", rule="arow", size="7kB", holdout=0.2)
    whole = fit_file(folder / "train.tsv", rule="arow", holdout=0.2)
    small = fitted.small
    assert small is not None
    assert small.rows == 120
    assert small.error_before == pytest.approx(whole.holdout_error)
    assert small.error is not None
    assert small.error > 0
    assert f"error {small.error_before:.2%} -> {small.error:.2%} on 120 rows left out" in small.sentence
    tested = fit_file(folder / "train.tsv", rule="arow", size="7kB", test=str(folder / "test.tsv")).small
    assert tested is not None
    assert (tested.rows, tested.measured_on) == (200, "examples of the test data")


def test_it_exports_and_explains_and_does_not_learn_on(large: LinearModel, folder: Path, tmp_path: Path) -> None:
    small = shrink(large, 10_000).model
    save_model(small, tmp_path / "s.model")
    module: dict[str, Any] = {"__name__": "exported"}
    exec(compile(export_model(small, "python", "data"), "model", "exec"), module)
    texts = [line.partition("\t")[2] for line in (folder / "test.tsv").read_text().splitlines()]
    assert np.array([module["scores"](text) for text in texts]).tobytes() == scores(small, folder / "test.tsv")
    with pytest.raises(ModelError, match="was made small and cannot continue learning"):
        fit_file(folder / "test.tsv", from_=tmp_path / "s.model")
    with pytest.raises(ParameterError, match="gives a model that cannot continue learning"):
        fit_file(folder / "test.tsv", from_=tmp_path / "s.model", size="1MB")
    separator: Any = rosenblatt.load(tmp_path / "s.model")
    assert separator.predict(texts[:3]).shape == (3,)
    with pytest.raises(ModelError, match="was made small"):
        separator.partial_fit(texts[:3], ["c0", "c1", "c2"])
    assert small.why_no_confidence == "was made small, without the variances of its weights"


def test_a_model_of_several_labels_can_be_small(tmp_path: Path) -> None:
    animals = ("cat", "dog", "cow")
    lines = []
    for i in range(300):
        present = [animal for k, animal in enumerate(animals) if i >> k & 1]
        lines.append(
            " ".join([*(f"__label__{animal}" for animal in present), *(f"{animal}s" for animal in present), "x"])
        )
    (tmp_path / "m.txt").write_text("\n".join(lines) + "\n")
    reading = ReadOptions(format="fasttext", multi_label=True)
    large = fit_file(tmp_path / "m.txt", rule="arow", reading=reading).model
    small = shrink(large, 20_000).model
    assert type(small) is type(large)
    decided = [
        [block.decided.tolist() for block in predict_file(model, tmp_path / "m.txt")] for model in (large, small)
    ]
    assert decided[0] == decided[1]
    with pytest.raises(ParameterError, match="make the model small with rosenblatt export"):
        fit_file(tmp_path / "m.txt", size="20kB", reading=reading)


def test_what_cannot_be_small_is_refused(large: LinearModel) -> None:
    with pytest.raises(ParameterError, match=r"is too small: .* takes .* kB without a single weight"):
        shrink(large, 100)


@pytest.mark.parametrize("size", ["5 apples", "-1MB", "0", "", "1e3", "MB", "nan", 0, -5, 2.5, True, ["5MB"]])
def test_sizes_that_make_no_sense_are_refused(folder: Path, size: Any) -> None:
    with pytest.raises(ParameterError, match="must be None or a number of bytes of at least 1"):
        fit_file(folder / "train.tsv", size=size)


@pytest.mark.parametrize(
    ("part", "damage"),
    [
        ("run.weights.gaps", lambda old: b"\xff" * len(old)),
        ("run.weights.gaps", lambda old: old[:-1]),
        ("run.weights.halves", lambda old: np.asarray(old)[:-1]),
        ("run.weights.halves", lambda old: np.full(len(old), 0x7C00, dtype=np.uint16)),  # infinite
        ("exponent", lambda old: 10**9),
        ("exponent", lambda old: "x"),
    ],
)
def test_a_damaged_file_is_refused(large: LinearModel, tmp_path: Path, part: str, damage: Any) -> None:
    tensors: dict[str, Any] = {}
    header = shrink(large, 10_000).model.pack(tensors)
    section = header["run"]["parts"]["weights"]
    (section if part == "exponent" else tensors)[part] = damage((section if part == "exponent" else tensors)[part])
    write_container(tmp_path / "bad.model", header, tensors)
    with pytest.raises(ModelError, match="damaged"):
        load_linear_model(tmp_path / "bad.model")


def test_an_older_program_is_told_to_upgrade(large: LinearModel) -> None:
    assert shrink(large, 10_000).model.pack({})["version"] == 2
    assert "version" not in large.pack({})


# -- the command line -------------------------------------------------------------------------------------------------


def test_the_commands(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    train, test = str(folder / "train.tsv"), str(folder / "test.tsv")
    assert main(["fit", train, "-o", "big.model", "--quiet"]) == 0
    assert main(["fit", train, "-o", "small.model", "--size", "15kB", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)["small"]
    assert record["bytes"] == Path("small.model").stat().st_size <= 15000
    assert record["rows"] == 60
    assert main(["export", "big.model", "--size", "15kB", "--test", test, "-o", "other.model"]) == 0
    assert "on 200 examples of the test data" in capsys.readouterr().err
    assert main(["explain", "big.model", "--size", "--json"]) == 0
    room = json.loads(capsys.readouterr().out)
    assert sum(room["parts"].values()) == room["bytes"] == Path("big.model").stat().st_size
    assert room["bytes_small"] == shrink(load_linear_model("big.model"), 10**9).bytes < room["bytes"]
    assert main(["explain", "small.model"]) == 0
    assert "then made small" in capsys.readouterr().out
    assert room_in_file("small.model").bytes_small is None
    for words, sentence in (
        (["fit", train, "--size", "5 apples"], "is not a number of bytes"),
        (["fit", train, "--size", "9"], "too small"),
        (["export", "big.model", "--size", "15kB"], "Name the file of the small model"),
        (["export", "big.model", "--size", "15kB", "--to", "sql", "-o", "x"], "leave --to sql out"),
        (["export", "big.model", "--test", test, "-o", "x.py"], "give its --size"),
        (["explain", "big.model", "--size", "--example", "w1"], "leave the example out"),
    ):
        assert main(words) == 2, words
        assert sentence in capsys.readouterr().err
    assert main(["export", "small.model", "--size", "1kB", "-o", "x.model"]) == 4
    assert main(["explain", train, "--size"]) == 4
