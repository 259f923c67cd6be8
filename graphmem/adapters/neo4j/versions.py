"""Which steps make the schema, and which version of it a database has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphmem.domain.errors import BadInputError, UnavailableError

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "schema/schema-version-id",
        "schema/namespace-name",
        "schema/memory-id",
        "schema/memory-ref",
        "schema/memory-feed",
        "schema/memory-time",
        "schema/memory-session",
        "schema/memory-task",
        "schema/failure-time",
        "schema/caused-by-time",
        "schema/caused-by-lag",
        "schema/generalizes-time",
        "schema/supersedes-time",
        "schema/request-hash",
        "schema/request-memory",
        "schema/request-time",
        "schema/erasure-hash",
        "schema/erasure-time",
        "schema/tombstone-id",
        "schema/tombstone-feed",
        "schema/record-id",
        "schema/record-time",
        "schema/record-subject",
        "schema/job-id",
        "schema/job-open",
        "schema/job-time",
        "schema/job-subject",
    ),
)
"""The n-th tuple brings a database from version n - 1 to n. A file makes the index or constraint of its name."""


def object_of(name: str) -> str:
    """The index or constraint that a schema file makes: memory_id for 'schema/memory-id'."""
    return name.rpartition("/")[2].replace("-", "_")


def version_of(versions: Sequence[Any]) -> int:
    """The version that a database says it has; 0 when it says none.

    Raises BadInputError for a newer one than this code knows.
    """
    version = max((item for item in versions if isinstance(item, int)), default=0)
    if version > len(MIGRATIONS):
        raise BadInputError(
            f"the store has schema version {version}, this graphmem knows up to {len(MIGRATIONS)}",
            field="store",
            remedy="upgrade graphmem",
        )
    return version


def check_version(versions: Sequence[Any]) -> None:
    """Refuse to work on a database whose version is not the one that this code knows.

    Raises UnavailableError for an older one, BadInputError for a newer one.
    """
    version = version_of(versions)
    if version < len(MIGRATIONS):
        raise UnavailableError(
            f"the store has schema version {version}, not {len(MIGRATIONS)}", remedy="migrate it first"
        )
