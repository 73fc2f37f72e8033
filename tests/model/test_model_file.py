"""The model file: it restores every bit, anything that is not a model is refused, and writing is atomic."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.model_file import flipped, loads_or_refuses
from rosenblatt import Adaline, LogisticUnit, Perceptron, load, save
from rosenblatt.atomic import replacing, write_atomic
from rosenblatt.errors import LearningOverflowError, ModelError
from rosenblatt.estimators.model_files.save_load import to_estimator, to_model
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.shared_pass import share_pass
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model_file import load_linear_model, save_model
from rosenblatt.readers import check_space_settings
from rosenblatt.readers.table.columns import dates
from rosenblatt.records import Block, FeatureSpace
from rosenblatt.storage.container import canonical, checksum, write_container
from tests import child

ESTIMATORS = [
    Perceptron(keep="last"),
    Perceptron(keep="average", record=True),
    Perceptron(keep="vote"),
    Perceptron(keep="pocket"),
    Perceptron(learning_rate="arow", r=3.0, keep="last", class_weight={0: 1.0, 1: 2.0, 2: 0.5}),
    Perceptron(learning_rate="pa1", batch=1, multi_class="ovo"),
    Perceptron(multi_class="joint", keep="vote", order="sample"),
    Perceptron(batch=7, order="given", init="random", random_state=3),
    Adaline(batch="full", eta0=0.01),
    Adaline(learning_rate="adagrad"),
    LogisticUnit(keep="average"),
    LogisticUnit(multi_class="ovo", fit_intercept=False),
]


def make(classes: int = 3, n: int = 50, d: int = 6) -> tuple[Any, Any]:
    draw = np.random.default_rng(classes)
    return draw.normal(size=(n, d)).round(2), draw.integers(0, classes, n)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.model"


def same_state(first: Any, second: Any, X: Any) -> bool:
    return (
        first.coef_.tobytes() == second.coef_.tobytes()
        and first.intercept_.tobytes() == second.intercept_.tobytes()
        and first.decision_function(X).tobytes() == second.decision_function(X).tobytes()
        and (first.t_, first.n_mistakes_, first.mistakes_, first.loss_, first.status_)
        == (second.t_, second.n_mistakes_, second.mistakes_, second.loss_, second.status_)
    )


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_a_loaded_run_goes_on_to_the_same_bits(estimator: Any, classes: int, path: Path) -> None:
    X, y = make(classes)
    weights = {label: 1.0 + label for label in range(classes)} if estimator.class_weight else None
    fitted = type(estimator)(**estimator.get_params() | {"max_iter": 2, "warm_start": True, "class_weight": weights})
    fitted.fit(X, y)
    save(fitted, path)
    loaded = load(path)
    assert type(loaded) is type(fitted)
    assert loaded.get_params() == fitted.get_params()
    assert loaded.classes_.dtype == fitted.classes_.dtype
    assert same_state(loaded, fitted, X)
    assert same_state(loaded.fit(X, y), fitted.fit(X, y), X)


@pytest.mark.parametrize("keep", ["last", "average", "vote"])
def test_partial_fit_goes_on_to_the_same_bits(keep: str, path: Path) -> None:
    X, y = make()
    fitted = Perceptron(keep=keep)
    for i in range(20):  # row by row: many stores of voters, which the file joins
        fitted.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1, 2])
    save(fitted, path)
    loaded = load(path)
    for model in (fitted, loaded):
        model.partial_fit(X[20:], y[20:])
    assert same_state(loaded, fitted, X)


def test_equal_runs_give_equal_files(tmp_path: Path) -> None:
    X, y = make()
    for name in "ab":
        save(Perceptron().fit(X, y), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    save(load(tmp_path / "a"), tmp_path / "c")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "c").read_bytes()


labels = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=4, unique=True),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=4, unique=True),
    st.lists(st.text(max_size=5), min_size=2, max_size=4, unique=True),
)
names = st.dictionaries(st.integers(0, 2**40), st.text(max_size=8), max_size=4)
floats = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=25)
@given(labels, names, st.lists(st.text(max_size=5), max_size=3), st.lists(floats, min_size=3, max_size=3))
def test_round_trip(classes: list[Any], words: dict[int, str], columns: list[str], weights: list[float]) -> None:
    ordered = tuple(sorted(classes))
    run = Run(Settings(keep="last"), 3, np.ones(len(ordered)), 5)
    start = np.array([weights] * run.learner.units) + 0.0
    run.start_from(start, np.arange(run.learner.units) / 3)
    space = FeatureSpace("hashed", 1, tuple(columns), 18, 2, np.array(weights), None, words, {"lower": True})
    space = FeatureSpace(**{**vars(space), "scale": np.ones(3)})
    path = Path("/tmp") / f"round-trip-{os.getpid()}"
    try:
        save_model(LinearModel(ordered, space, run, {"rows": 7}), path)
        back = load_linear_model(path)
    finally:
        path.unlink(missing_ok=True)
    assert back.classes == ordered
    assert [type(label) for label in back.classes] == [type(label) for label in ordered]
    assert back.coef.tobytes() == start.tobytes()
    assert (back.space.names, back.space.columns, back.space.bits) == (words, tuple(columns), 18)
    assert back.space.shift is not None
    assert back.space.shift.tobytes() == np.array(weights).tobytes()
    assert (back.space.settings, back.provenance) == ({"lower": True}, {"rows": 7})


@pytest.mark.parametrize("keep", ["last", "average"])
def test_few_weights_among_many_take_little_room(keep: str, path: Path) -> None:
    X = np.zeros((4, 100_000))
    X[[0, 1, 2, 3], [5, 77_000, 5, 99_999]] = 1.0
    for rate in ("constant", "arow"):
        fitted = Perceptron(keep=keep, learning_rate=rate, order="given").fit(X, [0, 1, 0, 1])
        save(fitted, path)
        assert path.stat().st_size < 6_000
        assert same_state(load(path), fitted, X)


@pytest.mark.parametrize(
    "labels", [[True, False], ["no", "yes"], [-1, 1], [1.0, 2.0], np.array([3, 4], dtype=np.uint8)], ids=str
)
def test_labels_keep_their_type(labels: Any, path: Path) -> None:
    X = [[0.0], [1.0]]
    fitted = Perceptron().fit(X, labels)
    save(fitted, path)
    assert load(path).predict(X).tolist() == fitted.predict(X).tolist()
    assert load(path).classes_.dtype == fitted.classes_.dtype


def test_column_names_are_kept(path: Path) -> None:
    import pandas as pd

    table = pd.DataFrame({"height": [1.0, 2.0], "weight": [2.0, 1.0]})
    save(Perceptron().fit(table, [0, 1]), path)
    assert load(path).feature_names_in_.tolist() == ["height", "weight"]
    assert load_linear_model(path).name(1) == "weight"


def test_a_model_without_an_estimator_opens_as_one_and_goes_on() -> None:
    X, y = make(2)
    for run_settings in (
        Settings(loss="hinge", learning_rate="adagrad"),
        Settings(loss="logistic"),
        Settings(loss="squared"),
    ):
        runs = [Run(run_settings, 6, np.ones(2), 0) for _ in range(2)]
        block = Block(X, y.astype(np.int32))
        for run in runs:
            share_pass([run], block)
        unit = to_estimator(LinearModel((0, 1), FeatureSpace("index"), runs[0]))
        unit.partial_fit(X, y)
        share_pass([runs[1]], block)
        assert unit.coef_.tobytes() == runs[1].final_weights.coef.tobytes()
        assert to_model(unit).space == FeatureSpace("index")


# -- refusals ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def content(path: Path) -> bytes:
    X, y = make(2, n=12, d=3)
    save(Perceptron(keep="vote", record=True, max_iter=2).fit(X, y), path)
    return path.read_bytes()


def test_a_file_cut_anywhere_is_refused(content: bytes, path: Path) -> None:
    for length in range(0, len(content), 7):
        assert loads_or_refuses(content[:length], path) == "refused", length
    assert loads_or_refuses(content + b"x", path) == "refused"


def test_a_damaged_byte_is_refused_or_harmless(content: bytes, path: Path) -> None:
    weights = load(path).coef_.tobytes()
    draw = np.random.default_rng(0)
    for place in [*range(40), *draw.integers(0, len(content), 400).tolist()]:
        outcome = loads_or_refuses(flipped(content, place, int(draw.integers(1, 256))), path)
        assert outcome in ("refused", weights.hex()), place


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"version": 3}, "version 3 of the format, and this program reads up to 2: upgrade"),
        ({"format": "other"}, "not a model file"),
        ({"classes": {"kind": "int", "labels": [1, 1]}}, "labels are not two or more different ones"),
        ({"classes": {"kind": "int", "labels": ["a", "b"]}}, "not of its declared type"),
        ({"kind": "checkpoint"}, "holds a checkpoint"),
        ({"run": 3}, r"header\.run is not an object"),
        ({"run": {}}, "has no 'settings'"),
        ({"space": {"kind": "odd"}}, "is not a kind of feature space"),
        ({"estimator": {"name": "os.system"}}, "its estimator cannot be restored"),
    ],
    ids=str,
)
def test_a_header_that_cannot_be_is_refused(change: dict[str, Any], sentence: str, content: bytes, path: Path) -> None:
    path.write_bytes(content)
    resign(path, lambda header, tensors: header.update(change))
    with pytest.raises(ModelError, match=sentence) as refusal:
        load(path)
    assert str(refusal.value).startswith(str(path))
    assert str(refusal.value).count("\n") == 0


def test_weights_beyond_the_memory_are_refused_before_they_are_made(
    content: bytes, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of a few bytes can stand for any number of weights."""
    monkeypatch.setattr("rosenblatt.available_memory.memory_size", lambda: 1 << 30)
    path.write_bytes(content)

    def change(header: Any, tensors: Any) -> None:
        header["run"]["features"] = header["space"]["settings"]["features"] = 2**27
        for name, part in header["run"]["parts"].items():
            part |= {"shape": [part["shape"][0], 2**27], "usual": 0.0}
            tensors.pop(f"run.{name}", None)
            tensors[f"run.{name}.index"], tensors[f"run.{name}.value"] = np.zeros(0, np.uint32), np.zeros(0)

    resign(path, change)
    with pytest.raises(ModelError, match=r"weights need 2\.0 GB, and there are 1\.0 GB of memory"):
        load(path)


