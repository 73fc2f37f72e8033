"""The options that say how DATA is read. A command receives them as one ReadOptions, `reading`."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rosenblatt import options
from rosenblatt.cli.parameters import option
from rosenblatt.readers.source import ReadOptions

if TYPE_CHECKING:
    from rosenblatt.model.model import Model

_METAVARS = {"label": "COLUMN", "text": "COLUMN", "words": "COLUMN", "cross": "A:B", "classes": "LABELS"}
# The model knows the rest: only how the new file is written, and where its labels are, may differ.
_NEW_DATA = ("format", "label", "labels_from", "header", "index_base", "on_bad_row")


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add every option of reading."""
    return _add(options.READ, command)


def new_data_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of reading that make sense for new data when a model is given."""
    return _add(_NEW_DATA, command)


def like_training_data(reading: ReadOptions, model: Model) -> ReadOptions:
    """The same, with the format and the header of the data that the model was learned from unless given anew."""
    training = model.provenance.get("reading", {})
    missing = [name for name in ("format", "header") if getattr(reading, name) is None and name in training]
    return replace(reading, **{name: training[name] for name in missing})


def _add(names: Iterable[str], command: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(command)
    def with_reading(**parameters: Any) -> Any:
        words = {name: parameters.pop(name) for name in names}
        return command(reading=_read_options(words), **parameters)

    for name in reversed(list(names)):
        settings = {"metavar": _METAVARS[name]} if name in _METAVARS else {}
        with_reading = option(options.READ[name], **settings)(with_reading)
    return with_reading


def _read_options(words: dict[str, Any]) -> ReadOptions:
    label = words.get("label")
    if isinstance(label, str) and label.lstrip("-").isdecimal():
        words["label"] = int(label)
    for name in ("text", "words", "cross", "classes"):
        if name in words:
            words[name] = tuple(part for word in words[name] for part in word.split(",") if part)
    if "classes" in words:
        words["classes"] = tuple(map(_number_or_word, words["classes"]))
    return ReadOptions(**words)


def _number_or_word(word: str) -> int | float | str:
    for convert in (int, float):
        try:
            number = convert(word)
        except ValueError:
            continue
        return number if math.isfinite(number) else word
    return word
