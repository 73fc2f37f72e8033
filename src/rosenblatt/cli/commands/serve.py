"""`rosenblatt serve`: models over HTTP that learn while they answer."""

import errno
import json
import sys
from typing import Any

import click

from rosenblatt import options
from rosenblatt.cli.output import is_quiet, say, write
from rosenblatt.cli.parameters import option, output_options, sectioned_command

_LOCAL = ("127.0.0.1", "::1", "localhost")


@sectioned_command(
    "serve",
    "rosenblatt serve spam.model",
    "rosenblatt serve --data models --port 8000",
    "rosenblatt serve --host 0.0.0.0 --tokens tokens --certificate cert.pem --key key.pem",
    "rosenblatt serve --data models --verify",
)
@click.argument("models", metavar="[MODEL]...", nargs=-1, type=click.Path())
@option(options.data_directory, metavar="DIR")
@option(options.host, metavar="ADDRESS")
@option(options.serve_port, metavar="N")
@option(options.tokens)
@option(options.certificate)
@option(options.key)
@option(options.durability)
@option(options.keep_log, metavar="TIME")
@option(options.snapshot_every, metavar="TIME")
@option(options.verify)
@option(options.browser)
@output_options
def command(
    models: tuple[str, ...],
    data: str,
    host: str,
    port: int,
    tokens: str | None,
    certificate: str | None,
    key: str | None,
    durability: str,
    keep: str,
    snapshot_every: str,
    verify: bool,
    browser: bool,
    as_json: bool,
) -> int | None:
    """Serve every MODEL, and the models already in the directory, over HTTP: they predict, learn what they are
    sent, and lose nothing that they have acknowledged. Without a MODEL a page shows how to begin. Ctrl-C or SIGTERM
    ends it.
    """
    if verify:
        return _verify(data, as_json)
    if host not in _LOCAL and tokens is None:
        raise click.UsageError(f"--host {host} lets others in: say who may do what with --tokens FILE.")
    if (certificate is None) != (key is None):
        raise click.UsageError("--certificate and --key belong together: give both files.")
    from rosenblatt.serve.http.app import App
    from rosenblatt.serve.http.routes import make_routes
    from rosenblatt.serve.http.server import check_certificate, run
    from rosenblatt.serve.http.tokens import read_tokens
    from rosenblatt.serve.learning.served_model import Keeping
    from rosenblatt.serve.service import Service, import_models

    grants = None if tokens is None else read_tokens(tokens)
    if certificate is not None and key is not None:
        check_certificate(certificate, key)
    listener = _listen(host, port)
    port = listener.getsockname()[1]
    keep_seconds, snapshot_seconds = (options.duration_of(text) or 0.0 for text in (keep, snapshot_every))
    keeping = Keeping(durability, keep_seconds, snapshot_seconds=snapshot_seconds)
    quiet = is_quiet()  # other threads cannot know

    def report(sentence: str) -> None:
        if not quiet:
            say(sentence)

    service = Service(data, keeping, say=report)
    import_models(service.directory, list(models))
    service.open()
    name = f"[{host}]" if ":" in host else host
    hosts = _own_hosts(port, 80 if certificate is None else 443) if grants is None else None
    address = f"http{'' if certificate is None else 's'}://{name}:{port}/"
    _announce(service, address, as_json)
    if browser and sys.stderr.isatty():
        import threading
        import webbrowser

        threading.Timer(0.5, webbrowser.open, (address,)).start()
    run(service, App(service, grants, hosts, make_routes(service)), listener, certificate, key)
    say("ended: everything that was acknowledged is on the disk.")
    return None


def _own_hosts(port: int, usual_port: int) -> frozenset[bytes]:
    """What the Host header of a client on this machine says, which leaves out the usual port."""
    names = ["127.0.0.1", "localhost", "[::1]"]
    with_port = [f"{name}:{port}" for name in names]
    return frozenset(host.encode() for host in with_port + (names if port == usual_port else []))


def _announce(service: Any, address: str, as_json: bool) -> None:
    names = sorted(service.models)
    if as_json:
        write(json.dumps({"url": address, "models": names, "data": service.directory.path}))
        sys.stdout.flush()
    served = ", ".join(names) if names else "no model yet; the page shows how to begin"
    say(f"serving at {address} from {service.directory.path}: {served}.")


def _listen(host: str, port: int) -> Any:
    from rosenblatt.web.listening import listen

    try:
        return listen(port, "127.0.0.1" if host == "localhost" else host)
    except OSError as error:
        reason = "is in use" if error.errno == errno.EADDRINUSE else f"of {host} cannot be listened on"
        raise click.UsageError(f"--port {port} {reason}: choose another; 0 is any free one.") from None


def _verify(data: str, as_json: bool) -> int:
    from rosenblatt.serve.verify import verify

    verdicts = []
    for verdict in verify(data):
        verdicts.append(verdict)
        if not as_json:
            write(f"{verdict.name}: {verdict.sentence}.")
    if as_json:
        write(json.dumps({"models": [verdict._asdict() for verdict in verdicts]}))
    if not verdicts:
        say(f"{data}: has no models.")
    return 0 if all(verdict.agrees for verdict in verdicts) else 1
