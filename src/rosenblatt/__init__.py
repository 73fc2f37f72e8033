"""Rosenblatt learns and certifies linear separators: from a four-row truth table to a stream that never ends.

The public names, each loaded when it is first used: the command line must not pay for scikit-learn.
"""

from __future__ import annotations

from importlib import import_module

from rosenblatt.later import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from rosenblatt import certify, errors, logic, losses
    from rosenblatt.certify import certify_classes, error_bracket, load_certificate, theorem_run
    from rosenblatt.estimators import (
        Adaline,
        KernelPerceptron,
        LogisticUnit,
        MaxMargin,
        Perceptron,
        ThresholdNetwork,
        compare,
        degree_report,
        load,
        save,
        trace,
    )
    from rosenblatt.learn import Learner, fit_file
    from rosenblatt.read.api import read, stream
    from rosenblatt.report import figures
    from rosenblatt.report.animate import animate

_HOMES = {
    "Adaline": "rosenblatt.estimators",
    "KernelPerceptron": "rosenblatt.estimators",
    "Learner": "rosenblatt.learn",
    "LogisticUnit": "rosenblatt.estimators",
    "MaxMargin": "rosenblatt.estimators",
    "Perceptron": "rosenblatt.estimators",
    "ThresholdNetwork": "rosenblatt.estimators",
    "animate": "rosenblatt.report.animate",
    "certify": "rosenblatt",
    "certify_classes": "rosenblatt.certify",
    "compare": "rosenblatt.estimators",
    "degree_report": "rosenblatt.estimators",
    "error_bracket": "rosenblatt.certify",
    "errors": "rosenblatt",
    "figures": "rosenblatt.report",
    "fit_file": "rosenblatt.learn",
    "load": "rosenblatt.estimators",
    "load_certificate": "rosenblatt.certify",
    "logic": "rosenblatt",
    "losses": "rosenblatt",
    "read": "rosenblatt",
    "save": "rosenblatt.estimators",
    "stream": "rosenblatt.read.api",
    "theorem_run": "rosenblatt.certify",
    "trace": "rosenblatt.estimators",
}
_MODULES = {"certify", "errors", "figures", "logic", "losses", "read"}

__all__ = [
    "Adaline",
    "KernelPerceptron",
    "Learner",
    "LogisticUnit",
    "MaxMargin",
    "Perceptron",
    "ThresholdNetwork",
    "animate",
    "certify",
    "certify_classes",
    "compare",
    "degree_report",
    "error_bracket",
    "errors",
    "figures",
    "fit_file",
    "load",
    "load_certificate",
    "logic",
    "losses",
    "read",
    "save",
    "stream",
    "theorem_run",
    "trace",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}; its names are {', '.join(__all__)}")
    home = _HOMES[name]
    return import_module(f"{home}.{name}") if name in _MODULES else getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
