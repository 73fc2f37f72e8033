"""The results of `fit` and `evaluate`, collected once for the terminal, JSON and the report page."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rosenblatt.errors import plural, spelled
from rosenblatt.model.fit.fitted import Candidate, Fitted
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.multi_label import MultiLabelModel
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.model.model import Model
from rosenblatt.model.warnings.fit_warnings import Caution
from rosenblatt.options.command_line import as_flag
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.source import ReadOptions
from rosenblatt.report.weights import Weight, classes_shown, telling_features

if TYPE_CHECKING:
    from rosenblatt.evaluate.confidence_intervals import Estimate
    from rosenblatt.evaluate.evaluate_file import OpenSource
    from rosenblatt.evaluate.label_scores import LabelScores, LabelTally
    from rosenblatt.evaluate.number_scores import NumberScores, NumberTally
    from rosenblatt.evaluate.scores import Scores, Tally
    from rosenblatt.learn.settings import Settings

_STATUS = {
    "separated": "a whole pass without a mistake",
    "validated": "the held-out error stopped falling",
    "budget": "all passes were made, and mistakes remain",
    "open": "the stream may continue",
    "interrupted": "stopped before its end",
}
SORTED_BY_LABEL = (
    "the file is sorted by label, so that each class is forgotten while the next is learned, and the progressive error "
    f"means little: learn the examples in another order, with {as_flag('order', 'shuffle')}"
)
NAMELESS_INDEX = (
    "the first column has no name, like the index that pandas writes, and was learned as column0: if it only counts "
    "the rows, write the table without it, with index=False"
)


PINBALL = "pinball loss"


def status_words(status: str, settings: Settings) -> str:
    """What the status of a run means. Rules that also learn without a mistake say nothing about mistakes."""
    if status == "budget" and not settings.mistake_driven:
        return "all passes were made"
    return _STATUS[status]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The scores of a model on the examples of a file."""

    data: str
    tally: Tally = field(repr=False)
    scores: Scores


@dataclass(frozen=True, eq=False)
class LabelEvaluation:
    """The scores of a model of several labels."""

    data: str
    tally: LabelTally = field(repr=False)
    scores: LabelScores


@dataclass(frozen=True, eq=False)
class NumberEvaluation:
    """The scores of a model that predicts a number."""

    data: str
    tally: NumberTally = field(repr=False)
    scores: NumberScores
    target: str = ""  # the name of what is predicted


def evaluate_on(
    data: Paths, model: Model, reading: ReadOptions, threads: int | None = None, open_: OpenSource | None = None
) -> Evaluation | LabelEvaluation | NumberEvaluation:
    """Evaluate a model on the examples of a file."""
    from rosenblatt.evaluate.evaluate_file import evaluate_file, evaluate_labels_of_file, evaluate_numbers_of_file
    from rosenblatt.readers.inputs.expand_paths import name_of
    from rosenblatt.readers.inputs.input_file import TABLE_NAME
    from rosenblatt.readers.open import open_source

    settings = reading, threads, open_ or open_source
    name = name_of(data) if isinstance(data, str | os.PathLike | list | tuple) else TABLE_NAME

    if isinstance(model, MultiLabelModel):
        label_tally = evaluate_labels_of_file(model, data, *settings)
        return LabelEvaluation(name, label_tally, label_tally.scores())
    if isinstance(model, NumberModel):
        number_tally = evaluate_numbers_of_file(model, data, *settings)
        return NumberEvaluation(name, number_tally, number_tally.scores(), model.target.name)
    tally = evaluate_file(model, data, *settings)
    return Evaluation(name, tally, tally.scores())


def examples_words(count: int, *, of_learned_data: bool) -> str:
    """How many examples the model was evaluated on, with a caution if it has learned them."""
    which = ", which the model learned: expect more errors on others" if of_learned_data else ""
    return plural(count, "example") + which


