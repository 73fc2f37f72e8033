"""Learn, and keep every step."""

from typing import Any

from rosenblatt import options
from rosenblatt.errors import ParameterError
from rosenblatt.estimators.adaline import Adaline
from rosenblatt.estimators.logistic import LogisticUnit
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.learn.replay.trace import Trace

_LEARNERS = {"perceptron": Perceptron, "squared": Adaline, "logistic": LogisticUnit}


def trace(X: Any, y: Any, *, sample_weight: Any = None, loss: str = options.loss.default, **chosen: Any) -> Trace:
    """Learn from the examples as the learner of this loss would, and give back every step of the run.

    The other options are those of `Perceptron` (or `Adaline` for the squared loss, `LogisticUnit` for the logistic).
    One default differs: the examples are visited in the order given, as in the lectures.

    >>> AND = trace([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1])
    >>> AND
    Trace(18 updates, 36 examples visited, 9 epochs, separated)
    >>> AND.replay(2), AND.replay()
    (array([0., 1., 1.]), array([-4.,  3.,  2.]))
    """
    if loss not in _LEARNERS:
        raise ParameterError(
            f"The 'loss' parameter of trace must be one of {', '.join(_LEARNERS)}. Got {loss!r} instead."
        )
    told = {"order": options.trace_order.default} | chosen | {"record": True}
    learner = _LEARNERS[loss]
    unknown = [name for name in told if name not in learner._options]
    if unknown:
        known = ", ".join(learner._options)
        raise ParameterError(f"trace has no parameter {unknown[0]!r} for the {loss} loss; its parameters are {known}.")
    return learner(**told).fit(X, y, sample_weight).trace_
