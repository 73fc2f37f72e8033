"""Files to download: the screen as a page, the run as a GIF, and the model, as base64 for the page to save."""

import base64
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

from rosenblatt.errors import ParameterError
from rosenblatt.readers.read import read
from rosenblatt.studio.cancellation import raise_if_cancelled
from rosenblatt.studio.playback.linear_run import LinearRun
from rosenblatt.studio.playback.recent_runs import run_of
from rosenblatt.studio.playback.run import PlayedRun
from rosenblatt.studio.questions.reproduce import reproduce
from rosenblatt.studio.request import read_columns

MEDIA_TYPES = {"page": "text/html", "gif": "image/gif", "model": "application/octet-stream"}
_MAX_GIF_UPDATES = 30  # each frame is drawn by matplotlib
_matplotlib_lock = Lock()  # matplotlib is not thread-safe


def download(request: Mapping[str, Any]) -> dict[str, Any]:
    """The file of this `kind`: `page` replays the screen, `gif` shows the run update by update, `model` is the model.

    >>> AND = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 0, 0, 1], "classes": [-1, 1]}
    >>> file = download(AND | {"kind": "model"})
    >>> file["name"], len(base64.b64decode(file["content"])) > 500
    ('studio.model', True)
    """
    kind = request.get("kind")
    if not isinstance(kind, str) or kind not in MEDIA_TYPES:
        raise ParameterError(f"The kind of a file must be one of {', '.join(MEDIA_TYPES)}. Got {kind!r} instead.")
    run = run_of(request)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"studio.{_SUFFIXES[kind]}")
        _WRITERS[kind](run, path, request)
        content = base64.b64encode(path.read_bytes()).decode("ascii")
    return {"name": path.name, "type": MEDIA_TYPES[kind], "content": content}


def _write_model(run: PlayedRun, path: Path, request: Mapping[str, Any]) -> None:
    """The model with the columns of the CSV, so that `rosenblatt evaluate` of the two files works."""
    from rosenblatt.estimators.model_files.save_load import to_model
    from rosenblatt.model.model_file import save_model

    table = path.with_name("studio.csv")
    table.write_text(reproduce(request)["csv"], encoding="utf-8")
    model: Any = to_model(run.model)
    save_model(replace(model, space=read(table).space), path)


def _write_page(run: PlayedRun, path: Path, request: Mapping[str, Any]) -> None:
    from rosenblatt.studio.offline.recording import offline_page

    path.write_text(offline_page(request), encoding="utf-8")


def _write_gif(run: PlayedRun, path: Path, request: Mapping[str, Any]) -> None:
    from rosenblatt.report.animation.animate import animate
    from rosenblatt.studio.playback.regions_gif import write_run_gif

    columns = read_columns(request)
    while not _matplotlib_lock.acquire(timeout=0.2):
        raise_if_cancelled()
    try:
        if isinstance(run, LinearRun) and not run.curved and len(run.unit_names) == 1:
            animate(run.trace, path, names=columns, most=_MAX_GIF_UPDATES, on_moment=raise_if_cancelled)
        else:
            write_run_gif(run, path, _MAX_GIF_UPDATES, columns)
    finally:
        _matplotlib_lock.release()


_WRITERS = {"page": _write_page, "gif": _write_gif, "model": _write_model}
_SUFFIXES = {"page": "html", "gif": "gif", "model": "model"}
