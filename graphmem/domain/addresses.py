"""Addresses of other services, as a person sets them."""

from __future__ import annotations

from urllib.parse import urlsplit

from graphmem.domain.errors import BadInputError


def check_http(url: str, field: str, remedy: str) -> str:
    """An http or https address without a user in it.

    Raises BadInputError otherwise, without repeating it: it may hold a secret.
    """
    try:
        address = urlsplit(url)
        fits = address.scheme in ("http", "https") and address.hostname and address.port != 0
    except ValueError:
        fits = False
    plain = url.isascii() and url.isprintable() and " " not in url and "@" not in url.partition("?")[0]
    if not (fits and plain):
        raise BadInputError("is no http(s) address without a user", field=field, remedy=remedy)
    return url
