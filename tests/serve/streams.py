"""Models of every kind of features, and streams of examples for them."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rosenblatt.learn.settings import Settings
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.model_file import save_model
from rosenblatt.serve.learning.served_model import Keeping, ServedModel
from rosenblatt.serve.learning.submissions import Submission
from rosenblatt.serve.limits import LIMITS, Limits
from rosenblatt.serve.store.directory import Directory, ModelFolder
from tests import child

KINDS = ("text", "features", "vw", "columns")
_WORDS = ["free", "money", "offer", "now", "meeting", "project", "lunch", "report", "cash", "winner", "agenda", "notes"]
_JOBS = ("cook", "pilot", "nurse", "clerk")


def stream(kind: str, n: int, seed: int = 0) -> list[dict[str, Any]]:
    """Examples as a client sends them; labels depend on the features, with some noise."""
    random_ = random.Random(f"{kind} {seed}")
    return [_example(kind, random_) for _ in range(n)]


def _example(kind: str, random_: random.Random) -> dict[str, Any]:
    chosen = random_.sample(range(12), 4)
    positive = (sum(k < 4 or k in (8, 9) for k in chosen) >= 2) ^ (random_.random() < 0.05)
    label = "spam" if positive else "ham"
    words = [_WORDS[k] for k in chosen]
    if kind == "text":
        return {"label": label, "text": " ".join(words)}
    if kind == "vw":
        return {"label": label, "vw": "|w " + " ".join(words)}
    if kind == "features":
        pairs = {k + 1: round(random_.random() + 0.5, 3) for k in sorted(chosen)}
        return {"label": label, "features": " ".join(f"{k}:{value}" for k, value in pairs.items())}
    job = random_.choice(_JOBS) if random_.random() < 0.97 else f"job {random_.randrange(1000)}"
    age = 20 + 3 * sum(k < 4 for k in chosen) + random_.randrange(8)
    return {"label": label, "columns": {"age": age, "job": job, "hours": random_.randrange(60), "pet": words[0]}}


def as_file(kind: str, examples: Sequence[dict[str, Any]], path: Path) -> Path:
    """The same examples in a file that `rosenblatt fit` reads."""
    lines = {
        "text": lambda e: f"{e['label']}\t{e['text']}",
        "vw": lambda e: f"{e['label']} {e['vw']}",
        "features": lambda e: f"{e['label']} {e['features']}",
        "columns": lambda e: json.dumps({**e["columns"], "label": e["label"]}),
    }[kind]
    file = path.with_suffix({"text": ".tsv", "vw": ".vw", "features": ".svm", "columns": ".jsonl"}[kind])
    file.write_text("".join(f"{lines(example)}\n" for example in examples))
    return file


def model_file(kind: str, path: Path, rule: str | Settings = "arow", n: int = 300, **options: Any) -> Path:
    """A model of this kind that has learned some examples in one pass."""
    file = as_file(kind, stream(kind, n, seed=1), path / f"first-{kind}")
    fitted = fit_file(str(file), rule=rule, passes=1, **options)
    target = path / f"{kind}-{rule if isinstance(rule, str) else rule.loss}.model"
    save_model(fitted.model, target)
    return target


def folder_of(model: Path, directory: Path, name: str = "m") -> ModelFolder:
    opened = Directory(str(directory))
    folder = opened.create(name, model.read_bytes())
    opened.close()
    return folder


def start(folder: ModelFolder, keeping: Keeping = Keeping(), limits: Limits = LIMITS) -> ServedModel:  # noqa: B008
    served = ServedModel(folder, keeping, limits)
    served.start()
    return served


def send(served: ServedModel, examples: Any) -> tuple[int, dict[str, Any]]:
    """Learn one example, or several, and wait for the answer."""
    many = isinstance(examples, list)
    body = "\n".join(map(json.dumps, examples)) if many else json.dumps(examples)
    return learn_body(served, body.encode(), lines=many)


def learn_body(served: ServedModel, body: bytes, *, lines: bool = False) -> tuple[int, dict[str, Any]]:
    done = threading.Event()
    submission = Submission(body, lines, lambda _: done.set())
    served.submit(submission)
    assert done.wait(child.SECONDS)
    return submission.status, json.loads(submission.answer)


def send_in_groups(served: ServedModel, examples: Sequence[dict[str, Any]], seed: int = 0) -> None:
    """Learn examples in bodies of various sizes, many at once."""
    random_, at, waiting = random.Random(seed), 0, []
    while at < len(examples):
        part = list(examples[at : at + random_.choice([1, 1, 2, 7, 60])])
        at += len(part)
        done = threading.Event()
        submission = Submission("\n".join(map(json.dumps, part)).encode(), True, lambda _, done=done: done.set())
        served.submit(submission)
        waiting.append((submission, done))
    for submission, done in waiting:
        assert done.wait(child.SECONDS)
        assert submission.status == 200, submission.answer
