"""The parameters of `studio`, and what its page calls those of the learners."""

from collections.abc import Mapping
from typing import Any

from rosenblatt.options.estimators.kernel_perceptron import kernel
from rosenblatt.options.option import Option

port: Option[int] = Option(
    name="port", default=0, kind="int", low=0, below=65536, help="The port to listen on; 0 means any free one."
)
host: Option[str] = Option(
    name="host",
    default="127.0.0.1",
    kind="str",
    help="The address to listen on: 0.0.0.0 is every network that this machine is on.",
)
class_: Option[bool] = Option(
    name="class_",
    default=False,
    kind="bool",
    help="Serve a class: the address needs no token, the server keeps no state, and work is shared fairly among all "
    "users.",
)
frame_ancestors: Option[Any] = Option(
    name="frame_ancestors",
    default=None,
    none_allowed=True,
    kind="strs",
    help="A site that may embed the page of a class, such as https://lms.example; repeat it for several.",
)
lessons: Option[str | None] = Option(
    name="lessons",
    default=None,
    none_allowed=True,
    kind="path",
    help="A folder with lessons of your own, one Markdown file each; they come after the built-in ones.",
)
results: Option[str | None] = Option(
    name="results",
    default=None,
    none_allowed=True,
    kind="path",
    help="Show which lessons were done, from the result files of students in this folder, and exit.",
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

# What the lectures call each option, in the order of the page; those in the second table are folded away.
CONTROL_LABELS: Mapping[str, str] = {
    "kernel": "kernel",
    "degree": "degree of the curve",
    "gamma": "sharpness of the kernel",
    "coef0": "constant of the kernel",
    "eta0": "learning rate",
    "order": "order of the rows",
    "max_iter": "epochs at most",
    "multi_class": "several classes",
}
FOLDED_CONTROL_LABELS: Mapping[str, str] = {
    "learning_rate": "how the rate falls",
    "margin": "margin asked for",
    "r": "caution of AROW",
    "batch": "rows in a batch",
    "keep": "weights that are kept",
    "init": "weights at the start",
    "fit_intercept": "learn the bias",
    "random_state": "seed of chance",
}
# What each kernel has in its formula; the page shows no other of these controls.
KERNEL_PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "linear": (),
    "poly": ("degree", "gamma", "coef0"),
    "rbf": ("gamma",),
}
CHOICE_LABELS: Mapping[str, Mapping[str, str]] = {
    "loss": {"perceptron": "perceptron", "squared": "squared: Adaline", "logistic": "logistic"},
    "kernel": {
        "none": "none: line or curve",
        "linear": "linear: x·z",
        "poly": "poly: (γ x·z + c)ᵈ",
        "rbf": "rbf: hills",
    },
    "order": {"given": "given", "shuffle": "shuffle: each epoch", "sample": "sample: any row"},
    "multi_class": {
        "ovr": "ovr: against the rest",
        "ovo": "ovo: pair by pair",
        "joint": "joint: all together",
    },
    "keep": {
        "last": "last",
        "average": "average of all",
        "vote": "vote of all",
        "pocket": "pocket: best so far",
    },
    "learning_rate": {
        "constant": "constant",
        "inverse": "inverse: η/(1+step)",
        "invsqrt": "invsqrt: η/√(1+step)",
    },
}