@pytest.mark.parametrize(
    "settings",
    [
        {"numbers": 3},
        {"numbers": ["a", 1]},
        {"numbers": ["other"]},
        {"words": None},
        {"texts": ["note"]},
        {"features": -1},
        {"header": "yes"},
        {"label": []},
        {"cross": [["a"]]},
        {"cross": [["a", "zebra"]]},
        {"dates": {"a": ["month first", True, False]}},
        {"dates": {"zebra": ["typed", True, False]}},
        {"columns": 1},
        {"columns": {"order": ["a"]}},
        {"columns": {"logs": {"a": [0, 0]}}},
        {"collisions": {"names": "x"}},
    ],
    ids=str,
)
def test_settings_of_a_space_that_no_reader_could_use_are_refused(settings: dict[str, Any], path: Path) -> None:
    """A checksum finds damage, not bad intent: anybody can sign a file."""
    path.with_suffix(".csv").write_text("a,b,kind\n" + "1,x,p\n2,y,q\n" * 15)
    save_model(fit_file(path.with_suffix(".csv"), rule="perceptron", passes=1).model, path)
    resign(path, lambda header, tensors: header["space"]["settings"].update(settings))
    with pytest.raises(ModelError, match="the model file is damaged"):
        load(path)


@pytest.mark.parametrize("provenance", [{"reading": 3}, {"reading": {"format": "pickle"}}, {"data": {"header": 2}}])
def test_a_provenance_of_other_types_is_refused(provenance: dict[str, Any], content: bytes, path: Path) -> None:
    path.write_bytes(content)
    resign(path, lambda header, tensors: header["provenance"].update(provenance))
    with pytest.raises(ModelError, match="the model file is damaged"):
        load(path)


