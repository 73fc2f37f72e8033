"""Requests that a page of another site makes in the browser of a user, and headers that keep ours to itself."""

from collections.abc import Sequence

from starlette.types import Scope

OTHER_SITE = "Requests from other sites are refused."
# Nothing is loaded from or sent to another site.
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors "
)
SECURITY_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def headers_of(scope: Scope) -> dict[str, list[str]]:
    headers: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))
    return headers


def comes_from_another_site(
    scope: Scope, headers: dict[str, list[str]], hosts: set[str], schemes: Sequence[str]
) -> bool:
    """Whether a page of another site sent the request. Origin and Sec-Fetch-Site say so; a link may lead here."""
    origins = {f"{scheme}://{host}" for scheme in schemes for host in hosts}
    if any(origin not in origins for origin in headers.get("origin", [])):
        return True
    from_elsewhere = any(site not in ("same-origin", "none") for site in headers.get("sec-fetch-site", []))
    return from_elsewhere and (scope["method"] != "GET" or headers.get("sec-fetch-mode") != ["navigate"])
