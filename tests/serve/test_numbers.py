"""Models that predict numbers are served as those of classes are."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.model_file import save_model
from rosenblatt.readers.source import ReadOptions
from rosenblatt.serve.learning.served_model import Keeping, ServedModel
from rosenblatt.serve.model_info import details, heaviest
from rosenblatt.serve.new_model import NewModel, empty_model
from rosenblatt.serve.replay import travel
from rosenblatt.serve.store.directory import ModelFolder
from rosenblatt.serve.verify import verify
from tests.serve.running import running
from tests.serve.streams import folder_of, learn_body, send, send_in_groups, start


def prices(n: int, seed: int = 0, extra: float = 0.0) -> list[dict[str, Any]]:
    """Flats: rooms and size decide the price, with noise."""
    random_ = random.Random(seed)
    examples = []
    for _ in range(n):
        rooms, size = random_.randrange(1, 6), random_.randrange(20, 150)
        town = random_.choice(["Bonn", "Ulm", "Jena"])
        price = 50_000 + 2000 * size + 15_000 * rooms + 40_000 * (town == "Bonn") + random_.gauss(0, 5000) + extra
        examples.append({"label": round(price), "columns": {"rooms": rooms, "size": size, "town": town}})
    return examples


def fitted(path: Path, **options: Any) -> Path:
    rows = [f"{e['label']},{','.join(map(str, e['columns'].values()))}\n" for e in prices(400, seed=1)]
    file = path / "first.csv"
    file.write_text("price,rooms,size,town\n" + "".join(rows))
    model = fit_file(str(file), reading=ReadOptions(label="price", task="number"), **options).model
    save_model(model, path / "flats.model")
    return path / "flats.model"


RULES = ({}, {"rule": "number-average", "passes": 1}, {"rule": "number-adagrad", "passes": 1, "error": "absolute"})


@pytest.mark.parametrize("options", [*RULES, {"quantiles": (0.1, 0.5, 0.9), "passes": 1}])
def test_every_restart_gives_the_same_bits(tmp_path: Path, options: dict[str, Any]) -> None:
    model, examples = fitted(tmp_path, **options), prices(2600)
    keeping = Keeping(snapshot_examples=700)
    interrupted, straight = (folder_of(model, tmp_path / name) for name in ("a", "b"))
    served = start(straight)
    send_in_groups(served, examples)
    digest, answers = served.live.digest(), served.live.predict([served.live.reader.line(_Predicted(examples[0]))])
    served.stop()
    for k in range(0, 2600, 650):
        again = start(interrupted, keeping)
        assert again.live.version == k
        send_in_groups(again, examples[k : k + 650], seed=k)
        digest_now = again.live.digest()
        again.stop(snapshot=k != 650)
    assert digest_now == digest
    assert answers == again.live.predict([again.live.reader.line(_Predicted(examples[0]))])
    for name in ("a", "b"):
        (verdict,) = verify(str(tmp_path / name))
        assert verdict.agrees, verdict.sentence


class _Predicted:
    """An example as its reader takes it."""

    text = features = vw = None

    def __init__(self, example: dict[str, Any]) -> None:
        self.columns = example["columns"]


def test_answers_are_those_of_the_model_and_errors_those_of_its_predictions(tmp_path: Path) -> None:
    model, examples = fitted(tmp_path, rule="number-adagrad", passes=1), prices(1500)
    served = start(folder_of(model, tmp_path / "data"))
    squares = []
    for example in examples[:300]:
        line = served.live.reader.line(_Predicted(example))
        (number,) = served.live.predict([line]).decided
        squares.append((number - example["label"]) ** 2)
        assert send(served, example)[0] == 200
    rmse = math.sqrt(sum(squares) / len(squares))
    about = details(served)
    assert (about["error"]["measure"], about["predicts"]) == ("RMSE", "number")
    assert about["error"]["hour"] == pytest.approx(rmse, rel=1e-9)
    before = served.live.model.interval
    send_in_groups(served, examples[300:])
    interval = served.live.model.interval
    assert interval is not None
    assert interval != before  # measured again, by what was predicted here
    assert interval.measured_on == "progressive"
    assert 0.8 < interval.coverage < 0.97
    weights = heaviest(served, 3)["weights"]
    assert weights["raises the number"][0]["feature"] == "size"
    served.stop()


def test_the_past_answers_as_it_did(tmp_path: Path) -> None:
    model, examples = fitted(tmp_path), prices(1400)
    folder = folder_of(model, tmp_path / "data")
    served = start(folder, Keeping(snapshot_examples=300))
    line, answers = served.live.reader.line(_Predicted(examples[0])), {}
    for k in range(0, 1400, 130):
        served.live.publish()
        answers[served.live.version] = served.live.predict([line])
        send_in_groups(served, examples[k : k + 130])
    served.stop()
    for version, answer in answers.items():
        assert travel(folder, version).predict([line]) == answer


@pytest.mark.parametrize(
    ("label", "part"),
    [
        ("12", "'12' is none"),
        (True, "is none"),
        (1e300, "too far from the numbers"),
        (-(10**400), "too far from the numbers"),
        (None, "needs a label"),
    ],
)
def test_labels_that_are_no_numbers_are_refused(tmp_path: Path, label: Any, part: str) -> None:
    served = start(folder_of(fitted(tmp_path), tmp_path / "data"))
    status, problem = send(served, {**prices(1)[0], "label": label})
    assert (status, problem["field"]) == (422, "label")
    assert part in problem["error"]
    body = b'{"columns": {"rooms": 1, "size": 30, "town": "Ulm"}, "label": NaN}'
    assert learn_body(served, body)[0] == 400
    assert served.live.version == 0
    served.stop()


def test_a_model_that_begins_with_nothing_learns_prices(tmp_path: Path) -> None:
    columns = {"rooms": "number", "size": "number", "town": "word"}
    new = {"predicts": "number", "reads": "columns", "columns": columns, "about": [100_000, 250_000, 400_000]}
    examples = prices(4000)
    for example in examples:  # it does not know the scale of columns
        example["columns"]["size"] = example["columns"]["size"] / 100
        example["columns"]["rooms"] = example["columns"]["rooms"] / 5
    with running(tmp_path / "data") as service:
        assert service.http.put("/v1/models/flats", json=new).status_code == 201
        example = {"columns": examples[0]["columns"]}
        assert "low" not in service.post("flats/predict", example).json()
        for k in range(0, 4000, 500):
            assert service.post("flats/learn", examples[k : k + 500]).status_code == 200
        answer = service.post("flats/predict", example).json()
        assert answer["label"] == pytest.approx(examples[0]["label"], abs=25_000)
        assert answer["low"] < answer["label"] < answer["high"]
        assert service.http.get("/v1/models/flats").json()["error"]["all"] < 60_000
        assert service.http.get("/v1/models/flats/weights").json()["weights"]["raises the number"]
        service.post("flats/predict", {**example, "id": "q"})
        assert service.post("flats/learn", {"id": "q", "label": 123_456.5}).json()["learned"] == 1
        for wrong, part in (
            ({**new, "classes": ["a", "b"]}, "has no classes"),
            ({"classes": ["a", "b"], "about": [1]}, "for a model that predicts numbers"),
            ({**new, "rule": "arow"}, "number-invariant"),
            ({**new, "about": ["x"]}, "Expected"),
        ):
            refused = service.http.put("/v1/models/other", json=wrong)
            assert refused.status_code == 422
            assert part in refused.json()["error"]
        content = service.http.get("/v1/models/flats/model").content
        headers = {"content-type": "application/octet-stream"}
        assert service.http.put("/v1/models/copy", content=content, headers=headers).status_code == 201
        assert (
            service.post("copy/predict", example).json()["label"]
            == service.post("flats/predict", example).json()["label"]
        )


def test_an_alarm_is_raised_when_prices_rise(tmp_path: Path) -> None:
    served = start(folder_of(fitted(tmp_path, rule="number-average", passes=1), tmp_path / "data"))
    send_in_groups(served, prices(2500))
    assert not served.log.notes("drift")
    send_in_groups(served, prices(600, seed=5, extra=150_000))
    alarms = served.log.notes("drift")
    assert alarms
    assert alarms[0]["after"] > 2 * alarms[0]["before"] > 0
    assert 2500 < alarms[0]["version"] <= 3100
    served.stop()


def test_a_damaged_number_log_is_saved(tmp_path: Path) -> None:
    folder: ModelFolder = folder_of(fitted(tmp_path), tmp_path / "data")
    served = start(folder)
    for example in prices(40):
        send(served, example)
    served.stop(snapshot=False)
    data = bytearray(Path(folder.log).read_bytes())
    data[len(data) // 2 : len(data) // 2 + 200] = bytes(200)
    Path(folder.log).write_bytes(data)
    again = ServedModel(folder)
    again.start()
    assert send(again, prices(1)[0])[0] == 200
    again.stop()


def test_an_empty_model_has_the_scale_of_the_numbers_it_is_told_about() -> None:
    model: Any = empty_model(NewModel(predicts="number", about=[100.0, 110.0, 120.0]))
    assert model.target.scale == (112.0, 8.0)
