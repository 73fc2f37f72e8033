"""Everything that the page would ask about the run on its screen, answered beforehand and put into one HTML file."""

import base64
import gzip
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.studio.offline.bundle import page_parts
from rosenblatt.studio.questions.controls import controls
from rosenblatt.studio.questions.network import network
from rosenblatt.studio.questions.reproduce import reproduce
from rosenblatt.studio.questions.run import regions as curves
from rosenblatt.studio.questions.run.learn import MAX_VISITS, learn, visits
from rosenblatt.studio.questions.run.loss_history import loss_history
from rosenblatt.studio.questions.run.relatives import relatives
from rosenblatt.studio.questions.run.verdict import lowest_degree, verdict
from rosenblatt.studio.request import read_rows

MAX_BYTES = 300_000  # so that it can be mailed
_MAX_PICTURES = 120
# How many moments and visits are recorded: the first pair that fits into MAX_BYTES is taken.
_AMOUNTS = ((600, 1024), (300, 512), (150, 192), (75, 64), (40, 64), (20, 64), (10, 64), (5, 64))
_MAX_TEXT, _MAX_CSV = 2_000, 40_000
Answers = dict[str, Any]


def offline_page(request: Mapping[str, Any]) -> str:
    """The screen as one HTML page that replays it. Besides the run the request has what the page itself shows:

    `box` and `size` of the picture, `table` with all rows, those kept for testing too, its columns and description,
    the `fragment` of the address, the `expression` and `build` of the network.
    """
    answers = _answers(request)
    fragment = _text(request, "fragment")
    before, after = page_parts()
    for n_moments, n_visits in _AMOUNTS:
        recording = {"fragment": fragment, "answers": _thinned(answers, n_moments, n_visits)}
        packed = gzip.compress(json.dumps(recording, separators=(",", ":")).encode(), 9, mtime=0)
        html = before + base64.b64encode(packed).decode("ascii") + after
        if len(html.encode()) < MAX_BYTES:
            return html
    raise DataError(f"A page of this run would be larger than {MAX_BYTES:,} bytes: use fewer points, or save the GIF.")


def _answers(request: Mapping[str, Any]) -> Answers:
    run, judged = learn(request), verdict(request)
    lists = controls({}) | {"examples": []}
    answers: Answers = {
        "controls": lists,
        "lessons": {"lessons": []},
        "opening_table": _table(request),
        "learn": run | {"complete": True},  # the page has no server to ask for more
        "verdict": judged,
        "loss_history": loss_history(request),
        "relatives": relatives(request),
        "reproduce": reproduce(request),
        "lowest_degree": lowest_degree(request),
        "network": network({"text": _text(request, "expression"), "build": request.get("build", "written")}),
        "visits": {"since": 0, "visits": _first_visits(request, run["t"], _AMOUNTS[0][1])},
    }
    if run["curved"] or run["scheme"] == "ovo":
        times = sorted(
            {0, run["t"], *(moment["t"] + 1 for moment in run["moments"]), *(end["t"] for end in run["epochs"])}
        )
        answers["regions"] = {"pictures": _pictures(request, _spread(times, _MAX_PICTURES))}
        answers["fixed_curves"] = curves.fixed_curves(request)
    if judged["kind"] == "separable" and judged["degree"] > 1:
        level = judged["margin"] * float(np.linalg.norm(judged["weights"][1:]))
        widest = {"weights": judged["weights"], "levels": [-level, 0.0, level]}
        answers["widest_margin"] = curves.fixed_curves({**request, **widest})
    return answers


def _table(request: Mapping[str, Any]) -> Answers:
    """The points of the plane as the table with which the page opens."""
    table = request.get("table")
    if not isinstance(table, dict) or not all(
        isinstance(table.get(name), list) for name in ("rows", "labels", "columns")
    ):
        raise ParameterError("A page needs the 'table' that it shows: rows, labels, columns and a description.")
    description = table.get("description")
    return {
        # Seven digits are precise enough for a picture.
        "rows": [[float(f"{value:.7g}") for value in row] for row in read_rows(table["rows"])],
        "labels": table["labels"],
        "classes": request.get("classes"),
        "columns": [str(name)[:200] for name in table["columns"][:2]],
        "description": str(description)[:_MAX_TEXT] if isinstance(description, str) else "",
    }


def _text(request: Mapping[str, Any], name: str) -> str:
    value = request.get(name, "")
    if not isinstance(value, str) or len(value) > 20_000:
        raise ParameterError(f"{name!r} must be a short text.")
    return value


def _first_visits(request: Mapping[str, Any], n_visits: int, most: int) -> list[Any]:
    recorded: list[Any] = []
    while len(recorded) < min(most, n_visits):
        recorded += visits({**request, "since": len(recorded)})["visits"][:MAX_VISITS]
    return recorded[:most]


def _pictures(request: Mapping[str, Any], times: list[int]) -> list[Any]:
    pictures: list[Any] = []
    for start in range(0, len(times), curves.MAX_TIMES):
        pictures += curves.regions({**request, "times": times[start : start + curves.MAX_TIMES]})["pictures"]
    return pictures


def _spread(items: list[Any], most: int) -> list[Any]:
    """At most `most` of the items, evenly spread, the first and the last included."""
    if len(items) <= most:
        return items
    return [items[k] for k in np.unique(np.linspace(0, len(items) - 1, most).round().astype(int))]


def _thinned(answers: Answers, n_moments: int, n_visits: int) -> Answers:
    run = answers["learn"]
    thinned = answers | {
        "learn": run | {"moments": _spread(run["moments"], n_moments)},
        "visits": answers["visits"] | {"visits": answers["visits"]["visits"][:n_visits]},
    }
    if "regions" in answers:
        thinned["regions"] = {"pictures": _spread(answers["regions"]["pictures"], n_moments)}
    if len(answers["reproduce"]["csv"]) > _MAX_CSV:
        thinned["reproduce"] = answers["reproduce"] | {"csv": None}
    return thinned
