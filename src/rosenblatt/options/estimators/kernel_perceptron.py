"""The parameters of KernelPerceptron, some of which it shares with Perceptron."""

from collections.abc import Callable, Mapping
from typing import Any

from rosenblatt.options.estimators.learner import (
    class_weight,
    fit_intercept,
    keep,
    margin,
    max_iter,
    multi_class,
    order,
    random_state,
    record,
    warm_start,
)
from rosenblatt.options.option import Option, by_name

kernel: Option[str | Callable[[Any, Any], Any]] = Option(
    name="kernel",
    default="rbf",
    choices=("linear", "poly", "rbf", "precomputed"),
    kind="function",
    help="k(x, z), the inner product after a feature map: x.z (linear), (gamma x.z + coef0)^degree (poly), "
    "exp(-gamma |x - z|^2) (rbf), a function of X and Z that returns the matrix, or X is that matrix (precomputed).",
)
kernel_degree: Option[int] = Option(
    name="degree", default=3, kind="int", low=1, help="The degree of the polynomial kernel; ignored by the others."
)
gamma: Option[float | str | None] = Option(
    name="gamma",
    default=None,
    choices=("scale",),
    kind="float",
    above=0,
    none_allowed=True,
    help="The scale of the poly and rbf kernels: 1 / number of features (None), that divided by the variance of X "
    "('scale'), or a number.",
)
coef0: Option[float] = Option(
    name="coef0",
    default=1.0,
    kind="float",
    low=0,
    help="The constant in the polynomial kernel; above 0 it adds the products of lower degree.",
)
budget: Option[int | None] = Option(
    name="budget",
    default=None,
    kind="int",
    low=1,
    none_allowed=True,
    help="How many support examples a unit keeps: all its mistakes (None), or at most this many, the oldest forgotten "
    "as in the Forgetron (Dekel, Shalev-Shwartz and Singer 2008).",
)
cache_mb: Option[float] = Option(
    name="cache_mb",
    default=200.0,
    kind="float",
    low=0,
    help="Megabytes for kernel values: if those of all pairs of rows fit, they are computed once for all epochs.",
)
kernel_margin = margin.but(help="An example is a mistake when y*s <= margin; 0 is Rosenblatt's rule.")

KERNEL_PERCEPTRON: Mapping[str, Option[Any]] = by_name(
    (
        kernel,
        kernel_degree,
        gamma,
        coef0,
        budget,
        kernel_margin,
        keep,
        order,
        max_iter,
        fit_intercept,
        multi_class,
        class_weight,
        warm_start,
        record,
        cache_mb,
        random_state,
    )
)
