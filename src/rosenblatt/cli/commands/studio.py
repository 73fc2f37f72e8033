"""`rosenblatt studio`: a local page on which a separator is seen to learn."""

import errno
import json
import sys
import threading
import webbrowser
from typing import Any

from rosenblatt import options
from rosenblatt.cli import common, declared
from rosenblatt.cli.invocation import UsageError

_UNSEEN = 3.0  # seconds that a browser may take before the long imports begin without it


@declared.command("studio")
@declared.takes(declared.argument("data", required=False))
@declared.option(options.port, metavar="N")
@declared.option(options.browser)
@common.reading_options
@common.output_options
def command(data: str | None, as_json: bool, **asked: Any) -> None:
    """Open a page that shows a separator learn: draw points or bring DATA, play the run step by step, see the theorem
    and the proof. It is served from this machine to this machine alone; Ctrl-C ends it.
    """
    server = _server()
    given = _table(data, asked) if data else None
    try:
        held = server.listening(asked["port"])
    except OSError as error:
        taken = "is in use" if error.errno == errno.EADDRINUSE else "cannot be listened on"
        raise UsageError(f"--port {asked['port']} {taken}: name another one, or none for any free one.") from None
    token = server.new_token()
    address = f"http://{server.LOOPBACK}:{held.getsockname()[1]}/{token}/"
    if as_json:
        common.data(json.dumps({"url": address}))
        sys.stdout.flush()
    common.say(f"studio: {address}")
    common.say("Ctrl-C ends it.")
    threading.Thread(target=_warm, args=(address if asked["browser"] else None,), daemon=True).start()
    server.serve(held, token, given)
    common.say("ended.")


def _server() -> Any:
    try:
        import uvicorn  # noqa: F401  # its absence is told before anything is read

        from rosenblatt.studio import server
    except ModuleNotFoundError as error:
        missing = (error.name or "").split(".")[0]
        if missing not in ("starlette", "uvicorn", "anyio"):
            raise
        raise UsageError(
            f"The studio needs {missing}, which is not installed: pip install 'rosenblatt[studio]'."
        ) from None
    return server


def _table(data: str, asked: dict[str, Any]) -> dict[str, Any]:
    from dataclasses import fields

    from rosenblatt.studio.questions.tables import table_from

    reading = common.reading(asked)
    found = table_from(data, **{field.name: getattr(reading, field.name) for field in fields(reading)})
    return found | {"name": data, "words": f"{len(found['rows']):,} rows of {data}."}


def _warm(address: str | None) -> None:
    """Open the page, and when it has its first picture load what further questions need."""
    if address:
        webbrowser.open(address)
    _server().drawn.wait(_UNSEEN)
    import rosenblatt.estimators  # noqa: F401
