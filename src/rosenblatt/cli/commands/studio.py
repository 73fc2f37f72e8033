"""`rosenblatt studio`: watch a separator learn on a local page, alone or with a class."""

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


@sectioned_command(
    "studio",
    "rosenblatt studio",
    "rosenblatt studio points.csv --no-browser --port 8000",
    "rosenblatt studio --class --host 0.0.0.0 --port 8000",
    "rosenblatt studio --results handed-in",
)
@click.argument("data", metavar="[DATA]", required=False, type=click.Path(allow_dash=True))
@option(options.port, metavar="N")
@option(options.browser)
@option(options.lessons, metavar="DIR")
@option(options.class_)
@option(options.host, metavar="ADDRESS")
@option(options.frame_ancestors, metavar="SITE")
@option(options.results, metavar="DIR")
@reading_options
@output_options
def command(
    data: str | None,
    port: int,
    browser: bool,
    lessons: str | None,
    class_: bool,
    host: str,
    frame_ancestors: tuple[str, ...] | None,
    results: str | None,
    reading: ReadOptions,
    as_json: bool,
) -> None:
    """Open a page on which you watch a separator learn: draw points or bring DATA, play the run step by step, see the
    theorem and the proof. Only this machine can open it; Ctrl-C ends it. With --class everyone who can reach the host
    can open it.
    """
    if results is not None:
        return _show_results(results, as_json)
    if not class_ and (host != options.host.default or frame_ancestors):
        raise click.UsageError("--host and --frame-ancestors are for a class: add --class, which needs no token.")
    if class_ and data:
        raise click.UsageError("A class opens its own data: leave DATA out, and give the class a link with the points.")
    server = _server()
    table = _table(data, reading) if data else None
    if lessons is not None:
        from rosenblatt.studio.lessons.registry import lessons_answer

        lessons_answer(lessons)  # a mistake in one is reported before anything is served
    try:
        socket = server.listen(port, host)
    except OSError as error:
        reason = "is in use" if error.errno == errno.EADDRINUSE else "cannot be listened on"
        raise click.UsageError(f"--port {port} {reason}: choose another, or leave it out for a free one.") from None
    port = socket.getsockname()[1]
    if class_:
        from rosenblatt.studio.classroom.app import class_app, serve_class

        app = class_app(lessons, frame_ancestors or ())
        _announce(f"http://{_name_of(host)}:{port}/", as_json)
        serve_class(socket, app)
    else:
        from rosenblatt.studio.access import LOOPBACK, new_token

        token, ticket = new_token(), new_token()
        site = f"http://{LOOPBACK}:{port}"
        address = f"{site}/{token}/"
        _announce(address, as_json)
        threading.Thread(target=_warm_up, args=(f"{site}/{ticket}" if browser else None,), daemon=True).start()
        server.serve(socket, token, table, ticket, lessons)
    say("ended.")


def _announce(address: str, as_json: bool) -> None:
    if as_json:
        write(json.dumps({"url": address}))
        sys.stdout.flush()
    say(f"studio: {address}")
    say("Ctrl-C ends it.")


def _name_of(host: str) -> str:
    """What others call this machine, where it listens on every network."""
    import socket

    return socket.gethostname() if host in ("0.0.0.0", "::") else host


def _show_results(folder: str, as_json: bool) -> None:
    from dataclasses import asdict

    from rosenblatt.studio.lesson_results import as_text, read_results

    results = read_results(folder)
    if as_json:
        write(json.dumps({"results": [asdict(each) for each in results]}))
        return
    write(as_text(results))


def _server() -> Any:
    from rosenblatt.studio import server

    return server


def _table(data: str, reading: ReadOptions) -> dict[str, Any]:
    from rosenblatt.studio.questions.user_tables import read_file

    table = read_file(data, **reading._asdict())
    return table | {"name": data, "description": f"{len(table['rows']):,} rows of {data}."}


def _warm_up(address: str | None) -> None:
    """Open the page and, once it shows its first picture, import what further questions need."""
    if address:
        webbrowser.open(address)
    _server().first_picture_shown.wait(_FIRST_PICTURE)
    import rosenblatt.estimators  # noqa: F401
