"""Who may talk to the studio: its own page alone, on this machine, with the token of this session; or a class.

The token is part of every address, so a page of another site cannot guess one. The Host header is checked, so a name
that was pointed at this machine from outside (DNS rebinding) is refused. Origin and Sec-Fetch-Site are checked too, so
no other site can send requests.

The browser is started with a ticket in place of the token, since everybody on this machine can see the arguments of a
process: it is exchanged for the token once.

In a class there is no token and any name of the host will do, because there is nothing to read or to change that
another page could not get by asking itself. Requests from other sites are refused all the same: they would be work.
"""

import secrets
from collections.abc import Sequence
from typing import Any

from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = "127.0.0.1"
# Nothing is loaded from or sent to another site.
_CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors "
)
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def new_token() -> str:
    """A random token for the URL."""
    return secrets.token_urlsafe(18)


def error_response(status: int, sentence: str) -> JSONResponse:
    """How every error is sent to the page."""
    return JSONResponse({"error": sentence}, status_code=status)


class OpenAccess:
    """Refuses requests from other sites, and adds the security headers to every response.

    The page may be embedded by the `frame_ancestors`, such as https://lms.example, and by nobody else.
    """

    def __init__(self, app: ASGIApp, frame_ancestors: Sequence[str] = ()) -> None:
        self.app = app
        policy = _CONTENT_POLICY + (" ".join(frame_ancestors) or "'none'")
        headers = {"content-security-policy": policy, **_HEADERS}
        self._security = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in message["headers"]}
                security = [(name, value) for name, value in self._security if name not in own]
                message["headers"] = [*message["headers"], *security]
            await send(message)

        if scope["type"] == "http":
            await (self._refusal(scope) or self.app)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = _headers_of(scope)
        if len(headers.get("host", [])) != 1:
            return error_response(400, "A request needs one Host header.")
        return _refusal_of_other_sites(scope, headers, set(headers["host"]), ("http", "https"))


class AccessGuard(OpenAccess):
    """Refuses requests with the wrong token, host or origin too."""

    def __init__(self, app: ASGIApp, token: str, port: int, ticket: str | None = None) -> None:
        super().__init__(app)
        self.token, self._ticket = token, ticket
        self.hosts = {f"{name}:{port}" for name in (LOOPBACK, "localhost")}

    def _refusal(self, scope: Scope) -> Response | None:
        headers = _headers_of(scope)
        if len(headers.get("host", [])) != 1 or headers["host"][0] not in self.hosts:
            return error_response(403, "This is not the studio's address: open the one that rosenblatt studio printed.")
        if refusal := _refusal_of_other_sites(scope, headers, self.hosts, ("http",)):
            return refusal
        token = scope["path"].partition("/")[2].partition("/")[0]
        if self._ticket is not None and secrets.compare_digest(token.encode(), self._ticket.encode()):
            self._ticket = None
            return RedirectResponse(f"/{self.token}/", status_code=303)
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            return error_response(403, "The address has no valid token: open the one that rosenblatt studio printed.")
        return None


def _headers_of(scope: Scope) -> dict[str, list[str]]:
    headers: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))
    return headers


def _refusal_of_other_sites(
    scope: Scope, headers: dict[str, list[str]], hosts: set[str], schemes: Sequence[str]
) -> Response | None:
    origins = {f"{scheme}://{host}" for scheme in schemes for host in hosts}
    if any(origin not in origins for origin in headers.get("origin", [])):
        return error_response(403, "Requests from other sites are refused.")
    from_elsewhere = any(site not in ("same-origin", "none") for site in headers.get("sec-fetch-site", []))
    if from_elsewhere and (scope["method"] != "GET" or headers.get("sec-fetch-mode") != ["navigate"]):
        return error_response(403, "Requests from other sites are refused.")
    return None
