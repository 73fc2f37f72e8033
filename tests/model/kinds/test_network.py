"""Networks and kernel perceptrons as model files: Python and the command line load them, damage is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import KernelPerceptron, Perceptron, ThresholdNetwork, load, save
from rosenblatt.cli import main
from rosenblatt.errors import ModelError
from rosenblatt.model.model_file import load_linear_model
from rosenblatt.storage.container import read_container, write_container

XOR, WORDS = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]


def grown(classes: int = 2, seed: int = 0) -> tuple[ThresholdNetwork, Any, Any]:
    rng = np.random.default_rng(seed)
    X = np.array([[row >> i & 1 for i in range(5)] for row in range(32)])
    y = rng.integers(0, classes, 32)
    return ThresholdNetwork(max_iter=20).fit(X, y), X, y


@pytest.mark.parametrize(
    "build",
    [
        lambda: grown()[0],
        lambda: grown(3)[0],
        lambda: ThresholdNetwork().fit(XOR, WORDS),
        lambda: ThresholdNetwork(max_units=1).fit(XOR, WORDS),
        lambda: ThresholdNetwork().fit([[0.5], [0.5], [0.5], [1]], [0, 1, 1, 0]),
        lambda: ThresholdNetwork.from_expression("~(a & b) & (a | b)"),
        lambda: ThresholdNetwork.from_truth_table("01101001"),
    ],
)
def test_it_comes_back_as_it_was(build: Callable[[], ThresholdNetwork], tmp_path: Path) -> None:
    network = build()
    save(network, tmp_path / "a.model")
    loaded = load(tmp_path / "a.model")
    assert type(loaded) is ThresholdNetwork
    assert loaded.get_params() == network.get_params()
    rows = np.random.default_rng(1).integers(0, 2, (50, network.n_features_in_)).astype(float)
    np.testing.assert_array_equal(loaded.decision_function(rows), network.decision_function(rows))
    np.testing.assert_array_equal(loaded.predict(rows), network.predict(rows))
    for name in ("classes_", "status_", "growth_", "n_iter_", "n_units_", "contradictions_"):
        assert np.array_equal(getattr(loaded, name), getattr(network, name)), name
    assert loaded.layers_ == network.layers_
    assert str(loaded.network_) == str(network.network_)
    save(loaded, tmp_path / "b.model")
    assert (tmp_path / "a.model").read_bytes() == (tmp_path / "b.model").read_bytes()


def test_names_of_columns_come_back(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(XOR, columns=["wet", "cold"])
    save(ThresholdNetwork().fit(frame, WORDS), tmp_path / "a.model")
    loaded = load(tmp_path / "a.model")
    assert loaded.feature_names_in_.tolist() == ["wet", "cold"]
    assert loaded.predict(frame).tolist() == WORDS
    with pytest.raises(ModelError, match=r"is a network .* so it cannot be loaded as a linear model"):
        load_linear_model(tmp_path / "a.model")


def test_one_without_units_is_not_saved(tmp_path: Path) -> None:
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError, match="has no units yet"):
        save(ThresholdNetwork(), tmp_path / "a.model")


# -- damage -----------------------------------------------------------------------------------------------------------


def parts(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    header, tensors = read_container(
        path, lambda header, tensors: (dict(header.values), {k: np.asarray(t) for k, t in tensors.items()})
    )
    return {key: value for key, value in header.items() if key not in ("checksum", "format", "version")}, tensors


def _set(key: str, value: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    return lambda header, tensors: header.__setitem__(key, value)


def _tensor(key: str, change: Callable[[Any], Any]) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    return lambda header, tensors: tensors.__setitem__(key, change(tensors[key]))


DAMAGE = {
    "status": (_set("status", "validated"), "'validated' is not a status of a network"),
    "outputs": (_set("outputs", [99]), "an output names a unit that does not exist"),
    "too many outputs": (_set("outputs", [0, 1]), "has 2 entries, expected 1"),
    "kinds": (_set("kinds", ["root"]), "not one text per unit"),
    "growth": (_set("growth", [{"unit": "u1"}]), "has no 'layer'"),
    "parameters": (_set("parameters", {"max_units": -1}), "'max_units' parameter"),
    "another parameter": (_set("parameters", {"code": "x"}), "no parameter 'code'"),
    "dtype": (_set("dtype", "V8"), "is not a dtype of labels"),
    "features": (_set("features", 7), "names.ends is int64"),
    "weights": (_tensor("coef", lambda coef: coef * np.nan), "not finite"),
    "shape": (_tensor("coef", lambda coef: coef[:, :1].copy()), "the tensor coef is float64"),
    "a circle": (
        _tensor("wire.source", lambda source: source + 5),
        "has an input from a unit that does not come before it",
    ),
    "a negative wire": (
        _tensor("wire.source", lambda source: source - 99),
        "has an input from a unit that does not come before it",
    ),
    "contradictions": (
        _tensor("contradictions", lambda rows: np.array([-1])),
        "row of a contradiction is negative",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_refused_with_a_sentence(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "a.model"
    save(grown()[0], path)
    header, tensors = parts(path)
    change, sentence = DAMAGE[damage]
    change(header, tensors)
    write_container(path, header, tensors)
    with pytest.raises(ModelError) as caught:
        load(path)
    assert sentence in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_every_changed_byte_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.model"
    save(ThresholdNetwork().fit(XOR, WORDS), path)
    content = path.read_bytes()
    for at in range(0, len(content), 37):
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        with pytest.raises(ModelError):
            load(path)
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(ModelError):
        load(path)


# -- the command line -------------------------------------------------------------------------------------------------


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "xor.csv"
    path.write_text("a,b,label\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n")
    return str(path)


def test_a_network_of_an_expression_reads_its_variables(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = str(tmp_path / "xor.model")
    save(ThresholdNetwork.from_expression("~(b & a) & (a | b)"), model)
    assert main(["predict", model, table]) == 0
    assert capsys.readouterr().out.split() == ["0", "1", "1", "0"]
    page = tmp_path / "page.html"
    assert main(["evaluate", model, table, "--json", "--report", str(page)]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] == 1
    assert "<h1>" in page.read_text()
    assert main(["explain", model]) == 0
    printed = capsys.readouterr().out
    assert "3 units in 2 layers, from 2 inputs" in printed
    assert "built, not learned" in printed
    assert "fires when" in printed
    assert main(["explain", model, "--example", "a=1, b=0"]) == 0
    assert "decided   1" in capsys.readouterr().out
    assert main(["explain", model, "--example", "a=1, b=1", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["label"] == 0
    assert [unit["fires"] for unit in record["units"]] == [True, True, False]


def test_a_learned_network_reads_numbered_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    network, X, y = grown(3)
    model, data = str(tmp_path / "a.model"), tmp_path / "a.svm"
    save(network, model)
    data.write_text(
        "".join(
            f"{label} " + " ".join(f"{j + 1}:1" for j in np.flatnonzero(row)) + "\n"
            for row, label in zip(X, y, strict=True)
        )
    )
    assert main(["predict", model, str(data), "--index-base", "1"]) == 0
    assert capsys.readouterr().out.split() == [str(label) for label in y]
    np.savez(tmp_path / "a.npz", X=X.astype(float), y=y)
    assert main(["evaluate", model, str(tmp_path / "a.npz"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] == 1
    assert main(["explain", model, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert len(record["units"]) == network.n_units_ == len(record["growth"])
    assert (record["status"], len(record["outputs"])) == ("separated", 3)
    assert main(["explain", model]) == 0
    assert "separated: no error is left" in capsys.readouterr().out


def test_impossible_requests_are_one_line(table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    network, kernel, other = (str(tmp_path / f"{name}.model") for name in ("network", "kernel", "other"))
    save(ThresholdNetwork().fit(XOR, WORDS), network)
    save(KernelPerceptron(kernel="poly", degree=2, gamma=1.0).fit(XOR, WORDS), kernel)
    save(KernelPerceptron(kernel="precomputed").fit(np.eye(4), WORDS), other)
    for arguments, sentence in (
        (
            ["export", network, "--to", "json"],
            "is a network of threshold units, whose decision is not a single weighted sum",
        ),
        (["export", kernel, "--to", "sql"], "is a kernel perceptron, which compares with examples"),
        (["explain", kernel], "so it cannot be explained by features; rosenblatt predict and evaluate can use it."),
        (["predict", other, table], "load it in Python with rosenblatt.load"),
        (["predict", network, table], "is read as csv, and this model reads svmlight or npy or npz"),
    ):
        assert main(arguments) == 4
        error_line = capsys.readouterr().err
        assert sentence in error_line
        assert error_line.count("\n") == 1


@pytest.mark.parametrize("classes", [2, 3])
def test_a_kernel_perceptron_predicts_from_files(
    classes: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, (60, 3)).astype(float)
    y = (X[:, 0] * X[:, 1] > 0) + (X[:, 2] > 0) * (classes == 3)
    for multi_class in ("ovr", "ovo"):
        unit = KernelPerceptron(kernel="poly", degree=3, gamma=1.0, multi_class=multi_class).fit(X, y)
        save(unit, tmp_path / "a.model")
        np.savez(tmp_path / "a.npz", X=X, y=y)
        assert main(["predict", str(tmp_path / "a.model"), str(tmp_path / "a.npz"), "--scores"]) == 0
        lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
        assert [line[0] for line in lines] == [str(label) for label in unit.predict(X)]
        scores = np.array([[float(score) for score in line[1:]] for line in lines])
        np.testing.assert_array_equal(scores, unit.decision_function(X).reshape(len(X), -1))


def test_linear_models_are_as_before(tmp_path: Path) -> None:
    save(Perceptron().fit(XOR, WORDS), tmp_path / "a.model")
    assert type(load(tmp_path / "a.model")) is Perceptron
