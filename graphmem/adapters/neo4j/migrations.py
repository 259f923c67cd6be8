"""How a database comes up to date, what a person changed in its schema, and the first writes after a start."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from graphmem.adapters.neo4j import applying
from graphmem.adapters.neo4j.server import Server, Session
from graphmem.adapters.neo4j.versions import MIGRATIONS, check_version, object_of, version_of
from graphmem.domain.causation import CauseEdge, Edge, Evidence, GeneralizesEdge, Grade
from graphmem.domain.errors import UnavailableError
from graphmem.domain.memories import Experience, Fact, Pattern, Result, SearchField
from graphmem.domain.records import Record, RecordKind
from graphmem.ports.changes import Changes, Request, Update
from graphmem.ports.queries import SchemaReport

_INDEXES_S = 5
"""How long new indexes are waited for; the rest is built while the store works."""
_ONLINE = "ONLINE"
_WARM_UP_S = 60
"""How long a server that answers may take to plan the first actions."""
_WARM_UP = "graphmem warms up"
"""A namespace that is never committed."""


def migrate(server: Server) -> SchemaReport:
    """Make what the database lacks, and say where it differs from what it should be."""
    version = version_of(_versions(server))
    found = _indexes(server)
    steps = [(number, name) for number, names in enumerate(MIGRATIONS, 1) for name in names]
    missing = [(number, name) for number, name in steps if number > version or object_of(name) not in found]
    for _, name in missing:
        server.write(lambda session, name=name: session.run(name))  # type: ignore[misc]
    if missing:
        server.read(lambda session: session.run("schema/await-indexes", seconds=_INDEXES_S))
    if version < len(MIGRATIONS):
        server.write(lambda session: session.run("write/set-schema-version", version=len(MIGRATIONS)))
    made_again = [
        f"{object_of(name)} was missing and was made again" for number, name in missing if number <= version
    ]
    notes = (
        *made_again,
        *_drift(_indexes(server), (object_of(name) for _, name in steps)),
        *_warm_up(server),
    )
    applied = tuple(range(version + 1, len(MIGRATIONS) + 1))
    return SchemaReport(version=len(MIGRATIONS), applied=applied, notes=notes)


def check(server: Server) -> None:
    """Raise UnavailableError for a database that was not migrated, BadInputError for a newer one."""
    check_version(_versions(server))


def _versions(server: Server) -> list[object]:
    return [row["version"] for row in server.read(lambda session: session.run("read/schema-version"))]


def _indexes(server: Server) -> dict[str, str]:
    """The state of every index of a label or relationship, by name; a constraint is known by its index."""
    rows = server.read(lambda session: session.run("read/indexes"))
    return {row["name"]: row["state"] for row in rows}


def _drift(found: dict[str, str], expected: Iterable[str]) -> list[str]:
    wanted = list(expected)
    lost = [f"{name} is missing" for name in wanted if name not in found]
    waiting = [f"{name} is {found[name]}" for name in wanted if found.get(name, _ONLINE) != _ONLINE]
    foreign = [f"{name} is not of graphmem" for name in sorted(found.keys() - set(wanted))]
    return lost + waiting + foreign


def _warm_up(server: Server) -> list[str]:
    """Write and take back an action of every kind: the first ones after a server's start take seconds.

    That is waited for longer than a call may take: whoever writes first would wait for it in vain.
    """
    fact, failure, pattern = _memories()
    edges, at = _edges(fact, failure, pattern), fact.occurred_at
    key = Request(key=_WARM_UP, payload_hash=_WARM_UP, memory_id=fact.id)
    audit = Record(kind=RecordKind.AUDIT, id=_WARM_UP, at=at)
    create = Changes(namespace=_WARM_UP, at=at, create=(fact,), requests=(key,))
    join = Changes(namespace=_WARM_UP, at=at, create=(failure, pattern), edges=edges, records=(audit,))
    update = Changes(namespace=_WARM_UP, at=at, update=(Update(memory=fact, expected_version=1),))
    until = time.monotonic() + _WARM_UP_S
    try:
        for actions in ((create,), (create, join), (create, update)):
            server.write(
                lambda session, actions=actions: _apply(session, actions),  # type: ignore[misc]
                commit=False,
                deadline=until,
            )
    except UnavailableError:
        return ["the first writes may be slow: the server did not warm up in time"]
    return []


def _apply(session: Session, actions: Iterable[Changes]) -> None:
    for changes in actions:
        applying.apply(session, changes)


def _memories() -> tuple[Fact, Experience, Pattern]:
    at = datetime(2000, 1, 1, tzinfo=UTC)
    common: dict[str, Any] = {"namespace": _WARM_UP, "occurred_at": at, "recorded_at": at}
    return (
        Fact(id="1", statement=_WARM_UP, vectors={SearchField.TEXT: bytes(4)}, **common),
        Experience(id="2", action=_WARM_UP, result=Result.FAILURE, **common),
        Pattern(id="3", lesson=_WARM_UP, **common),
    )


def _edges(fact: Fact, failure: Experience, pattern: Pattern) -> tuple[Edge, ...]:
    at = fact.occurred_at
    evidence = Evidence(Grade.ASSERTED, 0.5, _WARM_UP, _WARM_UP, at)
    return (
        CauseEdge(from_id=failure.id, to_id=fact.id, recorded_at=at, evidence=(evidence,)),
        GeneralizesEdge(from_id=pattern.id, to_id=failure.id, recorded_at=at),
    )
