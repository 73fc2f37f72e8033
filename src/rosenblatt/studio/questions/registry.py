"""Every question that the page can ask, by name: a request as a dict in, an answer as a dict out. No HTTP in here."""

from collections.abc import Callable, Mapping
from typing import Any

from rosenblatt import options
from rosenblatt.options import Option
from rosenblatt.studio.questions.download import file
from rosenblatt.studio.questions.learn import costs, learn, visits
from rosenblatt.studio.questions.lesson_tools import hidden, losses, mail, message
from rosenblatt.studio.questions.lessons import lessons
from rosenblatt.studio.questions.logic import BUILDS, gates
from rosenblatt.studio.questions.regions import still_curves, surfaces
from rosenblatt.studio.questions.relatives import relatives
from rosenblatt.studio.questions.reproduce import takeaway
from rosenblatt.studio.questions.tables import EXAMPLES, example, table
from rosenblatt.studio.questions.verdict import lowest, verdict, whole
from rosenblatt.studio.request import CONTROLS, LOSSES, MOST_BYTES, MOST_EPOCHS, MOST_POINTS, TABLES

Answer = Callable[[Mapping[str, Any]], dict[str, Any]]


def controls(request: Mapping[str, Any]) -> dict[str, Any]:
    """What the page is made of: the options of each loss with their defaults and help, the examples, the limits.

    >>> controls({})["losses"]["perceptron"]["order"]["default"]
    'given'
    """
    tables = {loss: {name: table[name] for name in CONTROLS if name in table} for loss, table in TABLES.items()}
    tables["kernel"].pop("kernel")  # it says which table is shown
    for listed in tables.values():
        listed["order"] = options.trace_order
    return {
        "loss": _control(options.loss.but(choices=LOSSES)),
        "kernel": _control(options.studio_kernel),
        "losses": {
            loss: {name: _control(option) for name, option in listed.items()} for loss, listed in tables.items()
        },
        "examples": list(EXAMPLES),
        "builds": BUILDS,
        "limits": {"points": MOST_POINTS, "epochs": MOST_EPOCHS, "bytes": MOST_BYTES},
    }


def _control(option: Option[Any]) -> dict[str, Any]:
    least = option.low if option.low is not None else option.above
    kind = "choice" if option.kind is None else option.kind
    return {
        "name": option.name,
        "kind": kind,
        "default": option.default,
        "choices": list(option.choices),
        "least": least,
        "help": option.help,
        "expected": option.expected,
    }


ANSWERS: Mapping[str, Answer] = {
    "controls": controls,
    "example": example,
    "table": table,
    "learn": learn,
    "visits": visits,
    "costs": costs,
    "surfaces": surfaces,
    "still": still_curves,
    "verdict": verdict,
    "lowest": lowest,
    "whole": whole,
    "relatives": relatives,
    "takeaway": takeaway,
    "gates": gates,
    "file": file,
    "lessons": lessons,
    "losses": losses,
    "hidden": hidden,
    "mail": mail,
    "message": message,
}
