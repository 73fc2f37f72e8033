"""The mail that comes with the package, for the lesson about spam."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from rosenblatt.errors import DataError

MAX_LETTERS = 5_000
_MAIL = Path(__file__).parents[3] / "data" / "mail"
_N_WORDS = 16
_COSTS = "cost:fp=20,fn=1"  # a letter that is lost is as bad as twenty spams that come through
_learning = Lock()  # if two pages ask at once, one learns and the other waits


def mail(request: Mapping[str, Any]) -> dict[str, Any]:
    """What was learned from the mail: the decisions on unseen messages, and the words with the largest weights.

    `at_zero` has the decisions of a threshold of 0, without the costs, to compare.
    """
    return {name: value for name, value in _learned().items() if name != "model"}


def message(request: Mapping[str, Any]) -> dict[str, Any]:
    """Is this message (`text`) spam? With its score, which is that of spam, and what the strongest words add to it."""
    from rosenblatt.report.explanation import explain_example

    text = request.get("text")
    if not isinstance(text, str) or not text.strip() or len(text) > MAX_LETTERS:
        raise DataError(f"Write a message of 1 to {MAX_LETTERS:,} letters.")
    model = _learned()["model"]
    explanation = explain_example(model, text)
    words = [asdict(word) for word in explanation.pop("contributions") if word.contribution]
    n_known = sum(" " not in word["feature"] for word in words)  # a feature with a space is a pair of words
    return explanation | {"words": words[:_N_WORDS], "known": n_known, "threshold": model.threshold.score}


def _learned() -> dict[str, Any]:
    with _learning:
        return _learn_mail()


@lru_cache(maxsize=1)
def _learn_mail() -> dict[str, Any]:
    from rosenblatt.model.fit_file import fit_file
    from rosenblatt.readers.source import ReadOptions
    from rosenblatt.report.weights import classes_shown

    fitted = fit_file(str(_MAIL / "train.tsv.gz"), reading=ReadOptions(), threshold=_COSTS)
    model: Any = fitted.model
    return {
        "model": model,
        "rows": fitted.rows,
        "rule": fitted.chosen,
        **_decisions(model),
        "at_zero": _decisions(replace(model, threshold=None)),
        "top": {str(label): _top_words(model, k) for k, label in classes_shown(model)},
    }


def _decisions(model: Any) -> dict[str, Any]:
    """How the messages that were kept aside are decided: letters that are lost, spam that comes through."""
    from rosenblatt.evaluate.evaluate_file import evaluate_file
    from rosenblatt.readers.source import ReadOptions

    scores = evaluate_file(model, str(_MAIL / "test.tsv.gz"), ReadOptions()).scores()
    (delivered, lost), (through, caught) = scores.confusion.astype(int).tolist()
    return {
        "examples": scores.examples,
        "accuracy": scores.accuracy.value,
        "letters": delivered + lost,
        "lost": lost,
        "spams": through + caught,
        "through": through,
    }


def _top_words(model: Any, k: int) -> list[dict[str, Any]]:
    """The words with the largest weights; words with letters that were damaged in the mail are left out."""
    from rosenblatt.report.weights import top_features

    words = top_features(model, k, 2 * _N_WORDS)
    return [asdict(word) for word in words if "\N{REPLACEMENT CHARACTER}" not in word.feature][:_N_WORDS]
