"""Every learning rate and every named rule, once.

A new rule is its update in cpp/learn/rules/score_decide_update.hpp and its entries here. The options take their choices
from these tables; settings, the portfolio, model files and traces ask them what a learning rate does.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

MISTAKE_DRIVEN_LOSSES = ("perceptron", "hinge")  # right decisions beyond the margin cost nothing and change nothing


class LearningRate(NamedTuple):
    """What distinguishes a learning rate from a plain multiple of the example.

    A step of adagrad moves a score by eta0 times the length of the example; r of arow, and 1/C of pa1 and pa2 (C is
    eta0), scale with its square. Hence `length_power`: on examples k times as long, `length_parameter` times
    k**length_power learns the same.
    """

    moves_to_margin: bool = False  # each update moves its example to the margin, so one on the margin is not a mistake
    per_feature: bool = False  # keeps one more number for each weight: a sum of squares, or a variance
    per_feature_start: float = 0.0
    per_feature_least: float = 0.0  # the least value in a sound model file
    learns_classes: bool = True
    learns_numbers: bool = True
    one_example_at_a_time: bool = False  # no batches
    length_parameter: str | None = None
    length_power: int = 0


LEARNING_RATES: Mapping[str, LearningRate] = MappingProxyType(
    {
        "constant": LearningRate(),
        "inverse": LearningRate(),
        "invsqrt": LearningRate(),
        "adagrad": LearningRate(per_feature=True, length_parameter="eta0", length_power=-1),
        "pa1": LearningRate(
            moves_to_margin=True,
            one_example_at_a_time=True,
            learns_numbers=False,
            length_parameter="eta0",
            length_power=-2,
        ),
        "pa2": LearningRate(
            moves_to_margin=True,
            one_example_at_a_time=True,
            learns_numbers=False,
            length_parameter="eta0",
            length_power=-2,
        ),
        "arow": LearningRate(
            moves_to_margin=True,
            one_example_at_a_time=True,
            per_feature=True,
            per_feature_start=1.0,
            per_feature_least=-(2.0**-40),  # rounding may leave a very small variance just below 0
            length_parameter="r",
            length_power=2,
        ),
        "invariant": LearningRate(
            learns_classes=False, one_example_at_a_time=True, length_parameter="eta0", length_power=-2
        ),
    }
)

# The rules of `fit` by name: what they set of learn.settings.Settings, for examples of length 1.
RULES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "perceptron": {"keep": "average"},
        "arow": {"learning_rate": "arow", "r": 0.1},
        "arow-bold": {"learning_rate": "arow", "r": 1e-5},
        "logistic": {"loss": "logistic", "learning_rate": "adagrad", "eta0": 0.5, "multi_class": "joint"},
        "logistic-bold": {"loss": "logistic", "learning_rate": "adagrad", "eta0": 1.5, "multi_class": "joint"},
        "logistic-average": {"loss": "logistic", "eta0": 1.0, "keep": "average", "multi_class": "joint"},
        "logistic-average-bold": {"loss": "logistic", "eta0": 8.0, "keep": "average", "multi_class": "joint"},
        "hinge": {"loss": "hinge", "learning_rate": "adagrad", "eta0": 1.0},
        "pa1": {"learning_rate": "pa1", "eta0": 0.1, "keep": "average"},
        "pa2": {"learning_rate": "pa2", "eta0": 0.1, "keep": "average"},
        "last": {},
    }
)

# The same for numbers, whose loss is what `error` and `quantiles` say: for targets about 0 and about 1 apart.
NUMBER_RULES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "number-average": {"eta0": 0.25, "keep": "average"},
        "number-adagrad": {"learning_rate": "adagrad", "eta0": 0.5},
        "number-invariant": {"learning_rate": "invariant", "eta0": 0.5, "keep": "average"},
    }
)
