"""Examples -> a run: the epoch loop, stopping, resuming, and the answer that is kept."""

from rosenblatt.learn.answer import Answer, decide, scores
from rosenblatt.learn.model import Model
from rosenblatt.learn.model_file import load_model, save_model
from rosenblatt.learn.online import Learner
from rosenblatt.learn.running import Running, share_pass
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.trace import EpochEnd, Step, Trace

__all__ = [
    "Answer",
    "EpochEnd",
    "Learner",
    "Running",
    "Settings",
    "Step",
    "Trace",
    "decide",
    "Learner",
    "Model",
    "Running",
    "Settings",
    "decide",
    "load_model",
    "save_model",
    "scores",
    "share_pass",
]
