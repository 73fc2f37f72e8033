"""The answers of the commands as plain values, for --json. The keys are a promise: docs/json.md lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.model.linear import LinearModel
from rosenblatt.report.summary import Summary
from rosenblatt.report.weights import bias, classes_shown, top

if TYPE_CHECKING:
    from rosenblatt.evaluate.confusion import ClassScores
    from rosenblatt.evaluate.tally import Scores

ESTIMATES = ("accuracy", "error", "precision", "recall", "f1", "roc_auc", "average_precision", "log_loss")
PER_CLASS = ("precision", "recall", "f1")


def scores_record(scores: Scores) -> dict[str, Any]:
    """Each score as a number, and all their intervals beside each other."""
    return {
        "examples": scores.examples,
        "classes": list(scores.classes),
        **_values(scores, ESTIMATES),
        "intervals": _intervals(scores, ESTIMATES),
        "per_class": [
            {
                "label": one.label,
                "support": one.support,
                **_values(one, PER_CLASS),
                "intervals": _intervals(one, PER_CLASS),
            }
            for one in scores.per_class
        ],
        "confusion": scores.confusion.tolist(),
        "ranked": scores.ranked,
    }


def _values(scores: Scores | ClassScores, names: tuple[str, ...]) -> dict[str, float | None]:
    found = {name: getattr(scores, name) for name in names}
    return {name: None if one is None else one.value for name, one in found.items()}


def _intervals(scores: Scores | ClassScores, names: tuple[str, ...]) -> dict[str, list[float] | None]:
    found = {name: getattr(scores, name) for name in names}
    return {name: None if one is None else [one.low, one.high] for name, one in found.items()}


def fit_record(summary: Summary, report: str | None, count: int) -> dict[str, Any]:
    """What `fit` found. `error` and `accuracy` are the most telling there are; `error_of` says what they are of."""
    fitted = summary.fitted
    error, error_of = summary.error
    return {
        "data": summary.data,
        "rows": fitted.rows,
        "features": fitted.features,
        "classes": list(fitted.model.classes),
        "rule": fitted.chosen,
        "passes": fitted.passes,
        "status": fitted.status,
        "seconds": fitted.seconds,
        "n_mistakes": fitted.n_mistakes,
        "mistakes": list(fitted.mistakes),
        "accuracy": 1 - error,
        "error": error,
        "error_of": error_of,
        "progressive_error": fitted.progressive_error,
        "holdout_error": fitted.holdout_error,
        "candidates": [
            {
                "rule": one.rule,
                "progressive_error": one.progressive_error,
                "holdout_error": one.holdout_error,
                "given_up": one.given_up,
                "best_then": one.best_then,
            }
            for one in fitted.candidates
        ],
        "test": None if summary.judged is None else {"data": summary.judged.on, **scores_record(summary.judged.scores)},
        "skipped": fitted.skipped,
        "bad_rows": [bad.sentence for bad in fitted.bad_rows],
        "cache": None if fitted.cache is None else vars(fitted.cache),
        "order": fitted.order,
        "grouped": fitted.grouped,
        "top": _top(fitted.model, count),
        "model": summary.model,
        "report": report,
        "command": summary.command,
    }


def model_record(model: LinearModel, count: int) -> dict[str, Any]:
    """What `explain` says of a model."""
    run, space = model.summary, model.space
    return {
        "classes": list(model.classes),
        "scheme": model.scheme,
        "features": model.features,
        "feature_kind": space.kind,
        "settings": vars(model.settings),
        "status": run.status,
        "n_iter": run.n_iter,
        "n_mistakes": run.n_mistakes,
        "t": run.t,
        "provenance": dict(model.provenance),
        "top": _top(model, count),
    }


def _top(model: LinearModel, count: int) -> list[dict[str, Any]]:
    return [
        {"class": label, "bias": bias(model, k), "weights": top(model, k, count)} for k, label in classes_shown(model)
    ]
