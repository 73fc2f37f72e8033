"""A model that has learned nothing yet, for a stream that begins with the service."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from rosenblatt import native, options
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.learn.files.rule_choice.portfolio import RULES
from rosenblatt.learn.run import Run
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.readers.hashing.settings import hashing_settings
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import FeatureSpace, Label
from rosenblatt.version import __version__

_MOST_WEIGHTS = 1 << 32  # of columns that names are hashed to, which few have


class NewModel(msgspec.Struct, forbid_unknown_fields=True):
    """What it reads, its classes, and by which rule it learns."""

    classes: list[Label]
    reads: Literal["text", "features", "vw", "columns"] = "text"
    columns: dict[str, Literal["number", "word"]] = {}
    rule: str = "arow"


def empty_model(new: NewModel) -> LinearModel:
    classes = tuple(sorted(set(new.classes), key=lambda label: (isinstance(label, str), label)))
    if any(isinstance(label, str) for label in classes):
        classes = tuple(sorted(map(str, classes)))
    if len(classes) < 2:
        raise DataError("A model needs at least two classes.")
    if new.rule not in RULES:
        raise ParameterError(f"There is no rule {new.rule[:40]!r}: they are {', '.join(RULES)}.")
    if (new.reads == "columns") != bool(new.columns):
        raise DataError('A model that reads columns needs `columns`, such as {"age": "number", "job": "word"}.')
    space, format = _space(new)
    settings = RULES[new.rule]
    hashed = bool(space.bits)
    if hashed and settings.n_units(len(classes)) << space.bits >= _MOST_WEIGHTS:
        raise DataError(
            f"A model that reads {new.reads} may have up to {(_MOST_WEIGHTS >> space.bits) - 1:,} classes here."
        )
    features = 1 << space.bits if hashed else len(space.columns)
    run = Run(settings, features, [1.0] * len(classes), 0, columns=native.Columns() if hashed else None)
    run.begin_pass()
    data = {"name": "a new model", "format": format, "rows": 0}
    provenance = {"version": __version__, "rule": new.rule, "data": data, "reading": {}}
    return LinearModel(classes=classes, space=space, run=run, provenance=provenance)


def _space(new: NewModel) -> tuple[FeatureSpace, str]:
    if new.reads == "text":
        hashing = hashing_settings(ReadOptions(format="text"), None)
        settings: dict[str, Any] = {"format": "text", "features": 1 << hashing.bits, **hashing.for_model}
        return FeatureSpace("hashed", bits=hashing.bits, ngrams=hashing.ngrams, settings=settings), "text"
    if new.reads == "vw":
        return FeatureSpace("hashed", bits=options.VW_BITS, settings={"names": "vw"}), "vw"
    if new.reads == "features":
        return FeatureSpace("index", index_base=1, settings={"features": 0}), "svmlight"
    numbers, words = ([name for name, kind in new.columns.items() if kind == wanted] for wanted in ("number", "word"))
    # A word that no row had yet makes the rows of a table sparse: words may come.
    named = {"format": "csv", "header": True, "label": "label", "numbers": numbers, "words": words, "texts": []}
    return FeatureSpace("columns", columns=tuple(numbers), settings=named), "csv"
