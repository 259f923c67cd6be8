"""How a database comes up to date, and what a person changed in its schema."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.adapters.neo4j.server import Server
from graphmem.adapters.neo4j.versions import MIGRATIONS, check_version, object_of, version_of
from graphmem.adapters.neo4j.warming import warm_up
from graphmem.domain.errors import UnavailableError
from graphmem.ports.queries import SchemaReport

_INDEXES_S = 5
"""How long new indexes are waited for; the rest is built while the store works."""
_ONLINE = "ONLINE"


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
    try:
        warm_up(server)
    except UnavailableError:
        return ["the first writes may be slow: the server did not warm up in time"]
    return []
