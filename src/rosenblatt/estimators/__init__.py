"""The learner behind scikit-learn's interface, one class per file."""

from rosenblatt.estimators.adaline import Adaline
from rosenblatt.estimators.comparing import compare
from rosenblatt.estimators.degrees import degree_report
from rosenblatt.estimators.files import load, save
from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
from rosenblatt.estimators.logistic import LogisticUnit
from rosenblatt.estimators.max_margin import MaxMargin
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.estimators.threshold_network import ThresholdNetwork
from rosenblatt.estimators.tracing import trace

__all__ = [
    "Adaline",
    "KernelPerceptron",
    "LogisticUnit",
    "MaxMargin",
    "Perceptron",
    "ThresholdNetwork",
    "compare",
    "degree_report",
    "load",
    "save",
    "trace",
]
