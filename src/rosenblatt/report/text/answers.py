"""What is asked of predictions, and columns of answers to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from rosenblatt.model.predict import PredictedBlock

Row = Sequence[Any]


@dataclass(frozen=True)
class Shown:
    """What is written of each prediction besides its label, and how."""

    form: Literal["tsv", "csv", "jsonl"] = "tsv"
    scores: bool = False
    proba: bool = False
    confidence: bool = False
    top: int = 0  # classes, the best first
    reasons: int = 0  # features that decided
    id: str | None = None  # a column of the data
    passed: tuple[str, ...] = ()  # columns of the data

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the data that are passed through."""
        return ((self.id,) if self.id is not None else ()) + self.passed

    @property
    def header(self) -> bool:
        """Whether the first line names the columns."""
        named = self.form == "csv" or self.proba or self.confidence or self.top or self.reasons or self.columns
        return self.form != "jsonl" and bool(named)


class Part(NamedTuple):
    """Some columns of the answers: their names, their cells in each row of a block, and the same for an object."""

    names: list[str]
    rows: Callable[[PredictedBlock], Iterable[Row]]
    record: Callable[[Row], dict[str, Any]]
