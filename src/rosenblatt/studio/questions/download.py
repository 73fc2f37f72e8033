"""Files of the run to take away: the animation and the model, as base64 for the page to save."""

import base64
import tempfile
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from rosenblatt.errors import ParameterError
from rosenblatt.studio.cancelled import still_there
from rosenblatt.studio.playback.run import Played, Primal, learned

FILES = {"html": "text/html", "gif": "image/gif", "model": "application/octet-stream"}
_UPDATES = {"html": 200, "gif": 30}  # shown at most; each frame of a GIF is drawn by matplotlib
_one_at_a_time = Lock()  # matplotlib draws for one thread only


def file(request: Mapping[str, Any]) -> dict[str, Any]:
    """The file of this `kind`: `html` and `gif` show the run update by update, `model` is what was learned.

    >>> AND = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 0, 0, 1], "classes": [-1, 1]}
    >>> made = file(AND | {"kind": "html"})
    >>> made["name"], base64.b64decode(made["content"])[:15]
    ('studio.html', b'<!doctype html>')
    """
    kind = request.get("kind")
    if not isinstance(kind, str) or kind not in FILES:
        raise ParameterError(f"A file is one of {', '.join(FILES)}. Got {kind!r} instead.")
    held = learned(request)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"studio.{kind}")
        _WRITERS[kind](held, path)
        content = base64.b64encode(path.read_bytes()).decode("ascii")
    return {"name": path.name, "type": FILES[kind], "content": content}


def _model(held: Played, path: Path) -> None:
    from rosenblatt.estimators.files import save

    save(held.model, path)


def _html(held: Played, path: Path) -> None:
    from rosenblatt.report.animation.animate import animate

    if not isinstance(held, Primal) or held.curved:
        raise ParameterError("The page that plays offline draws straight lines: take the GIF of this run, or its code.")
    animate(held.trace, path, most=_UPDATES["html"])


def _gif(held: Played, path: Path) -> None:
    from rosenblatt.report.animation.animate import animate
    from rosenblatt.studio.playback.gif import write_reel

    while not _one_at_a_time.acquire(timeout=0.2):
        still_there()
    try:
        if isinstance(held, Primal) and not held.curved and len(held.units) == 1:
            animate(held.trace, path, most=_UPDATES["gif"], on_moment=still_there)
        else:
            write_reel(held, path, _UPDATES["gif"])
    finally:
        _one_at_a_time.release()


_WRITERS = {"html": _html, "gif": _gif, "model": _model}
