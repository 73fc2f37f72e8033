"""Predictions -> scores: how good a model is, with confidence intervals."""

from rosenblatt.evaluate.counting import ClassScores
from rosenblatt.evaluate.intervals import Estimate
from rosenblatt.evaluate.ranking import roc_points
from rosenblatt.evaluate.tally import Scores, Tally, evaluate

__all__ = ["ClassScores", "Estimate", "Scores", "Tally", "evaluate", "roc_points"]
