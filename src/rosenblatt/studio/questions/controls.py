"""What the page is built from: the options of each learner, the examples, and the limits."""

from collections.abc import Mapping
from typing import Any

from rosenblatt import options
from rosenblatt.options import Option
from rosenblatt.studio.questions.example_tables import EXAMPLES
from rosenblatt.studio.questions.network import BUILDS
from rosenblatt.studio.request import CONTROLS, LEARNER_OPTIONS, LOSSES, MAX_BYTES, MAX_EPOCHS, MAX_POINTS


def controls(request: Mapping[str, Any]) -> dict[str, Any]:
    """The options of each learner with their defaults and help, the examples, the networks, the limits.

    >>> controls({})["learners"]["perceptron"]["order"]["default"]
    'given'
    """
    learners = {
        learner: {name: table[name] for name in CONTROLS if name in table} for learner, table in LEARNER_OPTIONS.items()
    }
    learners["kernel"].pop("kernel")  # the control that chooses this learner
    for table in learners.values():
        table["order"] = options.trace_order
    return {
        "loss": _control(options.loss.but(choices=LOSSES)),
        "kernel": _control(options.studio_kernel) | {"parameters": options.KERNEL_PARAMETERS},
        "learners": {
            learner: {name: _control(option) for name, option in table.items()} for learner, table in learners.items()
        },
        "examples": list(EXAMPLES),
        "builds": BUILDS,
        "limits": {"points": MAX_POINTS, "epochs": MAX_EPOCHS, "bytes": MAX_BYTES},
    }


def _control(option: Option[Any]) -> dict[str, Any]:
    labels = {**options.CONTROL_LABELS, **options.FOLDED_CONTROL_LABELS}
    words = options.CHOICE_LABELS.get(option.name, {})
    return {
        "name": option.name,
        "label": labels.get(option.name, option.name),
        "folded": option.name in options.FOLDED_CONTROL_LABELS,
        "kind": "choice" if option.kind is None else option.kind,
        "default": option.default,
        "choices": list(option.choices),
        "choice_labels": {choice: words.get(choice, choice) for choice in option.choices},
        "minimum": option.low if option.low is not None else option.above,
        "help": option.help,
    }
