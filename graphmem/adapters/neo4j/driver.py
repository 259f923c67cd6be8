"""The official driver, told how long to try, and to leave it to us to say what failed."""

from __future__ import annotations

import logging

from neo4j import AsyncDriver, AsyncGraphDatabase

_CONNECT_S = 3.0
_LOG_LEVELS = {"neo4j": logging.ERROR, "neo4j.io": logging.CRITICAL, "neo4j.pool": logging.CRITICAL}
"""How much the driver says, where nobody has set it. What it calls an error of a connection or of the routing reaches
the caller as an UnavailableError, and would stand on the terminal beside it."""


async def open_driver(uri: str, auth: tuple[str, str] | None) -> AsyncDriver:
    """A driver that has not connected yet. Raises ConfigurationError or ValueError for an address that is none."""
    for name, level in _LOG_LEVELS.items():
        logger = logging.getLogger(name)
        if logger.level == logging.NOTSET:
            logger.setLevel(level)
    return AsyncGraphDatabase.driver(
        uri,
        auth=auth,
        connection_timeout=_CONNECT_S,
        connection_acquisition_timeout=2 * _CONNECT_S,
        notifications_min_severity="OFF",
        user_agent="graphmem",
    )
