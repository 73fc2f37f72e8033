"""Rosenblatt learns and certifies linear separators: from a four-row truth table to a stream that never ends.

Each public name is loaded when it is first used, so that the command line does not wait for scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt.certificates import figures_hook
from rosenblatt.version import __version__ as __version__

if TYPE_CHECKING:
    from rosenblatt import errors as errors
    from rosenblatt import logic as logic
    from rosenblatt import losses as losses
    from rosenblatt.certificates.certificate_file import load_certificate as load_certificate
    from rosenblatt.certificates.certify import certify as certify
    from rosenblatt.certificates.certify_classes import certify_classes as certify_classes
    from rosenblatt.certificates.error_bracket import error_bracket as error_bracket
    from rosenblatt.certificates.exact_fit.fits_exactly import fits_exactly as fits_exactly
    from rosenblatt.certificates.theorem import theorem_run as theorem_run
    from rosenblatt.comparison.compare import compare as compare
    from rosenblatt.comparison.degrees import degree_report as degree_report
    from rosenblatt.estimators.adaline import Adaline as Adaline
    from rosenblatt.estimators.kernel_perceptron import KernelPerceptron as KernelPerceptron
    from rosenblatt.estimators.linear_predictor import LinearPredictor as LinearPredictor
    from rosenblatt.estimators.linear_separator import LinearSeparator as LinearSeparator
    from rosenblatt.estimators.linear_unit import LinearUnit as LinearUnit
    from rosenblatt.estimators.logistic_unit import LogisticUnit as LogisticUnit
    from rosenblatt.estimators.max_margin import MaxMargin as MaxMargin
    from rosenblatt.estimators.model_files.save_load import load as load
    from rosenblatt.estimators.model_files.save_load import save as save
    from rosenblatt.estimators.perceptron import Perceptron as Perceptron
    from rosenblatt.estimators.threshold_network import ThresholdNetwork as ThresholdNetwork
    from rosenblatt.estimators.trace import trace as trace
    from rosenblatt.learn.online import Learner as Learner
    from rosenblatt.model.fit_file import fit_file as fit_file
    from rosenblatt.readers.read import read as read
    from rosenblatt.readers.read import stream as stream
    from rosenblatt.report import figures as figures
    from rosenblatt.report.animation.animate import animate as animate
    from rosenblatt.serve.client import AsyncClient as AsyncClient
    from rosenblatt.serve.client import Client as Client

# public name: the module that defines it, or that it is
_HOMES = {
    "Adaline": "estimators.adaline",
    "AsyncClient": "serve.client",
    "Client": "serve.client",
    "KernelPerceptron": "estimators.kernel_perceptron",
    "Learner": "learn.online",
    "LinearPredictor": "estimators.linear_predictor",
    "LinearSeparator": "estimators.linear_separator",
    "LinearUnit": "estimators.linear_unit",
    "LogisticUnit": "estimators.logistic_unit",
    "MaxMargin": "estimators.max_margin",
    "Perceptron": "estimators.perceptron",
    "ThresholdNetwork": "estimators.threshold_network",
    "animate": "report.animation.animate",
    "certify": "certificates.certify",
    "certify_classes": "certificates.certify_classes",
    "compare": "comparison.compare",
    "degree_report": "comparison.degrees",
    "error_bracket": "certificates.error_bracket",
    "errors": "errors",
    "figures": "report.figures",
    "fit_file": "model.fit_file",
    "fits_exactly": "certificates.exact_fit.fits_exactly",
    "load": "estimators.model_files.save_load",
    "load_certificate": "certificates.certificate_file",
    "logic": "logic",
    "losses": "losses",
    "read": "readers.read",
    "save": "estimators.model_files.save_load",
    "stream": "readers.read",
    "theorem_run": "certificates.theorem",
    "trace": "estimators.trace",
}

__all__ = list(_HOMES)


def _load_figures() -> Any:
    from rosenblatt.report import figures

    return figures


figures_hook.load_figures = _load_figures  # so that certificate.plot() needs no import of a higher layer


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}; its names are {', '.join(__all__)}")
    module = import_module(f"rosenblatt.{_HOMES[name]}")
    return module if name in ("errors", "figures", "logic", "losses") else getattr(module, name)


def __dir__() -> list[str]:
    return __all__
