"""The confidence of a prediction, by arow's variances: as by hand, from every door, and refused where there is none."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import LinearSeparator, load
from rosenblatt.cli import main
from rosenblatt.model.fit.fitted import Fitted
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.model_file import save_model
from rosenblatt.records import Csr
from tests.reference import Reference


def examples(n_classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers: the sums are exact."""
    random = np.random.default_rng(seed)
    x = random.integers(-3, 4, (120, 5)).astype(float)
    return x, (x[:, :n_classes].argmax(axis=1) + (random.random(120) < 0.1)) % n_classes


def write_svmlight(path: Path, x: np.ndarray, y: np.ndarray) -> Path:
    lines = [f"{k} " + " ".join(f"{j + 1}:{v:g}" for j, v in enumerate(row) if v) for k, row in zip(y, x, strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return path


def one_pass(path: Path, **options: object) -> Fitted:
    return fit_file(path, rule="arow", passes=1, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_as_by_hand(n_classes: int, tmp_path: Path) -> None:
    x, y = examples(n_classes)
    model = one_pass(write_svmlight(tmp_path / "t.svm", x, y)).model
    twin = Reference(learning_rate="arow", r=model.settings.r, order="given").fit(x.tolist(), y.tolist(), epochs=1)
    csr = sparse.csr_matrix(x)
    for values in (x, np.asfortranarray(x), Csr(csr.indptr, csr.indices, csr.data, 5)):
        confidences = model.confidences(values, model.unit_scores(values)).tolist()
        assert confidences == pytest.approx([twin.confidence(row) for row in x.tolist()], rel=1e-12)


def test_every_layout_gives_the_same_bits(tmp_path: Path) -> None:
    x, y = examples(3)
    x = x + np.random.default_rng(1).normal(size=x.shape)
    model = one_pass(write_svmlight(tmp_path / "t.svm", x, y)).model
    csr = sparse.csr_matrix(x)
    dense, *others = (
        model.confidences(values, model.unit_scores(values)).tolist()
        for values in (x, np.asfortranarray(x), Csr(csr.indptr, csr.indices.astype(np.int64), csr.data, 5))
    )
    assert all(other == dense for other in others)


def test_the_distance_is_that_from_the_threshold(tmp_path: Path) -> None:
    x, y = examples(2)
    model = one_pass(write_svmlight(tmp_path / "t.svm", x, y), threshold=0.8).model
    twin = Reference(learning_rate="arow", r=model.settings.r, order="given").fit(x.tolist(), y.tolist(), epochs=1)
    assert model.decides_above != 0
    confidences = model.confidences(x, model.unit_scores(x)).tolist()
    assert confidences == pytest.approx([twin.confidence(row, model.decides_above) for row in x.tolist()], rel=1e-12)


def test_words_that_were_never_seen_lower_it(tmp_path: Path) -> None:
    text = tmp_path / "t.tsv"
    text.write_text("yes\tgood fine day\nno\tbad sad day\n" * 40)
    model = tmp_path / "m.model"
    save_model(one_pass(text).model, model)
    new = tmp_path / "new.tsv"
    new.write_text("yes\tgood fine day\nyes\tgood fine day xyzzy plugh\nyes\txyzzy plugh\n")
    out = tmp_path / "out.jsonl"
    assert main(["predict", str(model), str(new), "--confidence", "--json", "-o", str(out)]) == 0
    seen, partly, never = (json.loads(line)["confidence"] for line in out.read_text().splitlines())
    assert seen > 1.5 * partly > 1.5 * never


def test_the_command_line_and_the_estimator_say_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x, y = examples(3)
    data, path = write_svmlight(tmp_path / "t.svm", x, y), tmp_path / "m.model"
    save_model(one_pass(data).model, path)
    assert main(["predict", str(path), str(data), "--confidence", "--proba"]) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert header == "label\t0\t1\t2\tconfidence"
    printed = [float(line.split("\t")[-1]) for line in lines]
    separator = LinearSeparator(rule="arow", passes=1).fit(sparse.csr_matrix(x), y)
    assert printed == separator.predict_confidence(sparse.csr_matrix(x)).tolist()
    assert printed == load(path).predict_confidence(sparse.csr_matrix(x)).tolist()


def test_a_rule_without_variances_has_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x, y = examples(2)
    data, path = write_svmlight(tmp_path / "t.svm", x, y), tmp_path / "m.model"
    save_model(fit_file(data, rule="logistic", passes=1).model, path)
    assert main(["predict", str(path), str(data), "--confidence"]) == 4
    assert (
        f"{path}: was learned by logistic, which keeps no variances: use --proba, or for a confidence learn it with "
        "--rule arow." in capsys.readouterr().err
    )
    separator = LinearSeparator(rule="logistic", passes=1).fit(x, y)
    assert not hasattr(separator, "predict_confidence")
