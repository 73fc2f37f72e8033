"""What is acknowledged, learned once, refused, remembered."""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.errors import DataError, ModelError, ParameterError
from rosenblatt.serve.learning import served_model
from rosenblatt.serve.learning.served_model import Keeping, ServedModel
from rosenblatt.serve.learning.submissions import Submission
from rosenblatt.serve.limits import LIMITS
from rosenblatt.serve.messages import RequestError
from rosenblatt.serve.replay import travel
from rosenblatt.serve.service import Service
from rosenblatt.serve.store.directory import Directory, ModelFolder
from rosenblatt.serve.store.salvage import salvage
from rosenblatt.serve.verify import verify
from tests import child
from tests.serve.streams import folder_of, learn_body, model_file, send, send_in_groups, start, stream


@pytest.fixture
def served(tmp_path: Path) -> Any:
    served = start(folder_of(model_file("features", tmp_path), tmp_path / "data"))
    yield served
    served.stop()


def test_an_id_is_learned_once(served: ServedModel) -> None:
    example = {**stream("features", 1)[0], "id": "a"}
    assert send(served, example)[1] == {"learned": 1, "duplicates": 0, "version": 1, "durability": "commit"}
    assert send(served, example)[1] == {"learned": 0, "duplicates": 1, "version": 1, "durability": "commit"}
    assert send(served, [example, {**example, "id": "b"}, {**example, "id": "b"}])[1]["duplicates"] == 2
    assert served.live.version == 2


def test_ids_are_known_after_a_restart(served: ServedModel) -> None:
    example = {**stream("features", 1)[0], "id": "a"}
    send(served, example)
    served.stop(snapshot=False)
    again = start(served.folder)
    assert send(again, example)[1]["duplicates"] == 1
    again.stop()


def test_feedback_needs_no_features(served: ServedModel) -> None:
    example = stream("features", 1)[0]
    served.remembered.add("q", b"0 " + example["features"].encode())
    assert send(served, {"id": "q", "label": example["label"]})[1]["learned"] == 1
    assert send(served, {"id": "q", "label": example["label"]})[1]["duplicates"] == 1
    status, problem = send(served, {"id": "never", "label": "ham"})
    assert (status, problem["field"]) == (404, "id")
    other = start(folder_of(Path(served.folder.base), Path(served.folder.path).parents[2] / "other"))
    send(other, example)
    other.stop()
    assert other.live.run.learner.get("weights")[0].tolist() == served.live.run.learner.get("weights")[0].tolist()


@pytest.mark.parametrize(
    ("example", "field", "part"),
    [
        ({"features": "1:x", "label": "ham"}, "features", "found 'x'"),
        ({"features": "0:1", "label": "ham"}, "features", "begin at 1"),
        ({"features": "1:1e300", "label": "ham"}, "features", "beyond 1e+09"),
        ({"features": "1:nan", "label": "ham"}, "features", "finite"),
        ({"features": "999999999:1", "label": "ham"}, "features", "feature above"),
        ({"features": {"a": 1}, "label": "ham"}, "features", "whole numbers"),
        ({"features": "1:1", "label": "eggs"}, "label", "not a class"),
        ({"features": "1:1"}, "label", "needs a label"),
        ({"features": "1:1", "label": "ham", "weight": -1}, "weight", "from 0"),
        ({"features": "1:1", "label": "ham", "weight": 1e300}, "weight", "from 0"),
        ({"features": "1:1", "label": "ham", "id": ""}, "id", "1 to 128 bytes"),
        ({"features": "1:1", "label": "ham", "id": "x" * 200}, "id", "1 to 128 bytes"),
        ({"features": "1:1", "label": "ham", "colour": 1}, "colour", "no field 'colour'"),
        ({"features": "1:1", "label": ["ham"]}, "label", "array"),
        ({"text": "words", "label": "ham"}, "features", "this model reads 'features'"),
        ({"label": "ham"}, "features", "no features"),
        ([], None, "no example"),
    ],
)
def test_what_cannot_be_learned_is_refused_with_a_sentence(
    served: ServedModel, example: Any, field: str | None, part: str
) -> None:
    status, problem = learn_body(served, json.dumps(example).encode())
    assert status == 422
    assert problem.get("field") == field
    assert part in problem["error"]
    assert served.live.version == 0


