"""The function `trace`: learn, and record every step."""

from typing import Any

from rosenblatt import options
from rosenblatt.errors import ParameterError
from rosenblatt.estimators.units_by_name import BY_LOSS
from rosenblatt.learn.replay.trace import Trace


def trace(X: Any, y: Any, *, sample_weight: Any = None, loss: str = options.loss.default, **parameters: Any) -> Trace:
    """Learn from the examples with the estimator of this loss, and return every step of the run.

    Parameters
    ----------
    X : array or sparse matrix
        The examples, a row each.
    y : array
        Their labels.
    sample_weight : array, optional
        How much each example counts.
    loss : 'perceptron', 'squared' or 'logistic', default='perceptron'
        Which estimator learns.
    **parameters
        Those of the estimator, see below.

    Returns
    -------
    Trace
        Every step, which can be iterated over, replayed, drawn, and written as CSV or JSON.

    Notes
    -----
    The other parameters are those of `Perceptron` (of `Adaline` for the squared loss, of `LogisticUnit` for the
    logistic). Some defaults differ, to be those of the lectures: the examples are visited in the order given, in at
    most 50 epochs, and the logistic loss has a constant rate of 1.

    Examples
    --------
    >>> AND = trace([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1])
    >>> AND
    Trace(18 updates, 36 examples visited, 9 epochs, separated)
    >>> AND.replay(2), AND.replay()
    (array([0., 1., 1.]), array([-4.,  3.,  2.]))
    """
    if loss not in BY_LOSS:
        raise ParameterError(
            f"The 'loss' parameter of trace must be one of {', '.join(BY_LOSS)}. Got {loss!r} instead."
        )
    estimator = BY_LOSS[loss]
    defaults = {name: option.default for name, option in options.TRACED[loss].items()}
    parameters = defaults | {"order": options.trace_order.default} | parameters | {"record": True}
    unknown = [name for name in parameters if name not in estimator._options]
    if unknown:
        known = ", ".join(estimator._options)
        raise ParameterError(f"trace has no parameter {unknown[0]!r} for the {loss} loss; its parameters are {known}.")
    return estimator(**parameters).fit(X, y, sample_weight).trace_
