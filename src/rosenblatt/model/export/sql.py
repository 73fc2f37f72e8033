"""A model as SQL: one SELECT that scores and decides every row of a table, with standard arithmetic and CASE only."""

from collections.abc import Sequence

import numpy as np

from rosenblatt.errors import ModelError, option
from rosenblatt.model.linear import LinearModel
from rosenblatt.records import Label

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
    names = ["score"] if model.scheme == "binary" else [f"score_{label}" for label in model.classes]
    scores = [f"  {_score(model, unit)} AS {_name(name)}" for unit, name in enumerate(names)]
    return (
        "WITH scored AS (SELECT *,\n" + ",\n".join(scores) + f"\nFROM {_name(table)})\n"
        f"SELECT *, {_decision(model, names)} AS label FROM scored;\n"
    )


def _score(model: LinearModel, unit: int) -> str:
    row = model.coef[unit]
    terms = [_number(float(model.intercept[unit]))]
    for j in map(int, np.flatnonzero(row)):
        weight = _number(float(row[j]))
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
        return _times(model, j, f"f{j + space.index_base}", weight)
    name = model.input_name(j)
    for column in space.settings.get("words", ()):
        if name.startswith(f"{column}="):
            word = name[len(column) + 1 :]
            return f"CASE WHEN {_name(column)} = {_text(word)} THEN {weight} ELSE 0 END"
    column = name.removesuffix("=missing")
    if column != name and column in space.settings.get("numbers", ()):
        return f"CASE WHEN {_name(column)} IS NULL THEN {weight} ELSE 0 END"
    return _times(model, j, name, weight)


def _times(model: LinearModel, j: int, column: str, weight: str) -> str:
    number, space = _name(column), model.space
    if space.shift is not None and space.scale is not None:
        number = f"(({number} - {_number(float(space.shift[j]))}) * {_number(float(space.scale[j]))})"
    return f"COALESCE({weight} * {number}, 0)"


def _decision(model: LinearModel, names: Sequence[str]) -> str:
    classes = model.classes
    if model.scheme == "binary":
        return f"CASE WHEN {_name(names[0])} > 0 THEN {_literal(classes[1])} ELSE {_literal(classes[0])} END"
    best = []
    for name, label in zip(names[:-1], classes[:-1], strict=True):  # of equal scores the first class wins, as in Python
        beats = " AND ".join(f"{_name(name)} >= {_name(other)}" for other in names if other != name)
        best.append(f"WHEN {beats} THEN {_literal(label)}")
    return f"CASE {' '.join(best)} ELSE {_literal(classes[-1])} END"


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _literal(label: Label) -> str:
    return _text(label) if isinstance(label, str) else repr(label)


def _number(value: float) -> str:
    digits = repr(value)  # as few digits as give back the same float
    return f"({digits})" if digits.startswith("-") else digits
