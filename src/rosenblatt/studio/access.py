"""Who may send requests to the studio: only its own page, on this machine, with the token of this session; or a class.

The token is part of every address, so a page of another site cannot guess one. The Host header is checked, so a name
that was pointed at this machine from outside (DNS rebinding) is refused. Origin and Sec-Fetch-Site are checked too, so
no other site can send requests.

The browser is started with a ticket in place of the token, since everybody on this machine can see the arguments of a
process: it is exchanged for the token once.

In a class there is no token and any host name is accepted, because there is nothing secret to read and nothing to
change. Requests from other sites are still refused: they would cost computing time.
"""

import re
import secrets
from collections.abc import Sequence
from typing import Any

from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from rosenblatt.errors import ParameterError, option
from rosenblatt.studio.error_sentence import error_body
from rosenblatt.web.listening import LOOPBACK as LOOPBACK
from rosenblatt.web.other_sites import (
    CONTENT_POLICY,
    OTHER_SITE,
    SECURITY_HEADERS,
    comes_from_another_site,
    headers_of,
)

_SITE = re.compile(r"https?://(\*\.)?[\w.-]+(:\d{1,5})?|'self'", re.ASCII)


def new_token() -> str:
    """A random token for the URL."""
    return secrets.token_urlsafe(18)


def error_response(status: int, sentence: str) -> JSONResponse:
    """An error as a response, in the form in which the page gets every error."""
    return JSONResponse(error_body(sentence), status_code=status)


class OpenAccess:
    """Refuses requests from other sites, and adds the security headers to every response.

    The page may be embedded by the `frame_ancestors`, such as https://lms.example, and by nobody else.
    """

    def __init__(self, app: ASGIApp, frame_ancestors: Sequence[str] = ()) -> None:
        self.app = app
        for site in frame_ancestors:
            if not _SITE.fullmatch(site):
                raise ParameterError(
                    f"{option('frame_ancestors')} needs a site such as https://lms.example, without a path. "
                    f"Got {site!r} instead."
                )
        policy = CONTENT_POLICY + (" ".join(frame_ancestors) or "'none'")
        headers = {"content-security-policy": policy, **SECURITY_HEADERS}
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
        headers = headers_of(scope)
        if len(headers.get("host", [])) != 1:
            return error_response(400, "A request needs one Host header.")
        refused = comes_from_another_site(scope, headers, set(headers["host"]), ("http", "https"))
        return error_response(403, OTHER_SITE) if refused else None


class AccessGuard(OpenAccess):
    """Refuses requests with the wrong token, host or origin too."""

    def __init__(self, app: ASGIApp, token: str, port: int, ticket: str | None = None) -> None:
        super().__init__(app)
        self.token, self._ticket = token, ticket
        self.hosts = {f"{name}:{port}" for name in (LOOPBACK, "localhost")}

    def _refusal(self, scope: Scope) -> Response | None:
        headers = headers_of(scope)
        if len(headers.get("host", [])) != 1 or headers["host"][0] not in self.hosts:
            return error_response(403, "This is not the studio's address: open the one that rosenblatt studio printed.")
        if comes_from_another_site(scope, headers, self.hosts, ("http",)):
            return error_response(403, OTHER_SITE)
        token = scope["path"].partition("/")[2].partition("/")[0]
        if self._ticket is not None and secrets.compare_digest(token.encode(), self._ticket.encode()):
            self._ticket = None
            return RedirectResponse(f"/{self.token}/", status_code=303)
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            return error_response(403, "The address has no valid token: open the one that rosenblatt studio printed.")
        return None