def test_one_bad_line_refuses_its_body_and_no_other(served: ServedModel) -> None:
    good, bad = stream("features", 3), {"features": "1:x", "label": "ham"}
    done = threading.Semaphore(0)
    bodies = [good[:1], [good[1], bad, {**bad, "id": "i"}], good[2:]]
    submissions = [
        Submission("\n".join(map(json.dumps, body)).encode(), True, lambda _: done.release()) for body in bodies
    ]
    for submission in submissions:
        served.submit(submission)
    for _ in submissions:
        assert done.acquire(timeout=child.SECONDS)
    answers = [(submission.status, json.loads(submission.answer)) for submission in submissions]
    assert [status for status, _ in answers] == [200, 422, 200]
    assert answers[1][1]["line"] == 2
    assert served.live.version == 2
    assert not served.log.known_ids(["i"])


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[1,", b"null", b'"text"', b"{}" * 3, b"[[]]"])
def test_bytes_that_are_no_examples_are_refused(served: ServedModel, body: bytes) -> None:
    for lines in (False, True):
        status, problem = learn_body(served, body, lines=lines)
        assert status in (400, 422)
        assert problem["status"] == status
    assert served.live.version == 0


def test_a_full_queue_is_refused(tmp_path: Path) -> None:
    folder = folder_of(model_file("features", tmp_path), tmp_path / "data")
    served = ServedModel(folder, limits=LIMITS._replace(queue_bytes=1000))  # its thread has not started
    body = json.dumps(stream("features", 1)[0]).encode()
    accepted = 1000 // (len(body) + 256)
    for _ in range(accepted):
        served.submit(Submission(body, False, lambda _: None))
    with pytest.raises(RequestError) as refusal:
        served.submit(Submission(body, False, lambda _: None))
    assert (refusal.value.status, refusal.value.retry) == (429, 1)
    served.start()
    served.stop()
    assert served.live.version == accepted


def test_a_commit_that_fails_is_said_and_nothing_is_learned(
    served: ServedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = stream("features", 2)
    digest = served.live.digest()

    def fail(*_: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(served.log, "append", fail)
        status, problem = send(served, examples[0])
    assert status == 503
    assert problem["error"].endswith("were not learned: database or disk is full.")
    assert served.live.digest() == digest
    assert send(served, examples[1])[1]["version"] == 1
    assert any("disk is full" in what for _, what in served.errors)


def test_weights_that_would_overflow_leave_the_model_as_it_was(
    served: ServedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rosenblatt.errors import LearningOverflowError
    from rosenblatt.serve.learning.live_model import LiveModel

    send_in_groups(served, stream("features", 50))
    digest = served.live.digest()

    def overflow(*_: Any) -> Any:
        raise LearningOverflowError("the weights overflowed")

    with monkeypatch.context() as patch:
        patch.setattr(served.live, "learn", overflow)
        status, problem = send(served, {**stream("features", 1)[0], "id": "x"})
    assert (status, problem["field"]) == (422, "features")
    assert "scale its values down" in problem["error"]
    assert isinstance(served.live, LiveModel)
    assert served.live.digest() == digest
    assert send(served, {**stream("features", 1)[0], "id": "x"})[1]["learned"] == 1


def learn_together(served: ServedModel, bodies: list[bytes]) -> list[tuple[int, dict[str, Any]]]:
    """Bodies that are in the queue before the thread of the model takes the first of them: one group."""
    done, go = threading.Semaphore(0), threading.Event()
    served.run(lambda: go.wait(30), lambda *_: None)
    submissions = [Submission(body, False, lambda _: done.release()) for body in bodies]
    for submission in submissions:
        served.submit(submission)
    go.set()
    for _ in submissions:
        assert done.acquire(timeout=child.SECONDS)
    return [(submission.status, json.loads(submission.answer)) for submission in submissions]


def good_bodies(n: int) -> list[bytes]:
    return [json.dumps({**example, "id": f"good {k}"}).encode() for k, example in enumerate(stream("features", n))]


def test_an_example_that_overflows_is_refused_alone(served: ServedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    from rosenblatt.errors import LearningOverflowError
    from rosenblatt.serve.learning.live_model import LiveModel

    learn = LiveModel.learn

    def overflowing(live: LiveModel, read: Any, labels: Any, weights: Any) -> Any:
        if 777.0 in read.batch.values.tolist():
            raise LearningOverflowError("the weights overflowed")
        return learn(live, read, labels, weights)

    monkeypatch.setattr(LiveModel, "learn", overflowing)
    first, second = good_bodies(2)
    bad = b'{"features": "1:777", "label": "ham", "id": "bad"}'
    answers = learn_together(served, [first, bad, second, first])
    assert [status for status, _ in answers] == [200, 422, 200, 200]
    assert [answers[k][1]["duplicates"] for k in (0, 2, 3)] == [0, 0, 1]
    assert served.live.version == 2
    assert served.log.known_ids(["good 0", "good 1", "bad"]) == {"good 0", "good 1"}


def test_a_body_that_makes_the_reader_fail_is_refused_alone(
    served: ServedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, read = served.live.learning_reader, served.live.learning_reader.read

    def failing(lines: Any) -> Any:
        if any(b":777" in line for line in lines):
            raise RuntimeError("a bug")
        return read(lines)

    monkeypatch.setattr(reader, "read", failing)
    first, second = good_bodies(2)
    answers = learn_together(served, [first, b'{"features": "1:777", "label": "ham"}', second])
    assert [status for status, _ in answers] == [200, 500, 200]
    assert "report this bug" in answers[1][1]["error"]
    assert served.live.version == 2


@pytest.mark.parametrize(
    "bad",
    [
        b'{"columns":' * 50_000,
        b'{"features": ' + b"[" * 100_000,
        b'{"features": "1:1", "label": "ham", "id": ' + b"9" * 5000 + b"}",
        b'{"features": {"1_0": 1}, "label": "ham"}',
        '{"features": {"\u0663": 1}, "label": "ham"}'.encode(),
        b'{"features": {"' + b"9" * 5000 + b'": 1}, "label": "ham"}',
        b'{"features": "1:1", "label": "h\xe4m"}',
    ],
)
def test_hostile_bodies_cost_others_nothing(served: ServedModel, bad: bytes) -> None:
    first, second = good_bodies(2)
    answers = learn_together(served, [first, bad, second])
    assert [status for status, _ in answers] in ([200, 400, 200], [200, 422, 200])
    assert answers[1][1]["error"].startswith(("The example cannot be read", "The names of features must be"))
    assert served.live.version == 2
    assert not served.errors


@pytest.mark.parametrize("id_", ["a\0b", "a", "\0", "\u2028", "\U0001f600" * 31, "%_'\"\\"])
def test_any_text_is_an_id(served: ServedModel, id_: str) -> None:
    example = {**stream("features", 1)[0], "id": id_}
    assert [send(served, example)[1]["learned"] for _ in range(3)] == [1, 0, 0]
    assert send(served, {**example, "id": id_ + "b"})[1]["learned"] == 1


def test_many_lines_are_counted_before_they_are_read(served: ServedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    def decoded(_: bytes) -> Any:
        raise AssertionError("it was decoded")

    monkeypatch.setattr("rosenblatt.serve.messages._one_to_learn", NamedDecoder(decoded))
    monkeypatch.setattr("rosenblatt.serve.messages._many_to_learn", NamedDecoder(decoded))
    for body, lines in ((b"{}\n" * 100_001, True), (b"[" + b"{}," * 500_000, False)):
        status, problem = learn_body(served, body, lines=lines)
        assert status == 413
        assert "100,000 examples" in problem["error"]


class NamedDecoder:
    def __init__(self, decode: Any) -> None:
        self.decode = self.decode_lines = decode


def test_numbers_of_a_table_are_bounded_too(tmp_path: Path) -> None:
    served = start(folder_of(model_file("columns", tmp_path), tmp_path / "data"))
    status, problem = send(served, {"columns": {"age": 1e308}, "label": "ham"})
    assert (status, problem["field"]) == (422, "columns")
    assert "beyond 1e+09" in problem["error"]
    assert send(served, {"columns": {"age": 50}, "label": "ham"})[0] == 200
    served.stop()


def test_the_clock_may_go_back(served: ServedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    send(served, stream("features", 1)[0])
    before = served.log.last_time
    monkeypatch.setattr("rosenblatt.serve.store.log.time.time_ns", lambda: 10**15)
    send(served, stream("features", 1)[0])
    send(served, stream("features", 1)[0])
    times = [group.time for group in served.log.groups(0)]
    assert times == [before, before + 1, before + 2]


@pytest.mark.parametrize("where", ["payload", "header"])
def test_a_damaged_log_is_said_and_the_rest_saved(tmp_path: Path, where: str) -> None:
    folder = folder_of(model_file("text", tmp_path), tmp_path / "data")
    served = start(folder)
    examples = [{**example, "id": f"e{k}"} for k, example in enumerate(stream("text", 900))]
    for at in range(0, 900, 30):
        send(served, examples[at : at + 30])
    served.stop(snapshot=False)
    content = bytearray(Path(folder.log).read_bytes())
    if where == "payload":
        at = content.find(b"0\tfree", len(content) // 2)
        content[at + 2 : at + 6] = b"\0\xff\0\xff"
    else:
        at = (len(content) // 4096 // 2) * 4096
        content[at : at + 4096] = b"\x55" * 4096
    Path(folder.log).write_bytes(content)
    again = ServedModel(folder)
    assert any("damaged" in what for _, what in again.errors)
    (lost,) = again.log.notes("damage")
    assert 0 < lost["lost"] <= 300
    assert lost["saved"] + lost["lost"] == 900
    assert again.live.version == 900
    again.start()
    assert send(again, examples[899])[1]["duplicates"] == 1
    assert send(again, stream("text", 1)[0])[1]["version"] == 901
    again.stop(snapshot=False)
    digest = again.live.digest()
    assert ServedModel(folder).live.digest() == digest
    (verdict,) = verify(str(tmp_path / "data"))
    assert verdict.agrees
    assert f"{lost['lost']} examples were lost" in verdict.sentence


def test_versions_before_and_after_a_damage_answer_and_no_others(tmp_path: Path) -> None:
    folder = folder_of(model_file("text", tmp_path), tmp_path / "data")
    served, answers = start(folder), {}
    for at in range(0, 900, 30):
        send(served, stream("text", 30, seed=at))
        answers[served.live.version] = served.live.predict([b"0\tfree money"])
        if at == 660:
            taken = threading.Event()
            served.run(served.snapshot, lambda *_, taken=taken: taken.set())
            assert taken.wait(child.SECONDS)
    served.stop(snapshot=False)
    with sqlite3.connect(folder.log) as connection:
        connection.execute("UPDATE groups SET lines = zeroblob(length(lines)) WHERE version = 300")
    again = ServedModel(folder)  # from the snapshot, which has learned what is damaged
    assert again.live.predict([b"0\tfree money"]) == answers[900]
    for version in (270, 300, 690, 900):
        assert travel(folder, version).predict([b"0\tfree money"]) == answers[version]
    for version in (301, 330, 600):
        with pytest.raises(DataError, match="the examples from 300 on are damaged"):
            travel(folder, version)
    salvage(folder.log)
    for version in (330, 600):
        with pytest.raises(ModelError, match="from version 300 to 330 were lost"):
            travel(folder, version)
    assert travel(folder, 690).predict([b"0\tfree money"]) == answers[690]


def test_a_damaged_snapshot_is_passed_over(tmp_path: Path) -> None:
    folder = folder_of(model_file("text", tmp_path), tmp_path / "data")
    served = start(folder)
    send_in_groups(served, stream("text", 100))
    served.stop()
    path = Path(folder.snapshots.path(100))
    path.write_bytes(path.read_bytes()[:-100])
    again = ServedModel(folder)
    assert again.live.digest() == served.live.digest()
    assert any("snapshot" in what for _, what in again.errors)


def test_a_snapshot_that_was_not_finished_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served = start(folder_of(model_file("text", tmp_path), tmp_path / "data"))
    send(served, stream("text", 5))
    path = Path(served.folder.snapshots.folder)
    seen: list[list[str]] = []

    def killed(*_: Any) -> None:
        seen.append([each.name for each in path.iterdir()])
        shutil.copytree(tmp_path / "data", tmp_path / "copy", dirs_exist_ok=True)  # as a kill leaves it
        raise OSError(5, "killed")

    with monkeypatch.context() as patch:
        patch.setattr("rosenblatt.atomic.os.replace", killed)
        served.stop()
    assert len(seen[0]) == 1
    again = ServedModel(ModelFolder(str(tmp_path / "copy" / "models" / "m")))
    assert list((tmp_path / "copy" / "models" / "m" / "snapshots").iterdir()) == []
    again.log.close()


def test_durability_of_a_second_is_said_and_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_of(model_file("text", tmp_path), tmp_path / "data")
    served = start(folder, Keeping(durability="second"))
    synced = threading.Event()
    sync = served.log.sync
    monkeypatch.setattr(served.log, "sync", lambda: (sync(), synced.set()))
    assert send(served, stream("text", 1)[0])[1]["durability"] == "second"
    assert synced.wait(5)
    served.stop()


def test_a_directory_has_one_service(tmp_path: Path) -> None:
    first = Directory(str(tmp_path / "data"))
    with pytest.raises(ParameterError, match="is served by process"):
        Directory(str(tmp_path / "data"))
    first.close()
    Directory(str(tmp_path / "data")).close()


@pytest.mark.parametrize("killed_after", ["prepare", "discard"])
def test_a_model_that_was_being_replaced_is_there_after_a_kill(tmp_path: Path, killed_after: str) -> None:
    old, new = (model_file("text", tmp_path, rule).read_bytes() for rule in ("arow", "logistic-average"))
    first = Directory(str(tmp_path / "data"))
    first.create("m", old)
    first.prepare("m", new)
    if killed_after == "discard":
        first.discard("m")
    first.close()
    second = Directory(str(tmp_path / "data"))
    assert second.names == ["m"]
    assert Path(second.folder("m").base).read_bytes() == (old if killed_after == "prepare" else new)
    assert [path.name for path in (tmp_path / "data" / "models").iterdir()] == ["m"]
    second.close()


def test_a_model_that_cannot_be_replaced_is_served_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = model_file("text", tmp_path).read_bytes()
    service = Service(str(tmp_path / "data"), Keeping())
    service.open()
    service.put("m", content)
    assert send(service.model("m"), stream("text", 5))[1]["version"] == 5

    def fail(*_: Any) -> Any:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(service.directory, "discard", fail)
        with pytest.raises(RequestError, match="No space left"):
            service.put("m", content)
    assert send(service.model("m"), stream("text", 5, seed=1))[1]["version"] == 10
    service.close()


def test_remembered_examples_are_bounded() -> None:
    from rosenblatt.serve.learning.remembered_predictions import Remembered

    remembered = Remembered(LIMITS._replace(remembered_examples=3, remembered_bytes=1000))
    for k in range(10):
        remembered.add(f"id{k}", b"x" * 10)
    assert [remembered.get(f"id{k}") is not None for k in range(10)] == [False] * 7 + [True] * 3
    remembered.add("long", b"y" * 2000)
    assert len(remembered) == 0
    assert Remembered(LIMITS._replace(remembered_seconds=0.0)).get("a") is None


def test_an_alarm_is_raised_when_errors_rise() -> None:
    from rosenblatt.serve.learning.drift import PageHinkley

    test = PageHinkley()
    assert not any(test.add(k, wrong=5.0, weighed=100.0) for k in range(200))
    alarms = [alarm for k in range(200, 240) if (alarm := test.add(k, wrong=40.0, weighed=100.0))]
    assert alarms[0].version < 203
    assert alarms[0].before == pytest.approx(0.05, abs=0.01)
    assert alarms[0].after == pytest.approx(0.4, abs=0.1)


@pytest.mark.parametrize("share", [0.02, 0.1, 0.25, 0.5])
def test_chance_raises_no_alarm_and_a_rise_does(share: float) -> None:
    """Where a quarter of all examples is hard, errors vary more than where few are."""
    from rosenblatt.serve.learning.drift import PageHinkley

    random_ = np.random.default_rng(round(100 * share))
    test = PageHinkley()
    errors = random_.random((20_000, 20)) < share
    assert not any(test.add(k, float(group.sum()), 20.0) for k, group in enumerate(errors))
    worse = random_.random((300, 20)) < share + 0.15
    alarm = next(alarm for k, group in enumerate(worse) if (alarm := test.add(20_000 + k, float(group.sum()), 20.0)))
    assert alarm.before == pytest.approx(share, abs=0.03)
    assert alarm.after > share + 0.05


def test_groups_are_bounded(served: ServedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served_model, "_GROUP_BYTES", 2000)
    send_in_groups(served, stream("features", 600))
    assert max(len(group.lines) for group in served.log.groups(0)) < 8000
    assert served.live.version == 600