@dataclass(frozen=True, eq=False)
class EvaluationSummary:
    """One run of `evaluate`."""

    model_path: str
    model: Model
    evaluation: Evaluation | LabelEvaluation | NumberEvaluation
    command: str  # to repeat it

    @property
    def is_of_learned_data(self) -> bool:
        """Whether the model seems to have learned these examples, by the name of the file and the number of rows."""
        provenance = self.model.provenance
        learned = provenance.get("history") or [provenance.get("data") or {}]
        this = (Path(self.evaluation.data).name, self.evaluation.scores.examples)
        return any((Path(str(data.get("name"))).name, data.get("rows")) == this for data in learned)

    @property
    def warnings(self) -> list[str]:
        of_scores = self.evaluation.scores.warnings(weighs_errors=self.model.weighs_errors)
        return [*sentences(of_scores), *self.evaluation.tally.reading_warnings]


def sentences(warnings: Iterable[Caution]) -> list[str]:
    """The sentences of the warnings, with options as on the command line."""
    return [spelled(caution.sentence, as_flag) for caution in warnings]


@dataclass(frozen=True, eq=False)
class FitSummary:
    """One run of `fit`."""

    data: str
    fitted: Fitted
    evaluation: Evaluation | LabelEvaluation | NumberEvaluation | None
    model_path: str | None  # None if the model was not saved
    command: str  # to repeat it
    options: Mapping[str, str] = field(default_factory=dict)  # the given options, by parameter, as they were typed
    inputs: tuple[str, ...] = ()  # the files, folders and patterns; () if `data` is the only one

    @property
    def is_tested(self) -> bool:
        """Whether it was evaluated on other data than it learned."""
        return self.evaluation is not None and self.evaluation.data != self.data

    @property
    def baseline(self) -> tuple[float, str]:
        """The error of always giving the same answer, on the examples of `error`, and this answer."""
        if isinstance(self.evaluation, NumberEvaluation) or self.fitted.number is not None:
            return self._number_baseline
        judged: Fitted | Scores | LabelScores = self.fitted
        if self.is_tested and self.evaluation is not None:
            judged = self.evaluation.scores
        return judged.baseline_error, constant_answer(judged)

    @property
    def _number_baseline(self) -> tuple[float, str]:
        of_fit = self.fitted.number
        assert of_fit is not None
        if isinstance(self.evaluation, NumberEvaluation) and self.is_tested and of_fit.measure != PINBALL:
            scores, squared = self.evaluation.scores, of_fit.measure == "RMSE"
            baseline, guess = scores.baseline_rmse if squared else scores.baseline_mae, scores.median
            return baseline, f"{scores.mean if squared else guess:{number_spec(baseline)}}"
        return of_fit.baseline, f"{of_fit.guess:{number_spec(of_fit.baseline)}}"

    @property
    def warnings(self) -> list[str]:
        """The warnings of the fit; those about errors come from the test data, if there are any."""
        if self.evaluation is None or not self.is_tested:
            return sentences(self.fitted.warnings)
        of_fit = [caution for caution in self.fitted.warnings if caution.kind not in ("no better", "one class")]
        of_all = self.evaluation.scores.warnings(weighs_errors=self.fitted.model.weighs_errors)
        of_test = [caution for caution in of_all if caution.kind != "few examples"]
        return sentences([*of_fit, *of_test])

    def top(self, count: int) -> list[tuple[str, list[Weight]]]:
        return top_weights(self.fitted.model, count)

    @property
    def error(self) -> tuple[float, str]:
        """The best available error, and what it was measured on: 'test', 'holdout', 'folds' or 'progressive'."""
        fitted = self.fitted
        if isinstance(self.evaluation, NumberEvaluation):
            if self.is_tested and fitted.number is not None:
                return error_of_numbers(self.evaluation.scores, fitted.number.measure).value, "test"
        elif self.evaluation is not None and self.is_tested:
            return self.evaluation.scores.error.value, "test"
        if fitted.holdout_error is not None:
            return fitted.holdout_error, "holdout"
        if fitted.fold_error is not None:
            return fitted.fold_error, "folds"
        return fitted.progressive_error, "progressive"


def error_of_numbers(scores: NumberScores, measure: str) -> Estimate:
    """The score by which a model that predicts numbers was chosen; for quantiles the mean of theirs, whose interval is
    rather too wide than too narrow."""
    if measure == PINBALL:
        from rosenblatt.evaluate.confidence_intervals import Estimate

        losses, count = [quantile.pinball for quantile in scores.quantiles], len(scores.quantiles)
        sums = (sum(getattr(loss, part) for loss in losses) / count for part in ("value", "low", "high"))
        return Estimate(*sums)
    return scores.rmse if measure == "RMSE" else scores.mae


