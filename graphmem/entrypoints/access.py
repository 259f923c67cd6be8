"""Who may ask, and in which namespace: token, origin and header, each checked before the body is read."""

from __future__ import annotations

import hmac
import ipaddress
import re
from urllib.parse import unquote_to_bytes, urlsplit

from starlette.datastructures import Headers

from graphmem.config import Settings
from graphmem.domain.errors import BadInputError, UnauthenticatedError
from graphmem.domain.rules import check_namespace

NAMESPACE_HEADER = "graphmem-namespace"
_BAD_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


class ForbiddenError(Exception):
    """A web page of another place asks through its visitor's browser."""


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine only."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_token(headers: Headers, token: str) -> None:
    """Compare the bearer token in constant time. Raises UnauthenticatedError; without a token set, never."""
    if not token:
        return
    scheme, _, sent = headers.get("authorization", "").partition(" ")
    known = scheme.lower() == "bearer" and hmac.compare_digest(sent.strip().encode(), token.encode())
    if not known:
        raise UnauthenticatedError(
            "a bearer token is required", remedy="send 'Authorization: Bearer ...' with GRAPHMEM_TOKEN"
        )


def check_origin(headers: Headers, token: str) -> None:
    """Let browsers ask from this machine only, and with a token set also from the service's own host.

    Without a token the host's name is no proof: a name can be pointed at 127.0.0.1 by anybody.
    Raises ForbiddenError.
    """
    for origin in headers.getlist("origin"):
        try:
            parts = urlsplit(origin)
            here = is_loopback(parts.hostname or "")
        except ValueError as error:
            raise ForbiddenError from error
        same = bool(token) and parts.netloc.lower() == headers.get("host", "").lower()
        if parts.scheme not in ("http", "https") or not (here or same):
            raise ForbiddenError


def namespace_of(headers: Headers, settings: Settings) -> str:
    """The namespace that the header names, percent-encoded UTF-8; the default one without a header.

    Raises BadInputError.
    """
    sent = headers.getlist(NAMESPACE_HEADER)
    if not sent:
        return settings.namespace
    if len(sent) > 1:
        raise BadInputError("is sent twice", field="namespace", remedy="send one header")
    if not sent[0].isascii() or _BAD_PERCENT.search(sent[0]):
        raise BadInputError("is not percent-encoded", field="namespace", remedy="e.g. %E7%A7%9F%E6%88%B7")
    try:
        return check_namespace(unquote_to_bytes(sent[0]).decode())
    except UnicodeDecodeError as error:
        raise BadInputError(
            "is not UTF-8", field="namespace", remedy="percent-encode its UTF-8 bytes"
        ) from error
