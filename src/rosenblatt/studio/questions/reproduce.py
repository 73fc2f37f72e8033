"""What the screen shows, to take away: the Python code, the command and the table that give the same run again."""

from collections.abc import Mapping
from typing import Any

from rosenblatt import options
from rosenblatt.studio.request import TABLES, Plane, chosen_of, plane_of

_INLINE = 40  # points that are written into the code; more go to a file
_FLAGS = {"max_iter": "passes", "random_state": "seed"}
_COMMAND = ("loss", "learning_rate", "eta0", "margin", "r", "order", "batch", "multi_class", "max_iter", "random_state")


def takeaway(request: Mapping[str, Any]) -> dict[str, Any]:
    """Code, command and CSV of a request; the command is None where the command line has no such option.

    >>> AND = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 0, 0, 1], "classes": [-1, 1]}
    >>> made = takeaway(AND)
    >>> made["command"]
    'rosenblatt trace studio.csv --order given --passes 50'
    """
    plane = plane_of(request)
    loss, chosen = chosen_of(request, len(plane.X))
    table = TABLES[loss]
    told = {
        name: value for name, value in chosen.items() if name in ("order", "kernel") or value != table[name].default
    }
    return {"python": _python(plane, loss, told), "command": _command(loss, told), "csv": _csv(plane)}


def _load(plane: Plane, names: list[str]) -> str:
    """The examples, written into the code or read from the file, and what the code takes from Rosenblatt."""
    if len(plane.X) <= _INLINE:
        rows = f"X = {_numbers(plane.X.tolist())}\ny = {plane.y.tolist()!r}\n"
        return f"from rosenblatt import {', '.join(sorted(names, key=str.lower))}\n\n" + rows
    taken = ", ".join(sorted([*names, "read"], key=str.lower))
    return f'from rosenblatt import {taken}\n\nX, y = read("studio.csv")\n'


def _python(plane: Plane, loss: str, told: Mapping[str, Any]) -> str:
    if loss == "kernel":
        return _kernel_python(plane, told)
    said = [f"{name}={value!r}" for name, value in told.items() if name != "degree"]
    if loss != options.loss.default:
        said.insert(0, f"loss={loss!r}")
    load, features = _load(plane, ["certify", "trace"]), "X"
    if "degree" in told:  # every step is told on the products, written out
        load = "from sklearn.preprocessing import PolynomialFeatures\n" + load
        load += f"Z = PolynomialFeatures({told['degree']}, include_bias=False).fit_transform(X)\n"
        features = "Z"
    code = f"{load}run = trace({', '.join([features, 'y', *said])})\n"
    code += "print(run.run.status, run.run.n_mistakes, run.replay())\n"
    return code + (f"print(certify({features}, y).explain())\n" if len(plane.present) == 2 else "")


def _kernel_python(plane: Plane, told: Mapping[str, Any]) -> str:
    said = ", ".join([f"{name}={value!r}" for name, value in told.items()] + ["record=True"])
    load = _load(plane, ["KernelPerceptron"])
    return (
        f"{load}model = KernelPerceptron({said}).fit(X, y)\n"
        "print(model.status_, model.n_mistakes_, model.score(X, y))\n"
        "print(model.trace_.row, model.trace_.coefficient)  # the mistake log\n"
    )


def _numbers(rows: list[list[float]]) -> str:
    return "[" + ", ".join(f"[{_number(a)}, {_number(b)}]" for a, b in rows) + "]"


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def _command(loss: str, told: Mapping[str, Any]) -> str | None:
    """`rosenblatt trace` of the same run; its own defaults are said too where they differ from the learner's."""
    if loss == "kernel" or "degree" in told:
        return None
    given = (
        {"loss": loss, "order": told["order"]}
        | {name: TABLES[loss][name].default for name in ("max_iter",)}
        | dict(told)
    )
    if loss != options.loss.default:  # these losses have other defaults than the command's
        given = {name: TABLES[loss][name].default for name in ("learning_rate", "eta0", "multi_class")} | given
    else:
        del given["loss"]
    bias = given.pop("fit_intercept", True)
    given.pop("keep", None)  # a trace shows the run, whatever is kept of it
    if set(given) - set(_COMMAND) or given.get("random_state", 0) is None:
        return None
    words = [f"--{_FLAGS.get(name, name).replace('_', '-')} {given[name]}" for name in _COMMAND if name in given]
    return " ".join(["rosenblatt trace studio.csv", *words, *([] if bias else ["--no-intercept"])])


def _csv(plane: Plane) -> str:
    lines = [
        f"{_number(a)},{_number(b)},{_quoted(label)}"
        for (a, b), label in zip(plane.X.tolist(), plane.y.tolist(), strict=True)
    ]
    return "\n".join(["x1,x2,label", *lines]) + "\n"


def _quoted(label: Any) -> str:
    text = str(label)
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"\n\r') else text
