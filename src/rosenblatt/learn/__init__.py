"""Examples -> a run: the epoch loop, stopping, resuming, and the answer that is kept."""

from __future__ import annotations

from importlib import import_module

from rosenblatt.later import TYPE_CHECKING
from rosenblatt.learn.answer import Answer, decide, scores
from rosenblatt.learn.fitted import Candidate, Fitted, Progress
from rosenblatt.learn.model import Model
from rosenblatt.learn.model_file import load_model, save_model
from rosenblatt.learn.portfolio import PORTFOLIO, RULES
from rosenblatt.learn.running import Running, share_pass
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.stream import fit_file

if TYPE_CHECKING:
    from typing import Any

    from rosenblatt.learn.online import Learner
    from rosenblatt.learn.predicting import Predicted, predict_file
    from rosenblatt.learn.trace import EpochEnd, Step, Trace

# What the command line's fit does not need is loaded when it is first used.
_HOMES = {
    "EpochEnd": "trace",
    "Learner": "online",
    "Predicted": "predicting",
    "Step": "trace",
    "Trace": "trace",
    "predict_file": "predicting",
}

__all__ = [
    "PORTFOLIO",
    "RULES",
    "Answer",
    "Candidate",
    "EpochEnd",
    "Fitted",
    "Learner",
    "Model",
    "Predicted",
    "Progress",
    "Running",
    "Settings",
    "Step",
    "Trace",
    "decide",
    "fit_file",
    "load_model",
    "predict_file",
    "save_model",
    "scores",
    "share_pass",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rosenblatt.learn' has no attribute {name!r}")
    return getattr(import_module(f"rosenblatt.learn.{_HOMES[name]}"), name)
