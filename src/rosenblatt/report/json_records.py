"""What the commands print as JSON. The keys are stable: docs/json.md lists them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeAlias

from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.report.column_decisions import columns_record
from rosenblatt.report.number_weights import number_weights, start_of
from rosenblatt.report.summary import FitSummary
from rosenblatt.report.weights import bias, classes_shown, top_features

if TYPE_CHECKING:
    from rosenblatt.evaluate.confusion import ClassScores
    from rosenblatt.evaluate.label_scores import LabelScores
    from rosenblatt.evaluate.number_scores import NumberScores, QuantileScores
    from rosenblatt.evaluate.scores import Scores
    from rosenblatt.model.fit.number_fit import NumberFit
    from rosenblatt.model.kinds.network import NetworkModel

    Scored: TypeAlias = Scores | LabelScores | NumberScores | QuantileScores | ClassScores

ESTIMATES = (
    *("accuracy", "error", "precision", "recall", "f1", "roc_auc", "average_precision"),
    *("log_loss", "brier", "calibration_error"),
)
LABEL_ESTIMATES = (
    *("exact_match", "hamming_loss", "micro_precision", "micro_recall", "micro_f1"),
    *("macro_precision", "macro_recall", "macro_f1", "log_loss"),
)
NUMBER_ESTIMATES = ("rmse", "mae", "mean_error", "r2", "coverage")
PER_QUANTILE = ("pinball", "below")
PER_CLASS = ("precision", "recall", "f1")


def scores_record(scores: Scores | LabelScores | NumberScores) -> dict[str, Any]:
    """Each score as a number, and its interval under the same name in `intervals`."""
    from rosenblatt.evaluate.label_scores import LabelScores
    from rosenblatt.evaluate.number_scores import NumberScores

    if isinstance(scores, NumberScores):
        return {
            "examples": scores.examples,
            **_values(scores, NUMBER_ESTIMATES),
            "intervals": _intervals(scores, NUMBER_ESTIMATES),
            "quantiles": [
                {
                    "level": quantile.level,
                    **_values(quantile, PER_QUANTILE),
                    "intervals": _intervals(quantile, PER_QUANTILE),
                }
                for quantile in scores.quantiles
            ],
            "confidence": scores.confidence,
            "width": scores.width,
            "mean": scores.mean,
            "median": scores.median,
            "baseline_rmse": scores.baseline_rmse,
            "baseline_mae": scores.baseline_mae,
            "drawn": scores.drawn,
        }
    if isinstance(scores, LabelScores):
        return {
            "examples": scores.examples,
            "classes": list(scores.classes),
            **_values(scores, LABEL_ESTIMATES),
            "intervals": _intervals(scores, LABEL_ESTIMATES),
            "per_class": [_class_record(row) for row in scores.per_class],
            "without": scores.without,
            "baseline_error": scores.baseline_error,
            "baseline_f1": scores.baseline_f1,
            "baseline_exact_match": scores.baseline_exact_match,
            "commonest": list(scores.commonest),
            "unknown": scores.unknown,
        }
    return {
        "examples": scores.examples,
        "classes": list(scores.classes),
        **_values(scores, ESTIMATES),
        "intervals": _intervals(scores, ESTIMATES),
        "per_class": [_class_record(row) for row in scores.per_class],
        "confusion": scores.confusion.tolist(),
        "ranked": scores.ranked,
        "reliability": [
            {
                "predicted": point.predicted,
                "observed": point.observed.value,
                "interval": [point.observed.low, point.observed.high],
                "examples": point.examples,
            }
            for point in scores.reliability
        ],
        "baseline_error": scores.baseline_error,
        "unknown": scores.unknown,
    }


def _class_record(row: ClassScores) -> dict[str, Any]:
    values, intervals = _values(row, PER_CLASS), _intervals(row, PER_CLASS)
    return {"label": row.label, "support": row.support, **values, "intervals": intervals}


def _values(scores: Scored, names: tuple[str, ...]) -> dict[str, float | None]:
    estimates = {name: getattr(scores, name) for name in names}
    return {name: None if estimate is None else estimate.value for name, estimate in estimates.items()}


def _intervals(scores: Scored, names: tuple[str, ...]) -> dict[str, list[float] | None]:
    estimates = {name: getattr(scores, name) for name in names}
    return {name: None if estimate is None else [estimate.low, estimate.high] for name, estimate in estimates.items()}


def fit_record(summary: FitSummary, report: str | None, top: int) -> dict[str, Any]:
    """The result of `fit`. `error_of` says what `error` was measured on: test, holdout, folds or progressive."""
    fitted = summary.fitted
    error, error_of = summary.error
    evaluation = summary.evaluation
    of_number = {} if fitted.number is None else _number_record(fitted.number)
    return {
        "data": summary.data,
        "rows": fitted.rows,
        "features": fitted.features,
        "classes": list(fitted.model.classes),
        **of_number,
        "rule": fitted.chosen,
        "passes": fitted.passes,
        "status": fitted.status,
        "seconds": fitted.seconds,
        "n_mistakes": fitted.n_mistakes,
        "mistakes": list(fitted.mistakes),
        **({} if fitted.number is not None else {"accuracy": 1 - error}),
        "error": error,
        "error_of": error_of,
        "baseline_error": summary.baseline[0],
        "class_counts": list(fitted.class_counts),
        "class_weight": fitted.class_weight,
        "threshold": _threshold(fitted.model),
        "warnings": summary.warnings,
        "progressive_error": fitted.progressive_error,
        "holdout_error": fitted.holdout_error,
        "chosen_by": None if fitted.choice is None else fitted.choice.how,
        "fold_error": fitted.fold_error,
        "other_readings": [reading._asdict() | {"is_better": reading.is_better} for reading in fitted.other_readings],
        "candidates": [
            {
                "rule": candidate.rule,
                "progressive_error": candidate.progressive_error,
                "holdout_error": candidate.holdout_error,
                "given_up": candidate.given_up,
                "best_then": candidate.best_then,
                "fold_error": candidate.fold_error,
            }
            for candidate in fitted.candidates
        ],
        "test": None if evaluation is None else {"data": evaluation.data, **scores_record(evaluation.scores)},
        "columns": columns_record(fitted.model.space),
        "skipped": fitted.skipped,
        "skipped_by_file": fitted.skipped_by_file,
        "bad_rows": [row.sentence for row in fitted.bad_rows],
        **({} if fitted.small is None else {"small": fitted.small.as_json()}),
        "cache": None if fitted.cache is None else vars(fitted.cache),
        "order": fitted.order,
        "grouped": fitted.grouped,
        "top": _top(fitted.model, top),
        "model": summary.model_path,
        "report": report,
        "command": summary.command,
    }


def _number_record(number: NumberFit) -> dict[str, Any]:
    """The results of a fit that predicts a number; errors are of its `measure`, in the unit of the target."""
    return {
        "target": number.target,
        "measure": number.measure,
        "guess": number.guess,
        "least": number.least,
        "largest": number.largest,
        "interval": None
        if number.interval is None
        else number.interval.pack() | {"coverage": number.interval.coverage},
    }


def _threshold(model: LinearModel) -> dict[str, Any] | None:
    threshold = model.threshold
    if threshold is None:
        return None
    return threshold.pack() | {"precision": threshold.precision, "recall": threshold.recall, "f1": threshold.f1}


def model_record(model: LinearModel, top: int) -> dict[str, Any]:
    """The result of `explain` for a linear model."""
    run, space = model.summary, model.space
    return {
        "classes": list(model.classes),
        "scheme": model.scheme,
        "features": model.features,
        "feature_kind": space.kind,
        "settings": {
            name: value
            for name, value in model.settings._asdict().items()
            if name not in _OF_SOME_MODELS or value != model.settings._field_defaults[name]
        },
        "status": run.status,
        "n_iter": run.n_iter,
        "n_mistakes": run.n_mistakes,
        "t": run.t,
        "provenance": dict(model.provenance),
        "threshold": _threshold(model),
        "top": _top(model, top),
    }


_OF_SOME_MODELS = ("multi_label", "task", "quantiles", "width")  # settings that are shown only if they are not default


def _top(model: LinearModel, count: int) -> list[dict[str, Any]]:
    if isinstance(model, NumberModel):
        start, sides = start_of(model), number_weights(model, count)
        return [{"moves": label, "from": start, "weights": weights} for label, weights in sides]
    return [
        {"class": label, "bias": bias(model, k), "weights": top_features(model, k, count)}
        for k, label in classes_shown(model)
    ]


def network_record(model: NetworkModel) -> dict[str, Any]:
    """The result of `explain` for a network of threshold units."""
    from rosenblatt.logic.network.cascade_conversion import network_from_cascade

    network = network_from_cascade(model.cascade, model.names, model.kinds)
    return {
        "classes": list(model.classes),
        "features": len(model.names),
        "feature_kind": model.space.kind,
        "status": model.status,
        "n_iter": model.n_iter,
        "units": [
            {
                "unit": unit.name,
                "kind": unit.kind,
                "layer": unit.layer,
                "weights": dict(zip(unit.sources, unit.weights, strict=True)),
                "threshold": unit.threshold,
            }
            for unit in network.units
        ],
        "outputs": list(network.outputs),
        "growth": [asdict(step) for step in model.growth],
        "provenance": dict(model.provenance),
    }
