"""Our side: `rosenblatt fit FILE` and `rosenblatt predict`, as a shell runs them, without an option."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from bench.panel.data.split_files import Split
from bench.panel.measures import measures

TIME_LIMIT = 600


def rosenblatt(*words: object) -> str:
    """The standard output of a command; a failure becomes a RuntimeError with its last words."""
    command = [sys.executable, "-m", "rosenblatt", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIME_LIMIT)
    if done.returncode:
        raise RuntimeError(" ".join(done.stderr.split())[-300:])
    return done.stdout


def children_seconds() -> float:
    """Processor time of the commands so far: what else runs on the machine hardly changes it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@cache
def predict_options() -> tuple[str, ...]:
    """What asks for scores, and for probabilities where this version has them."""
    return ("--json", *(["--proba"] if "--proba" in rosenblatt("predict", "--help") else []))


def run(split: Split) -> dict[str, Any]:
    """The measures of one split, or the sentence with which a command failed."""
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model"
        start, processor = perf_counter(), children_seconds()
        try:
            fitted = json.loads(rosenblatt("fit", split.train, "-o", model, "--json"))
            times = {"seconds": perf_counter() - start, "cpu_seconds": children_seconds() - processor}
            lines = rosenblatt("predict", model, split.test, *predict_options()).splitlines()
        except (RuntimeError, subprocess.TimeoutExpired) as failure:
            return {"failed": str(failure)}
    result = judge([json.loads(line) for line in lines], [str(label) for label in fitted["classes"]], split)
    return result | times | {"rule": fitted["rule"], "passes": fitted["passes"]}


def judge(predictions: list[dict[str, Any]], classes: list[str], split: Split) -> dict[str, Any]:
    """The measures of the lines that `predict` wrote."""
    if len(predictions) != len(split.labels) or set(split.labels) - set(classes):
        return {"failed": f"{len(predictions)} predictions for {len(split.labels)} rows, classes {classes[:20]}"}
    position = {label: code for code, label in enumerate(classes)}
    y, decided = (np.array([position[label] for label in labels]) for labels in (split.labels, labels_of(predictions)))
    proba = None
    if "probabilities" in predictions[0]:
        proba = np.array([[line["probabilities"][label] for label in classes] for line in predictions])
    if "score" in predictions[0]:
        scores = np.array([line["score"] for line in predictions])
    else:  # of many classes probabilities rank better: they compare a class with the others
        scores = np.array([[line["scores"][label] for label in classes] for line in predictions])
        scores = scores if proba is None else proba
    return measures(y, decided, scores, proba)


def labels_of(predictions: list[dict[str, Any]]) -> list[str]:
    return [str(line["label"]) for line in predictions]