def test_the_forms_of_dates_are_those_that_are_read() -> None:
    assert (dates.TYPED, *dates.PATTERNS) == check_space_settings._FORMS


def test_of_a_file_that_is_no_model_only_the_first_bytes_are_read() -> None:
    with pytest.raises(ModelError, match="this is not a model file"):
        load("/dev/zero")  # endless


@pytest.mark.parametrize("in_batch", [1, 2**31])
def test_an_unfinished_batch_where_there_is_none_is_refused(in_batch: int, content: bytes, path: Path) -> None:
    path.write_bytes(content)
    resign(path, lambda header, tensors: header["run"]["counters"].update(in_batch=in_batch))
    with pytest.raises(ModelError, match="its unfinished batch holds more examples"):
        load(path)


@pytest.mark.parametrize(
    ("name", "array", "sentence"),
    [
        ("run.weights", np.full((1, 3), np.nan), "not finite"),
        ("run.weights", np.zeros((1, 2)), "expected float64 with the shape"),
        ("run.weights", np.zeros((1, 3), np.float32), "expected float64 with the shape"),
        ("run.weights.bias", np.array([np.inf]), "invalid value"),
        ("run.class_weight", np.array([-1.0, 1.0]), "class weights"),
        ("run.votes.visits.place", np.array([99]), "voters name"),
        ("run.log.t", np.zeros(1, np.uint64), "differ in length"),
    ],
    ids=str,
)
def test_tensors_that_cannot_be_are_refused(name: str, array: Any, sentence: str, content: bytes, path: Path) -> None:
    path.write_bytes(content)

    def change(header: Any, tensors: Any) -> None:
        tensors[name] = np.resize(array, tensors[name].shape) if "place" in name else array

    resign(path, change)
    with pytest.raises(ModelError, match=sentence):
        load(path)


def resign(path: Path, change: Any) -> None:
    """Change the file and correct its checksum, as an attacker would."""
    from safetensors.numpy import load as parse
    from safetensors.numpy import save as pack

    content = path.read_bytes()
    tensors = parse(content)
    length = int.from_bytes(content[:8], "little")
    header = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["rosenblatt"])
    del header["checksum"]
    change(header, tensors)
    full = header | {"checksum": checksum(header, tensors)}
    path.write_bytes(pack(tensors, {"rosenblatt": canonical(full)}))


