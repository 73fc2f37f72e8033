"""`rosenblatt studio`: watch a separator learn on a local page."""

import errno
import json
import sys
import threading
import webbrowser
from typing import Any

import click

from rosenblatt import options
from rosenblatt.cli.output import say, write
from rosenblatt.cli.parameters import option, output_options, reading_options, sectioned_command
from rosenblatt.readers.source import ReadOptions

_FIRST_PICTURE = 3.0  # seconds to wait for the browser before importing what later questions need


@sectioned_command("studio", "rosenblatt studio", "rosenblatt studio points.csv --no-browser --port 8000")
@click.argument("data", metavar="[DATA]", required=False, type=click.Path(allow_dash=True))
@option(options.port, metavar="N")
@option(options.browser)
@reading_options
@output_options
def command(data: str | None, port: int, browser: bool, reading: ReadOptions, as_json: bool) -> None:
    """Open a page on which you watch a separator learn: draw points or bring DATA, play the run step by step, see the
    theorem and the proof. It is served from this machine to this machine alone; Ctrl-C ends it.
    """
    server = _server()
    table = _table(data, reading) if data else None
    try:
        socket = server.listen(port)
    except OSError as error:
        reason = "is in use" if error.errno == errno.EADDRINUSE else "cannot be listened on"
        raise click.UsageError(f"--port {port} {reason}: choose another, or leave it out for a free one.") from None
    from rosenblatt.studio.access import LOOPBACK, new_token

    token, ticket = new_token(), new_token()
    host = f"http://{LOOPBACK}:{socket.getsockname()[1]}"
    address = f"{host}/{token}/"
    if as_json:
        write(json.dumps({"url": address}))
        sys.stdout.flush()
    say(f"studio: {address}")
    say("Ctrl-C ends it.")
    threading.Thread(target=_warm_up, args=(f"{host}/{ticket}" if browser else None,), daemon=True).start()
    server.serve(socket, token, table, ticket)
    say("ended.")


def _server() -> Any:
    try:
        import uvicorn  # noqa: F401  # so that a missing one is reported before anything is read

        from rosenblatt.studio import server
    except ModuleNotFoundError as error:
        missing = (error.name or "").split(".")[0]
        if missing not in ("starlette", "uvicorn", "anyio"):
            raise
        raise click.UsageError(
            f"The studio needs {missing}, which is not installed: pip install 'rosenblatt[studio]'."
        ) from None
    return server


def _table(data: str, reading: ReadOptions) -> dict[str, Any]:
    from rosenblatt.studio.questions.tables import read_file

    table = read_file(data, **vars(reading))
    return table | {"name": data, "description": f"{len(table['rows']):,} rows of {data}."}


def _warm_up(address: str | None) -> None:
    """Open the page and, once it shows its first picture, import what further questions need."""
    if address:
        webbrowser.open(address)
    _server().first_picture_shown.wait(_FIRST_PICTURE)
    import rosenblatt.estimators  # noqa: F401
