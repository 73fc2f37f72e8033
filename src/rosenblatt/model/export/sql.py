"""A model as SQL: one SELECT that scores and decides every row of a table, with standard arithmetic and CASE only."""

from collections.abc import Sequence

import numpy as np

from rosenblatt.errors import ModelError, option
from rosenblatt.model.export.sql_columns import EXPORT_OTHERWISE, SqlColumns, name, number, text
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.multi_label import MultiLabelModel
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.records import Label

TABLE = "data"


def to_sql(model: LinearModel, table: str = TABLE) -> str:
    """A SELECT of all columns of a table, the scores, and the label or the prediction.

    The table has the columns of the model; for a model of numbered features they are f1, f2, ..., with the numbers of
    the file. A missing value adds nothing. Several labels are joined by their separator, as predict writes them.
    """
    if model.space.kind == "hashed" or model.space.bits:
        raise ModelError(f"SQL needs named columns, and this model hashes words into weights: {EXPORT_OTHERWISE}.")
    if model.scheme == "ovo":
        raise ModelError(
            f"SQL cannot hold a one-vs-one vote: export it with {option('to', 'python')} or {option('to', 'onnx')}, or "
            "learn it one-vs-rest."
        )
    columns = SqlColumns(model.space)
    scores = [_score(model, unit, columns) for unit in range(len(model.coef))]
    names = [columns.free(score) for score in _score_names(model)]
    steps = [*columns.helpers, dict(zip(names, scores, strict=True))]
    if isinstance(model, NumberModel):
        in_order, names = _sorting_steps(names, columns)
        steps += in_order
    last = name(table)
    selects = []
    for i, step in enumerate(steps, 1):
        added = ",\n".join(f"  {expression} AS {name(alias)}" for alias, expression in step.items())
        once = "" if i == len(steps) else "MATERIALIZED "  # without it SQLite repeats a helper at each use
        selects.append(f"step_{i} AS {once}(SELECT *,\n{added}\nFROM {last})")
        last = f"step_{i}"
    if isinstance(model, NumberModel):
        answers = [f"{name(score)} AS {name(columns.free(alias))}" for score, alias in _answers(model, names)]
        return f"WITH {', '.join(selects)}\nSELECT *, {', '.join(answers)} FROM {last};\n"
    # The table may lack the label column, and seldom has labels yet: "label" is free for the prediction.
    label = "label" if model.space.settings.get("label") == "label" else columns.free("label")
    decided = f"{_decision(model, names)} AS {name(label)}"
    return f"WITH {', '.join(selects)}\nSELECT *, {decided} FROM {last};\n"


def _score_names(model: LinearModel) -> list[str]:
    if isinstance(model, NumberModel):
        return [f"unit_{level}" for level in model.levels] or ["unit"]
    return ["score"] if model.scheme == "binary" else [f"score_{label}" for label in model.classes]


def _answers(model: NumberModel, names: Sequence[str]) -> list[tuple[str, str]]:
    """(column, alias) of the prediction and of each quantile."""
    quantiles = zip(names, [f"q{level:g}" for level in model.levels], strict=False)
    return [(names[model.median_unit], "prediction"), *quantiles]


def _sorting_steps(names: list[str], columns: SqlColumns) -> tuple[list[dict[str, str]], list[str]]:
    """Steps that put the values of these columns in ascending order, and the columns that then hold them: neighbours
    are exchanged in turn, even pairs and odd ones, as often as there are columns (Knuth 1973, 5.3.4)."""
    steps = []
    for turn in range(len(names) if len(names) > 1 else 0):
        step, names = {}, list(names)
        for left in range(turn % 2, len(names) - 1, 2):
            low, high = name(names[left]), name(names[left + 1])
            names[left], names[left + 1] = columns.free(f"low_{turn}_{left}"), columns.free(f"high_{turn}_{left}")
            step[names[left]] = f"CASE WHEN {low} <= {high} THEN {low} ELSE {high} END"
            step[names[left + 1]] = f"CASE WHEN {low} <= {high} THEN {high} ELSE {low} END"
        if step:
            steps.append(step)
    return steps, names


def _score(model: LinearModel, unit: int, columns: SqlColumns) -> str:
    row = model.coef[unit]
    terms = [number(float(model.intercept[unit]))]
    for j in map(int, np.flatnonzero(row)):
        weight = number(float(row[j]))
        for factor in model.factors(j):  # of a product: each factor multiplies the term so far
            value, is_condition = columns.value(factor)
            weight = (
                f"CASE WHEN {value} THEN {weight} ELSE 0 END" if is_condition else f"COALESCE({weight} * {value}, 0)"
            )
        terms.append(weight)
    return _joined(terms, "+")


def _joined(terms: Sequence[str], sign: str) -> str:
    """The terms joined in a balanced tree: databases limit how deeply an expression may be nested, not its length."""
    if len(terms) <= 8:
        return "(" + f" {sign} ".join(terms) + ")"
    middle = len(terms) // 2
    return f"({_joined(terms[:middle], sign)} {sign} {_joined(terms[middle:], sign)})"


def _decision(model: LinearModel, names: Sequence[str]) -> str:
    classes = model.classes
    if isinstance(model, MultiLabelModel):
        terms = [
            f"CASE WHEN {name(score)} > {number(above)} THEN {text(model.separator + str(label))} ELSE '' END"
            for score, above, label in zip(names, model.decides_above_each, classes, strict=True)
        ]
        return f"SUBSTR({_joined(terms, '||')}, {len(model.separator) + 1})"
    if model.scheme == "binary":
        above = f"{name(names[0])} > {number(model.decides_above)}"
        return f"CASE WHEN {above} THEN {_label(classes[1])} ELSE {_label(classes[0])} END"
    best = []
    for score, label in zip(names[:-1], classes[:-1], strict=True):  # of equal scores the first wins
        beats = " AND ".join(f"{name(score)} >= {name(other)}" for other in names if other != score)
        best.append(f"WHEN {beats} THEN {_label(label)}")
    return f"CASE {' '.join(best)} ELSE {_label(classes[-1])} END"


def _label(label: Label) -> str:
    return text(label) if isinstance(label, str) else repr(label)
