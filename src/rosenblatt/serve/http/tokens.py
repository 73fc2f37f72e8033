"""Who may do what: a file of tokens, each with its scopes.

A line is `TOKEN SCOPES [MODELS]`: scopes are predict, learn and admin, with commas between them; with names of models,
the token is for these alone. `#` begins a comment. Tokens are compared by their hashes, so that timing reveals nothing.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from typing import NamedTuple

from rosenblatt.errors import ParameterError

SCOPES = ("predict", "learn", "admin")
_SHORTEST = 16


class Grant(NamedTuple):
    """What a token allows."""

    scopes: frozenset[str]
    models: frozenset[str] | None = None  # None: all of them

    def allows(self, scope: str, model: str | None) -> bool:
        return scope in self.scopes and (self.models is None or model in self.models)


EVERYTHING = Grant(frozenset(SCOPES))


class Tokens:
    """The grants, by the hash of their token."""

    def __init__(self, grants: Mapping[bytes, Grant]) -> None:
        self._grants = grants

    def grant(self, authorization: bytes) -> Grant | None:
        """What the header `Authorization: Bearer TOKEN` allows; None if the token is not in the file."""
        kind, _, token = authorization.partition(b" ")
        if kind.lower() != b"bearer":
            return None
        return self._grants.get(hashlib.sha256(token.strip()).digest())


def read_tokens(path: str) -> Tokens:
    """The tokens of a file that nobody else can read."""
    try:
        with open(path, encoding="utf-8") as file:
            mode = os.fstat(file.fileno()).st_mode
            lines = file.read(1 << 20).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise ParameterError(f"{path}: the tokens cannot be read: {reason}.") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ParameterError(f"{path}: others can read these tokens: run chmod 600 {path}.")
    grants: dict[bytes, Grant] = {}
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if words:
            grant, hashed = _grant(f"{path}:{number}", words), hashlib.sha256(words[0].encode()).digest()
            if hashed in grants:
                raise ParameterError(f"{path}:{number}: this token has a line already: give all its scopes there.")
            grants[hashed] = grant
    if not grants:
        raise ParameterError(f"{path}: has no tokens: write a line such as `TOKEN predict,learn` for each.")
    return Tokens(grants)


def _grant(place: str, words: list[str]) -> Grant:
    if len(words) not in (2, 3):
        raise ParameterError(f"{place}: expected TOKEN SCOPES [MODELS], found {len(words)} words.")
    token, scopes = words[0], words[1].split(",")
    if len(token) < _SHORTEST:
        raise ParameterError(f"{place}: a token needs at least {_SHORTEST} characters: it could be guessed.")
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown:
        raise ParameterError(f"{place}: {unknown[0]!r} is not a scope: they are {', '.join(SCOPES)}.")
    return Grant(frozenset(scopes), frozenset(words[2].split(",")) if len(words) == 3 else None)
