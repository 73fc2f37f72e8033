"""A model as SQL: one SELECT that scores and decides every row of a table, with standard arithmetic and CASE only."""

from collections.abc import Sequence

import numpy as np

from rosenblatt.errors import ModelError, option
from rosenblatt.model.export.sql_columns import name, number, number_of, refuse_dates, text, word_condition
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.records import FeatureSpace, Label

TABLE = "data"


def to_sql(model: LinearModel, table: str = TABLE) -> str:
    """A SELECT of all columns, the score or scores, and the label, of a table with the model's columns.

    A table for a model of numbered features has columns f1, f2, ... by the numbers of the file. A missing value adds
    nothing.
    """
    if model.space.kind == "hashed" or model.space.bits:
        raise ModelError(
            "SQL needs named columns, and this model hashes words into weights: "
            f"export it with {option('to', 'json')} or {option('to', 'onnx')}."
        )
    if model.scheme == "ovo":
        raise ModelError(
            f"SQL cannot hold a one-vs-one vote: export it with {option('to', 'onnx')}, or learn it one-vs-rest."
        )
    refuse_dates(model.space)
    names = ["score"] if model.scheme == "binary" else [f"score_{label}" for label in model.classes]
    scores = [f"  {_score(model, unit)} AS {name(score)}" for unit, score in enumerate(names)]
    return (
        "WITH scored AS (SELECT *,\n" + ",\n".join(scores) + f"\nFROM {name(table)})\n"
        f"SELECT *, {_decision(model, names)} AS label FROM scored;\n"
    )


def _score(model: LinearModel, unit: int) -> str:
    row = model.coef[unit]
    terms = [number(float(model.intercept[unit]))]
    for j in map(int, np.flatnonzero(row)):
        weight = number(float(row[j]))
        for factor in model.factors(j):
            weight = _term(model, factor, weight)  # of a product: each factor multiplies the term so far
        terms.append(weight)
    return _sum(terms)


def _sum(terms: Sequence[str]) -> str:
    """A balanced tree of sums: databases limit how deep an expression may be, not how wide."""
    if len(terms) <= 8:
        return "(" + " + ".join(terms) + ")"
    middle = len(terms) // 2
    return f"({_sum(terms[:middle])} + {_sum(terms[middle:])})"


def _term(model: LinearModel, j: int, weight: str) -> str:
    """What a feature adds: a number times its weight, or the weight of a word where the column holds it."""
    space = model.space
    if space.kind == "index":
        return f"COALESCE({weight} * {_scaled(space, j, name(f'f{j + space.index_base}'))}, 0)"
    feature = model.input_name(j)
    condition = word_condition(space, feature)
    if condition is not None:
        return f"CASE WHEN {condition} THEN {weight} ELSE 0 END"
    return f"COALESCE({weight} * {_scaled(space, j, number_of(space, feature))}, 0)"


def _scaled(space: FeatureSpace, j: int, column: str) -> str:
    if space.shift is None or space.scale is None:
        return column
    return f"(({column} - {number(float(space.shift[j]))}) * {number(float(space.scale[j]))})"


def _decision(model: LinearModel, names: Sequence[str]) -> str:
    classes = model.classes
    if model.scheme == "binary":
        above = f"{name(names[0])} > {number(model.decides_above)}" if model.threshold else f"{name(names[0])} > 0"
        return f"CASE WHEN {above} THEN {_label(classes[1])} ELSE {_label(classes[0])} END"
    best = []
    for score, label in zip(names[:-1], classes[:-1], strict=True):  # of equal scores the first wins
        beats = " AND ".join(f"{name(score)} >= {name(other)}" for other in names if other != score)
        best.append(f"WHEN {beats} THEN {_label(label)}")
    return f"CASE {' '.join(best)} ELSE {_label(classes[-1])} END"


def _label(label: Label) -> str:
    return text(label) if isinstance(label, str) else repr(label)
