"""A model that has learned nothing yet, for a stream that begins with the service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import msgspec

from rosenblatt import native, options
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.learn.files.numbers.scaled_targets import scale_of
from rosenblatt.learn.files.rule_choice.portfolio import NUMBER_RULES, RULES
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.number import TASK, NumberModel, Target
from rosenblatt.readers.hashing.settings import hashing_settings
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import FeatureSpace, Label
from rosenblatt.version import __version__

_RULE, _NUMBER_RULE = "arow", "number-invariant"
_MOST_WEIGHTS = 1 << 32  # of a model that hashes names; only the weights that are used take memory


class NewModel(msgspec.Struct, forbid_unknown_fields=True):
    """What a new model reads, what it predicts, and by which rule it learns."""

    classes: list[Label] = []
    predicts: Literal["class", "number"] = "class"
    about: list[float] = []  # some numbers like those that it will learn, which give their scale
    reads: Literal["text", "features", "vw", "columns"] = "text"
    columns: dict[str, Literal["number", "word"]] = {}
    rule: str | None = None


def empty_model(new: NewModel) -> LinearModel:
    if (new.reads == "columns") != bool(new.columns):
        raise DataError('A model that reads columns needs `columns`, such as {"age": "number", "job": "word"}.')
    return _of_number(new) if new.predicts == "number" else _of_classes(new)


def _of_number(new: NewModel) -> NumberModel:
    if new.classes:
        raise DataError("A model that predicts numbers has no classes.")
    rule = new.rule or _NUMBER_RULE
    settings = _settings(rule, NUMBER_RULES)
    space, format = _space(new)
    space = replace(space, settings={**space.settings, "task": TASK})
    target = Target("", scale_of(new.about))
    return NumberModel((), space, _run(settings, space, 1), _provenance(rule, format), target=target)


def _of_classes(new: NewModel) -> LinearModel:
    if new.about:
        raise DataError("`about` is for a model that predicts numbers.")
    classes = tuple(sorted(set(new.classes), key=lambda label: (isinstance(label, str), label)))
    if any(isinstance(label, str) for label in classes):
        classes = tuple(sorted(map(str, classes)))
    if len(classes) < 2:
        raise DataError("A model needs at least two classes.")
    rule = new.rule or _RULE
    settings = _settings(rule, RULES)
    space, format = _space(new)
    if space.bits and settings.n_units(len(classes)) << space.bits >= _MOST_WEIGHTS:
        raise DataError(
            f"A model that reads {new.reads} may have up to {(_MOST_WEIGHTS >> space.bits) - 1:,} classes here."
        )
    return LinearModel(classes, space, _run(settings, space, len(classes)), _provenance(rule, format))


def _settings(rule: str, rules: Mapping[str, Settings]) -> Settings:
    if rule not in rules:
        raise ParameterError(f"There is no rule {rule[:40]!r}: they are {', '.join(rules)}.")
    return rules[rule]


def _run(settings: Settings, space: FeatureSpace, n_classes: int) -> Run:
    hashed = bool(space.bits)
    features = 1 << space.bits if hashed else len(space.columns)
    run = Run(settings, features, [1.0] * n_classes, 0, columns=native.Columns() if hashed else None)
    run.begin_pass()
    return run


def _provenance(rule: str, format: str) -> dict[str, Any]:
    data = {"name": "a new model", "format": format, "rows": 0}
    return {"version": __version__, "rule": rule, "data": data, "reading": {}}


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
    # Words are needed even if there are none yet: they make the rows of a table sparse.
    named = {"format": "csv", "header": True, "label": "label", "numbers": numbers, "words": words, "texts": []}
    return FeatureSpace("columns", columns=tuple(numbers), settings=named), "csv"
