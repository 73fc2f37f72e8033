"""The columns that predictions are written with: which ones are requested, and how each is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from rosenblatt.errors import ModelError, option
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.model.model import Model
from rosenblatt.model.predict import PredictedBlock

if TYPE_CHECKING:
    from rosenblatt.report.weights import Contribution

Row = Sequence[Any]


@dataclass(frozen=True)
class Shown:
    """What is written for each prediction in addition to its label, and in which format."""

    form: Literal["tsv", "csv", "jsonl"] = "tsv"
    scores: bool = False
    proba: bool = False
    confidence: bool = False
    top: int = 0  # classes, the best first
    reasons: int = 0  # features that decided
    id: str | None = None  # a column of the data
    passed: tuple[str, ...] = ()  # columns of the data
    intervals: bool = False  # of predicted numbers

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the data that are passed through."""
        return ((self.id,) if self.id is not None else ()) + self.passed

    @property
    def header(self) -> bool:
        """Whether the first line names the columns."""
        named = (
            self.form == "csv"
            or self.intervals
            or self.proba
            or self.confidence
            or self.top
            or self.reasons
            or self.columns
        )
        return self.form != "jsonl" and bool(named)


def refuse_unfit(model: Model, path: str, shown: Shown) -> None:
    """Raises ModelError if a column is requested that only another kind of model has."""
    if not isinstance(model, NumberModel):
        if shown.intervals:
            raise ModelError(
                f"{path}: decides for classes, and {option('intervals')} are of predicted numbers: use "
                f"{option('proba')}."
            )
        return
    about_classes = {"scores": shown.scores, "proba": shown.proba, "confidence": shown.confidence, "top": shown.top}
    for name, is_requested in about_classes.items():
        if is_requested:
            raise ModelError(
                f"{path}: predicts a number, and {option(name)} is for classes: leave it out, or see how far it may "
                f"be off with {option('intervals')}."
            )
    if shown.intervals and model.interval is None:
        raise ModelError(f"{path}: has no intervals: too few examples were learned.")


class Part(NamedTuple):
    """Some columns: their names, their cells in each row of a block, and the same cells as keys of a JSON object."""

    names: list[str]
    rows: Callable[[PredictedBlock], Iterable[Row]]
    record: Callable[[Row], dict[str, Any]]


def probabilities(model: Model, block: PredictedBlock) -> list[list[float]]:
    """For each example, the probability of every class."""
    rows: Any = model.probabilities(block.buffers[1]).tolist()
    return rows  # type: ignore[no-any-return]


def reason_objects(parts: Iterable[Contribution], width: float = 1.0) -> list[dict[str, Any]]:
    """Each feature with what it adds, in units of `width`."""
    return [{"feature": part.feature, "adds": part.contribution * width} for part in parts]


def reason_text(parts: Iterable[Contribution], separator: str = "; ", spec: str = "+.3g", width: float = 1.0) -> str:
    """The features with what they add, as the text of one cell."""
    return separator.join(f"{part.feature} {part.contribution * width:{spec}}" for part in parts)


def top_part(model: Model, count: int, ranked: Callable[[PredictedBlock], Iterable[tuple[list[int], Row]]]) -> Part:
    """The best classes, each with its probability, or its score if the model gives no probabilities.

    `ranked` gives for each row the classes in order of rank, and the probabilities or scores of all classes.
    """
    classes, measure = model.classes, "probability" if model.gives_probabilities else "score"
    count = min(count, len(classes))

    def rows(block: PredictedBlock) -> Iterable[Row]:
        for order, numbers in ranked(block):
            yield [cell for k in order[:count] for cell in (classes[k], numbers[k])]

    def record(row: Row) -> dict[str, Any]:
        return {"top": [{"label": row[i], measure: row[i + 1]} for i in range(0, len(row), 2)]}

    names = [name for i in range(1, count + 1) for name in (f"label_{i}", f"{measure}_{i}")]
    return Part(names, rows, record)
