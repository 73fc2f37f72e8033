"""A snapshot and the log after it give the same bits as a service that never stopped."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from datetime import UTC
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.learn.settings import Settings
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.model_file import load_linear_model
from rosenblatt.model.probabilities.with_probabilities import with_probabilities
from rosenblatt.serve.learning import live_model
from rosenblatt.serve.learning.live_model import LiveModel
from rosenblatt.serve.learning.served_model import Keeping
from rosenblatt.serve.replay import ReplayOverflowError, replay, travel, version_of
from rosenblatt.serve.store.log import Group, Log
from rosenblatt.serve.verify import verify
from tests.serve.streams import KINDS, as_file, folder_of, model_file, send, send_in_groups, start, stream

RULES = ("arow", "logistic-average")


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_restart_gives_the_same_bits(kind: str, rule: str, tmp_path: Path) -> None:
    folder = folder_of(model_file(kind, tmp_path, rule), tmp_path / "data")
    examples = stream(kind, 2500, seed=2)
    served = start(folder)
    send_in_groups(served, examples[:1500])
    served.stop(snapshot=False)
    from_log = start(folder)
    assert from_log.live.version == 1500
    assert from_log.live.digest() == served.live.digest()
    from_log.stop(snapshot=True)
    from_snapshot = start(folder)
    assert from_snapshot.snapshot_version == 1500
    send_in_groups(from_snapshot, examples[1500:], seed=3)
    from_snapshot.stop(snapshot=False)

    never_stopped = start(folder_of(model_file(kind, tmp_path, rule), tmp_path / "other"))
    send_in_groups(never_stopped, examples, seed=4)
    never_stopped.stop()
    assert from_snapshot.live.digest() == never_stopped.live.digest()
    assert [verdict.agrees for verdict in verify(str(tmp_path / "data"))] == [True]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", KINDS)
def test_how_examples_come_together_changes_no_bit(kind: str, rule: str, tmp_path: Path) -> None:
    model, examples = model_file(kind, tmp_path, rule), stream(kind, 210, seed=8)
    digests = set()
    for size in (1, 30, 210):
        served = start(folder_of(model, tmp_path / f"by {size}"))
        for at in range(0, len(examples), size):
            assert send(served, examples[at : at + size])[0] == 200
        served.stop()
        digests.add(served.live.digest())
        assert [verdict.agrees for verdict in verify(str(tmp_path / f"by {size}"))] == [True]
    assert len(digests) == 1


def test_what_was_acknowledged_near_overflow_is_replayed(tmp_path: Path) -> None:
    """How near the weights are to overflow is judged by the largest value of the examples that are learned together."""
    squared = Settings(loss="squared", eta0=1.0, order="given", keep="last")
    folder = folder_of(model_file("features", tmp_path, squared, n=10), tmp_path / "data")
    served = start(folder)
    for features in ("1:1000", "2:2"):
        while (answer := send(served, {"features": features, "label": "ham"}))[0] == 200:
            pass
        assert answer[0] == 422
        assert "overflow" in answer[1]["error"]
    served.stop(snapshot=False)
    with pytest.raises(ReplayOverflowError), closing(Log(folder.log, read_only=True)) as log:
        replay(LiveModel(load_linear_model(folder.base), None), log.groups(0))
    again = start(folder)
    then = travel(folder, served.live.version)
    for other in (again.live, then):
        assert other.version == served.live.version
        assert np.array_equal(other.model.coef, served.live.model.coef)
    again.stop(snapshot=False)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", KINDS)
def test_it_learns_what_fit_from_learns(kind: str, rule: str, tmp_path: Path) -> None:
    model = model_file(kind, tmp_path, rule)
    examples = stream(kind, 1300, seed=5)
    served = start(folder_of(model, tmp_path / "data"))
    send_in_groups(served, examples)
    served.stop()
    fitted = fit_file(str(as_file(kind, examples, tmp_path / "more")), from_=model)
    exported = served.live.exported()
    assert np.array_equal(exported.coef, fitted.model.coef)
    assert np.array_equal(exported.intercept, fitted.model.intercept)
    assert served.live.progressive_error == fitted.progressive_error


def test_multi_pass_models_keep_their_calibration_across_restarts(tmp_path: Path) -> None:
    file = as_file("text", stream("text", 400, seed=1), tmp_path / "first")
    from rosenblatt.model.model_file import save_model

    save_model(fit_file(str(file)).model, tmp_path / "auto.model")
    folder = folder_of(tmp_path / "auto.model", tmp_path / "data")
    served = start(folder)
    examples = stream("text", 2400, seed=2)
    send_in_groups(served, examples[:1100])
    before = served.live.model.calibration
    served.stop()
    again = start(folder)
    send_in_groups(again, examples[1100:])
    again.stop(snapshot=False)
    assert again.live.model.calibration != before  # it has been calibrated again on the way
    assert travel(folder, 2400).digest() == again.live.digest()


def test_every_version_can_be_seen_again(tmp_path: Path) -> None:
    folder = folder_of(model_file("columns", tmp_path), tmp_path / "data")
    served = start(folder)
    line = served.live.reader.line(_to_predict("columns"))
    seen = {0: served.live.predict([line])}
    for k, example in enumerate(stream("columns", 40, seed=6), 1):
        assert send(served, example)[0] == 200
        seen[k] = served.live.predict([line])
        if k == 17:
            served.run(served.snapshot, lambda *_: None)
    served.stop()
    for version, prediction in seen.items():
        assert prediction.version == version
        assert travel(folder, version).predict([line]) == prediction


def test_a_prediction_while_probabilities_are_fitted_can_be_seen_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(model_file("text", tmp_path), tmp_path / "data")
    served, seen = start(folder), []

    def fit(*arguments: Any) -> Any:
        seen.append(served.live.predict([b"0\tfree money"]))
        return with_probabilities(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(live_model, "with_probabilities", fit)
        send_in_groups(served, stream("text", 4200))
        seen.append(served.live.predict([b"0\tfree money"]))
    served.stop()
    assert [prediction.version for prediction in seen] == [1000, 2000, 3000, 4000, 4200]
    assert len({str(prediction.probabilities) for prediction in seen}) == len(seen)
    for prediction in seen:
        assert travel(folder, prediction.version).predict([b"0\tfree money"]) == prediction


@pytest.mark.parametrize("rule", RULES)
def test_features_that_the_answering_version_does_not_know_count_for_nothing(rule: str, tmp_path: Path) -> None:
    model = load_linear_model(model_file("features", tmp_path, rule))
    live = LiveModel(model, model.sample)
    (before,) = live.predict([b"0 1:1"]).scores
    assert live.predict([b"0 1:1 900:5"]).scores == [before]
    live.learn(live.learning_reader.read([b"0 900:5"]), np.array([1], dtype=np.int32), None)
    answer = live.predict([b"0 1:1 900:5"])  # an average is published later
    assert (answer.version, answer.scores == [before]) == ((1, False) if rule == "arow" else (0, True))
    live.publish()
    assert live.predict([b"0 1:1 900:5"]).version == 1


def test_a_time_names_the_version_of_then(tmp_path: Path) -> None:
    from datetime import datetime

    folder = folder_of(model_file("text", tmp_path), tmp_path / "data")
    served = start(folder)
    times = []
    for example in stream("text", 5):
        send(served, example)
        times.append(served.log.last_time)
    for version, time in enumerate(times, 1):
        at = datetime.fromtimestamp(time / 1e6, UTC).isoformat()
        assert version_of(folder, at) == version
    assert version_of(folder, "2001-01-01") == 0
    assert version_of(folder, "2999-01-01T10:00Z") == 5
    served.stop()


def test_the_log_is_compacted_behind_a_snapshot(tmp_path: Path) -> None:
    folder = folder_of(model_file("text", tmp_path), tmp_path / "data")
    served = start(folder, Keeping(keep_seconds=0.0))
    examples = [{**example, "id": f"e{k}"} for k, example in enumerate(stream("text", 60))]
    for example in examples[:40]:
        send(served, example)
    taken = threading.Event()
    served.run(served.snapshot, lambda *_: taken.set())
    assert taken.wait(30)
    for example in examples[40:]:
        send(served, example)
    served.stop(snapshot=False)
    digest = served.live.digest()
    again = start(folder)
    assert again.log.bounds == (40, 60)
    assert again.live.digest() == digest
    assert send(again, examples[50])[1]["duplicates"] == 1  # its id is in the log
    again.stop()
    assert [verdict.agrees for verdict in verify(str(tmp_path / "data"))] == [True]


def test_verify_finds_a_snapshot_of_other_bits(tmp_path: Path) -> None:
    folder = folder_of(model_file("text", tmp_path), tmp_path / "data")
    served = start(folder)
    send_in_groups(served, stream("text", 50))
    served.stop()
    other = start(folder_of(model_file("text", tmp_path), tmp_path / "other"))
    send_in_groups(other, stream("text", 50, seed=9))
    other.stop()
    path = folder.snapshots.path(50)
    Path(path).write_bytes(Path(other.folder.snapshots.path(50)).read_bytes())
    (verdict,) = verify(str(tmp_path / "data"))
    assert not verdict.agrees
    assert "the bits differ at version 50" in verdict.sentence


def test_the_exported_model_predicts_as_the_service_does(tmp_path: Path) -> None:
    from rosenblatt.model.model_file import save_model

    folder = folder_of(model_file("columns", tmp_path), tmp_path / "data")
    served = start(folder)
    send_in_groups(served, stream("columns", 1200))
    save_model(served.live.exported(), tmp_path / "now.model")
    loaded = load_linear_model(tmp_path / "now.model")
    assert np.array_equal(loaded.coef, served.live.exported().coef)
    assert "served" not in loaded.provenance
    served.stop()


def _to_predict(kind: str) -> object:
    import msgspec

    from rosenblatt.serve.messages import PredictExample

    example = {name: value for name, value in stream(kind, 1, seed=99)[0].items() if name != "label"}
    return msgspec.convert(example, PredictExample)


def test_verify_says_what_was_tampered_with(tmp_path: Path) -> None:
    folder = folder_of(model_file("text", tmp_path), tmp_path / "data")
    served = start(folder, Keeping(snapshot_examples=100))
    examples = stream("text", 500)
    for k in range(0, 500, 100):
        assert send(served, examples[k : k + 100])[0] == 200
    served.stop()
    data = str(tmp_path / "data")
    (verdict,) = verify(data)
    assert verdict.agrees
    path = Path(folder.snapshots.path(folder.snapshots.versions[1]))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    (verdict,) = verify(data)
    assert (verdict.agrees, "is damaged" in verdict.sentence) == (False, True)
    path.unlink()
    log = sqlite3.connect(folder.log)
    row = log.execute("SELECT * FROM groups ORDER BY version LIMIT 1").fetchone()
    labels = bytearray(row[4])
    labels[0] ^= 1
    group = Group(*row[:4], bytes(labels), row[5])
    log.execute("UPDATE groups SET labels = ?, checksum = ? WHERE version = ?", (group.labels, group.checksum, row[0]))
    log.commit()
    log.close()
    (verdict,) = verify(data)
    assert (verdict.agrees, "the bits differ" in verdict.sentence) == (False, True)
    Path(folder.base).unlink()
    (verdict,) = verify(data)
    assert (verdict.agrees, "cannot be read" in verdict.sentence) == (False, True)
