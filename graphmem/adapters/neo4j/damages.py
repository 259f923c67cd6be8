"""What a person edited into something that cannot be read: found by looking at every node and relationship."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any

from graphmem.adapters.neo4j.properties import damage_of
from graphmem.adapters.neo4j.relationships import fault_of
from graphmem.adapters.neo4j.server import Server, Session
from graphmem.ports.queries import Damage

_PAGE = 1_000


def damaged(server: Server, namespace: str, first: int) -> tuple[Damage, ...]:
    """At most first damages: nodes without an id, memories by id, then edges. Each page is a call of its own."""
    nameless = server.read(
        lambda session: session.run("read/memories-nameless", namespace=namespace, limit=first)
    )
    found = [damage for row in nameless if (damage := damage_of(row["memory"]))]
    edges: list[Damage] = []
    for row in _rows(server, namespace):
        if damage := damage_of(row["memory"]):
            found.append(damage)
        edges += [damage for edge in row["edges"] if (damage := _edge(edge))]
    return tuple(islice([*found, *edges], first))


def _edge(row: Mapping[str, Any]) -> Damage | None:
    if not all(isinstance(row[end], str) for end in ("from_id", "to_id")):
        return None  # the node is named that lost its id
    why = fault_of(row)
    ends = [row[f"{end}_ref"] or row[f"{end}_id"] for end in ("from", "to")]
    return Damage(name=f"{ends[0]} {row['kind']} {ends[1]}", why=why) if why else None


def _rows(server: Server, namespace: str) -> Iterator[Mapping[str, Any]]:
    after = ""
    while True:
        rows = server.read(partial(_page, namespace=namespace, after=after))
        yield from rows
        if len(rows) < _PAGE:
            return
        after = rows[-1]["id"]


def _page(session: Session, namespace: str, after: str) -> Any:
    return session.run("read/memories-all", namespace=namespace, after_id=after, limit=_PAGE)
