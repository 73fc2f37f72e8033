"""svmlight in unlike units is scaled; sparse rows, and features that are alike, stay as they are."""

import io
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

import rosenblatt
from rosenblatt.model.fit_file import fit_file
from rosenblatt.readers.source import ReadOptions

random = np.random.default_rng(0)
X = random.normal(size=(200, 3)) * [1, 1000, 0.01] + [0, 5000, 0]
Y = (X @ [1, 0.001, 100] > 5).astype(int)


def write(path: Path, rows: np.ndarray = X, zero_based: bool = False) -> str:
    dump_svmlight_file(rows, Y, str(path), zero_based=zero_based)
    return str(path)


@pytest.mark.parametrize("zero_based", [False, True])
def test_dense_rows_in_unlike_units_are_scaled_as_a_table_is(tmp_path: Path, zero_based: bool) -> None:
    path = write(tmp_path / "d.svm", zero_based=zero_based)
    dense = rosenblatt.read(path, scale=False, decide=True).X.toarray()
    examples = rosenblatt.read(path, decide=True)
    np.testing.assert_allclose(examples.X, (dense - dense.mean(axis=0)) / dense.std(axis=0), atol=1e-9)
    model = fit_file(path, rule="perceptron").model
    np.save(tmp_path / "d.npy", dense)
    for new in (path, tmp_path / "d.npy"):
        again = rosenblatt.read(new, like=model.space)
        assert np.asarray(again.X).tobytes() == examples.X.tobytes()
    plain = fit_file(path, rule="perceptron", reading=ReadOptions(scale=False)).model
    assert plain.space.scale is None


def test_a_pipe_gives_the_same_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "d.svm")
    file = fit_file(path, rule="logistic").model

    class Stdin:
        buffer = io.BytesIO(Path(path).read_bytes())

    monkeypatch.setattr("sys.stdin", Stdin)
    assert fit_file("-", rule="logistic").model.coef.tobytes() == file.coef.tobytes()


def test_sparse_rows_and_features_that_are_alike_stay_as_they_are(tmp_path: Path) -> None:
    alike = write(tmp_path / "alike.svm", X / np.abs(X).max(axis=0))
    wide = np.zeros((200, 900))
    wide[np.arange(200), np.arange(200) * 4] = 10.0 ** (np.arange(200) % 6)
    for path in (alike, write(tmp_path / "wide.svm", wide), write(tmp_path / "few.svm")):
        if path.endswith("few.svm"):
            Path(path).write_text("".join(Path(path).read_text().splitlines(keepends=True)[:15]))
        assert rosenblatt.read(path, decide=True).space.scale is None