def test_a_file_with_one_bound_for_all_units_is_an_older_one(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    loaded = load(path)
    resign(path, lambda header, _: header["run"]["counters"].update(bound=max(header["run"]["counters"]["bound"])))
    assert load(path).coef_.tobytes() == loaded.coef_.tobytes()
    resign(path, lambda header, _: header["run"]["counters"].update(bound=[1.0] * 99))
    with pytest.raises(ModelError, match="the counters are not one per unit"):
        load(path)


def test_foreign_files_are_refused(path: Path, tmp_path: Path) -> None:
    import pickle

    from safetensors.numpy import save as pack

    deep = b'{"__metadata__":' + b"[" * 100_000
    foreign = [
        b"",
        b"hello",
        pickle.dumps({"w": 1}),
        pack({"a": np.zeros(3)}),
        pack({"a": np.zeros(3)}, {"rosenblatt": "[" * 100_000}),
        len(deep).to_bytes(8, "little") + deep,
        b"\xff" * 64,
    ]
    for content in foreign:
        assert loads_or_refuses(content, path) == "refused"
    with pytest.raises(ModelError, match="cannot be read: No such file"):
        load(tmp_path / "nowhere")
    with pytest.raises(ModelError, match="cannot be read: Is a directory"):
        load(tmp_path)


def test_what_cannot_be_saved_is_refused(tmp_path: Path) -> None:
    X, y = make(2)
    with pytest.raises(ModelError, match="A list cannot be saved"):
        save([], tmp_path / "a")
    with pytest.raises(IsADirectoryError):
        save(Perceptron().fit(X, y), tmp_path)
    with pytest.raises(FileNotFoundError):
        save(Perceptron().fit(X, y), tmp_path / "no" / "folder")
    assert list(tmp_path.iterdir()) == []


# -- atomic writes ----------------------------------------------------------------------------------------------


def test_a_run_whose_loss_overflowed_is_not_saved(tmp_path: Path) -> None:
    run = Run(Settings(), 2, [1.0, 1.0], 0)
    run.loss.append(float("inf"))
    model = LinearModel((0, 1), FeatureSpace(kind="index"), run, {})
    with pytest.raises(LearningOverflowError, match="The loss overflowed while learning"):
        save_model(model, tmp_path / "m.model")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_the_old_file(content: bytes, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    X, y = make(3)
    with pytest.raises(OSError, match="No space left on device"):
        save(Perceptron().fit(X, y), path)
    assert path.read_bytes() == content
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_killed_while_saving_leaves_a_whole_file(content: bytes, path: Path) -> None:
    code = (
        "import numpy as np, sys\nfrom rosenblatt.storage.container import write_container\nprint('go', flush=True)\n"
        "while True: write_container(sys.argv[1], {'kind': 'model'}, {'a': np.zeros(300_000)})"
    )
    for pause in (0.01, 0.03, 0.05):
        with child.start([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(pause)
            process.send_signal(signal.SIGKILL)
        with pytest.raises(ModelError, match="has no 'classes'") if path.read_bytes() != content else _nothing():
            load(path)


def test_what_a_killed_save_left_is_removed_by_the_next(path: Path) -> None:
    code = (
        "import os, pathlib, sys\nfrom rosenblatt.atomic import write_atomic\n"
        "os.fsync = lambda _: os.kill(os.getpid(), 9)\nwrite_atomic(pathlib.Path(sys.argv[1]), b'half')"
    )
    other = path.with_name(".other.1.1.part")
    other.write_bytes(b"of another file")
    child.run([sys.executable, "-c", code, str(path)], check=False)
    (leftover,) = [file for file in path.parent.iterdir() if file not in (path, other)]
    assert leftover.read_bytes() == b"half"
    with replacing(path) as file:
        assert not leftover.exists()
        file.write(b"first")
        write_atomic(path, b"second, while the first is at work")
        assert len(list(path.parent.glob(f".{path.name}*.part"))) == 1
    assert path.read_bytes() == b"first"
    assert sorted(path.parent.iterdir()) == sorted([other, path])


class _nothing:  # noqa: N801
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


def test_a_link_is_followed_and_permissions_are_kept(content: bytes, path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(path)
    path.chmod(0o640)
    write_container(link, {"kind": "model"}, {})
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert path.read_bytes() != content


def test_safetensors_is_loaded_only_when_a_file_is_read_or_written() -> None:
    code = "import rosenblatt.learn, sys; print('safetensors' in sys.modules, 'hashlib' in sys.modules)"
    run = child.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split()[0] == "False"
