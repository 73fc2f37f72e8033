"""The mail that comes with the package, for the lesson about spam."""

from collections.abc import Mapping
from dataclasses import asdict
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
    """What was learned from the mail: the accuracy on unseen messages, and the words with the largest weights."""
    return {name: value for name, value in _learned().items() if name != "model"}


def message(request: Mapping[str, Any]) -> dict[str, Any]:
    """Is this message (`text`) spam? With the words that decide it, the strongest first."""
    from rosenblatt.report.explanation import explain_example

    text = request.get("text")
    if not isinstance(text, str) or not text.strip() or len(text) > MAX_LETTERS:
        raise DataError(f"Write a message of 1 to {MAX_LETTERS:,} letters.")
    model = _learned()["model"]
    explanation = explain_example(model, text)
    words = [asdict(word) for word in explanation.pop("contributions") if word.contribution]
    if explanation["label"] == model.classes[0]:  # the page shows what speaks for the label as positive
        explanation |= {"score": -explanation["score"], "bias": 0.0 - explanation["bias"]}
        words = [word | {"weight": -word["weight"], "contribution": -word["contribution"]} for word in words]
    n_known = sum(" " not in word["feature"] for word in words)  # a feature with a space is a pair of words
    threshold = _learned()["model"].threshold
    return explanation | {"words": words[:_N_WORDS], "known": n_known, "threshold": threshold.score}


def _learned() -> dict[str, Any]:
    with _learning:
        return _learn_mail()


@lru_cache(maxsize=1)
def _learn_mail() -> dict[str, Any]:
    from rosenblatt.evaluate.evaluate_file import evaluate_file
    from rosenblatt.model.fit_file import fit_file
    from rosenblatt.readers.source import ReadOptions
    from rosenblatt.report.weights import classes_shown, top_features

    fitted = fit_file(str(_MAIL / "train.tsv.gz"), reading=ReadOptions(), threshold=_COSTS)
    scores = evaluate_file(fitted.model, str(_MAIL / "test.tsv.gz"), ReadOptions()).scores()
    top_words = {
        str(label): [asdict(word) for word in top_features(fitted.model, k, _N_WORDS)]
        for k, label in classes_shown(fitted.model)
    }
    return {
        "model": fitted.model,
        "rows": fitted.rows,
        "rule": fitted.chosen,
        "examples": scores.examples,
        "accuracy": scores.accuracy.value,
        "top": top_words,
    }
