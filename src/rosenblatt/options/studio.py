"""The parameters of `studio`."""

from typing import Any

from rosenblatt.options.kernel_perceptron import kernel
from rosenblatt.options.option import Option

port: Option[int] = Option(
    name="port", default=0, kind="int", low=0, below=65536, help="The local port to listen on; 0 means any free one."
)
browser: Option[bool] = Option(
    name="browser", default=True, kind="bool", help="Open the page in the browser, or only print its address."
)

# On the page the default is the perceptron itself; a kernel chooses the dual form.
studio_kernel: Option[Any] = kernel.but(
    default="none",
    choices=("none", "linear", "poly", "rbf"),
    kind=None,
    help="The perceptron itself (none), or its dual form with k(x, z), the inner product after a feature map: "
    "x.z (linear), (gamma x.z + coef0)^degree (poly), exp(-gamma |x - z|^2) (rbf).",
)
