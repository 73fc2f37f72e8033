"""The native module matches its stub, reads matrices without copying, and uses the requested instruction set."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import Perceptron, native
from rosenblatt.learn.settings import Settings
from rosenblatt.native import _native
from tests import child
from tests.slow_twins.learn.arithmetic import SplitMix64

STUB = ast.parse(Path(native.__file__).with_name("_native.pyi").read_text(encoding="utf-8"))


def names_in_stub(body: list[ast.stmt], inside: str = "") -> dict[str, list[str]]:
    """Every name in the stub with its parameters; properties and classes have none."""
    names: dict[str, list[str]] = {}
    for part in body:
        if isinstance(part, ast.ClassDef):
            names |= {part.name: []} | names_in_stub(part.body, f"{part.name}.")
        elif isinstance(part, ast.FunctionDef):
            arguments = [argument.arg for argument in part.args.args + part.args.kwonlyargs]
            is_property = any(ast.unparse(mark) == "property" for mark in part.decorator_list)
            names[inside + part.name] = [] if is_property else arguments
    return names


def names_in_binary(owner: object, inside: str = "") -> dict[str, list[str]]:
    """The same for the binary."""
    names: dict[str, list[str]] = {}
    for name, value in vars(owner).items():
        if isinstance(value, type):
            names |= {name: []} | names_in_binary(value, f"{name}.")
        elif hasattr(value, "__nb_signature__"):
            names[inside + name] = parameters(value.__nb_signature__[0][0])
        elif isinstance(value, property):
            names[inside + name] = []
    return names


def parameters(signature: str) -> list[str]:
    """The names in 'def f(self, a: ndarray[shape=(*, *)], *, b: int) -> int'; types need not be valid Python."""
    depth, names, word = 0, [], ""
    for letter in signature[signature.index("(") + 1 :]:
        depth += (letter in "([") - (letter in ")]")
        if depth < 0 or (depth == 0 and letter == ","):
            names.append(word.split(":")[0].split("=")[0].strip())
            word = ""
        else:
            word += letter
        if depth < 0:
            break
    return [name for name in names if name not in ("", "*", "/")]


def test_the_stub_names_exactly_what_the_binary_has() -> None:
    assert names_in_binary(_native) == names_in_stub(STUB.body)


def test_the_room_native_shows_all_of_the_binary() -> None:
    public = {name: value for name, value in vars(_native).items() if not name.startswith("_")}
    assert len(public) > 40
    assert all(getattr(native, name) is value for name, value in public.items())


def test_the_chosen_instruction_set_is_one_of_this_machine() -> None:
    assert native.instruction_set() in native.instruction_sets()
    assert "baseline" in native.instruction_sets()


def fresh(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return child.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=os.environ | environment
    )


@pytest.mark.parametrize("name", native.instruction_sets())
def test_an_instruction_set_can_be_forced(name: str) -> None:
    process = fresh("from rosenblatt import native; print(native.instruction_set())", ROSENBLATT_ISA=name)
    assert process.stdout.strip() == name, process.stderr


def test_an_unknown_instruction_set_is_one_sentence() -> None:
    process = fresh("import rosenblatt.native", ROSENBLATT_ISA="abacus")
    last = process.stderr.strip().splitlines()[-1]
    assert process.returncode != 0
    assert last.startswith("ImportError: ROSENBLATT_ISA=abacus ")
    assert all(name in last for name in native.instruction_sets())


def test_any_layout_is_read_without_copying_to_the_same_bits(tmp_path: Path) -> None:
    random = np.random.default_rng(11)
    X = random.standard_normal((300, 13)).astype(np.float32)
    y = random.integers(0, 3, len(X))
    np.save(tmp_path / "X.npy", np.asfortranarray(X))
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert mapped.flags.f_contiguous
    assert not mapped.flags.writeable
    expected = Perceptron(max_iter=5).fit(X.astype(np.float64), y)
    frozen = X.copy()
    frozen.flags.writeable = False
    for layout in (mapped, frozen, np.asfortranarray(X), X[:, ::-1][:, ::-1], sparse.csr_array(X)):
        model = Perceptron(max_iter=5).fit(layout, y)
        assert model.coef_.tobytes() == expected.coef_.tobytes()
        assert model.intercept_.tobytes() == expected.intercept_.tobytes()
        assert model.decision_function(layout).tobytes() == expected.decision_function(X).tobytes()


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("place", [0, 4095, 4096, 4097, 8192, 8193, -2])
def test_one_repeated_column_is_seen_wherever_it_stands(place: int, index: type) -> None:
    random = np.random.default_rng(3)
    lengths = random.integers(0, 7, 4000)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(index)
    columns = np.concatenate([np.sort(random.choice(20, n, replace=False)) for n in lengths]).astype(index)
    values, y = random.standard_normal(len(columns)), np.arange(len(lengths)) % 2
    row = next(i for i in np.argsort(abs(starts[:-1] - place % len(columns))) if lengths[i] > 1)
    at = min(max(place % len(columns), starts[row] + 1), starts[row + 1] - 1)
    columns[at] = columns[at - 1]
    X = sparse.csr_array((values, columns, starts), (len(lengths), 20))
    added = X.copy()
    added.sum_duplicates()
    assert added.nnz == X.nnz - 1
    # The step is divided by the norm of the row, which differs between a column given twice and the sum of the two.
    repeated, summed = (Perceptron(margin=9, learning_rate="pa2", max_iter=1).fit(Z, y) for Z in (X, added))
    assert repeated.coef_.tobytes() == summed.coef_.tobytes()


@pytest.mark.parametrize("place", [0, 37, 99])
def test_rows_and_classes_that_are_not_there_are_refused(place: int) -> None:
    rows, labels = native.rows_of(np.ones((100, 2))), np.zeros(100, dtype=np.int32)
    learner, order = Settings().learner(2, np.ones(3), dense=True), np.arange(100, dtype=np.uint32)
    for label in (-1, 3):
        labels[place] = label
        with pytest.raises(ValueError, match="not the index of a class"):
            native.learn([learner], rows, labels, None, None, None, 0, 100, 1)
    labels[place] = 2
    native.learn([learner], rows, labels, None, order, order, 0, 100, 1)
    wrong = order.copy()
    wrong[place] = 100
    for where in ((wrong, None), (None, wrong)):
        with pytest.raises(ValueError, match="must name existing rows"):
            native.learn([learner], rows, labels, None, *where, 0, 100, 1)
    assert learner.t == 100


def test_rows_that_were_not_checked_reach_no_loop() -> None:
    """They may name columns that are not there; those that failed the check stay out too."""
    starts, labels, wild = np.array([0, 1]), np.zeros(1, dtype=np.int32), np.array([2**30], dtype=np.int32)
    learner, signs = Settings().learner(2, np.ones(2)), np.ones(1, dtype=np.int8)
    rows = native.Rows.csr(starts, wild, np.ones(1), 2)
    for _ in range(2):
        for use in (
            lambda: native.learn([learner], rows, labels, None, None, None, 0, 1, 1),
            lambda: native.mistakes(learner, rows, labels, None, None),
            lambda: native.pocket_clean(learner, rows, labels, None, None, [0]),
            lambda: native.scores(rows, None, np.ones((1, 2)), np.zeros(1)),
            lambda: learner.scores(rows),
            lambda: native.Columns().add(rows),
            lambda: native.Hulls(rows, signs, False, 1.0),
            lambda: native.squared_rarities(rows, 2),
            lambda: native.weighted_squares(rows, 1, np.ones(2)),
        ):
            with pytest.raises(ValueError, match="not checked"):
                use()
        assert rows.check() == ("column beyond", 0, 2**30)
    fine = native.Rows.csr(starts, np.ones(1, dtype=np.int32), np.ones(1), 2)
    assert fine.check() is None
    with pytest.raises(ValueError, match="columns, found 1"):
        native.squared_rarities(fine, 1)
    with pytest.raises(ValueError, match="not the index of a class"):
        native.judge(np.ones((1, 2)), np.array([5], dtype=np.int32), np.zeros(1, dtype=np.uint32), None)


@pytest.mark.parametrize("rows", [0, 1, 2, 16, 17, 31, 33, 1000])
@pytest.mark.parametrize("zero", [None, 1, 5, 16, 17, 40, 990])
def test_an_order_is_that_of_draws_one_by_one(zero: int | None, rows: int) -> None:
    """Also when a draw is the word 0, which is drawn again unless the number of remaining rows is a power of two."""
    seed = 12345 if zero is None else -zero * 0x9E3779B97F4A7C15 % 2**64
    slow = SplitMix64(seed)
    order, state = native.random_order(seed, rows, False)
    assert (order.tolist(), state) == (slow.shuffled(rows), slow.state)


MEMORY = """
import numpy as np
from scipy import sparse
from rosenblatt import Perceptron

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))

random = np.random.default_rng(5)
def data(rows):
    if layout == "dense":
        return np.ones((rows, 100)) * random.standard_normal(100)
    columns = random.integers(0, 1000, (rows, 70), dtype=np.int32)
    columns.sort(axis=1)
    values, starts = random.standard_normal(columns.size), np.arange(rows + 1) * 70
    return sparse.csr_array((values, columns.ravel(), starts), (rows, 1000))

Perceptron(max_iter=2).fit(data(100), np.arange(100) % 2).predict(data(10))  # load all that is loaded once
X, y = data(50_000), np.arange(50_000) % 2
size = X.nbytes if layout == "dense" else X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
with open("/proc/self/clear_refs", "w") as reset:
    reset.write("5")  # resets the peak to the memory in use
before = peak()
Perceptron(max_iter=3).fit(X, y)
print((peak() - before) / size)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/clear_refs"), reason="needs Linux's own account of memory")
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_a_fit_takes_a_tenth_of_its_matrix_at_most(layout: str) -> None:
    process = fresh(f"layout = {layout!r}\n{MEMORY}")
    assert process.returncode == 0, process.stderr
    print(f"{float(process.stdout):.1%} of X beside X")
    assert float(process.stdout) < 0.10
