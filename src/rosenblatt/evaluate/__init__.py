"""Predictions -> scores: how good a model is, with confidence intervals."""

from rosenblatt.evaluate.counting import ClassScores
from rosenblatt.evaluate.intervals import Estimate
from rosenblatt.evaluate.judging import judge, link_of
from rosenblatt.evaluate.ranking import roc_points
from rosenblatt.evaluate.tally import Scores, Tally, evaluate

__all__ = ["ClassScores", "Estimate", "Scores", "Tally", "evaluate", "judge", "link_of", "roc_points"]
