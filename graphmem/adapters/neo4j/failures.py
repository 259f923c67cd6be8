"""What the driver and the server say when something is wrong, as errors that a caller is meant to read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from neo4j.exceptions import (
    AuthError,
    ConstraintError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
)

from graphmem.domain.errors import BadInputError, ConflictError, GraphmemError, UnavailableError

RETRY = "retry with the same key"
WHEN_AWAY = f"see that it runs, then {RETRY}"
_OUR_MISTAKES = ("Neo.ClientError.Statement.", "Neo.ClientError.Schema.")

BROKEN = (ServiceUnavailable, SessionExpired)
"""What the driver raises when a connection breaks, or none can be made."""
_MADE_MEANWHILE = frozenset(
    f"Neo.ClientError.Schema.{name}AlreadyExists" for name in ("EquivalentSchemaRule", "Index", "Constraint")
)
"""What two processes meet that bring one database up to date at once."""


@contextmanager
def as_ours(uri: str = "", when_away: str = WHEN_AWAY) -> Iterator[None]:
    """Turn errors of driver and server into GraphmemError; mistakes in our statements stay what they are.

    uri: where the server was looked for. when_away: the remedy when it cannot be reached there.
    """
    try:
        yield
    except UnicodeEncodeError as error:
        raise BadInputError("contains half a surrogate pair", remedy="send valid Unicode") from error
    except OverflowError as error:
        raise BadInputError("integer outside 64 bits", remedy="send it as a string") from error
    except (Neo4jError, DriverError) as error:
        if isinstance(error, BROKEN):
            message = f"the server at {uri} cannot be reached: {error}"
            raise UnavailableError(message, field="store", remedy=when_away) from error
        ours = _ours(error)
        if ours is None:
            raise
        raise ours from error


def _ours(error: Neo4jError | DriverError) -> GraphmemError | None:
    if isinstance(error, ConstraintError):
        return ConflictError(
            "an id or a reference names another memory here",
            field="ref",
            remedy="restore into an empty namespace",
        )
    if isinstance(error, AuthError):
        return UnavailableError(
            f"the server refuses us: {error.message}", field="store", remedy="check user and password"
        )
    if isinstance(error, Neo4jError) and (error.code or "").startswith(_OUR_MISTAKES):
        return None
    return UnavailableError(f"the store cannot answer: {error}", remedy=RETRY)


def may_pass(error: Neo4jError | DriverError) -> bool:
    """Whether the same work may succeed in a moment, and did certainly nothing so far."""
    return error.is_retryable() or (isinstance(error, Neo4jError) and error.code in _MADE_MEANWHILE)


def unknown_outcome(error: DriverError) -> UnavailableError:
    """What a call meets whose commit was sent and not answered."""
    return UnavailableError(f"the answer to the commit is lost: {error}", remedy=RETRY)


def lost_answer() -> UnavailableError:
    """What a call meets that may have been done before others wrote."""
    return UnavailableError("the answer to the write is lost", remedy=RETRY)


def late() -> UnavailableError:
    """What a call meets that the server does not answer in time."""
    return UnavailableError("the store did not answer in time", remedy=RETRY)


def closed() -> UnavailableError:
    """What a call after close() meets."""
    return UnavailableError("the store is closed", remedy=f"open it again and {RETRY}")
