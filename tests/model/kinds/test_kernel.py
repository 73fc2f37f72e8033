"""A kernel perceptron in a model file: the same predictions, the same next steps, and damaged files are refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from rosenblatt import KernelPerceptron, load, save
from rosenblatt.errors import ModelError, RosenblattError
from rosenblatt.storage.container import read_container, write_container
from tests.agree import bits, whole_numbers

MODELS = {
    "last": KernelPerceptron(kernel="poly", degree=2, gamma=1, keep="last"),
    "average rbf": KernelPerceptron(class_weight={0: 1.0, 1: 2.0, 2: 1.0}),
    "vote": KernelPerceptron(kernel="poly", gamma=1, keep="vote", multi_class="joint"),
    "pocket": KernelPerceptron(kernel="linear", keep="pocket", multi_class="ovo"),
    "record": KernelPerceptron(kernel="linear", record=True),
    "budget": KernelPerceptron(kernel="linear", budget=5, keep="last"),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("layout", [np.asarray, np.float32, sp.csr_array])
def test_a_model_comes_back_and_goes_on(name: str, layout: Any, tmp_path: Path) -> None:
    X, y = whole_numbers(60, 5, 3, 0)
    rows = layout(X)
    model = clone(MODELS[name]).set_params(max_iter=2, warm_start=True).fit(rows, y)
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    for turn in range(2):
        assert bits(loaded.decision_function(rows)) == bits(model.decision_function(rows))
        assert (loaded.mistakes_, loaded.t_, loaded.status_) == (model.mistakes_, model.t_, model.status_)
        assert loaded.get_params() == model.get_params()
        if turn == 0:
            model.fit(rows, y)
            loaded.fit(rows, y)


def test_tables_and_wide_rows_and_labels(tmp_path: Path) -> None:
    X, y = whole_numbers(40, 4, 2, 1)
    words = np.array(["no", "yes"])[y]
    table = X @ X.T
    model = KernelPerceptron(kernel="precomputed").fit(table, words)
    save(model, tmp_path / "model")
    assert load(tmp_path / "model").predict(table).tolist() == model.predict(table).tolist()
    wide = sp.random_array((30, 50_000), density=1e-3, rng=np.random.default_rng(0), format="csr")
    far = KernelPerceptron(kernel="linear").fit(wide, np.arange(30) % 2)
    save(far, tmp_path / "wide")
    assert bits(load(tmp_path / "wide").decision_function(wide)) == bits(far.decision_function(wide))


def test_a_function_cannot_be_saved(tmp_path: Path) -> None:
    X, y = whole_numbers(40, 4, 2, 1)
    with pytest.raises(ModelError, match="cannot be saved"):
        save(KernelPerceptron(kernel=lambda A, B: A @ B.T).fit(X, y), tmp_path / "model")
    assert not (tmp_path / "model").exists()


def edits() -> dict[str, Any]:
    def of_run(key: str, value: Any) -> Any:
        return lambda header, tensors: header["run"].update({key: value})

    return {
        "a status": of_run("status", "done"),
        "an age": of_run("t", 2**63),
        "a layout": of_run("rows", "sparse"),
        "a kernel": lambda header, tensors: header["run"]["kernel"].update(name="function"),
        "a negative gamma": lambda header, tensors: header["run"]["kernel"].update(gamma=-1.0),
        "an option": lambda header, tensors: header["run"]["settings"].update(keep="best"),
        "a unit": lambda header, tensors: tensors.update({"log.unit": tensors["log.unit"] + 7}),
        "a place": lambda header, tensors: tensors.update({"log.support": tensors["log.support"] + 1000}),
        "a time": lambda header, tensors: tensors.update({"log.when": tensors["log.when"] + 10**6}),
        "not a number": lambda header, tensors: tensors.update(coefficient=tensors["coefficient"] * np.nan),
        "a shape": lambda header, tensors: tensors.update(drift=tensors["drift"][1:]),
        "a missing tensor": lambda header, tensors: tensors.pop("origin"),
        "features": lambda header, tensors: header.update(n_features=9),
        "a parameter": lambda header, tensors: header["parameters"].update(degree=0),
    }


@pytest.mark.parametrize("edit", edits())
def test_what_does_not_fit_together_is_refused(edit: str, tmp_path: Path) -> None:
    X, y = whole_numbers(40, 4, 3, 1)
    save(KernelPerceptron(kernel="poly", keep="vote", max_iter=2).fit(X, y), tmp_path / "model")
    header, tensors = read_container(
        tmp_path / "model", lambda h, t: (dict(h.values), {k: np.asarray(v) for k, v in t.items()})
    )
    edits()[edit](header, tensors)
    header.pop("checksum")
    write_container(tmp_path / "damaged", header, tensors)
    with pytest.raises(RosenblattError) as caught:
        load(tmp_path / "damaged")
    assert isinstance(caught.value, ModelError)
    assert str(caught.value).startswith(str(tmp_path / "damaged"))