def constant_answer(judged: Fitted | Scores | LabelScores) -> str:
    """The constant answer that makes the baseline error."""
    if isinstance(judged.commonest, tuple):
        return "for every label whichever is commoner, that it applies or not"
    return str(judged.commonest)


def errors_of(candidate: Candidate, fitted: Fitted) -> list[tuple[str, float | None]]:
    """The errors of a rule that was tried, each with what it was measured on."""
    errors = [("progressive", candidate.progressive_error)]
    if fitted.choice is not None:
        errors = [("error", candidate.fold_error)]
    if any(other.holdout_error is not None for other in fitted.candidates):
        errors.append(("held out", candidate.holdout_error))
    return errors


def before_the_threshold(fitted: Fitted) -> str:
    """Why the error of the chosen rule differs from that of the model; empty if it does not."""
    of_rule = next((candidate.fold_error for candidate in fitted.candidates if candidate.rule == fitted.chosen), None)
    if fitted.choice is None or fitted.fold_error is None or of_rule in (None, fitted.fold_error):
        return ""
    threshold = fitted.model.threshold
    before = "before the line between the classes moved"
    if fitted.class_weight is not None:
        before = "with the weights of the classes"
    elif threshold is not None and threshold.is_even:
        before += " to even chances"
    return f"compared {before}; as it decides now, {fitted.chosen} errs on {fitted.fold_error:.2%}"


def top_weights(model: LinearModel, count: int) -> list[tuple[str, list[Weight]]]:
    """For each class the features that count most for it, the positive one of two classes first; for a number, the
    features that raise and lower it most."""
    if isinstance(model, NumberModel):
        from rosenblatt.report.number_weights import number_weights

        return number_weights(model, count)
    return [(str(label), telling_features(model, k, count)) for k, label in classes_shown(model)]


def number_spec(size: float) -> str:
    """The format of numbers of about this size: four or five digits count, and thousands are separated.

    >>> [format(1234.5678, number_spec(size)) for size in (1234.5, 1.0, 1e-30, 0)]
    ['1,234.6', '1,234.5678', '1,235', '1,235']
    """
    if not 1e-6 < size < 1e15:
        return ",.4g"
    return f",.{max(0, 4 - math.floor(math.log10(size)))}f"


def named_scores(scores: Scores | LabelScores | NumberScores) -> list[tuple[str, Estimate | None, str]]:
    """Each score with its name and the format it is shown in; None if it does not apply."""
    from rosenblatt.evaluate.label_scores import LabelScores
    from rosenblatt.evaluate.number_scores import NumberScores

    if isinstance(scores, NumberScores):
        spec = number_spec(scores.rmse.value)
        return [
            ("RMSE", scores.rmse, spec),
            ("MAE", scores.mae, spec),
            ("mean error", scores.mean_error, spec),
            ("R²", scores.r2, ".4f"),
            *((f"pinball {quantile.level:g}", quantile.pinball, spec) for quantile in scores.quantiles),
            *((f"below {quantile.level:g}", quantile.below, ".2%") for quantile in scores.quantiles),
            ("coverage", scores.coverage, ".2%"),
        ]
    if isinstance(scores, LabelScores):
        return [
            ("exact match", scores.exact_match, ".2%"),
            ("error", scores.hamming_loss, ".2%"),
            ("precision", scores.micro_precision, ".2%"),
            ("recall", scores.micro_recall, ".2%"),
            ("F1", scores.micro_f1, ".2%"),
            ("macro precision", scores.macro_precision, ".2%"),
            ("macro recall", scores.macro_recall, ".2%"),
            ("macro F1", scores.macro_f1, ".2%"),
            ("log loss", scores.log_loss, ".4f"),
        ]
    return [
        ("accuracy", scores.accuracy, ".2%"),
        ("error", scores.error, ".2%"),
        ("precision", scores.precision, ".2%"),
        ("recall", scores.recall, ".2%"),
        ("F1", scores.f1, ".2%"),
        ("ROC AUC", scores.roc_auc, ".4f"),
        ("average precision", scores.average_precision, ".4f"),
        ("log loss", scores.log_loss, ".4f"),
        ("Brier score", scores.brier, ".4f"),
        ("calibration error", scores.calibration_error, ".4f"),
    ]
