"""Files of the run to take away: the animation and the model, as base64 for the page to save."""

import base64
import tempfile
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from rosenblatt.errors import ParameterError
from rosenblatt.studio.learning import learned

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
        if kind == "model":
            from rosenblatt.estimators import save

            save(held.model, path)
        else:
            from rosenblatt.report.animate import animate

            with _one_at_a_time:
                animate(held.trace, path, most=_UPDATES[kind])
        content = base64.b64encode(path.read_bytes()).decode("ascii")
    return {"name": path.name, "type": FILES[kind], "content": content}
