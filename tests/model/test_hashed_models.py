"""A model of hashed words is loaded with weights only for the words it has met; its results have the same bits."""

from __future__ import annotations

from collections import ChainMap
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import native
from rosenblatt.errors import ModelError
from rosenblatt.learn.state.run_state import unpack_run
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds import linear
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model_file import load_linear_model, save_model
from rosenblatt.model.predict import predict_file
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions
from rosenblatt.readers.stored_feature_space import pack_space, unpack_space
from rosenblatt.records import FeatureSpace
from rosenblatt.storage import container
from rosenblatt.storage.checked_header import Header
from rosenblatt.storage.container import read_container, write_container

RANDOM = np.random.default_rng(8)
WORDS = [f"w{i}" for i in range(60)]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hashed") / "t.tsv"
    labels = RANDOM.integers(0, 3, 300).tolist()
    lines = (f"c{y}\t{' '.join(RANDOM.choice(WORDS[y * 15 : y * 15 + 30], 8))}\n" for y in labels)
    path.write_text("".join(lines))
    return path


def load_dense(path: Path, monkeypatch: pytest.MonkeyPatch) -> LinearModel:
    """The same model loaded with a weight for every column: the slow twin."""
    with monkeypatch.context() as patched:
        patched.setattr(linear, "unpack_run", lambda *arguments, compact: unpack_run(*arguments))
        return load_linear_model(path)


@pytest.mark.parametrize("rule", ["perceptron", "arow", "logistic", "logistic-average", "hinge", "last", "auto"])
def test_weights_only_for_the_words_met_give_the_same_bits(
    rule: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.model"
    save_model(fit_file(data, rule=rule).model, path)
    compact, dense = load_linear_model(path), load_dense(path, monkeypatch)
    columns = compact.run.unit(0)[0]
    assert columns is not None
    assert len(columns) < 2000
    assert dense.run.unit(0)[0] is None
    for fast, slow in zip(predict_file(compact, data), predict_file(dense, data), strict=True):
        assert fast.scores.tobytes() == slow.scores.tobytes()
    save_model(compact, tmp_path / "again.model")
    assert (tmp_path / "again.model").read_bytes() == path.read_bytes()
    assert compact.coef.tobytes() == dense.coef.tobytes()


def test_learning_on_gives_the_same_bits(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.model"
    save_model(fit_file(data, rule="logistic").model, path)
    for words in (WORDS, [*WORDS, "new", "words"]):  # known words, and some that need new weights
        (tmp_path / "more.tsv").write_text(
            "".join(f"c{i % 3}\t{' '.join(RANDOM.choice(words, 8))}\n" for i in range(50))
        )
        coefs = []
        for model in (load_linear_model(path), load_dense(path, monkeypatch)):
            source = open_source(str(tmp_path / "more.tsv"), ReadOptions(), model.space)
            for block in source.blocks():
                codes = np.array([model.classes.index(source.labels[k]) for k in block.labels], dtype=np.int32)
                model.run.visit(block.with_class_indices(codes), native.rows_of(block.values), None)
            coefs.append(model.coef.tobytes())
        assert coefs[0] == coefs[1]


def test_entries_out_of_order_are_refused(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = fit_file(data, rule="perceptron").model
    tensors: dict[str, object] = {}
    header = model.pack(tensors)
    index = np.asarray(tensors["run.weights.index"]).copy()
    index[:2] = index[1::-1]
    container.write_container(tmp_path / "bad.model", header, tensors | {"run.weights.index": index})
    with pytest.raises(ModelError, match="do not ascend, or lie outside it"):
        load_linear_model(tmp_path / "bad.model")


def _written_and_read(space: FeatureSpace, path: Path) -> FeatureSpace:
    tensors: dict[str, Any] = {}
    write_container(path, {"space": pack_space(space, tensors)}, tensors)

    def decode(header: Header, stored: Any) -> FeatureSpace:
        return unpack_space(header.section("space"), stored)

    return read_container(path, decode)


@pytest.mark.parametrize(
    "others", [{}, {1: "ein"}, {6: "sechs", 7: "日本", 9: "other"}, {200_000: "end"}, {0: "a", 6: "b", 80_000: "c"}]
)
def test_names_of_old_and_new_columns_are_joined(tmp_path: Path, others: dict[int, str]) -> None:
    """New names may come before, between or after the old ones, and no column is listed twice."""
    names = {5: "fünf", 9: "", 70_000: "last"}
    settings = {"splitting": 2}
    stored = _written_and_read(
        FeatureSpace("hashed", bits=18, ngrams=2, names=names, settings=settings), tmp_path / "s"
    )
    known: Any = stored.names
    joined = _written_and_read(replace(stored, names=ChainMap(known, others)), tmp_path / "s")
    assert list(joined.names.items()) == sorted({**others, **names}.items())


@pytest.mark.parametrize("below", [False, True])
def test_the_largest_weights_are_those_of_the_whole_unit(below: bool, tmp_path: Path) -> None:
    """Found in place, in slots that are in order of occurrence; among equal weights the first column comes first."""
    words = [f"w{k % 61} {'free' if k % 3 else 'lunch'} w{k % 7}" for k in range(300)]
    (tmp_path / "t.tsv").write_text("".join(f"{'ab'[k % 3 > 0]}\t{text}\n" for k, text in enumerate(words)))
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{k % 17},{'ab'[k % 2]}\n" for k in range(300)))
    for name in ("t.tsv", "t.csv"):
        run = fit_file(tmp_path / name, rule="perceptron", passes=2).model.run
        columns, weights, _ = run.unit(0)
        best = native.largest_weights(weights, below, 20)
        expected = [(j if columns is None else columns[j], weight) for j, weight in best]
        assert run.largest_of_unit(0, below=below, most=20) == expected
        assert run.largest_of_unit(0, below=below, most=0) == []
        assert expected or name == "t.csv"
