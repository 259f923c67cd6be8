"""Addresses of Neo4j servers."""

from __future__ import annotations

from urllib.parse import urlsplit

from graphmem.domain.errors import BadInputError

_SCHEMES = frozenset(f"{name}{how}" for name in ("bolt", "neo4j") for how in ("", "+s", "+ssc"))


def check_address(uri: str) -> None:
    """Raise BadInputError for what is no address of a Neo4j server."""
    try:
        parts = urlsplit(uri)
        if parts.scheme in _SCHEMES and parts.hostname and parts.port != 0:
            return
    except ValueError as error:
        raise no_address(uri) from error
    raise no_address(uri)


def no_address(uri: str) -> BadInputError:
    """The refusal of an address."""
    return BadInputError(
        f"{uri!r} is no address of a Neo4j server", field="store", remedy="e.g. bolt://127.0.0.1:7687"
    )
