"""What a fit from a file is asked to do, and how far it has come."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from rosenblatt.learn.settings import Settings
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import Label


class Progress(NamedTuple):
    """How far a fit has come. `progressive_error` is the share of wrong predictions made before learning each row."""

    bytes_done: int
    bytes_total: int | None
    rows: int
    seconds: float
    progressive_error: float
    pass_: int  # from 1
    passes: int


class Plan(NamedTuple):
    """What a fit is asked to do."""

    candidates: Mapping[str, Settings]
    passes: int | str = 1  # "auto": few examples as often as folds left out show to be best, many once
    fold_candidates: Mapping[str, Settings] = MappingProxyType({})  # also tried on few examples
    word_candidates: Mapping[str, Settings] = MappingProxyType({})  # tried in their place for words
    holdout: float = 0.0
    patience: int | None = None
    threads: int = 1
    order: str = "given"
    degree: int = 1  # products of up to this many columns are features
    scale_to_length: bool = False  # the candidates are for examples of length 1
    reading: ReadOptions = ReadOptions()  # how the source was opened
    cache: str | None = None
    seed: int = 0
    class_weight: Mapping[Label, float] | str | None = None  # 'balanced': every class counts the same
    class_counts: tuple[int, ...] = ()  # examples of each class that a loaded model has learned before
    task: str = "classes"  # or "number"
    error: str = "squared"  # the error of a number to minimise; or "absolute"
    quantiles: tuple[float, ...] = ()  # of a number, to predict in place of its mean
    number_candidates: Mapping[str, Settings] = MappingProxyType({})  # to predict a number
    threshold: float | str | None = None  # what the threshold of the model is chosen by
    size: int | None = None  # bytes of the model file
    checkpoint: str | None = None
    checkpoint_every: float | None = None
    learns_on: Mapping[str, Any] = MappingProxyType({})  # which model learns on, and how; a checkpoint compares it
    on_progress: Callable[[Progress], None] | None = None

    @property
    def predicts_number(self) -> bool:
        return self.task == "number"

    def for_number(self) -> Plan:
        """The same plan for a number."""
        return self._replace(
            task="number", candidates=self.number_candidates, fold_candidates=MappingProxyType({}), word_candidates={}
        )

    @property
    def passes_in_order(self) -> int:
        """Passes over the source, block by block; few examples may be learned more often afterwards."""
        return self.passes if isinstance(self.passes, int) else 1
