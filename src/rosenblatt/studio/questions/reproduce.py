"""What the screen shows, to repeat elsewhere: the Python code, the command and the table that give the same run."""

import csv
import io
from collections.abc import Mapping
from typing import Any

from rosenblatt import options
from rosenblatt.studio.request import LEARNER_OPTIONS, Points, read_columns, read_options, read_points

_MAX_INLINE_POINTS = 40  # written into the code; more are read from the CSV file
_TRACE_OPTIONS = (
    "loss",
    "learning_rate",
    "eta0",
    "margin",
    "r",
    "order",
    "batch",
    "multi_class",
    "max_iter",
    "random_state",
    "fit_intercept",
)


def reproduce(request: Mapping[str, Any]) -> dict[str, Any]:
    """Code, command and CSV of a request; the command is None where the command line has no such option.

    >>> AND = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 0, 0, 1], "classes": [-1, 1]}
    >>> reproduce(AND)["command"]
    'rosenblatt trace studio.csv --order given --passes 50'
    """
    points = read_points(request)
    learner, chosen = read_options(request, len(points.X))
    defaults = LEARNER_OPTIONS[learner]
    arguments = {
        name: value for name, value in chosen.items() if name in ("order", "kernel") or value != defaults[name].default
    }
    code = _kernel_code(points, arguments) if learner == "kernel" else _trace_code(points, learner, arguments)
    return {"python": code, "command": _command(learner, arguments), "csv": _csv(points, read_columns(request))}


# -- Python -----------------------------------------------------------------------------------------------------------


def _trace_code(points: Points, learner: str, arguments: Mapping[str, Any]) -> str:
    keywords = [f"{name}={value!r}" for name, value in arguments.items() if name != "degree"]
    if learner != options.loss.default:
        keywords.insert(0, f"loss={learner!r}")
    load, features = _load_code(points, ["certify", "trace"]), "X"
    if "degree" in arguments:  # trace has no degree: it gets the products
        load = "from sklearn.preprocessing import PolynomialFeatures\n" + load
        load += f"Z = PolynomialFeatures({arguments['degree']}, include_bias=False).fit_transform(X)\n"
        features = "Z"
    code = f"{load}run = trace({', '.join([features, 'y', *keywords])})\n"
    code += "print(run.run.status, run.run.n_mistakes, run.replay())\n"
    return code + (f"print(certify({features}, y).explain())\n" if len(points.present) == 2 else "")


def _kernel_code(points: Points, arguments: Mapping[str, Any]) -> str:
    keywords = ", ".join([f"{name}={value!r}" for name, value in arguments.items()] + ["record=True"])
    return (
        f"{_load_code(points, ['KernelPerceptron'])}model = KernelPerceptron({keywords}).fit(X, y)\n"
        "print(model.status_, model.n_mistakes_, model.score(X, y))\n"
        "print(model.trace_.row, model.trace_.coefficient)  # the mistake log\n"
    )


def _load_code(points: Points, names: list[str]) -> str:
    """The import of these names, and the examples: written into the code, or read from the file."""
    if len(points.X) <= _MAX_INLINE_POINTS:
        pairs = ", ".join(f"[{_number(a)}, {_number(b)}]" for a, b in points.X.tolist())
        data = f"X = [{pairs}]\ny = {points.y.tolist()!r}\n"
    else:
        names, data = [*names, "read"], 'X, y = read("studio.csv")\n'
    return f"from rosenblatt import {', '.join(sorted(names, key=str.lower))}\n\n{data}"


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


# -- the command ------------------------------------------------------------------------------------------------------


def _command(learner: str, arguments: Mapping[str, Any]) -> str | None:
    """`rosenblatt trace` of the same run, with the options whose default differs in the command."""
    if learner == "kernel" or "degree" in arguments:
        return None
    defaults = LEARNER_OPTIONS[learner]
    flags = {"order": arguments["order"], "max_iter": defaults["max_iter"].default, **arguments}
    if learner != options.loss.default:
        differing = {name: defaults[name].default for name in ("learning_rate", "eta0", "multi_class")}
        flags = {"loss": learner, **differing, **flags}
    flags.pop("keep", None)  # a trace shows the run itself, whatever is kept of it
    if set(flags) - set(_TRACE_OPTIONS) or flags.get("random_state", 0) is None:
        return None
    words = [options.as_flag(name, flags[name]) for name in _TRACE_OPTIONS if name in flags]
    return " ".join(["rosenblatt trace studio.csv", *words])


def _csv(points: Points, columns: tuple[str, str]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([*columns, "label"])
    for (a, b), label in zip(points.X.tolist(), points.y.tolist(), strict=True):
        writer.writerow([_number(a), _number(b), label])
    return text.getvalue()
